"""Examinations of bits: sets against enumeration, coverage by simulation, answers, errors."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialBits, PartialMultilabelClassifier
from disambig.exceptions import CandidateError
from disambig.losses import HammingLoss
from disambig.trust import cross_examine
from disambig.trust.kinds.bits import BitExamination
from disambig.trust.kinds.sign_sets import bit_scores, bit_set_scores, bits_at, inner_bits
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from tests.estimators.small_search import small_search

TAGS = ["red", "blue", "green", "big"]


def tagged(n, seed=0, hidden=0.4):
    """Inputs, true bits of noisy linear functions, and bits of which a share is hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    slopes = np.random.default_rng(99).normal(size=(2, 4))
    bits = (X @ slopes + 0.4 * rng.logistic(size=(n, 4)) > 0).astype(int)
    shown = np.where(rng.random(bits.shape) < hidden, np.nan, bits)
    return X, bits, PartialBits.from_any(shown, tags=TAGS)


def predictor(**options):
    weights = NadarayaWatsonWeights(bandwidth=0.5)
    return PartialMultilabelClassifier(loss=HammingLoss(**options), weights=weights)


@pytest.fixture(scope="module")
def exam():
    X, _, bits = tagged(240)
    return cross_examine(predictor(), X, bits)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.05, 0.98))
def test_sets_against_all_bits(seed, threshold):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random((1, 3)), int(rng.integers(1, 4)))
    every = np.array(list(product([0, 1], repeat=3)))
    table = np.where(rng.random((1, 3)) < 0.5, np.nan, rng.integers(0, 2, size=(1, 3)))
    bits = PartialBits.from_any(table)
    found = bits_at(p, threshold, np.arange(3))
    copies = np.zeros(len(every), dtype=int)
    predicted, own = found[copies].contains(every), bits[copies].contains(every)
    # The more probable value is never excluded, the other one from its score on.
    opposite = np.where(every == 1, 1 - p, p)
    expected = ((opposite <= threshold) | (opposite <= 0.5)).all(axis=1)
    np.testing.assert_array_equal(predicted, expected)
    np.testing.assert_array_equal(predicted, bit_scores(np.tile(p, (8, 1)), every) <= threshold)
    assert (predicted & own).any() == (bit_set_scores(p, bits)[0] <= threshold)
    inside = inner_bits(p, threshold, bits)[copies].contains(every)
    free = bit_scores(np.tile(p, (8, 1)), every, np.tile(~bits.known, (8, 1))) <= threshold
    np.testing.assert_array_equal(inside, own & free)
    assert inside.any()


def test_split_calibration_covers_sets_and_truth():
    X, _, bits = tagged(150)
    model = predictor().fit(X, bits)
    X, truth, bits = tagged(3000, seed=1)
    n, n_draws, rng = 60, 200, np.random.default_rng(2)
    levels = (0.7, 0.9)
    met, contained = ({level: [] for level in levels} for _ in range(2))
    for _ in range(n_draws):
        drawn = rng.permutation(3000)[: n + 200]
        own, new = drawn[:n], drawn[n:]
        exam = cross_examine(model, X[own], bits[own], cv="prefit")
        assert exam.is_split
        answered = exam.with_answers(np.arange(n), truth[own])
        known = bits[new]
        for level in levels:
            found = exam.predict_set(X[new], level)
            wrong = found.known & known.known & (found.bits != known.bits)
            met[level].append(1 - wrong.any(axis=1)[known.informative].mean())
            sets = answered.predict_set(X[new], level, meaning="truth")
            contained[level].append(sets.contains(truth[new]).mean())
    for level, shares in [*met.items(), *contained.items()]:
        error = 3 * np.std(shares) / np.sqrt(n_draws)
        assert level - 0.01 - error <= np.mean(shares)
        assert np.mean(shares) <= level + 1 / (n * 0.95) + 0.01 + error


def test_confidence_is_the_share_of_right_bits(exam):
    X, truth, bits = tagged(240)
    assert isinstance(exam, BitExamination)
    assert bits.contains(exam.labels).all()
    right = (exam.labels == truth).mean(axis=1)
    assert exam.confidence.mean() == pytest.approx(right.mean(), abs=0.03)
    assert np.corrcoef(exam.confidence, right)[0, 1] > 0.4
    unknown = ~bits.known
    chosen = np.where(
        exam.labels == 1, exam.held_out_probabilities, 1 - exam.held_out_probabilities
    )
    np.testing.assert_allclose(exam.confidence, np.where(unknown, chosen, 1).mean(axis=1))
    # Known bits that are turned round are suspect.
    turned = bits.bits.copy()
    turned[:30] = np.where(turned[:30] < 0, -1, 1 - turned[:30])
    other = cross_examine(predictor(), X, PartialBits(turned, TAGS))
    compared = bits.informative
    assert roc_auc_score((np.arange(240) < 30)[compared], other.suspicion[compared]) > 0.85
    assert (other.suspicion[~compared] == 0).all()


def test_the_frame_names_tags_and_doubtful_bits(exam):
    frame = exam.frame()
    assert frame.columns.tolist() == [
        "label",
        "confidence",
        "doubtful_bit",
        "doubtful_bit_confidence",
        "n_known_bits",
        "wrong_set_probability",
        "suspicion",
    ]
    for row in range(20):
        assert [tag for tag, bit in zip(TAGS, exam.labels[row], strict=True) if bit] == [
            tag for tag in frame["label"][row].split(", ") if tag
        ]
        p = exam.held_out_probabilities[row]
        values = {
            tag: value
            for tag, value in zip(TAGS, np.where(exam.labels[row] == 1, p, 1 - p), strict=True)
            if tag not in exam.candidates[row]
        }
        if values:
            worst = min(values, key=values.get)
            assert frame["doubtful_bit"][row] == worst
            assert frame["doubtful_bit_confidence"][row] == values[worst]
        else:
            assert frame["doubtful_bit"].isna()[row]


