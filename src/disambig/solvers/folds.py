"""Several problems on every fold of the same rows, from one fit of the weights."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disambig.candidates.label_sets import LabelSets
from disambig.losses.finite import FiniteLoss
from disambig.notation import IntArray
from disambig.problem import Problem
from disambig.solvers.joint_run import JointRun, JointStart
from disambig.solvers.together import Relaxation, check_problems, relax_from, stacked_masks
from disambig.votes import DeletedVotes, Votes

__all__ = ["FoldRelaxation", "Foldable", "relax_folds"]


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
