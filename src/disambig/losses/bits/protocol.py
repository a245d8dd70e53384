"""What every loss on bits offers beside the contract of `Loss`."""

from typing import Protocol, runtime_checkable

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

    def mean_bits(self, embedded: FloatArray) -> FloatArray:
        """The means of the bits of (means of) embedded targets, ``(n, p)`` to ``(n, m)``."""
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
        """The loss on the tags of these bits, and under their rules.

        Parameters
        ----------
        bits : PartialBits, n rows of m tags
        """
        ...
