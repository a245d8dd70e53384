"""Alternating minimisation of several problems over the same votes, step by step together.

Several problems over the same votes, relaxed in one run.

Several problems on every fold of the same rows, from one fit of the weights.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.losses.embeddings import IdentityEmbedding
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.votes import DeletedVotes, DenseVotes, Votes
from disambig.votes.dense import SymmetricArray
from reproduce.batch.kernels import label_step
from reproduce.batch.running_product import RunningProduct

_ZERO_ONE = np.zeros((0, 0))
_EVERYTHING = np.zeros((0, 0, 0), dtype=np.bool_)
# A bound on a scale is of its order if it is no more than this many times as large.
_SAME_ORDER = 4.0


@dataclass(frozen=True, eq=False)
class JointStart:
    """Where each problem begins.

    Parameters
    ----------
    values : float array (B, n, P)
        Score matrices of the loss; under the 0-1 loss votes for classes instead of against them:
        the same differences, and already the laws of the rows that have one candidate.
    sizes : float array (B, n)
        The largest score of each row.
    product : float array (B, n, P), or None
        What the votes make of the values, if that is known.
    """

    values: FloatArray
    sizes: FloatArray
    product: FloatArray | None = None

    @classmethod
    def of(
        cls, loss: FiniteLoss, problems: Sequence[LabelSets], start: str | Sequence[str]
    ) -> "JointStart":
        """By the name of a start of the loss, or one name for each problem."""
        names = [start] * len(problems) if isinstance(start, str) else list(start)
        if len(names) != len(problems):
            raise ValueError(
                f"start has {len(names)} names for {len(problems)} problems; give one name, or one "
                "for each problem."
            )
        scores = np.array([loss.start(*both) for both in zip(problems, names, strict=True)])
        sizes = np.abs(scores).max(axis=2)
        if loss.is_zero_one:
            scores = scores.max(axis=2, keepdims=True) - scores
        return cls(scores, sizes)

    def multiplied(self, whole: SymmetricArray) -> "JointStart":
        """With what `whole`, (n, n), makes of the values: for `at`."""
        blocks, n, p = self.values.shape
        product = whole @ self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        return JointStart(self.values, self.sizes, product)

    def at(self, rows: IntArray, votes: Votes) -> "JointStart":
        """Of some of the rows, with what the votes among them make of the values if it is known."""
        values, sizes = self.values[:, rows], self.sizes[:, rows]
        if self.product is None or not isinstance(votes, DeletedVotes):
            return JointStart(values, sizes)
        blocks, n, p = self.values.shape
        wide = self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        product = votes.known_product(wide, self.product).reshape(len(rows), blocks, p)
        return JointStart(values, sizes, np.ascontiguousarray(product.transpose(1, 0, 2)))


class Side:
    """The faces of one side, targets or predictions, of every problem."""

    def __init__(self, shape: tuple[int, ...], table: FloatArray, allowed: BoolArray) -> None:
        self.mask = np.zeros(shape, dtype=np.bool_)
        self.law = np.zeros(shape)
        self.paid = np.zeros(shape[0])
        self.table = table
        self.allowed = allowed

    def answer(
        self,
        blocks: IntArray,
        heard: FloatArray,
        tolerance: FloatArray,
        *,
        grow: bool,
        table: FloatArray | None = None,
    ) -> IntArray:
        """How many rows of each problem moved; see `label_step`."""
        # Products remember the laws that they were made of.
        self.law = self.law.copy()
        return label_step(
            blocks,
            heard,
            self.table if table is None else table,
            self.allowed,
            tolerance,
            grow,
            self.mask,
            self.law,
            self.paid,
        )


class JointRun:
    """`Descent` of several problems: the same faces, found with one product for all.

    Parameters
    ----------
    problem : Problem
        The votes, the loss, the tolerance, and any one of the problems.
    loss : FiniteLoss
        That of the problem.
    allowed : bool array (B, n, K)
        The candidates of each problem.
    """

    def __init__(self, problem: Problem, loss: FiniteLoss, allowed: BoolArray) -> None:
        shape = allowed.shape[:2]
        tables = loss.matrix.copy(), loss.matrix.T.copy()
        if loss.is_zero_one:
            tables = _ZERO_ONE, _ZERO_ONE
        self.problem, self.loss = problem, loss
        self.predictions = Side((*shape, len(loss.predictions)), tables[0], _EVERYTHING)
        self.targets = Side((*shape, len(loss.classes)), tables[1], allowed)
        self._heard_targets = RunningProduct(problem.votes)
        self._heard_predictions = RunningProduct(problem.transposed)
        self._tolerance = np.tile(problem.rtol * problem.prediction_scale, (shape[0], 1))
        self._target_tolerance = np.tile(problem.rtol * problem.target_scale, (shape[0], 1))

    def begin(self, start: JointStart) -> None:
        """The first predictions, and the targets that answer them."""
        running = RunningProduct(self.problem.votes)
        if start.product is not None:
            running.know(start.values, start.product)
        scores = running(start.values)
        if self.loss.is_zero_one:
            self._heard_targets = running
            if self.problem.transposed is self.problem.votes:
                self._heard_predictions = running.copy()
        self._choose_first(scores, start.sizes)
        every = np.arange(len(scores))
        heard = self._heard_predictions(self.predictions.law)
        self.targets.answer(every, heard, self._target_tolerance, grow=False)

    def step(self, active: IntArray) -> IntArray:
        """A prediction step and a target step of some problems; those that have not settled."""
        heard = self._heard_targets(self.targets.law)
        moved = self.predictions.answer(active, heard, self._tolerance, grow=True)
        active = active[moved[active] > 0]
        if active.size:
            heard = self._heard_predictions(self.predictions.law)
            self.targets.answer(active, heard, self._target_tolerance, grow=True)
        return active

    def _choose_first(self, scores: FloatArray, sizes: FloatArray) -> None:
        # The scale of rounding follows the start: a row that says nothing hides nobody.
        votes, rtol = self.problem.votes, self.problem.rtol
        bound = rtol * sizes.max(axis=1)[:, None] * votes.absolute_row_sums()
        table = None if self.loss.is_zero_one else np.eye(scores.shape[2])
        side, every = self.predictions, np.arange(len(scores))
        side.answer(every, scores, bound, grow=False, table=table)
        # Without a tie under the bound there is none under what it bounds.
        tied = (side.mask.sum(axis=2) > 1).any(axis=1)
        coarse = sizes.min(axis=1) * _SAME_ORDER < sizes.max(axis=1)
        asked = np.flatnonzero(tied & coarse)
        if asked.size:
            bound[asked] = rtol * _several_sums(votes, sizes[asked])
            side.answer(asked, scores, bound, grow=False, table=table)


def _several_sums(votes: Votes, scales: FloatArray) -> FloatArray:
    """``|alpha| @ scales[b]`` for each b, (blocks, n)."""
    if isinstance(votes, (DeletedVotes, DenseVotes)):
        # One pass over the entries serves all.
        return np.ascontiguousarray(votes.absolute_row_sums(scales.T).T)
    return np.array([votes.absolute_row_sums(each) for each in scales])


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Targets at which neither half step finds anything to change; undecided rows stay so.

    Parameters
    ----------
    targets, predictions : LabelFaces
        ``targets.distribution`` is what a predictor should learn from.
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
    """Alternating minimisation of each problem, as `AlternatingMinimization` has it, all at once.

    For sweeps: levels of corruption, candidate sets, resamplings. The half steps of all problems
    are one product with the votes, of which only what changed is brought up to date. What is left
    undecided is not decoded: predictions are made from the relaxed targets, and decoding takes
    longer than everything before it.

    Parameters
    ----------
    votes : Votes (n, n)
    loss : FiniteLoss
        A loss bound to the classes, which all problems share.
    problems : sequence of LabelSets, n rows each
        Best in an order in which neighbours are alike.
    start : {"average", "infimum"}, or one for each problem, default "average"
        Several starts of one problem are that problem several times.
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

    Two starts of the first, of which the better is kept:

    >>> twice, loss = [problems[0]] * 2, ZeroOneLoss().bind(problems[0].classes)
    >>> both = relax_together(votes, loss, twice, start=["average", "infimum"])
    >>> min(both, key=lambda relaxation: relaxation.objective).targets.outputs.tolist()
    [0, 0, 1]
    """
    if not problems:
        return []
    check_problems(votes.shape[0], loss, problems)
    begun = JointStart.of(loss, problems, start)
    run = JointRun(Problem(votes, loss, problems[0], tie_tolerance), loss, stacked_masks(problems))
    return relax_from(begun, run, loss, max_iter)


def stacked_masks(problems: Sequence[LabelSets]) -> BoolArray:
    """The candidates of each problem, (problems, n, K)."""
    return np.array([sets.mask for sets in problems])


def relax_from(
    start: JointStart, run: JointRun, loss: FiniteLoss, max_iter: int
) -> list[Relaxation]:
    """The same from a start that may be known better."""
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
            float(run.targets.paid[b]),
            int(n_iter[b]),
            b not in active,
        )
        for b in range(len(n_iter))
    ]


def check_problems(n: int, loss: FiniteLoss, problems: Sequence[LabelSets]) -> None:
    """Refuse problems of other rows than the votes, or of other classes than the loss."""
    for t, sets in enumerate(problems):
        if len(sets) != n:
            raise ValueError(
                f"Problem {t} has {len(sets)} rows, and votes are among {n}; expected as many."
            )
        if not np.array_equal(sets.classes, loss.classes):
            raise ValueError(
                f"Problem {t} has other classes than the loss. Bring all problems to the same "
                "classes first, by `sets.with_classes(classes)`."
            )


class Fold(Protocol):
    """A fitted weighting that rows were taken out of."""

    def training_votes(self) -> Votes:
        """``alpha`` among the rows that stayed."""
        ...

    def left_out_votes(self) -> Votes:
        """``alpha`` at the rows that left."""
        ...


class Foldable(Protocol):
    """A fitted weighting that rows can be taken out of."""

    def without(self, rows: IntArray) -> Fold:
        """The same weighting fitted on the other rows."""
        ...


@dataclass(frozen=True, eq=False)
class FoldRelaxation:
    """What `relax_folds` finds on one fold.

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

    Everything that the folds have in common is done once: the weights are fitted on all rows, and
    a fold takes its rows out in closed form (``weights.without(test)``). The ridge ``n lam`` is
    that of all rows: for the same as a fit on the training rows at ``lam``, fit at
    ``lam * len(train) / n``.

    Parameters
    ----------
    weights : fitted piece with ``without(rows)``, `KernelRidgeWeights` for one
    folds : iterable of (train, test)
        As from the ``split`` of scikit-learn's splitters; `train` must be all rows but `test`.
    loss, problems, start, max_iter, tie_tolerance
        As in `relax_together`, problems on all rows.

    Yields
    ------
    FoldRelaxation

    Examples
    --------
    >>> import numpy as np
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
    masks = stacked_masks(problems)
    for given, test in folds:
        train = np.sort(given)
        piece = weights.without(test)
        votes = piece.training_votes()
        if votes.shape[0] != train.size or train.size + len(test) != n:
            raise ValueError(
                f"relax_folds: a fold has {train.size} training rows and {len(test)} test rows, "
                f"the weights {votes.shape[0] + len(test)} rows and the problems {n}; all rows but "
                "the test rows must be trained on."
            )
        if isinstance(votes, DeletedVotes) and begun.product is None:
            begun = begun.multiplied(votes.whole)
        problem = Problem(votes, loss, problems[0][train], tie_tolerance)
        run = JointRun(problem, loss, masks[:, train])
        found = relax_from(begun.at(train, votes), run, loss, max_iter)
        yield FoldRelaxation(train, np.asarray(test), piece.left_out_votes(), found)
