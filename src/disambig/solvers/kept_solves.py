"""Solves whose states are kept in a folder, whatever else is solved meanwhile.

A fit solves many problems: trials on samples, and then that of all rows. Only solves over votes in
blocks keep their states. Each has a folder of its own, named by a key of all that decides about its
steps, so that a fit that is repeated finds them in any order.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses.labels.finite import FiniteLoss
from disambig.problem import Problem
from disambig.solvers.checkpoints import checkpoint_key, checkpoints
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.stored.folder import StoredBlock


class _Place(NamedTuple):
    """Where states are kept, the seconds between two writes, and what votes are made of."""

    folder: Path
    interval: float
    origin: str


_PLACE: ContextVar[_Place | None] = ContextVar("_PLACE", default=None)


@contextmanager
def keeping_solves(folder: Path, interval: float = 60.0, origin: str = "") -> Iterator[None]:
    """Keep the states of solves over votes in blocks, inside the block.

    Parameters
    ----------
    folder : Path
    interval : float
        Seconds between two writes in a run.
    origin : str
        What the votes are made of; blocks in files have checksums, and need none.

    Examples
    --------
    >>> from pathlib import Path
    >>> with keeping_solves(Path("states")):
    ...     pass
    """
    token = _PLACE.set(_Place(folder, interval, origin))
    try:
        yield
    finally:
        _PLACE.reset(token)


def kept_solve(problem: Any, solver: Any, start: Any) -> AbstractContextManager[Any]:
    """What the solve of a problem runs in: it keeps its states if it is to, and takes kept ones.

    Parameters
    ----------
    problem : Problem or NumberProblem
    solver : Solver
    start : Solution or None
    """
    place = _PLACE.get()
    votes = getattr(problem, "votes", None)
    if place is None or start is not None or not isinstance(votes, RowBlocks):
        return nullcontext()
    blocks = list(votes.blocks)
    if not (
        isinstance(problem, Problem)
        and isinstance(problem.loss, FiniteLoss)
        and type(problem.candidates) is LabelSets
        and (place.origin or all(isinstance(block, StoredBlock) for block in blocks))
    ):
        return nullcontext()
    first = getattr(solver, "start", None)
    key = checkpoint_key(
        [
            place.origin or [(block.checksum, block.n_rows, block.n_columns) for block in blocks],
            problem.prediction_tolerance,
            problem.target_tolerance,
            problem.sample_weight,
            problem.candidates.mask,
            problem.candidates.weights,
            problem.loss.matrix,
            first if isinstance(first, np.ndarray) else None,
            solver,
        ]
    )
    return checkpoints(place.folder / key[:16], key, place.interval)
