"""Minima of weighted sums of curves, against a search over all kinks, ends and vertices."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.compiled.piecewise import Curves, Domains, minimise_dense, minimise_sparse

FLAT_SHARE = 1e-10


def random_curves(rng, n, *, left=-4.0):
    """Curves with kinks at whole and other numbers; their two versions are unrelated."""
    count = int(rng.integers(0, 4 * n))
    position = np.where(
        rng.random(count) < 0.5, rng.integers(-3, 4, count), rng.uniform(-4, 4, count)
    )
    position = np.sort(np.maximum(position, np.nextafter(left, 0)))
    owner = rng.integers(0, n, count)
    is_linear = rng.random() < 0.5
    curvatures = np.zeros if is_linear else rng.standard_normal
    return Curves(
        left=left,
        slopes=rng.integers(-2, 3, (2, n)) * 1.0,
        curvatures=curvatures((2, n)),
        slope_scale=np.full((2, n), 10.0),
        position=position,
        slope_jump=rng.integers(-2, 3, count) * 1.0,
        curvature_jump=curvatures(count),
        owner=owner,
        side=rng.integers(-1, 2, count),
        indptr=np.append(0, np.cumsum(np.bincount(owner, minlength=n))),
        ranks=np.argsort(owner, kind="stable"),
    )


def random_domains(rng, q):
    """One to three segments each, some of them points; half of the rows have a preferred point."""
    counts = rng.integers(1, 4, q)
    ends = [np.sort(rng.choice(np.arange(-8, 9), 2 * k, replace=False) / 2.0) for k in counts]
    lower = np.concatenate([row[::2] for row in ends])
    upper = np.concatenate([row[1::2] for row in ends])
    upper = np.where(rng.random(len(upper)) < 0.2, lower, upper)
    preferred = np.where(rng.random(q) < 0.5, rng.uniform(-5, 5, q), np.nan)
    return Domains(lower, upper, np.append(0, np.cumsum(counts)), preferred)


def value(curves, weights, z):
    """The sum at z, each curve integrated kink by kink."""
    total = 0.0
    for j, weight in enumerate(weights):
        version = 0 if weight > 0 else 1
        slope, curvature = curves.slopes[version, j], curves.curvatures[version, j]
        curve_value = slope * (z - curves.left) + curvature * (z - curves.left) ** 2
        for e in np.flatnonzero(curves.owner == j):
            if curves.side[e] in (0, 1 - 2 * version) and curves.position[e] < z:
                distance = z - curves.position[e]
                curve_value += (
                    curves.slope_jump[e] * distance + curves.curvature_jump[e] * distance**2
                )
        total += weight * curve_value
    return total


def candidates(curves, weights, low, high):
    """All points of a segment where a minimum can be: kinks, ends, vertices of parabolas."""
    inside = curves.position[(curves.position > low) & (curves.position < high)]
    edges = np.unique(np.concatenate([[low], inside, [high]]))
    points = [*edges]
    for a, b in pairwise(edges):
        # Three values determine the parabola between two edges.
        middle = (a + b) / 2
        fa, fm, fb = (value(curves, weights, t) for t in (a, middle, b))
        curvature = 2 * (fa + fb - 2 * fm)
        if curvature > 1e-9:
            points.append(min(max(middle - (fb - fa) * (b - a) / (2 * curvature), a), b))
    return points


def compressed(weights):
    rows, columns = np.nonzero(weights)
    indptr = np.append(0, np.cumsum(np.count_nonzero(weights, axis=1)))
    return indptr, columns, weights[rows, columns]


@given(seed=st.integers(0, 100_000))
def test_no_point_of_the_domain_is_lower(seed):
    rng = np.random.default_rng(seed)
    q, n = 3, int(rng.integers(1, 5))
    curves, domains = random_curves(rng, n), random_domains(rng, q)
    weights = rng.integers(-2, 4, (q, n)) * 1.0
    found = minimise_dense(weights, curves, domains, FLAT_SHARE)
    for i in range(q):
        segments = range(domains.indptr[i], domains.indptr[i + 1])
        ends = [(domains.lower[k], domains.upper[k]) for k in segments]
        assert any(low <= found[i] <= high for low, high in ends)
        points = [t for low, high in ends for t in candidates(curves, weights[i], low, high)]
        values = [value(curves, weights[i], t) for t in points]
        here = value(curves, weights[i], found[i])
        assert here <= min(values) + 1e-7
        if not np.isnan(domains.preferred[i]):
            # No point that is as low is nearer to the preferred one.
            distance = abs(found[i] - domains.preferred[i])
            as_low = [t for t, v in zip(points, values, strict=True) if v <= here + 1e-12]
            assert all(abs(t - domains.preferred[i]) >= distance - 1e-5 for t in as_low)


@given(seed=st.integers(0, 100_000))
def test_sparse_and_dense_weights_give_the_same_minimisers(seed):
    rng = np.random.default_rng(seed)
    q, n = 4, int(rng.integers(1, 6))
    curves, domains = random_curves(rng, n), random_domains(rng, q)
    weights = rng.normal(size=(q, n)) * (rng.random((q, n)) < 0.6)
    assert_array_equal(
        minimise_sparse(*compressed(weights), curves, domains, FLAT_SHARE),
        minimise_dense(weights, curves, domains, FLAT_SHARE),
    )


def distances(points, left=-10.0):
    """``|z - point|`` as curves."""
    n = len(points)
    order = np.argsort(points, kind="stable")
    return Curves(
        left=left,
        slopes=np.full((2, n), -1.0),
        curvatures=np.zeros((2, n)),
        slope_scale=np.ones((2, n)),
        position=np.sort(points),
        slope_jump=np.full(n, 2.0),
        curvature_jump=np.zeros(n),
        owner=order,
        side=np.zeros(n, dtype=np.int64),
        indptr=np.arange(n + 1),
        ranks=np.argsort(order),
    )


def domain(*segments, preferred=np.nan):
    lower, upper = (np.array(ends, dtype=np.float64) for ends in zip(*segments, strict=True))
    return Domains(lower, upper, np.array([0, len(segments)]), np.array([preferred]))


@pytest.mark.parametrize(
    ("segments", "preferred", "expected"),
    [
        ([(-5, 5)], np.nan, 1.0),  # the middle of the flat part [0, 2]
        ([(-5, 5)], 1.75, 1.75),  # a preferred point inside it
        ([(-5, 5)], 7.0, 2.0),  # a preferred point beyond it
        ([(0.5, 5)], np.nan, 1.25),  # its intersection with the domain
        ([(-5, 0.5), (1.5, 9)], np.nan, 0.25),  # two intervals of it: the lower
        ([(-5, 0.5), (1.5, 9)], 1.2, 1.5),  # the nearer
        ([(-5, 0.5), (1.5, 9)], 1.0, 0.5),  # the lower of two equally near
        ([(-4, -1), (3, 9)], np.nan, -1.0),  # outside the domain: ends that are equally high
        ([(-4, -1), (3, 9)], 1.5, 3.0),
        ([(-4, -2), (3, 9)], -3.0, 3.0),  # the higher end does not count, however near
        ([(-4, -4), (6, 6), (7, 7)], np.nan, -4.0),  # points
        ([(-4, -4), (6, 6), (7, 7)], 6.6, 6.0),
        ([(-5, -5), (6, 6), (7, 7)], np.nan, 6.0),
    ],
)
def test_ties(segments, preferred, expected):
    """Between 0 and 2 the distances to 0 and 2 add up to the same."""
    curves = distances(np.array([0.0, 2.0]))
    found = minimise_dense(
        np.ones((1, 2)), curves, domain(*segments, preferred=preferred), FLAT_SHARE
    )
    assert found[0] == expected


def test_ties_are_found_in_spite_of_rounding():
    """Ten times a tenth against one: flat in exact arithmetic, not in floats."""
    points = np.append(np.arange(10.0) / 10 - 2, 1.0)
    weights = np.append(np.full(10, 0.1), 1.0)[None, :]
    found = minimise_dense(weights, distances(points), domain((-5, 5)), FLAT_SHARE)
    assert_allclose(found, [(-1.1 + 1.0) / 2])
    exact = minimise_dense(weights, distances(points), domain((-5, 5)), 0.0)
    assert exact[0] in (-1.1, 1.0) or exact[0] == found[0]


def test_a_slope_just_steeper_than_flat_decides():
    points, limits = np.array([0.0, 2.0]), domain((-5, 5))
    for excess in (1e-8, -1e-8):
        weights = np.array([[1.0 - excess, 1.0]])
        found = minimise_dense(weights, distances(points), limits, FLAT_SHARE)
        assert found[0] == (2.0 if excess > 0 else 0.0)


def test_ties_far_from_the_start():
    """Two minima three apart and a million from the start: a difference of 1e-8 decides."""
    base = 2.0**20
    points = base + np.array([0.0, 1.0, 2.0, 3.0])
    curves = distances(points, left=0.0)
    limits = domain((0.0, base + 4.0))
    for excess, expected in ((1e-8, points[3]), (-1e-8, points[0]), (0.0, points[0])):
        weights = np.array([[1.5, -1.0, -1.0, 1.5 + excess]])
        assert minimise_dense(weights, curves, limits, FLAT_SHARE)[0] == expected


def test_duplicate_entries_add_up():
    """Weights 0.5 and 1.5 for 2 outweigh 1 for 0; the weights 3 and -3 for 1 cancel."""
    curves, limits = distances(np.array([0.0, 1.0, 2.0])), domain((-5, 5))
    weights, columns = np.array([1.0, 0.5, 3.0, 1.5, -3.0]), np.array([0, 2, 1, 2, 1])
    assert minimise_sparse(np.array([0, 5]), columns, weights, curves, limits, FLAT_SHARE)[0] == 2.0


def test_a_higher_minimum_far_away_does_not_hide_small_differences():
    """It is 1e9 higher: relative to it, the other two would be equal."""
    base = 2.0**30
    points = base + np.array([0.0, 1.0, 2.0, 3.0])
    limits = domain((0.0, 0.0), (base - 1.0, base + 4.0))
    for excess, expected in ((1e-8, points[3]), (-1e-8, points[0])):
        weights = np.array([[1.5, -1.0, -1.0, 1.5 + excess]])
        curves = distances(points, left=0.0)
        assert minimise_dense(weights, curves, limits, FLAT_SHARE)[0] == expected


def test_no_curves_and_no_rows():
    curves = distances(np.empty(0))
    limits = domain((-1, 2), (5, 6), preferred=5.5)
    assert minimise_dense(np.ones((1, 0)), curves, limits, FLAT_SHARE)[0] == 5.5
    empty = np.empty(0, dtype=np.int64)
    assert (
        minimise_sparse(np.array([0, 0]), empty, np.empty(0), curves, limits, FLAT_SHARE)[0] == 5.5
    )
    assert minimise_dense(np.ones((0, 0)), curves, limits, FLAT_SHARE).shape == (0,)
