import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import LabelSets, PartialLabelClassifier, disambiguate, memory
from disambig.exceptions import MemoryBudgetError, NoVotesWarning, VotesError
from disambig.losses import AbstainLoss, OrdinalLoss
from disambig.solvers import AlternatingMinimization, AnnealedMinimization, Progress
from disambig.weights import (
    FunctionWeights,
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    PrecomputedWeights,
)

NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    # For a mask scikit-learn takes folds in order, and iris is sorted by class.
    order = rng.permutation(150)
    X, truth = X[order], truth[order]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(150, 3)) < 0.3)
    return X, mask, truth


def as_sets(mask):
    return [set(NAMES[row]) for row in mask]


# ------------------------------------------------------------------ labels and predictions


def test_labels_are_recovered_with_confidence(iris):
    X, mask, truth = iris
    model = PartialLabelClassifier(weights=NeighborWeights(15)).fit(X, mask)
    assert (model.labels_ == truth).mean() > 0.9
    assert model.score(X, truth) > 0.9
    assert mask[np.arange(150), model.labels_].all()
    assert model.label_distributions_.shape == (150, 3)
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)
    assert (model.label_distributions_[~mask] == 0).all()
    ambiguous = mask.sum(axis=1) > 1
    # Confidence is the share of the other rows' votes; the recovered labels alone would give 1.
    assert model.confidence_[ambiguous].min() < 1
    right = model.labels_ == truth
    assert model.confidence_[right].mean() > model.confidence_[~right].mean()


def test_plain_labels_give_nearest_neighbours(iris):
    X, _, truth = iris
    rng = np.random.default_rng(1)
    queries = X + rng.normal(scale=0.3, size=X.shape)
    ours = PartialLabelClassifier(weights=NeighborWeights(7)).fit(X, truth)
    theirs = KNeighborsClassifier(7, algorithm="brute").fit(X, truth)
    logits = theirs.predict_proba(queries) / ours.calibration_.temperature
    np.testing.assert_allclose(ours.predict_proba(queries), softmax(logits, axis=1))
    np.testing.assert_array_equal(ours.labels_, truth)
    assert ours.decided_.all()


def test_plain_labels_give_kernel_ridge(iris):
    X, _, truth = iris
    weights = KernelRidgeWeights(bandwidth=1.0, regularization=1e-2)
    ours = PartialLabelClassifier(weights=weights).fit(X, truth)
    theirs = KernelRidge(alpha=150 * 1e-2, kernel="rbf", gamma=0.5).fit(X, np.eye(3)[truth])
    scores = theirs.predict(X)
    np.testing.assert_array_equal(ours.predict(X), scores.argmax(axis=1))
    # Minus the expected 0-1 loss is the vote for a class minus all votes.
    np.testing.assert_allclose(
        ours.decision_function(X), scores - scores.sum(axis=1, keepdims=True), atol=1e-8
    )


@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
def test_methods_agree_on_plain_labels(iris, method):
    X, _, truth = iris
    for weights in (NeighborWeights(5), KernelRidgeWeights(bandwidth=1.0)):
        model = PartialLabelClassifier(weights=weights, method=method).fit(X, truth)
        reference = PartialLabelClassifier(weights=weights).fit(X, truth)
        np.testing.assert_array_equal(model.labels_, truth)
        np.testing.assert_array_equal(model.predict(X), reference.predict(X))


def test_permuting_rows_permutes_results(iris):
    X, mask, _ = iris
    X = X + np.random.default_rng(2).normal(scale=1e-3, size=X.shape)
    order = np.random.default_rng(3).permutation(150)
    weights = KernelRidgeWeights(bandwidth=1.0)
    one = PartialLabelClassifier(weights=weights).fit(X, mask)
    two = PartialLabelClassifier(weights=weights).fit(X[order], mask[order])
    np.testing.assert_array_equal(one.labels_[order], two.labels_)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(one.objective_, two.objective_)


# ------------------------------------------------------------------ forms of y and X


