"""Inputs and targets in files: training rows of which any can be read, and new rows in chunks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from disambig.exceptions import TableError
from disambig.parameters import as_array
from disambig.storage.opening import ArrayRows, open_rows
from disambig.storage.parquet import ParquetRows, column_names, read_columns
from disambig.storage.rows import ArrayFile


class TrainingRows(NamedTuple):
    """Inputs in a file, and the targets in memory.

    Attributes
    ----------
    X : ArrayFile (n, d)
    names : tuple of str, or None
        Of the columns of X.
    y : targets of n rows
    """

    X: ArrayFile
    names: tuple[str, ...] | None
    y: Any


def is_parquet(X: Any) -> bool:
    """Whether X names Parquet files: a folder, a file or a list of them.

    Examples
    --------
    >>> is_parquet("rows.npy"), is_parquet("rows/"), is_parquet(["a.parquet"])
    (False, True, True)
    """
    if isinstance(X, (str, Path)):
        return Path(X).suffix != ".npy"
    return isinstance(X, (list, tuple)) and all(isinstance(one, (str, Path)) for one in X)


def training_rows(X: Any, y: Any, folder: Path) -> TrainingRows:
    """Inputs and targets of a fit; Parquet files are copied to a folder as rows of numbers.

    Parameters
    ----------
    X : path, array, or sequence of paths
        As of `disambig.storage.opening.open_rows`.
    y : targets, or the name or names of their columns in Parquet files
    folder : Path
    """
    if not is_parquet(X):
        return TrainingRows(open_rows(X, folder), None, y)
    every = column_names(X)
    targets = target_columns(every, y)
    features = [name for name in every if name not in (targets or ())]
    if not features:
        raise TableError(f"X: there is no column beside the targets {targets}.")
    if targets is not None:
        frame = read_columns(X, targets)
        y = as_array(frame[targets[0]]) if len(targets) == 1 else frame
    return TrainingRows(open_rows(X, folder, columns=features), tuple(features), y)


def target_columns(every: list[str], y: Any) -> list[str] | None:
    """The columns that y names; None if y holds the targets themselves.

    Examples
    --------
    >>> target_columns(["size", "label"], "label"), target_columns(["size"], [{"a"}, {"b"}])
    (['label'], None)
    """
    if isinstance(y, str):
        if y not in every:
            raise TableError(
                f"y={y!r} is not a column of X, which has {every}. Name the column of the targets, "
                "or pass them."
            )
        return [y]
    # A list of texts may also be the labels of the rows.
    is_named = isinstance(y, list) and bool(y) and all(isinstance(name, str) for name in y)
    return list(y) if is_named and set(y) <= set(every) and len(set(y)) == len(y) else None


def new_rows(X: Any, names: tuple[str, ...] | None, n_rows: int) -> Iterator[Any] | None:
    """New rows in chunks of at most `n_rows`; None if X is small enough, or no file or array.

    Parameters
    ----------
    X : path, array, or sequence of paths
    names : tuple of str, or None
        Of the columns in the fit.
    n_rows : int
    """
    source: Any
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.shape[0] <= n_rows or X.dtype.kind not in "biuf":
            return None
        source = ArrayRows(X)
    elif is_parquet(X):
        source = ParquetRows.open(X, names)
    elif isinstance(X, (str, Path)):
        source = ArrayFile.open(X)
    else:
        return None
    if source.columns is None:
        chunks: Iterator[Any] = source.chunks(n_rows)
        return chunks
    import pandas as pd

    return (pd.DataFrame(chunk, columns=source.columns) for chunk in source.chunks(n_rows))
