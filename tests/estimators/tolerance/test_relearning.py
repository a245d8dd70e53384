import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
    disambiguate,
)
from disambig.weights import KernelRidgeWeights, NeighborWeights

RIDGE, NEAR = KernelRidgeWeights(regularization=1e-2), NeighborWeights(12)
KINDS = ["numbers", "orders", "bits"]


def chosen(n, share, rng):
    is_chosen = np.zeros(n, dtype=bool)
    is_chosen[rng.permutation(n)[: round(share * n)]] = True
    return is_chosen


def numbers(share, n=150, seed=0):
    """A line, in intervals of length 1; wrong ones are shifted by 4."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(0, 6, size=(n, 1)), axis=0)
    truth = X[:, 0] + 0.1 * rng.normal(size=n)
    wrong = chosen(n, share, rng)
    lower = truth - rng.random(n) + np.where(wrong, np.where(truth > 3, -4, 4), 0)
    return X, np.column_stack([lower, lower + 1]), truth, wrong


def orders(share, n=300, seed=0):
    """Three groups of inputs with an order each; wrong rows have it reversed."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=n)
    X = 12.0 * group[:, None] + rng.normal(size=(n, 1))
    truth = np.array([[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])[group]
    wrong = chosen(n, share, rng)
    y = np.where(wrong[:, None], 3 - truth, truth).astype(float)
    y[rng.random(y.shape) < 0.2] = np.nan
    return X, y, truth, wrong


def bits(share, n=300, seed=0):
    """Two groups of inputs with bits each; a share of the known ones is flipped."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    X = 12.0 * group[:, None] + rng.normal(size=(n, 1))
    truth = np.array([[0, 1, 1, 0], [1, 0, 1, 1]])[group]
    flipped = rng.random(truth.shape) < share
    hidden = rng.random(truth.shape) < 0.3
    y = np.where(hidden, np.nan, np.where(flipped, 1 - truth, truth))
    return X, y, truth, (flipped & ~hidden).any(axis=1)


MAKE = {"numbers": numbers, "orders": orders, "bits": bits}
MODEL = {
    "numbers": IntervalRegressor(RIDGE),
    "orders": PartialRanker(NEAR),
    "bits": PartialMultilabelClassifier(weights=NEAR),
}


def errors(kind, labels, truth):
    """The error of each row."""
    if kind == "numbers":
        return np.abs(labels - truth)
    return np.asarray(labels != truth).mean(axis=1)


def fitted_state(model):
    """Plain fitted attributes, for comparisons."""
    return {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, (np.ndarray, float, bool, str))
    }


def assert_same_fit(one, other):
    first, second = fitted_state(one), fitted_state(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name], err_msg=name)


# A tag that is always on is wrong nowhere.
@pytest.mark.filterwarnings("ignore:y. tags .* are on in every row")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changes_where_no_set_is_wrong(kind):
    X, y, _, _ = MAKE[kind](0.0)
    plain = clone(MODEL[kind]).fit(X, y)
    assert plain.tolerance_ == np.inf
    assert not plain.outside_.any()
    assert not hasattr(plain, "_others_")
    assert_same_fit(clone(MODEL[kind]).set_params(tolerance="auto").fit(X, y), plain)
    # A price at which nobody contradicts a set changes nothing but the price.
    dear = clone(MODEL[kind]).set_params(tolerance=1e3).fit(X, y)
    assert dear.tolerance_ == 1e3
    dear.tolerance_ = np.inf
    assert_same_fit(dear, plain)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.1, 0.2])
def test_wrong_sets_are_left_and_the_rest_hardly_pays(kind, share):
    # The fewer signs are wrong, the more rows show it.
    X, y, truth, wrong = MAKE[kind](share, n=150 if kind == "numbers" else round(60 / share))
    plain = clone(MODEL[kind]).fit(X, y)
    model = clone(MODEL[kind]).set_params(tolerance="auto").fit(X, y)
    assert 0 < model.tolerance_ < np.inf
    assert model.outside_[wrong].mean() > 0.9
    assert model.outside_[~wrong].mean() < 0.03
    before, after = (errors(kind, one.labels_, truth) for one in (plain, model))
    assert after[wrong].mean() < 0.2 * before[wrong].mean()
    # Rows with right sets may lose a little: sets that were left teach them nothing.
    gain, cost = (before - after)[wrong].sum(), (after - before)[~wrong].sum()
    assert cost <= 0.05 * gain
    assert model.trials_ == plain.trials_


@pytest.mark.parametrize("kind", ["orders", "bits"])
def test_so_many_wrong_sets_that_nothing_tells_them_are_said(kind):
    X, y, _, _ = MAKE[kind](0.4)
    plain = clone(MODEL[kind]).fit(X, y)
    model = clone(MODEL[kind]).set_params(tolerance="auto")
    with pytest.warns(UserWarning, match="lets no target leave its set: the other rows are wrong"):
        model.fit(X, y)
    assert_same_fit(model, plain)


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_of_rows_outside(kind):
    X, y, _, wrong = MAKE[kind](0.1)
    model = clone(MODEL[kind]).set_params(tolerance=1.0).fit(X, y)
    sets = model._read(y)
    np.testing.assert_array_equal(model.outside_, ~sets.contains(model.labels_))
    assert model.outside_[wrong].mean() > 0.9
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()
    np.testing.assert_array_equal(
        model.resolved_, model.decided_ & (model.confidence_ >= model.resolve_at)
    )
    # The others are not certain about a label outside, though they prefer it.
    outside = model.confidence_[model.outside_]
    assert (outside < 1).all()
    assert np.median(outside) > 0.5
    if kind == "numbers":
        assert (model.slack_.min(axis=1)[model.outside_] < 0).all()
        assert (model.slack_[~model.outside_] >= 0).all()
    pickled = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(pickled.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_weight_zero_are_judged_and_weights_are_copies(kind):
    X, y, _, wrong = MAKE[kind](0.1, n=120)
    weights = np.random.default_rng(1).integers(0, 3, size=120)
    model = clone(MODEL[kind]).set_params(tolerance=1.0)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    assert weighted.outside_[wrong & (weights == 0)].mean() > 0.8
    if kind == "numbers":
        # The neighbours of a copied row are other rows; kernels do not count.
        rows = np.repeat(np.arange(120), weights)
        copied = clone(model).fit(X[rows], y[rows])
        np.testing.assert_array_equal(weighted.outside_[rows], copied.outside_)
        np.testing.assert_allclose(weighted.labels_[rows], copied.labels_, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_pipeline(kind):
    X, y, _, wrong = MAKE[kind](0.2)
    model = clone(MODEL[kind]).set_params(tolerance="auto")
    piped = make_pipeline(StandardScaler(), model).fit(X, y)
    assert piped[-1].outside_[wrong].mean() > 0.9
    assert clone(piped).get_params()[f"{type(model).__name__.lower()}__tolerance"] == "auto"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tolerance", [-1, np.nan, np.inf, "maybe", True, [1.0]])
def test_bad_prices(kind, tolerance):
    X, y, _, _ = MAKE[kind](0.0, n=30)
    with pytest.raises(ValueError, match="tolerance must be"):
        clone(MODEL[kind]).set_params(tolerance=tolerance).fit(X, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["average", "infimum"])
def test_baselines_recover_nothing(kind, method):
    X, y, _, _ = MAKE[kind](0.0, n=30)
    with pytest.raises(ValueError, match="recovers none"):
        clone(MODEL[kind]).set_params(tolerance="auto", method=method).fit(X, y)


def test_kinds_without_tolerance():
    X = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.raises(ValueError, match="unions of intervals"):
        IntervalRegressor(RIDGE, tolerance=1).fit(X, [[(0, 1), (3, 4)], 1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="known places"):
        PartialRanker(NEAR, ranks="places", tolerance=1).fit(X, [[1, np.nan, np.nan]] * 4)
    with pytest.raises(ValueError, match="PartialLabelClassifier"):
        StructuredPredictor(weights=NEAR, tolerance=1).fit(X, [{0}, {1}, {0, 1}, {1}])


def test_a_price_at_which_everything_leaves():
    with pytest.raises(ValueError, match="every set is left"):
        # Two rows that contradict each other.
        PartialRanker(NeighborWeights(1), tolerance=0).fit([[0.0], [1.0]], ["a>b", "b>a"])


def test_nobody_can_judge_rows_that_are_equal():
    X, y = np.zeros((6, 1)), np.column_stack([np.arange(6.0), np.arange(6.0) + 1])
    with pytest.raises(ValueError, match="judge the sets of others"):
        IntervalRegressor(RIDGE, tolerance=1.0).fit(X, y)
    assert IntervalRegressor(RIDGE, tolerance="auto").fit(X, y).tolerance_ == np.inf


def test_a_row_does_not_vote_itself_out():
    # Its own set is hidden from those who judge it: the verdict is that of the others alone.
    X, y, _, _ = numbers(0.0, n=60)
    y[30] = [50.0, 51.0]
    model = IntervalRegressor(RIDGE, tolerance=2.0).fit(X, y)
    assert np.flatnonzero(model.outside_).tolist() == [30]
    others = np.delete(np.arange(60), 30)
    alone = IntervalRegressor(RIDGE).fit(X[others], y[others])
    assert model.labels_[30] == pytest.approx(alone.predict(X[[30]])[0], abs=0.3)


def test_boxes():
    X, y, truth, wrong = numbers(0.15)
    boxes = np.stack([y, np.column_stack([truth - 1, truth + 1])], axis=1)
    model = IntervalRegressor(RIDGE, tolerance="auto").fit(X, boxes)
    assert model.outside_[wrong].mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_default_weights(kind):
    X, y, truth, wrong = MAKE[kind](0.2)
    model = clone(MODEL[kind]).set_params(weights="auto", tolerance="auto").fit(X, y)
    plain = clone(MODEL[kind]).set_params(weights="auto").fit(X, y)
    assert model.outside_[wrong].mean() > 0.9
    assert len(model.trials_) == len(plain.trials_) > 0
    good = errors(kind, model.labels_, truth)[~wrong].mean()
    assert good <= errors(kind, plain.labels_, truth)[~wrong].mean() + 1e-9


# ---------------------------------------------------------------------- any model of scikit-learn


def test_regressor_rounds_choose_among_the_wider_intervals():
    X, y, truth, wrong = numbers(0.2)
    plain = DisambiguatedRegressor(weights=RIDGE).fit(X, y)
    assert plain.tolerance_ == np.inf
    assert not plain.outside_.any()
    model = DisambiguatedRegressor(weights=RIDGE, tolerance="auto").fit(X, y)
    assert model.tolerance_ == model.disambiguator_.tolerance_ < np.inf
    assert model.outside_[wrong].mean() > 0.9
    assert model.outside_[~wrong].mean() < 0.05
    inside = (y[:, 0] <= model.labels_) & (model.labels_ <= y[:, 1])
    np.testing.assert_array_equal(model.outside_, ~inside)
    for rows in (wrong, np.ones(len(X), dtype=bool)):
        error = [np.abs(one.predict(X) - truth)[rows].mean() for one in (model, plain)]
        assert error[0] < error[1]
    without_rounds = DisambiguatedRegressor(weights=RIDGE, tolerance="auto", max_iter=0).fit(X, y)
    np.testing.assert_array_equal(without_rounds.outside_, without_rounds.disambiguator_.outside_)


def test_classifier_rounds_choose_among_the_wider_sets(monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 40)
    X = 4.0 * truth[:, None] + rng.normal(size=(80, 1))
    y = [{label} for label in truth.tolist()]
    y[3] = {1}
    y[50] = {0, 1, 2}

    def tolerate(self, X, kept, candidates, taken):
        self.tolerance_ = 1.5
        self.labels_ = self.labels_.copy()
        self.labels_[3] = 0
        self.outside_[3] = True

    monkeypatch.setattr(PartialLabelClassifier, "_tolerate", tolerate)
    model = DisambiguatedClassifier(weights=NEAR, tolerance=1.5).fit(X, y)
    assert model.labels_[3] == 0
    assert np.flatnonzero(model.outside_).tolist() == [3]
    assert model.tolerance_ == 1.5
    assert model.confidence_[3] > 0.5
    assert disambiguate(X, y, weights=NEAR, tolerance=1.5).outside_[3]


@pytest.mark.parametrize("model", [DisambiguatedClassifier, DisambiguatedRegressor])
def test_an_average_has_no_votes_that_could_judge(model):
    with pytest.raises(ValueError, match="tolerance is a parameter of start='votes'"):
        model(start="average", tolerance="auto").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="tolerance must be"):
        model(tolerance=-1).fit([[0.0], [1.0]], [0, 1])
