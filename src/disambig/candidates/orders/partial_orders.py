"""Candidate rankings: for every sample the pairs of items whose order was observed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.labels.classes import listed
from disambig.candidates.orders import views
from disambig.candidates.orders.items import checked_items
from disambig.candidates.orders.places import checked_windows, placed_orders
from disambig.candidates.orders.ranks import breaks_order, full_rankings
from disambig.candidates.orders.readers import PartialOrderReaders
from disambig.candidates.orders.tables import (
    OrderTable,
    checked_orders,
    distinct_orders,
    predecessor_masks,
    reexpress,
)
from disambig.candidates.reading import own_rows, row_index
from disambig.notation import AnyArray, BoolArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class PartialOrders(PartialOrderReaders):
    """``s[r] = {rankings with i before j wherever before[r, i, j]}``: one partial order per sample.

    The true ranking of every sample extends its partial order, with every item within its window of
    places. What follows is added, to both; so objects are equal if and only if they allow the same
    rankings. A row that allows none raises. The arrays are checked once, copied, and read-only from
    then on. scikit-learn splits the object like an array; `numpy.asarray` gives the ``(n, m, m)``
    array of signs, which `from_signs` reads back, without places.

    Parameters
    ----------
    before : (n, m, m) of bool
        ``before[r, i, j]``: item i stands before item j in every candidate ranking of row r. A row
        without any pair allows every ranking.
    items : (m,), or None
        Distinct names, in the order of rows and columns. None: 0 to m - 1.
    windows : (n, m, 2) of int, or None
        The first and the last place that item i can have in row r, 0 = first; 0 and m - 1 in rows
        whose places say no more than their pairs, and None if that is so in all rows.

    Examples
    --------
    >>> orders = PartialOrders.from_any(["a>b>c", "c>a", ""])
    >>> orders
    PartialOrders(3 rows, 3 items ['a', 'b', 'c'], 1 total, 1 empty, 44% of pairs known)
    >>> sorted(orders[0])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> orders[:2].signs()
    array([[ 1,  1,  1],
           [ 0, -1,  0]], dtype=int8)
    """

    before: BoolArray
    items: AnyArray = None  # type: ignore[assignment]
    windows: IntArray | None = None

    couples_rows = False
    _repr_html_ = views.as_html

    def __post_init__(self) -> None:
        before, items, windows = checked_orders(self.before, self.items)
        if self.windows is not None:
            windows = checked_windows(self.windows, *before.shape[:2])
            before, items, windows = placed_orders(before, items, windows)
        self._set(before, items, windows)

    def _set(self, before: BoolArray, items: AnyArray, windows: IntArray | None) -> None:
        for name, array in (("before", before), ("items", items), ("windows", windows)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def _trusted(cls, before: BoolArray, items: AnyArray, windows: IntArray | None) -> Self:
        """Orders from arrays of their own that are closed already; they are not copied."""
        orders = object.__new__(cls)
        orders._set(before, items, windows)
        return orders

    def __len__(self) -> int:
        return len(self.before)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, m)``."""
        return self.before.shape[0], self.before.shape[1]

    @property
    def ndim(self) -> int:
        """2, the dimensions of a table of ranks."""
        return 2

    def __getitem__(self, rows: Any) -> Any:
        rows = row_index("PartialOrders", rows, "; see with_items")
        if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
            return views.named_pairs(self.before[rows][np.newaxis], self.items)[0]
        selected = own_rows(self.before, rows)
        if selected.ndim != 3:
            raise IndexError("PartialOrders: select rows by an integer, a slice or a 1-D array.")
        windows = None if self.windows is None else own_rows(self.windows, rows)
        return self._trusted(selected, self.items, windows)

    def __iter__(self) -> Iterator[frozenset[tuple[Any, Any]]]:
        return iter(self.to_pairs())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("PartialOrders", "kendall_tau_scorer")
        if copy is False:
            raise ValueError("PartialOrders: an array of signs needs a copy. Pass copy=None.")
        signs = views.sign_array(self.before)
        return signs if dtype is None else signs.astype(dtype, copy=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"before": self.before, "items": self.items, "windows": self.windows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable.
        self._set(state["before"], state["items"], state.get("windows"))

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialOrders):
            return NotImplemented
        return (
            listed(self.items) == listed(other.items)
            and np.array_equal(self.before, other.before)
            and views.same_windows(self.windows, other.windows)
        )

    def __repr__(self) -> str:
        return views.described(self)

    @property
    def n_items(self) -> int:
        """``m``."""
        return len(self.items)

    @cached_property
    def n_observed(self) -> IntArray:
        """Number of pairs whose order is known, observed or implied, ``(n,)``."""
        known: IntArray = np.count_nonzero(self.before, axis=(1, 2))
        known.setflags(write=False)
        return known

    @property
    def informative(self) -> BoolArray:
        """Rows with a pair or a known place, ``(n,)``: their sets exclude some ranking."""
        return np.asarray((self.n_observed > 0) | self.is_placed)

    @property
    def is_placed(self) -> BoolArray:
        """Rows whose windows of places say more than their pairs, ``(n,)``."""
        return views.placed_rows(self.windows, *self.shape)

    @property
    def is_total(self) -> BoolArray:
        """Rows that allow one ranking only, ``(n,)``; with a single item, all rows."""
        return np.asarray(self.n_observed == self.n_items * (self.n_items - 1) // 2)

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """The first row of each distinct set, ``(d,)``, and which of them a row has, ``(n,)``."""
        return distinct_orders(self.before, self.windows)

    @cached_property
    def masks(self) -> AnyArray:
        """Bit i of ``masks[r, j]`` is ``before[r, i, j]``: the predecessors of item j.

        ``(n, m)`` of int64, for at most 62 items.
        """
        return predecessor_masks(self.before)

    def signs(self) -> AnyArray:
        """One sign per pair ``i < j``, ``(n, m (m - 1) / 2)`` of int8.

        In the order of ``np.triu_indices(m, 1)``: +1 where i stands before j, -1 where j stands
        before i, 0 where neither is known.

        Examples
        --------
        >>> orders = PartialOrders.from_any(["a>b>c", "c>a"])
        >>> orders.signs()
        array([[ 1,  1,  1],
               [ 0, -1,  0]], dtype=int8)
        """
        return views.pair_signs(self.before)

    def ranks(self) -> IntArray:
        """The ranking of each row, ``(n, m)``, from 0 on; raises if a row allows several.

        Examples
        --------
        >>> orders = PartialOrders.from_any(["a>b>c", "c>a"])
        >>> orders[:1].ranks()
        array([[0, 1, 2]])
        """
        return views.only_rankings(self.before, self.is_total)

    def contains(self, ranks: Any) -> BoolArray:
        """Whether the ranking ``ranks[r]`` is in the set of row r, ``(n,)``.

        Parameters
        ----------
        ranks : (n, m) array-like
            Distinct ranks, smaller first, one column per item; matched by name if the columns have
            names.

        Examples
        --------
        >>> orders = PartialOrders.from_any(["a>b>c", "c>a"])
        >>> orders.contains([[0, 1, 2], [0, 1, 2]])
        array([ True, False])
        """
        full = full_rankings(ranks, self.items, len(self))
        return ~breaks_order(self.before, full, self.windows)

    def with_items(self, items: Any) -> Self:
        """The same orders over other items: more, reordered, or without those never compared.

        A new item is in no pair, also in rows that were read by `from_top_k`. With known places the
        items can only be reordered.

        Parameters
        ----------
        items : array-like (k,)
            Every item that is compared, and others.

        Examples
        --------
        >>> orders = PartialOrders.from_any(["a>b>c", "c>a"])
        >>> orders.with_items(["c", "a", "b", "d"]).shape
        (2, 4)
        """
        table = OrderTable(self.before, self.items, self.windows)
        return self._trusted(*reexpress(table, checked_items(items)))

    def to_pairs(self) -> list[frozenset[tuple[Any, Any]]]:
        """The pairs of each row, implied ones included, as n frozensets.

        Examples
        --------
        >>> orders = PartialOrders.from_any(["a>b>c", "c>a"])
        >>> sorted(orders.to_pairs()[0])
        [('a', 'b'), ('a', 'c'), ('b', 'c')]
        """
        return views.named_pairs(self.before, self.items)
