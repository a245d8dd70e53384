"""Tests of `class_shares`: what is read, kept and reached."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_circles

from disambig import LabelSets, PartialLabelClassifier, disambiguate
from disambig.candidates import ClassCounts
from disambig.estimators.balance.graphs import share_constants
from disambig.persistence import load_model, save_model
from disambig.solvers import AnnealedMinimization
from disambig.weights import NeighborWeights, PathWeights, PoissonWeights

NAMES = np.array(["a", "b"])


def few_labels(y, count, seed):
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for label in np.unique(y):
        known[rng.choice(np.flatnonzero(y == label), count, replace=False)] = label
    return known


def circles(seed):
    """300 rows around 100 rows, with three labels of each."""
    X, y = make_circles((300, 100), noise=0.1, factor=0.5, random_state=seed)
    return X, y, few_labels(y, 3, seed)


def right(model, y, known):
    return float((model.labels_ == y)[known < 0].mean())


@pytest.mark.parametrize(
    "weights",
    [NeighborWeights(10), PoissonWeights(informed_only=True), PathWeights(power=1.0)],
    ids=["rows", "potentials", "paths"],
)
def test_circles_with_few_labels(weights):
    """Without shares one class takes rows of the other; with them the circles are found."""
    plain, kept = [], []
    for seed in range(4):
        X, y, known = circles(seed)
        plain.append(right(PartialLabelClassifier(weights, unlabeled=-1).fit(X, known), y, known))
        model = PartialLabelClassifier(weights, class_shares=[0.75, 0.25], unlabeled=-1)
        kept.append(right(model.fit(X, known), y, known))
        assert_allclose(model.class_shares_.reached, [0.75, 0.25], atol=0.08)
        assert_allclose(model.class_shares_.reached, np.bincount(model.labels_) / 400)
        # New inputs are labelled with the shares, too.
        assert_allclose(np.bincount(model.predict(X + 1e-6)) / 400, [0.75, 0.25], atol=0.1)
    assert np.mean(plain) < 0.72
    assert np.mean(kept) > np.mean(plain) + 0.06


def test_the_default_with_few_labels():
    X, y, known = circles(0)
    found = {}
    for shares in (None, {0: 3, 1: 1}):
        model = PartialLabelClassifier(unlabeled=-1, class_shares=shares)
        with pytest.warns(UserWarning, match="only 6 of 400"):
            found[shares is None] = model.fit(X, known)
    assert found[True].class_shares_ is None
    assert right(found[False], y, known) > right(found[True], y, known) + 0.15
    assert isinstance(found[False].weights_.weights, (PoissonWeights, PathWeights))
    assert found[False].solver_.class_shares is None


@pytest.mark.parametrize("kind", ["average", "given"])
def test_rare_classes_of_candidate_sets(kind):
    """Half of the classes of digits are rare, and 0.9 of the sets have a frequent wrong member."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.flatnonzero((y >= 5) | (rng.random(y.size) < 0.15)))[:500]
    X, y = X[rows], y[rows]
    mask = rng.random((y.size, 10)) < 0.15
    mask[rng.random(y.size) < 0.9, np.bincount(y).argmax()] = True
    mask[np.arange(y.size), y] = True
    shares = "average" if kind == "average" else np.bincount(y) / y.size

    def found(class_shares):
        model = PartialLabelClassifier(
            NeighborWeights(10), solver="annealed", class_shares=class_shares
        ).fit(X, mask)
        is_right = model.labels_ == y
        return is_right.mean(), np.mean([is_right[y == label].mean() for label in range(5)])

    (plain, plain_rare), (kept, kept_rare) = found(None), found(shares)
    assert kept_rare > plain_rare + 0.2
    if kind == "given":
        assert kept > plain + 0.04


