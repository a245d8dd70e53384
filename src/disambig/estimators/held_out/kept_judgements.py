"""The judgement of a fit of labels, kept for whoever examines the same rows next.

`confidence_` comes from folds in which sets were hidden, and so does the examination of these rows.
If both deal the same folds, the second is the first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from disambig.notation import BoolArray, IntArray

if TYPE_CHECKING:
    from disambig.estimators.held_out.hidden_votes import HeldOutLabels


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
    found: "HeldOutLabels"

    def is_of(self, weights: Any, price: float) -> bool:
        """Whether it is that of the fit with these fitted weights, at this price."""
        return weights is self.weights and price == self.price


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
