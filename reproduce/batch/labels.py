"""Alternating minimisation of several label problems over the same votes, in one run.

`relax_together` solves several problems, `relax_folds` does so on every fold of the rows from one
fit of the weights. The half steps of all problems are one product with the votes (`RunningProduct`)
and one compiled step (`label_step`). The iterates are those of `Descent` on each problem.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.losses.labels.faces import IdentityEmbedding, LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.votes import Votes
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes, SymmetricArray
from reproduce.batch.kernels import label_step
from reproduce.batch.running_product import RunningProduct

# Arguments of `label_step`: an empty table is the 0-1 loss, an empty mask allows all vertices.
_ZERO_ONE = np.zeros((0, 0))
_ALL_ALLOWED = np.zeros((0, 0, 0), dtype=np.bool_)
# Ties are checked again with exact tolerances if sizes of a start differ by more than this factor.
_MAX_SCALE_RATIO = 4.0


@dataclass(frozen=True, eq=False)
class JointStart:
    """The starts of several problems.

    Parameters
    ----------
    values : float array (B, n, P)
        Score matrices of the loss. Under the 0-1 loss they are scores for classes instead of
        costs: differences are the same, and rows with one candidate have its distribution.
    sizes : float array (B, n)
        The largest absolute score of each row.
    product : float array (B, n, P), or None
        The product of the votes with the values, if it is known.
    """

    values: FloatArray
    sizes: FloatArray
    product: FloatArray | None = None

    @classmethod
    def of(
        cls, loss: FiniteLoss, problems: Sequence[LabelSets], start: str | Sequence[str]
    ) -> "JointStart":
        """The starts with the name `start`, or with one name for each problem."""
        names = [start] * len(problems) if isinstance(start, str) else list(start)
        if len(names) != len(problems):
            raise ValueError(
                f"start has {len(names)} names for {len(problems)} problems; expected one name, or "
                "one for each problem."
            )
        scores = np.array([loss.start(*both) for both in zip(problems, names, strict=True)])
        sizes = np.abs(scores).max(axis=2)
        if loss.is_zero_one:
            scores = scores.max(axis=2, keepdims=True) - scores
        return cls(scores, sizes)

    def multiplied(self, whole: SymmetricArray) -> "JointStart":
        """The start with the product of all votes, `whole` (n, n), and the values, for `at`."""
        blocks, n, p = self.values.shape
        product = whole @ self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        return JointStart(self.values, self.sizes, product)

    def at(self, rows: IntArray, votes: Votes) -> "JointStart":
        """The start of some rows, with the product of the votes among them if it can be derived."""
        values, sizes = self.values[:, rows], self.sizes[:, rows]
        if self.product is None or not isinstance(votes, DeletedVotes):
            return JointStart(values, sizes)
        blocks, n, p = self.values.shape
        wide = self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        product = votes.known_product(wide, self.product).reshape(len(rows), blocks, p)
        return JointStart(values, sizes, np.ascontiguousarray(product.transpose(1, 0, 2)))


class Side:
    """The faces of the targets, or of the predictions, of every problem."""

    def __init__(self, shape: tuple[int, ...], table: FloatArray, allowed: BoolArray) -> None:
        self.mask = np.zeros(shape, dtype=np.bool_)
        self.distribution = np.zeros(shape)
        self.total_cost = np.zeros(shape[0])
        self.table, self.allowed = table, allowed

    def update(
        self,
        blocks: IntArray,
        scores: FloatArray,
        tolerance: FloatArray,
        *,
        grow: bool,
        table: FloatArray | None = None,
    ) -> IntArray:
        """Update the faces and return how many rows of each problem moved; see `label_step`."""
        # `RunningProduct` keeps the array that it multiplied, so changes go to a copy.
        self.distribution = self.distribution.copy()
        costs = self.table if table is None else table
        faces = self.mask, self.distribution, self.total_cost
        return label_step(blocks, scores, costs, self.allowed, tolerance, grow, *faces)


class JointRun:
    """`Descent` of several problems: the same faces, from one product for all problems.

    `problem` is any one of them, for the common votes, loss and tolerance. `allowed` are the
    candidates of each problem, (B, n, K).
    """

    def __init__(self, problem: Problem, loss: FiniteLoss, allowed: BoolArray) -> None:
        shape = allowed.shape[:2]
        tables = loss.matrix.copy(), loss.matrix.T.copy()
        if loss.is_zero_one:
            tables = _ZERO_ONE, _ZERO_ONE
        self.problem, self.loss = problem, loss
        self.predictions = Side((*shape, len(loss.predictions)), tables[0], _ALL_ALLOWED)
        self.targets = Side((*shape, len(loss.classes)), tables[1], allowed)
        self._prediction_scores = RunningProduct(problem.votes)
        self._target_scores = RunningProduct(problem.transposed)
        self._tolerance = np.tile(problem.rtol * problem.prediction_scale, (shape[0], 1))
        self._target_tolerance = np.tile(problem.rtol * problem.target_scale, (shape[0], 1))

    def begin(self, start: JointStart) -> None:
        """Choose the first predictions, and the targets for them."""
        running = RunningProduct(self.problem.votes)
        if start.product is not None:
            running.set_known(start.values, start.product)
        scores = running(start.values)
        if self.loss.is_zero_one:
            self._prediction_scores = running
            if self.problem.transposed is self.problem.votes:
                self._target_scores = running.copy()
        self._choose_first(scores, start.sizes)
        every = np.arange(len(scores))
        scores = self._target_scores(self.predictions.distribution)
        self.targets.update(every, scores, self._target_tolerance, grow=False)

    def step(self, active: IntArray) -> IntArray:
        """A prediction step and a target step of some problems; returns those that moved."""
        scores = self._prediction_scores(self.targets.distribution)
        moved = self.predictions.update(active, scores, self._tolerance, grow=True)
        active = active[moved[active] > 0]
        if active.size:
            scores = self._target_scores(self.predictions.distribution)
            self.targets.update(active, scores, self._target_tolerance, grow=True)
        return active

    def _choose_first(self, scores: FloatArray, sizes: FloatArray) -> None:
        # First with an upper bound on the tolerance, which is cheap to compute: all rows
        # take the largest size of the start.
        votes, rtol = self.problem.votes, self.problem.rtol
        bound = rtol * sizes.max(axis=1)[:, None] * votes.absolute_row_sums()
        table = None if self.loss.is_zero_one else np.eye(scores.shape[2])
        side, every = self.predictions, np.arange(len(scores))
        side.update(every, scores, bound, grow=False, table=table)
        # Without a tie under the bound there is none under the exact tolerance.
        tied = (side.mask.sum(axis=2) > 1).any(axis=1)
        coarse = sizes.min(axis=1) * _MAX_SCALE_RATIO < sizes.max(axis=1)
        rechecked = np.flatnonzero(tied & coarse)
        if rechecked.size:
            bound[rechecked] = rtol * _weighted_absolute_sums(votes, sizes[rechecked])
            side.update(rechecked, scores, bound, grow=False, table=table)


def _weighted_absolute_sums(votes: Votes, scales: FloatArray) -> FloatArray:
    """``|alpha| @ scales[b]`` for each b, (blocks, n)."""
    if isinstance(votes, (DeletedVotes, DenseVotes)):
        # One pass over the entries serves all blocks.
        return np.ascontiguousarray(votes.absolute_row_sums(scales.T).T)
    return np.array([votes.absolute_row_sums(each) for each in scales])


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Targets that neither half step changes; undecided rows are not decoded.

    Parameters
    ----------
    targets, predictions : LabelFaces
        A predictor should learn from ``targets.distribution``.
    objective : float
    n_iter : int
    converged : bool
    """

    targets: LabelFaces
    predictions: LabelFaces
    objective: float
    n_iter: int
    converged: bool


