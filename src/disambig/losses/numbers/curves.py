"""The pieces of sets of numbers in one column, and the uniform law on them.

Losses as curves: what each sample pays along the line, ready to be summed and minimised.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.candidates.numbers.unions import IntervalUnions
from disambig.compiled.piecewise import Curves, Domains, minimise_dense, minimise_sparse
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray
from disambig.tolerances import tie_tolerance
from disambig.votes import Votes, row_blocks


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


def column_segments(sets: NumberSets, column: int) -> Segments:
    """The pieces of every row in one column: sorted, disjoint, at least one a row.

    Examples
    --------
    >>> column_segments(Intervals(np.array([0.0, 2.0]), np.array([1.0, 2.0])), 0).upper
    array([1., 2.])
    """
    if isinstance(sets, IntervalUnions):
        return Segments(sets.lower, sets.upper, sets.indptr)
    if isinstance(sets, Intervals):
        return Segments(sets.lower[:, column], sets.upper[:, column], np.arange(len(sets) + 1))
    raise MissingOracleError(
        f"A loss on the line needs the pieces of the sets, which {type(sets).__name__} does not "
        "have. Pass Intervals or IntervalUnions."
    )


def uniform_law(pieces: Segments) -> Law:
    """The uniform law on each set, its mean being what `NumberSets.centers` says.

    Segments count by their length; where all are points, they count the same. Half-lines outweigh
    what is bounded and stand for their finite ends, each counting the same. The whole line has no
    law.

    Examples
    --------
    >>> law = uniform_law(Segments(np.array([0.0, 3.0]), np.array([1.0, 6.0]), np.array([0, 2])))
    >>> law.mass
    array([0.25, 0.75])
    """
    owner = rows_of_segments(pieces.indptr)
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


class Kinks(NamedTuple):
    """Where curves change: slope and curvature (the factor of ``z^2``) jump at a position.

    Attributes
    ----------
    owner : int array (kinks,)
        The sample whose curve it is.
    position : float array (kinks,), finite
    slope, curvature : float array (kinks,), or float
        The jumps.
    side : int
        1 for the curve that a positive vote means, -1 for a negative one, 0 for both.
    """

    owner: IntArray
    position: FloatArray
    slope: FloatArray | float = 0.0
    curvature: FloatArray | float = 0.0
    side: int = 0


def bend(
    ends: tuple[float, float],
    slopes: FloatArray,
    curvatures: FloatArray,
    kinks: Iterable[Kinks],
    steepest: float,
) -> Curves:
    """Curves from their first pieces and their kinks.

    Parameters
    ----------
    ends : (float, float)
        Where they begin and cease to matter.
    slopes, curvatures : float array (2, n)
        Of the pieces left of all kinks, at the first end: for positive and for negative votes.
    kinks : Kinks
    steepest : float
        The largest slope that a curve can have between the ends.

    Examples
    --------
    >>> once, at_three = np.ones((2, 1)), Kinks(np.array([0]), np.array([3.0]), slope=2.0)
    >>> distance = bend((0.0, 9.0), -once, 0 * once, [at_three], steepest=1.0)
    >>> distance.position, distance.slope_jump
    (array([3.]), array([2.]))
    """
    given = list(kinks)
    owner = np.concatenate([kink.owner for kink in given]).astype(np.int64)
    position = np.concatenate([kink.position for kink in given]).astype(np.float64)
    slope = np.concatenate([np.broadcast_to(kink.slope, len(kink.owner)) for kink in given])
    curvature = np.concatenate([np.broadcast_to(kink.curvature, len(kink.owner)) for kink in given])
    side = np.concatenate([np.full(len(kink.owner), kink.side) for kink in given]).astype(np.int64)

    slopes, curvatures = slopes.astype(np.float64), curvatures.astype(np.float64)
    left, right = ends
    passed = position <= left
    for version, sign in enumerate((1, -1)):
        early = passed & (side * sign >= 0)
        turned = slope[early] + 2.0 * curvature[early] * (left - position[early])
        np.add.at(slopes[version], owner[early], turned)
        np.add.at(curvatures[version], owner[early], curvature[early])

    kept = np.flatnonzero(~passed & (position < right))
    order = kept[np.argsort(position[kept], kind="stable")]
    owner, side = owner[order], side[order]
    counts = np.bincount(owner, minlength=slopes.shape[1])
    varies = (slopes != 0) | (curvatures != 0)
    for version, sign in enumerate((1, -1)):
        varies[version, owner[side * sign >= 0]] = True
    return Curves(
        left=float(left),
        slopes=slopes,
        curvatures=curvatures,
        steepness=np.where(varies, float(steepest), 0.0),
        position=position[order],
        slope_jump=slope[order],
        curvature_jump=curvature[order],
        owner=owner,
        side=side,
        indptr=np.append(0, np.cumsum(counts)).astype(np.int64),
        ranks=np.argsort(owner, kind="stable").astype(np.int64),
    )


def one_segment_each(n_rows: int, lower: float, upper: float) -> Segments:
    """The same interval for every row."""
    return Segments(np.full(n_rows, lower), np.full(n_rows, upper), np.arange(n_rows + 1))


def minimise(
    votes: Votes, curves: Curves, domains: Segments, wish: FloatArray | None = None
) -> FloatArray:
    """``argmin over z in domain i of sum_j alpha[i, j] curve_j(z)``, shape ``(q,)``.

    Parameters
    ----------
    votes : Votes (q, n)
    curves : Curves
        n of them.
    domains : Segments
        Of q rows, where the curves matter.
    wish : float array (q,), optional
        Of several minimisers the nearest to it; NaN for none.
    """
    q = votes.shape[0]
    found = np.empty(q)
    lower, upper = (np.array(ends, dtype=np.float64) for ends in domains[:2])
    indptr = np.array(domains.indptr, dtype=np.int64)
    wishes = np.full(q, np.nan) if wish is None else np.array(wish, dtype=np.float64)
    for start, block in row_blocks(votes):
        stop = start + block.shape[0]
        part = Domains(lower, upper, indptr[start : stop + 1], wishes[start:stop])
        flat = tie_tolerance(block.dtype)
        # One type of each array: the compiler makes another version for every other.
        if sp.issparse(block):
            found[start:stop] = minimise_sparse(
                block.indptr.astype(np.int64),
                block.indices.astype(np.int64),
                block.data.astype(np.float64),
                curves,
                part,
                flat,
            )
        else:
            dense = np.require(block, np.float64, ["C", "W"])
            found[start:stop] = minimise_dense(dense, curves, part, flat)
    return found
