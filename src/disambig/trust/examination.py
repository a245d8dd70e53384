"""What rows that never saw a set say about it: the result of `cross_examine`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from disambig.estimators.conformal import MEANINGS, conformal_threshold, least_rows
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_number
from disambig.trust.abstention import certified_threshold, threshold_grid
from disambig.trust.answers import Answers
from disambig.trust.recalibration import Recalibration, fit_recalibration

# Frozen dataclasses hold arrays that nobody may change.
_READ_ONLY = ("labels", "confidence", "confidence_by_sets", "suspicion")


class Acceptance(NamedTuple):
    """The rows whose labels are accepted at a risk.

    Attributes
    ----------
    rows : bool array (n,)
    threshold : float or None
        The least confidence of an accepted row, before answers recalibrated it; None if nothing
        could be promised, and no row is accepted.
    promise : str

    Examples
    --------
    >>> import numpy as np
    >>> Acceptance(np.array([True, False]), 0.8, "At most 5% of the labels are wrong.").rows.sum()
    np.int64(1)
    """

    rows: BoolArray
    threshold: float | None
    promise: str


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
    recalibration : Recalibration or None
        How answers changed the confidence.

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
    sample_weight: FloatArray | None = None
    answers: Answers | None = None
    recalibration: Recalibration | None = None

    def __post_init__(self) -> None:
        for name in _READ_ONLY:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.confidence)

    def __repr__(self) -> str:
        known = "no answers" if self.answers is None else f"{len(self.answers)} answers"
        return (
            f"{type(self).__name__}({len(self)} rows, mean confidence "
            f"{self.confidence.mean():.3f}, {known})"
        )

    # ------------------------------------------------------------------ what a kind provides

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """The columns of the frame that only this kind has."""

    @abstractmethod
    def _read_answers(self, rows: Any, labels: Any, inclusion: Any) -> Answers:
        """Checked answers, with labels in the form of the kind."""

    @abstractmethod
    def _rightness(self, answers: Answers) -> AnyArray:
        """Whether the recovered labels of the answered rows are right, or how much, from 0 to 1."""

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
    def _predicted_set(self, X: Any, coverage: float, meaning: str, classwise: bool) -> Any:
        """Prediction sets at new inputs, or inside their sets at the examined rows (X is None)."""

    # ------------------------------------------------------------------ shared

    def frame(self) -> Any:
        """One row for each sample, as a pandas DataFrame.

        ``label``, ``confidence`` and ``suspicion`` are there for every kind of target; with
        answers also ``is_answered`` and ``is_outside``, an answer that its set misses.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "frame() needs pandas: pip install pandas. All columns are attributes, too."
            ) from error
        columns: dict[str, Any] = {"label": self._label_column(), "confidence": self.confidence}
        columns |= self._columns()
        columns["suspicion"] = self.suspicion
        if self.answers is not None:
            answered = np.zeros(len(self), dtype=np.bool_)
            outside = np.zeros(len(self), dtype=np.bool_)
            answered[self.answers.rows] = True
            outside[self.answers.rows] = self._is_outside(self.answers)
            columns |= {"is_answered": answered, "is_outside": outside}
        return pd.DataFrame(columns)

    def _label_column(self) -> Any:
        return self.labels

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
        answers = self._read_answers(rows, labels, inclusion)
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
        """Rows and labels with those of the sets that have a single member, and their inclusion.

        All of these are answered, and so stand for themselves; an open row stands for the open rows
        that were not drawn, too.
        """
        given = np.asarray(rows)
        given = np.flatnonzero(given) if given.dtype == np.bool_ else given
        single = self._is_single()
        added = np.setdiff1d(np.flatnonzero(single), given)
        everything = np.concatenate([given, added]).astype(np.intp)
        known = everything[(everything >= 0) & (everything < len(self))]
        n_drawn, n_open = np.count_nonzero(~single[np.unique(known)]), np.count_nonzero(~single)
        share = n_drawn / n_open if n_open else 1.0
        inclusion = np.ones(len(everything))
        if known.size == everything.size:
            inclusion = np.where(single[everything], 1.0, share)
        return everything, [*labels, *self.labels[added].tolist()], inclusion

    def _threshold(
        self, scores: FloatArray, rows: IntArray, coverage: float, answers: Answers | None = None
    ) -> float:
        """The conformal threshold of the scores of rows, by their weights and those of answers."""
        weights = np.ones(len(rows)) if self.sample_weight is None else self.sample_weight[rows]
        used = weights > 0
        new = float(weights[used].mean()) if used.any() else 1.0
        if answers is not None and not answers.is_uniform:
            weights = weights * answers.weights
            # The row that was least likely to be drawn, to be safe.
            new = float(weights[used].max()) if used.any() else 1.0
        if not used.any() or np.ptp(weights[used]) == 0:
            return conformal_threshold(scores[used], coverage)
        return conformal_threshold(scores[used], coverage, weights[used], new)

    @property
    def wrong_share_of_answers(self) -> float | None:
        """The share of answers outside of their sets, weighted; None without answers."""
        if self.answers is None:
            return None
        outside = self._is_outside(self.answers)
        return float(np.average(outside, weights=self.answers.weights))

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
        if self.answers is None:
            raise ValueError(
                "accept needs true labels of some rows, drawn at random: with_answers(rows, "
                "labels) first."
            )
        is_open, before = ~self._is_single(), self.confidence_by_sets
        answers = self.answers.part(is_open[self.answers.rows])
        if not is_open.any():
            promise = "No row has several candidates: every label is that of its set."
            return Acceptance(np.ones(len(self), dtype=np.bool_), None, promise)
        if not answers.is_uniform:
            raise ValueError(
                "accept needs answers that were drawn with equal probabilities; these have "
                "different inclusion probabilities. Draw some rows at random."
            )
        grid = threshold_grid(before[is_open], max(len(answers), 1), risk, delta)
        found = certified_threshold(
            before[answers.rows], self._rightness(answers), risk, delta, grid
        )
        is_accepted = ~is_open
        if found.threshold is not None:
            is_accepted |= before >= found.threshold
        return Acceptance(is_accepted, found.threshold, found.promise)

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
            self._require_answers(coverage)
        elif classwise:
            raise ValueError(
                "predict_set: classwise=True needs the true classes of answers: meaning='truth'."
            )
        return self._predicted_set(X, coverage, meaning, classwise)

    def _require_answers(self, coverage: float) -> None:
        if self.answers is None:
            raise ValueError(
                "predict_set: meaning='truth' needs true targets of some rows: "
                "with_answers(rows, labels) first."
            )
        least = least_rows(coverage)
        if len(self.answers) < least:
            raise ValueError(
                f"predict_set: {len(self.answers)} answers cannot promise a coverage of "
                f"{coverage:g}; {least} are needed. Give more, or lower the coverage to "
                f"{len(self.answers) / (len(self.answers) + 1):.3g} or less."
            )
