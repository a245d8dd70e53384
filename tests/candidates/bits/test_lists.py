"""Positives and candidates: what is listed in each row."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from disambig import PartialBits
from disambig.exceptions import CandidateError

TABLE = [[1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["b", "c"]],
        [{"a"}, ("c", "b")],
        [np.array(["a"]), ["b", "c", "b"]],
    ],
    ids=["lists", "sets", "arrays"],
)
def test_lists_name_tags(y):
    found = PartialBits.from_positives(y)
    assert found.tags.tolist() == ["a", "b", "c"]
    assert_array_equal(found.bits, [[1, -1, -1], [-1, 1, 1]])
    assert_array_equal(PartialBits.from_candidates(y).bits, [[-1, 0, 0], [0, -1, -1]])


@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.coo_matrix])
def test_tables_list_ones(make):
    found = PartialBits.from_positives(make(TABLE), tags=["a", "b", "c"])
    assert_array_equal(found.bits, [[1, -1, -1], [-1, 1, 1]])
    assert_array_equal(PartialBits.from_candidates(make(TABLE)).bits, [[-1, 0, 0], [0, -1, -1]])


def test_frames_name_the_tags():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": ["yes", ""], "y": ["no", "yes"]})
    found = PartialBits.from_positives(frame)
    assert found.tags.tolist() == ["x", "y"]
    assert_array_equal(found.bits, [[1, -1], [-1, 1]])


def test_rows_without_a_list():
    assert_array_equal(PartialBits.from_positives([None, [], ["a"]]).bits, [[-1], [-1], [1]])
    assert_array_equal(PartialBits.from_candidates([None, [], ["a"]]).bits, [[-1], [0], [-1]])


def test_what_is_absent():
    found = PartialBits.from_positives([["a"], []], absent=[["b"], ["a"]])
    assert found.tags.tolist() == ["a", "b"]
    assert_array_equal(found.bits, [[1, 0], [0, -1]])


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([["a"], ["b"]], {"absent": [[], ["b"]]}, "row 1 has tag 'b' among the positives and"),
        ([["a"], ["b"]], {"absent": [["a"]]}, "2 rows list positives and 1 list absent"),
        ([["a"], ["d"]], {"tags": ["a", "b"]}, r"row 1 of the positives has 'd', which is not"),
        ([["a"], "b"], {}, "row 1 of the positives is 'b'.*also if it has one tag"),
        ([["a"], 3], {}, "row 1 of the positives is 3"),
        ("ab", {}, "expected one list of tags for each row"),
        ([], {}, "no rows"),
        ([[], None], {}, "no row lists a tag"),
        ([["a", ["b"]]], {}, "row 0 has a collection among its tags"),
        ([["a", ["b"]]], {"tags": ["a", "b"]}, r"row 0 of the positives has \['b'\]"),
        ([["a"]], {"tags": ["a", "a"]}, "'a' occurs twice"),
    ],
    ids=range(11),
)
def test_bad_lists_raise(y, options, message):
    with pytest.raises(CandidateError, match=message):
        PartialBits.from_positives(y, **options)
