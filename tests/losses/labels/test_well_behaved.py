"""Well-behaved problems: `is_well_behaved`, the warning and ``start="measure"``."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from disambig.candidates import LabelSets
from disambig.exceptions import IllBehavedWarning
from disambig.losses import AbstainLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.measures import distinct_sets, find_measure
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.votes import as_votes

PAPER = MatrixLoss([[0, 1, 1], [1, 0, 2], [1, 2, 0]]).bind(np.array(["a", "b", "c"]))


def levels(count):
    return OrdinalLoss(power=2).bind(np.arange(count))


def test_example_of_the_paper_is_well_behaved_without_a_warning():
    assert PAPER.is_well_behaved([{"a", "b"}, {"a", "c"}, {"b", "c"}, {"a", "b", "c"}, "a"])


def test_warning_names_and_counts_the_sets():
    sets = [{0, 2}, {0, 1}, {1, 3}, {0, 2}, {0, 1, 2, 3}]
    message = r"members of \{0, 2\}, \{1, 3\} as .*2 of 4 distinct sets, 3 of 5 rows"
    with pytest.warns(IllBehavedWarning, match=message) as seen:
        assert levels(4).is_well_behaved(sets) is False
    assert seen[0].filename == __file__


def test_warning_shortens_a_long_list():
    sets = [{k, k + 2} for k in range(8)]
    with pytest.warns(IllBehavedWarning, match=r"\{4, 6\} and 3 more as"):
        levels(10).is_well_behaved(sets)


def test_sets_over_some_classes_are_read_with_the_classes_of_the_loss():
    assert levels(4).is_well_behaved(LabelSets.from_any([{0, 1}, {1}]))
    with pytest.warns(IllBehavedWarning, match="1 of 1 distinct"):
        assert not levels(4).is_well_behaved(LabelSets.from_any([{0, 2}]))


def test_only_distinct_sets_are_measured(monkeypatch):
    measured = []

    def recorded(matrix, members):
        measured.append(members)
        return find_measure(matrix, members)

    monkeypatch.setattr("disambig.losses.labels.finite.find_measure", recorded)
    found = levels(4).well_behaved([{0, 1}] * 50 + [{1, 2}] * 50)
    assert found.holds
    assert len(measured) == 2
    np.testing.assert_array_equal(found.index, [0] * 50 + [1] * 50)


def test_prediction_that_is_no_class_is_no_member():
    loss = AbstainLoss(0.3).bind(np.arange(3))
    found = loss.well_behaved([{0, 1}, {0, 1, 2}])
    assert found.holds
    for measure in found.measures:
        losses = loss.matrix @ measure.measure
        assert not measure.members[-1]
        assert losses[-1] >= measure.level + 1 - 1e-9
        np.testing.assert_allclose(losses[measure.members], measure.level, atol=1e-9)


def test_fewer_predictions_than_classes():
    """Two predictions for three classes; a class for which both are best has both as members."""
    loss = MatrixLoss([[0, 1, 2], [2, 1, 0]], predictions=["left", "right"]).bind(np.arange(3))
    found = loss.well_behaved([{2}, {1}, {0, 2}])
    np.testing.assert_array_equal(
        [measure.members for measure in found.measures], [[False, True], [True, True], [True, True]]
    )
    assert found.holds


@pytest.mark.parametrize("loss", [PAPER, levels(3), ZeroOneLoss().bind(np.arange(5))],
                         ids=["paper", "3 levels", "zero-one"])  # fmt: skip
def test_start_is_zero_on_the_set_and_at_least_one_outside(loss):
    K = len(loss.classes)
    codes = np.arange(1, 2**K)[:, None] >> np.arange(K) & 1
    sets = LabelSets(codes.astype(np.bool_), loss.classes)
    scores = loss.start(sets, "measure")
    np.testing.assert_array_equal(scores[sets.mask], 0)
    assert (scores[~sets.mask] >= 1 - 1e-9).all()


def test_start_of_sets_without_a_measure_is_the_infimum_with_margin_one():
    loss = MatrixLoss(10 * levels(4).matrix).bind(np.arange(4))
    sets = LabelSets.from_any([{0, 2}, {0, 1}, {0, 1, 2, 3}], classes=range(4))
    with pytest.warns(IllBehavedWarning, match="start='infimum'"):
        scores = loss.start(sets, "measure")
    np.testing.assert_allclose(scores[0], loss.start(sets, "infimum")[0] / 10)
    assert scores[1, 2:].min() == pytest.approx(1)
    assert not scores[2].any()


@pytest.mark.parametrize("sparse", [False, True])
def test_solver_uses_the_start(sparse):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, size=30)
    mask = np.eye(3, dtype=np.bool_)[truth] | (rng.random((30, 3)) < 0.4)
    A = (truth[:, None] == truth) / 10.0
    problem = Problem(
        as_votes(sp.csr_array(A) if sparse else A), PAPER, LabelSets(mask, PAPER.classes)
    )
    solution = AlternatingMinimization("measure").solve(problem)
    np.testing.assert_array_equal(solution.decoded.outputs, truth)


def test_other_starts_do_not_warn():
    """The sets have no measure, but only ``start="measure"`` needs one."""
    sets = LabelSets.from_any([{0, 2}, {1, 3}, {0}], classes=range(4))
    problem = Problem(as_votes(np.eye(3)), levels(4), sets)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IllBehavedWarning)
        AlternatingMinimization().solve(problem)


def test_distinct_sets_keep_the_order_of_the_data():
    mask = np.array([[0, 1], [1, 1], [0, 1], [1, 0], [1, 1]], dtype=np.bool_)
    sets, index = distinct_sets(mask, np.array(["a", "b"]))
    np.testing.assert_array_equal(sets.mask[index], mask)
    np.testing.assert_array_equal(index, [0, 1, 0, 2, 1])