def test_all_forms_of_y_give_the_same_labels(iris):
    X, mask, _ = iris
    sets = as_sets(mask)
    objects = np.empty(150, dtype=object)
    objects[:] = [frozenset(s) for s in sets]
    strings = ["|".join(sorted(s)) for s in sets]
    forms = {
        "sets": sets,
        "lists": [sorted(s) for s in sets],
        "objects": objects,
        "series": pd.Series(objects),
        "frame": pd.DataFrame(mask, columns=NAMES),
        "polars frame": pl.DataFrame(mask, schema=list(NAMES)),
        "polars lists": pl.Series([sorted(s) for s in sets]),
        "label sets": LabelSets.from_strings(strings),
    }
    reference = NAMES[PartialLabelClassifier(NeighborWeights()).fit(X, mask).labels_]
    for name, y in forms.items():
        model = PartialLabelClassifier(NeighborWeights()).fit(X, y)
        np.testing.assert_array_equal(model.labels_, reference, err_msg=name)
        assert set(model.predict(X)) <= set(NAMES), name


def test_feature_names_from_pandas_and_polars(iris):
    X, mask, _ = iris
    columns = ["a", "b", "c", "d"]
    reference = PartialLabelClassifier(NeighborWeights()).fit(X, mask).predict(X)
    for frame in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)):
        model = PartialLabelClassifier(NeighborWeights()).fit(frame, mask)
        assert list(model.feature_names_in_) == columns
        np.testing.assert_array_equal(model.predict(frame), reference)


def test_sparse_inputs_and_float32(iris):
    X, mask, _ = iris
    reference = PartialLabelClassifier(weights=NeighborWeights(15)).fit(X, mask)
    for form in (sp.csr_array(X), sp.csr_matrix(X), X.astype(np.float32)):
        model = PartialLabelClassifier(weights=NeighborWeights(15)).fit(form, mask)
        assert (model.labels_ == reference.labels_).mean() > 0.97


def test_unlabeled_marker(iris):
    X, _, truth = iris
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    model = PartialLabelClassifier(weights=NeighborWeights(10), unlabeled=-1).fit(X, y)
    assert list(model.classes_) == [0, 1, 2]
    assert model.score(X, truth) > 0.85


def test_a_class_that_is_never_a_candidate_has_probability_zero(iris):
    X, mask, _ = iris
    wider = np.column_stack([mask, np.zeros(150, dtype=bool)])
    with pytest.warns(UserWarning, match="1 of 4 classes are never a candidate"):
        model = PartialLabelClassifier(NeighborWeights(15)).fit(X, wider)
    assert list(model.classes_) == [0, 1, 2, 3]
    assert (model.predict_proba(X)[:, 3] == 0).all()


def test_soft_weights_change_the_average_and_not_the_sets(iris):
    X, mask, _ = iris
    rng = np.random.default_rng(4)
    soft = np.where(mask, rng.uniform(0.1, 1, size=mask.shape), 0)
    soft /= soft.sum(axis=1, keepdims=True)
    average = PartialLabelClassifier(NeighborWeights(15), method="average").fit(X, soft)
    plain = PartialLabelClassifier(NeighborWeights(15), method="average").fit(X, mask)
    assert not np.allclose(average.predict_proba(X), plain.predict_proba(X))
    model = PartialLabelClassifier(NeighborWeights(15)).fit(X, soft)
    assert mask[np.arange(150), model.labels_].all()


# ------------------------------------------------------------------ losses and predictions


def test_abstention(iris):
    X, mask, truth = iris
    model = PartialLabelClassifier(weights=NeighborWeights(15), loss=AbstainLoss(cost=0.2)).fit(
        X, as_sets(mask)
    )
    assert model.predictions_.tolist() == [*NAMES, "abstain"]
    predicted = model.predict(X)
    decided = predicted != "abstain"
    assert 0.5 < decided.mean() < 1
    assert (predicted[decided] == NAMES[truth][decided]).mean() > 0.95
    assert model.predict_proba(X).shape == (150, 3)
    assert model.decision_function(X).shape == (150, 4)


def test_predict_minimises_the_expected_loss(iris):
    X, mask, _ = iris
    matrix = np.array([[0, 1, 1], [1, 0, 1], [0.05, 0.05, 0]])
    model = PartialLabelClassifier(weights=NeighborWeights(15), loss=matrix).fit(X, mask)
    votes = model.weights_.votes(X) @ model.solution_.targets.distribution
    np.testing.assert_array_equal(model.predict(X), (votes @ matrix.T).argmin(axis=1))
    assert (model.predict(X) != model.predict_proba(X).argmax(axis=1)).any()


