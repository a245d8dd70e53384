import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import LabelSets, PartialLabelClassifier
from disambig.losses import AbstainLoss
from disambig.metrics import covering_accuracy, covering_scorer, infimum_loss, infimum_loss_scorer
from disambig.weights import NeighborWeights


def test_on_plain_labels_it_is_the_accuracy():
    rng = np.random.default_rng(0)
    truth, guess = rng.integers(0, 3, size=(2, 50))
    weight = rng.uniform(size=50)
    assert covering_accuracy(truth, guess) == accuracy_score(truth, guess)
    assert covering_accuracy(truth, guess, sample_weight=weight) == pytest.approx(
        accuracy_score(truth, guess, sample_weight=weight)
    )


def test_unlabeled_rows_are_not_counted():
    mask = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1]], dtype=bool)
    assert covering_accuracy(mask, [0, 1, 1]) == 0.5
    assert covering_accuracy([0, -1, 1], [0, 0, 0], unlabeled=-1) == 0.5
    assert covering_accuracy([0, -1, None, 1], [0] * 4, unlabeled=[-1, None]) == 0.5
    assert covering_accuracy([0, 1], [0, 0], unlabeled=[]) == 0.5


def test_an_unlabeled_row_allows_every_class_that_can_be_predicted():
    sets = [{"a", "b"}, {"a"}]
    assert covering_accuracy(sets, ["a", "b"]) == 0.0
    assert covering_accuracy(sets, ["a", "b"], classes=["a", "b", "c"]) == 0.5


def test_nothing_to_score_is_nan_with_a_warning():
    with pytest.warns(UserWarning, match="No row to score excludes a class"):
        assert np.isnan(covering_accuracy(np.ones((3, 2), dtype=bool), [0, 1, 0]))


def test_an_unknown_label_counts_as_missed():
    assert covering_accuracy(["a", "z"], ["a", "a"], classes=["a", "b"]) == 0.5


@pytest.mark.parametrize(
    "y",
    [
        [{"a"}, {"b", "z"}, {"z"}],
        [["a"], ["b", "z"], ["z"]],
        [["a", "b"], ["b", "z"], ["z", "x"]],
        LabelSets.from_sets([{"a"}, {"b", "z"}, {"z"}]),
    ],
)
def test_unknown_labels_in_every_form_of_sets(y):
    """Such a row is missed, with the largest loss of its prediction."""
    options = {"classes": ["a", "b", "c"]}
    assert covering_accuracy(y, ["a", "b", "a"], **options) == pytest.approx(2 / 3)
    assert infimum_loss(y, ["a", "b", "a"], **options) == pytest.approx(1 / 3)
    assert infimum_loss(y, ["a", "b", "a"], loss="absolute", **options) == pytest.approx(2 / 3)
    assert infimum_loss(y, ["a", "b", "b"], loss="absolute", **options) == pytest.approx(1 / 3)


def test_a_table_of_other_classes_is_an_error():
    with pytest.raises(ValueError, match="2 classes were given for 3 columns"):
        covering_accuracy(np.eye(3), [0, 1, 2], classes=[0, 1])


def test_labels_of_several_types_keep_their_types():
    """numpy would turn a list of numbers and strings into strings."""
    assert covering_accuracy([1, 2], [1, "abstain"], classes=[1, 2]) == 0.5
    assert covering_accuracy([{1, "a"}, {1}, {"a"}], [1, 1, 1], classes=[1, "a"]) == 0.5
    assert infimum_loss([{1, "a"}, {1}, {"a"}], [1, 1, 1], classes=[1, "a"]) == 0.5
    loss = AbstainLoss(cost=0.3)
    assert infimum_loss([1, 2], [1, "abstain"], loss=loss) == pytest.approx(0.15)


def test_a_bound_loss_determines_the_classes():
    bound = AbstainLoss(cost=0.3).bind(np.arange(3))
    # {0, 1} excludes the class 2, which no row has.
    assert infimum_loss([{0, 1}, {0}], [0, 1], loss=bound) == 0.5


