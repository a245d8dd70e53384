"""The contract of sets of numbers with solvers and scikit-learn, against brute force."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import Candidates, Intervals, IntervalUnions, number_sets
from disambig.candidates.numbers.number_sets import NumberSets

inf = float("inf")


def random_sets(kind, n, seed):
    """Points, bounded intervals, half-lines and whole lines with ends on a grid of halves."""
    rng = np.random.default_rng(seed)
    columns = {"boxes": 3}.get(kind, 1)
    counts = rng.integers(1, 4, size=n) if kind == "unions" else np.ones(n, dtype=int)
    ends = np.sort(rng.integers(-12, 13, size=(counts.sum(), columns, 2)) / 2, axis=2)
    lower = np.where(rng.random(ends.shape[:2]) < 0.15, -inf, ends[:, :, 0])
    upper = np.where(rng.random(ends.shape[:2]) < 0.15, inf, ends[:, :, 1])
    if kind == "unions":
        return IntervalUnions(lower, upper, np.append(0, np.cumsum(counts)))
    return Intervals(lower, upper, flat=kind == "intervals")


def segments_of(sets, row, column):
    """The segments of one entry as a list of pairs."""
    if isinstance(sets, IntervalUnions):
        return list(sets[row])
    return [(sets.lower[row, column], sets.upper[row, column])]


def entries_of(sets):
    for row in range(len(sets)):
        for column in range(sets.n_columns):
            yield row, column, segments_of(sets, row, column)


for_all_classes = given(
    st.sampled_from(["intervals", "boxes", "unions"]), st.integers(1, 9), st.integers(0, 10**6)
)


@for_all_classes
def test_attributes_and_shapes(kind, n, seed):
    sets = random_sets(kind, n, seed)
    assert isinstance(sets, NumberSets)
    assert isinstance(sets, Candidates)
    assert len(sets) == sets.shape[0] == n
    assert len(sets.shape) == sets.ndim == np.asarray(sets).ndim
    assert np.asarray(sets).shape == sets.shape
    assert sets.flat == (kind != "boxes")
    assert sets.hull.shape[0] == n
    assert sets.span.shape == (sets.n_columns, 2)
    assert sets.centers.shape == (n, sets.n_columns)
    for array in (sets.lower, sets.upper, sets.span, sets.centers):
        assert array.dtype == np.float64
        assert not array.flags.writeable


@for_all_classes
def test_nearest_members_and_distances(kind, n, seed):
    sets = random_sets(kind, n, seed)
    # A grid of quarters: values lie on ends, in the middle of gaps, and elsewhere.
    values = np.random.default_rng(seed + 1).integers(-28, 29, size=(n, sets.n_columns)) / 4
    nearest, distances = sets.nearest(values), sets.distances(values)
    inside = np.ones(n, dtype=bool)
    for row, column, segments in entries_of(sets):
        value = values[row, column]
        members = [min(max(value, low), high) for low, high in segments]
        expected = min(members, key=lambda member: (abs(member - value), member))
        assert nearest[row, column] == expected
        assert distances[row, column] == abs(value - expected)
        inside[row] &= expected == value
    np.testing.assert_array_equal(sets.contains(values), inside)
    np.testing.assert_array_equal(sets.nearest(nearest), nearest)
    assert sets.contains(nearest).all()
    if sets.n_columns == 1:
        np.testing.assert_array_equal(sets.nearest(values[:, 0]), nearest)


@for_all_classes
def test_centers_are_means_of_uniform_distributions(kind, n, seed):
    sets = random_sets(kind, n, seed)
    for row, column, segments in entries_of(sets):
        finite_ends = [
            high if np.isinf(low) else low for low, high in segments if np.isinf(high - low)
        ]
        lengths = [high - low for low, high in segments]
        if finite_ends:
            expected = np.mean(finite_ends) if np.isfinite(finite_ends).all() else np.nan
        elif sum(lengths) == 0:
            expected = np.mean([low for low, _ in segments])
        else:
            middles = [(low + high) / 2 for low, high in segments]
            expected = np.average(middles, weights=lengths)
        assert sets.centers[row, column] == pytest.approx(expected, nan_ok=True)


@for_all_classes
def test_informative_rows_points_hull_and_span(kind, n, seed):
    sets = random_sets(kind, n, seed)
    whole, point = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    ends = [[] for _ in range(sets.n_columns)]
    for row, column, segments in entries_of(sets):
        whole[row] &= segments == [(-inf, inf)]
        point[row] &= len(segments) == 1 and segments[0][0] == segments[0][1]
        ends[column] += [end for pair in segments for end in pair if np.isfinite(end)]
        hull = sets.hull.lower[row, column], sets.hull.upper[row, column]
        assert hull == (segments[0][0], segments[-1][1])
    np.testing.assert_array_equal(sets.informative, ~whole)
    np.testing.assert_array_equal(sets.is_point, point)
    np.testing.assert_array_equal(
        sets.span, [(min(found), max(found)) if found else (0, 0) for found in ends]
    )


@for_all_classes
def test_within_moves_infinite_ends_only(kind, n, seed):
    sets = random_sets(kind, n, seed)
    span = sets.span + np.array([-1.0, 1.0])
    inner = sets.within(span)
    assert type(inner) is type(sets)
    assert inner.flat == sets.flat
    for row, column, segments in entries_of(sets):
        low, high = span[column]
        moved = [(low if a == -inf else a, high if b == inf else b) for a, b in segments]
        assert segments_of(inner, row, column) == moved
    assert inner.within(span * 2) == inner


@for_all_classes
def test_within_turns_a_half_line_beyond_the_span_into_its_end(kind, n, seed):
    sets = random_sets(kind, n, seed)
    inner = sets.within(np.tile([-0.25, 0.25], (sets.n_columns, 1)))
    assert np.isfinite(inner.lower).all()
    assert np.isfinite(inner.upper).all()
    assert (inner.lower <= inner.upper).all()
    for row, column, segments in entries_of(inner):
        for (low, high), (a, b) in zip(segments, segments_of(sets, row, column), strict=True):
            if a == -inf and b < -0.25:
                assert low == high == b
            if b == inf and a > 0.25:
                assert low == high == a


@for_all_classes
def test_segments_at_values(kind, n, seed):
    sets = random_sets(kind, n, seed)
    values = np.random.default_rng(seed + 1).integers(-28, 29, size=(n, sets.n_columns)) / 4
    found = sets.segments_at(values)
    assert isinstance(found, Intervals)
    np.testing.assert_array_equal(found.nearest(values), sets.nearest(values))
    for row, column, segments in entries_of(sets):
        assert (found.lower[row, column], found.upper[row, column]) in segments


@for_all_classes
def test_inset_moves_ends_inwards(kind, n, seed):
    sets = random_sets(kind, n, seed)
    inner = sets.inset(0.75)
    assert type(inner) is type(sets)
    assert sets.inset(0.0) == sets
    for row, column, segments in entries_of(sets):
        expected = [
            (low + 0.75, high - 0.75) if high - low >= 1.5 else ((low + high) / 2,) * 2
            for low, high in segments
        ]
        assert segments_of(inner, row, column) == expected


@for_all_classes
def test_rows_are_selected_as_in_an_array(kind, n, seed):
    sets = random_sets(kind, n, seed)
    rng = np.random.default_rng(seed)
    numbers, mask = rng.integers(-n, n, size=5), rng.random(n) < 0.5
    for rows in (numbers, numbers.tolist(), mask, slice(1, None, 2), slice(None, None, -1)):
        chosen = sets[rows]
        expected = np.arange(n)[rows]
        assert type(chosen) is type(sets)
        assert chosen.flat == sets.flat
        assert len(chosen) == len(expected)
        for place, row in enumerate(expected.tolist()):
            np.testing.assert_array_equal(chosen[place], sets[row])
        assert chosen == sets[rows, ...] == sets[rows, :]
        assert not chosen.lower.flags.writeable
    np.testing.assert_array_equal(sets[-1], sets[n - 1])
    assert len(list(sets)) == n


@for_all_classes
def test_pickling_copying_and_reading_back(kind, n, seed):
    sets = random_sets(kind, n, seed)
    assert pickle.loads(pickle.dumps(sets)) == sets
    assert not pickle.loads(pickle.dumps(sets)).lower.flags.writeable
    assert copy.deepcopy(sets) == sets
    assert number_sets(sets) is sets
    back = number_sets(np.asarray(sets))
    # Unions whose rows all have one segment are read as intervals.
    assert back == sets or (kind == "unions" and back == sets.hull)
    if sets.flat:
        assert type(sets).from_any(list(sets)) == sets


@pytest.mark.parametrize("kind", ["intervals", "boxes", "unions"])
def test_conventions_of_python_and_numpy(kind):
    sets = random_sets(kind, 6, 0)
    name = type(sets).__name__
    assert repr(sets).startswith(f"{name}(6 rows")
    assert sets != sets[:5]
    assert sets != "sets"
    with pytest.raises(TypeError, match="unhashable"):
        hash(sets)
    with pytest.raises(AttributeError):
        sets.lower = sets.upper
    with pytest.raises(ValueError, match="read-only"):
        sets.lower[0] = 0
    for rows in (7, -7, [7], np.ones(5, dtype=bool)):
        with pytest.raises(IndexError):
            sets[rows]
    for rows in ((0, 0), (slice(None), 0), (), True, np.zeros((2, 2), dtype=int)):
        with pytest.raises(IndexError, match=name):
            sets[rows]
    for values in (np.zeros(5), np.zeros((6, 2)), 0.0):
        with pytest.raises(ValueError, match=f"{name}: expected one value per row and column"):
            sets.nearest(values)
    with pytest.raises(ValueError, match="cop"):
        sets.__array__(copy=False)


@pytest.mark.parametrize("kind", ["intervals", "boxes", "unions"])
def test_empty_sets_of_rows(kind):
    empty = random_sets(kind, 3, 0)[[]]
    assert len(empty) == 0
    assert empty.span.tolist() == [[0, 0]] * empty.n_columns
    assert empty.centers.shape == (0, empty.n_columns)
    assert empty.nearest(np.zeros((0, empty.n_columns))).shape == (0, empty.n_columns)
    assert empty.contains(np.zeros((0, empty.n_columns))).shape == (0,)
    assert empty.informative.shape == empty.is_point.shape == (0,)
    assert len(empty.hull) == len(empty.within(empty.span)) == 0
    assert "0 rows" in repr(empty)


@pytest.mark.parametrize("kind", ["intervals", "boxes", "unions"])
def test_nan_is_in_no_set(kind):
    sets = random_sets(kind, 4, 1)
    values = np.full((4, sets.n_columns), np.nan)
    assert not sets.contains(values).any()
    assert np.isnan(sets.distances(values)).all()
    assert np.isnan(sets.nearest(values)).all()