def test_ordered_classes(iris):
    X, mask, truth = iris
    for loss in ("absolute", "squared", OrdinalLoss(power=1)):
        model = PartialLabelClassifier(weights=NeighborWeights(15), loss=loss).fit(X, mask)
        assert model.score(X, truth) > 0.85


def test_inputs_without_votes_get_the_frequencies_and_a_warning():
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    model = PartialLabelClassifier(weights=NadarayaWatsonWeights(bandwidth=0.1))
    model.fit(X, ["a", "b", "b", "a"])
    far = np.array([[0.1], [1e4]])
    np.testing.assert_array_equal(model.is_reached(far), [True, False])
    with pytest.warns(UserWarning, match="1 of 2 inputs get no vote"):
        model.predict(far)
    with pytest.warns(NoVotesWarning, match="1 of 2 inputs get no vote"):
        found = model.predict_proba(far)
    np.testing.assert_allclose(found[1], [0.5, 0.5])
    assert np.isfinite(found).all()


# ------------------------------------------------------------------ weights and solvers


def test_precomputed_votes_are_sliced_by_cross_validation(iris):
    X, mask, _ = iris
    similarity = np.exp(-((X[:, None] - X) ** 2).sum(-1))
    model = PartialLabelClassifier(weights=PrecomputedWeights(normalize=True))
    direct = PartialLabelClassifier(weights=NadarayaWatsonWeights(bandwidth=np.sqrt(0.5)))
    np.testing.assert_allclose(
        cross_val_score(model, similarity, mask, cv=4, error_score="raise"),
        cross_val_score(direct, X, mask, cv=4, error_score="raise"),
    )
    graph = sp.csr_array(np.where(similarity > 0.5, similarity, 0))
    assert PartialLabelClassifier(weights="precomputed").fit(graph, mask).score(graph, mask) > 0.8


def test_a_callable_weighting(iris):
    X, mask, _ = iris

    def similarity(queries, train):
        return np.exp(-((queries[:, None] - train) ** 2).sum(-1))

    one = PartialLabelClassifier(weights=similarity).fit(X, mask)
    two = PartialLabelClassifier(weights=FunctionWeights(similarity)).fit(X, mask)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_several_starts_give_the_best_objective(iris):
    X, mask, _ = iris
    names = ["average", "infimum", "intersection"]
    weights = KernelRidgeWeights(bandwidth=0.3)
    found = {
        name: PartialLabelClassifier(weights, solver=AlternatingMinimization(start))
        .fit(X, mask)
        .objective_
        for name, start in [*zip(names, names, strict=True), ("all", names)]
    }
    assert len(set(found.values())) > 1
    assert found["all"] == pytest.approx(min(found[name] for name in names))


def test_start_from_a_score_matrix(iris):
    X, mask, truth = iris
    scores = 1.0 - np.eye(3)[truth]
    weights = KernelRidgeWeights(bandwidth=0.3)
    model = PartialLabelClassifier(weights, solver=AlternatingMinimization(scores)).fit(X, mask)
    assert (model.labels_ == truth).mean() > 0.95


def test_a_callback_stops_the_run(iris):
    X, mask, _ = iris
    received = []

    def stop(progress):
        received.append(progress)
        return True

    model = PartialLabelClassifier(NeighborWeights(5), callback=stop).fit(X, mask)
    assert len(received) >= 1
    assert received[0].iteration == 1
    assert not model.converged_
    assert pd.DataFrame(model.trace_).columns.tolist() == list(Progress._fields)


# ------------------------------------------------------------------ sample weights


@pytest.mark.parametrize("weights", [NeighborWeights(9), KernelRidgeWeights(bandwidth=1.0)])
def test_a_weight_of_w_means_w_copies(iris, weights):
    X, mask, _ = iris
    X = X + np.random.default_rng(5).normal(scale=1e-2, size=X.shape)
    copies = np.random.default_rng(6).integers(0, 3, size=150)
    weighted = PartialLabelClassifier(weights=weights).fit(X, mask, sample_weight=copies)
    repeated = PartialLabelClassifier(weights=weights).fit(
        np.repeat(X, copies, axis=0), np.repeat(mask, copies, axis=0)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, atol=1e-6)


