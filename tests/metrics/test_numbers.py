"""Metrics of numbers against sets, compared with scikit-learn and with brute force."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.candidates.numbers.segments import Segments
from disambig.exceptions import CandidateError
from disambig.metrics import (
    interval_absolute_distance,
    interval_absolute_distance_scorer,
    interval_coverage,
    interval_coverage_scorer,
    interval_r2,
    interval_r2_scorer,
    interval_squared_distance,
    interval_squared_distance_scorer,
)
from disambig.metrics.numbers import best_constant

inf, nan = float("inf"), float("nan")
METRICS = [
    interval_absolute_distance,
    interval_coverage,
    interval_r2,
    interval_squared_distance,
]
SCORERS = {
    interval_absolute_distance_scorer: -1,
    interval_coverage_scorer: 1,
    interval_r2_scorer: 1,
    interval_squared_distance_scorer: -1,
}


def random_intervals(rng: np.random.Generator, n: int, d: int = 1) -> Intervals:
    """Points, bounded intervals, half-lines and whole lines, on a grid so that ends tie."""
    ends = np.sort(rng.integers(-6, 7, size=(n, d, 2)) / 2, axis=2)
    lower = np.where(rng.random((n, d)) < 0.2, -inf, ends[:, :, 0])
    upper = np.where(rng.random((n, d)) < 0.2, inf, ends[:, :, 1])
    return Intervals(lower, upper, flat=d == 1)


def random_unions(rng: np.random.Generator, n: int) -> IntervalUnions:
    counts = rng.integers(1, 4, size=n)
    segments = random_intervals(rng, counts.sum())
    return IntervalUnions(segments.lower, segments.upper, np.append(0, np.cumsum(counts)))


def distance(segments: Any, value: float) -> float:
    """From a value to a union of segments, by a loop."""
    return min(max(low - value, value - high, 0.0) for low, high in segments)


def smallest_sum(rows: list[Any], weights: Any) -> float:
    """``min_c sum_j w_j dist(c, s_j)^2``, by a search between all ends and midpoints of ends."""
    ends = {end for row in rows for pair in row for end in pair if np.isfinite(end)}
    places = sorted(ends | {(a + b) / 2 for a in ends for b in ends})

    def total(c: float) -> float:
        return sum(w * distance(row, c) ** 2 for row, w in zip(rows, weights, strict=True))

    found = [total(c) for c in places]
    for left, right in pairwise(places):
        found.append(minimize_scalar(total, bounds=(left, right), method="bounded").fun)
    return min(found)


# ------------------------------------------------------------------ points: scikit-learn


@given(st.integers(2, 20), st.integers(0, 999), st.booleans())
def test_on_points_metrics_equal_those_of_scikit_learn(n: int, seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y, y_pred = rng.normal(5, 2, size=n), rng.normal(5, 2, size=n)
    weight = rng.uniform(0.1, 3, size=n) if weighted else None
    for ours, theirs in [
        (interval_r2, r2_score),
        (interval_squared_distance, mean_squared_error),
        (interval_absolute_distance, mean_absolute_error),
    ]:
        expected = theirs(y, y_pred, sample_weight=weight)
        assert ours(y, y_pred, sample_weight=weight) == pytest.approx(expected, rel=1e-13)


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 999))
def test_points_of_several_columns(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, y_pred = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    weight = rng.uniform(0.1, 3, size=n)
    sets = Intervals.from_points(y)
    for ours, theirs in [
        (interval_r2, r2_score),
        (interval_squared_distance, mean_squared_error),
        (interval_absolute_distance, mean_absolute_error),
    ]:
        expected = theirs(y, y_pred, sample_weight=weight)
        assert ours(sets, y_pred, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


def test_equal_points_are_scored_as_scikit_learn_does() -> None:
    for y_pred in ([3.0, 3.0], [3.0, 4.0]):
        assert interval_r2([3.0, 3.0], y_pred) == r2_score([3.0, 3.0], y_pred)


def test_one_row_has_no_r2() -> None:
    with pytest.warns(UndefinedMetricWarning):
        r2_score([3.0], [4.0])
    with pytest.warns(UndefinedMetricWarning, match="Fewer than two rows"):
        assert np.isnan(interval_r2([3.0], [4.0]))
    with pytest.warns(UndefinedMetricWarning, match="Fewer than two rows"):
        assert np.isnan(interval_r2([(1, 2), (-inf, inf)], [4.0, 2.0]))


# ------------------------------------------------------------------ sets: brute force


@given(st.integers(2, 7), st.integers(0, 10**6), st.booleans())
def test_on_sets_metrics_equal_their_definition(n: int, seed: int, unions: bool) -> None:
    rng = np.random.default_rng(seed)
    sets = random_unions(rng, n) if unions else random_intervals(rng, n)
    y_pred, weight = rng.uniform(-4, 4, size=n), rng.uniform(0.1, 2, size=n)
    counted = np.flatnonzero(sets.informative)
    if len(counted) < 2:
        return
    rows = [sets[j] if unions else (sets[j],) for j in counted.tolist()]
    losses = np.array([distance(row, c) for row, c in zip(rows, y_pred[counted], strict=True)])
    kept_weights = weight[counted]
    expected = {
        interval_squared_distance: np.average(losses**2, weights=kept_weights),
        interval_absolute_distance: np.average(losses, weights=kept_weights),
        interval_coverage: np.average(losses == 0, weights=kept_weights),
    }
    for metric, value in expected.items():
        assert metric(sets, y_pred, sample_weight=weight) == pytest.approx(value)
    smallest = smallest_sum(rows, kept_weights)
    score = interval_r2(sets, y_pred, sample_weight=weight)
    if smallest < 1e-12:
        assert score == float(losses.sum() == 0)
    else:
        expected_r2 = 1 - kept_weights @ losses**2 / smallest
        assert score == pytest.approx(expected_r2, rel=1e-9, abs=1e-9)


def test_no_constant_is_better_than_the_best() -> None:
    """Unions have many local minima, and multiples of 0.1 round; 400 draws cover these cases."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        drawn, offset = random_unions(rng, n), rng.choice([0.0, 0.7])
        lower, upper = 0.1 * drawn.lower + offset, 0.1 * drawn.upper + offset
        sets = IntervalUnions(lower, upper, drawn.indptr)
        if np.count_nonzero(sets.informative) < 2:
            continue
        weights = rng.uniform(0.1, 2, size=n) * sets.informative
        segments = Segments(sets.lower, sets.upper, sets.indptr)
        ends = np.concatenate([lower, upper])
        grid = [*np.linspace(-0.6, 1.3, 39), *ends[np.isfinite(ends)]]
        best, *others = (
            float(weights @ sets.distances(np.full(n, c))[:, 0] ** 2)
            for c in [best_constant(segments, weights), *grid]
        )
        # A number that is in all sets must be found exactly.
        assert best <= min(others) + (1e-12 if min(others) > 0 else 0)


