"""Corruptions of full rankings into partial orders, and how much information they leave.

`PairCorruption` hides each pair with equal probability, `ScoreGapCorruption` pairs with a large (or
small) difference of scores, `TopKCorruption` pairs outside of the best k items.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.orders.ranks import number_table, smaller_first
from disambig.candidates.orders.tables import over_items
from disambig.datasets.corruptions.protocol import OrderCorruption
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import check_choice, check_integer, check_number

_CHOICES = ("large", "small")


def read_rankings(owner: str, ranks: Any, items: Any) -> PartialOrders:
    """Read full rankings by `PartialOrders.from_any`; errors name `owner`.

    Examples
    --------
    >>> read_rankings("PairCorruption", ["b>a>c"], None).ranks().tolist()
    [[1, 0, 2]]
    """
    orders = PartialOrders.from_any(ranks, items)
    partial = ~orders.is_total
    if partial.any():
        count = np.count_nonzero(partial)
        raise CandidateError(
            f"{owner}: row {int(np.argmax(partial))} allows several rankings ({count} such "
            f"{'row' if count == 1 else 'rows'}). A corruption needs full rankings: rank every "
            f"item, without ties."
        )
    return orders


def orders_without(before: BoolArray, items: AnyArray, hidden: BoolArray) -> PartialOrders:
    """The transitive closure of the pairs that are not hidden.

    Parameters
    ----------
    before : (n, m, m) of bool
        ``before[r, i, j]``: item i comes before item j in row r.
    items : (m,)
    hidden : (n, m (m - 1) / 2) of bool
        By pair ``i < j``, in the order of ``np.triu_indices(m, 1)``.
    """
    i, j = np.triu_indices(before.shape[1], 1)
    shown = np.zeros(before.shape, dtype=np.bool_)
    shown[:, i, j] = ~hidden
    shown[:, j, i] = ~hidden
    shown &= before
    return PartialOrders(shown, items)


def information_left(orders: PartialOrders) -> float:
    """The share of all pairs whose order is known, including those that follow from others.

    1 for a single item, which has no pairs.

    See Also
    --------
    hidden_share : The share of pairs that are hidden before the closure.

    Examples
    --------
    >>> from disambig import candidates
    >>> from disambig.datasets.corruptions.orders import information_left
    >>> information_left(candidates.PartialOrders.from_any(["a>b>c", ""]))
    0.5
    """
    n_pairs = len(orders) * orders.n_items * (orders.n_items - 1) // 2
    return float(orders.n_observed.sum() / n_pairs) if n_pairs else 1.0


def hidden_share(
    corruption: OrderCorruption, y: Any, *, items: Any = None, random_state: Any = None
) -> float:
    """The share of all pairs that a corruption hides, whether or not they follow from others.

    0 for a single item, which has no pairs.

    Parameters
    ----------
    corruption : OrderCorruption
    y : (n, m)
        Ranks or scores, depending on ``corruption.reads``.
    items : (m,), default None
    random_state : int, numpy Generator or None, default None
        With an integer, the same pairs as in ``corruption(y, random_state=...)``.

    See Also
    --------
    information_left : The share of pairs known in the end, at least ``1 - hidden_share``.

    Examples
    --------
    >>> from disambig.datasets import TopKCorruption
    >>> from disambig.datasets.corruptions.orders import hidden_share
    >>> hidden_share(TopKCorruption(1), [[0, 1, 2, 3]])
    0.5
    """
    hidden = corruption.hidden(y, items=items, random_state=random_state)
    return float(hidden.mean()) if hidden.size else 0.0


@dataclass(frozen=True)
class PairCorruption:
    """Each pair of each ranking is hidden with probability `level`, independently.

    Hidden pairs that follow from the others are known again: with 10 items and half of the pairs
    hidden, three quarters are known in the end (`expected_information`). With the same integer
    `random_state`, a pair known at one level is known at every lower one. At level 1 no pair is
    known.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> from disambig.datasets import PairCorruption
    >>> from disambig.datasets.corruptions.orders import hidden_share, information_left
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
        object.__setattr__(
            self, "level", check_number("PairCorruption", "level", self.level, most=1)
        )

    def hidden(self, ranks: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        """Which pairs are hidden, ``(n, m (m - 1) / 2)``, in the order of `PartialOrders.signs`.

        Parameters
        ----------
        ranks : array-like (n, m)
        items : array-like (m,), optional
        random_state : int, Generator or None
        """
        return self._hidden(read_rankings("PairCorruption", ranks, items), random_state)

    def __call__(
        self, ranks: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        full = read_rankings("PairCorruption", ranks, items)
        return orders_without(full.before, full.items, self._hidden(full, random_state))

    def expected_information(self, n_items: int) -> float:
        """The expectation of `information_left` for rankings of `n_items`, exactly.

        Go through a ranking from some first item on, and let R be the number of items so far that
        are known to come after the first one, including itself. The next item is one of them unless
        all R pairs with them are hidden, that is, with probability ``1 - level**R``. This gives the
        distribution of R position by position, and with it the probability that a pair at distance
        d is known.

        Parameters
        ----------
        n_items : int

        Examples
        --------
        >>> from disambig.datasets import PairCorruption
        >>> PairCorruption(0.5).expected_information(2)
        0.5
        >>> round(PairCorruption(0.5).expected_information(10), 3)
        0.745
        """
        check_integer("PairCorruption", "n_items", n_items, least=1)
        if n_items == 1:
            return 1.0
        all_hidden = self.level ** np.arange(n_items + 1)
        distribution = np.zeros(n_items + 1)
        distribution[1] = 1.0
        known = 0.0
        for distance in range(1, n_items):
            joins = distribution * (1 - all_hidden)
            known += (n_items - distance) * float(joins.sum())
            distribution = distribution - joins
            distribution[1:] += joins[:-1]
        return known / (n_items * (n_items - 1) / 2)

    def _hidden(self, full: PartialOrders, random_state: Any) -> BoolArray:
        n_pairs = full.n_items * (full.n_items - 1) // 2
        # The draws do not depend on the level, so that the known pairs of one seed shrink with it.
        draws = np.random.default_rng(random_state).random((len(full), n_pairs))
        return np.asarray(draws < self.level)


@dataclass(frozen=True)
class ScoreGapCorruption:
    """A pair is hidden if ``gap > (1 - level) * largest gap of the row``; nothing is drawn.

    The skewed corruption of the authors' program for the ranking figure of Cabannes, Bach and Rudi
    (2021). It hides pairs of distant items and keeps pairs of close ones, from which the others
    follow: a ranking becomes several chains, cut between neighbours whose gap is above the
    threshold, and items of different chains are not compared. For 10 items of `make_ranking_lines`
    level 0.5 hides 29 % of the pairs and loses 1 %, level 0.78 hides 65 % and loses 36 %.

    With ``hides="small"`` a pair is hidden if ``gap < level * largest gap``: close items are not
    compared, as if an observer could not distinguish them. Then all hidden pairs are lost.

    A pair known at one level is known at every lower one. At level 0 no pair is hidden, at level 1
    all are. Items with equal scores are not compared at any level.

    Parameters
    ----------
    level : float in [0, 1]
    hides : {"large", "small"}, default "large"
        Which gaps are hidden.

    Examples
    --------
    >>> from disambig.datasets import ScoreGapCorruption
    >>> from disambig.datasets.corruptions.orders import hidden_share, information_left
    >>> scores = [[0.0, 0.3, 0.7, 1.0]]
    >>> far = ScoreGapCorruption(0.5)
    >>> hidden_share(far, scores), information_left(far(scores))
    (0.5, 1.0)
    >>> close = ScoreGapCorruption(0.5, hides="small")
    >>> hidden_share(close, scores), information_left(close(scores))
    (0.5, 0.5)
    """

    level: float
    hides: Literal["large", "small"] = "large"
    reads: ClassVar[Literal["ranks", "scores"]] = "scores"

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "level", check_number("ScoreGapCorruption", "level", self.level, most=1)
        )
        check_choice("ScoreGapCorruption", "hides", self.hides, _CHOICES)

    def hidden(self, scores: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        """Which pairs are hidden, ``(n, m (m - 1) / 2)``, in the order of `PartialOrders.signs`.

        Parameters
        ----------
        scores : array-like (n, m)
        items : array-like (m,), optional
        random_state : int, Generator or None
        """
        return self._hidden(_read_scores(scores, items)[0])

    def __call__(
        self, scores: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        values, names = _read_scores(scores, items)
        return orders_without(smaller_first(-values), names, self._hidden(values))

    def _hidden(self, scores: FloatArray) -> BoolArray:
        i, j = np.triu_indices(scores.shape[1], 1)
        gaps = np.abs(scores[:, i] - scores[:, j])
        largest = gaps.max(axis=1, keepdims=True, initial=0.0)
        shares = np.divide(gaps, largest, out=np.zeros(gaps.shape), where=largest > 0)
        if self.hides == "large":
            return np.asarray(shares > 1 - self.level)
        # At level 1 the largest gap is hidden, too, so that no pair is left.
        return np.asarray((shares < self.level) | (self.level == 1))


def _read_scores(scores: Any, items: Any) -> tuple[FloatArray, AnyArray]:
    """Finite scores ``(n, m)`` in the order of the items, and the items."""
    table, names = number_table(scores)[:2]
    values = table.astype(np.float64)
    n_columns = values.shape[1]
    # The positions of the columns, as one order, go through the parser of orders: it matches
    # columns to items.
    first_row = smaller_first(np.arange(n_columns)[np.newaxis])
    columns = over_items(first_row, names, items)
    if len(columns.items) != n_columns:
        raise CandidateError(
            f"ScoreGapCorruption: {len(columns.items)} items were named for {n_columns} columns of "
            f"scores. Give one score for every item."
        )
    missing = np.isnan(values).any(axis=1)
    if missing.any():
        count = np.count_nonzero(missing)
        raise CandidateError(
            f"ScoreGapCorruption: row {int(np.argmax(missing))} lacks a score ({count} such "
            f"{'row' if count == 1 else 'rows'}). Give one score for every item."
        )
    # Differences of scores must not overflow.
    if (np.abs(values) > np.finfo(np.float64).max / 2).any():
        raise CandidateError("ScoreGapCorruption: scores are too large to subtract. Rescale them.")
    return values[:, np.count_nonzero(columns.before[0], axis=0)], columns.items


@dataclass(frozen=True)
class TopKCorruption:
    """A pair is hidden if neither item is among the best `k`; nothing is drawn.

    The order of the best k is known, and that they come before all others. No hidden pair follows
    from the others: of m items, ``(m - k) (m - k - 1) / 2`` pairs are lost. At k = 0 no pair is
    known, from k = m - 1 on all are.

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
        object.__setattr__(self, "k", check_integer("TopKCorruption", "k", self.k, least=0))

    def hidden(self, ranks: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        """Which pairs are hidden, ``(n, m (m - 1) / 2)``, in the order of `PartialOrders.signs`.

        Parameters
        ----------
        ranks : array-like (n, m)
        items : array-like (m,), optional
        random_state : int, Generator or None
        """
        return self._hidden(read_rankings("TopKCorruption", ranks, items))

    def __call__(
        self, ranks: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        full = read_rankings("TopKCorruption", ranks, items)
        return orders_without(full.before, full.items, self._hidden(full))

    def _hidden(self, full: PartialOrders) -> BoolArray:
        i, j = np.triu_indices(full.n_items, 1)
        is_outside = full.ranks() >= self.k
        return np.asarray(is_outside[:, i] & is_outside[:, j])
