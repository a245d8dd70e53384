"""`PartialMultilabelClassifier`: forms of y, rules, losses, one-sided tags, scikit-learn."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import cross_val_score

from disambig import Mixture, PartialBits, PartialMultilabelClassifier, StructuredPredictor
from disambig.estimators.tags.models import PerTagClassifier
from disambig.exceptions import CandidateError, MissingOracleError, NoInformationError
from disambig.losses import FMeasureLoss, HammingLoss, TopKLoss
from disambig.weights import KernelRidgeWeights, NeighborWeights

X, Y = make_multilabel_classification(160, n_classes=4, random_state=0)
TAGS = ["a", "b", "c", "d"]
HIDDEN = np.where(np.random.default_rng(1).random(Y.shape) < 0.5, np.nan, Y)
NEAR = NeighborWeights(7)
# As good as the search for the purpose of tests, and much faster.
MIXED = Mixture([PartialMultilabelClassifier(w) for w in (NEAR, KernelRidgeWeights())])


def fitted(y=HIDDEN, weights=NEAR, **options):
    return PartialMultilabelClassifier(weights, **options).fit(X, y)


# ---------------------------------------------------------------------- reading y


def forms_of_y():
    """The same table in every form."""
    pd = pytest.importorskip("pandas")
    unknown = np.isnan(HIDDEN)
    whole = np.where(unknown, 0, HIDDEN).astype(int)
    texts = np.where(unknown, "", np.where(whole == 1, "yes", "no"))
    yield HIDDEN, {}
    yield np.ma.masked_array(whole, unknown), {}
    yield np.where(unknown, -1, whole), {"zero": "absent"}
    yield np.where(unknown, 0, 2 * whole - 1), {"zero": "unknown"}
    yield sparse.csr_array(np.where(unknown, 0, 2 * whole - 1)), {"zero": "unknown"}
    yield pd.DataFrame(texts, columns=TAGS), {}
    yield np.where(unknown, "?", texts), {"unlabeled": "?"}
    yield PartialBits.from_any(HIDDEN), {}


def test_every_form_of_y_is_the_same():
    expected = fitted().labels_
    for y, options in forms_of_y():
        model = fitted(y, **options)
        assert_array_equal(model.labels_, expected)
        assert model.score(X, y) == pytest.approx(fitted().score(X, HIDDEN))


def test_labels_keep_what_is_known_and_have_confidence():
    model = fitted(tags=TAGS)
    known = ~np.isnan(HIDDEN)
    assert_array_equal(model.labels_[known], HIDDEN[known])
    assert model.tags_.tolist() == model.classes_.tolist() == TAGS
    assert (model.bit_confidence_[known] == 1).all()
    assert_allclose(model.confidence_, model.bit_confidence_.mean(axis=1))
    assert ((model.bit_confidence_ >= 0) & (model.bit_confidence_ <= 1)).all()
    assert model.predict(X).dtype == np.int64
    shares = model.predict_proba(X)
    assert shares.shape == Y.shape
    assert_array_equal(model.predict(X)[shares != 0.5], (shares > 0.5)[shares != 0.5])


def test_a_vector_has_classes():
    words = np.where(Y[:, 0] == 1, "yes", "no").astype(object)
    words[::3] = None
    model = fitted(words)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) <= {"no", "yes"}
    assert model.labels_.shape == (len(X),)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    column = np.where(np.arange(len(X)) % 3 == 0, np.nan, Y[:, 0])[:, None]
    table = fitted(column)
    assert_array_equal(table.labels_[:, 0] == 1, model.labels_ == "yes")
    assert model.score(X, words) == pytest.approx(table.score(X, column))
    accuracy = (model.predict(X) == np.where(Y[:, 0] == 1, "yes", "no")).mean()
    assert model.score(X, np.where(Y[:, 0] == 1, "yes", "no")) == pytest.approx(accuracy)
    assert model.score(X[Y[:, 0] == 1], ["yes"] * Y[:, 0].sum()) == pytest.approx(
        (model.predict(X)[Y[:, 0] == 1] == "yes").mean()
    )


@pytest.mark.parametrize(
    ("y", "options", "error", "message"),
    [
        (np.full(Y.shape, np.nan), {}, NoInformationError, "no bit is known in any of the 160"),
        (np.where(Y == 1, 1, -1), {}, CandidateError, "zero='absent'"),
        (np.arange(160) % 3, {}, ValueError, "Only binary classification is supported"),
        (HIDDEN, {"tags": ["a", "b"]}, CandidateError, "2 tags were named for 4 columns"),
        (HIDDEN, {"loss": "kendall"}, ValueError, "hamming"),
        (HIDDEN, {"tag_frequencies": "guess"}, ValueError, "tag_frequencies is 'guess'"),
        (HIDDEN, {"tag_frequencies": {"z": 0.1}}, ValueError, "names 'z', which is not"),
        (HIDDEN, {"tag_frequencies": [0.1]}, ValueError, r"shape \(1,\), and there are 4 tags"),
        (HIDDEN, {"tag_counts": (3, 1)}, CandidateError, "least <= most"),
        (HIDDEN, {"implications": [(0, 1), (1, 0)]}, CandidateError, "0 => 1 => 0 form a cycle"),
        (Y, {"tag_counts": 1}, CandidateError, "tags, and at most 1 are allowed"),
    ],
    ids=range(11),
)
def test_bad_input_is_named(y, options, error, message):
    with pytest.raises(error, match=message):
        fitted(y, **options)


def test_structured_predictor_names_the_estimator_of_tags():
    for loss in (HammingLoss(), FMeasureLoss(), TopKLoss()):
        with pytest.raises(TypeError, match="use PartialMultilabelClassifier"):
            StructuredPredictor(loss).fit(X, HIDDEN)


# ---------------------------------------------------------------------- rules and losses


@pytest.mark.parametrize("weights", [NEAR, MIXED], ids=["votes", "mixture"])
@pytest.mark.parametrize("loss", ["hamming", "f_measure"])
def test_labels_and_predictions_keep_rules(weights, loss):
    truth = Y.copy()
    truth[:, 1] |= truth[:, 0]
    rows = (truth.sum(axis=1) >= 1) & (truth.sum(axis=1) <= 3)
    y = np.where(np.isnan(HIDDEN) | ~rows[:, None], np.nan, truth)
    model = fitted(y, weights, loss=loss, tag_counts=(1, 3), implications={0: 1})
    for bits in (model.labels_, model.predict(X)):
        assert (bits[:, 0] <= bits[:, 1]).all()
        assert ((bits.sum(axis=1) >= 1) & (bits.sum(axis=1) <= 3)).all()
    free = fitted(y, weights)
    assert not (free.predict(X)[:, 0] <= free.predict(X)[:, 1]).all()
    # Rows of the test need not keep them.
    assert 0 < model.score(X, Y) < 1


def test_bounds_of_rows_hold_for_labels():
    counts = np.column_stack([Y.sum(axis=1)] * 2)
    bits = PartialBits.from_any(HIDDEN, tag_counts=counts)
    model = PartialMultilabelClassifier(MIXED).fit(X, bits)
    assert_array_equal(model.labels_.sum(axis=1), Y.sum(axis=1))
    free = fitted(HIDDEN, MIXED)
    assert (model.labels_ == Y).mean() > (free.labels_ == Y).mean() + 0.05


@pytest.mark.parametrize("weights", [NEAR, MIXED], ids=["votes", "mixture"])
def test_top_k_predicts_k_tags(weights):
    model = fitted(HIDDEN, weights, loss=TopKLoss(2))
    assert (model.predict(X).sum(axis=1) == 2).all()
    # A list of k tags is no statement about their number.
    two = np.where(np.cumsum(HIDDEN == 1, axis=1) > 2, np.nan, HIDDEN)
    bounded = fitted(two, weights, loss=TopKLoss(3), tag_counts=(None, 2))
    assert (bounded.predict(X).sum(axis=1) == 3).all()
    assert (bounded.labels_.sum(axis=1) <= 2).all()


def test_the_best_prediction_of_a_mixture_is_of_least_expected_loss():
    model = fitted(HIDDEN, MIXED, loss="f_measure")
    shares = model.predict_proba(X[:20])
    every = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    chances = np.where(every[None], shares[:, None], 1 - shares[:, None]).prod(axis=2)
    sizes = every.sum(axis=1)
    hits = every @ every.T
    total = sizes[:, None] + sizes
    values = np.where(total > 0, 2 * hits / np.maximum(total, 1), 1.0)
    expected = chances @ values.T
    chosen = (model.predict(X[:20])[:, None] == every).all(axis=2).argmax(axis=1)
    assert_allclose(expected[np.arange(20), chosen], expected.max(axis=1), atol=1e-6)
    assert fitted(HIDDEN, MIXED).predict(X).sum() < model.predict(X).sum()


def test_annealing_under_rules_is_refused_in_words():
    with pytest.raises(MissingOracleError):
        fitted(solver="annealed", tag_counts=(0, 4))


@pytest.mark.parametrize("method", ["average", "infimum"])
def test_the_baselines_run_with_every_loss(method):
    for loss in ("hamming", "f_measure", TopKLoss(2)):
        model = fitted(method=method, loss=loss)
        assert model.score(X, Y) > 0.5


def test_rows_of_weight_zero_take_no_part():
    weight = (np.arange(len(X)) < 100).astype(float)
    for options in ({}, {"loss": "f_measure", "tag_counts": (0, 4)}):
        for weights in (NEAR, MIXED):
            model = PartialMultilabelClassifier(weights, **options)
            some = clone(model).fit(X, HIDDEN, sample_weight=weight)
            alone = clone(model).fit(X[:100], HIDDEN[:100])
            assert_allclose(some.predict_proba(X), alone.predict_proba(X), atol=1e-6)
            known = ~np.isnan(HIDDEN)
            assert_array_equal(some.labels_[known], HIDDEN[known])


# ---------------------------------------------------------------------- one-sided tags


def drawn(rng, n=600):
    """Two tags that the input tells, on in .3 and .6 of the rows."""
    inputs = rng.random((n, 1))
    return inputs, np.column_stack([inputs[:, 0] < 0.3, inputs[:, 0] > 0.4]).astype(int)


LINEAR = Mixture([PartialMultilabelClassifier(NeighborWeights(25))])


@pytest.mark.parametrize("form", ["positives", "candidates"])
def test_one_sided_data_needs_a_frequency(form):
    rng = np.random.default_rng(0)
    inputs, truth = drawn(rng)
    recorded = rng.random(truth.shape) < 0.5
    if form == "positives":
        bits = PartialBits.from_positives(truth * recorded)
    else:
        bits = PartialBits.from_candidates(1 - (1 - truth) * recorded)
    with pytest.raises(NoInformationError, match="tag_frequencies='estimate'"):
        PartialMultilabelClassifier(LINEAR).fit(inputs, bits)
    for given, kind in (("estimate", "estimated"), (truth.mean(axis=0), "given")):
        model = PartialMultilabelClassifier(LINEAR, tag_frequencies=given).fit(inputs, bits)
        assert model.tag_frequencies_kind_ == kind
        assert_allclose(model.tag_frequencies_, truth.mean(axis=0), atol=0.1)
        assert (model.predict(inputs) == truth).mean() > 0.93
        assert (model.labels_ == truth).mean() > 0.93
        assert bits.contains(model.labels_).all()
        shares = model.predict_proba(inputs)
        assert ((shares >= 0) & (shares <= 1)).all()


def test_bounds_limit_estimated_frequencies():
    rng = np.random.default_rng(1)
    inputs, truth = drawn(rng)
    bits = PartialBits.from_positives(truth * (rng.random(truth.shape) < 0.5))
    model = PartialMultilabelClassifier(LINEAR, tag_counts=(None, 1)).fit(inputs, bits)
    assert model.tag_frequencies_kind_ == "estimated within tag_counts"
    assert model.tag_frequencies_.sum() <= 1 + 1e-6
    assert (model.labels_.sum(axis=1) <= 1).all()


def test_one_sided_tags_beside_others():
    rng = np.random.default_rng(2)
    inputs, truth = drawn(rng)
    table = truth.astype(float)
    table[rng.random(len(table)) < 0.5, 1] = np.nan
    table[(truth[:, 0] == 0) | (rng.random(len(table)) < 0.5), 0] = np.nan
    with pytest.warns(UserWarning, match=r"tags \[0\] are on in every row .* on everywhere"):
        plain = PartialMultilabelClassifier(LINEAR).fit(inputs, table)
    assert plain.tag_frequencies_kind_ == "known bits"
    assert (plain.predict(inputs)[:, 0] == 1).all()
    given = PartialMultilabelClassifier(LINEAR, tag_frequencies={0: 0.3}).fit(inputs, table)
    assert (given.predict(inputs) == truth).mean() > 0.93


def test_frequencies_that_cannot_be_are_named():
    bits = PartialBits.from_positives(Y, tags=TAGS)
    given = dict.fromkeys(TAGS, 1.0) | {"a": 0.1}
    with pytest.raises(ValueError, match=r"tag 'a' is known to be on in a share .* 0.100 was"):
        PartialMultilabelClassifier(NEAR, tag_frequencies=given).fit(X, bits)
    with pytest.raises(ValueError, match="tolerance compares known bits"):
        PartialMultilabelClassifier(NEAR, tag_frequencies="estimate", tolerance=1.0).fit(X, bits)
    # Without a frequency, the other tags would be on everywhere.
    with pytest.raises(NoInformationError, match=rf"tags {re.escape(repr(TAGS[1:]))} are known"):
        PartialMultilabelClassifier(NEAR, tag_frequencies={"a": 0.9}).fit(X, bits)


# ---------------------------------------------------------------------- scikit-learn


def test_cross_validation_takes_partial_bits():
    bits = PartialBits.from_any(HIDDEN)
    model = PartialMultilabelClassifier(NEAR)
    assert is_classifier(model)
    assert len(cross_val_score(model, X, bits, cv=3)) == 3
    assert np.isfinite(cross_val_score(model, X, bits, cv=3, scoring=None)).all()


def test_a_mixture_of_models_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    weights = Mixture([PerTagClassifier(LogisticRegression(max_iter=500), standardize=True)])
    assert fitted(HIDDEN, weights).score(X, Y) > 0.75


def test_weights_of_zero_are_refused():
    X, y = np.arange(6.0)[:, None], np.array([[1, 0], [1, 0], [1, np.nan], [0, 1], [0, 1], [0, 1]])
    with pytest.raises(ValueError, match=r"weight of tag 0 is 0\.0; expected positive"):
        PartialMultilabelClassifier("neighbors", loss=HammingLoss([0, 0])).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        PartialMultilabelClassifier("neighbors").fit(X, y, sample_weight=np.zeros(6))
