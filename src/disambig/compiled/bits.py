"""Sets of small integers as bits, 32 to a word.

`words`, uint32 ``(n, W)``, holds n sets: v is in set i if ``words[i, v // 32]`` has bit ``v % 32``.
Words are widened to int64 before they enter an expression: numba turns some mixtures of signed and
unsigned integers into floats.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, BoolArray

# Maps ``2**b % 37`` to b: the first 36 powers of two have different remainders modulo 37.
_BIT_OF_REMAINDER = np.zeros(37, dtype=np.int64)
for _bit in range(32):
    _BIT_OF_REMAINDER[2**_bit % 37] = _bit


def words_for(size: int) -> int:
    """Number of words that a set of numbers below `size` takes."""
    return -(-size // 32)


@compiled
def lowest_bit(word: Any) -> Any:
    """The index of the lowest set bit of an int64 that holds a word other than 0."""
    return _BIT_OF_REMAINDER[np.uint32(word & -word) % np.uint32(37)]


@compiled
def has_bit(words: AnyArray, i: int, v: Any) -> bool:
    """Whether v is in the i-th set."""
    return bool((np.int64(words[i, v >> 5]) >> (v & 31)) & 1)


@compiled
def add_bit(words: AnyArray, i: int, v: int) -> None:
    """Add v to the i-th set."""
    words[i, v >> 5] = np.int64(words[i, v >> 5]) | (np.int64(1) << (v & 31))


@compiled
def clear_bits(words: AnyArray, i: int) -> None:
    """Empty the i-th set."""
    for w in range(words.shape[1]):
        words[i, w] = 0


@compiled
def fill_bits(words: AnyArray, i: int, size: int) -> None:
    """Set the i-th set to all numbers below `size`."""
    for w in range(words.shape[1]):
        words[i, w] = (np.int64(1) << min(size - 32 * w, 32)) - 1


@compiled
def copy_bits(source: AnyArray, j: int, words: AnyArray, i: int) -> None:
    """Copy the j-th set of `source` to the i-th set of `words`."""
    for w in range(words.shape[1]):
        words[i, w] = source[j, w]


@compiled
def count_bits(words: AnyArray, i: int) -> int:
    """Number of elements of the i-th set."""
    count = 0
    for w in range(words.shape[1]):
        word = np.int64(words[i, w])
        while word:
            word &= word - 1
            count += 1
    return count


@compiled
def pack_rows(mask: BoolArray) -> AnyArray:
    """The sets of a mask ``(n, V)`` as words, uint32 ``(n, ceil(V / 32))``."""
    n, size = mask.shape
    words = np.zeros((n, (size + 31) // 32), dtype=np.uint32)
    for i in range(n):
        for w in range(words.shape[1]):
            word = np.int64(0)
            for v in range(32 * w, min(32 * w + 32, size)):
                word |= np.int64(mask[i, v]) << (v & 31)
            words[i, w] = word
    return words


@compiled
def unpack_rows(words: AnyArray, size: int) -> BoolArray:
    """The mask ``(n, size)`` of sets given as words ``(n, W)``."""
    n = words.shape[0]
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        for w in range(words.shape[1]):
            word = np.int64(words[i, w])
            while word:
                mask[i, 32 * w + lowest_bit(word)] = True
                word &= word - 1
    return mask
