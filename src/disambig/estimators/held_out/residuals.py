"""The distribution of residuals that held-out sets allow, and what it says inside a set.

The number of a row is ``y = f + scale e``: f is the prediction by models that never saw its set, e
has one of the distributions of `families`. Then ``P(S)`` is a difference of cumulative
probabilities, and so is every probability inside the set. Columns are independent; a box has the
product. `residual_fit` finds family and scale.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import IntervalUnions
from disambig.candidates.numbers.intervals import value_table
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.held_out.families import FAMILIES, Family
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_number


class Segments(NamedTuple):
    """The segments of all entries, row by row and column by column.

    Attributes
    ----------
    lower, upper : float array (m,)
    starts : int array (n d,)
        The first segment of each entry.
    entries : int array (m,)
        The entry of each segment.
    only_points : bool array (m,)
        Whether the entry has no segment of positive length. Its points then have densities.
    """

    lower: FloatArray
    upper: FloatArray
    starts: IntArray
    entries: IntArray
    only_points: BoolArray

    def total(self, values: FloatArray) -> FloatArray:
        """The sum over the segments of each entry, ``(n d,)``."""
        return np.asarray(np.add.reduceat(values, self.starts))

    @property
    def lengths(self) -> FloatArray:
        """How much each segment has of a uniform distribution; points count if nothing else is."""
        return np.where(self.only_points, 1.0, self.upper - self.lower)


def segments_of(sets: NumberSets) -> Segments:
    """The segments of sets of numbers."""
    if isinstance(sets, IntervalUnions):
        lower, upper, starts, entries = sets.lower, sets.upper, sets.indptr[:-1], sets.rows
    else:
        lower, upper = sets.hull.lower.ravel(), sets.hull.upper.ravel()
        starts = entries = np.arange(lower.size)
    if not starts.size:
        return Segments(lower, upper, starts, entries, np.zeros(0, dtype=np.bool_))
    longest = np.maximum.reduceat(upper - lower, starts)
    return Segments(lower, upper, starts, entries, longest[entries] == 0)


def set_texts(sets: NumberSets) -> list[str]:
    """Sets of numbers as short texts.

    Examples
    --------
    >>> from disambig.candidates import number_sets
    >>> set_texts(number_sets([(0, 1.5), 2.0]))
    ['[0, 1.5]', '2']
    """
    segments = segments_of(sets)
    parts: list[list[str]] = [[] for _ in segments.starts]
    for entry, low, high in zip(segments.entries, segments.lower, segments.upper, strict=True):
        parts[entry].append(f"{low:.4g}" if low == high else f"[{low:.4g}, {high:.4g}]")
    texts = [" or ".join(part) for part in parts]
    d = sets.n_columns
    return [" x ".join(texts[row * d : (row + 1) * d]) for row in range(len(sets))]


def segment_probabilities(
    family: Family, segments: Segments, predictions: FloatArray, scales: FloatArray
) -> FloatArray:
    """``P(segment)`` for each segment, ``(m,)``; densities where an entry has only points.

    Parameters
    ----------
    family : Family
    segments : Segments
    predictions, scales : float array (n d,)
    """
    middle, scale = predictions[segments.entries], scales[segments.entries]
    low, high = (segments.lower - middle) / scale, (segments.upper - middle) / scale
    found = family.between(low, high)
    if not segments.only_points.any():
        return found
    return np.where(segments.only_points, family.density(low) / scale, found)


@dataclass(frozen=True, eq=False)
class Residuals:
    """The distribution of ``y - f`` for predictions f that never saw the set of y.

    Parameters
    ----------
    family : {"normal", "logistic", "laplace", "student"}
        Student's t has three degrees of freedom.
    scale : float array (d,)
        One for each column.
    wrong_share : float, default 0
        The share of sets that miss their number.
    center, spread : float array (d,), optional
        Of the distribution of all numbers, of the same family, without looking at x. A wrong set
        is taken for one of another row, and has its probability under this distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.candidates import number_sets
    >>> residuals = Residuals("normal", np.array([1.0]))
    >>> sets = number_sets([(-1, 1), (0, float("inf")), 2.0])
    >>> residuals.set_probability([0, 0, 0], sets).round(3).tolist()
    [0.683, 0.5, 0.0]
    >>> residuals.within([0, 0, 2], [0, 0, 0], sets, 1.0).round(3).tolist()
    [1.0, 0.683, 1.0]
    >>> residuals.central([0, 0, 0], sets, 0.9)[:, 0].round(2).tolist()
    [[-0.87, 0.87], [0.06, 1.96], [2.0, 2.0]]
    >>> residuals.median([0, 0, 0], sets)[:, 0].round(2).tolist()
    [0.0, 0.67, 2.0]
    """

    family: str
    scale: FloatArray
    wrong_share: float = 0.0
    center: FloatArray | None = None
    spread: FloatArray | None = None

    @property
    def _family(self) -> Family:
        return FAMILIES[self.family]

    def set_probability(self, predictions: Any, sets: NumberSets) -> FloatArray:
        """``P(y in S)``, ``(n,)``; 0 for points, which have a density only."""
        segments, found = self._parts(predictions, sets)
        found = np.where(segments.only_points, 0.0, found)
        # The sum of several segments may exceed one by rounding.
        probability = np.minimum(segments.total(found), 1.0)
        return np.asarray(probability.reshape(len(sets), -1).prod(axis=1))

    def near_probability(self, distance: FloatArray) -> float:
        """``P(|y - f| <= distance)``, in all columns."""
        reach = np.asarray(distance) / self.scale
        return float(np.prod(self._family.between(-reach, reach)))

    def suspicion(self, predictions: Any, sets: NumberSets) -> FloatArray:
        """``1 - P(S) / P*(S)``: how badly the set lies around the prediction, ``(n,)``.

        ``P*(S)`` is the most that a set so long can have: the probability of an interval of the
        same length around the prediction, and 1 for unbounded sets, so that these have ``1 -
        P(S)``. Points have densities. ``1 - P(S)`` alone would suspect every short set.
        """
        segments, found = self._parts(predictions, sets)
        middles = self._table(predictions, sets)
        scales = self._scales(middles)
        half = 0.5 * segments.total(segments.upper - segments.lower) / scales
        count = segments.total(np.ones(segments.lower.shape))
        highest = count * self._family.density(np.zeros(1))[0] / scales
        most = np.where(half > 0, self._family.between(-half, half), highest)
        ratio = np.minimum(segments.total(found) / most, 1.0)
        return np.asarray(1.0 - ratio.reshape(len(sets), -1).prod(axis=1))

    def wrong_probability(
        self, predictions: Any, sets: NumberSets, share: float | None = None
    ) -> FloatArray:
        """``nu B(S) / ((1 - nu) P(S) + nu B(S))``: that the set misses its number, ``(n,)``.

        B is the distribution of all numbers, see `center`; for points both are densities. A set
        that x explains no better than no x at all is suspect, however long it is. The largest of
        the columns counts for a box.

        Parameters
        ----------
        predictions : array-like (n, d), or (n,)
        sets : NumberSets
        share : float, optional
            nu; by default `wrong_share`.
        """
        nu = self.wrong_share if share is None else share
        check_number("wrong_probability", "share", nu, most=1)
        likely, broad = self.likelihoods(predictions, sets)
        n = len(sets)
        right, wrong = (1.0 - nu) * likely.ravel(), nu * broad.ravel()
        # Where both are 0 nothing speaks for either: the share itself.
        total = right + wrong
        odds = np.divide(wrong, total, out=np.full(wrong.shape, float(nu)), where=total > 0)
        return np.asarray(odds.reshape(n, -1).max(axis=1, initial=0.0))

    def likelihoods(self, predictions: Any, sets: NumberSets) -> tuple[FloatArray, FloatArray]:
        """``P(S)`` around the prediction and ``B(S)`` without x, both ``(n, d)``.

        Both are densities for points.
        """
        if self.center is None or self.spread is None:
            raise ValueError(
                "Residuals: the distribution of all numbers is needed: give center and spread."
            )
        segments, found = self._parts(predictions, sets)
        n, d = len(sets), sets.n_columns
        center, spread = np.tile(self.center, n), np.tile(self.spread, n)
        broad = segment_probabilities(self._family, segments, center, spread)
        return segments.total(found).reshape(n, d), segments.total(broad).reshape(n, d)

    def within(self, labels: Any, predictions: Any, sets: NumberSets, distance: Any) -> FloatArray:
        """``P(|y - label| <= distance | y in S)``, in all columns, ``(n,)``.

        Where ``P(S)`` is 0 in floating point, the number is uniform in a bounded set; about an
        unbounded one nothing is known, and the probability is 0.

        Parameters
        ----------
        labels, predictions : array-like (n, d), or (n,)
        sets : NumberSets
        distance : float, or array-like (d,)
        """
        segments, found = self._parts(predictions, sets)
        middles = self._table(labels, sets)
        reach = np.broadcast_to(np.asarray(distance, dtype=np.float64), (sets.n_columns,))
        if not (reach >= 0).all():
            raise ValueError(f"within: distance must be at least 0; got {distance!r}.")
        away = np.tile(reach, len(sets))[segments.entries]
        label = middles[segments.entries]
        low = np.maximum(segments.lower, label - away)
        high = np.minimum(segments.upper, label + away)
        is_near = low <= high
        part = segments._replace(
            lower=np.where(is_near, low, 0.0), upper=np.where(is_near, high, 0.0)
        )
        near = np.where(is_near, self._probabilities(predictions, sets, part), 0.0)
        total, inside = segments.total(found), segments.total(near)
        lengths = segments.total(segments.lengths)
        supported, bounded = total > 0, np.isfinite(lengths)
        covered = segments.total(np.where(is_near, part.lengths, 0.0))
        uniform = np.divide(covered, lengths, out=np.zeros_like(total), where=bounded)
        share = np.divide(inside, total, out=uniform, where=supported)
        return np.asarray(np.minimum(share, 1.0).reshape(len(sets), -1).prod(axis=1))

    def central(self, predictions: Any, sets: NumberSets, level: float = 0.9) -> FloatArray:
        """The central range of y given that it is in S, ``(n, d, 2)``: quantiles of ``y | y in S``.

        It starts and ends in S; for a union, it may have gaps of S inside. Where ``P(S)`` is 0 it
        is that of a uniform distribution, and all of an unbounded set.

        Parameters
        ----------
        predictions : array-like (n, d), or (n,)
        sets : NumberSets
        level : float, default 0.9
        """
        check_number("central", "level", level, positive=True, below=1)
        segments, found = self._parts(predictions, sets)
        tail = 0.5 * (1.0 - level)
        ends = [
            self._quantiles(self._table(predictions, sets), segments, found, share)
            for share in (tail, 1.0 - tail)
        ]
        return np.stack(ends, axis=-1).reshape(len(sets), sets.n_columns, 2)

    def median(self, predictions: Any, sets: NumberSets) -> FloatArray:
        """The median of y given that it is in S, ``(n, d)``: of least expected absolute error.

        Where ``P(S)`` is 0 it is that of a uniform distribution, and the number of an unbounded set
        that is nearest to the prediction.

        Parameters
        ----------
        predictions : array-like (n, d), or (n,)
        sets : NumberSets
        """
        segments, found = self._parts(predictions, sets)
        middles = self._table(predictions, sets)
        shape = len(sets), sets.n_columns
        inside = self._quantiles(middles, segments, found, 0.5).reshape(shape)
        return np.where(np.isfinite(inside), inside, sets.nearest(middles.reshape(shape)))

    def _quantiles(
        self, middles: FloatArray, segments: Segments, found: FloatArray, share: float
    ) -> FloatArray:
        """The quantile of each entry inside its set, ``(n d,)``."""
        is_supported = segments.total(found) > 0
        bounded = np.isfinite(segments.total(segments.lengths))
        lengths = np.where(bounded[segments.entries], segments.lengths, 0.0)
        used = np.where(is_supported[segments.entries], found, lengths)
        wanted = share * segments.total(used)
        position, rest = _reached(segments, used, wanted)
        low, high, probability = segments.lower[position], segments.upper[position], used[position]
        scale = self._scales(middles)
        below, above = (low - middles) / scale, (high - middles) / scale
        # Probabilities up to the quantile from below and from above: the smaller is the exact one.
        lower = self._family.cumulative(below) + rest
        upper = self._family.cumulative(-above) + np.maximum(probability - rest, 0.0)
        smaller = np.clip(np.minimum(lower, upper), np.finfo(float).tiny, 0.5)
        side = np.where(lower <= upper, 1.0, -1.0)
        inside = middles + side * scale * self._family.quantile(smaller)
        passed = np.divide(rest, probability, out=np.zeros_like(rest), where=probability > 0)
        uniform = low + np.where(bounded, high - low, 0.0) * passed
        hull = segments.lower[segments.starts]
        if share > 0.5:
            hull = np.maximum.reduceat(segments.upper, segments.starts)
        unsupported = np.where(bounded, uniform, hull)
        return np.asarray(np.where(is_supported, np.clip(inside, low, high), unsupported))

    def _parts(self, predictions: Any, sets: NumberSets) -> tuple[Segments, FloatArray]:
        segments = segments_of(sets)
        return segments, self._probabilities(predictions, sets, segments)

    def _probabilities(self, predictions: Any, sets: NumberSets, segments: Segments) -> FloatArray:
        middles = self._table(predictions, sets)
        return segment_probabilities(self._family, segments, middles, self._scales(middles))

    def _scales(self, middles: FloatArray) -> FloatArray:
        return np.tile(self.scale, middles.size // len(self.scale))

    def _table(self, values: Any, sets: NumberSets) -> FloatArray:
        """Values as ``(n d,)``, of finite numbers."""
        table = value_table(values, len(sets), sets.n_columns, "Residuals")
        bad = ~np.isfinite(table).all(axis=1)
        if bad.any():
            raise ValueError(
                f"Residuals: row {int(np.argmax(bad))} has a prediction or label that is not "
                f"finite ({int(bad.sum())} such rows). Leave these rows out."
            )
        return table.ravel()


def _reached(
    segments: Segments, used: FloatArray, wanted: FloatArray
) -> tuple[IntArray, FloatArray]:
    """The segment of each entry in which the running sum reaches `wanted`, and what is left."""
    counts = np.diff(np.append(segments.starts, used.size))
    first = segments.starts
    # Sums over each entry alone: a running sum over all entries would lose digits.
    position, rest = first.copy(), wanted.copy()
    for step in range(int(counts.max(initial=1)) - 1):
        moves = (position == first + step) & (rest > used[position]) & (step + 1 < counts)
        rest = np.where(moves, rest - used[position], rest)
        position = np.where(moves, position + 1, position)
    return position, rest
