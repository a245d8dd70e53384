"""The number that is nearest to all sets at once, in squares: what a score of zero predicts."""

from typing import NamedTuple

import numpy as np

from disambig.candidates.interval_pieces import Pieces, rows_of_pieces
from disambig.notation import FloatArray, IntArray

__all__ = ["best_constant", "squared_distances"]


def squared_distances(pieces: Pieces, constant: float) -> FloatArray:
    """``inf_{y in s[j]} (constant - y)^2``, ``(n,)``."""
    gaps = constant - np.clip(constant, pieces.lower, pieces.upper)
    return np.asarray(np.minimum.reduceat(gaps**2, pieces.indptr[:-1]))


def best_constant(pieces: Pieces, weights: FloatArray) -> float:
    """``argmin_c sum_j weights[j] inf_{y in s[j]} (c - y)^2``; of several one.

    Between two neighbours among all ends and all middles of gaps, each set that c is not in has
    one nearest end, so that the sum is one parabola: all of them are tried.

    Parameters
    ----------
    pieces : Pieces
        Of n rows, sorted and disjoint, at least one with a finite end.
    weights : (n,), none negative

    Examples
    --------
    >>> import numpy as np
    >>> pieces = Pieces(np.array([0.0, 3.0]), np.array([1.0, np.inf]), np.array([0, 1, 2]))
    >>> best_constant(pieces, np.array([1.0, 3.0]))
    2.5
    """
    if np.array_equal(pieces.lower, pieces.upper) and len(pieces.lower) == len(weights):
        return float(np.average(pieces.lower, weights=weights))
    reaches = _reaches(pieces, weights)
    tried = _lowest(reaches, float(np.median(reaches.end)))
    # Once more from there, for the last digits.
    tried += _lowest(reaches, tried[0])
    totals = [float(weights @ squared_distances(pieces, constant)) for constant in tried]
    return tried[int(np.argmin(totals))]


class _Reaches(NamedTuple):
    """An end is the nearest member of its set to all numbers from `start` to `stop`."""

    end: FloatArray
    start: FloatArray
    stop: FloatArray
    weight: FloatArray


def _reaches(pieces: Pieces, weights: FloatArray) -> _Reaches:
    rows = rows_of_pieces(pieces.indptr)
    first, last = pieces.indptr[:-1], pieces.indptr[1:] - 1
    gaps: IntArray = np.flatnonzero(rows[1:] == rows[:-1])
    below, above = pieces.upper[gaps], pieces.lower[gaps + 1]
    middle, of_gap = 0.5 * (below + above), weights[rows[gaps]]
    lowest, highest = pieces.lower[first], pieces.upper[last]
    beyond = np.full(len(first), np.inf)
    table = _Reaches(
        np.concatenate([lowest, below, above, highest]),
        np.concatenate([-beyond, below, middle, highest]),
        np.concatenate([lowest, middle, above, beyond]),
        np.concatenate([weights, of_gap, of_gap, weights]),
    )
    finite = np.isfinite(table.end)
    return _Reaches(*(column[finite] for column in table))


def _lowest(reaches: _Reaches, begin: float) -> list[float]:
    """Where the lowest of all parabolas is lowest, and the stretch that is its own.

    Sums begin at `begin`, which is no lower than the lowest end, and run from there to both
    sides: where they are small, no large ones have been added and taken away again.
    """
    shifted = reaches.end - begin
    moments = reaches.weight * np.stack([np.ones_like(shifted), shifted, shifted**2])
    at_begin = moments[:, (reaches.start <= begin) & (begin < reaches.stop)].sum(axis=1)
    # What starts stands before what stops in the same place: between the two, sums are too large
    # rather than too small.
    places = np.concatenate([reaches.start, reaches.stop])
    jumps = np.concatenate([moments, -moments], axis=1)
    kept = np.flatnonzero(np.isfinite(places))
    order = kept[np.argsort(places[kept], kind="stable")]
    places, jumps = places[order], jumps[:, order]

    passed = int(np.searchsorted(places, begin, side="right"))
    after = np.cumsum(jumps[:, passed:], axis=1)
    before = -np.cumsum(jumps[:, passed - 1 : 0 : -1], axis=1)[:, ::-1]
    here = np.zeros((3, 1))
    mass, first, second = at_begin[:, np.newaxis] + np.hstack([before, here, after])
    right = np.append(places[1:], places[-1])
    low, high = places - begin, right - begin
    bottom = np.clip(np.where(mass > 0, first / np.where(mass > 0, mass, 1.0), low), low, high)
    totals = mass * bottom**2 - 2.0 * first * bottom + second
    best = int(np.argmin(totals))
    # The way back from `begin` rounds: it must not leave the stretch, and an end that lies in every
    # set must be hit exactly.
    edges = float(places[best]), float(right[best])
    return [float(np.clip(bottom[best] + begin, *edges)), *edges]