def test_mappings_arrays_and_the_order_of_classes():
    X, _, known = circles(1)
    labels = [None if code < 0 else NAMES[code] for code in known]
    given = (
        {"b": 1, "a": 3},
        [0.75, 0.25],
        np.array([6, 2]),
    )
    models = [
        PartialLabelClassifier("neighbors", class_shares=shares, unlabeled=[None]).fit(X, labels)
        for shares in given
    ]
    for model in models:
        assert_allclose(model.class_shares_.asked, [0.75, 0.25])
        assert_array_equal(model.labels_, models[0].labels_)
    assert isinstance(models[0].solver_, AnnealedMinimization)
    turned = PartialLabelClassifier(
        "neighbors", class_shares={"a": 3, "b": 1}, unlabeled=[None], classes=["b", "a"]
    ).fit(X, labels)
    assert_allclose(turned.class_shares_.asked, [0.25, 0.75])
    assert (turned.labels_ == models[0].labels_).mean() > 0.99


def test_average_shares_count_copies():
    X = np.arange(8.0)[:, None]
    sets = [{"a"}, {"a", "b"}, {"b"}, {"a", "b", "c"}, {"c"}, {"a"}, {"b", "c"}, {"b"}]
    weight = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 1.0, 0.0])
    model = PartialLabelClassifier("neighbors", class_shares="average")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, sets, sample_weight=weight)
        copies = np.repeat(np.arange(8), weight.astype(int))
        copied = [sets[row] for row in copies]
        other = PartialLabelClassifier("neighbors", class_shares="average").fit(X[copies], copied)
    assert_allclose(model.class_shares_.asked, other.class_shares_.asked, atol=0.02)
    counts = [weight[model.labels_ == name].sum() for name in "abc"]
    assert_allclose(model.class_shares_.reached, np.array(counts) / 11)
    assert "a: asked" in repr(model.class_shares_)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ("mean", "'average'"),
        ({"a": 0.5, "b": 0.4, "d": 0.1}, "names 'd', which is not among the classes"),
        ({"a": 1.0}, "no share of the class 'b'"),
        ([0.5, -0.1], "-0.1 for the class 'b'"),
        ({"a": 0.5, "b": float("nan")}, "nan for the class 'b'"),
        ([0.0, 0.0], "sum to zero"),
        ([0.5, 0.3, 0.2], "one number for each of the 2 classes"),
        (["x", "y"], "one number for each of the 2 classes"),
        (0.5, "one number for each of the 2 classes"),
    ],
)
def test_bad_shares(shares, message):
    model = PartialLabelClassifier("neighbors", class_shares=shares)
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0], [2.0]], [{"a"}, {"a", "b"}, {"b"}])


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([0.9, 0.05, 0.05], "90.0% of the class 'a', but only 60.0% of the rows may be"),
        ([0.0, 0.5, 0.5], "0.0% of the class 'a', but it is the only candidate of 20.0%"),
    ],
)
def test_impossible_shares_are_reported(shares, message):
    sets = [{"a"}, {"a", "b"}, {"b", "c"}, {"a", "c"}, {"b", "c"}]
    model = PartialLabelClassifier(NeighborWeights(3), class_shares=shares)
    with pytest.warns(UserWarning, match=message):
        model.fit(np.arange(5.0)[:, None], sets)
    assert np.isfinite(model.label_distributions_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "infimum"}, "method='infimum' recovers none"),
        ({"method": "average"}, "method='average' recovers none"),
        ({"solver": "alternating"}, "cannot be kept by AlternatingMinimization"),
        ({"solver": "frank_wolfe"}, "cannot be kept by FrankWolfeMinimization"),
        ({"solver": AnnealedMinimization(class_shares="average")}, "Give them once"),
    ],
)
def test_what_cannot_keep_shares_says_so(parameters, message):
    model = PartialLabelClassifier("neighbors", class_shares="average")
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(np.arange(12.0)[:, None], [{"a"}, {"b"}, {"a", "b"}] * 4)


