"""Class shares of bags, as users write them, to bounds on class counts.

Whole numbers (`int`) are counts of rows, numbers with a point (`float`) are fractions of the bag.
What could be both is refused, and the error shows both.
"""

import math
import numbers
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np

from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.labels.classes import listed, positions, preview, sorted_labels
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.reading import dense_array, is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, IntArray

# Fractions that were rounded before they were written down may miss one by this much.
_SUM_TOLERANCE = 0.005
# Products of fractions and numbers of rows are whole up to this, relative to the number of rows.
_ROUNDING = 1e-9
_ALL = "all rows"


def bag_counts(
    y: Any,
    bags: Any = None,
    proportions: Any = None,
    *,
    n: int | None = None,
    classes: Any = None,
    unlabeled: Any = None,
) -> ClassCounts:
    """Candidate sets, and for each bag of rows bounds on the number of rows of each class.

    Parameters
    ----------
    y : array-like, n rows, or None
        Candidate sets in any form that `LabelSets.from_any` reads. None: every row may be any
        class of the proportions.
    bags : array-like (n,), optional
        The name of the bag of each row. None: all rows are one bag, and `proportions` is a mapping
        from class to share.
    proportions : mapping of bag to mapping of class to share, or frame (bags, classes)
        A share is a count (an int), a fraction (a float), or a pair of the smallest and the largest
        of either. What is missing (no entry, None, NaN) is free. Fractions of a bag of m rows
        become m times the fraction, rounded down to the smallest and up to the largest number of
        rows; if those of all classes miss the sum of one by at most .005, they are divided by it.
        Counts of all classes must sum to m. Bags without rows are ignored.
    n : int, optional
        The number of rows, if y is None; needed if there are no bags either.
    classes, unlabeled
        See `LabelSets.from_any`.

    Examples
    --------
    >>> found = bag_counts(
    ...     None, ["u", "u", "v", "v", "v"], {"u": {"a": 1, "b": 1}, "v": {"a": 0.5, "b": 0.5}}
    ... )
    >>> found
    ClassCounts(5 rows in 2 bags, classes ['a', 'b'])
    >>> found.bounds.tolist()
    [[[1, 1], [1, 1]], [[1, 2], [1, 2]]]
    """
    if isinstance(y, ClassCounts):
        raise CandidateError(
            "proportions: y has class counts already. Give the sets alone, y.sets, with all "
            "proportions, or y without proportions."
        )
    table = _proportion_table(proportions, has_bags=bags is not None)
    names = None if bags is None else _bag_names(bags)
    n = len(names) if n is None and names is not None else n
    sets = _sets(y, table, n, classes, unlabeled)
    if names is not None and len(names) != len(sets):
        raise CandidateError(
            f"bags must have one entry for each of the {len(sets)} rows; got {len(names)}."
        )
    if names is None:
        names = [_ALL] * len(sets)
    found, first, codes = _numbered(names)
    _refuse_missing(table, found, first, codes)
    sizes = np.bincount(codes)
    bounds = np.stack(
        [
            _Reader(sets.classes, name, size).bounds(table[name])
            for name, size in zip(found, sizes.tolist(), strict=True)
        ]
    )
    return ClassCounts(sets, bounds, codes, tuple(found))


def _sets(y: Any, table: Mapping[Any, Any], n: int | None, classes: Any, unlabeled: Any) -> Any:
    if y is not None:
        return LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    if n is None:
        raise CandidateError("proportions: without y and bags the number of rows n is needed.")
    if classes is None:
        named = {name for shares in table.values() for name in shares}
        if not named:
            raise CandidateError(
                "proportions name no class, and there is no y. Give shares of classes, or classes."
            )
        classes = sorted_labels(named)
    whole = np.ones((n, len(classes)), dtype=np.bool_)
    return LabelSets.from_mask(whole, classes)


# ---------------------------------------------------------------------- tables and names


