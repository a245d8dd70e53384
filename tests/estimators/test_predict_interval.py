"""Prediction intervals: their coverage of the sets of new rows."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit

from disambig import IntervalRegressor, Intervals
from disambig.estimators.calibration import HeldOut
from disambig.weights import KernelRidgeWeights, NeighborWeights

inf = np.inf
RIDGE = KernelRidgeWeights(bandwidth=0.5, regularization=1e-2, intercept=True)


def noisy(n, seed, half_lines=0.0):
    """A noisy sine, known up to intervals of random width; some are half-lines."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 1))
    truth = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    y = truth[:, None] + rng.uniform(0, 0.5, size=(n, 2)) * [-1, 1]
    y[rng.random(n) < half_lines, 1] = inf
    return X, y, truth


def coverage_of(found, y, meaning):
    low, high = found.T
    if meaning == "meets":
        return np.mean((low <= y[:, 1]) & (y[:, 0] <= high))
    return np.mean((low <= y[:, 0]) & (y[:, 1] <= high))


@pytest.fixture(scope="module")
def calibrated():
    """Thirty fits, each with held-out rows."""
    draws = [noisy(120, seed) for seed in range(30)]
    return [
        (IntervalRegressor(RIDGE, cv=5).fit(X[:60], y[:60]), X[60:], y[60:]) for X, y, _ in draws
    ]


@pytest.mark.parametrize("meaning", ["meets", "contains"])
@pytest.mark.parametrize("coverage", [0.6, 0.9])
def test_held_out_sets_are_covered(calibrated, meaning, coverage):
    """On average over draws: the proof allows ``2 (1 - coverage)``, practice is near the level."""
    shares, widths = [], []
    for model, X, y in calibrated:
        found = model.predict_interval(X, coverage, meaning=meaning)
        shares.append(coverage_of(found, y, meaning))
        widths.append(np.mean(found[:, 1] - found[:, 0]))
    assert np.mean(shares) >= 1 - 2 * (1 - coverage)
    assert np.mean(shares) >= coverage - 0.05
    # The intervals are not wider than necessary.
    assert np.mean(shares) <= coverage + 0.1
    assert np.mean(widths) < 3.0


def test_an_interval_that_contains_the_set_contains_the_number():
    X, y, truth = noisy(200, 0)
    model = IntervalRegressor(RIDGE, cv=5).fit(X[:100], y[:100])
    low, high = model.predict_interval(X[100:], 0.9, meaning="contains").T
    assert np.mean((low <= truth[100:]) & (truth[100:] <= high)) >= 0.85


def test_width_grows_with_coverage_and_for_contains():
    X, y, _ = noisy(80, 0)
    model = IntervalRegressor(RIDGE, cv=4).fit(X, y)
    meets = [model.predict_interval(X, level) for level in (0.5, 0.8, 0.95)]
    for narrow, wide in pairwise(meets):
        assert (wide[:, 0] <= narrow[:, 0]).all()
        assert (wide[:, 1] >= narrow[:, 1]).all()
    contains = model.predict_interval(X, 0.8, meaning="contains")
    assert (contains[:, 0] <= meets[1][:, 0]).all()
    assert (contains[:, 1] >= meets[1][:, 1]).all()


def test_by_the_formula():
    """The sorted values of "prediction of the model without row j, plus or minus its score"."""
    X, y, _ = noisy(30, 1)
    folds = KFold(3)
    model = IntervalRegressor(RIDGE, cv=folds).fit(X, y)
    queries = np.linspace(-2, 2, 7)[:, None]
    plus, minus = [], []
    for train, test in folds.split(X):
        part = IntervalRegressor(RIDGE).fit(X[train], y[train])
        distance = Intervals.from_any(y[test]).distances(part.predict(X[test]))
        plus.append(part.predict(queries)[None, :] + distance)
        minus.append(part.predict(queries)[None, :] - distance)
    plus, minus = np.sort(np.vstack(plus), axis=0), np.sort(np.vstack(minus), axis=0)
    # ceil(.8 * 31) = 25 from below, and 25 from above.
    expected = np.stack([minus[30 - 25], plus[25 - 1]], axis=1)
    np.testing.assert_allclose(model.predict_interval(queries, 0.8), expected)
    # With 30 rows the largest level is 30 / 31; above it the interval is the whole line.
    expected = np.stack([minus[0], plus[-1]], axis=1)
    np.testing.assert_allclose(model.predict_interval(queries, 30 / 31), expected)
    assert np.isinf(model.predict_interval(queries, 0.98)).all()


