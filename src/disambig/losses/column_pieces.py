"""The pieces of sets of numbers in one column, and the uniform law on them."""

from typing import NamedTuple

import numpy as np

from disambig.candidates.interval_pieces import Pieces, rows_of_pieces
from disambig.candidates.interval_unions import IntervalUnions
from disambig.candidates.intervals import Intervals
from disambig.candidates.sets_of_numbers import RealSets
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray

__all__ = ["Law", "column_pieces", "uniform_law"]


class Law(NamedTuple):
    """A law for each row that is uniform on stretches of the line.

    Attributes
    ----------
    owner : int array (stretches,)
        The row; one without stretches says nothing.
    lower, upper : float array (stretches,), finite
    mass : float array (stretches,)
        Those of a row sum to one.
    """

    owner: IntArray
    lower: FloatArray
    upper: FloatArray
    mass: FloatArray


def column_pieces(sets: RealSets, column: int) -> Pieces:
    """The pieces of every row in one column: sorted, disjoint, at least one a row.

    Examples
    --------
    >>> column_pieces(Intervals(np.array([0.0, 2.0]), np.array([1.0, 2.0])), 0).upper
    array([1., 2.])
    """
    if isinstance(sets, IntervalUnions):
        return Pieces(sets.lower, sets.upper, sets.indptr)
    if isinstance(sets, Intervals):
        return Pieces(sets.lower[:, column], sets.upper[:, column], np.arange(len(sets) + 1))
    raise MissingOracleError(
        f"A loss on the line needs the pieces of the sets, which {type(sets).__name__} does not "
        "have. Pass Intervals or IntervalUnions."
    )


def uniform_law(pieces: Pieces) -> Law:
    """The uniform law on each set, its mean being what `RealSets.centers` says.

    Pieces count by their length; where all are points, they count the same. Half-lines outweigh
    what is bounded and stand for their finite ends, each counting the same. The whole line has no
    law.

    Examples
    --------
    >>> law = uniform_law(Pieces(np.array([0.0, 3.0]), np.array([1.0, 6.0]), np.array([0, 2])))
    >>> law.mass
    array([0.25, 0.75])
    """
    owner = rows_of_pieces(pieces.indptr)
    lengths = pieces.upper - pieces.lower
    longest = np.maximum.reduceat(lengths, pieces.indptr[:-1])[owner]
    # A share of the longest cannot overflow. Infinite lengths are equal, and so are zeros.
    shares = np.where(lengths == longest, 1.0, 0.0)
    between = np.isfinite(longest) & (longest > 0)
    shares[between] = lengths[between] / longest[between]

    lower = np.where(np.isfinite(pieces.lower), pieces.lower, pieces.upper)
    upper = np.where(np.isfinite(pieces.upper), pieces.upper, pieces.lower)
    heard = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper) & (shares > 0))
    totals = np.add.reduceat(shares, pieces.indptr[:-1])
    mass = shares[heard] / totals[owner[heard]]
    return Law(owner[heard], lower[heard], upper[heard], mass)
