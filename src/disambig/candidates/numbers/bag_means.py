"""Reads known means of bags of numbers: names of bags by row, and means by bag."""

import math
import numbers
from collections.abc import Mapping
from typing import Any, Literal, Never

import numpy as np

from disambig.candidates.labels.bag_counts import numbered_bags
from disambig.candidates.labels.classes import preview
from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.candidates.numbers.number_sets import number_sets
from disambig.exceptions import CandidateError


def bag_means(
    y: Any,
    bags: Any,
    means: Any,
    missing: Literal["error", "whole"] = "error",
    unlabeled: Any = None,
) -> MeanBounds:
    """Intervals, and for each bag of rows bounds on the mean of its numbers.

    Parameters
    ----------
    y : array-like, n rows, or None
        Intervals of plain numbers in any form that `number_sets` reads. None: every row may be any
        number.
    bags : array-like (n,)
        The name of the bag of each row.
    means : mapping of bag to mean, or Series
        A mean is a number, a pair of the smallest and the largest, or None if it is not known. Bags
        without rows are ignored, so that the means of all bags may be given for some of them.
    missing, unlabeled
        See `number_sets`.

    Examples
    --------
    >>> found = bag_means(None, ["u", "u", "v"], {"u": 4.0, "v": (1, 2)})
    >>> found.bounds.tolist()
    [[4.0, 4.0], [1.0, 2.0]]
    """
    if isinstance(y, MeanBounds):
        raise CandidateError(
            "means: y has means of bags already. Give the intervals alone, y.sets, with all means, "
            "or y without means."
        )
    if bags is None:
        raise CandidateError("means need bags: the name of the bag of each row, (n,).")
    if means is None:
        raise CandidateError("bags need means: a mapping {bag: mean}.")
    names, codes = numbered_bags(bags)
    sets = _whole(len(codes)) if y is None else number_sets(y, missing, unlabeled)
    if len(codes) != len(sets):
        raise CandidateError(
            f"bags must have one entry for each of the {len(sets)} rows; got {len(codes)}."
        )
    table = means.to_dict() if hasattr(means, "to_dict") else means
    if not isinstance(table, Mapping):
        raise CandidateError(f"means must be a mapping {{bag: mean}}; got {means!r:.80}.")
    absent = [b for b, name in enumerate(names) if name not in table]
    if absent:
        name = names[absent[0]]
        same = str(name) in {str(other) for other in table}
        hint = f" (one has the same text and another type than {type(name).__name__})"
        raise CandidateError(
            f"means: bag {name!r} (row {int(np.argmax(codes == absent[0]))}) is not among the bags "
            f"{preview(list(table))}{hint if same else ''}; in all, {len(absent)} are missing. Add "
            "their means, or None if nothing is known."
        )
    bounds = np.array([_bounds(name, table[name]) for name in names])
    return MeanBounds(sets, bounds, codes, tuple(names))  # type: ignore[arg-type]


def _whole(n: int) -> Intervals:
    return Intervals(np.full(n, -np.inf), np.full(n, np.inf))


def _bounds(name: Any, value: Any) -> tuple[float, float]:
    if value is None:
        return -np.inf, np.inf
    if isinstance(value, (tuple, list, np.ndarray)):
        if len(value) != 2:
            _refuse(name, value)
        return _number(name, value, value[0]), _number(name, value, value[1])
    number = _number(name, value, value)
    if math.isinf(number):
        _refuse(name, value)
    return number, number


def _number(name: Any, value: Any, end: Any) -> float:
    is_number = isinstance(end, numbers.Real) and not isinstance(end, (bool, np.bool_))
    if not is_number or math.isnan(end):
        _refuse(name, value)
    return float(end)


def _refuse(name: Any, value: Any) -> Never:
    raise CandidateError(
        f"means: bag {name!r} has {value!r:.60}; expected a number, a pair (smallest, largest), or "
        "None if the mean is not known."
    )