def test_one_class_is_scored():
    assert covering_accuracy(["a", "a"], ["a", "a"], classes=["a"]) == 1.0


def test_infimum_loss_takes_the_nearest_member():
    sets = LabelSets.from_sets([{0, 3}, {1}, {2, 3}], classes=[0, 1, 2, 3])
    assert infimum_loss(sets, [1, 1, 0], loss="squared") == pytest.approx((1 + 0 + 4) / 3)
    assert infimum_loss(sets, [1, 1, 0]) == pytest.approx(2 / 3)
    guess = np.array(["a", "abstain"], dtype=object)
    assert infimum_loss(["a", "b"], guess, loss=AbstainLoss(cost=0.3)) == pytest.approx(0.15)


def test_infimum_loss_names_an_unknown_prediction():
    with pytest.raises(ValueError, match="y_pred holds 7, which is not a prediction of the loss"):
        infimum_loss([0, 1], [0, 7])
    with pytest.raises(ValueError, match="y_pred holds a collection; expected in each row one of"):
        infimum_loss([0, 1], [0, {0, 1}])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="y has 2 rows and y_pred has 3"):
        covering_accuracy([0, 1], [0, 1, 1])


def _blobs(n=90, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=n)
    X = rng.normal(scale=0.3, size=(n, 2)) + 3 * np.eye(3)[truth][:, :2]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(n, 3)) < 0.3)
    return X, mask, truth


@pytest.mark.parametrize("scorer", [covering_scorer, infimum_loss_scorer])
def test_scorers_work_in_searches_and_pipelines(scorer):
    X, mask, _ = _blobs()
    pipe = make_pipeline(StandardScaler(), PartialLabelClassifier(weights=NeighborWeights()))
    search = GridSearchCV(
        pipe,
        {"partiallabelclassifier__weights__n_neighbors": [1, 5, 9]},
        scoring=scorer,
        cv=3,
        error_score="raise",
    ).fit(X, mask)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert scorer(search, X, mask) == scorer(search.best_estimator_, X, mask)
    assert repr(scorer).endswith("_scorer")


@pytest.mark.parametrize("scorer", [covering_scorer, infimum_loss_scorer])
def test_scorers_read_an_abstention_among_numbers(scorer):
    X, mask, _ = _blobs()
    # With noise, so that abstaining is best in some rows.
    X = X + np.random.default_rng(1).normal(scale=1.5, size=X.shape)
    model = PartialLabelClassifier(weights=NeighborWeights(9), loss=AbstainLoss(cost=0.2))
    model.fit(X, mask)
    assert set(map(type, model.predict(X).tolist())) == {int, str}
    assert np.isfinite(scorer(model, X, mask))


@pytest.mark.parametrize("scorer", [covering_scorer, infimum_loss_scorer])
def test_a_fold_with_a_class_that_training_does_not_have_is_scored(scorer):
    X, _, truth = _blobs()
    truth[-1] = 7
    y = np.array([frozenset([label]) for label in truth.tolist()], dtype=object)
    model = PartialLabelClassifier(weights=NeighborWeights(5))
    assert np.isfinite(cross_val_score(model, X, y, cv=3, scoring=scorer)).all()


def test_scorer_reads_marker_and_classes_of_the_estimator():
    X, _, truth = _blobs()
    names = np.array(["x", "y", "z"])[truth]
    y = np.where(np.arange(90) % 3 == 0, "?", names)
    model = PartialLabelClassifier(weights=NeighborWeights(5), unlabeled="?")
    scores = cross_val_score(model, X, y, scoring=covering_scorer, cv=3, error_score="raise")
    assert scores.min() > 0.9


@pytest.mark.parametrize("weights", [[1j, 1], np.ones(2, dtype=complex), ["a", "b"], [[1], [1, 2]]])
def test_sample_weights_that_are_no_real_numbers(weights):
    with pytest.raises(ValueError, match="one finite number for each row"):
        covering_accuracy(["a", "b"], ["a", "a"], sample_weight=weights)
