"""Probabilities inside sets of numbers, against numerical integration and frequencies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.estimators.held_out.families import FAMILIES
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.estimators.held_out.residuals import Residuals

ORACLES = {
    "normal": stats.norm,
    "logistic": stats.logistic,
    "laplace": stats.laplace,
    "student": stats.t(3),
}
INFINITY = float("inf")
UNIONS = IntervalUnions.from_any(
    [
        [(-2, -1), (1, 2)],
        [(-INFINITY, -1), (0.5, 1)],
        [(-1, -1), (3, 3)],
        (0.2, INFINITY),
        [(0, 0), (1, 4)],
    ]
)


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_those_of_scipy_also_in_the_tails(name):
    family, oracle = FAMILIES[name], ORACLES[name]
    x = np.array([-200.0, -30, -5, -1, -1e-3, 0, 0.5, 3, 20])
    np.testing.assert_allclose(family.cumulative(x), oracle.cdf(x), rtol=1e-9)
    np.testing.assert_allclose(family.density(x), oracle.pdf(x), rtol=1e-9, atol=1e-300)
    p = np.array([1e-12, 0.01, 0.3, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(family.quantile(p), oracle.ppf(p), rtol=1e-7, atol=1e-12)
    # The upper tail is as exact as the lower one, and so are two ends close together.
    low, high = np.array([20.0, -30.0, 2.0]), np.array([np.inf, -20.0, 2.0 + 1e-9])
    expected = [oracle.sf(20.0), oracle.cdf(-20.0) - oracle.cdf(-30.0), 1e-9 * oracle.pdf(2.0)]
    np.testing.assert_allclose(family.between(low, high), expected, rtol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_unions_and_half_lines_against_numerical_integration(name):
    predictions, labels = np.array([0.3, -2.0, 1.0, 0.0, 2.0]), np.array([1.0, -1, 3, 1, 1.5])
    scale, distance = 0.8, 0.7
    residuals = Residuals(name, np.array([scale]))
    sets = UNIONS
    inside = residuals.within(labels, predictions, sets, distance)
    total = residuals.set_probability(predictions, sets)
    ends = residuals.central(predictions, sets, 0.8)
    medians = residuals.median(predictions, sets)
    for row in range(len(sets)):

        def density(y, middle=predictions[row]):
            return ORACLES[name].pdf((y - middle) / scale) / scale

        def mass(low, high, row=row, density=density):
            parts = [(max(a, low), min(b, high)) for a, b in sets[row]]
            # A point has no probability beside a segment.
            if all(a == b for a, b in sets[row]):
                return sum(density(a) for a, b in parts if a <= b)
            return sum(
                quad(density, a, min(b, 400), limit=400, epsabs=1e-12)[0]
                if a > -INFINITY
                else quad(density, -INFINITY, b, limit=400)[0]
                for a, b in parts
                if a < b
            )

        whole = mass(-INFINITY, INFINITY)
        near = mass(labels[row] - distance, labels[row] + distance)
        np.testing.assert_allclose(inside[row], near / whole, atol=3e-5)
        if row == 2:
            assert total[row] == 0
            continue
        np.testing.assert_allclose(total[row], whole, atol=3e-5)
        for end, share in zip(ends[row, 0], (0.1, 0.9), strict=True):
            assert sets[row : row + 1].distances([end])[0, 0] < 1e-9
            np.testing.assert_allclose(mass(-INFINITY, end) / whole, share, atol=1e-4)
        np.testing.assert_allclose(mass(-INFINITY, medians[row, 0]) / whole, 0.5, atol=1e-4)


def test_columns_of_a_box_are_independent():
    box = Intervals(np.array([[-1.0, 0.0]]), np.array([[1.0, np.inf]]), flat=False)
    both = Residuals("laplace", np.array([0.5, 2.0]))
    columns = [
        (Residuals("laplace", np.array([scale])), Intervals(box.lower[:, k], box.upper[:, k]))
        for k, scale in enumerate((0.5, 2.0))
    ]
    at, label = [[0.2, 1.0]], [[0.1, 0.5]]
    for found, expected in (
        (
            both.set_probability(at, box),
            [one.set_probability([at[0][k]], part) for k, (one, part) in enumerate(columns)],
        ),
        (
            both.within(label, at, box, [0.3, 0.4]),
            [
                one.within([label[0][k]], [at[0][k]], part, (0.3, 0.4)[k])
                for k, (one, part) in enumerate(columns)
            ],
        ),
    ):
        np.testing.assert_allclose(found, np.prod(expected, axis=0))
    assert both.central(at, box).shape == (1, 2, 2)


def test_a_set_without_probability_is_uniform_and_an_unbounded_one_unknown():
    residuals = Residuals("normal", np.array([1e-3]))
    sets = number_sets([[(10, 11), (12, 15)], (10, INFINITY), (10, 10), [(9, 9), (12, 12)]])
    assert residuals.set_probability([0, 0, 0, 0], sets).tolist() == [0, 0, 0, 0]
    found = residuals.within([12, 10, 10, 9], [0, 0, 0, 0], sets, 1.0)
    # [11, 13] has one of four units: the first segment only touches it.
    np.testing.assert_allclose(found, [0.25, 0, 1, 0.5])
    ends = residuals.central([0, 0, 0, 0], sets, 0.5)[:, 0]
    np.testing.assert_allclose(ends[:3], [[11, 14], [10, INFINITY], [10, 10]])
    medians = residuals.median([0, 0, 0, 0], sets)[:3, 0]
    np.testing.assert_allclose(medians, [13, 10, 10])
    below = number_sets([(-INFINITY, -10), (-INFINITY, INFINITY)])
    np.testing.assert_allclose(residuals.median([0, 0], below)[:, 0], [-10, 0])


numbers = st.floats(-5, 5)


@given(
    st.sampled_from(sorted(FAMILIES)),
    st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=6),
    st.floats(0.05, 4),
    st.tuples(st.floats(0, 3), st.floats(0, 3)),
)
def test_probabilities_are_in_range_and_grow_with_the_distance(name, rows, scale, distances):
    a, b, predictions, labels = np.array(rows).T
    sets = Intervals(np.minimum(a, b), np.maximum(a, b))
    labels = sets.nearest(labels)[:, 0]
    residuals = Residuals(name, np.array([scale]), center=np.zeros(1), spread=np.full(1, 9.0))
    near, far = (residuals.within(labels, predictions, sets, d) for d in sorted(distances))
    assert ((near >= 0) & (near <= far + 1e-12) & (far <= 1)).all()
    assert (near[sets.is_point] == 1).all()
    np.testing.assert_allclose(residuals.within(labels, predictions, sets, 20.0), 1)
    probability = residuals.set_probability(predictions, sets)
    suspicion = residuals.wrong_probability(predictions, sets, 0.5)
    for values in (probability, suspicion):
        assert ((values >= 0) & (values <= 1)).all()
    inner, outer = (residuals.central(predictions, sets, level)[:, 0] for level in (0.5, 0.9))
    assert (sets.distances(outer[:, 0]) <= 1e-9).all()
    assert (outer[:, 0] <= inner[:, 0] + 1e-9).all()
    assert (inner[:, 1] <= outer[:, 1] + 1e-9).all()
    assert (inner[:, 0] <= inner[:, 1]).all()


def intervals_around(y, rng, mean_width=1.0):
    width = rng.exponential(mean_width, len(y))
    lower = y - width * rng.random(len(y))
    return lower, lower + width


@pytest.mark.parametrize("name", FAMILIES)
def test_family_and_scale_are_recovered_from_intervals(name):
    rng = np.random.default_rng(3)
    n = 3000
    predictions = rng.normal(size=(n, 1)) * 4
    y = predictions[:, 0] + 0.5 * ORACLES[name].rvs(size=n, random_state=4)
    found = fit_residuals(predictions, Intervals(*intervals_around(y, rng)))
    assert (found.family, found.wrong_share) == (name, 0.0)
    # The largest scale within half a unit is about one standard error above the best.
    assert 0.97 < found.scale[0] / 0.5 < 1.08
    np.testing.assert_allclose(found.spread, 4, rtol=0.6)


def test_points_boxes_weights_and_rows_without_prediction():
    rng = np.random.default_rng(1)
    errors = rng.normal(size=(400, 2)) * [0.5, 3.0]
    points = Intervals.from_points(errors)
    plain = fit_residuals(np.zeros((400, 2)), points)
    np.testing.assert_allclose(plain.scale, errors.std(axis=0), rtol=0.1)
    weights = np.where(np.arange(400) < 100, 2.0, 1.0)
    weights[300:] = 0
    predictions = np.zeros((400, 2))
    predictions[250:] = np.nan
    weighted = fit_residuals(predictions, points, weights)
    rows = np.concatenate([np.arange(100), np.arange(250)])
    copied = fit_residuals(np.zeros((350, 2)), points[rows])
    np.testing.assert_allclose(weighted.scale, copied.scale, rtol=1e-6)
    with pytest.raises(ValueError, match="no row has a prediction"):
        fit_residuals(np.full((400, 2), np.nan), points)


def test_of_scales_that_sets_cannot_tell_apart_the_largest_is_taken():
    sets = Intervals(np.full(100, -1.0), np.full(100, 1.0))
    found = fit_residuals(np.zeros((100, 1)), sets)
    value = 100 * np.log(found.set_probability(np.zeros(100), sets)[0])
    np.testing.assert_allclose(value, -0.5, atol=0.02)
    exact = fit_residuals(np.zeros((3, 1)), number_sets([0.0, 0.0, 0.0]))
    assert 0 < exact.scale[0] < 1e-5


def test_the_share_of_wrong_sets_is_found_and_these_are_suspect():
    rng = np.random.default_rng(5)
    n = 2000
    predictions = rng.normal(size=(n, 1)) * 4
    y = predictions[:, 0] + 0.5 * rng.normal(size=n)
    is_wrong = rng.random(n) < 0.1
    seen = np.where(is_wrong, rng.permutation(y), y)
    sets = Intervals(*intervals_around(seen, rng))
    found = fit_residuals(predictions, sets)
    assert found.family == "normal"
    np.testing.assert_allclose([found.wrong_share, found.scale[0]], [0.1, 0.5], rtol=0.15)
    # Only sets that miss the number can be known to: the probabilities are right on average.
    posterior = found.wrong_probability(predictions, sets)
    np.testing.assert_allclose(posterior.mean(), 0.1, atol=0.02)
    misses = ~sets.contains(y)
    assert posterior[misses].mean() > 0.8
    assert posterior[~misses].mean() < 0.05


def test_bad_input_is_named():
    residuals = Residuals("normal", np.ones(1))
    sets = number_sets([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="row 1 has a prediction or label that is not finite"):
        residuals.set_probability([0, np.nan], sets)
    with pytest.raises(ValueError, match="distance must be at least 0"):
        residuals.within([0, 1], [0, 1], sets, -1.0)
    with pytest.raises(ValueError, match="level"):
        residuals.central([0, 1], sets, 1.5)
    with pytest.raises(ValueError, match="give center and spread"):
        residuals.wrong_probability([0, 1], sets)
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        residuals.set_probability([0, 1, 2], sets)
