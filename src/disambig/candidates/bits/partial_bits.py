"""Candidate bits: for every sample some tags are known to be on or off, others are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from disambig.candidates.bits.implications import Implications, read_implications
from disambig.candidates.bits.readers import PartialBitReaders
from disambig.candidates.bits.rules import TagRules
from disambig.candidates.bits.tables import UNKNOWN, checked_bits
from disambig.candidates.bits.tag_counts import read_counts
from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.labels.classes import listed, preview
from disambig.candidates.reading import own_rows, row_index
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.notebooks import first_rows

_FIELDS = ("bits", "tags", "implications", "tag_counts")


@dataclass(frozen=True, eq=False, repr=False)
class PartialBits(PartialBitReaders):
    """``s[r] = {y in {0, 1}^m with y[t] = bits[r, t] wherever bits[r, t] >= 0}``.

    The true tags of every sample agree with the known ones. They may also have to keep
    implications between tags, and bounds on their number; what follows from these is filled into
    `bits`. The arrays are checked once, copied, and read-only from then on. scikit-learn splits
    the object like an array; `numpy.asarray` gives the table of 1, 0, and -1 for not known.

    Parameters
    ----------
    bits : (n, m) of int8
        1, 0, or -1 where nothing is known.
    tags : (m,), or None
        Distinct names of the columns. None: 0 to m - 1.
    implications : iterable of pairs, or mapping, or None
        ``("poodle", "dog")`` or ``{"poodle": "dog"}``: a poodle is a dog. A mapping may name
        several implied tags in a list.
    tag_counts : int, pair, array-like (n, 2), or None
        The number of tags of a row, or the least and the most; for all rows, or for each. None and
        NaN are no bound.

    See Also
    --------
    PartialBits.from_any : Reads tables of any numbers, frames and lists.
    PartialBits.from_positives : What is listed is there, and the rest is unknown.
    PartialBits.from_candidates : What is listed may be there, and the rest is not.

    Examples
    --------
    >>> bits = PartialBits.from_any([[1, 0, float("nan")], [0, 1, 1]], tags=["a", "b", "c"])
    >>> bits
    PartialBits(2 rows, 3 tags ['a', 'b', 'c'], 1 complete, 83% of bits known)
    >>> bits[0] == {"a": 1, "b": 0}
    True
    >>> bits.contains([[1, 0, 1], [0, 0, 1]])
    array([ True, False])
    >>> pets = PartialBits.from_any([[1, None]], ["poodle", "dog"], implications={"poodle": "dog"})
    >>> pets[0] == {"poodle": 1, "dog": 1}
    True
    """

    bits: AnyArray
    tags: AnyArray = None  # type: ignore[assignment]
    implications: Any = None
    tag_counts: Any = None

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        bits, tags = checked_bits(self.bits, self.tags)
        implications = read_implications(self.implications, tags)
        counts = read_counts(self.tag_counts, *bits.shape)
        if implications is not None or counts is not None:
            bits = TagRules(tags, implications).completed(bits, counts)
        self._set(bits, tags, implications, counts)

    def _set(
        self,
        bits: AnyArray,
        tags: AnyArray,
        implications: Implications | None = None,
        tag_counts: IntArray | None = None,
    ) -> None:
        for array in (bits, tags, tag_counts):
            if array is not None:
                array.setflags(write=False)
        for name, value in zip(_FIELDS, (bits, tags, implications, tag_counts), strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def _trusted(
        cls,
        bits: AnyArray,
        tags: AnyArray,
        implications: Implications | None,
        tag_counts: IntArray | None,
    ) -> "PartialBits":
        """Bits from arrays of their own that are known to be valid; they are not copied."""
        subset = object.__new__(cls)
        subset._set(bits, tags, implications, tag_counts)
        return subset

    def with_bits(self, bits: AnyArray) -> "PartialBits":
        """Other known bits ``(n, m)`` of the same tags, under the same rules.

        Parameters
        ----------
        bits : array-like (n, m)
            1, 0, or -1 where not known.

        Examples
        --------
        >>> bits = PartialBits.from_any([[1, None, 0], [None, None, 1]])
        >>> bits.with_bits([[1, 1, 0], [0, 0, 1]]).known.all(axis=1)
        array([ True,  True])
        """
        return PartialBits(
            np.asarray(bits, dtype=np.int8), self.tags, self.implications, self.tag_counts
        )

    def with_rules(self, implications: Any = None, tag_counts: Any = None) -> Self:
        """The same bits under further rules; those that there are remain.

        Parameters
        ----------
        implications, tag_counts
            See `PartialBits`.

        Examples
        --------
        >>> PartialBits.from_any([[1, None, None]]).with_rules(tag_counts=1).bits
        array([[1, 0, 0]], dtype=int8)
        """
        more = read_implications(implications, self.tags)
        counts = read_counts(tag_counts, *self.shape)
        if more is None and counts is None:
            return self
        if more is not None and self.implications is not None:
            pairs = np.vstack([self.implications.pairs, more.pairs])
            named = [[listed(self.tags)[k] for k in pair] for pair in pairs]
            more = read_implications(named, self.tags)
        if counts is not None and self.tag_counts is not None:
            low = np.maximum(counts[:, 0], self.tag_counts[:, 0])
            counts = np.column_stack([low, np.minimum(counts[:, 1], self.tag_counts[:, 1])])
        return type(self)(
            self.bits,
            self.tags,
            self.implications if more is None else more,
            self.tag_counts if counts is None else counts,
        )

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.bits)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, m)``."""
        return self.bits.shape[0], self.bits.shape[1]

    @property
    def ndim(self) -> int:
        """2, the dimensions of the table."""
        return 2

    def __getitem__(self, rows: Any) -> Any:
        rows = row_index("PartialBits", rows)
        if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
            row = self.bits[rows].tolist()
            names = listed(self.tags)
            return {name: bit for name, bit in zip(names, row, strict=True) if bit != UNKNOWN}
        selected = own_rows(self.bits, rows)
        if selected.ndim != 2:
            raise IndexError("PartialBits: select rows by an integer, a slice or a 1-D array.")
        counts = None if self.tag_counts is None else own_rows(self.tag_counts, rows)
        return self._trusted(selected, self.tags, self.implications, counts)

    def __iter__(self) -> Iterator[dict[Any, int]]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("PartialBits", "a scorer of your own")
        if copy is False and dtype is not None and np.dtype(dtype) != np.int8:
            raise ValueError("PartialBits: another dtype than int8 needs a copy. Pass copy=None.")
        return np.array(self.bits, dtype=dtype) if copy else np.asarray(self.bits, dtype=dtype)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable.
        fields: list[Any] = [state.get(name) for name in _FIELDS]
        self._set(*fields)

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialBits):
            return NotImplemented
        if listed(self.tags) != listed(other.tags) or not np.array_equal(self.bits, other.bits):
            return False
        same_counts = np.array_equal(self.counts, other.counts)
        ours, theirs = self.implications, other.implications
        if ours is None or theirs is None:
            return same_counts and ours is theirs
        return same_counts and np.array_equal(ours.implied, theirs.implied)

    def __repr__(self) -> str:
        known = f"{self.known.mean():.0%}" if self.bits.size else "0%"
        return (
            f"PartialBits({len(self)} rows, {self.n_tags} tags {preview(listed(self.tags))}, "
            f"{np.count_nonzero(self.known.all(axis=1))} complete, {known} of bits known)"
        )

    # ------------------------------------------------------------------ contents of the sets

    @property
    def n_tags(self) -> int:
        """``m``."""
        return len(self.tags)

    @property
    def has_rules(self) -> bool:
        """Whether implications or bounds on the number of tags restrict the bits."""
        return self.implications is not None or self.tag_counts is not None

    @cached_property
    def rules(self) -> TagRules:
        """What finds the cheapest bits that are allowed; with bounds that all rows have."""
        low, high = 0, self.n_tags
        if self.tag_counts is not None and (self.tag_counts == self.tag_counts[0]).all():
            low, high = self.tag_counts[0].tolist()
        return TagRules(self.tags, self.implications, low, high)

    @property
    def counts(self) -> IntArray:
        """The least and the most tags of each row, ``(n, 2)``; 0 and m without bounds."""
        none = np.broadcast_to([0, self.n_tags], (len(self), 2))
        return none if self.tag_counts is None else self.tag_counts

    @cached_property
    def known(self) -> BoolArray:
        """Bits that are known, ``(n, m)``."""
        known: BoolArray = self.bits != UNKNOWN
        known.setflags(write=False)
        return known

    @property
    def informative(self) -> BoolArray:
        """Rows with at least one known bit, ``(n,)``."""
        return np.asarray(self.known.any(axis=1))

    def means(self) -> FloatArray:
        """The mean of each bit over the set of its row, ``(n, m)``: 1, 0, or 1/2 without rules.

        Examples
        --------
        >>> bits = PartialBits.from_any([[1, None, 0], [None, None, 1]])
        >>> bits.means()
        array([[1. , 0.5, 0. ],
               [0.5, 0.5, 1. ]])
        """
        if self.has_rules:
            return self.rules.cheapest(np.zeros(self.shape), self.bits, self.counts).means
        return np.where(self.known, self.bits, 0.5)

    def contains(self, bits: Any) -> BoolArray:
        """Whether the complete bits ``(n, m)`` of each row agree with what is known, ``(n,)``.

        Parameters
        ----------
        bits : array-like (n, m)

        Examples
        --------
        >>> bits = PartialBits.from_any([[1, None, 0], [None, None, 1]])
        >>> bits.contains([[1, 1, 0], [1, 1, 0]])
        array([ True, False])
        """
        given = np.asarray(bits)
        if given.shape != self.shape or not ((given == 0) | (given == 1)).all():
            raise CandidateError(
                f"PartialBits: contains expects 0 or 1 for every tag of every row, shape "
                f"{self.shape}; got shape {given.shape}."
            )
        inside = ((given == self.bits) | ~self.known).all(axis=1)
        if self.tag_counts is not None:
            sizes = given.sum(axis=1)
            inside &= (sizes >= self.counts[:, 0]) & (sizes <= self.counts[:, 1])
        if self.implications is not None:
            inside &= self.implications.are_kept(given)
        return np.asarray(inside)