def weighted_and_repeated(seed, **options):
    """A fit on weights of 1 to 5, one on copies of the rows, the inputs, and the first copies."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=40)
    X = 2 * rng.normal(size=(3, 2))[truth] + rng.normal(size=(40, 2))
    mask = (truth[:, None] == np.arange(3)) | (rng.random((40, 3)) < 0.4)
    counts = rng.integers(1, 6, size=40)
    copies = np.repeat(np.arange(40), counts)
    weighted = PartialLabelClassifier(**options).fit(X, mask, sample_weight=counts)
    repeated = PartialLabelClassifier(**options).fit(X[copies], mask[copies])
    return weighted, repeated, X, np.cumsum(counts) - counts


@pytest.mark.parametrize(
    "weights",
    [
        KernelRidgeWeights(),
        KernelRidgeWeights(kernel="laplacian", regularization=1e-5),
        NadarayaWatsonWeights(),
    ],
    ids=["Gaussian", "Laplacian", "Nadaraya-Watson"],
)
@pytest.mark.parametrize("start", ["average", "infimum"])
@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 25), marks=pytest.mark.slow)], ids=["few", "more"]
)
def test_a_weight_of_w_means_w_copies_for_annealing(weights, start, seeds):
    solver = AnnealedMinimization(start=start)
    for seed in seeds:
        options = {"weights": weights, "solver": solver}
        weighted, repeated, X, first = weighted_and_repeated(seed, **options)
        np.testing.assert_array_equal(weighted.labels_, repeated.labels_[first])
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


@pytest.mark.filterwarnings("ignore:weights='auto'")
@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.slow] if s > 2 else []) for s in range(25)]
)
def test_a_weight_of_w_means_w_copies_for_the_default(seed):
    weighted, repeated, X, first = weighted_and_repeated(seed)
    assert str(weighted.trials_) == str(repeated.trials_)
    assert str(weighted.weights_) == str(repeated.weights_)
    if "NeighborWeights" in str(weighted.weights_):
        # The k-th neighbour can be one of several copies, and only some of them vote.
        return
    np.testing.assert_array_equal(weighted.labels_, repeated.labels_[first])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_rows_of_weight_zero_are_labelled_and_change_nothing(iris):
    X, mask, _ = iris
    weight = np.ones(150)
    weight[::7] = 0
    kept = weight > 0
    model = PartialLabelClassifier().fit(X, mask, sample_weight=weight)
    alone = PartialLabelClassifier().fit(X[kept], mask[kept])
    np.testing.assert_array_equal(model.labels_[kept], alone.labels_)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    assert mask[np.arange(150), model.labels_].all()
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)


def test_too_little_memory_is_an_error_before_votes_are_computed(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    message = "PartialLabelClassifier on 20 rows and 2 classes would take .* Fit on fewer rows"
    with pytest.raises(MemoryBudgetError, match=message):
        PartialLabelClassifier(_never_called).fit(np.zeros((20, 1)), [{"a"}, {"a", "b"}] * 10)


def _never_called(queries, X):
    pytest.fail("votes were computed")


def test_rounding_does_not_decide_a_tied_row_of_weight_zero():
    # Ten votes of 1/20 for either class, whose sums can differ by rounding.
    X = np.array([[-0.1 * (i + 1) * (-1) ** i] for i in range(20)] + [[0.0]])
    y = [{"a"} if i % 2 else {"b"} for i in range(20)] + [{"a", "b"}]
    weight = np.r_[np.ones(20), 0.0]
    clf = PartialLabelClassifier(NeighborWeights(20)).fit(X, y, sample_weight=weight)
    assert not clf.decided_[-1]
    assert clf.labels_[-1] == "a"


def test_zero_weights_with_precomputed_votes(iris):
    X, mask, _ = iris
    similarity = np.exp(-((X[:, None] - X) ** 2).sum(-1))
    weight = np.ones(150)
    weight[::7] = 0
    kept = weight > 0
    model = PartialLabelClassifier(weights="precomputed").fit(
        similarity, mask, sample_weight=weight
    )
    alone = PartialLabelClassifier(weights="precomputed")
    alone.fit(similarity[np.ix_(kept, kept)], mask[kept])
    np.testing.assert_array_equal(model.predict(similarity), alone.predict(similarity[:, kept]))


# ------------------------------------------------------------------ scikit-learn conventions


def test_grid_search_over_components_and_pipelines(iris):
    X, mask, _ = iris
    pipe = make_pipeline(StandardScaler(), PartialLabelClassifier(weights=NeighborWeights()))
    search = GridSearchCV(
        pipe,
        {
            "partiallabelclassifier__weights__n_neighbors": [3, 15],
            "partiallabelclassifier__method": ["disambiguation", "average"],
        },
        cv=3,
        error_score="raise",
    )
    search.fit(X, mask)
    assert 0.5 < search.best_score_ <= 1
    assert search.predict(X).shape == (150,)
    objects = np.empty(150, dtype=object)
    objects[:] = [frozenset(s) for s in as_sets(mask)]
    assert np.isfinite(cross_val_score(pipe, X, objects, error_score="raise")).all()
    assert cross_val_predict(pipe, X, mask).shape == (150,)
    assert np.isfinite(
        cross_val_score(pipe, X, LabelSets.from_mask(mask), error_score="raise")
    ).all()


def test_clone_and_pickle(iris):
    X, mask, _ = iris
    model = PartialLabelClassifier(
        weights=NeighborWeights(7), predict_weights=NadarayaWatsonWeights(bandwidth=0.5)
    )
    fitted = clone(model).fit(X, mask)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert not hasattr(model, "labels_")
    assert not hasattr(model.weights, "n_features_in_")


def test_a_fitted_model_predicts_as_it_was_fitted(iris):
    """`set_params` has an effect from the next fit on."""
    X, mask, _ = iris
    model = PartialLabelClassifier(NeighborWeights(15), method="average").fit(X, mask)
    before = model.decision_function(X)
    model.set_params(method="infimum")
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert not np.allclose(model.fit(X, mask).decision_function(X), before)


def test_predict_before_fit_is_an_error():
    with pytest.raises(NotFittedError):
        PartialLabelClassifier().predict([[0.0]])


# ------------------------------------------------------------------ disambiguate()


def test_disambiguate_equals_fit(iris):
    X, mask, _ = iris
    found = disambiguate(X, mask)
    model = PartialLabelClassifier().fit(X, mask)
    np.testing.assert_array_equal(found.labels_, model.labels_)
    np.testing.assert_array_equal(found.decided_, model.decided_)
    np.testing.assert_allclose(found.label_distributions_, model.label_distributions_)
    np.testing.assert_allclose(found.confidence_, model.confidence_)
    assert found.objective_ == model.objective_


class OnlyProducts:
    """A user's operator with the required methods only."""

    def __init__(self, matrix):
        self._matrix = matrix

    shape = property(lambda self: self._matrix.shape)
    T = property(lambda self: OnlyProducts(self._matrix.T))

    def __matmul__(self, values):
        return self._matrix @ values