@given(st.integers(2, 9), st.integers(1, 3), st.integers(0, 10**6))
def test_boxes_are_averages_over_columns(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes, y_pred = random_intervals(rng, n, d), rng.uniform(-4, 4, size=(n, d))
    known = np.isfinite(boxes.lower) | np.isfinite(boxes.upper)
    if (known.sum(axis=0) < 2).any():
        return
    for metric in (interval_r2, interval_squared_distance, interval_absolute_distance):
        each = [
            metric(Intervals(boxes.lower[:, k], boxes.upper[:, k]), y_pred[:, k]) for k in range(d)
        ]
        assert metric(boxes, y_pred) == pytest.approx(np.mean(each))
    inside = (boxes.distances(y_pred) == 0).all(axis=1)[boxes.informative]
    assert interval_coverage(boxes, y_pred) == pytest.approx(inside.mean())


def test_a_column_without_information_is_left_out() -> None:
    boxes = np.array([[[0.0, 1.0], [-inf, inf]], [[4.0, 5.0], [-inf, inf]]])
    y_pred = np.array([[0.0, 9.0], [3.0, 9.0]])
    assert interval_squared_distance(boxes, y_pred) == 0.5
    assert interval_r2(boxes, y_pred) == interval_r2(boxes[:, 0], y_pred[:, 0])


def test_r2_of_the_best_constant_is_zero_and_inside_all_sets_one() -> None:
    sets = [(0.0, 1.0), (3.0, 4.0), (3.5, inf)]
    # The mean of the nearest ends, 1, 3 and 3.5.
    assert interval_r2(sets, [2.5] * 3) == pytest.approx(0, abs=1e-12)
    assert interval_r2(sets, [0.5, 3.5, 9.0]) == 1.0


def test_a_large_offset_loses_no_precision() -> None:
    rng = np.random.default_rng(0)
    lower = rng.normal(size=40)
    sets, y_pred = Intervals(lower, lower + 0.25), rng.normal(size=40)
    moved = Intervals(lower + 1e8, lower + 0.25 + 1e8)
    assert interval_r2(moved, y_pred + 1e8) == pytest.approx(interval_r2(sets, y_pred), rel=1e-6)
    scaled = Intervals(lower * 1e140, (lower + 0.25) * 1e140)
    assert interval_r2(scaled, y_pred * 1e140) == pytest.approx(interval_r2(sets, y_pred))


@pytest.mark.parametrize("far", [1e6, 1e9, 1e12, 1e15])
def test_far_ends_lose_no_precision(far: float) -> None:
    """A very large end gives the same score as an infinite end."""
    rng = np.random.default_rng(0)
    lower, y_pred = rng.normal(size=40), rng.normal(size=40)
    upper = lower + 0.25
    upper[::3] = inf
    lower[::5] = -inf
    expected = interval_r2(Intervals(lower, upper), y_pred)
    bounded = Intervals(np.maximum(lower, -far), np.minimum(upper, far))
    assert interval_r2(bounded, y_pred) == pytest.approx(expected, rel=1e-10)
    # A second segment far away, another one for each row.
    rows = [[pair, (far * (2 + j), far * (2.5 + j))] for j, pair in enumerate(bounded)]
    assert interval_r2(rows, y_pred) == pytest.approx(expected, rel=1e-10)


def test_a_single_number_in_all_sets_is_found_exactly() -> None:
    rng = np.random.default_rng(2)
    for common in rng.normal(size=100).tolist():
        lower = np.append(common - rng.exponential(size=5), common)
        upper = np.insert(common + rng.exponential(size=5), 0, common)
        assert interval_r2(Intervals(lower, upper), np.full(6, common)) == 1.0
        assert interval_r2(Intervals(lower, upper), np.full(6, common + 1e-3)) == 0.0


def test_weights_are_copies() -> None:
    rng = np.random.default_rng(1)
    sets, y_pred, copies = random_unions(rng, 12), rng.normal(size=12), rng.integers(0, 3, size=12)
    rows = np.repeat(np.arange(12), copies)
    for metric in METRICS:
        assert metric(sets, y_pred, sample_weight=copies) == pytest.approx(
            metric(sets[rows], y_pred[rows])
        )


@pytest.mark.parametrize("metric", METRICS)
def test_rows_without_information_are_skipped(metric: Any) -> None:
    y = [(0, 1), (-inf, inf), (3, inf), 4.0]
    y_pred = [2.0, 77.0, 2.5, 4.0]
    kept = [0, 2, 3]
    assert metric(y, y_pred) == metric([y[j] for j in kept], [y_pred[j] for j in kept])
    with pytest.warns(UserWarning, match="score is"):
        assert np.isnan(metric([(-inf, inf)] * 2, [0.0, 0.0]))
    with pytest.warns(UserWarning, match="score is"):
        assert np.isnan(metric(y, y_pred, sample_weight=np.zeros(4)))


@pytest.mark.parametrize("metric", METRICS)
def test_every_form_of_y(metric: Any) -> None:
    pairs, y_pred = [(0.0, 1.0), (2.0, 4.0), (3.0, 3.0)], [0.5, 1.0, 5.0]
    expected = metric(pairs, y_pred)
    arrays = np.array(pairs)
    for y in (
        arrays,
        pd.DataFrame(arrays, columns=["lower", "upper"], index=[7, 8, 9]),
        pl.DataFrame(arrays, schema=["lower", "upper"]),
        pd.arrays.IntervalArray.from_tuples(pairs),
        ["[0, 1]", "3 +- 1", "3"],
        number_sets(pairs),
        IntervalUnions.from_any(pairs),
    ):
        assert metric(y, y_pred) == expected
        assert metric(y, np.array(y_pred)[:, np.newaxis]) == expected
        assert metric(y, pd.Series(y_pred, index=[1, 2, 3])) == expected


@pytest.mark.parametrize("metric", METRICS)
def test_missing_ends(metric: Any) -> None:
    y, y_pred = np.array([[0, 1], [nan, 3], [2, 2], [nan, nan]]), [0.5, 4.0, 4.0, 1.0]
    with pytest.raises(CandidateError, match="row 1 lacks an end"):
        metric(y, y_pred)
    opened = [(0, 1), (-inf, 3), 2.0, (-inf, inf)]
    assert metric(y, y_pred, missing="whole") == metric(opened, y_pred)


@pytest.mark.parametrize("metric", METRICS)
def test_bad_input(metric: Any) -> None:
    name = metric.__name__
    with pytest.raises(ValueError, match=f"{name}: y has 2 rows and y_pred has 3"):
        metric([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=f"{name}: y_pred contains NaN or infinity.*row 1"):
        metric([1.0, 2.0], [1.0, nan])
    with pytest.raises(ValueError, match="shape"):
        metric([1.0, 2.0], np.zeros((2, 2)))
    with pytest.raises(ValueError, match="one finite number for each row"):
        metric([1.0, 2.0], [1.0, 2.0], sample_weight=[1.0])
    with pytest.raises(ValueError, match="one finite number for each row"):
        metric([1.0, 2.0], [1.0, 2.0], sample_weight=[1.0, nan])


@pytest.mark.parametrize("metric", [interval_r2, interval_squared_distance, interval_coverage])
def test_negative_weights_are_an_error(metric) -> None:
    with pytest.raises(ValueError, match=r"row 1 has -1\.0"):
        metric([1.0, 2.0], [1.0, 2.0], sample_weight=[1.0, -1.0])


def test_weights_that_are_no_numbers_are_an_error_in_words() -> None:
    with pytest.raises(ValueError, match=r"must hold one finite number for each row.*got 'all'"):
        interval_r2([1.0, 2.0], [1.0, 2.0], sample_weight="all")


# ------------------------------------------------------------------ scorers


class Centers(RegressorMixin, BaseEstimator):
    """Linear regression on centres plus a shift; it has the parameter that scorers read."""

    def __init__(self, shift: float = 0.0, missing: str = "error") -> None:
        self.shift = shift
        self.missing = missing

    def fit(self, X: Any, y: Any) -> "Centers":
        sets = number_sets(y, self.missing)
        known = sets.informative
        self.model_ = LinearRegression().fit(X[known], sets.centers[known, 0])
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X) + self.shift


@pytest.fixture
def problem() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    truth = X @ [1.0, -2.0, 0.5]
    lower = truth - rng.exponential(size=60)
    upper = np.where(rng.random(60) < 0.2, inf, truth + rng.exponential(size=60))
    return X, np.stack([lower, upper], axis=1)


@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_equal_metrics_times_a_sign(scorer: Any, problem: Any) -> None:
    X, y = problem
    model = Centers().fit(X, y)
    expected = SCORERS[scorer] * scorer.score(y, model.predict(X))
    assert scorer(model, X, y) == expected
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert repr(scorer) == f"{scorer.score.__name__}_scorer"
    weight = np.arange(60.0)
    assert scorer(model, X, y, sample_weight=weight) != expected


@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_read_the_parameter_missing(scorer: Any, problem: Any) -> None:
    X, y = problem
    gaps = np.where(np.isinf(y), nan, y)
    model = make_pipeline(StandardScaler(), Centers(missing="whole")).fit(X, gaps)
    assert scorer(model, X, gaps) == scorer(model, X, y)
    with pytest.raises(CandidateError, match="lacks an end"):
        scorer(Centers().fit(X, y), X, gaps)


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        Intervals.from_any,
        IntervalUnions.from_any,
        lambda y: pd.DataFrame(y, columns=["lower", "upper"]),
        lambda y: pl.DataFrame(y, schema=["lower", "upper"]),
        lambda y: pd.arrays.IntervalArray.from_arrays(y[:, 0], y[:, 1]),
        lambda y: pd.Series(pd.arrays.IntervalArray.from_arrays(y[:, 0], y[:, 1])),
        lambda y: [tuple(row) for row in y.tolist()],
        lambda y: [f"[{low}, {high}]" for low, high in y.tolist()],
    ],
)
def test_scorers_in_searches(form: Any, problem: Any) -> None:
    X, y = problem
    expected = cross_val_score(Centers(), X, y, scoring=interval_r2_scorer, cv=3)
    assert np.isfinite(expected).all()
    scores = cross_val_score(Centers(), X, form(y), scoring=interval_r2_scorer, cv=3)
    np.testing.assert_allclose(scores, expected)
    search = GridSearchCV(
        Centers(),
        {"shift": [-5.0, 0.0, 5.0]},
        scoring=interval_squared_distance_scorer,
        cv=3,
        error_score="raise",
    ).fit(X, form(y))
    assert search.best_params_ == {"shift": 0.0}
    assert interval_coverage_scorer(search, X, form(y)) > 0.5


@pytest.mark.parametrize(
    "metric",
    [interval_squared_distance, interval_absolute_distance, interval_coverage, interval_r2],
)
def test_marked_rows_are_not_counted(metric):
    y, predictions = [(0, 1), "?", 5.0, -1, (2, 3)], [0.5, 9.0, 6.0, 9.0, 4.0]
    known = [0, 2, 4]
    expected = metric([y[k] for k in known], [predictions[k] for k in known])
    assert metric(y, predictions, unlabeled=["?", -1]) == expected
