"""The losses on bits against all ``2 ** m`` vectors, with and without rules."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig import PartialBits
from disambig.exceptions import MissingOracleError
from disambig.losses import FMeasureLoss, HammingLoss, TopKLoss
from disambig.losses.registry import bind_bit_loss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.votes import as_votes
from tests.oracles.bit_problems import all_bits


def f_value(z, y, beta=1.0):
    if not z.any() and not y.any():
        return 1.0
    return (1 + beta**2) * (z & y).sum() / (beta**2 * y.sum() + z.sum())


VALUES = {
    "hamming": (HammingLoss(), lambda z, y, m: (z != y).mean()),
    "weighted": (HammingLoss([3.0, 1.0, 1.0, 2.0]), None),
    "f1": (FMeasureLoss(), lambda z, y, m: 1 - f_value(z, y)),
    "f2": (FMeasureLoss(2.0), lambda z, y, m: 1 - f_value(z, y, 2.0)),
    "top 2": (TopKLoss(2), lambda z, y, m: 1 - (z & y).sum() / 2),
}
RULES = {
    "none": {},
    "counts": {"tag_counts": (1, 2)},
    "chain": {"implications": [(0, 1), (1, 2)]},
    "forest": {"implications": [(0, 1), (2, 1)], "tag_counts": (0, 3)},
    "diamond": {"implications": [(0, 1), (0, 2), (1, 3), (2, 3)], "tag_counts": (1, 3)},
}
M = 4


def bound(name, rules, rows=((-1, -1, -1, -1),)):
    bits = PartialBits(np.array(rows, dtype=np.int8), None, **RULES[rules])
    return VALUES[name][0].bind_bits(bits), bits


def predictions(name, rules):
    """All predictions that are allowed."""
    bits = bound(name, rules)[1]
    if name.startswith("top"):
        bits = PartialBits(bits.bits, None, RULES[rules].get("implications"), 2)
    every = all_bits(M)
    return every[np.array([bits.contains(z[None])[0] for z in every])]


@pytest.mark.parametrize("name", ["hamming", "f1", "f2", "top 2"])
def test_the_inner_product_is_the_loss(name):
    loss, _ = bound(name, "none" if name != "hamming" else "counts")
    every = all_bits(M)
    chosen = predictions(name, "none")
    table = loss.psi(chosen) @ loss.phi(every).T
    value = VALUES[name][1]
    expected = [[value(z, y, M) for y in every] for z in chosen]
    assert_allclose(table, expected, atol=1e-12)


def test_weighted_tags_are_the_same_with_rules():
    free, _ = bound("weighted", "none")
    ruled, _ = bound("weighted", "chain")
    every = all_bits(M)
    assert_allclose(free.psi(every) @ free.phi(every).T, ruled.psi(every) @ ruled.phi(every).T)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", VALUES)
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_minimisers_are_exact(name, rules, seed):
    rng = np.random.default_rng(seed)
    rows = rng.choice([-1, -1, -1, 1], size=(3, M))
    try:
        loss, bits = bound(name, rules, rows)
    except ValueError:
        # Too many known tags.
        loss, bits = bound(name, rules)
    chosen = predictions(name, rules)
    p = loss.psi(chosen).shape[1]
    # Of whole numbers many sums tie.
    whole = rng.integers(-2, 3, size=(len(bits), p)).astype(float)
    for scores in (rng.normal(size=(len(bits), p)), whole, np.zeros_like(whole)):
        tolerance = np.full(len(bits), 1e-9)
        check(loss.best_prediction(scores, tolerance), loss.psi(chosen), scores, chosen)
        faces = loss.best_candidate(scores, bits, tolerance)
        for row in range(len(bits)):
            inside = np.array([bits[[row]].contains(y[None])[0] for y in all_bits(M)])
            allowed = all_bits(M)[inside]
            check(faces.take(np.array([row])), loss.phi(allowed), scores[[row]], allowed)


def check(faces, vertices, scores, allowed):
    values = scores @ vertices.T
    assert_allclose(np.einsum("ip,ip->i", faces.embedded, scores), values.min(axis=1), atol=1e-8)
    for row, output in enumerate(faces.outputs):
        assert (allowed == output).all(axis=1).any()
        tied = values[row] <= values[row].min() + 1e-9
        if scores[row, :-1].any() and hasattr(faces, "embedded_outputs"):
            # Ties of the F measure cannot be listed, except those of rows without votes.
            continue
        assert_allclose(faces.embedded[row], vertices[tied].mean(axis=0), atol=1e-8)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", ["f1", "top 2", "weighted"])
def test_means_are_over_all_candidates(name, rules):
    loss, bits = bound(name, rules, [[-1, -1, -1, -1], [-1, 1, -1, -1]])
    start = loss.start(bits, "average")
    every = all_bits(M)
    for row in range(2):
        inside = np.array([bits[[row]].contains(y[None])[0] for y in every])
        assert_allclose(start[row], loss.phi(every[inside]).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("name", VALUES)
def test_mean_targets_are_of_independent_tags(name):
    loss, _ = bound(name, "none")
    probabilities = np.random.default_rng(3).random((5, M))
    every = all_bits(M)
    shares = np.where(every[None], probabilities[:, None], 1 - probabilities[:, None]).prod(axis=2)
    assert_allclose(loss.mean_target(probabilities), shares @ loss.phi(every), atol=1e-12)


@pytest.mark.parametrize("name", ["f1", "top 2", "weighted"])
def test_alternation_reaches_a_fixed_point_of_pairs(name):
    rng = np.random.default_rng(5)
    rows = rng.choice([-1, -1, 1], size=(12, M))
    rows[:, 3] = -1
    loss, bits = bound(name, "none", rows)
    bits = bits.with_rules(tag_counts=(0, 3))
    loss = VALUES[name][0].bind_bits(bits)
    votes = rng.random((12, 12))
    found = AlternatingMinimization().solve(Problem(as_votes(votes), loss, bits))
    assert bits.contains(found.decoded.outputs).all()
    values = [step.objective for step in found.trace if "decod" not in step.stage][1:]
    assert all(after <= before + 1e-9 for before, after in pairwise(values))
    # No row alone can improve on it.
    every = all_bits(M)
    chosen = predictions(name, "none") if name.startswith("top") else every
    allowed = chosen if name.startswith("top") else every[every.sum(axis=1) <= 3]

    def objective(targets):
        return (loss.psi(allowed) @ (votes @ loss.phi(targets)).T).min(axis=0).sum()

    best = objective(found.decoded.outputs)
    assert best == pytest.approx(found.objective)


def test_top_k_with_fewer_tags_than_k_predicts_all():
    loss = TopKLoss(9).bind_bits(PartialBits.from_any([[1, 0]]))
    assert_array_equal(loss.best_prediction(np.zeros((1, 3)), np.zeros(1)).outputs, [[1, 1]])


def test_names_and_other_losses():
    bits = PartialBits.from_any([[1, 0]])
    for name in ("hamming", "f_measure", "top_k"):
        assert bind_bit_loss(name, bits).tags.tolist() == [0, 1]
    with pytest.raises(TypeError, match=r"loss must be one of .*f_measure.*got"):
        bind_bit_loss(3, bits)
    with pytest.raises(ValueError, match=r"hamming.*f_measure.*top_k"):
        bind_bit_loss("kendall", bits)
    with pytest.raises(ValueError, match="k must be"):
        TopKLoss(0).bind_bits(bits)
    with pytest.raises(ValueError, match="beta must be"):
        FMeasureLoss(-1).bind_bits(bits)
    with pytest.raises(MissingOracleError, match="Use start"):
        bind_bit_loss("top_k", bits).start(bits, "infimum")
