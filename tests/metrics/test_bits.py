"""Metrics of tags against scikit-learn's on complete tables, and on the known bits of others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score, fbeta_score, hamming_loss

from disambig import PartialBits, PartialMultilabelClassifier
from disambig.metrics import (
    tag_average_precision,
    tag_average_precision_scorer,
    tag_f_measure,
    tag_f_measure_scorer,
    tag_hamming_loss,
    tag_hamming_loss_scorer,
)

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, size=(30, 4))
PREDICTED = RNG.integers(0, 2, size=(30, 4))
SCORES = RNG.random((30, 4))
WEIGHT = RNG.integers(0, 4, size=30).astype(float)
KNOWN = RNG.random((30, 4)) < 0.6
HALF = np.where(KNOWN, TRUTH, np.nan)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
@pytest.mark.parametrize("average", ["micro", "macro", "samples"])
def test_complete_tables_agree_with_scikit_learn(average, weight):
    expected = fbeta_score(
        TRUTH, PREDICTED, beta=2, average=average, zero_division=1, sample_weight=weight
    )
    found = tag_f_measure(TRUTH, PREDICTED, average=average, beta=2, sample_weight=weight)
    assert found == pytest.approx(expected)
    loss = hamming_loss(TRUTH, PREDICTED, sample_weight=weight)
    assert tag_hamming_loss(TRUTH, PREDICTED, sample_weight=weight) == pytest.approx(loss)
    if average != "samples":
        expected = average_precision_score(TRUTH, SCORES, average=average, sample_weight=weight)
        found = tag_average_precision(TRUTH, SCORES, average=average, sample_weight=weight)
        assert found == pytest.approx(expected)


def test_unknown_bits_are_skipped():
    columns = [KNOWN[:, k] for k in range(4)]
    by_tag = [
        fbeta_score(TRUTH[c, k], PREDICTED[c, k], beta=1, zero_division=1)
        for k, c in enumerate(columns)
    ]
    assert tag_f_measure(HALF, PREDICTED) == pytest.approx(np.mean(by_tag))
    together = fbeta_score(TRUTH[KNOWN], PREDICTED[KNOWN], beta=1)
    assert tag_f_measure(HALF, PREDICTED, average="micro") == pytest.approx(together)
    wrong = (TRUTH != PREDICTED)[KNOWN]
    assert tag_hamming_loss(HALF, PREDICTED) == pytest.approx(wrong.mean())
    weights = np.arange(1.0, 5.0)
    weighted = np.average(wrong, weights=np.tile(weights, (30, 1))[KNOWN])
    found = tag_hamming_loss(HALF, PREDICTED, tag_weights=weights)
    assert found == pytest.approx(weighted)
    areas = [average_precision_score(TRUTH[c, k], SCORES[c, k]) for k, c in enumerate(columns)]
    assert tag_average_precision(HALF, SCORES) == pytest.approx(np.mean(areas))
    # What is unknown may be predicted in any way.
    other = np.where(KNOWN, PREDICTED, 1 - PREDICTED)
    assert tag_f_measure(HALF, other, average="samples") == pytest.approx(
        tag_f_measure(HALF, PREDICTED, average="samples")
    )


def test_nothing_to_score_is_said():
    for metric in (tag_hamming_loss, tag_f_measure, tag_average_precision):
        with pytest.warns(UserWarning, match="No row to score"):
            assert np.isnan(metric([[None, None]], [[1, 0]]))


def test_shapes_are_checked():
    for metric in (tag_hamming_loss, tag_f_measure, tag_average_precision):
        with pytest.raises(ValueError, match=r"y has shape \(1, 2\) and y_.* \(1, 3\)"):
            metric([[1, 0]], [[1, 0, 1]])
    with pytest.raises(ValueError, match="average must be"):
        tag_f_measure([[1, 0]], [[1, 0]], average="weighted")


def test_scorers_read_the_estimator():
    X = np.arange(30.0)[:, None]
    y = PartialBits.from_any(HALF, tags=list("abcd"))
    model = PartialMultilabelClassifier("neighbors").fit(X, y)
    predicted, shares = model.predict(X), model.predict_proba(X)
    assert_allclose(
        [
            tag_hamming_loss_scorer(model, X, y),
            tag_f_measure_scorer(model, X, y),
            tag_average_precision_scorer(model, X, y),
        ],
        [
            -tag_hamming_loss(y, predicted),
            tag_f_measure(y, predicted),
            tag_average_precision(y, shares),
        ],
    )
    assert model.score(X, y) == pytest.approx(1 - tag_hamming_loss(y, predicted))
