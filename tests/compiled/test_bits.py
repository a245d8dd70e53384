"""Sets as bits: packing and unpacking with any number of words."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.compiled import bits as bit_words


@pytest.mark.parametrize("size", [1, 31, 32, 33, 64, 100])
def test_packing_and_unpacking(size):
    rng = np.random.default_rng(size)
    mask = rng.uniform(size=(20, size)) < 0.3
    words = bit_words.pack_rows(mask)
    assert words.shape == (20, bit_words.words_for(size))
    assert_array_equal(bit_words.unpack_rows(words, size), mask)
    assert [bit_words.count_bits(words, i) for i in range(20)] == mask.sum(axis=1).tolist()
    assert [bit_words.has_bit(words, 3, v) for v in range(size)] == mask[3].tolist()
    bit_words.add_bit(words, 3, size - 1)
    bit_words.fill_bits(words, 4, size)
    bit_words.copy_bits(words, 5, words, 6)
    bit_words.clear_bits(words, 7)
    mask[3, size - 1] = mask[4] = True
    mask[6], mask[7] = mask[5], False
    assert_array_equal(bit_words.unpack_rows(words, size), mask)


def test_lowest_of_several_bits():
    for bit in range(32):
        assert bit_words.lowest_bit(np.int64(1) << bit) == bit
        assert bit_words.lowest_bit((np.int64(1) << bit) | (np.int64(1) << 31)) == bit
