"""A comma-separated file with a header, as texts."""

import csv
from pathlib import Path

import numpy as np

from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, FloatArray

__all__ = ["numbers", "read_csv"]


def read_csv(path: Path) -> tuple[tuple[str, ...], AnyArray]:
    """The names of the columns, and the cells as a text array (n, d); outer blanks are dropped."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = [[cell.strip() for cell in line] for line in csv.reader(stream)]
    except (csv.Error, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: not a comma-separated text in UTF-8 ({error}).") from error
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise DatasetError(f"{path}: the file is empty. Expected a header and rows.")
    header, rows = tuple(lines[0]), lines[1:]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise DatasetError(f"{path}: the header names {repeated} more than once. Rename them.")
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise DatasetError(
                f"{path}: row {number} has {len(row)} cells, and the header {len(header)}. Rows "
                "are counted from 0 below the header."
            )
    return header, np.array(rows, dtype=np.str_).reshape(len(rows), len(header))


def numbers(path: Path, header: tuple[str, ...], cells: AnyArray) -> FloatArray:
    """The cells as floats of the same shape; the first that is no number is named."""
    try:
        return np.asarray(cells.astype(np.float64))
    except ValueError:
        for row, column in np.ndindex(cells.shape):
            _require_number(path, row, header[column], str(cells[row, column]))
        raise


def _require_number(path: Path, row: int, column: str, cell: str) -> None:
    try:
        float(cell)
    except ValueError:
        raise DatasetError(
            f"{path}: row {row}, column {column!r} holds {cell!r}; expected a number. Rows are "
            "counted from 0 below the header."
        ) from None
