"""Decoders of orders: one order of least cost for each problem of a batch.

`order_decoder` chooses the cheapest method that suffices and reports it; `local_orders` is a local
search, which gives a bound but no proof.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.compiled.insertion import insertion_orders
from disambig.compiled.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.cuts import Backend, cut_orders
from disambig.orderings.dynamic import LARGEST_LATTICE, dynamic_orders, require_lattice
from disambig.orderings.problems import (
    DecodedOrders,
    OrderParts,
    as_problems,
    blocks,
    order_values,
    pair_minima,
    sub_problems,
)
from disambig.orderings.windows import (
    as_windows,
    no_windows,
    placed_problems,
    sub_windows,
    window_parts,
    within_windows,
)
from disambig.parameters import check_choice

_DECODER_NAMES = ("auto", "dynamic", "exact", "local")
# From the cheapest to the most expensive.
_METHODS = np.array(["first look", "dynamic", "cuts", "local"])

# Ranks, gaps, exact, and the index of the method of each problem.
_Decoded = tuple[IntArray, FloatArray, BoolArray, IntArray]


def local_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    n_iterations: int = 200,
    n_kicks: int = 3,
    random_state: int | np.random.Generator = 0,
) -> DecodedOrders:
    """Iterated local search: move items to their best positions until no move gains.

    The first order sorts by row sums (Borda) as far as the forced pairs allow. Then, `n_iterations`
    times, `n_kicks` random items are moved and the search is repeated; the order is kept unless it
    is worse. With windows the search starts from an order that fits them, and two items may also
    exchange their places.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal is ignored.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.
    n_iterations, n_kicks : int
    random_state : int or numpy Generator
        All problems of a batch have the same kicks, so that the order of one does not depend on the
        others.

    Returns
    -------
    DecodedOrders
        The bound is the sum of the cheaper directions of all pairs; `exact` if it is attained.

    Examples
    --------
    >>> costs = np.random.default_rng(0).random((2, 30, 30))
    >>> found = local_orders(costs)
    >>> bool((found.values < np.triu(costs, 1).sum(axis=(1, 2))).all())
    True
    """
    costs, forced = as_problems(costs, before, "local_orders")
    draws = np.random.default_rng(random_state).random((n_iterations, n_kicks, 2))
    limits = as_windows(windows, forced, len(costs), costs.shape[1], "local_orders")
    ranks = insertion_orders(costs, forced, no_windows() if limits is None else limits, draws)
    values = order_values(costs, ranks)
    least = pair_minima(costs, forced)
    # If the bound is attained, both are sums of the same m (m - 1) / 2 numbers in another order,
    # which differ by rounding only.
    scale = np.abs(costs).max(axis=(1, 2)) * costs.shape[1] ** 2
    exact = values - least <= 1e-14 * scale
    return DecodedOrders(
        ranks,
        values,
        np.where(exact, 0.0, np.maximum(values - least, 0.0)),
        exact,
        np.full(len(costs), "local", dtype="<U10"),
    )


@dataclass(frozen=True)
class OrderDecoder:
    """Minimises the sum of ``costs[i, j]`` over i before j; `order_decoder` explains the names.

    Parameters
    ----------
    name : "auto", "dynamic", "local" or "exact"
    largest_lattice : int
        Parts of up to this many items are solved by dynamic programming with "auto"; at most 20. At
        20 items it takes as long as the linear programs usually do, and its time is bounded.
    largest_cuts : int
        Larger parts are solved by local search with "auto".
    time_limit : float or None
        Seconds for each part that is solved by cuts; None waits for the proof.
    backend : "auto", "highspy" or "scipy"
        The solver of the linear programs of the cuts.
    n_iterations : int
        Kicks of the local search.
    random_state : int
        Seed of the local search.

    Examples
    --------
    >>> OrderDecoder("local", n_iterations=50).decode(np.eye(3)[None]).values
    array([0.])
    """

    name: str = "auto"
    largest_lattice: int = LARGEST_LATTICE
    largest_cuts: int = 60
    time_limit: float | None = 1.0
    backend: Backend = "auto"
    n_iterations: int = 200
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("OrderDecoder", "name", self.name, _DECODER_NAMES)
        if self.largest_lattice > LARGEST_LATTICE:
            raise ValueError(
                f"order decoder: largest_lattice={self.largest_lattice} must be at most "
                f"{LARGEST_LATTICE}, the limit of the dynamic program over sets of items."
            )

    def decode(
        self, costs: AnyArray, before: AnyArray | None = None, windows: AnyArray | None = None
    ) -> DecodedOrders:
        """Find orders of least cost for b problems.

        Parameters
        ----------
        costs : array (b, m, m)
            ``costs[r, i, j]`` is paid if i stands before j. Finite; the diagonal is ignored.
        before : bool array (b, m, m) or (m, m), optional
            ``before[r, i, j]``: i must stand before j. Acyclic.
        windows : int array (b, m, 2), optional
            The first and the last place of each item.

        Returns
        -------
        DecodedOrders
        """
        costs, forced = as_problems(costs, before, "decode")
        b, m, _ = costs.shape
        limits = as_windows(windows, forced, b, m, "decode")
        found = (
            np.empty((b, m), dtype=np.intp),
            np.empty(b),
            np.empty(b, dtype=np.bool_),
            np.empty(b, dtype=np.intp),
        )
        for rows in blocks(b, m):
            own = forced if len(forced) == 1 else forced[rows]
            if limits is None:
                _put(found, rows, self._decode_block(costs[rows], own))
            else:
                _put(found, rows, self._decode_with_windows(costs[rows], own, limits[rows]))
        ranks, gaps, exact, method = found
        return DecodedOrders(ranks, order_values(costs, ranks), gaps, exact, _METHODS[method])

    def _decode_with_windows(
        self, costs: FloatArray, before: BoolArray, windows: IntArray
    ) -> _Decoded:
        """Decode without windows where they say nothing, or where the first look fits them."""
        before = np.broadcast_to(before, costs.shape)
        parts, solved = majority_parts(costs, before.copy(), False, np.zeros(len(costs)))
        solved &= within_windows(parts, windows)
        c = len(costs)
        found = parts, np.zeros(c), np.ones(c, dtype=np.bool_), np.zeros(c, dtype=np.intp)
        placed = placed_problems(windows, before)
        for rows, limits in (
            (np.flatnonzero(~solved & ~placed), None),
            (np.flatnonzero(~solved & placed), windows[~solved & placed]),
        ):
            _put(found, rows, self._decode_block(costs[rows], before[rows], limits))
        return found

    def _decode_block(
        self, costs: FloatArray, before: BoolArray, windows: IntArray | None = None
    ) -> _Decoded:
        """Decode a block of problems part by part."""
        if windows is None:
            parts = OrderParts(*majority_parts(costs, before, False, np.zeros(len(costs))))
        else:
            parts = window_parts(windows)
        ranks = parts.parts.copy()
        unsolved = np.flatnonzero(~parts.solved)
        ranks[unsolved] = OrderParts(parts.parts[unsolved], parts.solved[unsolved]).starts
        gaps = np.zeros(len(costs))
        exact = np.ones(len(costs), dtype=np.bool_)
        method = np.zeros(len(costs), dtype=np.intp)
        for group in parts.groups():
            limits = None if windows is None else sub_windows(windows, group)
            found = self._decode_group(*sub_problems(costs, before, group), limits)
            ranks[group.rows, group.items] = group.starts[:, None] + found[0]
            np.add.at(gaps, group.problems, found[1])
            np.logical_and.at(exact, group.problems, found[2])
            np.maximum.at(method, group.problems, found[3])
        return ranks, gaps, exact, method

    def _decode_group(
        self, costs: FloatArray, before: BoolArray, windows: IntArray | None
    ) -> _Decoded:
        """Decode parts of one size; those within which windows say nothing fall into parts."""
        if windows is None:
            return _as_decoded(self._decode_parts(costs, before, None))
        placed = placed_problems(windows, before)
        if placed.all():
            return _as_decoded(self._decode_parts(costs, before, windows))
        rest = np.flatnonzero(~placed)
        c, k, _ = costs.shape
        found = (
            np.empty((c, k), dtype=np.intp),
            np.zeros(c),
            np.ones(c, dtype=np.bool_),
            np.zeros(c, dtype=np.intp),
        )
        _put(found, rest, self._decode_block(costs[rest], before[rest]))
        left = np.flatnonzero(placed)
        if left.size:
            decoded = self._decode_parts(costs[left], before[left], windows[left])
            _put(found, left, _as_decoded(decoded))
        return found

    def _decode_parts(
        self, costs: FloatArray, before: BoolArray, windows: IntArray | None
    ) -> DecodedOrders:
        """Decode parts of one size, all by the same method."""
        size = costs.shape[1]
        if self.name == "dynamic" or (self.name == "auto" and size <= self.largest_lattice):
            require_lattice(
                size,
                "order_decoder('dynamic')",
                "Use order_decoder('auto'), ('exact') or ('local'), which have no limit.",
            )
            return dynamic_orders(costs, before, windows)
        if self.name == "exact" or (self.name == "auto" and size <= self.largest_cuts):
            return cut_orders(
                costs,
                before,
                windows=windows,
                time_limit=self.time_limit,
                backend=self.backend,
                n_iterations=self.n_iterations,
                random_state=self.random_state,
            )
        return local_orders(
            costs,
            before,
            windows=windows,
            n_iterations=self.n_iterations,
            random_state=self.random_state,
        )


def _put(found: _Decoded, rows: IntArray | slice, values: _Decoded) -> None:
    """Write the results of some problems."""
    for array, part in zip(found, values, strict=True):
        array[rows] = part


def _as_decoded(found: DecodedOrders) -> _Decoded:
    """The arrays of a result, with the index of the method."""
    index = int(np.flatnonzero(found.methods[0] == _METHODS)[0])
    return found.ranks, found.gaps, found.exact, np.full(len(found), index)


def order_decoder(name: str = "auto", **options: Any) -> OrderDecoder:
    """A decoder of orders, by its name.

    Every decoder first tests whether the cheaper directions of all pairs form an order. If not, it
    splits the problem into parts that stand one after another. Both are exact and fast. With
    windows of places that order must fit them, and the parts are those that the windows separate.

    Parameters
    ----------
    name : "auto", "dynamic", "exact" or "local"
        How parts are solved. "dynamic": dynamic program over down-sets, exact, at most 20 items per
        part. "exact": linear programs with cuts and branching, until the proof unless a
        `time_limit` is given. "local": local search, no proof. "auto": "dynamic" for parts of up to
        `largest_lattice` items, cuts with `time_limit` seconds per part for up to `largest_cuts`
        items, "local" beyond. The result says which method was used and what is proven.
    **options
        Parameters of `OrderDecoder`.

    Returns
    -------
    OrderDecoder

    Examples
    --------
    >>> costs = np.random.default_rng(0).random((3, 12, 12))
    >>> found = order_decoder().decode(costs)
    >>> found.exact, found.methods
    (array([ True,  True,  True]), array(['dynamic', 'dynamic', 'dynamic'], dtype='<U10'))
    """
    if name == "exact":
        options = {"time_limit": None, **options}
    return OrderDecoder(name, **options)
