"""Candidate label sets: for every sample the classes it may belong to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.labels.classes import checked_classes, listed, positions, preview
from disambig.candidates.labels.entries import entries_of
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.hierarchy_parsing import parse_hierarchy
from disambig.candidates.labels.parsing import (
    parse_any,
    parse_labels,
    parse_negatives,
    parse_sets,
    parse_strings,
)
from disambig.candidates.labels.tables import SetTable, checked_table, parse_table, reexpress
from disambig.candidates.reading import own_rows, require_separable, row_index, rows_of, table_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.notebooks import first_rows


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets:
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

    See Also
    --------
    LabelSets.from_any : Reads arrays, frames, series and lists by their form.

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

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        self._set(*checked_table(self.mask, self.classes, self.weights))

    def _set(self, mask: BoolArray, classes: AnyArray, weights: FloatArray | None) -> None:
        for array in (mask, classes, weights):
            if array is not None:
                array.setflags(write=False)
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def _trusted(
        cls, mask: BoolArray, classes: AnyArray, weights: FloatArray | None
    ) -> "LabelSets":
        """Sets from arrays of their own that are known to be valid; they are not copied."""
        sets = object.__new__(cls)
        sets._set(mask, classes, weights)
        return sets

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_any(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> "LabelSets":
        """Read targets by their form.

        Parameters
        ----------
        y : array, frame, series, sparse array, list or LabelSets
            With two dimensions and at least two columns, a table with one column per class: of
            bools or of 0 and 1 a mask of candidates; of fractions in [0, 1] soft weights, where
            a class of positive weight is a candidate and each row is scaled to sum to one. With
            one column, plain labels (with the DataConversionWarning of scikit-learn).
            With one dimension, a row is a label (a number, a text, a bool, any value) or a set,
            frozenset, list, tuple or array of labels. Text is one label.
            Lists of lists are sets; one that could also be a mask raises.
        classes : (K,) array-like, or None
            The classes in order. None: the names of the columns of a frame, else 0 to K - 1 for
            a table; the sorted labels that occur for rows of labels (also of a categorical
            series). Labels that do not compare are sorted by the name of their type, then as
            text. Columns whose names are classes are matched by name, others by position. Real
            numbers with a fraction are labels only if they are named here.
        unlabeled : object, or a list, tuple or set of them, default=None
            Markers of rows that may be any class: such a row, or a set that holds a marker alone,
            or a row of a table in which every entry is a marker, becomes the set of all classes.
            A marker is a single value such as -1, "?" or "". It matches values of its own type:
            -1 matches -1.0, not "-1"; 1 does not match True. NaN matches every missing value, and
            so does None in a list. None alone means that there is no marker, and missing rows
            then raise. Ignored if `y` is a LabelSets.

        Returns
        -------
        LabelSets

        Warns
        -----
        LookAlikeWarning
            If classes that were read from `y` may be a slip: "Cat" beside "cat", "1" beside 1,
            "a|b", "unknown". Not if `classes` names them.

        Examples
        --------
        >>> LabelSets.from_any([0, 2, -1, 1], unlabeled=-1).to_sets()[2] == {0, 1, 2}
        True
        """
        if isinstance(y, LabelSets):
            return y if classes is None else y.with_classes(classes)
        require_separable(y, "LabelSets.from_any")
        return cls(*parse_any(y, classes, unlabeled))

    @classmethod
    def from_mask(cls, mask: Any, classes: Any = None, unlabeled: Any = None) -> "LabelSets":
        """Read a table of bools or of 0 and 1, ``(n, K)``; nested lists are allowed.

        Examples
        --------
        >>> LabelSets.from_mask([[0, 1, 1]], classes=["a", "b", "c"])[0] == {"b", "c"}
        True
        """
        return cls(*parse_table(*table_of(mask), classes, unlabeled, "mask"))

    @classmethod
    def from_weights(cls, weights: Any, classes: Any = None, unlabeled: Any = None) -> "LabelSets":
        """Read non-negative weights of any scale, ``(n, K)``: votes, counts, probabilities.

        A class of positive weight is a candidate; each row is scaled to sum to one.

        Examples
        --------
        >>> LabelSets.from_weights([[3, 1, 0]]).weights
        array([[0.75, 0.25, 0.  ]])
        """
        return cls(*parse_table(*table_of(weights), classes, unlabeled, "weights"))

    @classmethod
    def from_labels(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> "LabelSets":
        """Read one label per row: sets with one candidate.

        Examples
        --------
        >>> LabelSets.from_labels(["b", "a", "b"]).sizes
        array([1, 1, 1])
        """
        return cls(*parse_labels(y, classes, unlabeled))

    @classmethod
    def from_sets(cls, y: Any, classes: Any = None, unlabeled: Any = None) -> "LabelSets":
        """Read one set, list, tuple or array of labels per row; a single label is a set of one.

        Examples
        --------
        >>> LabelSets.from_sets([[0, 1], [1, 2]]).n_classes
        3
        """
        return cls(*parse_sets(y, classes, unlabeled))

    @classmethod
    def from_strings(
        cls, y: Any, separator: str = "|", classes: Any = None, unlabeled: Any = None
    ) -> "LabelSets":
        """Read texts such as ``"cat|dog"``; blanks around labels are dropped.

        Examples
        --------
        >>> sorted(LabelSets.from_strings(["cat | dog", "cow"])[0])
        ['cat', 'dog']
        """
        return cls(*parse_strings(y, separator, classes, unlabeled))

    @classmethod
    def from_negatives(
        cls, y: Any, classes: Any, unlabeled: Any = None, separator: str | None = None
    ) -> "LabelSets":
        """Read the labels that each row does *not* have; an empty set excludes nothing.

        With a separator, texts are split as in `from_strings`.

        Examples
        --------
        >>> LabelSets.from_negatives([1, {0, 2}], classes=[0, 1, 2]).to_sets()
        [frozenset({0, 2}), frozenset({1})]
        """
        return cls(*parse_negatives(y, classes, unlabeled, separator))

    @classmethod
    def from_hierarchy(
        cls,
        y: Any,
        parents: Hierarchy | Mapping[Any, Any],
        classes: Any = None,
        unlabeled: Any = None,
        separator: str | None = None,
    ) -> "LabelSets":
        """Read nodes of a hierarchy, alone or in sets: a node stands for the leaves below it.

        The classes are all leaves, sorted, unless they are named. With a separator, texts are
        split as in `from_strings`.

        Examples
        --------
        >>> parents = {"cat": "mammal", "dog": "mammal", "bee": "insect"}
        >>> sorted(LabelSets.from_hierarchy(["mammal", "bee"], parents)[0])
        ['cat', 'dog']
        """
        return cls(*parse_hierarchy(y, parents, classes, unlabeled, separator))

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
        return self._trusted(selected, self.classes, weights)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return iter(self.to_sets())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("LabelSets", "covering_scorer")
        if copy is False and dtype is not None and np.dtype(dtype) != np.bool_:
            raise ValueError("LabelSets: another dtype than bool needs a copy. Pass copy=None.")
        return np.array(self.mask, dtype=dtype) if copy else np.asarray(self.mask, dtype=dtype)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable.
        self._set(state["mask"], state["classes"], state["weights"])

    def __getstate__(self) -> dict[str, Any]:
        return {"mask": self.mask, "classes": self.classes, "weights": self.weights}

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
    def unused_classes(self) -> AnyArray:
        """Classes that are a candidate of no row."""
        return self.classes[~self.mask.any(axis=0)]

    def first_labels(self) -> AnyArray:
        """The candidate of each row that is first in `classes`, ``(n,)``."""
        return np.asarray(self.classes[self.mask.argmax(axis=1)])

    def distribution(self) -> FloatArray:
        """``(n, K)``, rows sum to one: the weights if there are any, else uniform on each set."""
        if self.weights is not None:
            return self.weights.copy()
        return np.asarray(self.mask / self.sizes[:, np.newaxis])

    def contains(self, labels: Any) -> BoolArray:
        """Whether ``labels[j]`` is in the set of row j, ``(n,)``; unknown labels are in no set."""
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
        """
        vector = checked_classes(classes)
        return self._trusted(*reexpress(SetTable(self.mask, self.classes, self.weights), vector))

    def to_sets(self) -> list[frozenset[Any]]:
        """The sets as a list of n frozensets."""
        labels = listed(self.classes[np.nonzero(self.mask)[1]])
        ends = np.cumsum(self.sizes).tolist()
        starts = [0, *ends][: len(ends)]
        return [frozenset(labels[i:j]) for i, j in zip(starts, ends, strict=True)]
