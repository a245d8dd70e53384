"""Dask collections as inputs and targets: partitions as futures, checked before work starts.

Inputs stay in their partitions. Targets, one column or one small table of bits for each row, are
brought to the client.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, Future

from disambig.dask.executor import DaskExecutor
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.parameters import as_array
from disambig.votes.entries import BadEntry, first_bad_entry, widened
from disambig.weights.divided.rows import DividedRows

# How many names an error lists.
_N_NAMES = 5


class PartFacts(NamedTuple):
    """What one partition of inputs says about itself.

    Attributes
    ----------
    n_rows, n_columns : int
    names : tuple of str, or None
        Of the columns of a frame.
    types : tuple of str
        Of the columns; one for an array.
    single : bool
        Whether all columns have single precision.
    bad : BadEntry or None
        The first entry that is infinite or too large.
    missing, without_input : bool array (m,), or None
        Rows in which a cell, and in which every cell is missing; None if there is none.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    types: tuple[str, ...]
    single: bool
    bad: BadEntry | None
    missing: BoolArray | None
    without_input: BoolArray | None


def open_inputs(X: Any) -> Any:
    """A collection; a folder of Parquet files, or a list of files, is read lazily."""
    if isinstance(X, (str, Path)):
        return dd.read_parquet(str(X))
    is_files = isinstance(X, (list, tuple)) and X and all(isinstance(x, (str, Path)) for x in X)
    return dd.read_parquet([str(path) for path in X]) if is_files else X


def target_columns(X: Any, y: Any) -> list[str] | None:
    """The columns of the frame X that y names; None if y holds the targets themselves."""
    if not isinstance(X, dd.DataFrame):
        return None
    if isinstance(y, str):
        if y not in X.columns:
            raise ValueError(
                f"y={y!r} is not a column of X, which has {_listed(list(X.columns))}. Name the "
                "column of the targets, or pass them."
            )
        return [y]
    # A list of texts may also be the labels of the rows.
    is_named = isinstance(y, list) and bool(y) and all(isinstance(name, str) for name in y)
    return list(y) if is_named and set(y) <= set(X.columns) and len(set(y)) == len(y) else None


def is_collection(data: Any) -> bool:
    """Whether data are a Dask array, frame or series."""
    return isinstance(data, (da.Array, dd.DataFrame, dd.Series))


def read_inputs(
    executor: DaskExecutor, X: Any, targets: list[str] | None = None
) -> tuple[DividedRows, Any]:
    """Partitions of X as float arrays on the workers, and those of the columns of targets.

    Raises before anything is learned.
    """
    expected = None
    if isinstance(X, da.Array):
        expected = _array_rows(X, "X")
        if X.ndim != 2:
            raise ValueError(f"X must be two-dimensional (n, d); got shape {X.shape}.")
        parts = X.rechunk({1: -1}).to_delayed().ravel().tolist()
    elif isinstance(X, dd.DataFrame):
        parts = X.to_delayed()
    else:
        raise TypeError(
            f"X is a {type(X).__name__}; expected a dask.array, a dask.dataframe or a folder of "
            "Parquet files. Data in memory are fitted by the estimator itself, or divided by "
            "dask.array.from_array(X, chunks=(100_000, -1))."
        )
    futures, own = _computed(executor.client, parts), None
    if targets is not None:
        part = executor.client.map(columns_of_part, futures, columns=targets, pure=False)
        own = part, targets
        futures = executor.client.map(without_columns, futures, columns=targets, pure=False)
    facts = executor.run(lambda: executor.client.map(describe_part, futures, pure=False), futures)
    heights = [part.n_rows for part in facts]
    if expected is not None and heights != expected:
        raise ValueError(
            f"X: its chunks are said to have {_listed(expected)} rows and have {_listed(heights)}. "
            "Call X.compute_chunk_sizes() first."
        )
    bounds = np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)
    _check_parts(facts, bounds)
    single = all(part.single for part in facts if part.n_rows)
    checked = executor.client.map(float_part, futures, single=single, pure=False)
    rows = DividedRows(
        tuple(checked),
        bounds,
        facts[0].n_columns,
        executor,
        facts[0].names,
        _marks([part.missing for part in facts], heights),
        _marks([part.without_input for part in facts], heights),
    )
    return rows, own


def _marks(parts: Sequence[BoolArray | None], heights: Sequence[int]) -> BoolArray | None:
    """The marks of all rows; None if no part has any."""
    if all(part is None for part in parts):
        return None
    return np.concatenate(
        [
            np.zeros(height, np.bool_) if part is None else part
            for part, height in zip(parts, heights, strict=True)
        ]
    )


def columns_of_part(part: Any, columns: list[str]) -> Any:
    """Some columns of a frame; a series if it is one."""
    return part[columns[0] if len(columns) == 1 else columns]


def without_columns(part: Any, columns: list[str]) -> Any:
    """A frame without some columns."""
    return part.drop(columns=columns)


def _array_rows(X: Any, name: str) -> list[int]:
    """The rows of each chunk; raises if they are not known."""
    rows = list(X.chunks[0])
    if any(np.isnan(size) for sizes in X.chunks for size in sizes):
        raise ValueError(
            f"{name} is a dask.array of unknown chunk sizes, as selections and frames give them. "
            f"Call {name}.compute_chunk_sizes() first, so that rows can be counted."
        )
    return [int(size) for size in rows]


def _computed(client: Client, parts: Sequence[Any]) -> list[Future]:
    futures: list[Future] = client.compute(list(parts), optimize_graph=False)
    return futures


