"""From what a user writes to a loss."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone

from disambig.losses.finite import FiniteLoss
from disambig.losses.matrix import MatrixLoss
from disambig.losses.ordinal import OrdinalLoss
from disambig.losses.zero_one import ZeroOneLoss
from disambig.notation import AnyArray

__all__ = ["LabelLoss", "resolve_loss"]


@runtime_checkable
class LabelLoss(Protocol):
    """A loss on labels before the labels are known: a piece that is bound to classes in fit."""

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes."""
        ...


_NAMES = {
    "zero_one": ZeroOneLoss(),
    "absolute": OrdinalLoss(power=1),
    "squared": OrdinalLoss(power=2),
}


def resolve_loss(loss: Any) -> LabelLoss:
    """A loss piece from a name, a matrix or a piece (which is cloned).

    Examples
    --------
    >>> resolve_loss("zero_one")
    ZeroOneLoss()
    >>> resolve_loss([[0, 1], [5, 0]])
    MatrixLoss(matrix=[[0, 1], [5, 0]])
    """
    if isinstance(loss, str):
        if loss not in _NAMES:
            raise ValueError(
                f"loss={loss!r} is not known; choose one of {sorted(_NAMES)}, a matrix with one "
                "row a prediction and one column a class, or a piece of disambig.losses."
            )
        loss = _NAMES[loss]
    if isinstance(loss, LabelLoss):
        piece: LabelLoss = clone(loss)
        return piece
    if np.ndim(loss) == 2:
        return MatrixLoss(loss)
    raise TypeError(
        f"loss must be a name, a matrix or a piece of disambig.losses; got {type(loss).__name__}."
    )
