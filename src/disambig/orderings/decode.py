"""Good orders of many items by insertion moves; no proof, but a bound.

One door to the decoders of orders: the cheapest way that suffices, and word of which it was.
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

_NAMES = ("auto", "dynamic", "exact", "local")
# From the easiest to the hardest.
_METHODS = np.array(["first look", "dynamic", "cuts", "local"])


def local_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    n_iterations: int = 200,
    n_kicks: int = 3,
    random_state: int | np.random.Generator = 0,
) -> DecodedOrders:
    """Iterated insertion: take an item out, put it where it costs least, until no item gains.

    The start sorts by row sums (Borda) as far as the forced pairs allow. Then, `n_iterations`
    times, `n_kicks` random items are moved and insertion starts over; what is worse is undone.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal is ignored.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    n_iterations, n_kicks : int
    random_state : int or numpy Generator
        All problems of a batch are kicked alike, so an answer does not depend on its neighbours.

    Returns
    -------
    DecodedOrders
        The gap is to the sum of the cheaper directions; `exact` where that is attained.

    Examples
    --------
    >>> costs = np.random.default_rng(0).random((2, 30, 30))
    >>> found = local_orders(costs)
    >>> bool((found.values < np.triu(costs, 1).sum(axis=(1, 2))).all())
    True
    """
    costs, forced = as_problems(costs, before, "local_orders")
    draws = np.random.default_rng(random_state).random((n_iterations, n_kicks, 2))
    ranks = insertion_orders(costs, forced, draws)
    values = order_values(costs, ranks)
    least = pair_minima(costs, forced)
    # Both are sums of the same m (m - 1) / 2 numbers if the bound is attained, in another order.
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
    """Minimise the sum of ``costs[i, j]`` over i before j; `order_decoder` explains the names.

    Parameters
    ----------
    name : "auto", "dynamic", "local" or "exact"
    largest_lattice : int
        Parts up to this size are settled by dynamic programming under "auto"; at most 20. There it
        takes as long as the linear programs usually do, and always comes to an end.
    largest_cuts : int
        Parts beyond this size are left to local search under "auto".
    time_limit : float or None
        Seconds for each part that is settled by cuts; None waits for the proof.
    backend : "auto", "highspy" or "scipy"
        What solves the linear programs of the cuts.
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
        if self.name not in _NAMES:
            raise ValueError(f"order decoder {self.name!r} is not known; choose one of {_NAMES}.")
        if self.largest_lattice > LARGEST_LATTICE:
            raise ValueError(
                f"order decoder: largest_lattice={self.largest_lattice} is beyond "
                f"{LARGEST_LATTICE}, the most that the programme over sets of items takes."
            )

    def decode(self, costs: AnyArray, before: AnyArray | None = None) -> DecodedOrders:
        """Orders of least cost for b problems.

        Parameters
        ----------
        costs : array (b, m, m)
            ``costs[r, i, j]`` is paid if i stands before j. Finite; the diagonal is ignored.
        before : bool array (b, m, m) or (m, m), optional
            ``before[r, i, j]``: i must stand before j. Acyclic.

        Returns
        -------
        DecodedOrders
        """
        costs, forced = as_problems(costs, before, "decode")
        b, m, _ = costs.shape
        ranks = np.empty((b, m), dtype=np.intp)
        gaps, exact = np.empty(b), np.empty(b, dtype=np.bool_)
        hardest = np.empty(b, dtype=np.intp)
        for rows in blocks(b, m):
            own = forced if len(forced) == 1 else forced[rows]
            ranks[rows], gaps[rows], exact[rows], hardest[rows] = self._decode(costs[rows], own)
        return DecodedOrders(ranks, order_values(costs, ranks), gaps, exact, _METHODS[hardest])

    def _decode(
        self, costs: FloatArray, before: BoolArray
    ) -> tuple[IntArray, FloatArray, BoolArray, IntArray]:
        """A block of problems: ranks, gaps, whether exact, which method."""
        parts = OrderParts(*majority_parts(costs, before, False, np.zeros(len(costs))))
        ranks = parts.parts.copy()
        left = np.flatnonzero(~parts.settled)
        ranks[left] = OrderParts(parts.parts[left], parts.settled[left]).starts
        gaps = np.zeros(len(costs))
        exact = np.ones(len(costs), dtype=np.bool_)
        hardest = np.zeros(len(costs), dtype=np.intp)
        for group in parts.groups():
            found = self._settle(*sub_problems(costs, before, group))
            ranks[group.rows, group.items] = group.starts[:, None] + found.ranks
            np.add.at(gaps, group.problems, found.gaps)
            np.logical_and.at(exact, group.problems, found.exact)
            how = int(np.flatnonzero(found.methods[0] == _METHODS)[0])
            hardest[group.problems] = np.maximum(hardest[group.problems], how)
        return ranks, gaps, exact, hardest

    def _settle(self, costs: FloatArray, before: BoolArray) -> DecodedOrders:
        """Parts of one size, all in the same way."""
        size = costs.shape[1]
        if self.name == "dynamic" or (self.name == "auto" and size <= self.largest_lattice):
            require_lattice(
                size,
                "order_decoder('dynamic')",
                "Use order_decoder('auto') or ('exact'), which take any number, or ('local').",
            )
            return dynamic_orders(costs, before)
        if self.name == "exact" or (self.name == "auto" and size <= self.largest_cuts):
            return cut_orders(
                costs,
                before,
                time_limit=self.time_limit,
                backend=self.backend,
                n_iterations=self.n_iterations,
                random_state=self.random_state,
            )
        return local_orders(
            costs, before, n_iterations=self.n_iterations, random_state=self.random_state
        )


def order_decoder(name: str = "auto", **options: Any) -> OrderDecoder:
    """A decoder of orders by its name.

    Every decoder looks first whether the cheaper directions of all pairs fit together, and if not
    splits the problem into parts that stand one after another (both exact, and quick).

    Parameters
    ----------
    name : "auto", "dynamic", "exact" or "local"
        How parts are settled. "dynamic": programming over down-sets, exact, at most 20 items a
        part. "exact": linear programs with cuts and branching, to the proof unless a `time_limit`
        is given. "local": insertion search, no proof. "auto": "dynamic" for parts up to
        `largest_lattice` items, cuts for up to `time_limit` seconds a part up to `largest_cuts`
        items, "local" beyond. The result says which was used and what is proven.
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
