"""Interval-regression data in the folders of the max-margin interval tree benchmarks."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from disambig.datasets.loaders.tables import numbers, read_csv, read_only
from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class IntervalData:
    """Inputs with an interval each that contains the target; the arrays are read-only.

    Attributes
    ----------
    X : float array (n, d)
    intervals : float array (n, 2)
        Lower and upper end; ``-inf`` and ``inf`` if there is none.
    folds : int array (n,), or None
        The fold of each row in the published split.
    feature_names : tuple of d str
    name : str
    """

    X: FloatArray
    intervals: FloatArray
    folds: IntArray | None
    feature_names: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "intervals", read_only(self.intervals))
        if self.folds is not None:
            object.__setattr__(self, "folds", read_only(self.folds))


def load_interval_folder(path: str | os.PathLike[str]) -> IntervalData:
    r"""Read ``features.csv``, ``targets.csv`` and, if it exists, ``folds.csv`` of a folder.

    Each has a header and a row for each sample. The two columns of the targets are the lower and
    the upper end, with ``-inf`` and ``inf``; the one column of the folds is an integer.

    Parameters
    ----------
    path : path
        The folder.

    Returns
    -------
    IntervalData

    Raises
    ------
    DatasetError
        The files have different numbers of rows, or an interval is empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.datasets import load_interval_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     base = pathlib.Path(folder)
    ...     _ = (base / "features.csv").write_text("x\n0.5\n2\n")
    ...     _ = (base / "targets.csv").write_text("lower,upper\n-Inf,1.5\n0,3\n")
    ...     data = load_interval_folder(base)
    >>> data.intervals
    array([[-inf,  1.5],
           [ 0. ,  3. ]])
    """
    base = Path(path)
    feature_names, X = _table(base / "features.csv")
    _, intervals = _table(base / "targets.csv", n_rows=len(X), n_columns=2)
    lower, upper = intervals.T
    # These comparisons are False for NaN.
    is_valid = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
    _require(base / "targets.csv", is_valid, intervals, "an interval, lower <= upper")
    return IntervalData(X, intervals, _folds(base / "folds.csv", len(X)), feature_names, base.name)


def _folds(path: Path, n_rows: int) -> IntArray | None:
    if not path.exists():
        return None
    _, table = _table(path, n_rows=n_rows, n_columns=1)
    _require(path, np.isfinite(table[:, 0]) & (table[:, 0] % 1 == 0), table, "an integer")
    return table[:, 0].astype(np.intp)


def _table(
    path: Path, *, n_rows: int | None = None, n_columns: int | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    header, cells = read_csv(path)
    if n_columns is not None and len(header) != n_columns:
        raise DatasetError(f"{path}: has the columns {list(header)}; expected {n_columns}.")
    if n_rows is not None and len(cells) != n_rows:
        raise DatasetError(f"{path}: has {len(cells)} rows, and features.csv {n_rows}.")
    return header, numbers(path, header, cells)


def _require(path: Path, is_valid: BoolArray, table: AnyArray, expected: str) -> None:
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise DatasetError(
            f"{path}: row {row} is {table[row].tolist()}; expected {expected} "
            f"({np.count_nonzero(~is_valid)} such rows)."
        )
