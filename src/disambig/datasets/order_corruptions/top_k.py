"""Only the best items are seen."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np

from disambig.candidates import PartialOrders
from disambig.datasets.order_corruptions.hiding import orders_without, read_rankings
from disambig.notation import BoolArray

__all__ = ["TopKCorruption"]


@dataclass(frozen=True)
class TopKCorruption:
    """A pair is hidden if neither item is among the best `k`; nothing is drawn.

    The best k are seen in order, and before all others. No hidden pair follows from the rest: of m
    items, ``(m - k) (m - k - 1) / 2`` pairs are lost. At k = 0 nothing is known, from k = m - 1 on
    everything is.

    Parameters
    ----------
    k : int >= 0

    See Also
    --------
    disambig.PartialOrders.from_top_k : Reads lists of the best items.

    Examples
    --------
    >>> from disambig.datasets import TopKCorruption
    >>> sorted(TopKCorruption(1)([[1, 0, 2]], items=["a", "b", "c"])[0])
    [('b', 'a'), ('b', 'c')]
    """

    k: int
    reads: ClassVar[Literal["ranks", "scores"]] = "ranks"

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, Integral) or self.k < 0:
            raise ValueError(f"TopKCorruption: k must be an integer >= 0; got {self.k!r}.")
        object.__setattr__(self, "k", int(self.k))

    def hidden(self, ranks: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        return self._hidden(read_rankings("TopKCorruption", ranks, items))

    def __call__(
        self, ranks: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        full = read_rankings("TopKCorruption", ranks, items)
        return orders_without(full.before, full.items, self._hidden(full))

    def _hidden(self, full: PartialOrders) -> BoolArray:
        i, j = np.triu_indices(full.n_items, 1)
        late = full.ranks() >= self.k
        return np.asarray(late[:, i] & late[:, j])
