"""Selection of members by refits, mixtures of them, and the defaults of bits and tasks."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from disambig import (
    Mixture,
    PartialBits,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    StructuredPredictor,
)
from disambig.estimators.held_out.tag_shares import mixed_shares
from disambig.estimators.mixture import fit_mixture, held_out_predictions, mixing_shares
from disambig.estimators.selection import space as space_module
from disambig.estimators.selection.bits import BIT_SPACE, BitMembers
from disambig.estimators.selection.structures import TASK_SPACE
from disambig.estimators.tags.models import PerTagClassifier
from disambig.solvers import AlternatingMinimization
from disambig.weights import KernelRidgeWeights, NeighborWeights, ScaledWeights
from tests.estimators.small_search import small_search


def linear_tags(n=120, seed=0, hidden=0.6):
    """Tags that are linear in some features of very different units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    truth = (X @ rng.normal(size=(5, 4)) > 0).astype(int)
    bits = np.where(rng.random(truth.shape) < hidden, -1, truth)
    return X * [1e-3, 1.0, 1e4, 30.0, 0.1], truth, PartialBits.from_any(bits, zero="absent")


@given(st.integers(1, 4), st.integers(0, 10_000), st.floats(0, 10))
def test_shares_minimise_the_held_out_loss_on_the_simplex(n_members, seed, pull):
    rng = np.random.default_rng(seed)
    predictions, target = rng.normal(size=(n_members, 12)), rng.normal(size=12)

    def objective(shares):
        gap = shares @ predictions - target
        return float(gap @ gap), 2 * predictions @ gap

    found = mixing_shares(objective, n_members, pull)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    even = np.full(n_members, 1 / n_members)

    def penalised(shares):
        return objective(shares)[0] + pull * ((shares - even) ** 2).sum()

    # Brute force: no point of a grid or of a random cloud on the simplex is better.
    others = np.vstack([rng.dirichlet(np.ones(n_members), 300), np.eye(n_members), even])
    best = min(penalised(shares) for shares in others)
    assert penalised(found) <= best + 1e-3 * abs(best) + 1e-9


def test_a_strong_pull_gives_equal_shares():
    def objective(shares):
        return float(shares[0]), np.array([1.0, 0.0, 0.0])

    assert_allclose(mixing_shares(objective, 3, 1e6), 1 / 3, atol=1e-5)
    assert mixing_shares(objective, 3, 0.0)[0] == 0


def test_held_out_predictions_are_those_of_refits():
    X, _, bits = linear_tags(40)
    member = PerTagClassifier(LogisticRegression(), standardize=True)
    folds = np.arange(40) % 3 - (np.arange(40) > 35)
    folds[-1] = -1
    found = held_out_predictions(
        member, X, bits, None, folds, lambda model, rows: model.predict_proba(rows)
    )
    for fold in range(3):
        rows = folds == fold
        others = np.flatnonzero(~rows)
        expected = clone(member).fit(X[others], bits[others]).predict_proba(X[rows])
        assert_array_equal(found[rows], expected)
    assert np.isnan(found[folds == -1]).all()


def test_a_mixture_is_the_weighted_mean_of_its_members_in_any_order_of_rows():
    X, _, bits = linear_tags(60)
    members = [
        PerTagClassifier(LogisticRegression(), standardize=True),
        PartialMultilabelClassifier(weights=NeighborWeights(5)),
        PartialMultilabelClassifier(weights=NeighborWeights(9)),
    ]
    mixture = Mixture(members, [1.0, 3.0, 0.0])
    model = PartialMultilabelClassifier(weights=mixture).fit(X, bits)
    parts = [mixed_shares(clone(member).fit(X, bits), X) for member in members]
    assert_allclose(model.tag_shares(X), 0.25 * parts[0] + 0.75 * parts[1], atol=1e-6)
    assert_array_equal(model.predict_proba(X), model._calibration_(model.tag_shares(X)))
    assert model._calibration_.is_fitted
    assert model.confidence_kind_ == "hidden sets"
    assert len(model.members_) == 2
    assert_allclose(model.shares_, [0.25, 0.75])
    known = np.asarray(bits) >= 0
    assert_array_equal(model.labels_[known], np.asarray(bits)[known])
    assert model.solution_ is None
    assert not model.certified_
    assert model.is_reached(X).all()
    order = np.random.default_rng(1).permutation(60)
    again = PartialMultilabelClassifier(weights=mixture).fit(X[order], bits[order])
    assert_array_equal(again.labels_, model.labels_[order])
    assert_allclose(again.confidence_, model.confidence_[order])
    loaded = pickle.loads(pickle.dumps(model))
    assert_array_equal(loaded.predict(X), model.predict(X))


