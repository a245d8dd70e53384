"""Several problems over the same votes, relaxed in one run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.candidates.label_sets import LabelSets
from disambig.losses.embeddings import IdentityEmbedding
from disambig.losses.finite import FiniteLoss
from disambig.losses.label_faces import LabelFaces
from disambig.notation import BoolArray
from disambig.problem import Problem
from disambig.solvers.joint_run import JointRun, JointStart
from disambig.votes import Votes

__all__ = ["Relaxation", "check_problems", "relax_from", "relax_together", "stacked_masks"]


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
