"""Bits of which some are unknown: reading tables, properties, and the selection of rows."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.model_selection import KFold, train_test_split
from sklearn.utils import _safe_indexing, shuffle

from disambig.candidates import Candidates, LabelSets, PartialBits
from disambig.exceptions import CandidateError

NAN = float("nan")


@pytest.fixture
def bits():
    rng = np.random.default_rng(0)
    return PartialBits(rng.integers(-1, 2, size=(12, 3)).astype(np.int8), ["a", "b", "c"])


@pytest.mark.parametrize(
    ("y", "zero", "expected"),
    [
        ([[1, 0], [0, NAN]], None, [[1, 0], [0, -1]]),
        ([[1, 0], [0, None]], None, [[1, 0], [0, -1]]),
        ([[1, 0], [-1, 1]], "absent", [[1, 0], [-1, 1]]),
        ([[1, 0], [-1, 1]], "unknown", [[1, -1], [0, 1]]),
        ([[1.0, NAN], [-1.0, 0.0]], "unknown", [[1, -1], [0, -1]]),
        ([[True, False]], None, [[1, 0]]),
        (np.array([1, 0, 1]), None, [[1], [0], [1]]),
        (sparse.csr_matrix([[1, 0]]), None, [[1, 0]]),
        (np.ma.masked_array([[1, 0]], [[True, False]]), None, [[-1, 0]]),
        (np.ma.masked_array([[1.0, 0.0]], [[False, True]]), None, [[1, -1]]),
        ([["yes", "No"], ["", " X "]], None, [[1, 0], [-1, 1]]),
        (np.array([["yes", "no"]]), None, [[1, 0]]),
    ],
    ids=range(12),
)
def test_tables_are_read(y, zero, expected):
    found = PartialBits.from_any(y, zero=zero)
    assert_array_equal(found.bits, expected)
    assert found.bits.dtype == np.int8
    assert_array_equal(found.tags, np.arange(found.n_tags))


def test_frames_name_the_tags():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1, 0], "y": pd.array([0, pd.NA], dtype="Int64")})
    found = PartialBits.from_any(frame)
    assert found.tags.tolist() == ["x", "y"]
    assert_array_equal(found.bits, [[1, 0], [0, -1]])
    with pytest.raises(CandidateError, match="the columns are named"):
        PartialBits.from_any(frame, tags=["y", "x"])


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([[1, 0], [0, 2]], {}, r"row 1, column 1 holds 2 \(1 such entry\)"),
        ([[1, 0], [0.5, 0.5]], {}, r"row 1, column 0 holds 0.5 \(2 such entries\)"),
        ([["maybe", 0]], {}, "row 0, column 0 holds 'maybe'"),
        ([[1, float("inf")]], {}, "row 0, column 1 holds inf"),
        ([[1, -1]], {}, "row 0, column 1 holds -1.*zero='absent'.*zero='unknown'"),
        ([[1, 0]], {"zero": "no"}, "zero must be 'absent'.*'unknown'.*got 'no'"),
        ([[1, 0], [1]], {}, "same length"),
        (np.zeros((0, 3)), {}, r"got shape \(0, 3\)"),
        (np.zeros((2, 2, 2)), {}, r"got shape \(2, 2, 2\)"),
        (None, {}, "the target y is None"),
        ([[1, 0]], {"tags": ["a"]}, "1 tags were named for 2 columns"),
        ([[1, 0]], {"tags": ["a", "a"]}, "'a' occurs twice"),
        ([[1, 0]], {"tags": "ab"}, "1-D list"),
    ],
    ids=range(13),
)
def test_invalid_tables_raise(y, options, message):
    with pytest.raises(CandidateError, match=message):
        PartialBits.from_any(y, **options)


def test_other_candidates_raise():
    with pytest.raises(CandidateError, match="got LabelSets"):
        PartialBits.from_any(LabelSets.from_mask([[1, 0]]))


def test_constructor_checks_its_arrays():
    with pytest.raises(CandidateError, match="int8 array"):
        PartialBits(np.zeros((2, 2)))
    with pytest.raises(CandidateError, match="row 0, column 1 holds 7"):
        PartialBits(np.array([[0, 7]], dtype=np.int8))
    with pytest.raises(CandidateError, match="3 tags were named for 2 columns"):
        PartialBits(np.zeros((1, 2), dtype=np.int8), ["a", "b", "c"])


def test_it_is_a_copy_and_read_only():
    given = np.zeros((2, 2), dtype=np.int8)
    bits = PartialBits(given)
    given[:] = 1
    assert not bits.bits.any()
    for array in (bits.bits, bits.known, bits.tags, pickle.loads(pickle.dumps(bits)).bits):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1


def test_known_informative_means_and_contains():
    bits = PartialBits.from_any([[1, NAN], [NAN, NAN]])
    assert_array_equal(bits.known, [[True, False], [False, False]])
    assert_array_equal(bits.informative, [True, False])
    assert_array_equal(bits.means(), [[1.0, 0.5], [0.5, 0.5]])
    assert_array_equal(bits.contains([[0, 1], [0, 1]]), [False, True])
    with pytest.raises(CandidateError, match="0 or 1 for every tag"):
        bits.contains([[2, 1], [0, 1]])
    assert [dict(row) for row in bits] == [{0: 1}, {}]


def test_round_trips(bits):
    assert isinstance(bits, Candidates)
    assert PartialBits.from_any(bits) is bits
    assert PartialBits.from_any(np.asarray(bits), bits.tags, zero="absent") == bits
    assert pickle.loads(pickle.dumps(bits)) == bits
    assert bits != PartialBits(bits.bits)
    assert PartialBits.from_any(bits, tags=[0, 1, 2]) == PartialBits(bits.bits)


@pytest.mark.parametrize(
    "rows", [[3, 1], np.array([3, 1]), slice(2, 5), np.arange(12) % 2 == 0], ids=range(4)
)
def test_rows_are_selected(bits, rows):
    cut = bits[rows]
    assert_array_equal(cut.bits, bits.bits[rows])
    assert _safe_indexing(bits, rows) == cut == bits[rows, ...]


def test_scikit_learn_splits_the_rows(bits):
    train, test = train_test_split(bits, test_size=0.25, random_state=0)
    assert (len(train), len(test)) == (9, 3)
    assert isinstance(train, PartialBits)
    mixed, order = shuffle(bits, np.arange(12), random_state=0)
    assert mixed == bits[order]
    assert all(len(bits[test]) == 4 for _, test in KFold(3).split(bits))
    assert len(bits[[]]) == 0
    assert repr(bits[[]]).startswith("PartialBits(0 rows, 3 tags")


@pytest.mark.parametrize("rows", [(0, 1), (), np.zeros((2, 2), dtype=int)], ids=range(3))
def test_columns_cannot_be_selected(bits, rows):
    with pytest.raises(IndexError):
        bits[rows]


def test_rows_of_different_lengths_and_values_that_no_bit_has():
    with pytest.raises(CandidateError, match=r"got object of shape \(2,\)"):
        PartialBits([[1, 0], [1]])
    with pytest.raises(CandidateError, match="Bits are 1 and 0"):
        PartialBits.from_any([1, 0, 10**400])
    # An array without dimensions is a single value, and no row.
    with pytest.raises(CandidateError, match="row 1"):
        PartialBits.from_any([[1, 0], np.array(1.0)])