def describe_part(part: Any) -> PartFacts:
    """What a partition of inputs says about itself."""
    if isinstance(part, pd.DataFrame):
        names: tuple[str, ...] | None = tuple(map(str, part.columns))
        types = [part[name].dtype for name in part.columns]
    else:
        part = np.asarray(part)
        names, types = None, [part.dtype]
    numeric = all(getattr(one, "kind", "O") in "biuf" for one in types)
    bad = missing = empty = None
    if numeric and len(part):
        entries = np.asarray(part, dtype=np.float64)
        holes = np.isnan(entries)
        bad = first_bad_entry(np.where(holes, 0.0, entries))
        missing = some if (some := np.any(holes, axis=1)).any() else None
        empty = some if (some := np.all(holes, axis=1)).any() else None
    return PartFacts(
        int(part.shape[0]),
        int(part.shape[1]),
        names,
        tuple(map(str, types)),
        all(one == np.float32 for one in types),
        bad,
        missing,
        empty,
    )


def float_part(part: Any, single: bool) -> AnyArray:
    """The rows of a partition as floats, in single precision only if all partitions are."""
    array = np.ascontiguousarray(part, dtype=np.float32 if single else np.float64)
    found: AnyArray = widened(array)
    return found


def _check_parts(facts: Sequence[PartFacts], bounds: IntArray) -> None:
    first = facts[0]
    for number, part in enumerate(facts):
        where = f"X: partition {number} (rows {bounds[number]} to {bounds[number + 1]})"
        if (part.n_columns, part.names) != (first.n_columns, first.names):
            own = part.n_columns if part.names is None else _listed(part.names)
            others = first.n_columns if first.names is None else _listed(first.names)
            raise ValueError(
                f"{where} has the columns {own}, and partition 0 has {others}. Give all partitions "
                "the same columns in the same order."
            )
        if part.types != first.types and part.n_rows and first.n_rows:
            names = part.names or ("all columns",)
            place = next(k for k, t in enumerate(part.types) if t != first.types[k])
            raise ValueError(
                f"{where} has {part.types[place]} in {names[place]!r}, and partition 0 has "
                f"{first.types[place]}. Convert the column to one type, by X.astype."
            )
        for place, name in enumerate(part.types):
            if np.dtype(object) == _numpy_type(name) or _numpy_type(name).kind not in "biuf":
                column = part.names[place] if part.names else "its entries"
                raise ValueError(
                    f"{where} has {name} in {column!r}; expected numbers. Encode texts as numbers "
                    "first, or drop the column."
                )
        if part.bad is not None:
            row = int(bounds[number]) + part.bad.row
            place = part.bad.column
            column = repr(part.names[place]) if part.names else str(place)
            raise ValueError(
                f"X: row {row}, column {column} has {part.bad.value:g} ({part.bad.total} such "
                f"entries in partition {number}); expected finite numbers up to 1e36, or NaN for a "
                "missing cell."
            )
    if not bounds[-1]:
        raise ValueError("X has no rows.")
    if not first.n_columns:
        raise ValueError("X has no columns.")


def _numpy_type(name: str) -> Any:
    try:
        return np.dtype(name)
    except TypeError:
        # Types of pandas: texts, categories, nullable numbers.
        return np.dtype(object)


def read_targets(executor: DaskExecutor, y: Any, own: Any, bounds: IntArray) -> Any:
    """The targets of all rows on the client, in a form that estimators read.

    A collection must have the partitions of X; `own` are futures of columns of X with the names
    of these columns, or None.
    """
    if own is not None:
        return _gathered(executor, own[0], own[1])
    if not is_collection(y):
        if isinstance(y, str):
            raise TypeError(f"y={y!r} names a column, and X is no frame. Pass the targets.")
        n = len(y)
        if n != bounds[-1]:
            raise ValueError(
                f"X has {bounds[-1]} rows and y has {n}: inconsistent numbers of samples. Give one "
                "set of candidates for each row of X."
            )
        return y
    if isinstance(y, da.Array):
        _array_rows(y, "y")
        y = y.rechunk({1: -1}) if y.ndim == 2 else y
        parts = y.to_delayed().ravel().tolist()
    else:
        parts = y.to_delayed()
    futures = _computed(executor.client, parts)
    heights = executor.run(lambda: executor.client.map(len, futures, pure=False), futures)
    expected = np.diff(bounds).tolist()
    if heights != expected:
        raise ValueError(
            f"X has partitions of {_listed(expected)} rows, and y of {_listed(heights)}. Give both "
            "the same partitions, as by y.rechunk or y.repartition; of a frame, name columns as y."
        )
    return _gathered(executor, futures, list(y.columns) if isinstance(y, dd.DataFrame) else ())


def _gathered(executor: DaskExecutor, futures: Sequence[Future], names: Sequence[str]) -> Any:
    """One array; a frame if there are columns with names, which are those of classes."""
    client = executor.client
    found = executor.run(lambda: client.map(target_part, futures, pure=False), futures)
    joined: AnyArray = np.concatenate(found)
    return pd.DataFrame(joined, columns=list(names)) if joined.ndim == 2 and names else joined


def target_part(part: Any) -> AnyArray:
    """The targets of one partition as an array."""
    return as_array(part)


def _listed(values: Sequence[Any]) -> str:
    shown = ", ".join(str(value) for value in values[:_N_NAMES])
    return shown + (", ..." if len(values) > _N_NAMES else "")
