"""The contract of a loss on orders: `OrderLoss` without items, `BoundOrderLoss` with them.

`LimitedOrderLoss` is optional.
"""

from typing import Protocol, runtime_checkable

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes import Votes


@runtime_checkable
class BoundOrderLoss(Protocol):
    """A `Loss` whose outputs are orders of m items, given as ranks.

    Its faces are `OrderFaces`, which give for every pair of items the share of the tied orders that
    agree. Rankers use nothing else, so a loss is free to choose its embedding.
    """

    @property
    def n_items(self) -> int:
        """``m``."""
        ...

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str | FloatArray:
        """The default start of a solver: a kind of start, or ``V``, ``(n, p)``.

        It may depend on the votes ``A``; `start` does not.
        """
        ...

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, m)`` to ``(n, p)``."""
        ...

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, m)`` to ``(n, p)``."""
        ...

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """As in `Loss`; raises `MissingOracleError` for a kind that the loss does not offer."""
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
class LimitedOrderLoss(Protocol):
    """A bound loss that cannot complete every partial order."""

    def check_candidates(self, candidates: PartialOrders) -> None:
        """Raise `MissingOracleError` if `best_candidate` would; called before other work."""
        ...


@runtime_checkable
class OrderLoss(Protocol):
    """A loss on orders before the items are known; estimators bind it to them in ``fit``."""

    def bind(self, items: AnyArray) -> BoundOrderLoss:
        """The loss on these items.

        Parameters
        ----------
        items : array (m,)
            The names, in order.
        """
        ...
