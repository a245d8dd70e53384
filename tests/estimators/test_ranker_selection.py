"""`PartialRanker()` without arguments: what it selects, mixes, stores and refuses."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.special import logit
from sklearn.base import clone

from disambig import Mixture, PartialRanker
from disambig.estimators.held_out.sign_likelihood import CLIP
from disambig.estimators.rankers.item_forest import ItemForestRanker
from disambig.estimators.rankers.logistic_ranker import LogisticRanker
from disambig.exceptions import NoInformationError
from disambig.losses import KendallLoss
from disambig.metrics import kendall_tau
from disambig.notation import FloatArray
from tests.estimators.small_search import small_search


def preferences(n: int = 70, seed: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Inputs, complete ranks of linear utilities, and ranks of which a third is hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    utilities = X @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(n, 4))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1).astype(float)
    return X, ranks, np.where(rng.random(ranks.shape) < 0.33, np.nan, ranks)


@pytest.fixture(scope="module")
@small_search()
def fitted() -> PartialRanker:
    X, _, y = preferences()
    return PartialRanker().fit(X, y)


def test_a_mixture_predicts_and_can_be_refitted_without_the_search(fitted: PartialRanker) -> None:
    X, ranks, y = preferences()
    assert isinstance(fitted.weights_, Mixture)
    assert len(fitted.members_) == len(fitted.shares_) > 1
    assert fitted.shares_.sum() == pytest.approx(1.0)
    scores = [trial.score for trial in fitted.trials_]
    assert scores == sorted(scores)
    assert kendall_tau(ranks, fitted.predict(X)) > 0.75
    again = PartialRanker(weights=clone(fitted.weights_)).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_allclose(again.pair_probabilities_, fitted.pair_probabilities_)
    assert again.trials_ == ()
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.pairwise_proba(X), fitted.pairwise_proba(X))


def test_attributes_of_a_mixture(fitted: PartialRanker) -> None:
    X, _, y = preferences()
    orders = fitted._read(y)
    assert orders.contains(fitted.labels_).all()
    shares = fitted.pair_probabilities_
    assert (shares[orders.before] == 1.0).all()
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((shares + shares.swapaxes(1, 2))[:, off], 1.0)
    assert ((fitted.confidence_ >= 0.0) & (fitted.confidence_ <= 1.0)).all()
    assert fitted.decided_.all()
    assert not fitted.undecided_pairs_.any()
    assert fitted.solution_ is None
    assert not fitted.certified_
    assert 0.0 <= fitted.objective_ < 0.5
    assert fitted.is_reached(X).all()
    mixed = sum(w * m.pair_shares(X) for w, m in zip(fitted.shares_, fitted.members_, strict=True))
    i, j = np.triu_indices(4, 1)
    np.testing.assert_allclose(fitted.pair_shares(X), mixed)
    # Calibrated by a temperature, at new inputs and for training rows alike.
    odds = logit(fitted.pairwise_proba(X)[:, i, j]) / logit(np.clip(mixed, CLIP, 1.0 - CLIP))
    np.testing.assert_allclose(odds, 1.0 / fitted._calibration_.temperature)
    assert fitted.confidence_kind_ == "hidden sets"


@small_search()
def test_rows_in_another_order_copies_and_weights_are_the_same() -> None:
    X, _, y = preferences()
    weights = np.r_[np.full(10, 2), np.ones(60, dtype=int)]
    copies = np.random.default_rng(3).permutation(np.repeat(np.arange(70), weights))
    weighted = PartialRanker().fit(X, y, sample_weight=weights)
    repeated = PartialRanker().fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.pairwise_proba(X), repeated.pairwise_proba(X), atol=1e-6)
    np.testing.assert_array_equal(weighted.labels_[copies], repeated.labels_)


@small_search()
def test_units_do_not_matter(fitted: PartialRanker) -> None:
    X, _, y = preferences()
    units, offsets = np.array([1e-4, 1.0, 1e5]), np.array([0.0, 3.0, 0.0])
    scaled = PartialRanker().fit(X * units + offsets, y)
    np.testing.assert_allclose(
        scaled.pairwise_proba(X * units + offsets), fitted.pairwise_proba(X), atol=1e-3
    )


@small_search()
def test_places_are_used() -> None:
    X, ranks, y = preferences(90)
    y = np.where(np.random.default_rng(1).random(y.shape) < 0.4, np.nan, y)
    model = PartialRanker(ranks="places").fit(X[:60], y[:60])
    known = np.isfinite(y[:60])
    assert (model.labels_[known] == y[:60][known]).all()
    assert kendall_tau(ranks[60:], model.predict(X[60:])) > 0.6


@small_search()
def test_few_rows_take_a_fixed_rule_and_say_so() -> None:
    X, ranks, y = preferences(120)
    with pytest.warns(UserWarning, match="rows exclude an order, too few.*even mixture of linear"):
        model = PartialRanker().fit(X[:20], y[:20])
    assert [type(m) for m in model.members_] == [LogisticRanker, ItemForestRanker]
    assert kendall_tau(ranks[20:], model.predict(X[20:])) > 0.5


@small_search()
def test_groups_that_hold_all_information_do_not_fail() -> None:
    X, _, y = preferences()
    y = y.copy()
    y[40:] = np.nan
    groups = np.r_[np.zeros(40, dtype=int), 1 + np.arange(30) // 5]
    model = PartialRanker().fit(X, y, groups=groups)
    assert np.isfinite(model.pair_probabilities_).all()


@pytest.mark.parametrize(
    "case", ["two items", "one item", "ties", "never compared", "rare item", "constant input"]
)
@small_search()
def test_special_tables_have_finite_probabilities(case: str) -> None:
    X, ranks, y = preferences(40)
    y = y.copy()
    if case == "two items":
        y = ranks[:, :2]
    elif case == "one item":
        y = np.zeros((40, 1))
    elif case == "ties":
        y = np.minimum(ranks, 1.0)
    elif case == "never compared":
        y[:, 3] = np.nan
    elif case == "rare item":
        y[1:, 3] = np.nan
    else:
        X = np.ones((40, 2))
    with warnings.catch_warnings():
        # Few rows, or nothing better than a constant: not the subject.
        warnings.simplefilter("ignore", UserWarning)
        model = PartialRanker().fit(X, y)
    m = y.shape[1]
    assert np.isfinite(model.pairwise_proba(X)).all()
    assert np.isfinite(model.confidence_).all()
    np.testing.assert_array_equal(np.sort(model.predict(X), axis=1), np.tile(np.arange(m), (40, 1)))
    if case == "never compared":
        assert model.undecided_pairs_[:, :3, 3].all()


def test_rows_of_weight_zero_are_predicted_inside_their_sets(fitted: PartialRanker) -> None:
    X, _, y = preferences()
    weights = np.ones(70)
    weights[:8] = 0.0
    model = PartialRanker(weights=fitted.weights_).fit(X, y, sample_weight=weights)
    assert model._read(y).contains(model.labels_).all()
    rest = PartialRanker(weights=fitted.weights_).fit(X[8:], y[8:])
    np.testing.assert_allclose(model.pairwise_proba(X), rest.pairwise_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "footrule"},
        {"loss": KendallLoss(position_weights="inverse")},
        {"method": "average"},
        {"solver": "annealed"},
        {"predict_weights": "neighbors"},
    ],
    ids=lambda options: next(iter(options)),
)
@small_search()
def test_other_losses_and_methods_choose_one_weighting(options: dict[str, object]) -> None:
    X, _, y = preferences(40)
    model = PartialRanker(**options).fit(X, y)  # type: ignore[arg-type]
    assert model.members_ == ()
    assert hasattr(model.weights_, "training_votes")
    assert len(model.trials_) >= 6
    assert model.solution_ is not None


def test_mixtures_refuse_what_they_would_ignore() -> None:
    X, _, y = preferences(20)
    mixture = Mixture([LogisticRanker(), PartialRanker("neighbors")])
    for options, match in (
        ({"predict_weights": "neighbors"}, "predict_weights"),
        ({"method": "average"}, "method"),
        ({"solver": "annealed"}, "solver"),
        ({"loss": "footrule"}, "Kendall"),
    ):
        with pytest.raises(ValueError, match=match):
            PartialRanker(mixture, **options).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"members\[0\].*pair_shares"):
        PartialRanker(Mixture([KendallLossModel()])).fit(X, y)
    with pytest.raises(NoInformationError):
        PartialRanker(mixture).fit(X, np.full((20, 4), np.nan))


class KendallLossModel:
    """Has fit, but no probabilities of pairs."""

    def fit(self, X: object, y: object) -> None:
        raise AssertionError


def test_a_mixture_of_named_members_calls_back() -> None:
    X, _, y = preferences(20)
    calls: list[object] = []
    mixture = Mixture([LogisticRanker(), PartialRanker("neighbors")], [0.25, 0.75])
    model = PartialRanker(mixture, callback=lambda progress: bool(calls.append(progress))).fit(X, y)
    assert calls
    assert model.shares_.tolist() == [0.25, 0.75]
    assert model.n_iter_ > 0
    assert model.weights_ is mixture
