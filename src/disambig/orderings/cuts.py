"""Proven optimal orders of many items: branch and cut with linear programs.

With ``x[i, j] = 1`` if i stands before j, an order is a 0/1 point without a cycle of three items:
``x[i, j] + x[j, k] + x[k, i] <= 2``. Few of these rows matter, so a row is added when a solution
violates it. Pairs that stay fractional are branched on, one at a time. The place of item i is
``sum_j x[j, i]``; windows of places are rows from the start.
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
from disambig.orderings.windows import as_windows, no_windows

Backend = Literal["auto", "highspy", "scipy"]

# A row is violated and a variable is fractional if it is off by more than this; solutions of the
# solver are not more accurate.
_FEASIBILITY_TOLERANCE = 1e-6
# If costs are no integers, an order is proven optimal up to this share of the sum of all absolute
# cost differences.
_PROOF_TOLERANCE = 1e-9
# Rows that are added at once, those of the largest gain first: with all violated rows, a single
# linear program could take all the time.
_MAX_NEW_ROWS = 1000
# The largest cost difference after scaling, if costs are no integers. They are scaled because the
# tolerances of solvers are absolute.
_SCALED_COST = 1e4


@dataclass
class _Search:
    """The state of branch and cut on one problem.

    `differences`, ``(v,)``, are the scaled ``costs[i, j] - costs[j, i]`` for ``i < j``. Values are
    relative to the order in which no i stands before any j > i. `windows`, ``(m, 2)``, or
    ``(0, 2)`` for none, bound places. `best` and `value` are the best order so far,
    `discarded_bound` is the least bound of the nodes that are not branched on any more, and
    `columns`, `signs`, `limits` and `cut_keys` describe the rows added so far.
    """

    differences: FloatArray
    before: BoolArray
    windows: IntArray
    program: Relaxation
    integral: bool  # Whether the values of orders are integers.
    tolerance: float
    deadline: float
    best: IntArray
    value: float
    discarded_bound: float = np.inf
    columns: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))
    signs: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    limits: FloatArray = field(default_factory=lambda: np.zeros(0))
    cut_keys: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def __post_init__(self) -> None:
        self.first, self.second = np.triu_indices(len(self.before), 1)
        self.index = np.zeros(self.before.shape, dtype=np.intp)
        self.index[self.first, self.second] = np.arange(self.differences.size)
        self.place_rows, self.place_limits = self._place_rows()

    def _place_rows(self) -> tuple[FloatArray, FloatArray]:
        """Rows ``(w, v)`` and limits ``(w,)`` that keep items within their windows; adds them."""
        m = len(self.before)
        # The place of i is the sum of its row of signs, plus the number of its pairs i < j.
        signs = np.zeros((m, self.differences.size))
        signs[self.second, np.arange(self.differences.size)] = 1.0
        signs[self.first, np.arange(self.differences.size)] = -1.0
        later = np.arange(m - 1.0, -1.0, -1.0)
        late = self.windows[:, 1] < m - 1 if len(self.windows) else np.zeros(m, dtype=np.bool_)
        early = self.windows[:, 0] > 0 if len(self.windows) else late
        rows = np.concatenate([signs[late], -signs[early]])
        if not len(rows):
            return rows, np.zeros(0)
        limits = np.concatenate(
            [(self.windows[:, 1] - later)[late], (later - self.windows[:, 0])[early]]
        )
        columns = np.nonzero(rows)[1].reshape(len(rows), m - 1)
        self.program.add_rows(columns, np.take_along_axis(rows, columns, axis=1), limits)
        return rows, limits

    @property
    def sufficient_bound(self) -> float:
        """A node with at least this bound has no order better by more than the tolerance."""
        return self.value - (1.0 - self.tolerance if self.integral else self.tolerance)

    def matrix(self, x: FloatArray) -> FloatArray:
        """``x[i, j]`` for all pairs, ``(m, m)``."""
        full = np.zeros(self.before.shape)
        full[self.first, self.second] = x
        full[self.second, self.first] = 1.0 - x
        return full

    def try_order(self, full: FloatArray) -> None:
        """Round a point to an order by its row sums; keep it if it is allowed and better."""
        ranks = np.argsort(np.argsort(-full.sum(axis=1), kind="stable"))
        value = float(self.differences @ (ranks[self.first] < ranks[self.second]))
        allowed = not (self.before & (ranks[:, None] > ranks)).any()
        if len(self.windows):
            allowed &= bool(((ranks >= self.windows[:, 0]) & (ranks <= self.windows[:, 1])).all())
        if allowed and value < self.value:
            self.best, self.value = ranks, value

    def add_cuts(self, full: FloatArray) -> bool:
        """Add rows against the 3-cycles of a point; returns whether there was any to add.

        The gain of a row is its violation times the least cost difference of its pairs, which is
        what it costs at least to break the cycle. A row that was added before and is still
        violated is due to rounding by the solver, and is not added again.
        """
        triples, excess = violated_dicycles(full, _FEASIBILITY_TOLERANCE)
        keys = triples @ np.array([len(full) ** 2, len(full), 1])
        following = np.roll(triples, -1, axis=1)
        columns = self.index[np.minimum(triples, following), np.maximum(triples, following)]
        gain = excess * np.abs(self.differences[columns]).min(axis=1)
        chosen = np.argsort(-gain, kind="stable")
        chosen = chosen[~np.isin(keys[chosen], self.cut_keys)][:_MAX_NEW_ROWS]
        if chosen.size == 0:
            return False
        # x[j, i] = 1 - x[i, j] for j > i.
        columns, forward = columns[chosen], (triples < following)[chosen]
        signs = np.where(forward, 1.0, -1.0)
        limits = 2.0 - (~forward).sum(axis=1)
        self.program.add_rows(columns, signs, limits)
        self.columns = np.concatenate([self.columns, columns])
        self.signs = np.concatenate([self.signs, signs])
        self.limits = np.concatenate([self.limits, limits])
        self.cut_keys = np.concatenate([self.cut_keys, keys[chosen]])
        return True

    def relax(self, lower: FloatArray, upper: FloatArray) -> tuple[str, FloatArray, FloatArray]:
        """Status, point and multipliers of the linear program.

        Without rows, every pair takes its cheaper direction.
        """
        if self.limits.size + self.place_limits.size == 0:
            return "optimal", np.where(self.differences < 0.0, upper, lower), self.limits
        solution = self.program.solve(lower, upper, max(self.deadline - perf_counter(), 1e-3))
        return solution.status, np.clip(solution.x, 0.0, 1.0), np.minimum(solution.multipliers, 0.0)

    def bound(
        self, multipliers: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[float, FloatArray]:
        """The lower bound that the multipliers prove, and reduced costs.

        The bound holds whatever the tolerances of the solver.
        """
        of_places, of_cuts = np.split(multipliers, [self.place_limits.size])
        reduced = self.differences - np.bincount(
            self.columns.ravel(),
            (self.signs * of_cuts[:, None]).ravel(),
            minlength=self.differences.size,
        )
        constant = of_cuts @ self.limits
        if of_places.size:
            reduced -= of_places @ self.place_rows
            constant += of_places @ self.place_limits
        cheapest = np.where(reduced > 0.0, lower, upper)
        return float(constant + reduced @ cheapest), reduced


def _solve_node(
    search: _Search, bound: float, lower: FloatArray, upper: FloatArray
) -> tuple[float, int, FloatArray, FloatArray]:
    """Add cuts until no row is violated.

    Returns the bound of the node, the pair to branch on, and the bounds of its variables. The pair
    is -1 if the node is solved and -2 if the time is over.
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
        search.try_order(full)
        if bound >= search.sufficient_bound:
            return bound, -1, lower, upper
        # Reduced-cost fixing: a pair is fixed if its other direction cannot lead to a better order.
        max_useful = search.sufficient_bound if search.integral else search.value
        fixed = proven + np.abs(reduced) * (upper - lower) >= max_useful
        lower = np.where(fixed & (reduced < 0.0), upper, lower)
        upper = np.where(fixed & (reduced > 0.0), lower, upper)
        if not search.add_cuts(full):
            scores = np.minimum(x, 1.0 - x) * (np.abs(search.differences) + search.tolerance)
            pair = int(np.where(lower < upper, scores, -1.0).argmax())
            is_integral = min(x[pair], 1.0 - x[pair]) <= _FEASIBILITY_TOLERANCE
            return bound, -1 if is_integral else pair, lower, upper
        if perf_counter() > search.deadline:
            return bound, -2, lower, upper


