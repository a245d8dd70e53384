"""Forests refitted on the labels that they recover."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

from disambig import PartialForestClassifier, PartialLabelClassifier
from disambig.weights import ForestWeights, NeighborWeights


def forest(trees=30, seed=0):
    return RandomForestRegressor(trees, max_features="sqrt", min_samples_leaf=2, random_state=seed)


def hidden_classes(seed=0, n=300, noise=12):
    """Two features determine four classes, the others are noise; half of all labels are added."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2 + noise))
    truth = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    return X, np.eye(4, dtype=bool)[truth] | (rng.uniform(size=(n, 4)) < 0.5), truth


def test_forests_recover_more_than_neighbours_and_refits_improve_them():
    X, sets, truth = hidden_classes(seed=1)
    models = [
        PartialLabelClassifier(NeighborWeights()),
        PartialForestClassifier(forest(), refits=0),
        PartialForestClassifier(forest()),
    ]
    recovered, scores = [], []
    for model in models:
        model.fit(X[:200], sets[:200])
        assert sets[np.arange(200), model.labels_].all()
        recovered.append((model.labels_ == truth[:200]).mean())
        scores.append(model.score(X[200:], truth[200:]))
    assert recovered[0] + 0.1 < recovered[1] < recovered[2] - 0.1
    assert scores[0] + 0.1 < scores[1] < scores[2] - 0.1


def test_rounds_equal_separate_fits():
    X, sets, _ = hidden_classes(n=120, noise=4)
    shares = sets / sets.sum(axis=1, keepdims=True)
    for refits in range(3):
        grown = forest().fit(X, shares)
        separate = PartialLabelClassifier(ForestWeights(grown, leave_one_out=True)).fit(X, sets)
        model = PartialForestClassifier(forest(), refits=refits).fit(X, sets)
        if model.n_iter_ < refits:
            break
        assert_array_equal(model.labels_, separate.labels_)
        assert_allclose(model.label_distributions_, separate.label_distributions_)
        assert_array_equal(model.predict_proba(X), separate.predict_proba(X))
        assert_array_equal(model.decision_function(X), separate.decision_function(X))
        assert len(model.trace_) == refits + 1
        assert model.trace_[-1].objective == separate.objective_
        shares = separate.label_distributions_
    assert refits >= 1


def test_it_stops_when_labels_do_not_change():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(9, 10, 20)])[:, None]
    y = [{"a"}, {"a", "b"}] * 10 + [{"b"}, {"a", "b"}] * 10
    model = PartialForestClassifier(forest(), refits=9).fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 9
    assert "".join(model.labels_) == 20 * "a" + 20 * "b"
    assert not PartialForestClassifier(forest(), refits=0).fit(X, y).converged_


def test_a_callback_stops_the_refits():
    X, sets, _ = hidden_classes(n=60, noise=4)
    received = []
    model = PartialForestClassifier(
        forest(5), callback=lambda progress: received.append(progress) or len(received) == 2
    ).fit(X, sets)
    assert model.n_iter_ == len(received) == 2
    assert [progress.iteration for progress in received] == [1, 2]
    assert not model.converged_


def test_fits_are_repeatable_and_the_template_is_not_fitted():
    X, sets, _ = hidden_classes(n=80, noise=2)
    template = forest(10)
    labels = [PartialForestClassifier(template).fit(X, sets).labels_ for _ in range(2)]
    assert_array_equal(*labels)
    assert not hasattr(template, "estimators_")
    default = PartialForestClassifier(refits=0).fit(X, sets)
    assert len(default.forest_.estimators_) == 100


def test_sparse_inputs_and_unlabeled_rows():
    X, sets, truth = hidden_classes(noise=2)
    sets[::4] = True
    model = PartialForestClassifier(forest()).fit(sp.csr_array(X), sets)
    assert_array_equal(model.predict(sp.csr_array(X)), model.predict(X))
    assert (model.labels_ == truth).mean() > 0.9


def test_one_class_only():
    model = PartialForestClassifier(forest(3)).fit([[0.0], [1.0]], [{"a"}, {"a"}])
    assert model.predict([[5.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    "wrong",
    [
        ExtraTreesRegressor(),
        RandomForestRegressor(bootstrap=False),
        RandomForestClassifier(),
        "forest",
    ],
)
def test_invalid_forests(wrong):
    with pytest.raises(ValueError, match="forest must be a forest regressor with bootstrap=True"):
        PartialForestClassifier(wrong).fit([[0.0], [1.0]], [0, 1])


def test_bad_refits():
    with pytest.raises(ValueError, match="refits=-1; expected 0 or more"):
        PartialForestClassifier(refits=-1).fit([[0.0], [1.0]], [0, 1])
