"""Sets of small integers as bits, 32 to a word."""

from typing import Any

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray

# The first 36 powers of two have different remainders modulo 37.
_PLACE = np.zeros(37, dtype=np.int64)
for _bit in range(32):
    _PLACE[2**_bit % 37] = _bit


def words_for(size: int) -> int:
    """Words that numbers below `size` take."""
    return -(-size // 32)


# Words are widened before anything is computed: signed and unsigned integers do not mix.


@kernel
def lowest_bit(word: Any) -> Any:
    """The place of the lowest bit of a positive int64."""
    return _PLACE[np.uint32(word & -word) % np.uint32(37)]


@kernel
def has_bit(words: AnyArray, i: int, v: Any) -> bool:
    """Is v in the i-th set of `words`, uint32 ``(n, W)``?"""
    return bool((np.int64(words[i, v >> 5]) >> (v & 31)) & 1)


@kernel
def add_bit(words: AnyArray, i: int, v: int) -> None:
    """Put v into the i-th set."""
    words[i, v >> 5] = np.int64(words[i, v >> 5]) | (np.int64(1) << (v & 31))


@kernel
def clear_bits(words: AnyArray, i: int) -> None:
    """Empty the i-th set."""
    for w in range(words.shape[1]):
        words[i, w] = 0


@kernel
def fill_bits(words: AnyArray, i: int, size: int) -> None:
    """Make the i-th set that of all numbers below `size`."""
    for w in range(words.shape[1]):
        words[i, w] = (np.int64(1) << min(size - 32 * w, 32)) - 1


@kernel
def copy_bits(source: AnyArray, j: int, words: AnyArray, i: int) -> None:
    """Make the i-th set of `words` the j-th of `source`."""
    for w in range(words.shape[1]):
        words[i, w] = source[j, w]


@kernel
def count_bits(words: AnyArray, i: int) -> int:
    """Members of the i-th set."""
    count = 0
    for w in range(words.shape[1]):
        word = np.int64(words[i, w])
        while word:
            word &= word - 1
            count += 1
    return count


@kernel
def pack_rows(mask: BoolArray) -> AnyArray:
    """The rows of a mask ``(n, V)`` as sets, uint32 ``(n, ceil(V / 32))``."""
    n, size = mask.shape
    words = np.zeros((n, (size + 31) // 32), dtype=np.uint32)
    for i in range(n):
        for w in range(words.shape[1]):
            word = np.int64(0)
            for v in range(32 * w, min(32 * w + 32, size)):
                word |= np.int64(mask[i, v]) << (v & 31)
            words[i, w] = word
    return words


@kernel
def unpack_rows(words: AnyArray, size: int) -> BoolArray:
    """The mask ``(n, size)`` of sets ``(n, W)``."""
    n = words.shape[0]
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        for w in range(words.shape[1]):
            word = np.int64(words[i, w])
            while word:
                mask[i, 32 * w + lowest_bit(word)] = True
                word &= word - 1
    return mask