def _branch(search: _Search, lower: FloatArray, upper: FloatArray) -> float:
    """Branch on nodes, the one of least bound first; returns the proven lower bound."""
    counter = 0
    open_nodes = [(-np.inf, counter, lower, upper)]
    while open_nodes:
        bound, _, lower, upper = heapq.heappop(open_nodes)
        if bound >= search.sufficient_bound:
            search.discarded_bound = min(search.discarded_bound, bound)
            break
        bound, pair, lower, upper = _solve_node(search, bound, lower, upper)
        if pair < 0:
            search.discarded_bound = min(search.discarded_bound, bound)
            if pair == -2:
                break
            continue
        for side in (0.0, 1.0):
            counter += 1
            lower_side, upper_side = lower.copy(), upper.copy()
            lower_side[pair] = upper_side[pair] = side
            heapq.heappush(open_nodes, (bound, counter, lower_side, upper_side))
    # The first node of the heap has the least bound of the open ones.
    least_bound = min(search.discarded_bound, open_nodes[0][0] if open_nodes else np.inf)
    return min(search.value, least_bound)


def solve_by_cuts(
    costs: FloatArray,
    before: BoolArray,
    start: IntArray,
    time_limit: float | None,
    backend: Backend,
    windows: IntArray | None = None,
) -> tuple[IntArray, float, bool]:
    """Solve one problem ``(m, m)`` from the order `start`, within windows ``(m, 2)``.

    Returns the ranks, the gap, and whether the order is proven optimal.

    Preconditions: arrays are as `as_problems` and `as_windows` return them; `start` respects them.
    """
    deadline = np.inf if time_limit is None else perf_counter() + time_limit
    first, second = np.triu_indices(len(costs), 1)
    differences = costs[first, second] - costs[second, first]
    total = float(np.abs(differences).sum())
    integral = total < 1e10 and bool((differences == np.round(differences)).all())
    scale = 1.0 if integral or total == 0.0 else _SCALED_COST / float(np.abs(differences).max())
    differences = differences * scale
    search = _Search(
        differences=differences,
        before=before,
        windows=no_windows()[0] if windows is None else windows,
        program=open_relaxation(differences, backend),
        integral=integral,
        tolerance=1e-4 if integral else _PROOF_TOLERANCE * total * scale,
        deadline=deadline,
        best=start,
        value=float(differences @ (start[first] < start[second])),
    )
    least = _branch(
        search,
        before[first, second].astype(np.float64),
        1.0 - before[second, first].astype(np.float64),
    )
    if integral:
        least = np.ceil(least - search.tolerance)
    gap = max(search.value - least, 0.0)
    return search.best, gap / scale, gap == 0.0 if integral else gap <= search.tolerance


