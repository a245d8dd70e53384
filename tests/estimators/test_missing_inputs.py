"""NaN in X: every estimator takes it at fit and at predict, and says what it did."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from disambig import (
    DisambiguatedClassifier,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.estimators import DisambiguatedInputs
from disambig.estimators.completion.choice import _means_at_marks
from disambig.exceptions import MissingColumnWarning
from disambig.inputs import CompletedWeights, fit_completion
from disambig.report.sections.tried import _missing_cells
from disambig.trust import cross_examine
from disambig.weights import ForestWeights, NeighborWeights

N = 80


def inputs(share=0.2, seed=0):
    """Inputs with holes, and without."""
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=(N, 4))
    return np.where(rng.random((N, 4)) < share, np.nan, whole), whole


def targets(kind):
    """Sets of each kind that follow from the inputs without holes."""
    rng, whole = np.random.default_rng(1), inputs()[1]
    if kind == "labels":
        classes = np.array(["a", "b", "c"])
        codes = np.argmax(whole[:, :3], axis=1)
        return [{classes[code], *rng.choice(classes, 1)} for code in codes]
    if kind == "numbers":
        middle = whole[:, 0] + whole[:, 1]
        return np.column_stack([middle - rng.random(N), middle + rng.random(N)])
    hidden = rng.random((N, 3)) < 0.3
    if kind == "orders":
        ranks = np.argsort(np.argsort(whole[:, :3], axis=1), axis=1)
        return np.where(hidden, np.nan, ranks)
    return np.where(hidden, np.nan, whole[:, :3] > 0)


ESTIMATORS = {
    "labels": PartialLabelClassifier,
    "numbers": IntervalRegressor,
    "orders": PartialRanker,
    "bits": lambda weights="auto": PartialMultilabelClassifier(weights),
}
KINDS = list(ESTIMATORS)


def test_tags_say_who_takes_missing_cells():
    taking = [
        *(make() for make in ESTIMATORS.values()),
        StructuredPredictor(),
        DisambiguatedInputs(PartialLabelClassifier()),
        DisambiguatedClassifier(HistGradientBoostingClassifier()),
        DisambiguatedClassifier(PartialLabelClassifier("forest"), start="average"),
    ]
    for estimator in taking:
        assert get_tags(estimator).input_tags.allow_nan
    for estimator in (
        PartialLabelClassifier("precomputed"),
        DisambiguatedClassifier(LogisticRegression()),
    ):
        assert not get_tags(estimator).input_tags.allow_nan


def test_the_report_says_how_cells_were_completed():
    X, y = inputs()[0], targets("labels")
    model = PartialLabelClassifier("neighbors").fit(X, y)
    ((name, text),) = _missing_cells(model)
    assert name == "missing cells"
    assert text == str(model.completion_)
    assert _missing_cells(PartialLabelClassifier("neighbors").fit(inputs()[1], y)) == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", ["neighbors", "kernel_ridge"])
def test_named_weights_learn_from_mean_and_indicators(kind, weights):
    X, y = inputs()[0], targets(kind)
    model = ESTIMATORS[kind](weights).fit(X, y)
    completion = fit_completion(X, "mean + indicators")
    other = ESTIMATORS[kind](weights).fit(completion.transform(X), y)
    Q = inputs(seed=5)[0]
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_array_equal(model.predict(Q), other.predict(completion.transform(Q)))
    assert model.completion_.n_missing == np.isnan(X).sum()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changes_without_holes(kind):
    X, y = inputs()[1], targets(kind)
    model = ESTIMATORS[kind]("kernel_ridge").fit(X, y)
    assert model.completion_.transform(X) is X
    assert not model.without_input_.any()
    assert model.completion_.n_missing == 0


@pytest.mark.parametrize("kind", KINDS)
def test_holes_only_at_predict(kind):
    X, y = inputs()[1], targets(kind)
    model = ESTIMATORS[kind]("kernel_ridge").fit(X, y)
    Q = X[:3].copy()
    Q[:, 2] = np.nan
    filled = np.where(np.isnan(Q), X.mean(axis=0), Q)
    np.testing.assert_array_equal(model.predict(Q), model.predict(filled))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "weights",
    ["kernel_ridge", NeighborWeights(5, metric="nan_euclidean"), ForestWeights(n_estimators=10)],
)
def test_rows_without_input(kind, weights):
    X, y = inputs()[0], targets(kind)
    X[7] = np.nan
    model = ESTIMATORS[kind](weights).fit(X, y)
    assert np.flatnonzero(model.without_input_).tolist() == [7]
    kept = np.arange(N) != 7
    sets = [one for row, one in enumerate(y) if row != 7] if kind == "labels" else y[kept]
    other = ESTIMATORS[kind](weights).fit(X[kept], sets)
    np.testing.assert_array_equal(model.labels_[kept], other.labels_)
    assert not model.resolved_[7] or kind == "labels"
    Q = np.vstack([np.full((1, 4), np.nan), X[:1]])
    found = model.predict(Q)
    if kind == "numbers":
        assert found[0] == model._predictor_.constant
    assert model.is_reached(Q).tolist() == [False, True]


def test_labels_without_input_follow_the_frequencies():
    X, y = inputs()[0], targets("labels")
    X[7], y[7] = np.nan, {"a", "b"}
    X[8], y[8] = np.nan, {"c"}
    model = PartialLabelClassifier("neighbors").fit(X, y)
    frequencies = model._probabilities_.prior
    expected = "a" if frequencies[0] >= frequencies[1] else "b"
    assert model.labels_[7] == expected
    assert not model.decided_[7]
    assert model.labels_[8] == "c"
    assert model.decided_[8]
    found = model.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(found[0], frequencies)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_without_a_value_are_dropped(kind):
    X, y = inputs()[0], targets(kind)
    wide = np.column_stack([X, np.full(N, np.nan)])
    with pytest.warns(MissingColumnWarning, match="column 4 has no value"):
        model = ESTIMATORS[kind]("kernel_ridge").fit(wide, y)
    other = ESTIMATORS[kind]("kernel_ridge").fit(X, y)
    Q = np.column_stack([X, np.arange(N)])
    np.testing.assert_array_equal(model.predict(Q), other.predict(X))
    assert model.completion_.dropped.tolist() == [4]


def test_trees_are_given_columns_without_a_value():
    X, y = inputs()[0], targets("labels")
    wide = np.column_stack([X, np.full(N, np.nan)])
    with pytest.warns(MissingColumnWarning, match="column 4 has no value"):
        model = PartialLabelClassifier("forest").fit(wide, y)
    assert model.completion_.way == "none"
    # Nothing was learned from it.
    Q = np.column_stack([X, np.arange(N)])
    np.testing.assert_array_equal(model.predict(Q), model.predict(wide))
    # Sparse inputs are completed.
    sparse = PartialLabelClassifier("forest").fit(sp.csr_array(X), y)
    assert sparse.completion_.way == "mean + indicators"
    with pytest.raises(ValueError, match="got a sparse matrix with NaN"):
        PartialLabelClassifier("forest").fit(X, y).predict(sp.csr_array(X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_name(kind, value):
    pd = pytest.importorskip("pandas")
    X, y = inputs()[0], targets(kind)
    model = ESTIMATORS[kind]("kernel_ridge").fit(pd.DataFrame(X, columns=list("pqrs")), y)
    X[3, 2] = value
    frame = pd.DataFrame(X, columns=list("pqrs"))
    with pytest.raises(ValueError, match="row 3, column 'r'"):
        model.predict(frame)
    with pytest.raises(ValueError, match="row 3, column 'r'"):
        ESTIMATORS[kind]("kernel_ridge").fit(frame, y)


def test_pairs_and_empty_inputs_are_refused():
    y = targets("labels")
    pairs = np.eye(N)
    pairs[2, 3] = np.nan
    with pytest.raises(ValueError, match=r"row 2, column 3.*give all pairs of rows"):
        PartialLabelClassifier("precomputed").fit(pairs, y)
    with pytest.raises(ValueError, match="every cell of the 80 rows that take part is NaN"):
        PartialLabelClassifier("neighbors").fit(np.full((N, 2), np.nan), y)
    with pytest.raises(ValueError, match="completion must be one of 'mean'"):
        PartialLabelClassifier(CompletedWeights("neighbors", "median")).fit(inputs()[0], y)


def test_sparse_inputs_and_single_precision():
    X, y = inputs()[0], targets("labels")
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = PartialLabelClassifier("kernel_ridge").fit(X, y)
    sparse = PartialLabelClassifier("kernel_ridge").fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    single = PartialLabelClassifier("kernel_ridge").fit(X.astype(np.float32), y)
    assert (single.labels_ == dense.labels_).mean() > 0.95


def chosen_with(X, truth):
    """The default on sets of two classes, a fifth of which say nothing."""
    rng = np.random.default_rng(1)
    return PartialLabelClassifier().fit(
        X, [{int(t)} if rng.random() < 0.8 else {0, 1} for t in truth]
    )


def test_the_selection_finds_out_whether_holes_say_something():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N)
    noise = rng.normal(size=(N, 3))
    absent = (rng.random((N, 3)) < 0.6) & (truth == 1)[:, None]
    model = chosen_with(np.where(absent, np.nan, noise), truth)
    ways = [trial.completion for trial in model.trials_]
    assert model.completion_.way == ways[0]
    assert ways[0].endswith(" + indicators")
    # Where they help, means and guesses beside them are compared; the other ways come last.
    assert set(ways[:-2]) == {ways[0]}
    assert {*ways[-2:], ways[0]} == {
        "conditional",
        "conditional + indicators",
        "mean + indicators",
    }
    assert "further columns say where" in str(model.completion_)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, N)
    near = rng.normal(size=(N, 8)) + truth[:, None]
    model = chosen_with(np.where(rng.random((N, 8)) < 0.3, np.nan, near), truth)
    assert model.completion_.way == "conditional"
    assert [trial.completion for trial in model.trials_[-2:]] == [
        "conditional",
        "conditional + indicators",
    ]


def test_means_beside_indicators():
    X = inputs()[0]
    marked = fit_completion(X, "conditional + indicators")
    found = _means_at_marks(marked, marked.transform(X))
    np.testing.assert_allclose(found, marked.with_means().transform(X))
    other = fit_completion(X, "mean + indicators")
    np.testing.assert_allclose(found, other.transform(X))
    assert marked.with_means().way == other.way


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_pipelines_copies_and_examinations(kind):
    X, y = inputs()[0], targets(kind)
    X[7] = np.nan
    chain = make_pipeline(StandardScaler(), ESTIMATORS[kind]("kernel_ridge")).fit(X, y)
    again = pickle.loads(pickle.dumps(chain))
    np.testing.assert_array_equal(chain.predict(X[:5]), again.predict(X[:5]))
    found = cross_examine(chain, X, y, cv=3)
    assert len(found.confidence) == N
    assert np.isfinite(found.confidence).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_defaults(kind, tmp_path):
    from disambig.persistence import load_model, save_model

    X, y = inputs()[0], targets(kind)
    X[7] = np.nan
    model = ESTIMATORS[kind]().fit(X, y)
    found = cross_examine(ESTIMATORS[kind](), X, y, cv=3)
    assert np.isfinite(found.confidence).all()
    save_model(model, tmp_path / "model.disambig")
    again = load_model(tmp_path / "model.disambig")
    Q = inputs(seed=5)[0]
    np.testing.assert_array_equal(again.predict(Q), model.predict(Q))
    assert len({trial.completion for trial in model.trials_}) >= 2
