"""Max-margin interval tree: leaves and splits that minimise the squared hinge to the intervals.

The tree is grown from the root. Of all splits ``x_f <= threshold`` with enough rows on both sides,
it takes the one with the least sum of losses of the two sides, each with its best constant. A node
without loss, or one that no split improves, is a leaf.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.intervals.hinge import minimum_of_sorted, sorted_breakpoints
from benchmarks.intervals.prefix_costs import prefix_costs
from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray

__all__ = ["IntervalTree", "grow"]

# The share of the cost of a node by which a split must reduce it.
_MIN_GAIN_SHARE = 1e-9


@dataclass(frozen=True)
class IntervalTree:
    """Arrays of a tree; ``feature[t] < 0`` marks a leaf, and children come after their parent."""

    feature: AnyArray
    threshold: FloatArray
    left: AnyArray
    right: AnyArray
    value: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        return _predict(X, self.feature, self.threshold, self.left, self.right, self.value)


def grow(
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    margin: float = 0.0,
    min_leaf: int = 1,
    counts: AnyArray | None = None,
    n_features: int | None = None,
    rng: np.random.Generator | None = None,
) -> IntervalTree:
    """A tree on rows that occur `counts` times, with `n_features` drawn at every node.

    `min_leaf` counts distinct rows. Features that are constant in a node do not count as drawn.
    """
    n, d = X.shape
    if counts is not None:
        drawn = np.flatnonzero(counts)
        X, lower, upper, counts = X[drawn], lower[drawn], upper[drawn], counts[drawn]
        n = len(drawn)
    weights = np.ones(n) if counts is None else counts.astype(float)
    wanted = d if n_features is None else n_features
    draws = np.zeros((2 * n, d)) if rng is None else rng.random((2 * n, d))
    orders = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T)
    return IntervalTree(
        *_grow(
            np.ascontiguousarray(X), lower, upper, weights, orders, draws, margin, min_leaf, wanted
        )
    )


@compiled
def _grow(
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    weights: FloatArray,
    orders: AnyArray,
    draws: FloatArray,
    margin: float,
    min_leaf: int,
    wanted: int,
) -> tuple[AnyArray, FloatArray, AnyArray, AnyArray, FloatArray]:
    n, d = X.shape
    max_nodes = 2 * n
    feature = np.full(max_nodes, -1, np.int64)
    threshold = np.zeros(max_nodes)
    left = np.full(max_nodes, -1, np.int64)
    right = np.full(max_nodes, -1, np.int64)
    value = np.zeros(max_nodes)
    # The rows of a node are contiguous in the order of each feature, and so are its breakpoints.
    all_values, all_owners, all_lower = sorted_breakpoints(lower, upper, margin)
    points = np.arange(len(all_values))
    row_indices = np.arange(n)
    rows_from, rows_to = np.zeros(max_nodes, np.int64), np.zeros(max_nodes, np.int64)
    points_from, points_to = np.zeros(max_nodes, np.int64), np.zeros(max_nodes, np.int64)
    rows_to[0], points_to[0] = n, len(points)
    ranks = np.full((n, 2), -1, np.int64)
    goes_left = np.zeros(n, np.bool_)
    space = np.empty(max_nodes, np.int64)
    n_nodes, node = 1, 0
    while node < n_nodes:
        a, b = rows_from[node], rows_to[node]
        here = points[points_from[node] : points_to[node]]
        values, owners, is_lower = all_values[here], all_owners[here], all_lower[here]
        value[node], cost, start = minimum_of_sorted(values, weights[owners], is_lower)
        f, place = -1, 0
        if cost > 0.0 and b - a >= 2 * min_leaf:
            for t in range(len(owners)):
                ranks[owners[t], 0 if is_lower[t] else 1] = t
            f, place = _best_split(
                X,
                orders[:, a:b],
                weights,
                ranks,
                values,
                is_lower,
                start,
                cost * (1.0 - _MIN_GAIN_SHARE),
                draws[node],
                min_leaf,
                wanted,
            )
        if f >= 0:
            rows = orders[f, a:b]
            low, high = X[rows[place - 1], f], X[rows[place], f]
            middle = low + 0.5 * (high - low)
            feature[node] = f
            threshold[node] = middle if middle < high else low
            for t in range(len(rows)):
                goes_left[rows[t]] = t < place
            for g in range(d):
                _stable_partition(orders[g, a:b], row_indices, goes_left, space)
            cut = _stable_partition(here, all_owners, goes_left, space)
            left[node], right[node] = n_nodes, n_nodes + 1
            rows_from[n_nodes], rows_to[n_nodes] = a, a + place
            rows_from[n_nodes + 1], rows_to[n_nodes + 1] = a + place, b
            points_from[n_nodes], points_to[n_nodes] = points_from[node], points_from[node] + cut
            points_from[n_nodes + 1] = points_from[node] + cut
            points_to[n_nodes + 1] = points_to[node]
            n_nodes += 2
        node += 1
    return feature[:n_nodes], threshold[:n_nodes], left[:n_nodes], right[:n_nodes], value[:n_nodes]


@compiled
def _best_split(
    X: FloatArray,
    orders: AnyArray,
    weights: FloatArray,
    ranks: AnyArray,
    values: FloatArray,
    is_lower: AnyArray,
    start: int,
    best: float,
    draws: FloatArray,
    min_leaf: int,
    wanted: int,
) -> tuple[int, int]:
    """The feature of the best split and its number of left rows; -1 if none is below `best`.

    Features are drawn without replacement until `wanted` of them vary in the node.
    """
    d, size = orders.shape
    features = np.arange(d)
    before, after = np.empty(size), np.empty(size)
    best_feature, best_place, tried = -1, 0, 0
    for t in range(d):
        if tried == wanted:
            break
        pick = t + int(draws[t] * (d - t))
        features[t], features[pick] = features[pick], features[t]
        f = features[t]
        rows = orders[f]
        if X[rows[0], f] == X[rows[-1], f]:
            continue
        tried += 1
        prefix_costs(rows, weights, ranks, values, is_lower, start, before)
        prefix_costs(rows[::-1], weights, ranks, values, is_lower, start, after)
        for place in range(min_leaf, size - min_leaf + 1):
            total = before[place - 1] + after[size - place - 1]
            if total < best and X[rows[place - 1], f] < X[rows[place], f]:
                best, best_feature, best_place = total, f, place
    return best_feature, best_place


@compiled
def _stable_partition(
    items: AnyArray, owners: AnyArray, goes_left: AnyArray, space: AnyArray
) -> int:
    """Move items whose owners go left to the front, and return their number."""
    place, kept = 0, 0
    for t in range(len(items)):
        item = items[t]
        if goes_left[owners[item]]:
            items[place] = item
            place += 1
        else:
            space[kept] = item
            kept += 1
    items[place:] = space[:kept]
    return place


@compiled
def _predict(
    X: FloatArray,
    feature: AnyArray,
    threshold: FloatArray,
    left: AnyArray,
    right: AnyArray,
    value: FloatArray,
) -> FloatArray:
    found = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
        found[i] = value[node]
    return found
