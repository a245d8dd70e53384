"""`FeaturePlan`: which columns are features, how they are read, and what was dropped."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from disambig.candidates.look_alikes import spelling
from disambig.notation import FloatArray
from disambig.tables.features.column_types import NO, YES, ColumnPlan, cell_text
from disambig.tables.features.dates import date_parts, days_of_stamps, days_of_texts
from disambig.tables.features.preprocessing import make_preprocessor
from disambig.tables.number_texts import clear_mark, point_values
from disambig.tables.reading import raw_table
from disambig.tables.source import Source, pandas, plain_data, shown
from disambig.tables.targets.columns import missing_columns
from disambig.tables.values import Values, column_values
from disambig.votes.entries import MAX_ENTRY


@dataclass(frozen=True)
class FeaturePlan:
    """How feature columns are read, from this and from new tables. Plain data, for JSON.

    Attributes
    ----------
    columns : tuple of ColumnPlan
    dropped : dict of str to str
        Columns that are no features, and why.
    missing : tuple of str or None
        Words that say nothing beside the usual ones; none at all if it is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables import plan_features
    >>> frame = pd.DataFrame({"size": ["1,200", "?", "3"], "colour": ["red", "Red", "blue"]})
    >>> plan = plan_features(frame)
    >>> plan
    FeaturePlan(2 columns: 1 number, 1 category; 0 dropped)
    >>> plan.read(frame)["size"].tolist()
    [1200.0, nan, 3.0]
    >>> plan.make_preprocessor().fit_transform(plan.read(frame)).shape
    (3, 4)
    """

    columns: tuple[ColumnPlan, ...]
    dropped: dict[Any, str] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None

    @property
    def names(self) -> list[Any]:
        """The columns that a new table must have."""
        return [column.name for column in self.columns]

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for column in self.columns:
            counts[column.type] = counts.get(column.type, 0) + 1
        kinds = ", ".join(f"{n} {name}" for name, n in counts.items())
        return f"FeaturePlan({len(self.columns)} columns: {kinds}; {len(self.dropped)} dropped)"

    def read(self, data: Any) -> Any:
        """The features of a table as a frame of floats and texts, ``(n, ...)``.

        The order of columns does not matter, and others are ignored. A column that is not there,
        and a cell that does not fit its type, raise a `TableError`.

        Parameters
        ----------
        data : RawTable, frame or file

        Returns
        -------
        pandas.DataFrame
            Numbers, truth values and parts of dates as floats, NaN where missing; categories and
            texts as texts, empty where missing. `make_preprocessor` takes it.
        """
        table = raw_table(data)
        absent = [name for name in self.names if name not in table.frame.columns]
        if absent:
            raise table.source.error(missing_columns(absent, list(table.frame.columns)))
        parts: dict[str, Any] = {}
        for column in self.columns:
            series = table.frame[column.name]
            values = None
            if not is_plain_number(series, column):
                values = column_values(series, table.source, self.missing)
            parts |= read_column(series, values, column, table.source)
        return pandas().DataFrame(parts, index=table.frame.index)

    def unseen(self, X: Any) -> list[str]:
        """Sentences about categories that the first table did not have.

        Parameters
        ----------
        X : pandas.DataFrame
            As of `read`.

        Examples
        --------
        >>> import pandas as pd
        >>> from disambig.tables import plan_features
        >>> plan = plan_features(pd.DataFrame({"hue": ["red", "Red", "blue"]}))
        >>> plan.unseen(plan.read(pd.DataFrame({"hue": ["green", "RED", ""]})))[0]
        "Column 'hue': 1 cell has a category that the first table did not have, such as 'green'."
        """
        notes = []
        for column in self.columns:
            if not column.categories:
                continue
            texts = X[str(column.name)]
            new = texts[~texts.isin([*column.categories, ""])]
            if len(new):
                what = "cell has a category" if len(new) == 1 else "cells have categories"
                notes.append(
                    f"Column {shown(column.name)}: {len(new)} {what} that the first table did not "
                    f"have, such as {shown(new.iloc[0])}."
                )
        return notes

    def make_preprocessor(self) -> Any:
        """A new ColumnTransformer of scikit-learn parts for the frames of `read`."""
        return make_preprocessor(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "columns": [plain_data(asdict(column)) for column in self.columns],
            "dropped": {str(name): reason for name, reason in self.dropped.items()},
            "missing": None if self.missing is None else list(self.missing),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "FeaturePlan":
        """The plan of such plain data.

        Parameters
        ----------
        fields : mapping
            As `to_dict` returns it.
        """
        missing = fields["missing"]
        return cls(
            tuple(
                ColumnPlan(**{**column, "categories": tuple(column.get("categories", ()))})
                for column in fields["columns"]
            ),
            dict(fields["dropped"]),
            None if missing is None else tuple(missing),
        )


def is_plain_number(series: Any, column: ColumnPlan) -> bool:
    """Whether a column is numbers or time stamps already, so that no cell has to be looked at."""
    is_numeric = pandas().api.types.is_numeric_dtype(series.dtype) and series.dtype.kind != "c"
    kinds = {"number": is_numeric or series.dtype.kind == "m", "date": series.dtype.kind == "M"}
    return bool(kinds.get(column.type, False))


def read_column(
    series: Any, values: Values | None, column: ColumnPlan, source: Source
) -> dict[str, Any]:
    """The typed columns that one column becomes, ``(n,)`` each.

    Parameters
    ----------
    series : pandas.Series (n,)
    values : Values of the same column, or None if `is_plain_number`
    column : ColumnPlan
    source : Source
    """
    name = str(column.name)
    if column.type == "number":
        return {name: _numbers(series, values, column, source)}
    if column.type == "date":
        days = days_of_stamps(series) if values is None else _days(values, column, source)
        parts = date_parts(days, column.has_times)
        return {f"{name}: {part}": numbers for part, numbers in parts.items()}
    if values is None:
        raise AssertionError("only numbers and dates need no values")
    if column.type == "boolean":
        return {name: _booleans(values, source)}
    normal = spelling if column.type == "category" else str
    texts = np.array([*(normal(cell_text(value)) for value in values.values), ""], dtype=object)
    return {name: pandas().Series(texts[values.codes], index=series.index, dtype=object)}


def _numbers(series: Any, values: Values | None, column: ColumnPlan, source: Source) -> FloatArray:
    numbers: FloatArray
    if values is not None and not is_plain_number(series, column):
        # A new file may have another decimal mark than the first one, if its numbers show it.
        other = "," if column.decimal == "." else "."
        shows_it = any(other in text for text in values.texts)
        mark = clear_mark(values.texts) if shows_it else None
        known = (column.unit, column.currency)
        numbers = point_values(values, mark or column.decimal, source, known)
    elif series.dtype.kind == "m":
        numbers = np.asarray(series / pandas().Timedelta(seconds=1), dtype=np.float64)
    else:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise source.error(
            f"{shown(series.iloc[row])} is infinite. Write a finite number, or leave the cell "
            f"blank.",
            row,
            column.name,
        )
    large = np.abs(numbers) > MAX_ENTRY
    if large.any():
        row = int(np.argmax(large))
        raise source.error(
            f"{shown(series.iloc[row])} is too large for a feature: squares of numbers beyond "
            f"{MAX_ENTRY:g} overflow. Leave the cell blank, or the column out by drop=.",
            row,
            column.name,
        )
    return numbers


def _booleans(values: Values, source: Source) -> FloatArray:
    bits = np.full(len(values.values) + 1, np.nan)
    for code, value in enumerate(values.values):
        word = spelling(str(value))
        if word in YES or word in ("1", "1.0"):
            bits[code] = 1.0
        elif word in NO or word in ("0", "0.0"):
            bits[code] = 0.0
        else:
            raise source.error(
                f"{shown(value)} is neither yes nor no.", int(values.first[code]), values.column
            )
    return np.asarray(bits[values.codes])


def _days(values: Values, column: ColumnPlan, source: Source) -> FloatArray:
    """Days since 1970, ``(n,)``, NaN where a date is missing."""
    if column.date_format is None:
        days = days_of_stamps(pandas().Series(values.values, dtype=object))
    else:
        days = days_of_texts([str(value) for value in values.values], column.date_format)
    if np.isnan(days).any():
        code = int(np.argmax(np.isnan(days)))
        raise source.error(
            f"{shown(values.values[code])} is no date of the form "
            f"{column.date_format or 'of the first table'}.",
            int(values.first[code]),
            values.column,
        )
    return np.asarray(np.append(days, np.nan)[values.codes])
