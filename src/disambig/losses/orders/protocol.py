"""The contract of a loss between orders, before and after the items are known."""

from typing import Protocol, runtime_checkable

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes import Votes


@runtime_checkable
class BoundOrderLoss(Protocol):
    """A `Loss` whose outputs are orders of m items, given as ranks.

    Its faces are `OrderFaces`, which say of every pair how the tied orders compare it. That is all
    that rankers look at, so that the embedding is the loss's own affair.
    """

    @property
    def n_items(self) -> int:
        """``m``."""
        ...

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str | FloatArray:
        """What a solver begins with unless told otherwise: a kind of start, or ``V``, ``(n, p)``.

        It may listen to the votes ``A``, which `start` cannot.
        """
        ...

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, m)`` to ``(n, p)``."""
        ...

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, m)`` to ``(n, p)``."""
        ...

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """As in `Loss`; a kind that cannot be had raises `MissingOracleError`."""
        ...

    def magnitude(self, candidates: PartialOrders) -> float:
        """As in `Loss`."""
        ...

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        """As in `Loss`."""
        ...

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        """As in `Loss`."""
        ...


@runtime_checkable
class OrderLoss(Protocol):
    """A loss between orders before the items are known: a piece that is bound to items in fit."""

    def bind(self, items: AnyArray) -> BoundOrderLoss:
        """The loss on these items."""
        ...