def test_answers_recalibrate_and_promise():
    X, truth, bits = tagged(240)
    exam = cross_examine(predictor(tag_weights=[5, 1, 1, 1]), X, bits)
    rows = np.random.default_rng(0).choice(240, 120, replace=False)
    answered = exam.with_answers(rows, truth[rows])
    np.testing.assert_array_equal(answered.labels[rows], truth[rows])
    assert answered.labels.dtype == exam.labels.dtype
    # Shares of right bits have the weights of the tags.
    expected = (exam.labels[answered.answers.rows] == answered.answers.labels) @ [5, 1, 1, 1] / 8
    np.testing.assert_allclose(answered._rightness(answered.answers), expected)
    assert answered.accept(risk=0.2).threshold is not None
    inside = answered.predict_set(meaning="truth")
    assert (inside.bits[bits.known] == bits.bits[bits.known]).all()
    assert inside.contains(truth).mean() > 0.85
    with pytest.raises(ValueError, match="bits have no classes"):
        answered.predict_set(meaning="truth", classwise=True)
    wrong = truth.copy()
    wrong[rows[0]] = 1 - wrong[rows[0]]
    outside = exam.with_answers(rows, wrong[rows])
    assert outside.wrong_share_of_answers == pytest.approx(bits.informative[rows[0]] / 120)


def test_bad_answers_and_meanings(exam):
    with pytest.raises(CandidateError, match="entry 1 says nothing about tag 'green'"):
        exam.with_answers([0, 1], [[1, 0, 1, 1], [1, 0, np.nan, 1]])
    with pytest.raises(ValueError, match="2 rows were given with 1 labels"):
        exam.with_answers([0, 1], [[1, 0, 1, 1]])
    with pytest.raises(ValueError, match="'contains' is for labels"):
        exam.predict_set(meaning="contains")


@small_search()
def test_pipelines_weights_and_mixtures():
    X, _, bits = tagged(90)
    weights = np.random.default_rng(0).integers(0, 3, size=90)
    plain = PartialMultilabelClassifier(weights=NeighborWeights(9))
    weighted = cross_examine(plain, X, bits, sample_weight=weights)
    free = np.flatnonzero(weights == 0)
    shares = weighted.estimator.tag_shares(X[free])
    np.testing.assert_allclose(weighted.held_out_probabilities[free], weighted.calibration(shares))
    piped = cross_examine(make_pipeline(StandardScaler(), plain), X, bits)
    assert len(piped.predict_set(X[:3])) == 3
    mixed = cross_examine(PartialMultilabelClassifier(), X, bits, cv=3)
    assert mixed.selection_saw_sets
    assert mixed.estimator.members_
    assert ((mixed.held_out_probabilities > 0) & (mixed.held_out_probabilities < 1)).all()


def one_sided(value, wrong=()):
    """Bits of `tagged` of which only those with `value` are listed; of `wrong` rows one more."""
    X, truth, _ = tagged(300, hidden=0.0)
    rng = np.random.default_rng(1)
    listed = (truth == value) & (rng.random(truth.shape) < 0.5)
    for row in wrong:
        listed[row, np.flatnonzero(truth[row] != value)[:1]] = True
    return X, truth, PartialBits(np.where(listed, value, -1).astype(np.int8), TAGS)


@pytest.mark.parametrize("value", [1, 0])
@pytest.mark.parametrize("source", ["given", "estimated"])
def test_tags_of_which_one_value_is_listed(value, source):
    X, truth, bits = one_sided(value)
    frequencies = truth.mean(axis=0) if source == "given" else "estimate"
    model = PartialMultilabelClassifier(
        NadarayaWatsonWeights(bandwidth=0.5), tag_frequencies=frequencies
    )
    exam = cross_examine(model, X, bits)
    assert exam.estimator.tag_frequencies_kind_ == source
    chosen = np.where(
        exam.labels == 1, exam.held_out_probabilities, 1 - exam.held_out_probabilities
    )
    is_open = ~bits.known
    right = (exam.labels == truth)[is_open]
    assert abs(chosen[is_open].mean() - right.mean()) < 0.06
    assert roc_auc_score(right, chosen[is_open]) > (0.7 if source == "given" else 0.6)
    # What is listed is judged as a new row would be: others did not see that it is listed.
    expected = exam.one_sided.probabilities(exam.recorded)
    np.testing.assert_array_equal(exam.held_out_probabilities[bits.known], expected[bits.known])
    assert len(exam.ask(3).frame()) == 3
    assert len(exam.predict_set(X[:4])) == 4
    rows = np.arange(0, 300, 5)
    answered = exam.with_answers(rows, truth[rows])
    assert len(answered.predict_set(X[:4], meaning="truth")) == 4
    with pytest.raises(ValueError, match="no longer be read as one-sided"):
        exam.refit(rows, truth[rows])


def test_wrong_tags_among_listed_ones_are_suspicious_and_not_counted():
    wrong = np.arange(0, 300, 20)
    X, truth, bits = one_sided(1, wrong)
    wrong = wrong[(truth[wrong] == 0).any(axis=1)]
    weights = NadarayaWatsonWeights(bandwidth=0.5)
    model = PartialMultilabelClassifier(weights, tag_frequencies=truth.mean(axis=0))
    exam = cross_examine(model, X, bits)
    rows = np.flatnonzero(bits.informative)
    assert roc_auc_score(np.isin(rows, wrong), exam.suspicion[rows]) > 0.75
    found = exam.suspects()
    assert len(found) == 0
    assert "wrong bits cannot be distinguished from wrong frequencies" in found.statement
