"""`cross_examine` of numbers: confidence, suspicion, answers and prediction sets."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import DisambiguatedRegressor, IntervalRegressor, Intervals
from disambig.candidates import IntervalUnions, number_sets
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.exceptions import NoInformationError
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights

RIDGE = IntervalRegressor(KernelRidgeWeights(intercept=True, regularization=1e-2))


def draw(n, rng, *, half_lines=0.2, wrong=0.0, noise=0.4):
    """Inputs, sets (intervals, some half-lines, some points), and the numbers."""
    X = rng.uniform(-2, 2, size=(n, 2))
    truth = 2 * np.sin(X[:, 0]) + X[:, 1] + noise * rng.normal(size=n)
    seen = np.where(rng.random(n) < wrong, rng.permutation(truth), truth)
    width = np.where(rng.random(n) < 0.1, 0.0, rng.exponential(2.0, n))
    lower = seen - width * rng.random(n)
    y = np.column_stack([lower, lower + width])
    # The side of a threshold that does not depend on the number: coarsening at random.
    threshold, is_half = rng.normal(size=n), rng.random(n) < half_lines
    y[is_half, 0] = np.where(seen < threshold, -np.inf, threshold)[is_half]
    y[is_half, 1] = np.where(seen < threshold, threshold, np.inf)[is_half]
    return X, y, truth


@pytest.fixture(scope="module")
def exam():
    X, y, truth = draw(300, np.random.default_rng(0))
    return cross_examine(RIDGE, X, y), X, y, truth


def test_the_parts_are_those_of_held_out_predictions(exam):
    found, _, y, truth = exam
    sets = number_sets(y)
    residuals = fit_residuals(found.predictions[:, None], sets)
    medians = residuals.median(found.predictions, sets)
    np.testing.assert_allclose(found.labels, medians[:, 0])
    assert sets.contains(medians).all()
    # The number of the set nearest to the prediction is often an end, and farther from the truth.
    errors = [np.abs(one - truth).mean() for one in (found.labels, found.estimator.labels_)]
    assert errors[0] < 0.9 * errors[1]
    np.testing.assert_allclose(
        found.confidence,
        residuals.within(found.labels, found.predictions, sets, found.distance),
    )
    np.testing.assert_allclose(found.distance, found.estimator.confidence_distance_)
    assert (found.confidence[sets.is_point] == 1).all()
    assert not found.is_split
    assert not found.selection_saw_sets
    # Predictions of models without the row are worse than those of the fit, and near to the truth.
    errors = [np.mean((p - truth) ** 2) for p in (found.estimator.predict(exam[1]), truth)]
    assert errors[1] < errors[0] < np.mean((found.predictions - truth) ** 2) < 0.5
    is_open = ~sets.is_point
    right = (np.abs(found.labels - truth) <= found.distance)[is_open]
    assert abs(found.confidence[is_open].mean() - right.mean()) < 0.06
    ends = found.central_range()
    covered = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert 0.84 < covered[is_open].mean() < 0.96


def test_the_frame_names_what_it_shows(exam):
    found, _, y, _ = exam
    frame = found.frame()
    assert frame.columns.tolist() == [
        "label",
        "confidence",
        "within",
        "lower_90",
        "upper_90",
        "prediction_without_set",
        "wrong_set_probability",
        "suspicion",
    ]
    inside = (frame["lower_90"] >= y[:, 0] - 1e-9) & (frame["upper_90"] <= y[:, 1] + 1e-9)
    assert inside.all()
    assert repr(found).startswith("NumberExamination(300 rows, mean confidence 0.")
    with pytest.raises(ValueError, match="read-only"):
        found.predictions[0] = 1.0


def test_wrong_sets_are_suspect_whatever_their_length():
    rng = np.random.default_rng(3)
    X, y, truth = draw(400, rng, wrong=0.1, half_lines=0.0, noise=0.1)
    found = cross_examine(RIDGE, X, y)
    far = np.maximum(y[:, 0] - truth, truth - y[:, 1]) > 1.2
    order = np.argsort(-found.suspicion)
    assert far[order[: far.sum()]].mean() > 0.8
    # Long and short sets are suspect alike where nothing is wrong with them.
    fine, width = ~far, y[:, 1] - y[:, 0]
    short = width < np.median(width)
    gap = found.suspicion[fine & short].mean() - found.suspicion[fine & ~short].mean()
    assert abs(gap) < 0.15
    assert 0.02 < found.wrong_share < 0.2
    posterior = found.frame()["wrong_set_probability"].to_numpy()
    assert posterior[far].mean() > 8 * posterior[~far].mean()


def test_coverage_of_split_calibration_is_exact():
    """One fit, 200 draws of calibration rows: truths are covered, and sets are met."""
    rng = np.random.default_rng(1)
    X, y, _ = draw(150, rng)
    model = IntervalRegressor(RIDGE.weights).fit(X, y)
    X_new, y_new, truth_new = draw(2000, rng)
    predicted = model.predict(X_new)
    n, coverage, shares = 59, 0.9, []
    for _ in range(200):
        rows = draw(n, rng)
        exam = cross_examine(model, *rows[:2], cv="prefit")
        answered = exam.with_answers(np.arange(n), rows[2])
        truth = answered.predict_set(X_new, coverage, meaning="truth")
        meets = exam.predict_set(X_new, coverage)
        np.testing.assert_allclose(truth.mean(axis=1), predicted, atol=1e-9)
        shares.append(
            [
                ((truth[:, 0] <= truth_new) & (truth_new <= truth[:, 1])).mean(),
                ((meets[:, 0] <= y_new[:, 1]) & (y_new[:, 0] <= meets[:, 1])).mean(),
            ]
        )
    mean, error = np.mean(shares, axis=0), np.std(shares, axis=0) / np.sqrt(200)
    assert exam.is_split
    assert (mean >= coverage - 0.01 - 3 * error).all()
    assert (mean <= coverage + 1 / (n + 1) + 0.01 + 3 * error).all()


def test_contains_is_infinite_with_many_half_lines(exam):
    found, X, y, _ = exam
    ends = found.predict_set(X[:3], 0.9, meaning="contains")
    assert np.isinf(ends).all()
    inside = found.predict_set(coverage=0.9, meaning="contains")
    np.testing.assert_array_equal(inside, y)
    finite = found.predict_set(X, 0.5, meaning="contains")
    assert np.isfinite(finite).all()
    assert ((finite[:, 0] <= y[:, 0]) & (y[:, 1] <= finite[:, 1])).mean() > 0.4


def test_sets_of_the_examined_rows_are_inside_their_intervals(exam):
    found, _, y, truth = exam
    rows = np.random.default_rng(5).permutation(300)[:80]
    answered = found.with_answers(rows, truth[rows])
    for one, meaning in ((found, "meets"), (answered, "truth")):
        ends = one.predict_set(coverage=0.8, meaning=meaning)
        assert (ends[:, 0] <= ends[:, 1]).all()
        assert ((ends[:, 0] >= y[:, 0]) & (ends[:, 1] <= y[:, 1])).all()
    rest = np.setdiff1d(np.arange(300), rows)
    covered = (ends[rest, 0] <= truth[rest]) & (truth[rest] <= ends[rest, 1])
    assert 0.7 < covered.mean() < 0.95
    # What the set excludes is no error: the radius is around the number of the set that is nearest.
    nearest = np.clip(found.predictions, y[:, 0], y[:, 1])
    radius = np.sort(np.abs(nearest - truth)[rows])[int(np.ceil(0.8 * 81)) - 1]
    np.testing.assert_allclose(ends[:, 0], np.maximum(nearest - radius, y[:, 0]))
    np.testing.assert_allclose(ends[:, 1], np.minimum(nearest + radius, y[:, 1]))


def test_answers_become_labels_and_may_be_outside_of_their_set(exam):
    found, _, y, truth = exam
    rows = np.flatnonzero(np.isfinite(y[:, 1]))[:60]
    given = truth[rows].copy()
    given[0] = y[rows[0], 1] + 5.0
    answered = found.with_answers(rows, given)
    np.testing.assert_array_equal(answered.labels[rows], given)
    np.testing.assert_allclose(answered.wrong_share_of_answers, 1 / 60)
    assert answered.frame()["is_outside"].sum() == 1
    assert (answered.confidence[rows] == 1).all()
    # The recovered numbers, not the answers, are what was right or wrong.
    is_open = y[:, 0] < y[:, 1]
    assert answered.accept(risk=0.4).rows[is_open].any()
    wrong = found.with_answers(rows, found.labels[rows] + 2 * found.distance)
    assert not wrong.accept(risk=0.4).rows[is_open].any()
    others = np.setdiff1d(np.flatnonzero(is_open), rows)
    assert wrong.confidence[others].mean() < 0.2 < answered.confidence[others].mean()


def test_boxes_have_a_promise_for_each_column():
    rng = np.random.default_rng(2)
    X, first, one = draw(120, rng, half_lines=0.0)
    _, second, other = draw(120, rng, half_lines=0.0)
    y = np.stack([first, 10 * second], axis=1)
    exam = cross_examine(RIDGE, X, y, cv=3)
    assert exam.predictions.shape == (120, 2)
    assert exam.distance.shape == (2,)
    assert exam.distance[1] > 5 * exam.distance[0]
    frame = exam.frame()
    assert {"within_0", "lower_90_1", "prediction_without_set_1"} <= set(frame.columns)
    assert len(frame["label"][0]) == 2
    ends = exam.predict_set(X[:5], 0.8)
    assert ends.shape == (5, 2, 2)
    answered = exam.with_answers(np.arange(50), np.column_stack([one, 10 * other])[:50])
    assert answered.predict_set(coverage=0.8, meaning="truth").shape == (120, 2, 2)
    with pytest.raises(ValueError, match=r"shape \(50, 2\)"):
        exam.with_answers(np.arange(50), one[:50])


def test_unions_keep_their_gaps():
    """The sign of the number is unknown: its two sides are far apart."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, size=(80, 1))
    truth = 3 * X[:, 0] + 0.2 * rng.normal(size=80)
    y = IntervalUnions.from_any([[(-abs(t) - 0.3, -abs(t)), (abs(t), abs(t) + 0.3)] for t in truth])
    linear = KernelRidgeWeights(kernel="linear", intercept=True)
    known = np.column_stack([truth, truth])
    model = IntervalRegressor(linear).fit(X, known)
    exam = cross_examine(model, X, y, cv="prefit")
    ends = exam.predict_set(coverage=0.8)
    assert y.contains(ends[:, 0]).all()
    assert y.contains(ends[:, 1]).all()
    assert (np.sign(exam.labels) == np.sign(truth)).mean() > 0.9
    clear = np.abs(truth) > 1
    assert exam.confidence[clear].min() > 0.9


