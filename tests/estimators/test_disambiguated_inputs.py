"""Any estimator on inputs that are known in part: cells and targets chosen together."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.estimators import DisambiguatedInputs
from disambig.estimators.completion.filling import TrainingRows
from disambig.exceptions import MissingColumnWarning
from disambig.inputs import Alternatives, InputCompleter, PartialInputs

N = 60
LABELS = PartialLabelClassifier("kernel_ridge")


def inputs(seed=0, width=1.0):
    """Inputs with half of the cells between bounds, and the values."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(N, 3))
    hidden = rng.random((N, 3)) < 0.5
    below, above = width * rng.random((2, N, 3)) * hidden
    return PartialInputs.from_bounds(values - below, values + above), values


def one_of_two(n=150, seed=0):
    """A number that is one of two in most rows; another one that does not matter; the classes."""
    rng = np.random.default_rng(seed)
    x, other = rng.uniform(-3, 3, (n, 2)), rng.uniform(-3, 3, n)
    rows = np.flatnonzero(rng.random(n) < 0.7)
    values = np.sort(np.stack([x[rows, 0], other[rows]], axis=1), axis=1)
    return PartialInputs(x, x, (Alternatives(0, rows, values),)), x, np.sin(1.5 * x[:, 0]) > 0


def right_values(model, X, x):
    """The share of such cells nearer to the true value, of those whose values differ in class."""
    one = X.alternatives[0]
    tells = (np.sin(1.5 * one.values) > 0).sum(axis=1) == 1
    away = np.abs(one.values - model.inputs_[one.rows, :1])
    truth = np.abs(one.values - x[one.rows, :1])
    return np.mean((away.argmin(axis=1) == truth.argmin(axis=1))[tells])


@pytest.mark.parametrize("estimator", [LABELS, LogisticRegression()])
def test_an_infinite_temperature_is_a_pipeline_of_expected_values(estimator):
    X, values = inputs()
    y = values.sum(axis=1) > 0
    model = DisambiguatedInputs(estimator, temperature=np.inf).fit(X, y)
    chain = make_pipeline(InputCompleter(), clone(estimator)).fit(X, y)
    queries = inputs(seed=5)[0]
    np.testing.assert_array_equal(model.predict_proba(queries), chain.predict_proba(queries))
    assert model.score(queries, y) == chain.score(queries, y)
    assert (model.trace_, model.trials_) == ((), ())


def test_nothing_changes_if_everything_is_known():
    _, values = inputs()
    y = values.sum(axis=1) > 0
    model = DisambiguatedInputs(LABELS).fit(values, y)
    plain = clone(LABELS).fit(values, y)
    np.testing.assert_allclose(model.predict_proba(values), plain.predict_proba(values))
    assert (model.temperature_, model.trials_) == (np.inf, ())


def test_targets_say_which_of_two_values_it_is():
    X, x, y = one_of_two()
    chosen = DisambiguatedInputs(LABELS, temperature=1.0, n_draws=10).fit(X, y)
    plain = DisambiguatedInputs(LABELS, temperature=np.inf, n_draws=10).fit(X, y)
    assert right_values(chosen, X, x) > 0.8
    assert right_values(plain, X, x) < 0.65
    assert (np.diff(chosen.trace_) <= 1e-9).all()
    # Weighted means of two values are between them.
    assert X.contains(x).all()
    assert ((chosen.inputs_ >= X.lower) & (chosen.inputs_ <= X.upper)).all()


def test_sets_of_cells_and_sets_of_targets_together():
    X, x, y = one_of_two(n=200)
    rng = np.random.default_rng(1)
    sets = [{bool(v)} if rng.random() < 0.85 else {True, False} for v in y]
    model = DisambiguatedInputs(LABELS, temperature=1.0, n_draws=10).fit(X, sets)
    assert right_values(model, X, x) > 0.75
    assert set(model.estimator_.labels_) == {True, False}


