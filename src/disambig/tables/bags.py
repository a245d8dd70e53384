"""Bags of rows in a table: a column with their names, and a file with the class shares of each."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from disambig.candidates import Intervals, LabelSets, MeanBounds, bag_counts
from disambig.candidates.labels.assignment import require_feasible
from disambig.candidates.labels.bag_counts import numbered_bags
from disambig.candidates.labels.class_counts import ClassCounts, is_in_bags
from disambig.candidates.reading import is_missing
from disambig.exceptions import CandidateError, TableError
from disambig.tables.reading import RawTable, read_table
from disambig.tables.source import pandas

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?|\.[0-9]+")


def read_proportions(data: Any) -> Any:
    """Class shares of bags, ``{bag: {class: share}}``, with texts as names.

    Parameters
    ----------
    data : path, frame or mapping
        A table has one row for each bag, with its name in the first column, and one column for each
        class. A cell is a count (``12``), a fraction (``0.25``, ``25%``), bounds (``3..5``) or
        blank, if the share is not known. A JSON file holds ``{bag: {class: share}}``, or
        ``{class: share}`` for all rows; bounds are lists.

    Examples
    --------
    >>> import pandas as pd
    >>> read_proportions(pd.DataFrame({"place": ["u", "v"], "cat": ["3", ""], "dog": ["1", "20%"]}))
    {'u': {'cat': 3, 'dog': 1}, 'v': {'cat': None, 'dog': 0.2}}
    """
    if isinstance(data, Mapping):
        return _texts(data)
    name = str(data) if isinstance(data, (str, Path)) else "proportions"
    if isinstance(data, (str, Path)) and Path(data).suffix.lower() == ".json":
        try:
            found = json.loads(Path(data).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TableError(f"{name}: the proportions cannot be read: {error}") from error
        if not isinstance(found, dict):
            raise TableError(f"{name}: expected an object of JSON, {{bag: {{class: share}}}}.")
        return _texts(found)
    table = data if hasattr(data, "columns") else read_table(data).frame
    if len(table.columns) < 2:
        raise TableError(f"{name}: expected the names of bags, and one column for each class.")
    shares: dict[str, dict[str, Any]] = {}
    for row in table.itertuples(index=False):
        bag = name_text(row[0])
        if bag in shares:
            raise TableError(f"{name}: bag {bag!r} has two rows; give its shares once.")
        cells = zip(table.columns[1:], row[1:], strict=True)
        shares[bag] = {str(label): _share(cell, bag, label, name) for label, cell in cells}
    return shares


def _texts(data: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name_text(key): _texts(value) if isinstance(value, Mapping) else value
        for key, value in data.items()
    }


def name_text(cell: Any) -> str:
    """A name as a text; whole floats as integers, as columns with blanks have them."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _share(cell: Any, bag: str, label: Any, name: str) -> Any:
    if not isinstance(cell, str):
        return None if is_missing(cell) else cell
    text = cell.strip()
    if not text:
        return None
    parts = text.split("..")
    if len(parts) <= 2 and all(_NUMBER.fullmatch(part.removesuffix("%").strip()) for part in parts):
        ends = tuple(map(_number, parts))
        return ends if len(ends) == 2 else ends[0]
    raise TableError(
        f"{name}: bag {bag!r} has {text!r} for class {str(label)!r}; expected a count (12), a "
        "fraction (0.25 or 25%), bounds (3..5), or a blank if it is not known."
    )


def _number(text: str) -> int | float:
    text = text.strip()
    if text.endswith("%"):
        return float(text[:-1]) / 100.0
    return int(text) if text.isdigit() else float(text)


def names_of_bags(table: RawTable, column: Any) -> list[str] | None:
    """The bag of each row of a table as a text; None without a column."""
    if column is None:
        return None
    cells = table.frame[column].tolist()
    for row, cell in enumerate(cells):
        if is_missing(cell) or not name_text(cell):
            raise table.source.error(
                "the row has no bag. Give it one, with blank shares if nothing is known of it.",
                row,
                column,
            )
    return [name_text(cell) for cell in cells]


