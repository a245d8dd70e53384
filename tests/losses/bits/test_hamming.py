"""The Hamming loss against brute force over all bits, and against the 0-1 loss on each tag."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from disambig import PartialMultilabelClassifier
from disambig.candidates import PartialBits
from disambig.exceptions import CandidateError
from disambig.losses import HammingLoss
from disambig.losses.protocol import ExactInfimum
from disambig.solvers import AlternatingMinimization
from disambig.solvers.baselines import average_candidates, infimum_solution
from disambig.votes import as_votes
from disambig.weights import NeighborWeights
from tests.oracles.bit_problems import all_bits, bit_problems

SEEDS = st.integers(0, 10**6)


def members(bits, row):
    every = all_bits(bits.n_tags)
    known = bits.known[row]
    return every[(every[:, known] == bits.bits[row, known]).all(axis=1)]


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    bits = PartialBits(rng.integers(-1, 2, size=(n, m)).astype(np.int8))
    loss = HammingLoss(rng.integers(1, 4, size=m)).bind(np.arange(m))
    return rng, loss, bits


# ---------------------------------------------------------------- the loss


@given(seed=SEEDS)
def test_loss_is_an_inner_product(seed):
    _, loss, bits = drawn(seed)
    every = all_bits(bits.n_tags)
    costs = ((every[:, None] != every[None]) * loss.weights).sum(axis=2)
    assert_allclose(loss.psi(every) @ loss.phi(every).T, costs, atol=1e-14)
    assert costs.max() == pytest.approx(loss.magnitude(bits))


@given(seed=SEEDS, ties=st.booleans())
def test_minimisers_equal_brute_force(seed, ties):
    rng, loss, bits = drawn(seed)
    n, m = bits.shape
    scores = rng.integers(-2, 3, size=(n, m + 1)) if ties else rng.normal(size=(n, m + 1))
    scores, tolerance = scores.astype(np.float64), np.full(n, 1e-10)
    every = all_bits(m)
    found = loss.best_prediction(scores, tolerance)
    inside = loss.best_candidate(scores, bits, tolerance)
    for row in range(n):
        for faces, outputs, embed in (
            (found, every, loss.psi),
            (inside, members(bits, row), loss.phi),
        ):
            vertices = embed(outputs)
            costs = vertices @ scores[row]
            tied = costs <= costs.min() + 1e-9
            assert_allclose(faces.embedded[row], vertices[tied].mean(axis=0), atol=1e-12)
            assert_array_equal(faces.outputs[row], outputs[tied][0])
            assert faces.is_vertex[row] == (tied.sum() == 1)


@given(seed=SEEDS)
def test_starts_are_the_mean_and_the_nearest_loss(seed):
    _, loss, bits = drawn(seed)
    average, infimum = loss.start(bits, "average"), loss.start(bits, "infimum")
    every = all_bits(bits.n_tags)
    for row in range(len(bits)):
        inside = loss.phi(members(bits, row))
        assert_allclose(average[row], inside.mean(axis=0), atol=1e-14)
        nearest = (loss.psi(every) @ inside.T).min(axis=1)
        assert_allclose(loss.psi(every) @ infimum[row], nearest, atol=1e-14)
    with pytest.raises(
        ValueError, match=r"start of the Hamming loss must be .*'average'.*'infimum'; got 'best'"
    ):
        loss.start(bits, "best")


@given(seed=SEEDS, ties=st.booleans())
def test_infimum_prediction_equals_brute_force(seed, ties):
    rng, loss, bits = drawn(seed)
    n, m = bits.shape
    q = 3
    alpha = rng.integers(-2, 3, size=(q, n)).astype(float) if ties else rng.normal(size=(q, n))
    assert isinstance(loss, ExactInfimum)
    found = loss.infimum_prediction(as_votes(alpha), bits, 1e-10)
    vertices = loss.psi(all_bits(m))
    for i in range(q):
        costs = np.zeros(len(vertices))
        for j in range(n):
            costs += (alpha[i, j] * (vertices @ loss.phi(members(bits, j)).T)).min(axis=1)
        tied = costs <= costs.min() + 1e-9
        assert_allclose(found.embedded[i], vertices[tied].mean(axis=0), atol=1e-12)


# ---------------------------------------------------------------- the solvers


@given(tiny=bit_problems())
def test_each_tag_is_disambiguated_separately(tiny):
    found = AlternatingMinimization("average").solve(tiny.problem)
    relaxed = decoded = 0.0
    for t, weight in enumerate(tiny.loss.weights):
        alone = AlternatingMinimization("average").solve(tiny.tag(t))
        embedded = alone.targets.embedded
        # psi of the 0-1 loss: the first column is the loss of predicting 0.
        assert_allclose(found.targets.embedded[:, t], embedded[:, 0] - embedded[:, 1], atol=1e-9)
        relaxed += weight * alone.relaxed_objective
        decoded += weight * alone.objective
        if alone.decided.all() and found.decided.all():
            assert_array_equal(found.decoded.outputs[:, t], alone.decoded.outputs)
    size = 1e-9 * max(1.0, float(tiny.problem.prediction_scale.sum()))
    assert found.relaxed_objective == pytest.approx(relaxed, abs=size)
    assert found.objective <= found.relaxed_objective + size
    if found.decided.all():
        assert found.objective == pytest.approx(decoded, abs=size)
    assert tiny.bits.contains(found.decoded.outputs).all()


@given(tiny=bit_problems())
def test_objective_never_increases(tiny):
    found = AlternatingMinimization(["average", "infimum"]).solve(tiny.problem)
    size = 1e-9 * max(1.0, float(tiny.problem.prediction_scale.sum()))
    for before, after in zip(found.trace, found.trace[1:], strict=False):
        if before.stage == after.stage:
            assert after.objective <= before.objective + size


@given(tiny=bit_problems())
def test_average_and_infimum_predict_the_same(tiny):
    infimum, exact = infimum_solution(tiny.problem)
    assert exact
    average = average_candidates(tiny.problem)
    if infimum.decided.all() and average.decided.all():
        assert_array_equal(average.decoded.outputs, infimum.decoded.outputs)


# ---------------------------------------------------------------- the estimator

X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
Y = np.array([[1, 0], [1, np.nan], [np.nan, 0], [0, 1], [np.nan, 1], [0, np.nan]])


@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
def test_the_estimator_of_tags(method):
    model = PartialMultilabelClassifier(weights=NeighborWeights(3), method=method)
    clone(model).fit(X, PartialBits.from_any(Y))
    model.fit(X, Y)
    assert_array_equal(model.labels_, [[1, 0]] * 3 + [[0, 1]] * 3)
    assert model.decided_.all()
    assert_array_equal(model.predict([[0.1], [5.0]]), [[1, 0], [0, 1]])
    assert model.score(X, Y) == 1.0
    assert model.score([[0.1]], [[1, 1]]) == 0.5


def test_rows_of_weight_zero_get_labels():
    weight = np.array([1, 1, 1, 1, 1, 0.0])
    model = PartialMultilabelClassifier(weights=NeighborWeights(2))
    model.fit(X, Y, sample_weight=weight)
    assert_array_equal(model.labels_[-1], [0, 1])


def test_minus_one_without_a_meaning_is_an_error():
    model = PartialMultilabelClassifier()
    with pytest.raises(CandidateError, match="zero='absent'"):
        model.fit(X, np.where(np.isnan(Y), -1, Y))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"shape \(1,\); expected one weight for each of the 2 tags"),
        ([1.0, 0.0], "the weight of tag 'b' is 0.0; expected positive"),
        ([np.nan, 1.0], "the weight of tag 'a' is nan"),
        ({"a": 1.0}, "no weight for the tag 'b'"),
        ({"a": 1.0, "b": 2.0, "d": 1.0}, r"names 'd', which is not among the tags \['a', 'b'\]"),
    ],
    ids=range(5),
)
def test_bad_tag_weights_are_errors(weights, message):
    with pytest.raises(ValueError, match=message):
        HammingLoss(weights).bind(np.array(["a", "b"]))


def test_tag_weights_by_name():
    loss = HammingLoss({"b": 3.0, "a": 1.0}).bind(np.array(["a", "b"]))
    assert_array_equal(loss.weights, [0.25, 0.75])
