"""What every loss on bits offers beside the contract of `Loss`."""

from typing import Any, Protocol, runtime_checkable

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.protocol import Faces
from disambig.notation import AnyArray, FloatArray


@runtime_checkable
class BoundBitLoss(Protocol):
    """A loss on known tags, under known rules."""

    @property
    def tags(self) -> AnyArray:
        """The names of the tags, ``(m,)``."""
        ...

    @property
    def weights(self) -> FloatArray:
        """The weight of each tag in the share of right bits, ``(m,)``; with sum one."""
        ...

    def mean_target(self, probabilities: FloatArray) -> FloatArray:
        """The mean of ``phi(y)`` over independent tags of these probabilities, ``(q, p)``."""
        ...

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> Faces:
        """See `Loss`."""
        ...

    def psi(self, bits: AnyArray) -> FloatArray:
        """Embedding of predictions, bits ``(n, m)`` to ``(n, p)``."""
        ...


@runtime_checkable
class BitLoss(Protocol):
    """A loss on bits before the tags are known; estimators bind it to them in ``fit``."""

    def bind_bits(self, bits: PartialBits) -> BoundBitLoss:
        """The loss on the tags of these bits, and under their rules."""
        ...


def wrong_shares(loss: BoundBitLoss, outputs: Any, bits: PartialBits) -> FloatArray:
    """The (weighted) share of the known bits of each row that are wrong, ``(n,)``."""
    shares: FloatArray = (bits.known & (outputs != bits.bits)) @ loss.weights
    return shares
