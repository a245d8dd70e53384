"""Forests in alternation: their rounds, their end, and the result that they state."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestRegressor

from benchmarks import forest_alternation as example
from disambig import PartialLabelClassifier
from disambig.weights import ForestWeights, NeighborWeights


def forest(trees: int = 30) -> RandomForestRegressor:
    return RandomForestRegressor(trees, max_features="sqrt", min_samples_leaf=2, random_state=0)


def test_forests_recover_more_than_neighbours_and_refits_improve_them() -> None:
    X, sets, truth = example.hidden_classes(seed=1, n=300)
    models = [
        PartialLabelClassifier(NeighborWeights()).fit(X[:200], sets[:200]),
        example.alternate(X[:200], sets[:200], forest(), refits=0).model,
        example.alternate(X[:200], sets[:200], forest()).model,
    ]
    recovered, scores = [], []
    for model in models:
        assert sets[np.arange(200), model.labels_].all()
        recovered.append((model.labels_ == truth[:200]).mean())
        scores.append(model.score(X[200:], truth[200:]))
    assert recovered[0] + 0.1 < recovered[1] < recovered[2] - 0.1
    assert scores[0] + 0.1 < scores[1] < scores[2] - 0.1


def test_rounds_equal_separate_fits() -> None:
    X, sets, _ = example.hidden_classes(seed=0, n=120, noise=4)
    shares, before = sets / sets.sum(axis=1, keepdims=True), None
    for refits in range(3):
        grown = forest().fit(X, shares)
        weights = ForestWeights(grown, leave_one_out=True)
        separate = PartialLabelClassifier(weights, solver="alternating").fit(X, sets)
        found = example.alternate(X, sets, forest(), refits=refits)
        np.testing.assert_array_equal(found.model.labels_, separate.labels_)
        np.testing.assert_array_equal(found.model.predict_proba(X), separate.predict_proba(X))
        assert len(found.changes) == refits
        if before is not None:
            assert found.changes[-1] == (separate.labels_ != before).sum() > 0
        votes = weights.fit(X).leave_one_out_votes() @ np.eye(4)[separate.labels_]
        inside = np.where(sets, votes, 0.0)
        shares, before = inside / inside.sum(axis=1, keepdims=True), separate.labels_


def test_it_stops_when_labels_do_not_change() -> None:
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(9, 10, 20)])[:, None]
    y = [{"a"}, {"a", "b"}] * 10 + [{"b"}, {"a", "b"}] * 10
    template = forest()
    found = example.alternate(X, y, template, refits=9)
    assert found.converged
    assert found.changes[-1] == 0
    assert len(found.changes) < 9
    assert "".join(found.model.labels_) == 20 * "a" + 20 * "b"
    assert not hasattr(template, "estimators_")
    assert not example.alternate(X, y, template, refits=0).converged


def test_sparse_inputs_and_a_single_class() -> None:
    X, sets, truth = example.hidden_classes(seed=0, n=300, noise=2)
    sets[::4] = True
    model = example.alternate(sp.csr_array(X), sets, forest()).model
    np.testing.assert_array_equal(model.predict(sp.csr_array(X)), model.predict(X))
    assert (model.labels_ == truth).mean() > 0.9
    alone = example.alternate([[0.0], [1.0]], [{"a"}, {"a"}], forest(3)).model
    assert alone.predict([[5.0]]).tolist() == ["a"]


@pytest.mark.needs_jit
def test_the_printed_comparison(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["forest_alternation.py"])
    example.main()
    printed = capsys.readouterr().out
    shares = [
        float(line.split(": ")[1].split("%")[0])
        for line in printed.splitlines()
        if "recovered" in line
    ]
    assert len(shares) == 3
    assert shares[0] < shares[1] <= shares[2]
    assert "the last changed none" in printed
