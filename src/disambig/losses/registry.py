"""Losses from the ``loss=`` parameter of an estimator: a name, a loss, or for labels a matrix.

One function for each kind of target: `resolve_loss` for labels, `bind_order_loss` for orders,
`bind_bit_loss` for bits and `resolve_number_loss` for numbers. A loss object that the user gives is
cloned.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.f_measure import FMeasureLoss
from disambig.losses.bits.hamming import HammingLoss
from disambig.losses.bits.linear import TopKLoss
from disambig.losses.bits.protocol import BitLoss, BoundBitLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.losses import MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.numbers.pinball import AbsoluteLoss, PinballLoss
from disambig.losses.numbers.protocol import NumberLoss
from disambig.losses.numbers.squared import SquaredLoss
from disambig.losses.orders.kendall import KendallLoss
from disambig.losses.orders.positions import DCGLoss, FootruleLoss
from disambig.losses.orders.protocol import BoundOrderLoss, OrderLoss
from disambig.notation import AnyArray
from disambig.parameters import check_choice, choice_message

_LABEL_LOSSES = {
    "zero_one": ZeroOneLoss(),
    "absolute": OrdinalLoss(power=1),
    "squared": OrdinalLoss(power=2),
}
_OTHER_LABEL_LOSSES = (
    "or a matrix with one row for each prediction and one column for each class, or a loss between "
    "labels of disambig.losses such as OrdinalLoss()"
)
_ORDER_LOSSES: dict[str, OrderLoss] = {
    "kendall": KendallLoss(),
    "footrule": FootruleLoss(),
    "dcg": DCGLoss(),
}
_BIT_LOSSES: dict[str, BitLoss] = {
    "hamming": HammingLoss(),
    "f_measure": FMeasureLoss(),
    "top_k": TopKLoss(),
}
_NUMBER_LOSSES: dict[str, NumberLoss] = {
    "squared": SquaredLoss(),
    "absolute": AbsoluteLoss(),
    "pinball": PinballLoss(),
}


@runtime_checkable
class LabelLoss(Protocol):
    """A loss on labels before the classes are known; estimators bind it to them in ``fit``."""

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes.

        Parameters
        ----------
        classes : array (K,)
            The names, in order.
        """
        ...


def resolve_loss(loss: Any) -> LabelLoss:
    """The loss on labels that a name, a matrix or a loss object (which is cloned) stands for.

    Examples
    --------
    >>> resolve_loss("zero_one")
    ZeroOneLoss()
    >>> resolve_loss([[0, 1], [5, 0]])
    MatrixLoss(matrix=[[0, 1], [5, 0]])
    """
    if isinstance(loss, str):
        check_choice("", "loss", loss, _LABEL_LOSSES, _OTHER_LABEL_LOSSES)
        loss = _LABEL_LOSSES[loss]
    if isinstance(loss, LabelLoss) and not isinstance(loss, type):
        cloned: LabelLoss = clone(loss)
        return cloned
    if is_matrix(loss):
        return MatrixLoss(loss)
    raise TypeError(_wrong_kind(loss))


def is_matrix(loss: Any) -> bool:
    """Whether a loss is given as a matrix.

    Examples
    --------
    >>> is_matrix([[0, 1], [1, 0]]), is_matrix([[0, 1], [1]]), is_matrix("zero_one")
    (True, False, False)
    """
    try:
        return np.ndim(loss) == 2
    except ValueError:
        # Rows of different lengths.
        return False


def bind_label_loss(loss: Any, classes: AnyArray) -> FiniteLoss:
    """The loss of `resolve_loss` on these classes; a loss of another kind of target is refused.

    Examples
    --------
    >>> bind_label_loss("zero_one", np.array(["a", "b"])).predictions.tolist()
    ['a', 'b']
    """
    bound = resolve_loss(loss).bind(classes)
    if not isinstance(bound, FiniteLoss):
        raise TypeError(_wrong_kind(loss))
    return bound


def _wrong_kind(loss: Any) -> str:
    if isinstance(loss, type):
        return f"loss: got the class {loss.__name__}; pass an instance, {loss.__name__}(...)."
    return choice_message("", "loss", type(loss), _LABEL_LOSSES, _OTHER_LABEL_LOSSES)


def bind_order_loss(loss: Any, items: AnyArray) -> BoundOrderLoss:
    """The loss that a name or a loss object (which is cloned) stands for, on these items.

    Examples
    --------
    >>> import numpy as np
    >>> bind_order_loss("footrule", np.array(["a", "b"])).n_items
    2
    """
    more = "or a loss between orders such as disambig.losses.KendallLoss()"
    if isinstance(loss, str):
        check_choice("", "loss", loss, _ORDER_LOSSES, more)
        return _ORDER_LOSSES[loss].bind(items)
    bound = clone(loss).bind(items) if isinstance(loss, OrderLoss) else None
    if not isinstance(bound, BoundOrderLoss):
        raise TypeError(choice_message("", "loss", type(loss), _ORDER_LOSSES, more))
    return bound


def bind_bit_loss(loss: Any, bits: PartialBits) -> BoundBitLoss:
    """The loss that a name or a loss object (which is cloned) stands for, on these bits.

    Examples
    --------
    >>> bind_bit_loss("hamming", PartialBits.from_any([[1, 0]])).weights.tolist()
    [0.5, 0.5]
    """
    more = "or a loss between bits such as disambig.losses.FMeasureLoss(beta=2)"
    if isinstance(loss, str):
        check_choice("", "loss", loss, _BIT_LOSSES, more)
        return _BIT_LOSSES[loss].bind_bits(bits)
    if isinstance(loss, type) or not isinstance(loss, BitLoss):
        raise TypeError(choice_message("", "loss", type(loss), _BIT_LOSSES, more))
    cloned: BitLoss = clone(loss)
    return cloned.bind_bits(bits)


def resolve_number_loss(loss: Any) -> NumberLoss:
    """The loss between numbers that a name or a loss object (which is cloned) stands for.

    Examples
    --------
    >>> resolve_number_loss("absolute")
    AbsoluteLoss()
    >>> resolve_number_loss(PinballLoss(quantile=0.9))
    PinballLoss(quantile=0.9)
    """
    more = "or a loss between numbers such as disambig.losses.PinballLoss(quantile=0.9)"
    if isinstance(loss, str):
        check_choice("", "loss", loss, _NUMBER_LOSSES, more)
        loss = _NUMBER_LOSSES[loss]
    if isinstance(loss, type) or not isinstance(loss, NumberLoss):
        raise TypeError(choice_message("", "loss", type(loss), _NUMBER_LOSSES, more))
    cloned: NumberLoss = clone(loss)
    return cloned
