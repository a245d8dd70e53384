"""Label sets with bounds on the number of rows of each class: a constraint over rows.

The bounds hold for all rows together, or for each of several groups of rows, called bags.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Never

import numpy as np

from disambig.candidates.labels.classes import listed, positions, preview
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.reading import row_index
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class ClassCounts:
    """`LabelSets` of which ``bounds[k, 0]`` to ``bounds[k, 1]`` rows have class k.

    The counts couple the rows: whether a row may take a class depends on the others. Solvers that
    choose each target on its own raise an error; `AnnealedMinimization` and
    `FrankWolfeMinimization` keep the counts. Without them, if few rows are labeled, all others can
    end in one class.

    A part of a bag has no known counts, so that rows can be selected only by whole bags (all rows
    without bags), in any order. Everything else is that of the sets.

    Parameters
    ----------
    sets : LabelSets
    bounds : array-like (K, 2), with bags (B, K, 2)
        The smallest and the largest number of rows of each class, in the order of the classes.
        Fractions are rounded inwards, which excludes no labels.
    bags : int array (n,), optional
        The bag of each row, from 0 to B - 1; ``bounds[b]`` are then those of bag b. None: all rows
        are one bag.
    names : tuple of B names, optional
        Of the bags, for messages; by default their numbers.

    See Also
    --------
    ClassCounts.balanced : Classes of equal size.
    disambig.candidates.bag_counts : From class shares of bags.

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
    bags: IntArray | None = None
    names: tuple[Any, ...] | None = None

    couples_rows = True

    def __post_init__(self) -> None:
        if not isinstance(self.sets, LabelSets):
            raise CandidateError(
                f"ClassCounts: expected LabelSets; got {type(self.sets).__name__}. Read other "
                "forms with LabelSets.from_any first."
            )
        if self.bags is not None:
            bags = _checked_bags(self.bags, len(self.sets), np.shape(self.bounds))
            bags.setflags(write=False)
            object.__setattr__(self, "bags", bags)
        if self.names is not None:
            object.__setattr__(self, "names", tuple(self.names))
        bounds = _checked_bounds(self.bounds, self.sets, self.bags)
        bounds.setflags(write=False)
        object.__setattr__(self, "bounds", bounds)
        self._check_each_class()

    @classmethod
    def balanced(cls, sets: LabelSets) -> "ClassCounts":
        """Each class has n / K rows, rounded down or up.

        Parameters
        ----------
        sets : LabelSets, n rows of K classes

        Examples
        --------
        >>> ClassCounts.balanced(LabelSets.from_mask(np.ones((7, 3)))).bounds
        array([[2, 3],
               [2, 3],
               [2, 3]])
        """
        n, n_classes = sets.shape
        return cls(sets, np.tile([n // n_classes, -(-n // n_classes)], (n_classes, 1)))

    @property
    def bag_of_row(self) -> IntArray:
        """The bag of each row ``(n,)``; zeros without bags."""
        return np.zeros(len(self), dtype=np.intp) if self.bags is None else self.bags

    @property
    def bag_bounds(self) -> IntArray:
        """``(B, K, 2)``, with B = 1 without bags."""
        return self.bounds.reshape(-1, self.n_classes, 2)

    @property
    def bag_sizes(self) -> IntArray:
        """Rows of each bag, ``(B,)``."""
        return np.bincount(self.bag_of_row, minlength=len(self.bag_bounds))

    def bag_name(self, bag: int) -> Any:
        """The name of a bag for messages; its number if it has none.

        Parameters
        ----------
        bag : int
        """
        return bag if self.names is None else self.names[bag]

    def infeasible(self, why: str, bag: int = 0) -> CandidateError:
        """The error that no labels keep the counts of a bag, for the reason `why`.

        Parameters
        ----------
        why : str
        bag : int, default 0
        """
        where = "" if self.bags is None else f" of bag {self.bag_name(bag)!r}"
        return CandidateError(
            f"ClassCounts: no labels of the sets keep the counts {self.bag_bounds[bag].tolist()}"
            f"{where} (smallest and largest of each class): {why}. Widen the counts or the sets."
        )

    def _check_each_class(self) -> None:
        """Raise an error if a class alone, or the total, shows that no labels keep the counts."""
        bounds, sizes, names = self.bag_bounds, self.bag_sizes, listed(self.classes)
        smallest, largest = bounds[..., 0].sum(axis=1), bounds[..., 1].sum(axis=1)
        wrong = (smallest > sizes) | (largest < sizes)
        if wrong.any():
            b = int(wrong.argmax())
            raise self.infeasible(
                f"they sum to {smallest[b]} to {largest[b]} rows, and there are {sizes[b]}", b
            )
        only = np.zeros(bounds.shape[:2], dtype=np.intp)
        some = np.zeros_like(only)
        single, bags = self.sets.is_single, self.bag_of_row
        np.add.at(only, bags[single], self.mask[single])
        np.add.at(some, bags, self.mask)
        wrong = (only > bounds[..., 1]) | (some < bounds[..., 0])
        if wrong.any():
            b, k = np.argwhere(wrong)[0].tolist()
            raise self.infeasible(
                f"class {names[k]!r} is the only candidate of {only[b, k]} rows and a candidate of "
                f"{some[b, k]}",
                b,
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
        selected, taken = self.sets[rows], np.arange(len(self))[rows]
        sizes = np.bincount(self.bag_of_row[taken], minlength=len(self.bag_bounds))
        whole = (sizes == self.bag_sizes) | ((sizes == 0) & (self.bags is not None))
        if np.unique(taken).size != taken.size or not whole.all():
            b = int(whole.argmin())
            where = "" if self.bags is None else f" in bag {self.bag_name(b)!r}"
            raise CandidateError(
                f"ClassCounts: {sizes[b]} of {self.bag_sizes[b]} rows{where} are selected, and the "
                "counts of a part are not known. Keep bags whole (BagKFold; no sample weight of "
                "zero and no row without input in a part), or select rows of the attribute sets, "
                "and give them counts of their own."
            )
        if self.bags is None:
            return ClassCounts(selected, self.bounds)
        kept = np.flatnonzero(sizes)
        renumbered = np.searchsorted(kept, self.bags[taken])
        names = None if self.names is None else tuple(self.names[b] for b in kept.tolist())
        return ClassCounts(selected, self.bounds[kept], renumbered, names)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return iter(self.sets)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return self.sets.__array__(dtype, copy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writeable; the constructor makes them read-only.
        return ClassCounts, (self.sets, self.bounds, self.bags, self.names)

    # Objects with equal contents are equal, so a hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return (
            self.sets == other.sets
            and np.array_equal(self.bounds, other.bounds)
            and (self.bags is None) == (other.bags is None)
            and np.array_equal(self.bag_of_row, other.bag_of_row)
            and self.names == other.names
        )

    def __repr__(self) -> str:
        if self.bags is not None:
            return (
                f"ClassCounts({len(self)} rows in {len(self.bounds)} bags, "
                f"classes {preview(listed(self.classes))})"
            )
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
        """Whether ``labels[j]`` is in the set of row j, ``(n,)``; unknown labels are in no set.

        Parameters
        ----------
        labels : array-like (n,)
        """
        return self.sets.contains(labels)

    def with_classes(self, classes: Any) -> "ClassCounts":
        """The same sets and counts over other classes; an added class has no rows.

        Parameters
        ----------
        classes : array-like (L,)
            Every class that is a candidate, and others.
        """
        sets, place = self.sets.with_classes(classes), positions(self.classes)
        absent = np.zeros((len(self.bag_bounds), 2), dtype=np.intp)
        known = self.bag_bounds
        bounds = [known[:, place[k]] if k in place else absent for k in listed(sets.classes)]
        table = np.stack(bounds, axis=1)
        return ClassCounts(sets, table[0] if self.bags is None else table, self.bags, self.names)

    def to_sets(self) -> list[frozenset[Any]]:
        """The sets as a list of n frozensets."""
        return self.sets.to_sets()


def _checked_bags(bags: Any, n: int, shape: tuple[int, ...]) -> IntArray:
    codes = np.asarray(bags)
    n_bags = shape[0] if len(shape) == 3 else 0
    is_code = codes.dtype.kind in "iu" and codes.shape == (n,)
    if not is_code or (codes < 0).any() or (codes >= n_bags).any():
        raise CandidateError(
            f"ClassCounts: bags must hold the number of the bag of each of the {n} rows, from 0 to "
            f"{n_bags - 1}, and bounds must have shape (bags, classes, 2); got bounds of shape "
            f"{shape} and bags {codes!r:.80}. Names of bags are read by bag_counts."
        )
    return codes.astype(np.intp)


def _checked_bounds(bounds: Any, sets: LabelSets, bags: IntArray | None) -> IntArray:
    try:
        table = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        _refuse_form(f"got {bounds!r}", sets)
    expected = (sets.n_classes, 2)
    if table.shape[-2:] != expected or table.ndim != (2 if bags is None else 3):
        _refuse_form(f"got shape {table.shape}", sets)
    # Counts are integers, so that rounding inwards excludes no labels. With integer bounds all
    # vertices of the polytope of counted labels are labels.
    sizes = len(sets) if bags is None else np.bincount(bags, minlength=len(table))[:, None]
    largest = np.floor(np.minimum(table[..., 1], sizes))
    rounded = np.stack([np.ceil(table[..., 0]), largest], axis=-1)
    wrong = ~((table[..., 0] >= 0) & (rounded[..., 0] <= rounded[..., 1]))
    if wrong.any():
        *bag, k = np.argwhere(wrong)[0].tolist()
        rows = int(np.broadcast_to(sizes, wrong.shape)[(*bag, k)])
        raise CandidateError(
            f"ClassCounts: the counts of class {listed(sets.classes)[k]!r}"
            f"{f' in bag {bag[0]}' if bag else ''} are {table[(*bag, k)].tolist()}; expected 0 <= "
            f"smallest <= largest, an integer between them, and at most {rows} rows."
        )
    counts: IntArray = rounded.astype(np.intp)
    return counts


def _refuse_form(got: str, sets: LabelSets) -> Never:
    raise CandidateError(
        f"ClassCounts: expected bounds of shape ({sets.n_classes}, 2), the smallest and the "
        f"largest number of rows of each class, and one such table for each bag if there are bags; "
        f"{got}. For equal sizes use ClassCounts.balanced(sets)."
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


def is_in_bags(candidates: Any) -> bool:
    """Whether rows are in bags of known class counts.

    Examples
    --------
    >>> sets = LabelSets.from_mask(np.ones((2, 2)))
    >>> is_in_bags(sets), is_in_bags(ClassCounts(sets, [[[1, 1], [1, 1]]], np.zeros(2, int)))
    (False, True)
    """
    return isinstance(candidates, ClassCounts) and candidates.bags is not None
