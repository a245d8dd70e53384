"""Proven orders of many items: linear programs, cuts where they are violated, branching.

With ``x[i, j] = 1`` if i stands before j, an order is a 0/1 point without a circle of three items:
``x[i, j] + x[j, k] + x[k, i] <= 2``. Few of these rows matter, so they are added when an answer
violates them. What is left fractional is settled by branching on one pair at a time.
"""

import heapq
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

import numpy as np

from disambig.compiled.insertion import insertion_orders
from disambig.compiled.relations import violated_dicycles
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.problems import DecodedOrders, as_problems, order_values
from disambig.orderings.relaxations import Relaxation, open_relaxation

Backend = Literal["auto", "highspy", "scipy"]

# How far a solver's point may be from the truth: a row counts as violated, a variable as
# fractional, beyond it.
_FEASIBLE = 1e-6
# Proven, for costs that are no integers: to this part of the sum of all |cost differences|.
_PROVEN = 1e-9
# Rows added at once, those first by which most can be gained: all of them could make a program that
# takes all the time there is.
_ROWS = 1000
# Costs that are no integers are scaled to this size: solvers' tolerances are absolute.
_SIZE = 1e4


@dataclass
class _Search:
    """One problem on the way: rows found so far, the best order, the bound of what was left out.

    `gaps` ``(v,)`` are ``costs[i, j] - costs[j, i]`` for ``i < j``, scaled; values are relative to
    "no i before any j > i".
    """

    gaps: FloatArray
    before: BoolArray
    program: Relaxation
    whole: bool  # Are values of orders integers?
    tolerance: float
    deadline: float
    best: IntArray
    value: float
    left_out: float = np.inf
    columns: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))
    signs: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    limits: FloatArray = field(default_factory=lambda: np.zeros(0))
    known: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def __post_init__(self) -> None:
        self.first, self.second = np.triu_indices(len(self.before), 1)
        self.index = np.zeros(self.before.shape, dtype=np.intp)
        self.index[self.first, self.second] = np.arange(self.gaps.size)

    @property
    def enough(self) -> float:
        """A bound from which on nothing better can be hidden."""
        return self.value - (1.0 - self.tolerance if self.whole else self.tolerance)

    def matrix(self, x: FloatArray) -> FloatArray:
        """``x[i, j]`` for all pairs."""
        full = np.zeros(self.before.shape)
        full[self.first, self.second] = x
        full[self.second, self.first] = 1.0 - x
        return full

    def offer(self, full: FloatArray) -> None:
        """Keep the order by row sums if it is allowed and better than the best so far."""
        ranks = np.argsort(np.argsort(-full.sum(axis=1), kind="stable"))
        value = float(self.gaps @ (ranks[self.first] < ranks[self.second]))
        allowed = not (self.before & (ranks[:, None] > ranks)).any()
        if allowed and value < self.value:
            self.best, self.value = ranks, value

    def add_cuts(self, full: FloatArray) -> bool:
        """Rows against the circles ``i, j, k`` of a point, if there are any.

        A circle that is broken costs at least the least difference of its pairs. A row that is
        there already and still violated is the solver's rounding, and not added again.
        """
        triples, excess = violated_dicycles(full, _FEASIBLE)
        keys = triples @ np.array([len(full) ** 2, len(full), 1])
        following = np.roll(triples, -1, axis=1)
        columns = self.index[np.minimum(triples, following), np.maximum(triples, following)]
        gain = excess * np.abs(self.gaps[columns]).min(axis=1)
        chosen = np.argsort(-gain, kind="stable")
        chosen = chosen[~np.isin(keys[chosen], self.known)][:_ROWS]
        if chosen.size == 0:
            return False
        # x of a pair against the order of its indices is 1 - x.
        columns, forward = columns[chosen], (triples < following)[chosen]
        signs = np.where(forward, 1.0, -1.0)
        limits = 2.0 - (~forward).sum(axis=1)
        self.program.add_rows(columns, signs, limits)
        self.columns = np.concatenate([self.columns, columns])
        self.signs = np.concatenate([self.signs, signs])
        self.limits = np.concatenate([self.limits, limits])
        self.known = np.concatenate([self.known, keys[chosen]])
        return True

    def relax(self, lower: FloatArray, upper: FloatArray) -> tuple[str, FloatArray, FloatArray]:
        """Status, point and multipliers of the program; without rows each pair is on its own."""
        if self.limits.size == 0:
            return "optimal", np.where(self.gaps < 0.0, upper, lower), self.limits
        answer = self.program.solve(lower, upper, max(self.deadline - perf_counter(), 1e-3))
        return answer.status, np.clip(answer.x, 0.0, 1.0), np.minimum(answer.multipliers, 0.0)

    def bound(
        self, multipliers: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[float, FloatArray]:
        """What the multipliers prove, whatever the solver's tolerances, and reduced costs."""
        reduced = self.gaps - np.bincount(
            self.columns.ravel(),
            (self.signs * multipliers[:, None]).ravel(),
            minlength=self.gaps.size,
        )
        cheapest = np.where(reduced > 0.0, lower, upper)
        return float(multipliers @ self.limits + reduced @ cheapest), reduced


def _settle_node(
    search: _Search, bound: float, lower: FloatArray, upper: FloatArray
) -> tuple[float, int, FloatArray, FloatArray]:
    """Cut until no row is violated: the bound of a node, the pair to branch on, and its bounds.

    The pair is -1 if the node is settled, -2 if time ran out.
    """
    while True:
        status, x, multipliers = search.relax(lower, upper)
        if status == "infeasible":
            return np.inf, -1, lower, upper
        if status == "stopped":
            return bound, -2, lower, upper
        proven, reduced = search.bound(multipliers, lower, upper)
        bound = max(bound, proven)
        full = search.matrix(x)
        search.offer(full)
        if bound >= search.enough:
            return bound, -1, lower, upper
        # A pair whose other direction costs more than can be gained stays as it is.
        hopeless = search.enough if search.whole else search.value
        stays = proven + np.abs(reduced) * (upper - lower) >= hopeless
        lower = np.where(stays & (reduced < 0.0), upper, lower)
        upper = np.where(stays & (reduced > 0.0), lower, upper)
        if not search.add_cuts(full):
            split = np.minimum(x, 1.0 - x) * (np.abs(search.gaps) + search.tolerance)
            pair = int(np.where(lower < upper, split, -1.0).argmax())
            whole = min(x[pair], 1.0 - x[pair]) <= _FEASIBLE
            return bound, -1 if whole else pair, lower, upper
        if perf_counter() > search.deadline:
            return bound, -2, lower, upper


def _branch(search: _Search, lower: FloatArray, upper: FloatArray) -> float:
    """Best bound first. Returns the proven lower bound."""
    counter = 0
    open_nodes = [(-np.inf, counter, lower, upper)]
    while open_nodes:
        bound, _, lower, upper = heapq.heappop(open_nodes)
        if bound >= search.enough:
            search.left_out = min(search.left_out, bound)
            break
        bound, pair, lower, upper = _settle_node(search, bound, lower, upper)
        if pair < 0:
            search.left_out = min(search.left_out, bound)
            if pair == -2:
                break
            continue
        for side in (0.0, 1.0):
            counter += 1
            lower_side, upper_side = lower.copy(), upper.copy()
            lower_side[pair] = upper_side[pair] = side
            heapq.heappush(open_nodes, (bound, counter, lower_side, upper_side))
    # The heap is sorted by bound: its first is the least of what is still open.
    left = min(search.left_out, open_nodes[0][0] if open_nodes else np.inf)
    return min(search.value, left)


def solve_by_cuts(
    costs: FloatArray,
    before: BoolArray,
    start: IntArray,
    time_limit: float | None,
    backend: Backend,
) -> tuple[IntArray, float, bool]:
    """One problem ``(m, m)`` from the order `start`: ranks, gap, and whether they are proven.

    Preconditions: as after `as_problems`; `start` respects `before`.
    """
    deadline = np.inf if time_limit is None else perf_counter() + time_limit
    first, second = np.triu_indices(len(costs), 1)
    gaps = costs[first, second] - costs[second, first]
    total = float(np.abs(gaps).sum())
    whole = total < 1e10 and bool((gaps == np.round(gaps)).all())
    scale = 1.0 if whole or total == 0.0 else _SIZE / float(np.abs(gaps).max())
    gaps = gaps * scale
    search = _Search(
        gaps=gaps,
        before=before,
        program=open_relaxation(gaps, backend),
        whole=whole,
        tolerance=1e-4 if whole else _PROVEN * total * scale,
        deadline=deadline,
        best=start,
        value=float(gaps @ (start[first] < start[second])),
    )
    least = _branch(
        search,
        before[first, second].astype(np.float64),
        1.0 - before[second, first].astype(np.float64),
    )
    if whole:
        least = np.ceil(least - search.tolerance)
    gap = max(search.value - least, 0.0)
    return search.best, gap / scale, gap == 0.0 if whole else gap <= search.tolerance


def cut_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    time_limit: float | None = None,
    backend: Backend = "auto",
    n_iterations: int = 200,
    random_state: int | np.random.Generator = 0,
) -> DecodedOrders:
    """``argmin over orders of the sum of costs[i, j] over i before j``, with a proof.

    The start is that of `local_orders`. Bounds are computed from multipliers, not taken from the
    solver, so they hold up to rounding; integer costs let them be rounded up.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal is ignored. Problems are solved one after another.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    time_limit : float, optional
        Seconds for each problem; when they are over, the best order so far and its gap are
        returned (which may then differ from machine to machine). None waits for the proof.
    backend : "auto", "highspy" or "scipy"
        What solves the linear programs; "auto" takes highspy, several times faster, if it is there.
    n_iterations : int
    random_state : int or numpy Generator
        Of the local search before.

    Returns
    -------
    DecodedOrders
        `exact` where the gap is 0 or, if the differences ``costs[i, j] - costs[j, i]`` are no
        integers, at most 1e-9 of the sum of their sizes.

    Examples
    --------
    >>> costs = np.random.default_rng(0).integers(0, 100, (1, 25, 25))
    >>> found = cut_orders(costs)
    >>> found.exact, found.gaps
    (array([ True]), array([0.]))
    """
    costs, forced = as_problems(costs, before, "cut_orders")
    generator = np.random.default_rng(random_state)
    ranks = insertion_orders(costs, forced, generator.random((n_iterations, 3, 2)))
    gaps, exact = np.empty(len(costs)), np.empty(len(costs), dtype=np.bool_)
    for r, cost in enumerate(costs):
        own = forced[min(r, len(forced) - 1)]
        ranks[r], gaps[r], exact[r] = solve_by_cuts(cost, own, ranks[r], time_limit, backend)
    return DecodedOrders(
        ranks,
        order_values(costs, ranks),
        gaps,
        exact,
        np.full(len(costs), "cuts", dtype="<U10"),
    )
