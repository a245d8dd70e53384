"""From what a user writes to a loss between orders."""

from typing import Any

from sklearn.base import clone

from disambig.losses.dcg import DCGLoss
from disambig.losses.footrule import FootruleLoss
from disambig.losses.kendall import KendallLoss
from disambig.losses.order_loss import BoundOrderLoss, OrderLoss
from disambig.notation import AnyArray

__all__ = ["bind_order_loss"]

_NAMES: dict[str, OrderLoss] = {
    "kendall": KendallLoss(),
    "footrule": FootruleLoss(),
    "dcg": DCGLoss(),
}


def bind_order_loss(loss: Any, items: AnyArray) -> BoundOrderLoss:
    """The loss that a name or a piece (which is cloned) means, on these items.

    Examples
    --------
    >>> import numpy as np
    >>> bind_order_loss("footrule", np.array(["a", "b"])).n_items
    2
    """
    choices = ", ".join(repr(name) for name in _NAMES)
    if isinstance(loss, str):
        if loss not in _NAMES:
            raise ValueError(
                f"loss={loss!r} is not known; choose one of {choices}, or a piece such as "
                "disambig.losses.KendallLoss."
            )
        return _NAMES[loss].bind(items)
    bound = clone(loss).bind(items) if isinstance(loss, OrderLoss) else None
    if not isinstance(bound, BoundOrderLoss):
        raise TypeError(
            f"loss must be one of {choices}, or a loss between orders such as "
            f"disambig.losses.KendallLoss; got {type(loss).__name__}."
        )
    return bound