def test_equal_inputs_and_groups_are_in_one_fold():
    X = np.repeat(np.arange(10.0), 4)[:, None]
    bits = PartialBits.from_any(np.repeat(np.arange(10) % 2, 4)[:, None])
    seen = []

    class Memory(PerTagClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(np.unique(X))
            return super().fit(X, y, sample_weight)

    memory = Mixture([Memory(LogisticRegression())])

    def predict(model, rows):
        assert not np.isin(rows, seen[-1]).any() or len(seen[-1]) == 10
        return model.predict_proba(rows)

    fit_mixture(memory, X, bits, None, None, predict)
    assert len(seen) == 6
    # Pairs of values are groups: both are hidden together.
    seen.clear()
    fit_mixture(memory, X, bits, None, np.repeat(np.arange(5), 8), predict)
    assert all(values.size in (8, 10) for values in seen)
    assert all((values[::2] + 1 == values[1::2]).all() for values in seen)


@pytest.mark.parametrize(
    ("mixture", "message"),
    [
        (Mixture([]), "members is empty"),
        (Mixture([PerTagClassifier]), r"members\[0\] must be an estimator"),
        (Mixture([PerTagClassifier(None)], [1, 2]), "shares must be 1 numbers"),
        (Mixture([PerTagClassifier(None)], [-1]), "shares must be 1 numbers >= 0"),
    ],
)
def test_mixtures_that_cannot_be_are_refused(mixture, message):
    X, _, bits = linear_tags(40)
    with pytest.raises((ValueError, TypeError), match=message):
        PartialMultilabelClassifier(weights=mixture).fit(X, bits)


@pytest.mark.parametrize(
    "other", [{"method": "average"}, {"solver": "annealed"}, {"predict_weights": "neighbors"}]
)
def test_a_mixture_has_its_own_method_and_solver(other):
    X, _, bits = linear_tags(40)
    mixture = Mixture([PerTagClassifier(LogisticRegression())])
    with pytest.raises(ValueError, match="cannot be combined with a Mixture"):
        PartialMultilabelClassifier(weights=mixture, **other).fit(X, bits)
    with pytest.raises(ValueError, match="weights cannot be a Mixture"):
        PartialLabelClassifier(mixture).fit(X, np.asarray(bits)[:, 0] > 0)
    with pytest.raises(ValueError, match="weights cannot be a Mixture"):
        StructuredPredictor("zero_one", weights=mixture).fit(X, np.arange(40) % 2)


def test_the_default_of_bits_mixes_and_can_be_refitted_without_the_search():
    X, truth, bits = linear_tags(160)
    train, test = np.arange(100), np.arange(100, 160)
    model = PartialMultilabelClassifier().fit(X[train], bits[train])
    scores = [trial.score for trial in model.trials_]
    assert scores == sorted(scores)
    assert len(scores) == BIT_SPACE.finalists
    # Linear tags in raw units: ten neighbours are right in .6 of the tags, the default in .85.
    assert (model.predict(X[test]) == truth[test]).mean() > 0.8
    plain = PartialMultilabelClassifier(weights="neighbors").fit(X[train], bits[train])
    assert (plain.predict(X[test]) == truth[test]).mean() < 0.7
    again = PartialMultilabelClassifier(weights=model.weights_).fit(X[train], bits[train])
    assert again.trials_ == ()
    assert_array_equal(again.labels_, model.labels_)
    assert_array_equal(again.predict_proba(X[test]), model.predict_proba(X[test]))
    known = np.asarray(bits)[train] >= 0
    assert_array_equal(model.labels_[known], np.asarray(bits)[train][known])
    assert 0 <= model.objective_ < 0.2
    assert model.score(X[test], truth[test]) == pytest.approx(
        (model.predict(X[test]) == truth[test]).mean()
    )


@small_search()
def test_rows_of_weight_zero_do_not_matter_for_bits():
    X, _, bits = linear_tags(70)
    weight = np.where(np.arange(70) < 60, 1.0, 0.0)
    model = PartialMultilabelClassifier().fit(X, bits, sample_weight=weight)
    alone = PartialMultilabelClassifier().fit(X[:60], bits[:60])
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-6)
    assert_array_equal(model.labels_[:60], alone.labels_)
    known = np.asarray(bits) >= 0
    assert_array_equal(model.labels_[known], np.asarray(bits)[known])


@pytest.mark.parametrize("options", [{"method": "average"}, {"solver": "alternating"}])
def test_a_named_solver_or_a_baseline_selects_one_weighting_for_bits(options):
    X, _, bits = linear_tags(60)
    model = PartialMultilabelClassifier(**options).fit(X, bits)
    assert isinstance(model.weights_, ScaledWeights)
    assert model.trials_
    assert model.members_ == ()
    if "solver" in options:
        assert isinstance(model.solver_, AlternatingMinimization)