def relax_together(
    votes: Votes,
    loss: FiniteLoss,
    problems: Sequence[LabelSets],
    *,
    start: str | Sequence[str] = "average",
    max_iter: int = 300,
    tie_tolerance: float | None = None,
) -> list[Relaxation]:
    """Alternating minimisation of all problems at once, each as in `AlternatingMinimization`.

    Use it for sweeps: levels of corruption, candidate sets, resamplings. The half steps of all
    problems are one product with the votes, of which only the changes are computed. Undecided rows
    are not decoded: predictions use the relaxed targets, and decoding takes longer than everything
    before it.

    Parameters
    ----------
    votes : Votes (n, n)
    loss : FiniteLoss
        A loss bound to the classes of all problems.
    problems : sequence of LabelSets, n rows each
        Fastest in an order in which consecutive problems are similar.
    start : {"average", "infimum"}, or one for each problem, default "average"
        For several starts of one problem, give it several times.
    max_iter : int, default 300
        Of each problem.
    tie_tolerance : float, optional
        As in `Problem`.

    Returns
    -------
    list of Relaxation
        One for each problem.

    Examples
    --------
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.votes import as_votes
    >>> votes = as_votes([[0.5, 0.5, 0.0], [0.4, 0.4, 0.2], [0.0, 0.0, 1.0]])
    >>> problems = [
    ...     LabelSets.from_sets([{"a"}, {"a", "b"}, {"b"}]),
    ...     LabelSets.from_sets([{"b"}, {"a", "b"}, {"a"}]),
    ... ]
    >>> found = relax_together(votes, ZeroOneLoss().bind(problems[0].classes), problems)
    >>> [relaxation.targets.outputs.tolist() for relaxation in found]
    [[0, 0, 1], [1, 1, 0]]

    Two starts of the first problem; the better result is kept:

    >>> twice, loss = [problems[0]] * 2, ZeroOneLoss().bind(problems[0].classes)
    >>> both = relax_together(votes, loss, twice, start=["average", "infimum"])
    >>> min(both, key=lambda relaxation: relaxation.objective).targets.outputs.tolist()
    [0, 0, 1]
    """
    if not problems:
        return []
    check_problems(votes.shape[0], loss, problems)
    begun = JointStart.of(loss, problems, start)
    masks = np.array([sets.mask for sets in problems])
    run = JointRun(Problem(votes, loss, problems[0], tie_tolerance), loss, masks)
    return relax_from(begun, run, loss, max_iter)