def _proportion_table(proportions: Any, *, has_bags: bool) -> dict[Any, dict[Any, Any]]:
    """``{bag: {class: share}}``; the only bag is `_ALL` if there are no bags."""
    if proportions is None:
        raise CandidateError(
            "bags need proportions: a mapping {bag: {class: share}}, or a frame with one row for "
            "each bag and one column for each class."
        )
    if hasattr(proportions, "columns") and hasattr(proportions, "to_dict"):
        if not has_bags:
            raise CandidateError(
                "proportions: a frame has one row for each bag, and there are no bags. Pass bags=, "
                "or for all rows together a mapping {class: share}."
            )
        _refuse_repeated(proportions)
        table: dict[Any, dict[Any, Any]] = {
            bag: {name: proportions[name].iloc[i] for name in proportions.columns}
            for i, bag in enumerate(proportions.index.tolist())
        }
        return table
    if hasattr(proportions, "to_dict"):
        proportions = proportions.to_dict()
    if not isinstance(proportions, Mapping) or not proportions:
        raise CandidateError(
            "proportions must be a mapping "
            f"{'{bag: {class: share}}' if has_bags else '{class: share}'}"
            f"{', or a frame (bags, classes)' if has_bags else ''}; got {proportions!r:.80}."
        )
    nested = [isinstance(shares, Mapping) for shares in proportions.values()]
    if has_bags and not all(nested):
        name = list(proportions)[nested.index(False)]
        raise CandidateError(
            f"proportions[{name!r}] is {proportions[name]!r:.60}, and there are bags. If {name!r} "
            "is a bag, give {class: share} for it. If it is a class, say which rows are meant: "
            "{bag: {class: share}} for each bag, or bags=None for all rows together."
        )
    if not has_bags and any(nested):
        name = list(proportions)[nested.index(True)]
        raise CandidateError(
            f"proportions[{name!r}] holds the shares of a bag, and bags is None. Pass the bag of "
            "every row as bags=, or for all rows together a mapping {class: share}."
        )
    return dict(proportions) if has_bags else {_ALL: dict(proportions)}


def _refuse_repeated(frame: Any) -> None:
    for what, names in (("bag", frame.index), ("class", frame.columns)):
        repeated = names[names.duplicated()].tolist()
        if repeated:
            raise CandidateError(
                f"proportions: {what} {repeated[0]!r} occurs more than once. Give it once."
            )


def _bag_names(bags: Any) -> list[Any]:
    """The names of the bags of all rows; raises if a row has none."""
    values = dense_array(bags)
    if values.ndim != 1:
        raise CandidateError(
            f"bags must hold the name of the bag of each row, (n,); got shape {values.shape}."
        )
    names = listed(values)
    missing = [row for row, name in enumerate(names) if is_missing(name)]
    if missing:
        raise CandidateError(
            f"bags: row {missing[0]} has no bag ({len(missing)} such rows). Put rows of which "
            "nothing is known into a bag of their own, with the proportions {}."
        )
    return names


def numbered_bags(bags: Any) -> tuple[list[Any], IntArray]:
    """The distinct names of bags in the order of their first rows, and the bag of each row.

    Examples
    --------
    >>> names, codes = numbered_bags(["v", "u", "v"])
    >>> names, codes.tolist()
    (['v', 'u'], [0, 1, 0])
    """
    names, _, codes = _numbered(_bag_names(bags))
    return names, codes


def _numbered(names: list[Any]) -> tuple[list[Any], list[int], IntArray]:
    """The distinct names in the order of their first rows, these rows, and the bag of each row."""
    number: dict[Any, int] = {}
    first: list[int] = []
    codes = np.empty(len(names), dtype=np.intp)
    for row, name in enumerate(names):
        code = number.setdefault(name, len(number))
        if code == len(first):
            first.append(row)
        codes[row] = code
    return list(number), first, codes


def _refuse_missing(
    table: Mapping[Any, Any], found: list[Any], first: list[int], codes: IntArray
) -> None:
    missing = [b for b, name in enumerate(found) if name not in table]
    if not missing:
        return
    b = missing[0]
    texts = {str(name) for name in table}
    hint = ""
    if str(found[b]) in texts:
        hint = f" (there is a bag of the same text and another type than {type(found[b]).__name__})"
    raise CandidateError(
        f"proportions: bag {found[b]!r} (row {first[b]}, {np.count_nonzero(codes == b)} rows) is "
        f"not among the bags {preview(list(table))}{hint}; in all, {len(missing)} are missing. Add "
        "their shares, or {} if nothing is known."
    )


# ---------------------------------------------------------------------- the shares of one bag


class _Share(NamedTuple):
    """Two ends, and whether they must be counts or fractions; None: zeros and ones may be both."""

    low: float
    high: float
    is_count: bool | None