def test_few_rows_of_bits_take_neighbors_with_a_warning():
    X, _, bits = linear_tags(20)
    with pytest.warns(UserWarning, match=r"only .* of 20 rows have a known bit.*10 nearest"):
        model = PartialMultilabelClassifier().fit(X, bits)
    assert str(model.weights_.weights) == str(NeighborWeights())


def test_probabilities_of_tags_are_shares_of_the_rows_that_know_them():
    X = np.arange(4.0)[:, None]
    bits = PartialBits.from_any([[1, -1], [0, -1], [-1, 1], [1, -1]], zero="absent")
    model = PartialMultilabelClassifier(weights=NeighborWeights(3), method="average")
    found = model.fit(X, bits).predict_proba([[0.0], [3.0]])
    # Neighbours of 0 are rows 0, 1, 2; of 3 rows 1, 2, 3. Row 2 alone knows the second tag.
    assert_allclose(found, [[0.5, 1.0], [0.5, 1.0]])
    with pytest.raises(AttributeError, match="predict_proba"):
        StructuredPredictor("zero_one").predict_proba([[0.0]])


def test_scores_of_bits_count_known_tags_only():
    bits = PartialBits.from_any([[1, -1], [0, 1]], zero="absent")
    members = BitMembers(
        bits, np.array([0.75, 0.25]), "disambiguation", None, PartialMultilabelClassifier
    )
    score = members.score(np.array([[0.2, 0.9], [0.4, 0.9]]), np.ones(2))
    assert score.loss == pytest.approx(0.75 / 2)
    squares = (0.75 * 0.64 + 0.75 * 0.16 + 0.25 * 0.01) / 2
    assert score.value == pytest.approx(0.75 / 2 + 0.5 * squares)
    assert members.constant_loss(np.ones(2)) == pytest.approx(0.75 / 2)
    objective = members.mixing_objective(np.array([[[0.2, 0.9], [0.4, 0.9]]]), np.ones(2))
    assert objective(np.ones(1))[0] == pytest.approx(squares)


class Sides:
    """A task with the outputs 0 and 1 and the 0-1 loss; `candidates` reads sets only once."""

    def candidates(self, y):
        return [tuple(sorted(one)) for one in map(set, y)]

    def embed_target(self, outputs):
        return np.eye(2)[np.asarray(outputs, dtype=int)]

    def embed_prediction(self, outputs):
        return 1.0 - np.eye(2)[np.asarray(outputs, dtype=int)]

    def best_prediction(self, scores):
        return scores.argmax(axis=1)

    def best_candidate(self, scores, candidates):
        return np.array(
            [min(one, key=lambda y: s[y]) for s, one in zip(scores, candidates, strict=True)]
        )

    def average(self, candidates):
        return np.array([self.embed_target(one).mean(axis=0) for one in candidates])

    def largest_loss(self, candidates):
        return 1.0


def test_the_default_of_a_task_is_selected_by_its_own_loss():
    X, truth = make_moons(120, noise=0.1, random_state=0)
    X = X * [1e4, 1e-3]
    rng = np.random.default_rng(0)
    y = [{t} if rng.random() < 0.5 else {0, 1} for t in truth.tolist()]
    model = StructuredPredictor(Sides()).fit(X[:80], y[:80])
    assert len(model.trials_) == 12
    assert (model.predict(X[80:]) == truth[80:]).mean() > 0.95
    plain = StructuredPredictor(Sides(), weights="neighbors").fit(X[:80], y[:80])
    assert (plain.predict(X[80:]) == truth[80:]).mean() < 0.95
    assert isinstance(model.weights_, ScaledWeights)
    again = StructuredPredictor(Sides(), weights=model.weights_, solver=model.solver_)
    assert_array_equal(again.fit(X[:80], y[:80]).labels_, model.labels_)


def test_members_of_a_task_become_landmarks_on_many_rows(monkeypatch):
    X, truth = make_moons(120, noise=0.1, random_state=0)
    monkeypatch.setattr(space_module, "is_affordable", lambda n: n <= 100)
    small = replace(TASK_SPACE, largest_sample=60, comparison_hidden=(5, 20), comparison_rows=110)
    monkeypatch.setattr(StructuredPredictor, "_search_space", small)
    model = StructuredPredictor(Sides()).fit(X, [{t} for t in truth.tolist()])
    assert any("Nystrom" in str(trial.weights) for trial in model.trials_)
    assert not any(isinstance(trial.weights.weights, KernelRidgeWeights) for trial in model.trials_)
    assert (model.labels_ == truth).all()
