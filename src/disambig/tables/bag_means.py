"""Bags of rows in a table of numbers: a file with the mean of each bag."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from disambig.candidates import MeanBounds, bag_means
from disambig.candidates.numbers.amounts import amount_text
from disambig.candidates.reading import is_missing
from disambig.exceptions import CandidateError, TableError
from disambig.tables.bags import name_text, names_of_bags
from disambig.tables.reading import RawTable, read_table
from disambig.tables.source import pandas

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
# Means that are kept are off by rounding, relative to the largest.
_ROUNDING = 1e-6


def read_means(data: Any) -> dict[str, Any]:
    """Means of bags, ``{bag: mean}``, with texts as names.

    Parameters
    ----------
    data : path, frame, Series or mapping
        A table has one row for each bag: its name, and its mean. A cell is a number (``12.5``),
        bounds (``10..15``) or blank, if the mean is not known. A JSON file holds ``{bag: mean}``;
        bounds are lists.

    Examples
    --------
    >>> import pandas as pd
    >>> read_means(pd.DataFrame({"place": ["u", "v", "w"], "mean": ["-3.5", "1..2", ""]}))
    {'u': -3.5, 'v': (1.0, 2.0), 'w': None}
    """
    name = str(data) if isinstance(data, (str, Path)) else "means"
    if isinstance(data, (str, Path)) and Path(data).suffix.lower() == ".json":
        try:
            data = json.loads(Path(data).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TableError(f"{name}: the means cannot be read: {error}") from error
        if not isinstance(data, dict):
            raise TableError(f"{name}: expected an object of JSON, {{bag: mean}}.")
    if hasattr(data, "to_dict") and not hasattr(data, "columns"):
        data = data.to_dict()
    if isinstance(data, Mapping):
        return {name_text(bag): value for bag, value in data.items()}
    table = data if hasattr(data, "columns") else read_table(data).frame
    if len(table.columns) != 2:
        raise TableError(
            f"{name}: expected two columns, the names of bags and their means; got "
            f"{len(table.columns)}. Bounds are written as 10..15 in one column."
        )
    means: dict[str, Any] = {}
    for row in table.itertuples(index=False):
        bag = name_text(row[0])
        if bag in means:
            raise TableError(f"{name}: bag {bag!r} has two rows; give its mean once.")
        means[bag] = _mean(row[1], bag, name)
    return means


def _mean(cell: Any, bag: str, name: str) -> Any:
    if not isinstance(cell, str):
        return None if is_missing(cell) else cell
    text = cell.strip()
    if not text:
        return None
    parts = [part.strip() for part in text.split("..")]
    if len(parts) <= 2 and all(map(_NUMBER.fullmatch, parts)):
        ends = tuple(map(float, parts))
        return ends if len(ends) == 2 else ends[0]
    raise TableError(
        f"{name}: bag {bag!r} has the mean {text!r}; expected a number (12.5), bounds (10..15), or "
        "a blank if it is not known. The decimal mark is a point, and there are no units."
    )


def with_means(table: RawTable, sets: Any, column: Any, means: Any) -> MeanBounds:
    """Intervals (None: any number) of the rows of a table, with the means of bags.

    Raises
    ------
    TableError
        With the bag or the rows that do not fit.
    """
    names = names_of_bags(table, column)
    if names is None:
        raise table.source.error("means are of bags: name the column of the bags by bags.")
    try:
        return bag_means(sets, names, read_means(means))
    except CandidateError as error:
        raise table.source.error(" ".join(str(error).split()), column=column) from error


def mean_table(means: MeanBounds, labels: Any) -> Any:
    """One row for each bag, as a frame: rows, and the mean as given and of the labels.

    Parameters
    ----------
    means : MeanBounds
    labels : float array (n,)
        The recovered numbers.
    """
    found = np.bincount(means.bags, np.asarray(labels, dtype=np.float64)) / means.sizes
    low, high = means.bounds.T
    finite = np.abs(means.bounds[np.isfinite(means.bounds)])
    slack = _ROUNDING * max(float(finite.max(initial=0.0)), float(np.abs(found).max()))
    return pandas().DataFrame(
        {
            "bag": [means.bag_name(b) for b in range(len(found))],
            "rows": means.sizes,
            "given mean": [_bounds_text(*ends) for ends in means.bounds.tolist()],
            "mean of labels": found,
            "kept": (found >= low - slack) & (found <= high + slack),
        }
    )


def _bounds_text(low: float, high: float) -> str:
    if low == high:
        return amount_text(low)
    ends = [amount_text(end) if np.isfinite(end) else "" for end in (low, high)]
    return "..".join(ends) if any(ends) else "not known"
