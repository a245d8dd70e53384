"""Candidate bits: for every sample some tags are known to be on or off, others are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from disambig.candidates.bits.tables import UNKNOWN, checked_bits, parse_bits
from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.labels.classes import listed, preview
from disambig.candidates.reading import own_rows, row_index
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.notebooks import first_rows


@dataclass(frozen=True, eq=False, repr=False)
class PartialBits:
    """``s[r] = {y in {0, 1}^m with y[t] = bits[r, t] wherever bits[r, t] >= 0}``.

    The true tags of every sample agree with the known ones. The arrays are checked once, copied,
    and read-only from then on. scikit-learn splits the object like an array; `numpy.asarray` gives
    the table of 1, 0, and -1 for not known.

    Parameters
    ----------
    bits : (n, m) of int8
        1, 0, or -1 where nothing is known.
    tags : (m,), or None
        Distinct names of the columns. None: 0 to m - 1.

    See Also
    --------
    PartialBits.from_any : Reads tables of any numbers, frames and lists.

    Examples
    --------
    >>> bits = PartialBits.from_any([[1, 0, float("nan")], [0, 1, 1]], tags=["a", "b", "c"])
    >>> bits
    PartialBits(2 rows, 3 tags ['a', 'b', 'c'], 1 complete, 83% of bits known)
    >>> bits[0] == {"a": 1, "b": 0}
    True
    >>> bits.contains([[1, 0, 1], [0, 0, 1]])
    array([ True, False])
    """

    bits: AnyArray
    tags: AnyArray = None  # type: ignore[assignment]

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        self._set(*checked_bits(self.bits, self.tags))

    def _set(self, bits: AnyArray, tags: AnyArray) -> None:
        for array in (bits, tags):
            array.setflags(write=False)
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "tags", tags)

    @classmethod
    def _trusted(cls, bits: AnyArray, tags: AnyArray) -> "PartialBits":
        """Bits from arrays of their own that are known to be valid; they are not copied."""
        subset = object.__new__(cls)
        subset._set(bits, tags)
        return subset

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_any(
        cls,
        y: Any,
        tags: Any = None,
        *,
        zero: Literal["absent", "unknown"] | None = None,
        unlabeled: Any = None,
    ) -> "PartialBits":
        """Read a table of 1, 0, -1 and NaN.

        Parameters
        ----------
        y : array, frame, sparse array, lists of equal length, or PartialBits
            ``(n, m)``, one column per tag; with one dimension a single tag. NaN (None, NA) means
            not known, 1 and True mean on. A missing row among lists has no known bit.
        tags : (m,) array-like, or None
            Names of the tags. None: the names of the columns of a frame, else 0 to m - 1.
        zero : {"absent", "unknown"}, or None
            "absent": 0 is a known 0, and -1 is not known. "unknown": 0 is not known, and -1 is a
            known 0. None: 0 is a known 0, and a table with -1 raises, since both conventions are
            in use.
        unlabeled : object, or a list, tuple or set of them, default=None
            Markers of what says nothing, as in `LabelSets.from_any`: an entry that is a marker is
            not known, and of a row that is a marker nothing is. Missing values are not known with
            and without a marker. Ignored if `y` is a PartialBits.

        Returns
        -------
        PartialBits

        Examples
        --------
        >>> PartialBits.from_any([[1, 0, -1]], zero="unknown").known
        array([[ True, False,  True]])
        >>> PartialBits.from_any([[1, 0, -1]], zero="absent").known
        array([[ True,  True, False]])
        >>> PartialBits.from_any([[1, "?"], None, "?"], unlabeled="?").known.sum(axis=1)
        array([1, 0, 0])
        """
        if isinstance(y, PartialBits):
            return y if tags is None else cls(y.bits, tags)
        return cls(*parse_bits(y, tags, zero, unlabeled))

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
        return self._trusted(selected, self.tags)

    def __iter__(self) -> Iterator[dict[Any, int]]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("PartialBits", "a scorer of your own")
        if copy is False and dtype is not None and np.dtype(dtype) != np.int8:
            raise ValueError("PartialBits: another dtype than int8 needs a copy. Pass copy=None.")
        return np.array(self.bits, dtype=dtype) if copy else np.asarray(self.bits, dtype=dtype)

    def __getstate__(self) -> dict[str, Any]:
        return {"bits": self.bits, "tags": self.tags}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable.
        self._set(state["bits"], state["tags"])

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartialBits):
            return NotImplemented
        return listed(self.tags) == listed(other.tags) and np.array_equal(self.bits, other.bits)

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
        """The mean of each bit over the set of its row, ``(n, m)``: 1, 0, or 1/2 if not known."""
        return np.where(self.known, self.bits, 0.5)

    def contains(self, bits: Any) -> BoolArray:
        """Whether the complete bits ``(n, m)`` of each row agree with what is known, ``(n,)``."""
        given = np.asarray(bits)
        if given.shape != self.shape or not ((given == 0) | (given == 1)).all():
            raise CandidateError(
                f"PartialBits: contains expects 0 or 1 for every tag of every row, shape "
                f"{self.shape}; got shape {given.shape}."
            )
        return np.asarray(((given == self.bits) | ~self.known).all(axis=1))
