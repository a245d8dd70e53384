"""The judgement of a fit of labels, kept for whoever examines the same rows next.

`confidence_` comes from folds in which sets were hidden, and so does the examination of these rows.
If both deal the same folds, the second is the first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from disambig.notation import BoolArray, IntArray


class KeptJudgement(NamedTuple):
    """What a fit judged, and how.

    Attributes
    ----------
    weights : fitted weighting
        The first judge, which is that of the fit.
    price : float
        At which labels could leave their sets.
    units : int array (n,)
    informative : bool array (n,)
    n_folds : int
        The folds are those of `deal`, by these three.
    found : HeldOutLabels
    """

    weights: Any
    price: float
    units: IntArray
    informative: BoolArray
    n_folds: int
    found: Any


_KEPT: ContextVar[list[KeptJudgement] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def kept_judgements() -> Iterator[list[KeptJudgement]]:
    """A list that has the judgement of the last fit of labels in the block, if there was one."""
    kept: list[KeptJudgement] = []
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


def keep(judgement: KeptJudgement) -> None:
    """Keep a judgement, if it is asked for, in place of an earlier one."""
    kept = _KEPT.get()
    if kept is not None:
        kept[:] = [judgement]