def test_infinite_where_too_many_are_half_lines():
    X, y, _ = noisy(100, 0, half_lines=0.3)
    model = IntervalRegressor(RIDGE, cv=5).fit(X, y)
    assert np.isfinite(model.predict_interval(X, 0.9)).all()
    found = model.predict_interval(X, 0.9, meaning="contains")
    np.testing.assert_array_equal(found, np.tile([-inf, inf], (100, 1)))
    assert np.isfinite(model.predict_interval(X, 0.5, meaning="contains")).all()


def test_uninformative_rows_and_rows_of_weight_zero_are_not_scored():
    X, y, _ = noisy(60, 0)
    whole = y.copy()
    whole[40:] = [-inf, inf]
    model = IntervalRegressor(NeighborWeights(3), cv=KFold(3)).fit(X, whole)
    assert len(model._held_out_.folds) == 40
    weights = np.where(np.arange(60) < 45, 2.0, 0.0)
    model.fit(X, y, sample_weight=weights)
    assert len(model._held_out_.folds) == 45
    # A scalar is the weight of all rows.
    same = IntervalRegressor(RIDGE, cv=3)
    np.testing.assert_allclose(
        same.fit(X, y, sample_weight=2.0).predict_interval(X),
        same.fit(X, y, sample_weight=np.full(60, 2.0)).predict_interval(X),
    )


def test_each_column_of_a_box_is_covered():
    (X, y, _), (_, other, _) = noisy(60, 0), noisy(60, 1)
    other[:20] = [-inf, inf]
    boxes = np.stack([y, other], axis=1)
    model = IntervalRegressor(RIDGE, cv=KFold(4)).fit(X, boxes)
    for meaning in ("meets", "contains"):
        found = model.predict_interval(X, 0.8, meaning=meaning)
        assert found.shape == (60, 2, 2)
        for k in range(2):
            apart = IntervalRegressor(RIDGE, cv=KFold(4)).fit(X, boxes[:, k])
            np.testing.assert_allclose(
                found[:, k], apart.predict_interval(X, 0.8, meaning=meaning), atol=1e-7
            )


def test_unions_are_met_in_any_segment():
    X, y, _ = noisy(80, 0)
    # One row in four has a second segment, far from the first.
    unions = [
        [(low, high)] if j % 4 else [(low, high), (low + 50, high + 50)]
        for j, (low, high) in enumerate(y.tolist())
    ]
    model = IntervalRegressor(RIDGE, cv=4).fit(X, unions)
    low, high = model.predict_interval(X, 0.9).T
    assert (high - low < 5).all()
    assert np.mean((low <= y[:, 1]) & (y[:, 0] <= high)) > 0.8
    # An interval that contains the whole set contains both segments.
    low, high = model.predict_interval(X, 0.9, meaning="contains").T
    assert (high - low > 50).all()


@pytest.mark.parametrize("sample_weight", [None, "some zero"])
def test_precomputed_pairs(sample_weight):
    X, y, _ = noisy(40, 0)
    if sample_weight is not None:
        sample_weight = np.where(np.arange(40) % 5 == 0, 0.0, 1.0)
    queries = np.linspace(-2, 2, 7)[:, None]
    options = {"regularization": 1e-2, "intercept": True}
    own = IntervalRegressor(KernelRidgeWeights(bandwidth=0.5, **options), cv=4)
    own.fit(X, y, sample_weight=sample_weight)
    pairs = IntervalRegressor(KernelRidgeWeights("precomputed", **options), cv=4)
    pairs.fit(rbf_kernel(X, gamma=2.0), y, sample_weight=sample_weight)
    np.testing.assert_allclose(
        pairs.predict_interval(rbf_kernel(queries, X, gamma=2.0)),
        own.predict_interval(queries),
        atol=1e-8,
    )


def test_many_queries_are_computed_in_blocks(monkeypatch):
    X, y, _ = noisy(40, 0)
    model = IntervalRegressor(RIDGE, cv=4).fit(X, y)
    whole = model.predict_interval(X)
    monkeypatch.setattr("disambig.estimators.calibration._MAX_TABLE_ENTRIES", 100)
    np.testing.assert_array_equal(model.predict_interval(X), whole)