def test_pipelines_weights_repeats_and_other_regressors():
    X, y, truth = draw(90, np.random.default_rng(6))
    weights = np.ones(90)
    weights[:5] = 0
    pipeline = make_pipeline(StandardScaler(), IntervalRegressor("neighbors"))
    alternating = DisambiguatedRegressor(LinearRegression(), start="average")
    for model in (pipeline, alternating):
        exam = cross_examine(model, X, y, cv=3, repeats=2, sample_weight=weights)
        assert np.isfinite(exam.predictions).all()
        assert np.corrcoef(exam.predictions, truth)[0, 1] > 0.6
        assert Intervals.from_any(y).contains(exam.labels).all()


def test_errors_say_what_to_do(exam):
    found, X, _, truth = exam
    with pytest.raises(ValueError, match="with_answers"):
        found.predict_set(X, meaning="truth")
    few = found.with_answers([0, 1, 2], truth[:3])
    with pytest.raises(ValueError, match="3 answers cannot promise"):
        few.predict_set(X, meaning="truth")
    with pytest.raises(ValueError, match="numbers have no classes"):
        found.with_answers(np.arange(50), truth[:50]).predict_set(
            X, meaning="truth", classwise=True
        )
    with pytest.raises(ValueError, match="row 1 is NaN"):
        found.with_answers([0, 1], [0.0, np.nan])
    with pytest.raises(ValueError, match="X holds pairs of rows"):
        cross_examine(IntervalRegressor("precomputed"), np.eye(4), [(0, 1), 2.0, 3.0, (1, 4)])
    whole = np.tile([-np.inf, np.inf], (300, 1))
    with pytest.raises(NoInformationError, match="nothing can be judged"):
        cross_examine(found.estimator, X, whole, cv="prefit")


def test_numbers_that_have_left_their_set_stay_outside():
    X, y, _ = draw(150, np.random.default_rng(5), half_lines=0.0)
    moved = np.arange(6)
    y[moved] += 7.0
    found = cross_examine(clone(RIDGE).set_params(tolerance=2.0), X, y)
    outside = found.estimator.outside_
    assert outside[moved].any()
    np.testing.assert_array_equal(found.labels[outside], found.estimator.labels_[outside])
    assert number_sets(y[~outside]).contains(found.labels[~outside, np.newaxis]).all()