def test_class_counts_are_shares_already():
    sets = LabelSets.from_sets([{"a"}, {"b"}, {"a", "b"}] * 4)
    model = PartialLabelClassifier("neighbors", class_shares="average")
    with pytest.raises(ValueError, match="class counts, which fix the shares already"):
        model.fit(np.arange(12.0)[:, None], ClassCounts(sets, [[5, 7], [5, 7]]))


def some_sets():
    """60 rows of three classes; "d" is nobody's candidate."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    X = rng.normal(size=(60, 2)) + 3.0 * np.eye(3)[y][:, :2]
    mask = rng.random((60, 4)) < 0.3
    mask[np.arange(60), y] = True
    mask[:, 3] = False
    return X, LabelSets(mask, np.array(["a", "b", "c", "d"])), y


@pytest.mark.filterwarnings("ignore:1 of 4 classes")
def test_the_selection_keeps_shares(tmp_path):
    X, sets, y = some_sets()
    shares = np.append(np.bincount(y), 0)
    solver = AnnealedMinimization(temperatures=[0.3])
    model = disambiguate(X, sets, solver=solver, class_shares=shares)
    assert solver.class_shares is None
    assert model.trials_
    for trial in model.trials_:
        assert trial.solver.share_strength == 30.0
        assert_allclose(trial.solver.class_shares, shares / 60)
    assert_allclose(model.solver_.class_shares, shares / 60)
    assert_allclose(model.class_shares_.reached, shares / 60, atol=0.05)
    save_model(model, tmp_path / "model.disambig")
    loaded = load_model(tmp_path / "model.disambig")
    assert_array_equal(loaded.class_shares_.reached, model.class_shares_.reached)
    assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:1 of 4 classes")
def test_the_selection_of_temperatures_keeps_shares():
    X, sets, y = some_sets()
    model = PartialLabelClassifier(class_shares=np.append(np.bincount(y), 0)).fit(X, sets)
    assert len({trial.solver.temperatures for trial in model.trials_}) > 1
    for trial in model.trials_:
        assert_allclose(trial.solver.class_shares, np.append(np.bincount(y), 0) / 60)


@pytest.mark.filterwarnings("ignore:1 of 4 classes")
def test_labels_that_leave_their_sets_keep_shares():
    X, sets, y = some_sets()
    shares = np.append(np.bincount(y), 0)
    model = PartialLabelClassifier("neighbors", tolerance=1.0, class_shares=shares).fit(X, sets)
    assert model.tolerance_ == 1.0
    assert_allclose(model.solver_.class_shares, shares / 60)
    assert model.solver_.share_strength == 30.0
    assert_allclose(model.class_shares_.reached, shares / 60, atol=0.1)


def test_constants_reach_shares_and_ignore_rows_without_votes():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 3))
    scores[:, 0] += 0.3
    scores[:40] = 0.0
    shares = np.array([0.2, 0.3, 0.5])
    mask = np.ones(scores.shape, dtype=bool)

    def distance(strength):
        constants = share_constants(scores, mask, np.ones(400), shares, strength)
        labels = (scores + constants).argmax(axis=1)[40:]
        return np.abs(np.bincount(labels) / 360 - shares).max()

    assert distance(1000.0) < 0.02 < distance(30.0) < 0.05 < distance(1.0)
    same = share_constants(np.zeros((5, 3)), mask[:5], np.ones(5), shares, 30.0)
    assert_array_equal(same, np.zeros(3))


def test_a_model_of_mixed_sets_is_saved_with_their_origins(tmp_path):
    X, sets, y = some_sets()
    names = sets.classes[:3]
    rows = [{"label": names[k]} if row % 2 else {"not": names[k - 1]} for row, k in enumerate(y)]
    mixed = LabelSets.from_mixed(rows)
    model = PartialLabelClassifier("neighbors", class_shares="average").fit(X, mixed)
    save_model(model, tmp_path / "model.disambig")
    loaded = load_model(tmp_path / "model.disambig")
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded._predictor_.candidates.origins.tolist() == ["not", "label"] * 30
