"""Instance-dependent corruption: the more plausible a wrong class, the more often a candidate.

`InstanceCorruption` takes scores of plausibility; `out_of_fold_scores` computes them from inputs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import (
    Truth,
    draw_sets,
    read_truth,
    shuffled_by_class,
)
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_number

# Positive scores are at least this share of the largest, so that no quotient overflows.
_MIN_RELATIVE_SCORE = 1e-200
# This share of the probability is divided equally among the classes, so that all are positive.
_UNIFORM_SHARE = 0.01


def capped_shares(scores: FloatArray, mean: float, cap: float) -> FloatArray:
    """``min(cap, c * scores)``, ``(N,)``, with the c that makes the mean `mean`.

    With the t largest scores at the cap, ``c = (N * mean - t * cap) / (sum of the others)``. The
    right t is the smallest for which this c leaves the next score at or below the cap: with any
    smaller t the next score exceeds the cap, and with this c it still does.

    Parameters
    ----------
    scores : (N,) of float, finite and >= 0
    mean, cap : float, ``0 <= mean <= cap <= 1``

    Examples
    --------
    >>> import numpy as np
    >>> capped_shares(np.array([1.0, 2.0, 9.0]), 0.5, 0.9).round(6).tolist()
    [0.2, 0.4, 0.9]
    """
    shares = np.zeros(scores.shape)
    positive = scores > 0
    total, most = len(scores) * mean, np.count_nonzero(positive) * cap
    if total > most * (1 + 1e-12):
        raise ValueError(
            f"InstanceCorruption: level={mean!r} is too high: classes of score 0 are never "
            f"added, and with the others at the cap of {cap!r} the mean is "
            f"{most / len(scores):.4g}. Lower level, or give positive scores."
        )
    if total >= most * (1 - 1e-12):
        shares[positive] = cap
    elif total > 0:
        given = np.maximum(scores[positive] / scores.max(), _MIN_RELATIVE_SCORE)
        shares[positive] = np.minimum(cap, _factor(np.sort(given), total, cap) * given)
    return shares


def _factor(ascending: FloatArray, total: float, cap: float) -> float:
    largest = ascending[::-1]
    rest = np.cumsum(ascending)[::-1]
    factors = (total - cap * np.arange(len(largest))) / rest
    return float(factors[np.argmax(factors * largest <= cap)])


@dataclass(frozen=True, eq=False)
class InstanceCorruption:
    """``Pr(z in S_j) = min(cap, c * scores[j, z])`` for z other than y_j, independently.

    The factor c is such that these probabilities have mean `level` over all rows and all wrong
    classes. If scores are class probabilities, rows with one probable class get small sets, and
    rows between two classes get both.

    The probabilities differ between rows (`probabilities`); non-ambiguity holds with eta the
    largest of them (`ambiguity_degree`), at most `cap`. At level 1 every set has all classes.

    Parameters
    ----------
    level : float in [0, 1]
        Mean probability of a wrong class.
    scores : array-like (n, K)
        How plausible each class is for each row: non-negative and comparable between rows, columns
        in the order of the classes. `out_of_fold_scores` computes them from inputs. A class of
        score 0 is never added.
    cap : float in [level, 1], default None
        The largest probability of a wrong class. None: ``(1 + level) / 2``, so that the truth can
        be identified at every level below 1.

    Examples
    --------
    >>> from disambig.datasets import InstanceCorruption
    >>> corruption = InstanceCorruption(0.3, [[0.9, 0.1], [0.5, 0.5]])
    >>> corruption.probabilities([0, 1]).round(3).tolist()
    [[1.0, 0.1], [0.5, 1.0]]
    """

    level: float
    scores: Any
    cap: float | None = None

    def __post_init__(self) -> None:
        level = check_number("InstanceCorruption", "level", self.level, most=1)
        object.__setattr__(self, "level", level)
        object.__setattr__(self, "scores", _checked_scores(self.scores))
        if self.cap is not None:
            cap = check_number("InstanceCorruption", "cap", self.cap, most=1)
            if cap < level:
                raise ValueError(
                    f"InstanceCorruption: cap={cap!r} is below level={level!r}, the mean that "
                    f"probabilities under the cap must have. Raise cap or lower level."
                )
            object.__setattr__(self, "cap", cap)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b]``: mean of ``Pr(classes[b] in S_j)`` over the rows of class a, ``(K, K)``.

        The row of a class that does not occur is that of the identity.
        """
        truth = read_truth(y, classes)
        by_class = _one_hot(truth).T.astype(np.float64)
        means = by_class @ self._probabilities(truth) / np.maximum(truth.counts, 1)[:, np.newaxis]
        np.fill_diagonal(means, 1.0)
        return np.asarray(means)

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._probabilities(read_truth(y, classes))

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._probabilities(truth), random_state)

    def _probabilities(self, truth: Truth) -> FloatArray:
        is_truth = _one_hot(truth)
        if self.scores.shape != is_truth.shape:
            raise ValueError(
                f"InstanceCorruption: scores have shape {self.scores.shape}; y has "
                f"{is_truth.shape[0]} rows and {is_truth.shape[1]} classes. Give one row of scores "
                f"for each sample and one column for each class; classes= names all classes."
            )
        cap = (1 + self.level) / 2 if self.cap is None else self.cap
        probabilities = np.ones(is_truth.shape)
        probabilities[~is_truth] = capped_shares(self.scores[~is_truth], self.level, cap)
        return probabilities


