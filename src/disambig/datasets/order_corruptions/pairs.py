"""Every pair of items is equally likely to be hidden."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np

from disambig.candidates import PartialOrders
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.order_corruptions.hiding import orders_without, read_rankings
from disambig.notation import BoolArray

__all__ = ["PairCorruption"]


@dataclass(frozen=True)
class PairCorruption:
    """Each pair of each ranking is hidden with probability `level`, independently.

    Then the pairs that follow from those left come back, which is more than it seems: of 10 items
    with half of the pairs hidden, three quarters are known in the end (`expected_information`).
    With the same integer `random_state`, what is known at one level is known at every lower one. At
    level 1 nothing is known.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> from disambig.datasets import PairCorruption, hidden_share, information_left
    >>> corruption, ranks = PairCorruption(0.6), [[0, 1, 2, 3], [3, 2, 1, 0]]
    >>> orders = corruption(ranks, items=list("abcd"), random_state=1)
    >>> [sorted(order) for order in orders]
    [[('a', 'c'), ('b', 'c')], [('b', 'a'), ('d', 'a'), ('d', 'b')]]
    >>> round(hidden_share(corruption, ranks, random_state=1), 3)
    0.667
    >>> round(information_left(orders), 3)
    0.417
    """

    level: float
    reads: ClassVar[Literal["ranks", "scores"]] = "ranks"

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("PairCorruption", "level", self.level))

    def hidden(self, ranks: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        return self._hidden(read_rankings("PairCorruption", ranks, items), random_state)

    def __call__(
        self, ranks: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        full = read_rankings("PairCorruption", ranks, items)
        return orders_without(full.before, full.items, self._hidden(full, random_state))

    def expected_information(self, n_items: int) -> float:
        """The expectation of `information_left` over rankings of `n_items`, exactly.

        Along a ranking, let R be how many of the items so far are known to come after the first of
        them or are it. The next one joins them unless all R of its pairs with them are hidden, that
        is with probability ``1 - level**R``; so the law of R, and with it the probability that a
        pair d places apart is known, follows place by place.

        Examples
        --------
        >>> from disambig.datasets import PairCorruption
        >>> PairCorruption(0.5).expected_information(2)
        0.5
        >>> round(PairCorruption(0.5).expected_information(10), 3)
        0.745
        """
        if isinstance(n_items, bool) or not isinstance(n_items, Integral) or n_items < 1:
            raise ValueError(f"PairCorruption: n_items must be an integer >= 1; got {n_items!r}.")
        if n_items == 1:
            return 1.0
        all_hidden = self.level ** np.arange(n_items + 1)
        law = np.zeros(n_items + 1)
        law[1] = 1.0
        known = 0.0
        for distance in range(1, n_items):
            joins = law * (1 - all_hidden)
            known += (n_items - distance) * float(joins.sum())
            law = law - joins
            law[1:] += joins[:-1]
        return known / (n_items * (n_items - 1) / 2)

    def _hidden(self, full: PartialOrders, random_state: Any) -> BoolArray:
        n_pairs = full.n_items * (full.n_items - 1) // 2
        # What is drawn does not depend on the level, so that orders of one seed shrink with it.
        draws = np.random.default_rng(random_state).random((len(full), n_pairs))
        return np.asarray(draws < self.level)
