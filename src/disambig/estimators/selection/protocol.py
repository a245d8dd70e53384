"""What a kind of target provides to the selection, and what the selection records.

The procedure in `search.py` is the same for labels, bits, orders and numbers. A kind provides its
candidate sets, the list of what is tried, and the scores of predictions at hidden sets.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from disambig.estimators.rows.kept import take_inputs
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# With fewer informative rows the best of so many weightings is found by chance.
MIN_INFORMATIVE_ROWS = 30


class Score(NamedTuple):
    """The held-out loss of predictions at hidden sets.

    Attributes
    ----------
    loss : float
        The mean of ``min_{y in s_i} loss(z_i, y)``; for the 0-1 loss the share of missed sets.
    value : float
        What the selection minimises: `loss` in units of the largest loss, plus what a kind adds to
        separate equal losses, such as a log loss of small weight.
    error : float
        The standard error of `loss`, in units of the largest loss. Rows of unequal weights count as
        the number of rows of equal weights with the same error, ``(sum w)^2 / sum w^2``.
    """

    loss: float
    value: float
    error: float


class Trial(NamedTuple):
    """One choice of weights and solver with its held-out loss.

    Attributes
    ----------
    weights : Weights or estimator
        What ``weights=`` of the estimator accepts: a weighting, or an estimator that is a member
        of a mixture.
    solver : Solver or None
        None for a baseline, which has no solver, and for a member, which has its own.
    held_out_loss : float
        Mean loss of predictions to the nearest members of the hidden sets.
    score : float
        The criterion of the selection, lower is better; see `Score` and the kind.
    completion : str
        How inputs with holes were completed; empty if X has none.
    """

    weights: Any
    solver: Any
    held_out_loss: float
    score: float
    completion: str = ""


class HeldOutTrial(NamedTuple):
    """A trial of an entry, and the held-out predictions of the scored rows if they can be mixed."""

    entry: Hashable
    trial: Trial
    predictions: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class SelectionSample:
    """The rows on which trials are run; ``fold_numbers % n_folds`` are their folds.

    Attributes
    ----------
    X : (rows, d)
    kind : SelectionKind
        Of these rows.
    sample_weight : float (rows,)
    fold_numbers : int (rows,)
        Equal for rows that are hidden together.
    n_landmarks : int or None
        Of kernels on all rows; None if the kernel matrix of all rows is affordable.
    """

    X: Any
    kind: "SelectionKind"
    sample_weight: FloatArray
    fold_numbers: IntArray
    n_landmarks: int | None

    def first(self, limit: int) -> "SelectionSample":
        """The first rows, at most `limit`."""
        rows = np.arange(min(limit, len(self.fold_numbers)))
        return SelectionSample(
            take_inputs(self.X, rows, None),
            self.kind.take(rows),
            self.sample_weight[rows],
            self.fold_numbers[rows],
            self.n_landmarks,
        )


class SelectionKind(Protocol):
    """What a kind of target provides to the selection, for some rows."""

    @property
    def informative(self) -> BoolArray:
        """Rows whose set excludes something, ``(n,)``."""
        ...

    @property
    def width(self) -> int:
        """Numbers per row of a table of scores: with many, the sample has fewer rows."""
        ...

    @property
    def exclusion(self) -> str:
        """What an informative row does, for messages: "exclude a class"."""
        ...

    @property
    def together(self) -> IntArray | None:
        """Numbers ``(n,)``: of rows with equal numbers a sample takes all or none; None: any."""
        ...

    def take(self, rows: IntArray) -> Self:
        """The same for some rows."""
        ...

    def keys(self) -> list[AnyArray]:
        """Byte tables ``(n, b)``: rows with equal inputs and equal keys are copies."""
        ...

    def table(self) -> FloatArray:
        """Numbers ``(n, k)`` that summarise the sets; feature scales are learned from them."""
        ...

    def entries(self, space: Any, has_scales: bool) -> Sequence[Hashable]:
        """What is tried, in order: of equal scores the first wins."""
        ...

    def run_trials(
        self,
        space: Any,
        sample: SelectionSample,
        scales: FloatArray | None,
        entries: Iterable[Hashable],
    ) -> Iterator[HeldOutTrial]:
        """All trials of these entries on a sample, whose kind this is."""
        ...

    def family_of(self, held_out: HeldOutTrial) -> str:
        """The family of a trial; "landmarks" for kernels of low rank.

        Within a family, trials rank on all rows much as they do on few.
        """
        ...

    def compare(
        self, trials: Iterable[HeldOutTrial], X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> list[HeldOutTrial]:
        """The trials with their scores at hidden rows, trained on the other rows, in order."""
        ...

    def are_better(self, trials: Sequence[Trial], sample_weight: FloatArray) -> list[bool]:
        """Whether each trial predicts the hidden sets of these rows better than one constant."""
        ...

    def outside(
        self, X: Any, sample_weight: FloatArray, groups: IntArray, best: Trial
    ) -> Trial | None:
        """A trial outside of the search with a lower held-out loss than its best trial, or None.

        The rows of a group are hidden together.
        """
        ...

    def fallback(self, X: Any, sample_weight: FloatArray, groups: IntArray) -> tuple[Any, Any, str]:
        """Weights and solver where nothing can be selected, and their description."""
        ...


def effective_count(sample_weight: FloatArray) -> float:
    """The number of rows of equal weights whose mean has the same standard error."""
    relative = sample_weight / sample_weight.max()
    return float(relative.sum() ** 2 / (relative @ relative))


def as_counts(sample_weight: FloatArray, used: BoolArray) -> FloatArray:
    """Weights whose sum over some rows is at least the number of rows that they are worth.

    Copies are counts. Weights that were normalised are worth more rows than their sum, and a
    log-likelihood would be in no unit; they are scaled to `effective_count`.

    Examples
    --------
    >>> as_counts(np.full(4, 0.25), np.ones(4, dtype=bool)).tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> as_counts(np.array([2.0, 3.0]), np.ones(2, dtype=bool)).tolist()
    [2.0, 3.0]
    """
    taken = sample_weight[used]
    return sample_weight * max(1.0, effective_count(taken) / float(taken.sum()))


def mean_score(losses: FloatArray, sample_weight: FloatArray, largest: float = 1.0) -> Score:
    """The score of the losses ``(n,)`` of scored rows, in units of the largest loss.

    Examples
    --------
    >>> mean_score(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))
    Score(loss=0.5, value=0.5, error=0.25)
    """
    loss = float(np.average(losses, weights=sample_weight))
    variance = float(np.average((losses - loss) ** 2, weights=sample_weight))
    error = float(np.sqrt(variance / effective_count(sample_weight)))
    return Score(loss, loss / largest, error / largest)
