"""Every finite loss fulfils the contract of `Loss`: embeddings, exact minimisers, starts.

To test a new loss on labels, add it to `tests.oracles.tiny_problems.LOSSES`.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.checks.contract import Contract
from disambig.checks.losses import check_bound_loss, label_vertices
from disambig.exceptions import MissingOracleError
from disambig.losses import MatrixLoss
from disambig.losses.protocol import ExactInfimum
from tests.oracles.brute_force import labellings
from tests.oracles.tiny_problems import FORMS, LOSSES, random_sets, wrapped

SEEDS = st.integers(0, 10**6)
CLASS_COUNTS = st.integers(1, 5)


def bound(name, rng, K):
    return LOSSES[name](rng, K).bind(np.arange(K))


def psi(loss):
    """``psi(z)`` of every prediction."""
    return label_vertices(loss)[0]


def equal_up_to_row_constants(left, right):
    """Are two score tables equal up to one constant for each row?"""
    difference = left - right
    return np.allclose(difference, difference[:, :1], rtol=0, atol=1e-12)


# Every property runs for every loss, so a third of the usual examples is enough for each.
fewer_examples = settings(max_examples=settings.default.max_examples // 3)

pytestmark = pytest.mark.parametrize("name", LOSSES)


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS, ties=st.booleans())
def test_the_public_check(name, seed, K, ties):
    rng = np.random.default_rng(seed)
    check_bound_loss(Contract("check_loss", name), bound(name, rng, K), rng, ties=ties)


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS, ties=st.booleans())
def test_best_prediction_with_a_tolerance_equals_brute_force(name, seed, K, ties):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    vertices = psi(loss)
    shape = (20, vertices.shape[1])
    scores = rng.integers(-2, 3, size=shape).astype(float) if ties else rng.normal(size=shape)
    tolerance = rng.choice([0.0, 1e-10, 1.0], size=20)
    faces = loss.best_prediction(scores, tolerance)
    for row in range(20):
        costs = [float(vertex @ scores[row]) for vertex in vertices]
        tied = [z for z, cost in enumerate(costs) if cost <= min(costs) + tolerance[row]]
        assert np.flatnonzero(faces.mask[row]).tolist() == tied
        np.testing.assert_allclose(faces.embedded[row], vertices[tied].mean(axis=0), atol=1e-14)
        assert faces.outputs[row] == tied[0]
        assert faces.is_vertex[row] == (len(tied) == 1)


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_best_candidate_for_a_prediction_is_the_nearest(name, seed, K):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    sets = random_sets(rng, 8, K)
    for z, vertex in enumerate(psi(loss)):
        faces = loss.best_candidate(np.tile(vertex, (8, 1)), sets, np.full(8, 1e-12))
        for row in range(8):
            members = np.flatnonzero(sets.mask[row])
            assert loss.matrix[z, faces.outputs[row]] == loss.matrix[z, members].min()


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_average_start_is_the_mean_of_each_set(name, seed, K):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    sets = random_sets(rng, 12, K)
    expected = [loss.matrix[:, row].mean(axis=1) for row in sets.mask]
    assert equal_up_to_row_constants(loss.start(sets, "average"), np.array(expected))


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_average_start_of_weighted_sets_is_the_weighted_mean(name, seed, K):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    sets = LabelSets.from_weights(random_sets(rng, 12, K).mask * rng.uniform(0.1, 1, size=(12, K)))
    assert equal_up_to_row_constants(loss.start(sets, "average"), sets.weights @ loss.matrix.T)


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_start_of_unlabeled_rows_has_row_minimum_zero(name, seed, K):
    """The rounding of many unlabeled rows must not exceed the vote of a labeled one."""
    loss = bound(name, np.random.default_rng(seed), K)
    whole = LabelSets(np.ones((2, K), dtype=np.bool_), np.arange(K))
    for kind in ("average", "infimum"):
        start = loss.start(whole, kind)
        assert start.shape == (2, len(loss.matrix))
        assert np.array_equal(start.min(axis=1), np.zeros(2))
    if name in {"zero-one", "absolute", "hierarchical"}:
        assert not loss.start(whole, "infimum").any()


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_magnitude_is_the_largest_loss(name, seed, K):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    assert loss.magnitude(random_sets(rng, 3, K)) == np.abs(loss.matrix).max()


def test_unknown_start_lists_the_known_ones(name):
    rng = np.random.default_rng(0)
    with pytest.raises(
        ValueError, match=r"start of .* must be one of 'average'.*'infimum'.*; got 'best'"
    ):
        bound(name, rng, 3).start(random_sets(rng, 4, 3), "best")


@fewer_examples
@given(
    seed=SEEDS,
    K=st.integers(1, 4),
    n=st.integers(1, 5),
    form=st.sampled_from([form for form in FORMS if form != "operator"]),
    ties=st.booleans(),
)
def test_infimum_prediction_equals_brute_force(name, seed, K, n, form, ties):
    """``argmin_z min_y sum_j alpha_j loss(z, y_j)`` with y over *every* choice of members."""
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    assert isinstance(loss, ExactInfimum)
    sets = random_sets(rng, n, K)
    q = 4
    alpha = rng.integers(-2, 3, size=(q, n)).astype(float) if ties else rng.normal(size=(q, n))
    found = loss.infimum_prediction(wrapped(alpha, form), sets, 1e-10)
    choices = labellings(sets)
    for i in range(q):
        costs = (loss.matrix[:, choices] @ alpha[i]).min(axis=1)
        margin = 1e-9 * max(1.0, np.abs(alpha[i]).sum()) * max(np.abs(loss.matrix).max(), 1.0)
        tied = [z for z, cost in enumerate(costs) if cost <= costs.min() + margin]
        assert np.flatnonzero(found.mask[i]).tolist() == tied


def test_infimum_prediction_of_votes_without_split_is_an_error(name):
    rng = np.random.default_rng(0)
    loss, sets = bound(name, rng, 3), random_sets(rng, 4, 3)
    with pytest.raises(MissingOracleError, match="without split"):
        loss.infimum_prediction(wrapped(np.eye(4), "operator"), sets, 1e-10)


@fewer_examples
@given(seed=SEEDS, K=CLASS_COUNTS)
def test_compatible_predictions_are_best_for_some_member(name, seed, K):
    rng = np.random.default_rng(seed)
    loss = bound(name, rng, K)
    sets = random_sets(rng, 10, K)
    faces = loss.compatible_predictions(sets.mask)
    for row in range(10):
        expected = {
            z
            for y in np.flatnonzero(sets.mask[row])
            for z in range(len(loss.matrix))
            if loss.matrix[z, y] == loss.matrix[:, y].min()
        }
        assert set(np.flatnonzero(faces.mask[row]).tolist()) == expected


def test_scaling_the_loss_changes_no_face(name):
    """A loss times a constant, small or large, has the same faces."""
    rng = np.random.default_rng(1)
    loss, sets = bound(name, rng, 4), random_sets(rng, 10, 4)
    scores = rng.normal(size=(10, len(loss.matrix)))
    tolerance = np.full(10, 1e-10)
    for unit in (1e-12, 1e12):
        names = [str(z) for z in range(len(loss.matrix))]
        other = MatrixLoss(loss.matrix * unit, names).bind(loss.classes)
        found = other.best_candidate(scores, sets, tolerance * unit)
        assert np.array_equal(found.mask, loss.best_candidate(scores, sets, tolerance).mask)
