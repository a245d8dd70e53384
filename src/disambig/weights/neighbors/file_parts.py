"""Rows of a file in parts that are searched one after the other, nearest parts first."""

import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray
from disambig.storage.rows import ArrayFile, bounds_of
from disambig.votes.entries import largest_entry
from disambig.weights.inputs import entry_error
from disambig.weights.neighbors.box_tree import distances_to_box
from disambig.weights.neighbors.parts import NearestRows, RowIndex, merge_lists, search_part


@dataclass(frozen=True, eq=False)
class RowParts:
    """Rows in a file, divided into parts, with the box of each part.

    Parameters
    ----------
    X : ArrayFile
    bounds : list of int
    lower, upper : float64, (parts, d)
    checksum : int
        Of all rows.
    """

    X: ArrayFile
    bounds: list[int]
    lower: FloatArray
    upper: FloatArray
    checksum: int

    @classmethod
    def of(cls, X: ArrayFile, part_rows: int) -> "RowParts":
        """Read all rows once: their entries are checked.

        Raises
        ------
        VotesError
            If an entry is not finite, or so large or small that squares leave the range.
        """
        n, d = X.shape
        if not n or not d:
            raise VotesError(
                f"{Path(X.path).name}: expected at least one row and one column; got shape "
                f"{X.shape}."
            )
        bounds = bounds_of(n, part_rows)
        lower, upper = np.empty((2, len(bounds) - 1, d))
        checksum, largest = 0, 0.0
        for part, (start, stop) in enumerate(pairwise(bounds)):
            rows = X.rows(start, stop)
            error = entry_error(rows, first_row=start)
            if error is not None:
                raise VotesError(f"{Path(X.path).name}: {error}")
            lower[part], upper[part] = rows.min(axis=0), rows.max(axis=0)
            checksum = zlib.crc32(rows.data, checksum)
            largest = max(largest, largest_entry(rows))
        error = entry_error(np.array([[largest]]), training=True)
        if error is not None:
            raise VotesError(f"{Path(X.path).name}: {error}")
        return cls(X, bounds, lower, upper, checksum)

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return len(self.bounds) - 1

    def index(self, part: int, n_jobs: int | None = None) -> RowIndex:
        """The index of one part, built anew."""
        start, stop = self.bounds[part], self.bounds[part + 1]
        return RowIndex.build(self.X.rows(start, stop), start, n_jobs=n_jobs)


def nearest_rows(
    parts: RowParts,
    queries: AnyArray,
    width: int,
    *,
    first: int = 0,
    held: RowIndex | None = None,
    n_jobs: int | None = None,
) -> NearestRows:
    """The nearest of all rows to some queries, one part after the other.

    Parameters
    ----------
    parts : RowParts
    queries : float64 or float32, (q, d)
    width : int
    first : int
        The number of the first query, if they are rows: their own parts are searched first. The
        result does not depend on it.
    held : RowIndex, optional
        The index of the only part, if there is one.
    n_jobs : int or None
    """
    table = NearestRows.none(queries.shape[0], width)
    # Their own parts probably have many of the neighbours, so that others are searched less.
    bounds = np.asarray(parts.bounds)
    apart = np.maximum(bounds[:-1] - (first + queries.shape[0] - 1), first - (bounds[1:] - 1))
    for part in np.argsort(apart, kind="stable").tolist():
        limits = table.limits
        near = distances_to_box(queries, parts.lower[part], parts.upper[part]) <= limits
        if not near.any():
            continue
        index = parts.index(part, n_jobs) if held is None else held
        if near.all():
            found = search_part(index, queries, width, limits=limits, n_jobs=n_jobs)
        else:
            few = search_part(index, queries[near], width, limits=limits[near], n_jobs=n_jobs)
            found = NearestRows.none(queries.shape[0], width)
            found.distances[near], found.indices[near] = few.distances, few.indices
        del index
        table = merge_lists(table, found)
    return table
