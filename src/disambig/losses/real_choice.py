"""From what a user writes to a loss between numbers."""

from typing import Any

from sklearn.base import clone

from disambig.losses.absolute import AbsoluteLoss
from disambig.losses.pinball import PinballLoss
from disambig.losses.real_loss import RealLoss
from disambig.losses.squared import SquaredLoss

__all__ = ["resolve_real_loss"]

_NAMES: dict[str, RealLoss] = {
    "squared": SquaredLoss(),
    "absolute": AbsoluteLoss(),
    "pinball": PinballLoss(),
}


def resolve_real_loss(loss: Any) -> RealLoss:
    """The loss between numbers that a name or a piece (which is cloned) means.

    Examples
    --------
    >>> resolve_real_loss("absolute")
    AbsoluteLoss()
    >>> resolve_real_loss(PinballLoss(quantile=0.9))
    PinballLoss(quantile=0.9)
    """
    choices = ", ".join(repr(name) for name in _NAMES)
    if isinstance(loss, str):
        if loss not in _NAMES:
            raise ValueError(
                f"loss={loss!r} is not known; choose one of {choices}, or a piece such as "
                "disambig.losses.PinballLoss(quantile=0.9)."
            )
        loss = _NAMES[loss]
    if isinstance(loss, type) or not isinstance(loss, RealLoss):
        raise TypeError(
            f"loss must be one of {choices}, or a loss between numbers such as "
            f"disambig.losses.PinballLoss(quantile=0.9); got {type(loss).__name__}."
        )
    piece: RealLoss = clone(loss)
    return piece
