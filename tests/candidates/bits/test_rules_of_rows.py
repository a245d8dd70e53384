"""Bits under implications and bounds: what follows from them, what contradicts, what is kept."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig import PartialBits
from disambig.exceptions import CandidateError

PETS = ["poodle", "dog", "pet"]
CHAIN = [("poodle", "dog"), ("dog", "pet")]


def pets(rows, **options):
    return PartialBits.from_any(rows, PETS, **options)


def test_known_bits_follow_along_implications():
    found = pets([[1, None, None], [None, None, 0], [None, 0, 1]], implications=CHAIN)
    assert_array_equal(found.bits, [[1, 1, 1], [0, 0, 0], [0, 0, 1]])
    several = pets([[1, None, None]], implications={"poodle": ["dog", "pet"]})
    assert_array_equal(several.bits, [[1, 1, 1]])


def test_bounds_decide_what_is_left():
    found = pets(
        [[1, None, None], [0, None, None], [None] * 3], tag_counts=[[1, 1], [2, 3], [0, 2]]
    )
    assert_array_equal(found.bits, [[1, 0, 0], [0, 1, 1], [-1, -1, -1]])
    # One tag that implies the others is one too many.
    alone = pets([[None, None, 1], [None, None, None]], implications=CHAIN, tag_counts=(None, 1))
    assert_array_equal(alone.bits, [[0, 0, 1], [-1, -1, -1]])
    assert_array_equal(alone.contains([[0, 0, 1], [1, 0, 0]]), [True, False])


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([[1, 0, None]], {"implications": CHAIN}, "row 0 has tag 'poodle' and not tag 'dog', but"),
        ([[None] * 3, [1, None, 0]], {"implications": CHAIN}, "row 1 has tag 'poodle' and not"),
        ([[1, None, 1]], {"tag_counts": 1}, "row 0 has 2 tags, and at most 1 are allowed"),
        ([[0, 0, None]], {"tag_counts": (2, 3)}, "row 0 can have 1 tag, and at least 2 are"),
        (
            [[1, None, None]],
            {"implications": CHAIN, "tag_counts": (0, 2)},
            "row 0 has 3 tags, and at most 2",
        ),
        (
            [[None, None, None]] * 2,
            {
                "implications": {"poodle": ["dog", "pet"], "dog": "pet"},
                "tag_counts": [[0, 3], [4, 4]],
            },
            r"tag_counts, row 1, is \(4, 4\)",
        ),
        ([[1, 1, 1]], {"tag_counts": (2, 1)}, r"tag_counts is \(2, 1\)"),
        ([[1, 1, 1]], {"tag_counts": (0.5, 1)}, r"tag_counts is \(0.5, 1\)"),
        ([[1, 1, 1]], {"tag_counts": "many"}, "tag_counts is 'many'"),
        ([[1, 1, 1]], {"tag_counts": [1, 2, 3]}, r"shape \(3,\)"),
        (
            [[1, 1, 1]],
            {"implications": [*CHAIN, ("pet", "poodle")]},
            "'poodle' => 'dog' => 'pet' => 'poodle' form a cycle",
        ),
        ([[1, 1, 1]], {"implications": [("dog", "dog")]}, "'dog' => 'dog' form a cycle"),
        (
            [[1, 1, 1]],
            {"implications": [("dog", "cat")]},
            "name 'cat', which is not",
        ),
        ([[1, 1, 1]], {"implications": ["dog"]}, "implications hold 'dog'"),
        ([[1, 1, 1]], {"implications": "dog"}, "implications are 'dog'"),
    ],
    ids=range(15),
)
def test_contradictions_are_named(rows, options, message):
    with pytest.raises(CandidateError, match=message):
        pets(rows, **options)


@given(st.integers(0, 2**32 - 1))
def test_every_number_of_tags_in_between_can_be_reached(seed):
    rng = np.random.default_rng(seed)
    m = 6
    pairs = [(i, j) for i in range(m) for j in range(i) if rng.random() < 0.3]
    complete = rng.integers(0, 2, size=(1, m))
    for i, j in sorted(pairs, key=lambda pair: -pair[0]):
        complete[0, j] |= complete[0, i]
    known = np.where(rng.random((1, m)) < 0.5, complete, -1).astype(np.int8)
    bits = PartialBits(known, None, pairs)
    on, possible = (bits.bits == 1).sum(), (bits.bits != 0).sum()
    for count in range(on, possible + 1):
        means = bits.with_rules(tag_counts=int(count)).means()
        assert means.sum() == pytest.approx(count)


def test_rules_are_kept_by_selection_copies_and_pickles():
    found = pets([[1, None, None], [None] * 3], implications=CHAIN, tag_counts=[[0, 3], [0, 1]])
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    part = found[[1]]
    assert_array_equal(part.counts, [[0, 1]])
    assert part != pets([[None] * 3])
    assert found != found.with_rules(tag_counts=(1, None))
    tighter = found.with_rules([("poodle", "pet")], (None, 3))
    assert tighter == found


def test_means_are_over_what_is_allowed():
    # poodle => dog => pet leaves 000, 001, 011 and 111.
    means = pets([[None] * 3], implications=CHAIN).means()
    np.testing.assert_allclose(means, [[0.25, 0.5, 0.75]])
