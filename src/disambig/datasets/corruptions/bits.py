"""Corruptions of complete tags into partial bits; the truth always agrees with what is known.

`HiddenBitCorruption` hides each bit with equal probability, `PositivesCorruption` records some of
the tags that are on and nothing else, `CandidateListCorruption` adds wrong tags to the right ones.
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from disambig.candidates import PartialBits
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import check_number


@runtime_checkable
class BitCorruption(Protocol):
    """A distribution of the known bits given all bits.

    With the same integer `random_state`, a bit that is unknown at one level is unknown at every
    higher one.
    """

    @property
    def level(self) -> float:
        """How much is hidden, from 0 to 1."""

    def ambiguity(self) -> tuple[float, float]:
        """How often a tag that is off may be on for all that is known; and the reverse."""

    def __call__(self, y: Any, /, *, tags: Any = None, random_state: Any = None) -> PartialBits:
        """Hide bits of y ``(n, m)``; `random_state` is that of `numpy.random.default_rng`."""


def _drawn(owner: str, y: Any, tags: Any, random_state: Any) -> tuple[PartialBits, FloatArray]:
    """Complete bits, and a number in [0, 1) for each of them that does not depend on the level."""
    bits = PartialBits.from_any(y, tags)
    incomplete = ~bits.known.all(axis=1)
    if incomplete.any():
        raise CandidateError(
            f"{owner}: row {int(np.argmax(incomplete))} has unknown bits "
            f"({np.count_nonzero(incomplete)} such rows). A corruption needs all bits."
        )
    return bits, np.random.default_rng(random_state).random(bits.shape)


def _without(bits: PartialBits, hidden: BoolArray) -> PartialBits:
    known: AnyArray = np.where(hidden, -1, bits.bits)
    return PartialBits(known.astype(np.int8), bits.tags)


def _level(owner: str, level: float) -> float:
    return check_number(owner, "level", level, most=1)


@dataclass(frozen=True)
class HiddenBitCorruption:
    """Every bit is unknown with probability `level`, independently.

    Non-ambiguity holds with ``eta = level`` for both values of a bit.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> HiddenBitCorruption(0.5)([[1, 0, 1]], random_state=1).bits.tolist()
    [[1, 0, -1]]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _level("HiddenBitCorruption", self.level))

    def ambiguity(self) -> tuple[float, float]:
        return self.level, self.level

    def __call__(self, y: Any, /, *, tags: Any = None, random_state: Any = None) -> PartialBits:
        bits, draws = _drawn("HiddenBitCorruption", y, tags, random_state)
        return _without(bits, draws < self.level)


@dataclass(frozen=True)
class PositivesCorruption:
    """A tag that is on is recorded with probability ``1 - level``; nothing else is known.

    A tag that is off may always be on for all that is known, ``eta = 1``: without a frequency of
    the tags, positives cannot be learned from. A tag that is on is unknown with probability
    `level`.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> PositivesCorruption(0.0)([[1, 0, 1]]).bits.tolist()
    [[1, -1, 1]]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _level("PositivesCorruption", self.level))

    def ambiguity(self) -> tuple[float, float]:
        return 1.0, self.level

    def __call__(self, y: Any, /, *, tags: Any = None, random_state: Any = None) -> PartialBits:
        bits, draws = _drawn("PositivesCorruption", y, tags, random_state)
        return _without(bits, (draws < self.level) | (bits.bits == 0))


@dataclass(frozen=True)
class CandidateListCorruption:
    """The candidates of a row are its tags and each other tag with probability `level`.

    What is not a candidate is known to be off; nothing is known to be on. So a tag that is on may
    always be off for all that is known, ``eta = 1``, and a tag that is off may be on with
    probability `level`.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> CandidateListCorruption(0.0)([[1, 0, 1]]).bits.tolist()
    [[-1, 0, -1]]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _level("CandidateListCorruption", self.level))

    def ambiguity(self) -> tuple[float, float]:
        return self.level, 1.0

    def __call__(self, y: Any, /, *, tags: Any = None, random_state: Any = None) -> PartialBits:
        bits, draws = _drawn("CandidateListCorruption", y, tags, random_state)
        return _without(bits, (draws < self.level) | (bits.bits == 1))
