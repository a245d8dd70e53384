"""Few informative rows: the rules against refits and brute force, and what the warnings say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.neighbors import KNeighborsClassifier

from disambig import LabelSets, PartialLabelClassifier
from disambig.candidates import ClassCounts
from disambig.estimators.selection import few_labels
from disambig.losses import ZeroOneLoss
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.weights import (
    KernelRidgeWeights,
    NeighborWeights,
    PathWeights,
    PoissonWeights,
    ScaledWeights,
)
from disambig.weights.row_groups import hash_rows


def waves(n, seed=0):
    """Three wavy bands, close to each other compared with their length."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    x = rng.uniform(0, 10, n)
    return np.column_stack([x, y + np.sin(x) + rng.normal(scale=0.1, size=n)]), y


def few(y, count, seed=0):
    """All but `count` labels of each class replaced by -1."""
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for label in np.unique(y):
        known[rng.choice(np.flatnonzero(y == label), count, replace=False)] = label
    return known


def sets_of(known):
    return LabelSets.from_any(known, unlabeled=-1)


def fit(X, known, **parameters):
    return PartialLabelClassifier(unlabeled=-1, **parameters).fit(X, known)


def test_cut_share_is_the_mean_over_labels_of_the_links_that_leave_them():
    rng = np.random.default_rng(0)
    linked = np.triu(rng.random((15, 15)) < 0.3, k=1)
    linked |= linked.T
    outputs = rng.integers(0, 3, 15)
    shares = []
    for label in range(3):
        inside = outputs == label
        shares.append(linked[inside][:, ~inside].sum() / linked[inside].sum())
    assert_allclose(few_labels.cut_share(outputs, *np.nonzero(linked)), np.mean(shares))


def test_every_class_loses_as_many_rows_in_each_fold():
    X, y = make_blobs(60, 3, centers=3, random_state=0)
    folds = few_labels._folds(sets_of(few(y, 4)), hash_rows(X))
    for label in range(3):
        inside = (few(y, 4) == label) & (folds >= 0)
        assert_array_equal(np.sort(folds[inside]), [0, 1, 2, 3])
    # One row of a class cannot be hidden.
    known = few(y, 4)
    known[np.flatnonzero(known == 0)[1:]] = -1
    assert (few_labels._folds(sets_of(known), hash_rows(X)) == -1).all()


def test_the_choice_has_the_fewest_missed_sets_and_cut_links_of_refits():
    X, y = waves(150)
    X[:, 0] *= 3.0
    known = few(y, 3)
    sets = sets_of(known)
    loss = ZeroOneLoss().bind(sets.classes)
    found = few_labels.graph_votes(X, sets, loss, np.ones(150), hash_rows(X))
    folds = few_labels._folds(sets, hash_rows(X))
    expected = {}
    for scaled in (True, False):
        inputs = X / X.std(axis=0) if scaled else X
        graph = PathWeights(10).fit(inputs).lengths_.toarray() > 0
        for weighting in (PoissonWeights(10), PathWeights(10, power=1.0), PathWeights(10)):
            missed = 0
            for fold in range(3):
                visible = (known >= 0) & (folds != fold)
                votes = weighting.fit_informed(inputs, informed=visible).training_votes()
                predicted = (votes @ sets.distribution()).argmax(axis=1)
                missed += np.sum(predicted[folds == fold] != known[folds == fold])
            votes = weighting.fit_informed(inputs, informed=known >= 0).training_votes()
            labels = (votes @ sets.distribution()).argmax(axis=1)
            cut = few_labels.cut_share(labels, *np.nonzero(graph))
            key = scaled, type(weighting).__name__, getattr(weighting, "power", None)
            expected[key] = missed / 9, cut
    best = {
        s: min((k for k in expected if k[0] == s), key=lambda k: sum(expected[k])) for s in (0, 1)
    }
    chosen = best[0] if expected[best[0]][0] < expected[best[1]][0] else best[1]
    assert found.n_tried == 6
    assert_allclose((found.missed, found.cut), expected[chosen])
    weighting = found.weights.weights if chosen[0] else found.weights
    assert (type(weighting).__name__, getattr(weighting, "power", None)) == chosen[1:]


@pytest.mark.parametrize("count", [1, 4])
def test_a_few_labels_spread_along_curves(count):
    X, y = waves(900)
    known = few(y, count)
    message = (
        rf"only {3 * count} of 900 rows exclude a class, too few to choose weights by; only these "
        r"rows vote, by (Path|Poisson)Weights on features of unit variance, the best of "
        + (r"3 weightings: \d+% of the links" if count == 1 else r"6 weightings: it misses \d+% of")
    )
    with pytest.warns(UserWarning, match=message):
        model = fit(X, known)
    assert isinstance(model.weights_, ScaledWeights)
    assert count == 1 or isinstance(model.weights_.weights, PathWeights)
    assert isinstance(model.solver_, AnnealedMinimization)
    nearest = KNeighborsClassifier(1).fit(X[known >= 0], known[known >= 0]).predict(X)
    least = 0.95 if count > 1 else (nearest == y).mean() + 0.1
    assert (model.labels_ == y).mean() > least
    new, truth = waves(300, seed=1)
    assert (model.predict(new) == truth).mean() > least
    again = PartialLabelClassifier(clone(model.weights_), solver=model.solver_, unlabeled=-1)
    assert_array_equal(again.fit(X, known).labels_, model.labels_)


@pytest.mark.filterwarnings("ignore:weights='auto'")
def test_overlapping_clusters_take_poisson_votes():
    X, y = make_blobs(400, 4, centers=4, cluster_std=2.0, random_state=3)
    known = few(y, 1)
    model = fit(X, known)
    assert isinstance(model.weights_.weights, PoissonWeights)
    expected = PartialLabelClassifier("poisson", method="average", unlabeled=-1)
    assert_array_equal(model.labels_, expected.fit(X / X.std(axis=0), known).labels_)


