"""What was said of a row of `LabelSets`: a label, a set, what it is not, a node, weights."""

from typing import Any

import numpy as np

from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

# The word at place b stands for the flag 2**b.
WORDS = ("label", "set", "not", "node", "weights")
FLAGS = {word: 1 << place for place, word in enumerate(WORDS)}
UNLABELED = "unlabeled"
_TEXTS = np.array(
    [
        "+".join(word for word in WORDS if flags & FLAGS[word]) or UNLABELED
        for flags in range(1 << len(WORDS))
    ],
    dtype=object,
)


def origin_texts(flags: AnyArray) -> AnyArray:
    """Sums of flags ``(n,)`` as texts.

    Examples
    --------
    >>> import numpy as np
    >>> origin_texts(np.array([1, 0, 6])).tolist()
    ['label', 'unlabeled', 'set+not']
    """
    return np.asarray(_TEXTS[flags])


def origin_counts(flags: AnyArray) -> dict[str, int]:
    """How many rows each origin has, in the order of the words; the unlabeled come last.

    Examples
    --------
    >>> import numpy as np
    >>> origin_counts(np.array([1, 0, 1, 6]))
    {'label': 2, 'set+not': 1, 'unlabeled': 1}
    """
    counts = np.bincount(flags, minlength=len(_TEXTS))
    order = [*range(1, len(_TEXTS)), 0]
    return {str(_TEXTS[code]): int(counts[code]) for code in order if counts[code]}


def flags_of_sizes(is_single: BoolArray, is_whole: BoolArray) -> IntArray:
    """Flags of rows of which only the set is known: one label, several, or all, ``(n,)``."""
    flags: IntArray = np.where(is_single, FLAGS["label"], FLAGS["set"])
    return np.where(is_whole & ~is_single, 0, flags).astype(np.uint8)


def checked_flags(flags: Any, n: int) -> AnyArray | None:
    """A read-only copy of the flags of n rows; raises unless each is a sum of flags."""
    if flags is None:
        return None
    found = np.asarray(flags)
    in_range = found.dtype.kind in "iu" and not ((found < 0) | (found >= len(_TEXTS))).any()
    if found.shape != (n,) or not in_range:
        raise CandidateError(
            f"LabelSets: origin_flags must be {n} whole numbers from 0 to {len(_TEXTS) - 1}; got "
            f"{found.dtype} of shape {found.shape}."
        )
    return found.astype(np.uint8)
