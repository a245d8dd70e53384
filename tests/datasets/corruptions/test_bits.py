"""Corruptions of tags: the truth agrees, levels are nested, shares are as stated."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.registry import BIT_CORRUPTIONS
from disambig.exceptions import CandidateError

TRUTH = (np.random.default_rng(0).random((4000, 3)) < [0.2, 0.5, 0.8]).astype(int)


@pytest.mark.parametrize("name", BIT_CORRUPTIONS)
def test_the_truth_agrees_with_what_is_known(name):
    for level in (0.0, 0.3, 1.0):
        bits = BIT_CORRUPTIONS[name](level)(TRUTH, random_state=1)
        assert bits.contains(TRUTH).all()


@pytest.mark.parametrize("name", BIT_CORRUPTIONS)
def test_levels_are_nested(name):
    less, more = (BIT_CORRUPTIONS[name](level)(TRUTH, random_state=2) for level in (0.3, 0.6))
    assert not (more.known & ~less.known).any()
    assert (less.known & ~more.known).any()


@pytest.mark.parametrize("name", BIT_CORRUPTIONS)
def test_the_ambiguity_is_the_share_of_unknown_bits(name):
    corruption = BIT_CORRUPTIONS[name](0.4)
    bits = corruption(TRUTH, random_state=3)
    for value, eta in zip((0, 1), corruption.ambiguity(), strict=True):
        assert 1 - bits.known[value == TRUTH].mean() == pytest.approx(eta, abs=0.02)


def test_what_is_known_at_level_zero():
    found = [BIT_CORRUPTIONS[name](0)([[1, 0]]) for name in ("uniform", "positives", "candidates")]
    for bits, expected in zip(found, ([1, 0], [1, -1], [-1, 0]), strict=True):
        assert_array_equal(bits.bits, [expected])


def test_bad_input():
    with pytest.raises(ValueError, match="level must be"):
        BIT_CORRUPTIONS["uniform"](1.5)
    with pytest.raises(CandidateError, match="PositivesCorruption: row 1 has unknown bits"):
        BIT_CORRUPTIONS["positives"](0.5)([[1, 0], [1, None]])
    assert not isinstance(BIT_CORRUPTIONS["uniform"](0.5), Corruption)