@pytest.mark.filterwarnings("ignore:weights='auto'")
def test_the_order_of_rows_and_copies_do_not_matter():
    X, y = waves(240)
    known = few(y, 3)
    model = fit(X, known)
    order = np.random.default_rng(0).permutation(240)
    assert_array_equal(fit(X[order], known[order]).labels_, model.labels_[order])
    copies = np.repeat(np.arange(240), 1 + (np.arange(240) % 7 == 0))
    counts = np.bincount(copies)
    weighted = PartialLabelClassifier(unlabeled=-1).fit(X, known, sample_weight=counts)
    assert_array_equal(fit(X[copies], known[copies]).labels_, weighted.labels_[copies])


def test_more_labels_take_graph_votes_only_if_these_miss_fewer_hidden_sets():
    X, y = waves(600)
    model = fit(X, few(y, 12))
    assert isinstance(model.weights_.weights, PathWeights)
    best, second = model.trials_[:2]
    assert best.weights.weights.get_params() == model.weights_.weights.get_params()
    assert best.held_out_loss < second.held_out_loss
    assert best.score < second.score
    X, y = load_iris(return_X_y=True)
    X = np.concatenate([X, X + 1e-3])
    model = fit(X, few(np.tile(y, 2), 11))
    assert model.trials_[0].held_out_loss <= 0.1
    assert not isinstance(getattr(model.weights_, "weights", model.weights_), PathWeights)


def test_few_rows_take_kernel_ridge():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 150, 6)
    y = [{label, (label + k % 2) % 3} for k, label in enumerate(y[rows].tolist())]
    message = (
        "25 of 25 .*rows exclude a class.*; kernel ridge is used, on features of unit variance"
    )
    with pytest.warns(UserWarning, match=message):
        model = PartialLabelClassifier().fit(X[rows], y)
    assert isinstance(model.weights_.weights, KernelRidgeWeights)
    assert model.solver_.temperatures[-1] == 0.2
    assert (model.predict(load_iris().data) == load_iris().target).mean() > 0.85
    with pytest.warns(UserWarning, match="kernel ridge"):
        model = PartialLabelClassifier(solver="alternating").fit(X[rows], y)
    assert isinstance(model.solver_, AlternatingMinimization)


@pytest.mark.parametrize("method", ["average", "infimum"])
@pytest.mark.filterwarnings("ignore:weights='auto'")
def test_baselines_with_few_labels(method):
    X, y = waves(300)
    model = fit(X, few(y, 2), method=method)
    assert isinstance(model.weights_.weights, PathWeights | PoissonWeights)
    assert model.solver_ is None


@pytest.mark.filterwarnings("ignore:FrankWolfe")
def test_soft_weights_and_counts_need_votes_of_all_rows():
    X, y = make_blobs(30, 2, centers=2, random_state=0)
    soft = np.where(np.arange(30)[:, None] < 8, np.eye(2)[y], [0.6, 0.4])
    with pytest.warns(UserWarning, match="the 10 nearest neighbours are used"):
        model = PartialLabelClassifier().fit(X, soft)
    assert isinstance(model.weights_.weights, NeighborWeights)
    counts = ClassCounts.balanced(sets_of(few(y, 3)))
    with pytest.warns(UserWarning, match="the 10 nearest neighbours are used"):
        model = PartialLabelClassifier().fit(X, counts)
    assert isinstance(model.weights_.weights, NeighborWeights)


def test_inputs_that_are_all_equal_have_no_graph():
    known = np.array([0, 1] + [-1] * 10)
    with pytest.warns(UserWarning, match="the 10 nearest neighbours are used"):
        model = PartialLabelClassifier(unlabeled=-1).fit(np.ones((12, 2)), known)
    assert model.labels_[:2].tolist() == [0, 1]


def test_many_rows_are_compared_on_a_part_of_them(monkeypatch):
    monkeypatch.setattr(few_labels, "_MAX_ROWS", 300)
    X, y = waves(900)
    informative = few(y, 4) >= 0
    rows = few_labels._first_rows(X, informative)
    assert rows.size == 300
    assert np.isin(np.flatnonzero(informative), rows).all()
    order = np.random.default_rng(0).permutation(900)
    again = few_labels._first_rows(X[order], informative[order])
    assert_array_equal(np.sort(order[again]), rows)
    with pytest.warns(UserWarning, match="12 of 900"):
        assert (fit(X, few(y, 4)).labels_ == y).mean() > 0.9


def test_groups_are_hidden_together():
    _, y = waves(300)
    known = few(y, 6)
    groups = np.arange(300)
    # Six labels of each class in three groups of two.
    for label in range(3):
        groups[np.flatnonzero(known == label)] = 1000 + 3 * label + np.repeat(np.arange(3), 2)
    folds = few_labels._folds(sets_of(known), groups)
    assert_array_equal(folds >= 0, known >= 0)
    for label in range(3):
        of_label = folds[known == label]
        assert_array_equal(of_label[::2], of_label[1::2])
        assert_array_equal(np.sort(of_label[::2]), [0, 1, 2])


def test_no_set_is_hidden_if_one_group_has_all_labels_of_a_class():
    X, y = waves(300)
    known = few(y, 4)
    with pytest.warns(UserWarning, match="it misses .* of hidden sets"):
        PartialLabelClassifier(unlabeled=-1).fit(X, known)
    groups = np.where(known == 0, 1000, np.arange(300))
    with pytest.warns(UserWarning, match="weightings: .* of the links"):
        PartialLabelClassifier(unlabeled=-1).fit(X, known, groups=groups)
