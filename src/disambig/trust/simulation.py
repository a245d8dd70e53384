"""`simulate_questions`: how labels improve with answers, where the truth is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.trust.cross_examination import cross_examine
from disambig.trust.examination import Examination
from disambig.trust.questions import Questions

_OWNER = "simulate_questions"


@dataclass(frozen=True, eq=False)
class QuestionCurve:
    """The share of right labels by the number of answers, in r rounds.

    Attributes
    ----------
    n_answers : int array (r + 1,)
        From 0 on.
    right : float array (r + 1,)
        The share of labels that are right: of orders the share of right pairs, of bits of right
        bits; numbers are right within a distance.
    expected : float array (r + 1,)
        The share that the examination expects to be right, without the truth.
    stated_gain : float array (r,)
        The gain that the questions of each round stated; NaN if rows were chosen otherwise.
    n_rows : int
        With sample weights, the sum of them.

    Examples
    --------
    >>> import numpy as np
    >>> right, expected = np.array([0.5, 0.75]), np.array([0.5, 0.8])
    >>> QuestionCurve(np.array([0, 4]), right, expected, np.array([6.0]), 20).real_gain.tolist()
    [5.0]
    """

    n_answers: IntArray
    right: FloatArray
    expected: FloatArray
    stated_gain: FloatArray
    n_rows: float

    @property
    def real_gain(self) -> FloatArray:
        """How many labels became right in each round, ``(r,)``."""
        gained: FloatArray = np.diff(self.right) * self.n_rows
        return gained


def simulate_questions(
    estimator: Any,
    X: Any,
    y: Any,
    truth: Any,
    n_answers: Sequence[int],
    *,
    choose: Callable[[Any, int], Any] | None = None,
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
) -> QuestionCurve:
    """Ask, answer by the truth, and refit, in rounds.

    Parameters
    ----------
    estimator : estimator of `disambig`, or a Pipeline that ends in one
        Unfitted; or an `Examination` of these rows, with which the first round begins, and which
        is not computed again.
    X, y : inputs and candidate sets, n rows
    truth : array-like, n rows
        The true targets, in the form of answers.
    n_answers : sequence of int
        The number of answers after each round, rising.
    choose : callable, optional
        ``choose(examination, n)`` returns `Questions`, or n row numbers. By default
        `Examination.ask`.
    cv, groups, sample_weight
        Of `cross_examine`.

    Returns
    -------
    QuestionCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.trust import simulate_questions
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = [{label, 2 - label // 2} for label in truth]
    >>> curve = simulate_questions(PartialLabelClassifier("neighbors"), X, y, truth, [5, 10])
    >>> curve.n_answers.tolist(), bool(curve.right[2] > curve.right[0])
    ([0, 5, 10], True)
    """
    numbers = _checked_numbers(n_answers)
    exam: Examination = (
        estimator
        if isinstance(estimator, Examination)
        else cross_examine(estimator, X, y, cv=cv, groups=groups, sample_weight=sample_weight)
    )
    n = len(exam)
    everything = exam._read_answers(np.arange(n), truth, None, "simulate_questions")
    named = exam._named(everything)
    weights = np.ones(n) if exam.sample_weight is None else exam.sample_weight

    def shares(found: Examination) -> tuple[float, float]:
        right = np.average(found._rightness(everything), weights=weights)
        return float(right), float(np.average(1.0 - found._doubt(), weights=weights))

    points, stated = [shares(exam)], []
    for more in np.diff(numbers).tolist():
        questions = exam.ask(more) if choose is None else choose(exam, more)
        is_stated = isinstance(questions, Questions)
        stated.append(questions.expected_gain if is_stated else np.nan)
        rows: AnyArray = questions.rows if is_stated else np.asarray(questions)
        exam = exam.refit(rows, named[rows])
        points.append(shares(exam))
    right, expected = np.array(points).T
    return QuestionCurve(numbers, right, expected, np.array(stated), float(weights.sum()))


def _checked_numbers(n_answers: Any) -> IntArray:
    """The numbers of answers after 0, 1, ... rounds; or an error in words."""
    given = np.asarray(n_answers)
    is_rising = given.ndim == 1 and given.size and given.dtype.kind in "iu" and given[0] > 0
    if not is_rising or (np.diff(given) <= 0).any():
        raise ValueError(
            f"{_OWNER}: n_answers must be positive integers that rise, the number of answers "
            f"after each round, like [10, 20, 50]; got {n_answers!r}."
        )
    return np.concatenate([[0], given]).astype(np.intp)