def test_disambiguate_with_given_votes(iris):
    # With fewer than 30 rows that exclude a class, leave-one-out votes judge.
    X, mask = iris[0][::6], iris[1][::6]
    alpha = NeighborWeights(5).fit(X).training_votes().matrix
    reference = disambiguate(X, mask, weights=NeighborWeights(5))
    for votes in (alpha, alpha.toarray(), OnlyProducts(alpha)):
        found = disambiguate(None, mask, weights=votes)
        np.testing.assert_array_equal(found.decided_, reference.decided_)
        np.testing.assert_array_equal(
            found.labels_[found.decided_], reference.labels_[reference.decided_]
        )
        others = (alpha - sp.diags(alpha.diagonal())) @ np.eye(3)[found.solution_.decoded.outputs]
        in_set = np.where(mask, others, 0.0)
        shares = in_set / in_set.sum(axis=1, keepdims=True)
        assert found.confidence_kind_ == "leave-one-out"
        np.testing.assert_allclose(
            found.confidence_, shares[np.arange(len(mask)), found.solution_.decoded.outputs]
        )
        with pytest.raises(VotesError, match="no votes at new inputs"):
            found.predict(np.zeros((1, 1)))


@pytest.mark.parametrize("weights", ["neighbors", np.eye(150), sp.csr_array(np.eye(150))])
def test_the_result_of_disambiguate_can_be_pickled(iris, weights):
    X, mask, _ = iris
    found = disambiguate(X, mask, weights=weights)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.labels_, found.labels_)
    np.testing.assert_array_equal(again.confidence_, found.confidence_)