def test_quantiles_that_cross_are_put_in_order():
    # Two models disagree and all scores are zero: the interval is what lies between them.
    scores = np.zeros((4, 1))
    held = HeldOut((), None, np.array([0, 0, 1, 1]), scores, scores)
    found = held.interval(np.array([[[0.0]], [[10.0]]]), 0.3, "meets")
    assert found[0, 0, 0] <= found[0, 0, 1]
    np.testing.assert_array_equal(found[0, 0], [0.0, 10.0])


def test_splitters_and_errors():
    X, y, _ = noisy(20, 0)
    model = IntervalRegressor(RIDGE, cv=LeaveOneOut()).fit(X, y)
    assert np.isfinite(model.predict_interval(X)).all()
    with pytest.raises(ValueError, match="a row is held out twice"):
        IntervalRegressor(RIDGE, cv=ShuffleSplit(5, test_size=0.5)).fit(X, y)
    with pytest.raises(ValueError, match="fit with cv=5"):
        IntervalRegressor(RIDGE).fit(X, y).predict_interval(X)
    for bad in (0.0, 1.0, 1.5, np.nan):
        with pytest.raises(ValueError, match="coverage must be a finite number > 0 and < 1"):
            model.predict_interval(X, bad)
    with pytest.raises(ValueError, match=r"meaning must be one of .*; got 'magic'"):
        model.predict_interval(X, meaning="magic")


@pytest.mark.parametrize("folds", [1, 0, -3, 7])
def test_invalid_numbers_of_folds(folds):
    with pytest.raises(ValueError, match=rf"cv must be a number of folds from 2 .*; got {folds}"):
        IntervalRegressor(RIDGE, cv=folds).fit(np.eye(6), np.arange(6.0))


@pytest.mark.parametrize("folds", [2.5, "5", True])
def test_invalid_splitters(folds):
    with pytest.raises(TypeError, match="cv must be a number of folds, a splitter"):
        IntervalRegressor(RIDGE, cv=folds).fit(np.eye(6), np.arange(6.0))


def test_processes_give_the_same_folds_and_random_state_others():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(40, 1))
    y = np.column_stack([X[:, 0] - 0.1, X[:, 0] + rng.uniform(0.1, 0.5, 40)])
    ends = IntervalRegressor(RIDGE, cv=3).fit(X, y).predict_interval(X)
    same = IntervalRegressor(RIDGE, cv=3, n_jobs=2).fit(X, y).predict_interval(X)
    np.testing.assert_array_equal(same, ends)
    other = IntervalRegressor(RIDGE, cv=3, random_state=1).fit(X, y).predict_interval(X)
    assert (other != ends).any()


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "cv has no folds"),
        ([([0, 1], [99])], r"pair 0 must hold training and test rows, integers from 0 to 5"),
        ([([0, 1], [2]), ([0, 1], [])], "pair 1 must hold"),
        ([([0, 1], [-1])], "pair 0 must hold"),
        ([(np.ones(3, dtype=bool), [1])], "pair 0 must hold"),
        ([3], "pair 0 must hold"),
    ],
)
def test_folds_that_are_no_rows_are_refused(cv, message):
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    with pytest.raises(ValueError, match=message):
        IntervalRegressor(RIDGE, cv=cv).fit(X, y)


def test_folds_may_be_masks():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    even = np.arange(6) % 2 == 0
    masks, rows = [(even, ~even), (~even, even)], [([0, 2, 4], [1, 3, 5]), ([1, 3, 5], [0, 2, 4])]
    found = [
        IntervalRegressor(RIDGE, cv=cv).fit(X, y).predict_interval(X, 0.5) for cv in (masks, rows)
    ]
    np.testing.assert_array_equal(*found)


def test_a_promise_about_the_truth_needs_answers():
    X = np.arange(6.0)[:, None]
    model = IntervalRegressor(RIDGE, cv=3).fit(X, np.arange(6.0))
    with pytest.raises(ValueError, match=r"cross_examine\(model, X, y\)\.with_answers"):
        model.predict_interval(X, 0.5, meaning="truth")