class _Reader:
    """Reads the shares of one bag.

    Parameters
    ----------
    classes : array (K,)
    name : object
        Of the bag.
    size : int
        Its number of rows.
    """

    def __init__(self, classes: AnyArray, name: Any, size: int) -> None:
        self.classes = classes
        self.name = name
        self.size = size
        self.where = f"proportions of {'bag ' if name is not _ALL else ''}" + (
            name if name is _ALL else repr(name)
        )

    def bounds(self, shares: Mapping[Any, Any]) -> IntArray:
        """``(K, 2)``."""
        place = positions(self.classes)
        given: dict[int, _Share] = {}
        for name, value in shares.items():
            if name not in place:
                raise CandidateError(
                    f"{self.where}: {name!r} is not a class of the rows; these are "
                    f"{preview(listed(self.classes))}. Name all classes by classes=[...]."
                )
            share = self._share(name, value)
            if share is not None:
                given[place[name]] = share
        table = np.tile(np.array([0.0, self.size]), (len(self.classes), 1))
        if given:
            ends = np.array([[share.low, share.high] for share in given.values()])
            table[list(given)] = self._rows(given, ends)
        found: IntArray = table.astype(np.intp)
        return found

    def _rows(self, given: Mapping[int, _Share], ends: Any) -> Any:
        """Ends as numbers of rows ``(given, 2)``."""
        is_exact = bool((ends[:, 0] == ends[:, 1]).all())
        total = float(ends[:, 0].sum())
        is_all = len(given) == len(self.classes) and is_exact
        if self._are_counts(given, total):
            if is_all and total != self.size:
                raise CandidateError(
                    f"{self.where}: the counts sum to {total:g}, and the bag has {self.size} rows. "
                    "If a split has cut the bag, keep bags whole (BagKFold) or give fractions; "
                    "else rows or counts are missing."
                )
            if ends[:, 0].sum() > self.size:
                raise CandidateError(
                    f"{self.where}: the counts ask for at least {ends[:, 0].sum():g} rows, and the "
                    f"bag has {self.size}. If a split has cut the bag, keep bags whole (BagKFold) "
                    "or give fractions; else rows are missing."
                )
            return np.minimum(ends, self.size)
        if is_all:
            if abs(total - 1.0) > _SUM_TOLERANCE:
                self._refuse_sum(total, "1")
            ends = ends / total
        elif ends[:, 0].sum() > 1.0 + _SUM_TOLERANCE:
            self._refuse_sum(float(ends[:, 0].sum()), "at most 1")
        slack = _ROUNDING * max(self.size, 1)
        rows = ends * self.size
        return np.stack([np.floor(rows[:, 0] + slack), np.ceil(rows[:, 1] - slack)], axis=1)

    def _refuse_sum(self, total: float, expected: str) -> NoReturn:
        raise CandidateError(
            f"{self.where}: the fractions sum to {total:.6g}; expected {expected}. Correct them, "
            "or leave out a class whose share is not known."
        )

    def _are_counts(self, given: Mapping[int, _Share], total: float) -> bool:
        """Whether the numbers are counts; raises if they are of both kinds or of either."""
        names, kinds = listed(self.classes), [share.is_count for share in given.values()]
        if True in kinds and False in kinds:
            count, fraction = (list(given)[kinds.index(kind)] for kind in (True, False))
            raise CandidateError(
                f"{self.where}: class {names[count]!r} has a count and class "
                f"{names[fraction]!r} a fraction. Give all as counts (int) or all as fractions "
                "(float)."
            )
        if None not in kinds or True in kinds or False in kinds:
            return True in kinds
        # Only the whole numbers 0 and 1: the same for a bag of one row, and for zeros.
        is_whole_bag = len(given) == len(self.classes) and total == self.size
        ones = [k for k, share in given.items() if share.high == 1.0]
        if ones and not is_whole_bag and self.size > 1:
            raise CandidateError(
                f"{self.where}: the 1 of class {names[ones[0]]!r} may be one of {self.size} rows, "
                "or all of them. Write 1.0 for all rows; for one row give the counts of all "
                f"classes, which sum to {self.size}."
            )
        return True

    def _share(self, name: Any, value: Any) -> _Share | None:
        """A share as ends; None if it is free."""
        if isinstance(value, (tuple, list, np.ndarray)):
            if len(value) != 2:
                self._refuse(name, value)
            low, high = (self._number(name, end) for end in value)
            if low is None and high is None:
                return None
            if low is None or high is None or low[0] > high[0]:
                self._refuse(name, value)
            kinds = {low[1], high[1]}
            if {True, False} <= kinds:
                self._refuse(name, value)
            known = [kind for kind in (low[1], high[1]) if kind is not None]
            return _Share(low[0], high[0], known[0] if known else None)
        number = self._number(name, value)
        return None if number is None else _Share(number[0], number[0], number[1])

    def _number(self, name: Any, value: Any) -> tuple[float, bool | None] | None:
        """A number, and whether it is a count, a fraction (False) or either (None)."""
        if is_missing(value):
            return None
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            self._refuse(name, value)
        number = float(value)
        if not math.isfinite(number) or number < 0.0:
            self._refuse(name, value)
        if isinstance(value, numbers.Integral):
            return number, (None if number <= 1.0 else True)
        if number > 1.0:
            raise CandidateError(
                f"{self.where}: class {name!r} has {value!r}, a float above 1. A fraction is at "
                "most 1.0; write a count as an int."
            )
        return number, False

    def _refuse(self, name: Any, value: Any) -> NoReturn:
        raise CandidateError(
            f"{self.where}: class {name!r} has {value!r:.60}; expected a count (int), a fraction "
            "(float from 0 to 1), a pair (smallest, largest) of either, or None if it is not known."
        )
