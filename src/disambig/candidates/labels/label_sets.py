"""Candidate label sets: for every sample the classes it may belong to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.labels.classes import checked_classes, listed, positions, preview
from disambig.candidates.labels.entries import entries_of
from disambig.candidates.labels.origins import checked_flags, flags_of_sizes, origin_texts
from disambig.candidates.labels.readers import LabelSetReaders
from disambig.candidates.labels.tables import SetTable, checked_table, reexpress
from disambig.candidates.reading import own_rows, row_index, rows_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.notebooks import first_rows


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(LabelSetReaders):
    """``s[j] = {classes[k] : mask[j, k]}``: one non-empty set of classes per sample.

    The true class of every sample is one of its candidates. The arrays are checked once, copied,
    and read-only from then on. scikit-learn splits the object like an array; `numpy.asarray` gives
    the mask, without the weights.

    Parameters
    ----------
    mask : (n, K) of bool
        Which classes are candidates of which row. Every row has at least one.
    classes : (K,)
        Distinct labels, in the order of the columns.
    weights : (n, K) of float, or None
        Soft weights over the candidates: non-negative, rows sum to one, zero outside the mask.
    origin_flags : (n,) of int, or None
        What was said of each row, as the sum of 1 (label), 2 (set), 4 (not), 8 (node) and 16
        (weights); see `origins`. Sets with other origins are equal.

    See Also
    --------
    LabelSets.from_any : Reads arrays, frames, series and lists by their form.
    LabelSets.from_mixed : Reads several forms about the same rows.

    Examples
    --------
    >>> sets = LabelSets.from_any([{"cat", "dog"}, "cat", {"cow", "dog"}])
    >>> sets
    LabelSets(3 rows, 3 classes ['cat', 'cow', 'dog'], 1 single, 0 whole, mean size 1.67)
    >>> sets.mask.astype(int)
    array([[1, 0, 1],
           [1, 0, 0],
           [0, 1, 1]])
    >>> sorted(sets[0]), sets[1:].sizes
    (['cat', 'dog'], array([1, 2]))
    """

    mask: BoolArray
    classes: AnyArray
    weights: FloatArray | None = None
    origin_flags: AnyArray | None = None

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        flags = checked_flags(self.origin_flags, len(self.mask))
        self._set(*checked_table(self.mask, self.classes, self.weights), flags)

    def _set(
        self,
        mask: BoolArray,
        classes: AnyArray,
        weights: FloatArray | None,
        flags: AnyArray | None = None,
    ) -> None:
        for array in (mask, classes, weights, flags):
            if array is not None:
                array.setflags(write=False)
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "origin_flags", flags)

    @classmethod
    def _trusted(
        cls,
        mask: BoolArray,
        classes: AnyArray,
        weights: FloatArray | None,
        flags: AnyArray | None = None,
    ) -> "LabelSets":
        """Sets from arrays of their own that are known to be valid; they are not copied."""
        sets = object.__new__(cls)
        sets._set(mask, classes, weights, flags)
        return sets

    @classmethod
    def concatenated(cls, parts: Sequence["LabelSets"]) -> "LabelSets":
        """The rows of several sets one after another, over the classes of the first.

        Parameters
        ----------
        parts : sequence of LabelSets
            At least one. The candidates of all are classes of the first.

        Examples
        --------
        >>> first = LabelSets.from_labels(["a", "b"])
        >>> len(LabelSets.concatenated([first, first[:1]]))
        3
        """
        if not parts:
            raise CandidateError("LabelSets: concatenated needs at least one set of rows.")
        classes = parts[0].classes
        same = [one if one.classes is classes else one.with_classes(classes) for one in parts]
        soft = any(one.weights is not None for one in same)
        flagged = any(one.origin_flags is not None for one in same)
        return cls._trusted(
            np.concatenate([one.mask for one in same]),
            classes,
            np.concatenate([one.distribution() for one in same]) if soft else None,
            np.concatenate([one._known_flags() for one in same]) if flagged else None,
        )

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.mask)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, K)``."""
        return self.mask.shape[0], self.mask.shape[1]

    @property
    def ndim(self) -> int:
        """2, the dimensions of the mask."""
        return 2

    def __getitem__(self, rows: Any) -> Any:
        rows = row_index("LabelSets", rows, "; see with_classes")
        if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
            return frozenset(listed(self.classes[self.mask[rows]]))
        selected = own_rows(self.mask, rows)
        if selected.ndim != 2:
            raise IndexError("LabelSets: select rows by an integer, a slice or a 1-D array.")
        weights = None if self.weights is None else own_rows(self.weights, rows)
        flags = None if self.origin_flags is None else own_rows(self.origin_flags, rows)
        return self._trusted(selected, self.classes, weights, flags)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return iter(self.to_sets())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("LabelSets", "covering_scorer")
        if copy is False and dtype is not None and np.dtype(dtype) != np.bool_:
            raise ValueError("LabelSets: another dtype than bool needs a copy. Pass copy=None.")
        return np.array(self.mask, dtype=dtype) if copy else np.asarray(self.mask, dtype=dtype)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable.
        self._set(state["mask"], state["classes"], state["weights"], state.get("origin_flags"))

    def __getstate__(self) -> dict[str, Any]:
        state = {"mask": self.mask, "classes": self.classes, "weights": self.weights}
        return state if self.origin_flags is None else state | {"origin_flags": self.origin_flags}

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSets):
            return NotImplemented
        if (self.weights is None) != (other.weights is None):
            return False
        return (
            listed(self.classes) == listed(other.classes)
            and np.array_equal(self.mask, other.mask)
            and (self.weights is None or np.array_equal(self.weights, other.weights))  # type: ignore[arg-type]
        )

    def __repr__(self) -> str:
        mean = f"{self.sizes.mean():.2f}" if len(self) else "0"
        return (
            f"LabelSets({len(self)} rows, {self.n_classes} classes "
            f"{preview(listed(self.classes))}, {np.count_nonzero(self.is_single)} single, "
            f"{np.count_nonzero(self.is_whole)} whole, mean size {mean}"
            f"{'' if self.weights is None else ', soft weights'})"
        )

    # ------------------------------------------------------------------ contents of the sets

    @property
    def n_classes(self) -> int:
        """``K``."""
        return len(self.classes)

    @cached_property
    def sizes(self) -> IntArray:
        """Candidates per row, ``(n,)``."""
        sizes: IntArray = np.count_nonzero(self.mask, axis=1)
        sizes.setflags(write=False)
        return sizes

    @property
    def is_single(self) -> BoolArray:
        """Rows with one candidate, ``(n,)``."""
        return np.asarray(self.sizes == 1)

    @property
    def is_whole(self) -> BoolArray:
        """Rows that may be any class, ``(n,)``."""
        return np.asarray(self.sizes == self.n_classes)

    @property
    def informative(self) -> BoolArray:
        """Rows whose set excludes some class, ``(n,)``."""
        return ~self.is_whole

    @property
    def origins(self) -> AnyArray | None:
        """What was said of each row, ``(n,)``: "label", "not+node", "unlabeled"; None if unknown.

        `from_mixed` and tables keep it, and selections of rows do.
        """
        return None if self.origin_flags is None else origin_texts(self.origin_flags)

    def _known_flags(self) -> AnyArray:
        """The flags of the origins; by their sizes if they are unknown."""
        if self.origin_flags is not None:
            return self.origin_flags
        return flags_of_sizes(self.is_single, self.is_whole)

    @property
    def unused_classes(self) -> AnyArray:
        """Classes that are a candidate of no row."""
        return self.classes[~self.mask.any(axis=0)]

    def first_labels(self) -> AnyArray:
        """The candidate of each row that is first in `classes`, ``(n,)``.

        Examples
        --------
        >>> sets = LabelSets.from_sets([{"cat", "dog"}, {"cow"}])
        >>> sets.first_labels().tolist()
        ['cat', 'cow']
        """
        return np.asarray(self.classes[self.mask.argmax(axis=1)])

    def distribution(self) -> FloatArray:
        """``(n, K)``, rows sum to one: the weights if there are any, else uniform on each set.

        Examples
        --------
        >>> sets = LabelSets.from_sets([{"cat", "dog"}, {"cow"}])
        >>> sets.distribution()
        array([[0.5, 0. , 0.5],
               [0. , 1. , 0. ]])
        """
        if self.weights is not None:
            return self.weights.copy()
        return np.asarray(self.mask / self.sizes[:, np.newaxis])

    def contains(self, labels: Any) -> BoolArray:
        """Whether ``labels[j]`` is in the set of row j, ``(n,)``; unknown labels are in no set.

        Parameters
        ----------
        labels : array-like (n,)

        Examples
        --------
        >>> sets = LabelSets.from_sets([{"cat", "dog"}, {"cow"}])
        >>> sets.contains(["cat", "dog"])
        array([ True, False])
        """
        entries = entries_of(rows_of(labels))
        if entries.n_rows != len(self) or (entries.sizes() != 1).any():
            raise CandidateError(
                f"LabelSets: contains expects one label per row, {len(self)} in all; got "
                f"{len(entries.rows)} labels in {entries.n_rows} rows."
            )
        place = positions(self.classes)
        column = np.array([place.get(label, -1) for label in entries.distinct], dtype=np.intp)
        columns = column[entries.codes]
        return np.asarray((columns >= 0) & self.mask[np.arange(len(self)), columns])

    def with_classes(self, classes: Any) -> "LabelSets":
        """The same sets over other classes: more of them, in another order, or without unused ones.

        A set of all classes does not get the classes that are added.

        Parameters
        ----------
        classes : array-like (L,)
            Every class that is a candidate, and others.

        Examples
        --------
        >>> sets = LabelSets.from_sets([{"cat", "dog"}, {"cow"}])
        >>> sets.with_classes(["cow", "cat", "dog", "bee"]).mask.shape
        (2, 4)
        """
        vector = checked_classes(classes)
        table = reexpress(SetTable(self.mask, self.classes, self.weights), vector)
        flags = None if self.origin_flags is None else self.origin_flags.copy()
        return self._trusted(*table, flags)

    def to_sets(self) -> list[frozenset[Any]]:
        """The sets as a list of n frozensets.

        Examples
        --------
        >>> sets = LabelSets.from_sets([{"cat", "dog"}, {"cow"}])
        >>> [sorted(one) for one in sets.to_sets()]
        [['cat', 'dog'], ['cow']]
        """
        labels = listed(self.classes[np.nonzero(self.mask)[1]])
        ends = np.cumsum(self.sizes).tolist()
        starts = [0, *ends][: len(ends)]
        return [frozenset(labels[i:j]) for i, j in zip(starts, ends, strict=True)]