def relax_from(
    start: JointStart, run: JointRun, loss: FiniteLoss, max_iter: int
) -> list[Relaxation]:
    """`relax_together` from a given start."""
    run.begin(start)
    active = np.arange(len(start.values))
    n_iter = np.zeros(len(active), dtype=np.intp)
    for _ in range(max_iter):
        n_iter[active] += 1
        active = run.step(active)
        if not active.size:
            break
    return [
        Relaxation(
            loss.target_faces(run.targets.mask[b]),
            LabelFaces(run.predictions.mask[b], IdentityEmbedding()),
            float(run.targets.total_cost[b]),
            int(n_iter[b]),
            b not in active,
        )
        for b in range(len(n_iter))
    ]


def check_problems(n: int, loss: FiniteLoss, problems: Sequence[LabelSets]) -> None:
    """Raise an error unless all problems have the rows of the votes and the classes of the loss."""
    for t, sets in enumerate(problems):
        if len(sets) != n:
            raise ValueError(f"Problem {t} has {len(sets)} rows; expected {n}, as the votes have.")
        if not np.array_equal(sets.classes, loss.classes):
            raise ValueError(
                f"Problem {t} has other classes than the loss. Use `sets.with_classes(classes)` "
                "for all problems."
            )


class Fold(Protocol):
    """A fitted weighting from which rows were removed."""

    def training_votes(self) -> Votes:
        """``alpha`` among the remaining rows."""

    def left_out_votes(self) -> Votes:
        """``alpha`` at the removed rows."""


class Foldable(Protocol):
    """A fitted weighting from which rows can be removed."""

    def without(self, rows: IntArray) -> Fold:
        """The same weighting fitted on the other rows."""


@dataclass(frozen=True, eq=False)
class FoldRelaxation:
    """The result of `relax_folds` on one fold.

    Parameters
    ----------
    train, test : int arrays
        Rows, those of `train` in increasing order.
    votes : Votes (len(test), len(train))
        At the test rows.
    relaxations : list of Relaxation
        One for each problem.
    """

    train: IntArray
    test: IntArray
    votes: Votes
    relaxations: list[Relaxation]


def relax_folds(
    weights: Foldable,
    folds: Iterable[tuple[IntArray, IntArray]],
    loss: FiniteLoss,
    problems: Sequence[LabelSets],
    *,
    start: str | Sequence[str] = "average",
    max_iter: int = 300,
    tie_tolerance: float | None = None,
) -> Iterator[FoldRelaxation]:
    """`relax_together` on the training rows of every fold, from one fit on all rows.

    What the folds have in common is computed once: the weights are fitted on all rows, and the test
    rows of a fold are removed in closed form (``weights.without(test)``). The ridge ``n lam`` is
    that of all rows. To get the fit on the training rows at ``lam``, fit at
    ``lam * len(train) / n``.

    Parameters
    ----------
    weights : fitted weighting with ``without(rows)``, such as `KernelRidgeWeights`
    folds : iterable of (train, test)
        As from the ``split`` of scikit-learn's splitters; `train` must be all rows but `test`.
    loss, problems, start, max_iter, tie_tolerance
        As in `relax_together`, problems on all rows.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.weights import KernelRidgeWeights
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}, {"a"}, {"b"}, {"b"}, {"a", "b"}])
    >>> weights = KernelRidgeWeights(bandwidth=1.0).fit(X)
    >>> loss, folds = ZeroOneLoss().bind(sets.classes), KFold(3, shuffle=True, random_state=0)
    >>> for fold in relax_folds(weights, folds.split(X), loss, [sets]):
    ...     scores = fold.votes @ fold.relaxations[0].targets.distribution
    ...     print(fold.test, scores.argmax(axis=1))
    [2 5] [0 1]
    [1 3] [0 1]
    [0 4] [0 1]
    """
    if not problems:
        raise ValueError("relax_folds: no problems were given; give at least one.")
    n = len(problems[0])
    check_problems(n, loss, problems)
    begun = JointStart.of(loss, problems, start)
    masks = np.array([sets.mask for sets in problems])
    for given, test in folds:
        train = np.sort(given)
        fold_weights = weights.without(test)
        votes = fold_weights.training_votes()
        if votes.shape[0] != train.size or train.size + len(test) != n:
            raise ValueError(
                f"relax_folds: a fold has {train.size} training rows and {len(test)} test rows, "
                f"the weights {votes.shape[0] + len(test)} rows and the problems {n}; expected all "
                "rows but the test rows as training rows."
            )
        if isinstance(votes, DeletedVotes) and begun.product is None:
            begun = begun.multiplied(votes.whole)
        problem = Problem(votes, loss, problems[0][train], tie_tolerance)
        run = JointRun(problem, loss, masks[:, train])
        found = relax_from(begun.at(train, votes), run, loss, max_iter)
        yield FoldRelaxation(train, np.asarray(test), fold_weights.left_out_votes(), found)
