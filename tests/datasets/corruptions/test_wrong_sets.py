"""`remove_truths`: which sets lose their truth, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.datasets import UniformCorruption, remove_truths


@given(st.integers(0, 1000), st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_share_of_the_sets_loses_its_truth_and_nothing_else(seed, share, level):
    truth = np.random.default_rng(seed).integers(4, size=30)
    sets = UniformCorruption(level)(truth, classes=np.arange(4), random_state=seed)
    found, is_wrong = remove_truths(sets, truth, share, random_state=seed)
    rows = np.arange(30)
    assert is_wrong.sum() == round(share * 30)
    assert_array_equal(found.mask[rows, truth], ~is_wrong)
    assert_array_equal(found.mask[~is_wrong], sets.mask[~is_wrong])
    sizes = sets.mask.sum(axis=1)
    # A set of the truth alone gets another class.
    assert_array_equal(found.mask.sum(axis=1)[is_wrong], np.maximum(sizes - 1, 1)[is_wrong])
    _, more = remove_truths(sets, truth, min(1.0, share + 0.2), random_state=seed)
    assert (more | ~is_wrong).all()


def test_what_cannot_be_done_is_refused():
    sets = LabelSets(np.array([[True, True], [True, False]]), np.array(["a", "b"]))
    with pytest.raises(ValueError, match="share must be"):
        remove_truths(sets, ["a", "a"], 1.5)
    with pytest.raises(ValueError, match="row 1 misses its true label already"):
        remove_truths(sets, ["a", "b"], 0.5)
    with pytest.raises(ValueError, match="2 sets and 3 true labels"):
        remove_truths(sets, ["a", "a", "a"], 0.5)
    with pytest.raises(TypeError, match="must be LabelSets; got list"):
        remove_truths([{"a"}], ["a"], 0.5)
    with pytest.raises(ValueError, match="one class only"):
        remove_truths(LabelSets(np.ones((1, 1), bool), np.array(["a"])), ["a"], 0.5)
    soft = LabelSets(np.ones((1, 2), bool), np.array(["a", "b"]), np.array([[0.4, 0.6]]))
    with pytest.raises(ValueError, match="soft weights"):
        remove_truths(soft, ["a"], 0.5)
