"""Label sets with bounds on the number of rows of each class."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig import PartialLabelClassifier, disambiguate
from disambig.candidates import (
    Candidates,
    ClassCounts,
    Intervals,
    LabelSets,
    PartialBits,
    PartialOrders,
    number_sets,
)
from disambig.candidates.reading import require_separable
from disambig.estimators.partial_label_classifier import label_candidates
from disambig.exceptions import CandidateError, MissingOracleError
from disambig.solvers import FrankWolfeMinimization
from disambig.weights import NeighborWeights

SETS = LabelSets.from_sets([{"a"}, {"a", "b"}, {"a", "b", "c"}, {"c"}, {"b", "c"}])
COUNTS = ClassCounts(SETS, [[1, 2], [0, 3], [1, 5]])


def test_everything_but_the_counts_is_that_of_the_sets():
    assert isinstance(COUNTS, Candidates)
    assert len(COUNTS) == 5
    names = ["shape", "ndim", "mask", "classes", "weights", "n_classes", "sizes", "is_single"]
    for name in [*names, "is_whole", "informative", "unused_classes"]:
        assert_array_equal(getattr(COUNTS, name), getattr(SETS, name))
    assert_array_equal(COUNTS.distribution(), SETS.distribution())
    assert_array_equal(np.asarray(COUNTS), SETS.mask)
    assert_array_equal(COUNTS.contains(["a"] * 5), SETS.contains(["a"] * 5))
    assert COUNTS.to_sets() == list(COUNTS) == SETS.to_sets()
    assert repr(COUNTS) == "ClassCounts(5 rows, 1 to 2 of 'a', 0 to 3 of 'b', 1 to 5 of 'c')"


def test_the_counts_cannot_be_changed_and_copies_are_equal():
    for other in (copy.copy(COUNTS), copy.deepcopy(COUNTS), pickle.loads(pickle.dumps(COUNTS))):
        assert other == COUNTS
        assert not other.bounds.flags.writeable
    assert ClassCounts(SETS, [[1, 2], [0, 3], [1, 4]]) != COUNTS
    assert COUNTS != SETS


def test_bounds_are_rounded_inwards_to_integers():
    found = ClassCounts(SETS, [[0.5, 2.5], [0, np.inf], [0, 1e9]]).bounds
    assert_array_equal(found, [[1, 2], [0, 5], [0, 5]])


def test_rows_can_be_reordered_and_a_part_is_refused():
    assert COUNTS[1] == {"a", "b"}
    order = np.array([4, 2, 0, 1, 3])
    assert COUNTS[order] == ClassCounts(SETS[order], COUNTS.bounds)
    assert COUNTS[order, ...] == COUNTS[order]
    assert COUNTS[np.ones(5, dtype=bool)] == COUNTS
    for part in (slice(3), [0, 0, 1, 2, 3], np.arange(5) < 4, []):
        with pytest.raises(CandidateError, match="the counts of a part are not known"):
            COUNTS[part]


def test_other_classes_keep_their_counts():
    found = COUNTS.with_classes(["c", "d", "b", "a"])
    assert_array_equal(found.bounds, [[1, 5], [0, 0], [0, 3], [1, 2]])
    assert found.sets == SETS.with_classes(["c", "d", "b", "a"])


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([[0, 1]], r"expected bounds of shape \(3, 2\).*got shape \(1, 2\)"),
        ("balanced", r"got 'balanced'\. For equal sizes use ClassCounts\.balanced"),
        ([[0, 5], [3, 2], [0, 5]], r"counts of class 'b' are \[3\.0, 2\.0\]"),
        ([[0, 5], [0.2, 0.8], [0, 5]], "an integer between them"),
        ([[0, 5], [0, np.nan], [0, 5]], "counts of class 'b' are"),
        ([[-1, 5], [0, 5], [0, 5]], "counts of class 'a' are"),
        ([[6, 7], [0, 5], [0, 5]], "at most 5 rows"),
        ([[0, 1], [0, 1], [0, 2]], r"keep the counts \[\[0, 1\].*sum to 0 to 4 rows, and there"),
        ([[0, 0], [0, 5], [0, 5]], "class 'a' is the only candidate of 1 rows"),
        ([[0, 5], [4, 5], [0, 5]], "class 'b' .* a candidate of 3"),
    ],
)
def test_invalid_and_infeasible_counts_raise(bounds, message):
    with pytest.raises(CandidateError, match=message):
        ClassCounts(SETS, bounds)


def test_only_label_sets_are_counted():
    with pytest.raises(
        CandidateError, match=r"got list\. Read other forms with LabelSets\.from_any"
    ):
        ClassCounts([{"a"}], [[0, 1]])


def test_candidates_declare_whether_rows_are_coupled():
    separable = (
        SETS,
        Intervals(np.zeros(2), np.ones(2)),
        number_sets([[(0, 1), (2, 3)]]),
        PartialOrders.from_any(np.array([[0.0, 1.0]])),
        PartialBits.from_any(np.array([[0.0, 1.0]])),
    )
    for candidates in separable:
        assert candidates.couples_rows is False
        require_separable(candidates, "A solver")
    with pytest.raises(
        MissingOracleError, match=r"A solver treats.*of ClassCounts\. Use .* solver='f"
    ):
        require_separable(COUNTS, "A solver")


def test_counts_are_never_dropped_silently():
    with pytest.raises(
        MissingOracleError, match=r"LabelSets\.from_any .* would lose the constraint"
    ):
        LabelSets.from_any(COUNTS)
    assert label_candidates(COUNTS) is COUNTS
    assert label_candidates(COUNTS, ["c", "b", "a"]) == COUNTS.with_classes(["c", "b", "a"])
    assert label_candidates(SETS) is SETS
    X = np.arange(5.0)[:, None]
    annealed = PartialLabelClassifier(NeighborWeights(2), solver="annealed").fit(X, COUNTS)
    counts = np.array([np.count_nonzero(annealed.labels_ == name) for name in COUNTS.classes])
    assert ((counts >= COUNTS.bounds[:, 0]) & (counts <= COUNTS.bounds[:, 1])).all()
    for fit in (
        lambda: disambiguate(X, COUNTS, weights=NeighborWeights(2), solver="alternating"),
        lambda: disambiguate(X, COUNTS, weights=NeighborWeights(2), method="average"),
        lambda: disambiguate(X, COUNTS, weights=NeighborWeights(2), method="infimum"),
    ):
        with pytest.raises(MissingOracleError, match="would lose the constraint over rows"):
            fit()


def test_the_default_solver_keeps_the_counts():
    X = np.arange(5.0)[:, None]
    found = disambiguate(X, COUNTS, weights=NeighborWeights(2))
    assert isinstance(found.solver_, FrankWolfeMinimization)
    sizes = [np.count_nonzero(found.labels_ == name) for name in COUNTS.classes]
    assert (sizes >= COUNTS.bounds[:, 0]).all()
    assert (sizes <= COUNTS.bounds[:, 1]).all()
