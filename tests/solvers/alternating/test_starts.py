"""Tests of starts, against their definitions written out set by set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.exceptions import MissingOracleError
from disambig.losses import ZeroOneLoss
from disambig.losses.structured import StructuredLoss
from disambig.problem import Problem
from disambig.solvers.alternating import starts
from disambig.solvers.alternating.starts import first_predictions, start_names
from disambig.votes import as_votes
from tests.oracles.generated_problems import problems
from tests.oracles.labels_as_task import LabelTask, MeanLabelTask
from tests.oracles.tiny_problems import tiny_problem


def intersection_predictions(A, loss, sets, limit):
    """The best predictions for the classes common to a growing neighbourhood, set by set."""
    members = sets.to_sets()
    rows = []
    for votes in A:
        order = sorted((j for j in range(len(sets)) if votes[j] > 0), key=lambda j: (-votes[j], j))
        common = frozenset(sets.classes.tolist())
        for j in order[:limit]:
            if len(common) == 1:
                break
            common = (common & members[j]) or common
        rows.append(
            {
                z
                for z in range(len(loss.matrix))
                for y in common
                if loss.matrix[z, y] == min(loss.matrix[:, y])
            }
        )
    return rows


@given(tiny=problems(forms=("dense", "sparse", "product")), limit=st.sampled_from([1, 2, 3, 100]))
def test_intersection_start(tiny, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starts, "_MAX_NEIGHBORS", limit)
        faces = first_predictions(tiny.problem, "intersection")
    expected = intersection_predictions(tiny.A, tiny.loss, tiny.sets, limit)
    assert [set(np.flatnonzero(row).tolist()) for row in faces.mask] == expected


@pytest.mark.parametrize("kind", ["average", "infimum"])
@given(tiny=problems())
def test_average_and_infimum_starts(kind, tiny):
    """``argmin_z sum_j A[i, j] V[j, z]`` with V the mean or the lowest loss over each set."""
    faces = first_predictions(tiny.problem, kind)
    summary = np.mean if kind == "average" else np.min
    V = np.array([summary(tiny.loss.matrix[:, row], axis=1) for row in tiny.sets.mask])
    scores = tiny.A @ V
    margin = 1e-9 * (np.abs(tiny.A).sum(axis=1) + 1) * (np.abs(tiny.loss.matrix).max() + 1)
    tied = scores <= (scores.min(axis=1) + margin)[:, None]
    assert np.array_equal(faces.mask, tied)


@given(tiny=problems(), seed=st.integers(0, 1000), size=st.sampled_from([1e-3, 1.0, 1e6]))
def test_an_array_is_a_score_matrix(tiny, seed, size):
    V = size * np.random.default_rng(seed).integers(
        -3, 4, size=(len(tiny.sets), len(tiny.loss.matrix))
    )
    faces = first_predictions(tiny.problem, V)
    scores = tiny.A @ V
    above = scores - scores.min(axis=1, keepdims=True)
    # The tolerance of ties is relative to the loss or to the start, whichever is larger.
    unit = np.abs(tiny.A).sum(axis=1, keepdims=True) * max(
        np.abs(tiny.loss.matrix).max(), np.abs(V).max()
    )
    assert (above[faces.mask] <= 1.1e-10 * np.broadcast_to(unit, above.shape)[faces.mask]).all()
    assert faces.mask[above <= 1e-13 * unit].all()


def test_an_array_of_integers_is_a_start():
    tiny = tiny_problem(0)
    scores = np.zeros((len(tiny.sets), len(tiny.loss.matrix)), dtype=int)
    assert first_predictions(tiny.problem, scores).mask.all()


def test_names_of_starts():
    array = np.zeros((2, 2))
    assert start_names("average") == [("average", "average")]
    assert [name for name, _ in start_names(("infimum", array, array))] == [
        "infimum",
        "array 1",
        "array 2",
    ]
    [(name, start)] = start_names(array)
    assert name == "array 0"
    assert start is array


def test_starts_of_a_structured_task():
    sets = LabelSets.from_sets([{0, 1}, {1, 2}])
    finite = ZeroOneLoss().bind(sets.classes)
    votes = as_votes(np.eye(2))
    plain = Problem(votes, StructuredLoss(LabelTask(finite)), sets)
    with pytest.raises(MissingOracleError, match=r"start='infimum' needs .* of LabelTask"):
        first_predictions(plain, "infimum")
    with pytest.raises(MissingOracleError, match="start='intersection' needs a finite loss"):
        first_predictions(plain, "intersection")
    more = Problem(votes, StructuredLoss(MeanLabelTask(finite)), sets)
    expected = first_predictions(Problem(votes, finite, sets), "infimum").embedded
    assert np.array_equal(first_predictions(more, "infimum").embedded, expected)


# ------------------------------------------------------------------ start="auto"


def test_automatic_start_is_average_for_the_zero_one_loss_and_infimum_otherwise():
    from disambig.losses import AbstainLoss, OrdinalLoss, ZeroOneLoss
    from disambig.solvers import AlternatingMinimization

    sets = LabelSets.from_sets([{0, 1}, {1, 2}, {1}, {0, 2}])
    votes = as_votes(np.full((4, 4), 0.25))
    for loss, expected in [
        (ZeroOneLoss(), "average"),
        (OrdinalLoss(power=2), "infimum"),
        (AbstainLoss(cost=0.1), "infimum"),
    ]:
        problem = Problem(votes, loss.bind(sets.classes), sets)
        solution = AlternatingMinimization().solve(problem)
        assert solution.start == expected
        assert solution.trace[0].stage == expected


def test_automatic_start_does_not_abstain_at_every_row_if_abstention_is_cheap():
    from disambig import PartialLabelClassifier
    from disambig.losses import AbstainLoss
    from disambig.weights import NeighborWeights

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, size=120)
    X = rng.normal(scale=0.2, size=(120, 2)) + 3 * np.eye(3)[truth][:, :2]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(120, 3)) < 0.6)
    model = PartialLabelClassifier(weights=NeighborWeights(9), loss=AbstainLoss(cost=0.1))
    model.fit(X, mask)
    assert (model.labels_ == truth).mean() > 0.95
    assert (model.predict(X).astype(str) != "abstain").mean() > 0.9
