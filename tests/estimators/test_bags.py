"""`PartialLabelClassifier` with bags of known class shares."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialLabelClassifier, disambiguate
from disambig.candidates import ClassCounts, LabelSets, bag_counts
from disambig.estimators.selection import bags as bag_selection
from disambig.exceptions import CandidateError, MissingOracleError, NoInformationError
from disambig.losses import MatrixLoss
from disambig.model_selection import BagKFold
from disambig.solvers import AnnealedMinimization, FrankWolfeMinimization
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights, NeighborWeights, NystromWeights

CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


def clusters(seed=0, n=180, n_bags=6):
    """Three clusters; the shares of the classes differ between the bags."""
    rng = np.random.default_rng(seed)
    X, y = make_blobs(n, centers=CENTERS, random_state=seed)
    shares = rng.dirichlet(np.full(n_bags, 1.0), size=3)
    bags = np.array([rng.choice(n_bags, p=shares[label]) for label in y])
    return X, np.array(["a", "b", "c"])[y], bags


def counts_by_bag(y, bags):
    return {
        b: {k: int(np.count_nonzero((bags == b) & (y == k))) for k in "abc"}
        for b in np.unique(bags).tolist()
    }


def shares_by_bag(y, bags):
    found = counts_by_bag(y, bags)
    sizes = {b: sum(counts.values()) for b, counts in found.items()}
    return {b: {k: c / sizes[b] for k, c in counts.items()} for b, counts in found.items()}


@pytest.mark.parametrize(
    "weights", [KernelRidgeWeights(), NystromWeights(n_landmarks=50), NeighborWeights(10)]
)
def test_labels_and_predictions_follow_from_bags_alone(weights):
    X, y, bags = clusters()
    proportions = counts_by_bag(y, bags)
    model = PartialLabelClassifier(weights).fit(X, None, bags=bags, proportions=proportions)
    assert isinstance(model.solver_, AnnealedMinimization)
    assert counts_by_bag(model.labels_, bags) == proportions
    assert np.mean(model.labels_ == y) >= 0.97
    new, truth = make_blobs(90, centers=CENTERS, random_state=9)
    assert np.mean(model.predict(new) == np.array(["a", "b", "c"])[truth]) >= 0.97
    assert model.predict_proba(new).shape == (90, 3)
    assert model.confidence_kind_ == "leave-one-out"
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(new) == model.predict(new)).all()


def test_sets_and_bags_together_and_one_bag_of_all_rows():
    X, y, bags = clusters(1)
    rng = np.random.default_rng(1)
    sets = [{label, rng.choice(list("abc"))} for label in y]
    proportions = shares_by_bag(y, bags)
    model = PartialLabelClassifier(KernelRidgeWeights())
    model.fit(X, sets, bags=bags, proportions=proportions)
    assert all(label in one for label, one in zip(model.labels_, sets, strict=True))
    counts = bag_counts(sets, bags, proportions)
    found = np.zeros(counts.bounds.shape[:2], dtype=int)
    codes = np.searchsorted(counts.classes, model.labels_)
    np.add.at(found, (counts.bags, codes), 1)
    assert ((found >= counts.bounds[..., 0]) & (found <= counts.bounds[..., 1])).all()
    overall = {k: float(np.mean(y == k)) for k in "abc"}
    model.fit(X, sets, proportions=overall)
    assert {k: float(np.mean(model.labels_ == k)) for k in "abc"} == overall
    same = disambiguate(X, counts, weights=KernelRidgeWeights())
    assert isinstance(same.solver_, AnnealedMinimization)


def test_other_solvers_and_losses():
    X, y, bags = clusters(n=120)
    proportions = counts_by_bag(y, bags)
    given = {"bags": bags, "proportions": proportions}
    frank_wolfe = PartialLabelClassifier(KernelRidgeWeights(), solver=FrankWolfeMinimization())
    assert counts_by_bag(frank_wolfe.fit(X, None, **given).labels_, bags) == proportions
    ordinal = PartialLabelClassifier(KernelRidgeWeights(), loss="absolute")
    assert counts_by_bag(ordinal.fit(X, None, **given).labels_, bags) == proportions
    costs = np.vstack([1.0 - np.eye(3), np.full(3, 0.3)])
    unsure = MatrixLoss(costs, predictions=["a", "b", "c", "?"])
    solver = AnnealedMinimization("two_blocks")
    model = PartialLabelClassifier(KernelRidgeWeights(), loss=unsure, solver=solver)
    model.fit(X, None, **given)
    with pytest.raises(MissingOracleError, match="predictions that keep class shares are classes"):
        model.predict(X, **given)
    for parameters in ({"solver": "alternating"}, {"method": "average"}, {"method": "infimum"}):
        with pytest.raises(MissingOracleError, match="would lose the constraint over rows"):
            PartialLabelClassifier(KernelRidgeWeights(), **parameters).fit(X, None, **given)


def test_whole_new_bags_are_predicted_with_their_shares():
    X, y, bags = clusters()
    model = PartialLabelClassifier(KernelRidgeWeights())
    model.fit(X, None, bags=bags, proportions=counts_by_bag(y, bags))
    rng = np.random.default_rng(5)
    new = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + CENTERS[1]])
    names = np.repeat(["left", "right"], 20)
    proportions = {"left": {"a": 15, "b": 5, "c": 0}, "right": {"b": (0.5, 0.6)}}
    found = model.predict(new, bags=names, proportions=proportions)
    assert [np.count_nonzero(found[:20] == k) for k in "abc"] == [15, 5, 0]
    assert 10 <= np.count_nonzero(found[20:] == "b") <= 12
    expected = 1.0 - model.predict_proba(new[:20])
    chosen = np.argsort(expected[:, 1] - expected[:, 0])[:5]
    assert set(np.flatnonzero(found[:20] == "b")) == set(chosen)
    with pytest.raises(CandidateError, match="bags must have one entry for each of the 40 rows"):
        model.predict(new, bags=names[:-1], proportions=proportions)


def test_a_cut_bag_has_no_counts_but_fractions():
    X, y, bags = clusters()
    model = PartialLabelClassifier(KernelRidgeWeights())
    rows = np.arange(1, len(y))
    with pytest.raises(CandidateError, match=r"the counts sum to \d+, and the bag has \d+ rows"):
        model.fit(X[rows], None, bags=bags[rows], proportions=counts_by_bag(y, bags))
    model.fit(X[rows], None, bags=bags[rows], proportions=shares_by_bag(y, bags))
    weights = np.ones(len(y))
    weights[0] = 0.0
    with pytest.raises(CandidateError, match=r"part are not known.*no sample weight of zero"):
        model.fit(X, None, weights, bags=bags, proportions=counts_by_bag(y, bags))
    with pytest.raises(ValueError, match="may be None with bags= and proportions= only"):
        model.fit(X, None)


def test_bags_are_routed_to_the_parts_of_a_cross_validation():
    X, y, bags = clusters(3, n_bags=9)
    proportions = counts_by_bag(y, bags)
    with sklearn.config_context(enable_metadata_routing=True):
        model = PartialLabelClassifier(KernelRidgeWeights())
        model.set_fit_request(bags=True, proportions=True, groups=False)
        found = cross_validate(
            model,
            X,
            y,
            cv=BagKFold(3),
            params={"bags": bags, "proportions": proportions, "groups": bags},
            error_score="raise",
        )
    assert (found["test_score"] >= 0.95).all()


def test_bags_that_say_nothing_are_refused_or_warned_of():
    X, _, _ = clusters()
    bags = np.arange(len(X)) % 3
    equal = {b: {"a": 20, "b": 20, "c": 20} for b in range(3)}
    model = PartialLabelClassifier(KernelRidgeWeights())
    with pytest.raises(NoInformationError, match="no more than those of rows that are dealt"):
        model.fit(X, None, bags=bags, proportions=equal)
    mask = np.ones((len(X), 3), dtype=bool)
    mask[:3] = np.eye(3, dtype=bool)
    with pytest.warns(UserWarning, match="Trust the labels only as far"):
        model.fit(X, LabelSets(mask, np.array(["a", "b", "c"])), bags=bags, proportions=equal)
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(X, None)
    with pytest.raises(CandidateError, match=r"each of the 180 rows; got 179"):
        model.fit(X, None, bags=bags[1:], proportions=equal)


def test_bags_that_cannot_be_examined_are_refused_in_words():
    X, y, bags = clusters()
    counts = bag_counts(None, bags, counts_by_bag(y, bags))
    model = PartialLabelClassifier(KernelRidgeWeights())
    with pytest.raises(ValueError, match="6 bags of known shares are fewer than 20"):
        cross_examine(model, X, counts)
    sets = [{label} if row % 2 else set("abc") for row, label in enumerate(y)]
    counts = bag_counts(sets, bags, counts_by_bag(y, bags))
    with pytest.raises(ValueError, match="Transform X first"):
        cross_examine(make_pipeline(StandardScaler(), model), X, counts)
    with pytest.raises(ValueError, match="judged by annealing"):
        cross_examine(clone(model).set_params(solver=FrankWolfeMinimization()), X, counts)
    with pytest.raises(ValueError, match="cv='prefit' has none"):
        cross_examine(model.fit(X, counts), X, counts, cv="prefit")


def test_prices_give_predictions_the_shares_of_a_rare_class():
    """A rare class has the largest probability nowhere, and is predicted all the same."""
    rng = np.random.default_rng(0)
    n = 600
    bags = np.arange(n) % 3
    rate = np.array([0.05, 0.15, 0.25])[bags]
    y = np.where(rng.random(n) < rate, "b", "a")
    X = rng.normal(size=(n, 1)) + 1.5 * (y == "b")[:, None]
    proportions = {
        b: {k: int(np.count_nonzero((bags == b) & (y == k))) for k in "ab"} for b in range(3)
    }
    solver = AnnealedMinimization(temperatures=[1.0])
    model = PartialLabelClassifier(KernelRidgeWeights(regularization=0.1), solver=solver)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, None, bags=bags, proportions=proportions)
    assert abs(np.mean(model.predict(X) == "b") - np.mean(y == "b")) < 0.03
    agrees = model.predict(X) == model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert agrees.mean() >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("size", "landmarks"), [(6, 400), (60, 400), (60, 80)])
def test_auto_chooses_by_held_out_bags(size, landmarks, monkeypatch):
    monkeypatch.setattr(bag_selection, "_N_LANDMARKS_OF_FEW_BAGS", landmarks)
    X, y, _ = clusters(4)
    bags = np.arange(len(y)) // size if size == 6 else clusters(4)[2]
    model = PartialLabelClassifier().fit(X, None, bags=bags, proportions=counts_by_bag(y, bags))
    assert model.trials_
    assert np.mean(model.labels_ == y) >= 0.95
    again = PartialLabelClassifier().fit(
        X[::-1], None, bags=bags[::-1], proportions=counts_by_bag(y, bags)
    )
    assert repr(again.weights_) == repr(model.weights_)
    # Linear votes, which few bags may choose, have landmarks however few rows there are.
    is_linear = "'linear'" in repr(model.weights_)
    assert not is_linear or size == 60
    assert ("Nystrom" in repr(model.weights_)) == (landmarks < len(y) or is_linear)


def test_counts_without_bags_are_still_minimised_by_frank_wolfe():
    X, y, _ = clusters(0, n=30)
    counts = ClassCounts.balanced(LabelSets.from_mask(np.ones((30, 3)), ["a", "b", "c"]))
    sets = LabelSets.from_any([{label} if i < 6 else set("abc") for i, label in enumerate(y)])
    counts = ClassCounts(sets, counts.bounds)
    assert isinstance(
        disambiguate(X, counts, weights=NeighborWeights(4)).solver_, FrankWolfeMinimization
    )
