"""Class shares of bags, as users write them, and what they can tell apart."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import ClassCounts, LabelSets, bag_counts
from disambig.candidates.labels.bag_information import bag_information, check_bags
from disambig.exceptions import CandidateError, NoInformationError

BAGS = ["u", "u", "v", "v", "v"]
FREE = [0, 3]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"a": 1, "b": 2}, [[1, 1], [2, 2]]),
        ({"a": np.int64(3), "b": 0}, [[3, 3], [0, 0]]),
        ({"a": 0.5, "b": 0.5}, [[1, 2], [1, 2]]),
        ({"a": 1 / 3, "b": 2 / 3}, [[1, 1], [2, 2]]),
        ({"a": 0.333, "b": 0.667}, [[0, 1], [2, 3]]),
        ({"a": 0.666, "b": 0.332}, [[2, 3], [0, 1]]),
        ({"a": 1.0, "b": 0}, [[3, 3], [0, 0]]),
        ({"a": np.float32(0.25)}, [[0, 1], FREE]),
        ({"a": (1, 2)}, [[1, 2], FREE]),
        ({"a": (0.2, 0.6), "b": None}, [[0, 2], FREE]),
        ({"a": (None, None), "b": float("nan")}, [FREE, FREE]),
        ({"a": 3}, [[3, 3], FREE]),
        ({"a": 0}, [[0, 0], FREE]),
        ({}, [FREE, FREE]),
    ],
)
def test_shares_become_numbers_of_rows(shares, expected):
    found = bag_counts(None, BAGS, {"u": {"a": 0.5, "b": 0.5}, "v": shares})
    assert_array_equal(found.bounds[1], expected)
    assert found.names == ("u", "v")
    assert_array_equal(found.bags, [0, 0, 1, 1, 1])


def test_frames_series_and_all_rows():
    table = {"u": {"a": 0.5, "b": 0.5}, "v": {"a": 0.25, "b": 0.75}}
    expected = bag_counts(None, BAGS, table)
    frame = pd.DataFrame(table).T
    assert bag_counts(None, pd.Series(BAGS), frame) == expected
    assert bag_counts(None, np.array(BAGS), frame) == expected
    shares = {"a": 0.25, "b": 0.75}
    found = bag_counts(None, proportions=shares, n=4)
    assert found == bag_counts(None, proportions=pd.Series(shares), n=4)
    assert_array_equal(found.bag_bounds, [[[1, 1], [3, 3]]])
    assert found.names == ("all rows",)


def test_sets_keep_their_classes_and_absent_bags_are_ignored():
    y = [{"a"}, {"a", "b"}, {"c"}, {"a", "c"}, {"b"}]
    found = bag_counts(y, BAGS, {"u": {"a": 2}, "v": {"c": (1, 2)}, "w": {"a": 7}})
    assert found.sets == LabelSets.from_sets(y)
    assert_array_equal(found.bounds[0], [[2, 2], [0, 2], [0, 2]])
    named = bag_counts(None, BAGS, {"u": {}, "v": {}}, classes=["z", "y"])
    assert named.classes.tolist() == ["z", "y"]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"a": 1, "b": 0}, r"bag 'v': the 1 of class 'a' may be one of 3 rows, or all.*1\.0"),
        ({"a": (0, 1)}, "the 1 of class 'a' may be one of 3 rows"),
        ({"a": 2, "b": 0.5}, "class 'a' has a count and class 'b' a fraction"),
        ({"a": 2, "b": 2}, r"counts sum to 4, and the bag has 3 rows.*BagKFold"),
        ({"a": 0.4, "b": 0.5}, r"bag 'v': the fractions sum to 0\.9; expected 1"),
        ({"a": (0.7, 0.8), "b": (0.7, 0.8)}, r"sum to 1\.4; expected at most 1"),
        ({"a": 2.0, "b": 1.0}, "class 'a' has 2.0, a float above 1"),
        ({"a": "x"}, "class 'a' has 'x'; expected a count"),
        ({"a": True}, "class 'a' has True; expected a count"),
        ({"a": -1}, "class 'a' has -1"),
        ({"a": (2, 1)}, r"class 'a' has \(2, 1\)"),
        ({"a": (1, 0.5)}, r"class 'a' has \(1, 0\.5\)"),
        ({"a": (1, 2, 3)}, "expected a count"),
        ({"z": 2}, r"'z' is not a class of the rows; these are \['a', 'b'\]"),
        ({"a": 5}, "ask for at least 5 rows, and the bag has 3"),
    ],
)
def test_what_is_wrong_with_a_bag_is_said_with_its_name(shares, message):
    with pytest.raises(CandidateError, match=message):
        bag_counts(None, BAGS, {"u": {"a": 0.5, "b": 0.5}, "v": shares}, classes=["a", "b"])


@pytest.mark.parametrize(
    ("bags", "proportions", "message"),
    [
        (BAGS, None, "bags need proportions"),
        (BAGS, {"u": {"a": 1.0}}, r"bag 'v' \(row 2, 3 rows\) is not among the bags \['u'\]"),
        ([1, 1, 2], {"1": {"a": 1.0}, "2": {}}, "a bag of the same text and another type than int"),
        (BAGS, {"a": 0.5, "b": 0.5}, r"bags=None for all rows together"),
        (None, {"u": {"a": 0.5}}, "holds the shares of a bag, and bags is None"),
        (["u", None], {"u": {"a": 0.5}}, r"row 1 has no bag \(1 such rows\)"),
        ([["u"]], {"u": {"a": 0.5}}, r"got shape \(1, 1\)"),
        (BAGS, [0.5, 0.5], "proportions must be a mapping"),
        (BAGS, {"u": {}, "v": {}}, "name no class"),
        (BAGS, pd.DataFrame({"a": [1, 1]}, index=["u", "u"]), "bag 'u' occurs more than once"),
        (None, pd.DataFrame({"a": [1, 1]}), "a frame has one row for each bag"),
    ],
)
def test_bags_and_tables_that_do_not_fit(bags, proportions, message):
    with pytest.raises(CandidateError, match=message):
        bag_counts(None, bags, proportions, n=None if bags is not None else 5)


def test_lengths_and_double_constraints():
    with pytest.raises(CandidateError, match="each of the 2 rows; got 5"):
        bag_counts([{"a"}, {"b"}], BAGS, {"u": {}, "v": {}})
    sets = LabelSets.from_sets([{"a"}, {"b"}])
    with pytest.raises(CandidateError, match="y has class counts already"):
        bag_counts(ClassCounts.balanced(sets), None, {"a": 0.5, "b": 0.5})


# ---------------------------------------------------------------- what shares tell apart


def _bags_of(shares, size=1000):
    names = [f"bag {b}" for b in range(len(shares))]
    rows = [dict(zip("abc", row, strict=False)) for row in shares]
    table = dict(zip(names, rows, strict=True))
    return bag_counts(None, np.repeat(names, size), table)


def test_shares_that_differ_by_chance_only_are_found():
    full = bag_information(_bags_of([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]))
    assert (full.n_directions, full.n_needed, full.says_nothing, full.text) == (2, 2, False, "")
    part = bag_information(_bags_of([[0.8, 0.1, 0.1], [0.6, 0.2, 0.2], [0.2, 0.4, 0.4]]))
    assert (part.n_directions, part.n_needed) == (1, 2)
    rng = np.random.default_rng(0)
    for size, nothing in ((1000, True), (30, False)):
        dealt = rng.multinomial(size, [0.5, 0.3, 0.2], size=8) / size
        found = bag_information(_bags_of(dealt, size))
        assert found.n_directions == 0
        assert found.is_weak
        assert found.says_nothing is nothing
    many = rng.multinomial(8, [0.5, 0.5], size=40) / 8
    assert not bag_information(_bags_of(many, 8)).is_weak


def test_unknown_shares_are_no_difference():
    found = bag_information(_bags_of([[0.8, 0.2], [None, None], [0.2, 0.8]]))
    assert np.isnan(found.shares[1]).all()
    assert_allclose(found.shares[[0, 2]], [[0.8, 0.2], [0.2, 0.8]])
    assert found.n_known == 2
    assert found.n_directions == 1


def test_equal_bags_are_refused_where_nothing_else_informs():
    equal = _bags_of([[0.5, 0.5], [0.51, 0.49]], 1000)
    with pytest.raises(NoInformationError, match=r"differ by at most 0\.01.*form bags whose"):
        check_bags(equal)
    one = _bags_of([[0.5, 0.5]])
    with pytest.raises(NoInformationError, match="one bag cannot say"):
        check_bags(one)
    mask = np.ones((2000, 2), dtype=bool)
    mask[0, 0] = False
    labeled = ClassCounts(LabelSets(mask, equal.classes), equal.bounds, equal.bags)
    with pytest.warns(UserWarning, match=r"differ by at most 0\.01"):
        check_bags(labeled)
    with pytest.raises(NoInformationError, match="no share of a bag is known"):
        check_bags(bag_counts(None, BAGS, {"u": {}, "v": {}}, classes=["a", "b"]))
