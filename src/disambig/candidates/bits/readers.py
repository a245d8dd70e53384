"""Constructors of `PartialBits`, one for each notation."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from disambig.candidates.bits.lists import read_listed
from disambig.candidates.bits.tables import parse_bits
from disambig.candidates.labels.classes import listed
from disambig.candidates.reading import is_table, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray


class PartialBitReaders:
    """The constructors ``PartialBits.from_...``."""

    if TYPE_CHECKING:
        bits: AnyArray
        tags: AnyArray
        implications: Any
        tag_counts: Any

        def __init__(
            self, bits: Any, tags: Any, implications: Any = None, tag_counts: Any = None
        ) -> None: ...

        def with_rules(self, implications: Any = None, tag_counts: Any = None) -> Self: ...

    @classmethod
    def from_any(
        cls,
        y: Any,
        tags: Any = None,
        *,
        zero: Literal["absent", "unknown"] | None = None,
        unlabeled: Any = None,
        implications: Any = None,
        tag_counts: Any = None,
    ) -> Self:
        """Read a table of 1, 0, -1 and NaN, or of yes, no and blanks.

        Parameters
        ----------
        y : array, frame, sparse array, lists of equal length, or PartialBits, n rows
            ``(n, m)``, one column per tag; with one dimension a single tag. NaN (None, NA, a masked
            entry, a blank text) means not known; 1, True and texts such as "yes" and "x" mean on,
            "no" means off. A missing row among lists has no known bit.
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
        implications, tag_counts : optional
            See `PartialBits`; added to those of a `y` that is a PartialBits.

        Returns
        -------
        PartialBits

        Examples
        --------
        >>> from disambig import PartialBits
        >>> PartialBits.from_any([[1, 0, -1]], zero="unknown").known
        array([[ True, False,  True]])
        >>> PartialBits.from_any([[1, 0, -1]], zero="absent").known
        array([[ True,  True, False]])
        >>> PartialBits.from_any([[1, "?"], None, "?"], unlabeled="?").known.sum(axis=1)
        array([1, 0, 0])
        """
        if isinstance(y, cls):
            same = y if tags is None else cls(y.bits, tags, y.implications, y.tag_counts)
            return same.with_rules(implications, tag_counts)
        return cls(*parse_bits(y, tags, zero, unlabeled), implications, tag_counts)

    @classmethod
    def from_positives(
        cls,
        y: Any,
        tags: Any = None,
        *,
        absent: Any = None,
        implications: Any = None,
        tag_counts: Any = None,
    ) -> Self:
        """What is listed is there; of other tags nothing is known.

        Parameters
        ----------
        y : lists of tags, or a table
            One list or set of tags for each row; None and [] say nothing. In an array, a frame or a
            sparse array ``(n, m)`` 1 is listed, and 0 is not.
        tags : (m,) array-like, or None
            Names of the tags. None: the names that occur, sorted; those of the columns of a table.
        absent : lists of tags, or a table, optional
            What is known not to be there, in the same form.
        implications, tag_counts : optional
            See `PartialBits`.

        Examples
        --------
        >>> from disambig import PartialBits
        >>> PartialBits.from_positives([["cat"], ["dog", "cat"], None]).bits.tolist()
        [[1, -1], [1, 1], [-1, -1]]
        >>> PartialBits.from_positives([["cat"], ["dog"]], absent=[["dog"], []]).bits.tolist()
        [[1, 0], [-1, 1]]
        """
        if tags is None and absent is not None and not is_table(y):
            tags = read_listed([*y, *absent], None, "positives")[2]
        present, _, names = read_listed(y, tags, "positives")
        bits = np.where(present, 1, -1).astype(np.int8)
        if absent is not None:
            off = read_listed(absent, names, "absent tags")[0]
            if len(off) != len(bits):
                raise CandidateError(
                    f"PartialBits: {len(bits)} rows list positives and {len(off)} list absent "
                    "tags. Give both for each row."
                )
            both = present & off
            if both.any():
                column = int(np.argwhere(both)[0, 1])
                raise row_error(
                    np.asarray(both.any(axis=1)),
                    f"has tag {listed(names)[column]!r} among the positives and among the absent",
                    "Correct one of the two.",
                    "PartialBits",
                )
            bits[off] = 0
        return cls(bits, names, implications, tag_counts)

    @classmethod
    def from_candidates(
        cls, y: Any, tags: Any = None, *, implications: Any = None, tag_counts: Any = None
    ) -> Self:
        """What is listed may be there; what is not listed is not.

        Parameters
        ----------
        y : lists of tags, or a table
            As in `from_positives`. An empty list says that the row has no tag; None says nothing.
        tags, implications, tag_counts : optional
            As in `from_positives`.

        Examples
        --------
        >>> from disambig import PartialBits
        >>> PartialBits.from_candidates(
        ...     [["cat", "dog"], ["dog"], None], ["cat", "dog"]
        ... ).bits.tolist()
        [[-1, -1], [0, -1], [-1, -1]]
        """
        possible, says, names = read_listed(y, tags, "candidates")
        bits = np.where(possible | ~says[:, None], -1, 0).astype(np.int8)
        return cls(bits, names, implications, tag_counts)