def _one_hot(truth: Truth) -> BoolArray:
    return np.asarray(truth.codes[:, np.newaxis] == np.arange(truth.n_classes))


def _checked_scores(scores: Any) -> FloatArray:
    array = np.array(scores, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(
            f"InstanceCorruption: scores must have shape (n, K), one column for each class; got "
            f"shape {array.shape}."
        )
    is_valid = np.isfinite(array) & (array >= 0)
    if not is_valid.all():
        row, column = np.argwhere(~is_valid)[0].tolist()
        raise ValueError(
            f"InstanceCorruption: scores[{row}, {column}] is {float(array[row, column])!r}. Give "
            f"finite scores >= 0, such as class probabilities."
        )
    array.setflags(write=False)
    return array


def out_of_fold_scores(
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    classifier: Any = None,
    n_splits: int = 5,
    random_state: Any = None,
) -> FloatArray:
    """``0.99 * Pr(classes[k] | x_j) + 0.01 / K``, by classifiers trained without the row's fold.

    Parameters
    ----------
    X : array-like or sparse (n, d)
    y : (n,)
        The labels.
    classes : (K,), default None
        The classes in order; by default the sorted labels that occur.
    classifier : scikit-learn classifier, default None
        It needs `predict_proba`, and is cloned. None: logistic regression on scaled inputs.
    n_splits : int, default 5
        Number of folds, stratified by class.
    random_state : int, numpy Generator or None, default None
        Of the folds: the argument of `numpy.random.default_rng`.

    Returns
    -------
    (n, K) of float
        Positive, rows sum to one: `scores` for `InstanceCorruption`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.datasets import InstanceCorruption
    >>> from disambig.datasets.corruptions.instance import out_of_fold_scores
    >>> X, y = np.linspace(-3, 3, 40)[:, None], np.repeat([0, 1], 20)
    >>> scores = out_of_fold_scores(X, y, random_state=0)
    >>> bool(scores[19, 1] > scores[0, 1])
    True
    >>> InstanceCorruption(0.25, scores)(y, random_state=0).shape
    (40, 2)
    """
    truth = read_truth(y, classes)
    # Rows of other sparse formats cannot be selected.
    inputs = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    _check_inputs(inputs, len(truth.codes), n_splits)
    if classifier is None:
        scaler = StandardScaler(with_mean=not sparse.issparse(inputs))
        classifier = make_pipeline(scaler, LogisticRegression(max_iter=1000))
    fold = _folds(truth.codes, n_splits, np.random.default_rng(random_state))
    scores = np.zeros((len(truth.codes), truth.n_classes))
    for i in np.unique(fold).tolist():
        held_out = np.flatnonzero(fold == i)
        train = np.flatnonzero(fold != i)
        known = np.unique(truth.codes[train])
        if len(known) == 1:
            scores[held_out, known[0]] = 1.0
        else:
            fitted = clone(classifier).fit(inputs[train], truth.codes[train])
            scores[held_out[:, np.newaxis], known] = fitted.predict_proba(inputs[held_out])
    return (1 - _UNIFORM_SHARE) * scores + _UNIFORM_SHARE / truth.n_classes


def _check_inputs(inputs: Any, n_rows: int, n_splits: int) -> None:
    if inputs.ndim != 2 or inputs.shape[0] != n_rows:
        raise ValueError(
            f"out_of_fold_scores: X has shape {inputs.shape} and y has {n_rows} rows. Give X of "
            f"shape ({n_rows}, d)."
        )
    if n_rows < 2 or n_splits < 2:
        raise ValueError(
            f"out_of_fold_scores: at least 2 rows and 2 folds are needed; got {n_rows} rows and "
            f"n_splits={n_splits!r}."
        )


def _folds(codes: IntArray, n_splits: int, rng: np.random.Generator) -> IntArray:
    # Rows are assigned in turn, class by class: a class of two rows is in two folds, so that only a
    # class of one row can be absent from training.
    fold = np.empty(len(codes), dtype=np.intp)
    fold[shuffled_by_class(codes, rng)] = np.arange(len(codes)) % n_splits
    return fold
