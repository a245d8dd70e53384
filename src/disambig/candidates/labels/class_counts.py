"""Label sets with bounds on the number of rows of each class: a constraint over rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Never

import numpy as np

from disambig.candidates.labels.classes import listed, positions
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.reading import row_index
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class ClassCounts:
    """`LabelSets` of which ``bounds[k, 0]`` to ``bounds[k, 1]`` rows have class k.

    The counts couple the rows: whether a row may take a class depends on the others. Solvers that
    choose each target on its own raise an error; `FrankWolfeMinimization` keeps the counts. Without
    them, if few rows are labeled, all others can end in one class.

    A part of the rows has no known counts, so that rows cannot be selected, except all of them in
    another order. Everything else is that of the sets.

    Parameters
    ----------
    sets : LabelSets
    bounds : array-like (K, 2)
        The smallest and the largest number of rows of each class, in the order of the classes.
        Fractions are rounded inwards, which excludes no labels.

    See Also
    --------
    ClassCounts.balanced : Classes of equal size.

    Examples
    --------
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.problem import Problem
    >>> from disambig.solvers import FrankWolfeMinimization
    >>> from disambig.votes import as_votes
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}, {"a", "b"}, {"a", "b"}])
    >>> counts = ClassCounts(sets, [[0, 2], [2, 4]])
    >>> counts
    ClassCounts(4 rows, 0 to 2 of 'a', 2 to 4 of 'b')
    >>> problem = Problem(as_votes(np.ones((4, 4))), ZeroOneLoss().bind(counts.classes), counts)
    >>> np.bincount(FrankWolfeMinimization().solve(problem).decoded.outputs).tolist()
    [1, 3]
    """

    sets: LabelSets
    bounds: IntArray

    couples_rows = True

    def __post_init__(self) -> None:
        if not isinstance(self.sets, LabelSets):
            raise CandidateError(
                f"ClassCounts: expected LabelSets; got {type(self.sets).__name__}. Read other "
                "forms with LabelSets.from_any first."
            )
        bounds = _checked_bounds(self.bounds, self.sets)
        bounds.setflags(write=False)
        object.__setattr__(self, "bounds", bounds)
        self._check_each_class()

    @classmethod
    def balanced(cls, sets: LabelSets) -> "ClassCounts":
        """Each class has n / K rows, rounded down or up.

        Examples
        --------
        >>> ClassCounts.balanced(LabelSets.from_mask(np.ones((7, 3)))).bounds
        array([[2, 3],
               [2, 3],
               [2, 3]])
        """
        n, n_classes = sets.shape
        return cls(sets, np.tile([n // n_classes, -(-n // n_classes)], (n_classes, 1)))

    def infeasible(self, why: str) -> CandidateError:
        """The error that no labels keep the counts, for the reason `why`."""
        return CandidateError(
            f"ClassCounts: no labels of the sets keep the counts {self.bounds.tolist()} (smallest "
            f"and largest of each class): {why}. Widen the counts or the sets."
        )

    def _check_each_class(self) -> None:
        """Raise an error if a class alone, or the total, shows that no labels keep the counts."""
        n, names = len(self.sets), listed(self.classes)
        smallest, largest = self.bounds.sum(axis=0).tolist()
        if not smallest <= n <= largest:
            raise self.infeasible(f"they sum to {smallest} to {largest} rows, and there are {n}")
        only = np.count_nonzero(self.mask[self.sets.is_single], axis=0)
        some = np.count_nonzero(self.mask, axis=0)
        wrong = (only > self.bounds[:, 1]) | (some < self.bounds[:, 0])
        if wrong.any():
            k = int(wrong.argmax())
            raise self.infeasible(
                f"class {names[k]!r} is the only candidate of {only[k]} rows and a candidate of "
                f"{some[k]}"
            )

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, K)``."""
        return self.sets.shape

    @property
    def ndim(self) -> int:
        """2, the dimensions of the mask."""
        return self.sets.ndim

    def __getitem__(self, rows: Any) -> Any:
        rows = row_index("ClassCounts", rows)
        if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
            return self.sets[rows]
        selected = self.sets[rows]
        if not np.array_equal(np.sort(np.arange(len(self))[rows]), np.arange(len(self))):
            raise CandidateError(
                f"ClassCounts: {len(selected)} of {len(self)} rows are selected, and the counts of "
                "a part are not known. Select rows of the attribute sets, and give them counts of "
                "their own."
            )
        return ClassCounts(selected, self.bounds)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return iter(self.sets)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return self.sets.__array__(dtype, copy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writeable; the constructor makes them read-only.
        return ClassCounts, (self.sets, self.bounds)

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return self.sets == other.sets and np.array_equal(self.bounds, other.bounds)

    def __repr__(self) -> str:
        counts = zip(listed(self.classes), self.bounds.tolist(), strict=True)
        ranges = ", ".join(f"{low} to {high} of {name!r}" for name, (low, high) in counts)
        return f"ClassCounts({len(self)} rows, {ranges})"

    # ------------------------------------------------------------------ contents of the sets

    @property
    def mask(self) -> BoolArray:
        """Which classes are candidates of which row, ``(n, K)``."""
        return self.sets.mask

    @property
    def classes(self) -> AnyArray:
        """The K classes."""
        return self.sets.classes

    @property
    def weights(self) -> FloatArray | None:
        """Soft weights over the candidates, ``(n, K)``, or None."""
        return self.sets.weights

    @property
    def n_classes(self) -> int:
        """``K``."""
        return self.sets.n_classes

    @property
    def sizes(self) -> IntArray:
        """Candidates per row, ``(n,)``."""
        return self.sets.sizes

    @property
    def is_single(self) -> BoolArray:
        """Rows with one candidate, ``(n,)``."""
        return self.sets.is_single

    @property
    def is_whole(self) -> BoolArray:
        """Rows that may be any class, ``(n,)``."""
        return self.sets.is_whole

    @property
    def informative(self) -> BoolArray:
        """Rows whose set excludes some class, ``(n,)``; the counts are not considered."""
        return self.sets.informative

    @property
    def unused_classes(self) -> AnyArray:
        """Classes that are a candidate of no row."""
        return self.sets.unused_classes

    def distribution(self) -> FloatArray:
        """``(n, K)``, rows sum to one: the weights if there are any, else uniform on each set."""
        return self.sets.distribution()

    def contains(self, labels: Any) -> BoolArray:
        """Whether ``labels[j]`` is in the set of row j, ``(n,)``; unknown labels are in no set."""
        return self.sets.contains(labels)

    def with_classes(self, classes: Any) -> "ClassCounts":
        """The same sets and counts over other classes; an added class has no rows."""
        sets, place = self.sets.with_classes(classes), positions(self.classes)
        absent = [0, 0]
        bounds = [self.bounds[place[k]] if k in place else absent for k in listed(sets.classes)]
        return ClassCounts(sets, np.array(bounds))

    def to_sets(self) -> list[frozenset[Any]]:
        """The sets as a list of n frozensets."""
        return self.sets.to_sets()


def _checked_bounds(bounds: Any, sets: LabelSets) -> IntArray:
    try:
        table = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        _refuse_form(f"got {bounds!r}", sets)
    if table.shape != (sets.n_classes, 2):
        _refuse_form(f"got shape {table.shape}", sets)
    # Counts are integers, so that rounding inwards excludes no labels. With integer bounds all
    # vertices of the polytope of counted labels are labels.
    rounded = np.column_stack([np.ceil(table[:, 0]), np.floor(np.minimum(table[:, 1], len(sets)))])
    wrong = ~((table[:, 0] >= 0) & (rounded[:, 0] <= rounded[:, 1]))
    if wrong.any():
        k = int(wrong.argmax())
        raise CandidateError(
            f"ClassCounts: the counts of class {listed(sets.classes)[k]!r} are "
            f"{table[k].tolist()}; expected 0 <= smallest <= largest, an integer between them, and "
            f"at most {len(sets)} rows."
        )
    counts: IntArray = rounded.astype(np.intp)
    return counts


def _refuse_form(got: str, sets: LabelSets) -> Never:
    raise CandidateError(
        f"ClassCounts: expected bounds of shape ({sets.n_classes}, 2), the smallest and the "
        f"largest number of rows of each class; {got}. For equal sizes use "
        "ClassCounts.balanced(sets)."
    )


def label_candidates(y: Any, classes: Any = None, unlabeled: Any = None) -> Any:
    """`LabelSets.from_any`, except that `ClassCounts` keep their counts.

    Examples
    --------
    >>> counts = ClassCounts.balanced(LabelSets.from_mask(np.ones((4, 2))))
    >>> label_candidates(counts) is counts, type(label_candidates(["a", "b"])).__name__
    (True, 'LabelSets')
    """
    if isinstance(y, ClassCounts):
        return y if classes is None else y.with_classes(classes)
    return LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
