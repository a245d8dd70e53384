"""What rows that never saw a set say about it: the result of `cross_examine`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from disambig.estimators.conformal import MEANINGS
from disambig.frames import data_frame
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_number
from disambig.trust.abstention import Acceptance, accepted
from disambig.trust.answers import Answers, require_answers, weighted_threshold, with_singletons
from disambig.trust.examination_text import as_html, described
from disambig.trust.examined import Examined
from disambig.trust.questions import Questions, ask
from disambig.trust.recalibration import Recalibration, fit_recalibration
from disambig.trust.refitting import (
    RefitAnswers,
    answer_columns,
    answered_rows,
    refitted,
    refuse_refitted_rows,
)
from disambig.trust.suspects import Contradiction, Suspects, found_suspects

# Frozen dataclasses hold arrays that nobody may change.
_READ_ONLY = ("labels", "confidence", "confidence_by_sets", "suspicion")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Examination(ABC):
    """A judgement of every row by models from which its set was hidden.

    Attributes
    ----------
    estimator : fitted estimator
        On all rows; for ``cv="prefit"`` the one that was given.
    candidates : candidate sets, n rows
    labels : array, first axis n
        The recovered targets; of answered rows the answers.
    confidence : float array (n,)
        How probable it is that the label is right. With answers it is calibrated on them.
    confidence_by_sets : float array (n,)
        The same by hidden sets alone. It is right if the chance of a set is the same whichever of
        its members is true.
    suspicion : float array (n,)
        ``1 - P(set)``: how improbable the others find the set of the row. It ranks rows.
    selection_saw_sets : bool
        Whether ``weights="auto"`` was chosen when the hidden sets were in sight. The judgement is
        then somewhat optimistic.
    is_split : bool
        Whether no row took part in the fit (``cv="prefit"``): promises of coverage are then exact.
    sample_weight : float array (n,), or None
        w means w copies of a row; rows of weight zero calibrate nothing.
    answers : Answers or None
    refit_answers : RefitAnswers or None
        Of `refit`, and of `with_answers` before it; `answers` are those after it.
    recalibration : Recalibration or None
        How answers changed the confidence.
    examined : Examined
        The inputs, the rows that take part and their folds, for `ask` and `refit`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.trust import Examination, cross_examine
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = [{label, (label + 1) % 3} if row % 3 else {label} for row, label in enumerate(truth)]
    >>> exam = cross_examine(PartialLabelClassifier("neighbors"), X, y)
    >>> isinstance(exam, Examination), len(exam)
    (True, 150)
    >>> drawn = np.random.default_rng(0).choice(150, 60, replace=False)
    >>> answered = exam.with_answers(drawn, truth[drawn])
    >>> answered.recalibration.method, len(answered.predict_set(X, 0.9, meaning="truth"))
    ('platt', 150)
    """

    estimator: Any
    candidates: Any
    labels: AnyArray
    confidence: FloatArray
    confidence_by_sets: FloatArray
    suspicion: FloatArray
    selection_saw_sets: bool
    is_split: bool
    examined: Examined
    sample_weight: FloatArray | None = None
    answers: Answers | None = None
    refit_answers: RefitAnswers | None = None
    recalibration: Recalibration | None = None

    def __post_init__(self) -> None:
        for name in _READ_ONLY:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.confidence)

    __repr__ = described
    _repr_html_ = as_html

    # ------------------------------------------------------------------ what a kind provides

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """The columns of the frame that only this kind has."""

    @abstractmethod
    def _read_answers(self, rows: Any, labels: Any, inclusion: Any, owner: str) -> Answers:
        """Checked answers, with labels in the form of the kind; errors begin with the owner."""

    @abstractmethod
    def _rightness(self, answers: Answers) -> AnyArray:
        """Whether the recovered labels of the answered rows are right, or how much, from 0 to 1."""

    @abstractmethod
    def _recovered_labels(self) -> AnyArray:
        """`labels` without answers."""

    @abstractmethod
    def _is_single(self) -> BoolArray:
        """Rows whose set has a single member, ``(n,)``."""

    @abstractmethod
    def _is_outside(self, answers: Answers) -> BoolArray:
        """Answers that are not in the set of their row."""

    @abstractmethod
    def _named(self, answers: Answers) -> AnyArray:
        """The answers in the form of `labels`."""

    @abstractmethod
    def _candidate_texts(self, rows: IntArray) -> list[str]:
        """The candidates of some rows, to be read by people."""

    @abstractmethod
    def _examine(self, rows: Examined) -> Self:
        """The examination of rows of this kind."""

    @abstractmethod
    def _predicted_set(self, X: Any, coverage: float, meaning: str, classwise: bool) -> Any:
        """Prediction sets at new inputs, or inside their sets at the examined rows (X is None)."""

    @abstractmethod
    def _new_threshold(self, coverage: float, meaning: str) -> Any:
        """The threshold of prediction sets at new inputs: a number, or one a column."""

    @abstractmethod
    def _wrong_probability(self) -> FloatArray:
        """The posterior that each set misses the truth, without answers, ``(n,)``."""

    @property
    @abstractmethod
    def _tells_wrong_sets(self) -> bool:
        """Whether the others know enough to tell wrong sets from right ones."""

    @abstractmethod
    def _contradictions(self, rows: IntArray) -> list[Contradiction]:
        """What the others say against the sets of some rows."""

    # ------------------------------------------------------------------ shared

    def frame(self) -> Any:
        """One row for each sample, as a pandas DataFrame.

        Every kind has ``label``, ``confidence``, ``suspicion`` and ``wrong_set_probability``;
        with answers also ``is_answered`` and ``is_outside``, an answer that its set misses.
        """
        columns: dict[str, Any] = {"label": self._label_column(), "confidence": self.confidence}
        columns |= self._columns()
        columns["wrong_set_probability"] = self.wrong_set_probability
        columns["suspicion"] = self.suspicion
        return data_frame(columns | answer_columns(self))

    def _label_column(self) -> Any:
        return self.labels

    def _doubt(self) -> FloatArray:
        """The probability that the label of a row is wrong, ``(n,)``."""
        if self.recalibration is not None and self.recalibration.method != "identity":
            # Answers have shown wrong labels of wrong sets, too.
            return 1.0 - self.confidence
        return 1.0 - self.confidence * (1.0 - self._wrong_probability())

    def ask(self, n: int, *, n_random: int | float = 0, random_state: Any = 0) -> Questions:
        """The rows whose answers are expected to make the most labels right (see `refit`).

        A row is worth asking if its label is doubtful, and if it votes at other doubtful rows. An
        asked row lowers the doubt of the rows that it influences, so that the questions of a batch
        differ. Rows with an answer or a single candidate are not asked.

        Parameters
        ----------
        n : int
            How many rows; at most as many as are open.
        n_random : int, or float from 0.0 to 1.0, default 0
            How many of these rows, or which share, are drawn at random among the open ones. Only
            their answers may calibrate the confidence (`with_answers`).
        random_state : int, RandomState or None, default 0
            Of the random rows.

        Returns
        -------
        Questions
            `rows`, `gain`, `frame()`; its text states the expected gain.
        """
        return ask(self, n, n_random, random_state)

    def refit(self, rows: Any, labels: Any, *, callback: Any = None, verbose: int = 0) -> Self:
        """The examination after answers: the estimator is fitted again with them, and judged.

        An answer becomes the only candidate of its row, even outside of its set; answers of
        `with_answers` too, and their recalibration is kept. All of them are then `refit_answers`;
        promises about the truth need new answers, of other rows (`with_answers`). Weights, solver,
        sample weights and groups are those of before, and the solver starts from the earlier
        solution (mixtures and other models have none). `estimator` of the result is fitted.

        Parameters
        ----------
        rows : int array-like (m,), or bool array (n,)
        labels : array-like (m,)
        callback, verbose
            Of the fit and of the cross-examination, as in `cross_examine`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from disambig import PartialLabelClassifier
        >>> from disambig.trust import cross_examine
        >>> X, truth = load_iris(return_X_y=True)
        >>> y = [{label, 2 - label // 2} for label in truth]
        >>> exam = cross_examine(PartialLabelClassifier("neighbors"), X, y)
        >>> questions = exam.ask(10)
        >>> better = exam.refit(questions.rows, truth[questions.rows])
        >>> bool((better.labels == truth).sum() > (exam.labels == truth).sum())
        True
        """
        return refitted(self, self._read_answers(rows, labels, None, "refit"), callback, verbose)

    def with_answers(
        self,
        rows: Any,
        labels: Any,
        *,
        inclusion: Any = None,
        singletons: bool = False,
    ) -> Self:
        """The examination with the true targets of some rows.

        Confidence is calibrated on them: by Platt's method with a prior, from 200 answers on by an
        isotonic function. `predict_set` may then cover the truth, and `accept` bounds the risk.
        Answered rows get their answer as label, with confidence one. An answer outside of its set
        is kept, and counts as evidence of wrong sets (`wrong_share_of_answers`).

        Answers must be drawn at random. Rows that were chosen because they are doubtful need their
        inclusion probabilities.

        Parameters
        ----------
        rows : int array-like (m,), or bool array (n,)
        labels : array-like (m,)
        inclusion : float or array-like (m,), optional
            The probability with which each of these rows was drawn; None: the same for all.
        singletons : bool, default False
            Whether sets with a single candidate have been checked, so that they are answers, too.
        """
        if self.answers is not None:
            raise ValueError(
                "with_answers: these rows have answers already. Give all answers together to the "
                "examination without answers."
            )
        if singletons:
            if inclusion is not None:
                raise ValueError(
                    "with_answers: singletons=True adds rows that were not drawn, and cannot be "
                    "combined with inclusion probabilities."
                )
            rows, labels, inclusion = self._with_singletons(rows, labels)
        answers = self._read_answers(rows, labels, inclusion, "with_answers")
        refuse_refitted_rows(self, answers)
        # A single candidate is certain as long as the sets are believed: it teaches nothing.
        is_open = ~self._is_single()
        teaching = answers.part(is_open[answers.rows])
        recalibration = fit_recalibration(
            self.confidence_by_sets[teaching.rows], self._rightness(teaching), teaching.weights
        )
        confidence = np.where(
            is_open, recalibration(self.confidence_by_sets), self.confidence_by_sets
        )
        confidence[answers.rows] = 1.0
        found = self.labels.copy()
        found[answers.rows] = self._named(answers)
        return replace(
            self,
            labels=found,
            confidence=confidence,
            answers=answers,
            recalibration=recalibration,
        )

    def _with_singletons(self, rows: Any, labels: Any) -> tuple[Any, Any, Any]:
        known = answered_rows(self)[0]
        return with_singletons(rows, labels, self._is_single(), self.labels, known)

    def _threshold(
        self, scores: FloatArray, rows: IntArray, coverage: float, answers: Answers | None = None
    ) -> float:
        """The conformal threshold of the scores of rows, by their weights and those of answers."""
        weights = np.ones(len(rows)) if self.sample_weight is None else self.sample_weight[rows]
        return weighted_threshold(scores, weights, coverage, answers)

    @property
    def wrong_share_of_answers(self) -> float | None:
        """The share of answers outside of their sets, weighted; None without answers."""
        if self.answers is None:
            return None
        outside = self._is_outside(self.answers)
        return float(np.average(outside, weights=self.answers.weights))

    @property
    def wrong_set_probability(self) -> FloatArray:
        """The posterior that each set misses the truth, ``(n,)``; 0 or 1 for answered rows."""
        posterior = self._wrong_probability()
        rows, is_outside = answered_rows(self)
        posterior[rows] = is_outside
        return posterior

    def suspects(self, false_alarms: float = 0.1) -> Suspects:
        """The rows whose set probably misses the truth, the most suspect first, and why.

        Without answers, the share of false alarms is at most `false_alarms` as estimated by the
        posterior that sets are wrong. With answers it is bounded, on average over their draw.
        Answers outside of their sets come first. `statement` says what holds.

        Parameters
        ----------
        false_alarms : float, default 0.1
            The largest share of suspects whose set has the truth.
        """
        level = check_number("suspects", "false_alarms", false_alarms, positive=True, below=1)
        return found_suspects(self, level)

    def accept(self, risk: float = 0.05, delta: float = 0.1) -> Acceptance:
        """The rows whose labels may be used at a risk; the others need a second look.

        With probability ``1 - delta`` over the draw of the answers, at most a share `risk` of the
        accepted labels is wrong. Thresholds are tested in a fixed sequence, by exact binomial
        tests, or by bets where labels are right in part (orders and tags: the share of wrong pairs
        or bits). Promised for the labels as they were recovered, of rows with several candidates;
        those with a single one are accepted as they are.

        Parameters
        ----------
        risk : float, default 0.05
        delta : float, default 0.1
        """
        return accepted(self, risk, delta)

    def predict_set(
        self,
        X: Any = None,
        coverage: float = 0.9,
        *,
        meaning: str = "meets",
        classwise: bool = False,
    ) -> Any:
        """Sets of targets that hold what `meaning` says in a share `coverage` of rows.

        For new rows X, or inside their sets for the examined rows (X is None). The promise is exact
        if the examined rows took no part in the fit (`is_split`) and new rows come from the same
        source; from folds it is approximate.

        Parameters
        ----------
        X : array-like (q, d), optional
        coverage : float, default 0.9
        meaning : {"meets", "contains", "truth"}, default "meets"
            The predicted set has a member in common with the candidate set of the row, contains it
            whole, or contains the true target, which needs answers: ``n`` of them promise at most
            ``1 - 1 / (n + 1)``.
        classwise : bool, default False
            Whether the promise is to hold for the rows of every class, for labels and "truth"; it
            needs so many answers of each class. A class with fewer is in every set.
        """
        check_number("predict_set", "coverage", coverage, positive=True, below=1)
        check_choice("predict_set", "meaning", meaning, (*MEANINGS, "truth"))
        if meaning == "truth":
            require_answers(self.answers, coverage)
        elif classwise:
            raise ValueError(
                "predict_set: classwise=True needs the true classes of answers: meaning='truth'."
            )
        return self._predicted_set(X, coverage, meaning, classwise)
