"""The nearest numbers of which each bag of rows has a sum within bounds: an exact projection."""

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

# Corrections of the rounding error of a sum; each leaves about 1e-16 of the last one.
_CORRECTIONS = 2


def nearest_with_sums(
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    bags: IntArray,
    sums: FloatArray,
    curvature: FloatArray | None = None,
) -> FloatArray:
    """``argmin sum_j q_j (y_j - v_j)^2`` over intervals and bounds on the sum of every bag.

    The bags are separate problems. The solution is ``y_j = clip(v_j + mu_b / q_j)`` with one
    number ``mu_b`` for each bag: zero if the sum is within its bounds, otherwise that at which the
    sum, which is piecewise linear in ``mu_b``, reaches the nearer bound. The segment is found by
    bisection of its sorted ends, for all bags together.

    Parameters
    ----------
    values, lower, upper : float array (n,)
        ``v``, and the ends of the intervals, which may be infinite.
    bags : int array (n,)
        The bag of each row, from 0 to B - 1.
    sums : float array (B, 2)
        The smallest and the largest sum of each bag, which its intervals must allow.
    curvature : float array (n,), optional
        ``q``, positive; by default 1.

    Examples
    --------
    >>> values, bags = np.array([0.0, 0.5, 3.0]), np.array([0, 0, 1])
    >>> lower, upper = np.zeros(3), np.array([1.0, 4.0, 9.0])
    >>> nearest_with_sums(values, lower, upper, bags, np.array([[3.5, 3.5], [0.0, 5.0]]))
    array([1. , 2.5, 3. ])
    """
    found: FloatArray = np.clip(values, lower, upper)
    totals = np.bincount(bags, found, minlength=len(sums))
    goals = np.clip(totals, sums[:, 0], sums[:, 1])
    moved = goals != totals
    if moved.any():
        rows = np.flatnonzero(moved[bags])
        codes = (np.cumsum(moved) - 1)[bags[rows]]
        inverse = np.ones(rows.size) if curvature is None else 1.0 / curvature[rows]
        bag = _Bags(values[rows], lower[rows], upper[rows], inverse, codes, goals[moved])
        found[rows] = bag.nearest()
    return found


class _Bags:
    """Bags whose sums must be the goals."""

    def __init__(
        self,
        values: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        inverse: FloatArray,
        codes: IntArray,
        goals: FloatArray,
    ) -> None:
        self.values, self.lower, self.upper = values, lower, upper
        self.inverse, self.codes, self.goals = inverse, codes, goals
        # Row j moves with mu from its first to its last end.
        self.first, self.last = (lower - values) / inverse, (upper - values) / inverse

    def at(self, multipliers: FloatArray) -> FloatArray:
        """The numbers for one multiplier for each bag."""
        moved = self.values + self.inverse * multipliers[self.codes]
        return np.asarray(np.clip(moved, self.lower, self.upper))

    def totals(self, entries: FloatArray) -> FloatArray:
        """The sum of each bag."""
        return np.bincount(self.codes, entries, minlength=len(self.goals)).astype(np.float64)

    def nearest(self) -> FloatArray:
        left, right = self._segment()
        base = np.where(np.isfinite(left), left, np.where(np.isfinite(right), right, 0.0))
        free: BoolArray = (self.first <= left[self.codes]) & (self.last >= right[self.codes])
        slopes = self.totals(self.inverse * free)
        # At the end of a row its number is this end exactly.
        reached = base[self.codes]
        found = np.where(self.first >= reached, self.lower, self.at(base))
        found = np.where(self.last <= reached, self.upper, found)
        for _ in range(1 + _CORRECTIONS):
            lacking = self.goals - self.totals(found)
            steps = np.divide(lacking, slopes, out=np.zeros_like(slopes), where=slopes > 0)
            moved = np.clip(found + self.inverse * steps[self.codes], self.lower, self.upper)
            found = np.where(free, moved, found)
        return found

    def _segment(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the linear segment in which each sum reaches its goal."""
        ends, owners = np.concatenate([self.first, self.last]), np.tile(self.codes, 2)
        is_finite = np.isfinite(ends)
        ends, owners = ends[is_finite], owners[is_finite]
        ends = ends[np.lexsort((ends, owners))]
        counts = np.bincount(owners, minlength=len(self.goals))
        starts = np.cumsum(counts) - counts
        # With one more end the position after the last one can be read, too.
        ends = np.append(ends, np.inf)
        low, high = np.zeros_like(counts), counts.copy()
        while (low < high).any():
            is_open = low < high
            middle = (low + high) // 2
            ahead = np.where(is_open, ends[starts + middle], 0.0)
            reached = self.totals(self.at(ahead)) >= self.goals
            high = np.where(is_open & reached, middle, high)
            low = np.where(is_open & ~reached, middle + 1, low)
        left = np.where(low > 0, ends[starts + low - 1], -np.inf)
        right = np.where(low < counts, ends[starts + low], np.inf)
        return left, right
