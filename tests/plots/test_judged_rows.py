"""Rows of estimators: predictions at new rows, and labels that a fit recovered."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import DisambiguatedClassifier, IntervalRegressor, LabelSets, PartialLabelClassifier
from disambig.losses import AbstainLoss
from disambig.plots import ConfidenceHistogramDisplay, ReliabilityDisplay, RiskCoverageDisplay
from disambig.weights import NeighborWeights

DISPLAYS = (ReliabilityDisplay, RiskCoverageDisplay, ConfidenceHistogramDisplay)
EVERY_DISPLAY = pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)

RNG = np.random.default_rng(3)
TRUTH = np.array(["a", "b", "c"])[RNG.integers(0, 3, 90)]
X = np.array([{"a": 0.0, "b": 1.0, "c": 2.0}[label] for label in TRUTH])[:, None]
X = X + RNG.normal(scale=0.45, size=(90, 2))
SETS = [{label, *RNG.choice(["a", "b", "c"], 1)} for label in TRUTH]
TRAIN, TEST = np.arange(60), np.arange(60, 90)
TRAIN_SETS = SETS[:60]


@pytest.fixture(scope="module")
def model() -> PartialLabelClassifier:
    return PartialLabelClassifier(NeighborWeights(n_neighbors=7)).fit(X[TRAIN], TRAIN_SETS)


def rows_of(display: type, method: str, *args: object, **options: object) -> list[np.ndarray]:
    """What the constructor `method` hands to `from_predictions`."""
    found: list[np.ndarray] = []

    class Recorded(display):  # type: ignore[misc,valid-type]
        @classmethod
        def from_predictions(cls, confidence, is_right, *, name, **_):
            found.extend([confidence, is_right, name])

    getattr(Recorded, method)(*args, **options)
    return found


@EVERY_DISPLAY
def test_predictions_at_new_rows(display: type, model: PartialLabelClassifier) -> None:
    for one in (
        model,
        make_pipeline(StandardScaler(), LogisticRegression()).fit(X[TRAIN], TRUTH[TRAIN]),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X[TRAIN], TRUTH[TRAIN]),
    ):
        confidence, is_right, name = rows_of(
            display, "from_estimator", one, X[TEST], TRUTH[TEST].tolist()
        )
        np.testing.assert_allclose(confidence, one.predict_proba(X[TEST]).max(axis=1))
        assert is_right.tolist() == (one.predict(X[TEST]) == TRUTH[TEST]).tolist()
        assert 0 < is_right.sum() < len(TEST)
        assert name == ("PartialLabelClassifier" if one is model else "LogisticRegression")


@EVERY_DISPLAY
def test_recovered_labels_of_some_rows(display: type, model: PartialLabelClassifier) -> None:
    is_known = np.arange(60) % 2 == 1
    for rows in (None, [5, 2, -1], is_known):
        chosen = slice(None) if rows is None else rows
        truth = TRUTH[TRAIN][chosen]
        # A series keeps its index, which is not used.
        series = pd.Series(truth, index=np.arange(len(truth))[::-1])
        confidence, is_right, name = rows_of(display, "from_recovered", model, series, rows=rows)
        assert confidence.tolist() == model.confidence_[chosen].tolist()
        assert is_right.tolist() == (model.labels_[chosen] == truth).tolist()
        assert name == "PartialLabelClassifier"


def test_recovered_labels_inside_a_pipeline_and_of_an_alternation() -> None:
    inner = PartialLabelClassifier(NeighborWeights(n_neighbors=7))
    pipeline = make_pipeline(StandardScaler(), inner).fit(X[TRAIN], TRAIN_SETS)
    other = DisambiguatedClassifier(LogisticRegression(), start="average", max_iter=1)
    other.fit(X[TRAIN], TRAIN_SETS)
    for one, last in ((pipeline, pipeline[-1]), (other, other)):
        found = rows_of(ReliabilityDisplay, "from_recovered", one, TRUTH[TRAIN])
        assert found[0].tolist() == last.confidence_.tolist()
        assert found[1].tolist() == (last.labels_ == TRUTH[TRAIN]).tolist()
        assert found[2] == type(last).__name__


def test_the_truth_is_optional_in_the_histogram(model: PartialLabelClassifier) -> None:
    ax = Figure().add_subplot()
    recovered = ConfidenceHistogramDisplay.from_recovered(model, rows=[1, 2], ax=ax)
    assert recovered.weight.sum() == 2
    predicted = ConfidenceHistogramDisplay.from_estimator(model, X[TEST], ax=ax)
    assert predicted.weight.sum() == len(TEST)
    assert recovered.wrong_weight is predicted.wrong_weight is None


def test_labels_of_several_types_are_compared_as_they_are() -> None:
    mixed = PartialLabelClassifier(NeighborWeights(n_neighbors=1), classes=[1, "1"])
    mixed.fit([[0.0], [1.0], [2.0]], [{1}, {"1"}, {1}])
    _, is_right, _ = rows_of(ReliabilityDisplay, "from_recovered", mixed, [1, 1, "1"])
    assert is_right.tolist() == [True, False, False]


def test_an_abstention_is_not_right() -> None:
    loss = AbstainLoss(0.2)
    cautious = PartialLabelClassifier(NeighborWeights(n_neighbors=7), loss=loss)
    cautious.fit(X[TRAIN], TRAIN_SETS)
    predictions = cautious.predict(X[TEST])
    abstains = predictions == "abstain"
    assert 0 < abstains.sum() < len(TEST)
    _, is_right, _ = rows_of(ReliabilityDisplay, "from_estimator", cautious, X[TEST], TRUTH[TEST])
    assert is_right.tolist() == (predictions == TRUTH[TEST]).tolist()
    assert "a" in TRUTH[TEST][abstains], "the first class must not pass for an abstention"


@EVERY_DISPLAY
def test_an_estimator_must_be_fitted(display: type) -> None:
    with pytest.raises(NotFittedError):
        display.from_estimator(PartialLabelClassifier(), X, TRUTH)
    with pytest.raises(NotFittedError):
        display.from_recovered(PartialLabelClassifier(), TRUTH)


@pytest.mark.parametrize(
    ("truth", "rows", "message"),
    [
        (TRUTH[:59], None, r"y_true has 59 rows; expected 60"),
        (TRUTH[TRAIN], [1, 2], r"expected 2.*labels of these rows only"),
        (TRAIN_SETS, None, r"row \d+ does not hold exactly one label .*not sets"),
        (LabelSets.from_any(TRAIN_SETS), None, r"must hold true labels.*got LabelSets"),
        ([None, *TRUTH[1:60]], None, r"row 0 has no true label"),
        (np.zeros(60, dtype=int), None, r"such as 0; none of them is among the classes \['a'"),
        (TRUTH[:1], [60], r"rows has 60; there are 60 training rows"),
        (TRUTH[:1], [0.5], r"rows must be positions .* got shape \(1,\) of float64"),
        (TRUTH[:2], [True, False], r"rows must be positions .* mask of 60 bools"),
    ],
)
def test_errors_of_the_truth(
    truth: object, rows: object, message: str, model: PartialLabelClassifier
) -> None:
    with pytest.raises((ValueError, TypeError, IndexError), match=message):
        ReliabilityDisplay.from_recovered(model, truth, rows=rows)


def test_estimators_without_classes_are_refused() -> None:
    numbers = IntervalRegressor(NeighborWeights(n_neighbors=2), method="infimum")
    numbers.fit([[0.0], [1.0], [2.0]], [(0, 1), (1, 2), (2, 3)])
    with pytest.raises(TypeError, match="IntervalRegressor has no predict_proba and no classes_"):
        ReliabilityDisplay.from_estimator(numbers, [[0.0]], [1.0])
    with pytest.raises(TypeError, match="IntervalRegressor has no classes_"):
        ReliabilityDisplay.from_recovered(numbers, [1.0, 1.0, 1.0])


@EVERY_DISPLAY
@pytest.mark.parametrize(
    ("confidence", "is_right", "message"),
    [
        ([0.5, 1.2], [True, False], r"from 0 to 1; got 1\.2 in row 1"),
        ([0.5, np.nan], [True, False], r"got nan in row 1"),
        ([0.5, 0.6], [True], r"confidence has 2 rows and is_right has shape \(1,\)"),
        ([0.5, 0.6], ["a", "b"], r"is_right must hold True and False"),
    ],
)
def test_errors_of_predictions(
    display: type, confidence: object, is_right: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        display.from_predictions(confidence, is_right, ax=Figure().add_subplot())


@EVERY_DISPLAY
def test_errors_of_options(display: type) -> None:
    given = {"ax": Figure().add_subplot()}
    with pytest.raises(ValueError, match=r"sample_weight must hold one finite number"):
        display.from_predictions([0.5, 0.6], [True, False], sample_weight=[1.0], **given)
    with pytest.raises(TypeError, match=r"ax must be matplotlib Axes or None; got Figure"):
        display.from_predictions([0.5], [True], ax=Figure())
    bound = {RiskCoverageDisplay: "risk", ConfidenceHistogramDisplay: "resolve_at"}.get(display)
    if bound is not None:
        with pytest.raises(ValueError, match=rf"{bound} must be a number from 0 to 1; got 5"):
            display.from_predictions([0.5], [True], **{bound: 5}, **given)
    if display is not RiskCoverageDisplay:
        with pytest.raises(ValueError, match=r"n_bins must be an integer >= 1; got 0"):
            display.from_predictions([0.5], [True], n_bins=0, **given)