@pytest.mark.slow
def test_the_default_finds_out_that_targets_help():
    gains = []
    for seed in range(3):
        X, _, y = one_of_two(seed=seed)
        model = DisambiguatedInputs(LABELS, random_state=seed).fit(X, y)
        plain = DisambiguatedInputs(LABELS, temperature=np.inf, random_state=seed).fit(X, y)
        queries = np.random.default_rng(9).uniform(-3, 3, (500, 2))
        truth = np.sin(1.5 * queries[:, 0]) > 0
        gains.append(model.score(queries, truth) - plain.score(queries, truth))
        assert model.trials_[0].gain >= 0
    assert np.mean(gains) > 0


@pytest.mark.parametrize("seeds", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_noise_as_targets_cannot_be_learned(seeds):
    """Hidden rows and new ones stay at chance; see `test_cells` for what rows say of themselves."""
    X, _ = inputs(width=2.0)
    rng = np.random.default_rng(3)
    scores, losses = [], []
    for seed in range(seeds):
        y = rng.integers(0, 2, N)
        model = DisambiguatedInputs(LABELS, cv=2, n_draws=10, max_iter=1, random_state=seed)
        model.fit(X, y)
        losses.append(-model.trials_[0].loss)
        scores.append(model.score(inputs(seed + 10, 2.0)[0], rng.integers(0, 2, N)))
    # Three standard deviations of shares of 60 and 120 rows; the best of four is a little above.
    assert abs(np.mean(scores) - 0.5) < 3 * 0.5 / np.sqrt(N * seeds)
    assert np.mean(losses) < 0.55 + 3 * 0.5 / np.sqrt(2 * N * seeds)


def test_hidden_rows_are_predicted_without_their_sets():
    X, values = inputs()
    y = (values.sum(axis=1) > 0).astype(int)
    seen = []

    def scoring(model, queries, targets):
        seen.append(np.asarray(model.predict_proba(queries)))
        return 0.0

    owner = DisambiguatedInputs(LogisticRegression(), scoring=scoring, max_iter=1)
    draws = InputCompleter().fit(X).distribution_.draws(X)
    train, test = np.arange(20, N), np.arange(20)
    for targets in (y, np.where(np.arange(N) < 20, 1 - y, y)):
        rows = TrainingRows(owner, draws, targets, np.ones(N), False, np.zeros(N, np.bool_))
        rows.hidden_losses(LogisticRegression(), (np.inf, 4.0, 1.0, 0.25), train, test)
    assert len(seen) == 8
    np.testing.assert_array_equal(np.array(seen[:4]), np.array(seen[4:]))
    # Temperatures differ in what they predict.
    assert np.abs(seen[0] - seen[3]).max() > 1e-3


def targets(kind, values):
    """Sets of each kind that follow from the inputs."""
    rng = np.random.default_rng(1)
    if kind == "numbers":
        middle = values.sum(axis=1)
        return np.column_stack([middle - rng.random(N), middle + rng.random(N)])
    hidden = rng.random((N, 3)) < 0.3
    if kind == "orders":
        return np.where(hidden, np.nan, np.argsort(np.argsort(values, axis=1), axis=1))
    return np.where(hidden, np.nan, values > 0)


KINDS = {
    "numbers": IntervalRegressor("kernel_ridge"),
    "orders": PartialRanker("neighbors"),
    "bits": PartialMultilabelClassifier("kernel_ridge"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_target(kind):
    X, values = inputs()
    y = targets(kind, values)
    model = DisambiguatedInputs(KINDS[kind], temperature=0.5, max_iter=2, n_draws=10).fit(X, y)
    assert X.contains(model.inputs_, 1e-9).all()
    assert not np.array_equal(model.inputs_, InputCompleter(10).fit(X).transform(X))
    assert (np.diff(model.trace_) <= 1e-9 * np.abs(model.trace_[:-1])).all()
    assert len(model.predict(X)) == len(model.estimator_.labels_) == N
    assert np.isfinite(model.score(X, y))


def test_any_estimator_of_scikit_learn_in_searches_and_copies(tmp_path):
    X, values = inputs()
    y = values.sum(axis=1)
    model = DisambiguatedInputs(LinearRegression(), temperature=1.0, max_iter=1, n_draws=8)
    assert is_regressor(model)
    assert is_classifier(DisambiguatedInputs(LABELS))
    assert not hasattr(model, "predict_proba")
    assert cross_val_score(model, X, y, cv=2).mean() > 0.8
    fitted = pickle.loads(pickle.dumps(model.fit(X, y)))
    np.testing.assert_array_equal(fitted.predict(X), model.predict(X))
    order = np.random.default_rng(0).permutation(N)
    np.testing.assert_allclose(model.predict(X[order]), model.predict(X)[order], rtol=1e-9)
    steps = make_pipeline(StandardScaler(), LABELS)
    chain = DisambiguatedInputs(steps, temperature=1.0, max_iter=1, n_draws=4)
    weighted = chain.fit(X, y > 0, sample_weight=np.ones(N))
    plain = clone(chain).fit(X, y > 0)
    np.testing.assert_array_equal(weighted.inputs_, plain.inputs_)


def test_saved_models(tmp_path):
    from disambig.persistence import load_model, save_model

    X, values = inputs()
    model = DisambiguatedInputs(LABELS, temperature=1.0, max_iter=1, n_draws=4)
    model.fit(X, values[:, 0] > 0)
    save_model(model, tmp_path / "model.disambig")
    again = load_model(tmp_path / "model.disambig")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_and_columns_of_which_nothing_is_known():
    _, values = inputs()
    cells = values.copy()
    cells[4], cells[:, 1] = np.nan, np.nan
    y = (values[:, 0] > 0).astype(int)
    with pytest.warns(MissingColumnWarning, match="nothing is known of column 1 in any of the 60"):
        model = DisambiguatedInputs(LABELS, temperature=1.0).fit(cells, y)
    assert np.flatnonzero(model.estimator_.without_input_).tolist() == [4]
    assert np.isfinite(model.predict_proba(cells[3:6])).all()
    # One that takes no missing cells gets the mean of the columns.
    with pytest.warns(MissingColumnWarning):
        other = DisambiguatedInputs(LogisticRegression(), temperature=1.0).fit(cells, y)
    assert np.isfinite(other.completed(cells)).all()


def test_groups_stay_together():
    X, values = inputs()
    y = values[:, 0] > 0
    with pytest.raises(ValueError, match="groups must have one entry for each of the 60 rows"):
        DisambiguatedInputs(LogisticRegression()).fit(X, y, groups=[1, 2])
    model = DisambiguatedInputs(LogisticRegression(), max_iter=1).fit(X, y, groups=np.zeros(N))
    # A single group cannot be hidden and learned from.
    assert model.temperature_ == np.inf


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"temperature": 0}, "temperature must be 'auto' or a number > 0"),
        ({"temperature": "cold"}, "temperature must be 'auto' or a number > 0"),
        ({"temperature": True}, "temperature must be"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"n_draws": 1}, "n_draws must be an integer >= 2"),
        ({"random_state": -1}, "random_state must be an integer >= 0"),
    ],
)
def test_parameters_are_checked(parameters, message):
    X, values = inputs()
    with pytest.raises(ValueError, match=message):
        DisambiguatedInputs(LABELS, **parameters).fit(X, values[:, 0] > 0)


def test_what_cannot_be_learned_from_is_refused():
    X, values = inputs()
    y = values[:, 0] > 0
    with pytest.raises(TypeError, match="must be an estimator with a method fit"):
        DisambiguatedInputs(PartialLabelClassifier).fit(X, y)
    with pytest.raises(ValueError, match="X has 60 rows and y has 3"):
        DisambiguatedInputs(LABELS).fit(X, y[:3])
    with pytest.raises(ValueError, match="requires y to be passed"):
        DisambiguatedInputs(LABELS).fit(X, None)
    infinite = values.copy()
    infinite[3, 1] = np.inf
    with pytest.raises(ValueError, match="row 3, column 1 is between inf and inf"):
        DisambiguatedInputs(LABELS).fit(infinite, y)
    model = DisambiguatedInputs(LABELS, temperature=1.0).fit(X, y)
    with pytest.raises(
        ValueError, match="X has 2 features, but DisambiguatedInputs is expecting 3"
    ):
        model.predict(values[:, :2])