def counted(
    table: RawTable, sets: Any, column: Any, proportions: Any, classes: Any = None
) -> ClassCounts:
    """Candidate sets (None: any class) of the rows of a table, with the class counts of bags.

    Raises
    ------
    TableError
        With the bag, the class or the rows that do not fit.
    """
    names = names_of_bags(table, column)
    if names is not None and proportions is None:
        raise table.source.error(
            "bags need the shares of their classes: proportions.", None, column
        )
    shares = read_proportions(proportions)
    try:
        if sets is not None:
            shares = _with_own_labels(shares, sets.classes)
        found = bag_counts(sets, names, shares, n=len(table.frame), classes=classes)
        require_feasible(found)
    except CandidateError as error:
        raise table.source.error(" ".join(str(error).split()), column=column) from error
    return found


def _with_own_labels(shares: Any, classes: Any) -> Any:
    """Shares with the labels of the target, which may not be texts."""
    own = {str(label): label for label in classes.tolist()}
    if not any(isinstance(value, Mapping) for value in shares.values()):
        return {own.get(name, name): value for name, value in shares.items()}
    return {
        bag: {own.get(name, name): value for name, value in of_bag.items()}
        for bag, of_bag in shares.items()
    }


def kept_bounds(candidates: Any) -> list[Any] | None:
    """The bounds of bags as plain data, in the order of their first rows; None without bags.

    Bags are then found again in the same table; see `in_known_bags`.
    """
    if not candidates.couples_rows:
        return None
    known = candidates.bag_bounds if is_in_bags(candidates) else candidates.bounds
    return [
        [[_finite(end) for end in ends] for ends in bag]
        if is_in_bags(candidates)
        else [_finite(end) for end in bag]
        for bag in known.tolist()
    ]


def _finite(end: Any) -> Any:
    return end if np.isfinite(end) else None


def in_known_bags(table: RawTable, sets: Any, column: Any, bounds: list[Any], names: Any) -> Any:
    """Sets of the table that was read before, with the bounds of its bags.

    Parameters
    ----------
    table : RawTable
    sets : LabelSets, Intervals or None
        None: the table has no target columns.
    column : str or None
        Of the bags; None: all rows are one.
    bounds : list
        As of `kept_bounds`.
    names : tuple or None
        The classes, if there are no sets.
    """
    of_rows = names_of_bags(table, column)
    found, codes = numbered_bags(["all rows"] * len(table.frame) if of_rows is None else of_rows)
    if np.ndim(bounds[0]) == 2:
        if sets is None:
            sets = LabelSets.from_mask(np.ones((len(codes), len(names)), np.bool_), list(names))
        return ClassCounts(sets, np.array(bounds), codes, tuple(found))
    if sets is None:
        sets = Intervals(np.full(len(codes), -np.inf), np.full(len(codes), np.inf))
    low, high = np.array(bounds, dtype=np.float64).T
    ends = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return MeanBounds(sets, np.stack(ends, axis=1), codes, tuple(found))


def bag_table(counts: ClassCounts, codes: Any, distributions: Any) -> Any:
    """One row for each bag, as a frame: rows, and how many have each class, given and recovered.

    Parameters
    ----------
    counts : ClassCounts
    codes : int array (n,)
        The recovered labels.
    distributions : float array (n, K)
        Probabilities of the classes of each row by the other rows.
    """
    bags, bounds, sizes = counts.bag_of_row, counts.bag_bounds, counts.bag_sizes
    found = np.zeros(bounds.shape[:2], dtype=np.intp)
    np.add.at(found, (bags, codes), 1)
    expected = np.zeros(bounds.shape[:2])
    np.add.at(expected, bags, distributions)
    columns: dict[str, Any] = {
        "bag": [counts.bag_name(b) for b in range(len(bounds))],
        "rows": sizes,
    }
    for k, label in enumerate(counts.classes.tolist()):
        low, high = bounds[:, k].T.tolist()
        columns[f"given {label}"] = [
            str(a) if a == b else f"{a}..{b}" for a, b in zip(low, high, strict=True)
        ]
        columns[f"labels {label}"] = found[:, k]
        columns[f"expected {label}"] = expected[:, k].round(1)
    is_kept = ((found >= bounds[..., 0]) & (found <= bounds[..., 1])).all(axis=1)
    columns["kept"] = is_kept
    return pandas().DataFrame(columns)