def cut_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    time_limit: float | None = None,
    backend: Backend = "auto",
    n_iterations: int = 200,
    random_state: int | np.random.Generator = 0,
) -> DecodedOrders:
    """``argmin over orders of the sum of costs[i, j] over i before j``, with a proof.

    Starts from the order of `local_orders`. Bounds are computed from the multipliers and not taken
    from the solver, so that they hold up to rounding; with integer costs they are rounded up.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal is ignored. Problems are solved one after another.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.
    time_limit : float, optional
        Seconds for each problem. When they are over, the best order so far and its gap are
        returned, which may then differ between machines. None waits for the proof.
    backend : "auto", "highspy" or "scipy"
        The solver of the linear programs. "auto" takes highspy, which is several times as fast, if
        it is installed.
    n_iterations : int
        Kicks of the local search that gives the first order.
    random_state : int or numpy Generator
        Seed of that local search.

    Returns
    -------
    DecodedOrders
        `exact` if the gap is 0 or, if the differences ``costs[i, j] - costs[j, i]`` are no
        integers, at most 1e-9 of the sum of their absolute values.

    Examples
    --------
    >>> costs = np.random.default_rng(0).integers(0, 100, (1, 25, 25))
    >>> found = cut_orders(costs)
    >>> found.exact, found.gaps
    (array([ True]), array([0.]))
    """
    costs, forced = as_problems(costs, before, "cut_orders")
    generator = np.random.default_rng(random_state)
    limits = as_windows(windows, forced, len(costs), costs.shape[1], "cut_orders")
    within = no_windows() if limits is None else limits
    ranks = insertion_orders(costs, forced, within, generator.random((n_iterations, 3, 2)))
    gaps, exact = np.empty(len(costs)), np.empty(len(costs), dtype=np.bool_)
    for r, cost in enumerate(costs):
        own = forced[min(r, len(forced) - 1)]
        bounds = None if limits is None else limits[r]
        ranks[r], gaps[r], exact[r] = solve_by_cuts(
            cost, own, ranks[r], time_limit, backend, bounds
        )
    return DecodedOrders(
        ranks,
        order_values(costs, ranks),
        gaps,
        exact,
        np.full(len(costs), "cuts", dtype="<U10"),
    )
