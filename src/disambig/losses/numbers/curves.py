"""Losses as curves on the line, one per sample, whose weighted sums `minimise` minimises.

`curves_from_kinks` builds piecewise quadratic curves from the positions where their slope or
curvature jumps. `column_segments` gives the segments of candidate sets in one column, and
`uniform_distributions` the uniform distributions on them.
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
from disambig.votes import Votes
from disambig.votes.blocks import row_blocks
from disambig.votes.entries import tie_tolerance


class UniformDistributions(NamedTuple):
    """A mixture of uniform distributions for each row.

    Attributes
    ----------
    owner : int array (components,)
        The row of each component; a row without components has no distribution.
    lower, upper : float array (components,), finite
        The interval of each component; a point if both are equal.
    probability : float array (components,)
        The weights of the components; those of a row sum to one.
    """

    owner: IntArray
    lower: FloatArray
    upper: FloatArray
    probability: FloatArray


def column_segments(sets: NumberSets, column: int) -> Segments:
    """The segments of every row in one column: sorted, disjoint, at least one per row.

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
        f"A loss between numbers needs the segments of the sets, which {type(sets).__name__} does "
        "not have. Pass Intervals or IntervalUnions."
    )


def uniform_distributions(segments: Segments) -> UniformDistributions:
    """The uniform distribution on each set; its mean is `NumberSets.centers`.

    Segments count by their length; if all are points, they count equally. If a set has half-lines,
    only they count, equally, and each is replaced by its finite end. The whole line has no
    distribution.

    Examples
    --------
    >>> segments = Segments(np.array([0.0, 3.0]), np.array([1.0, 6.0]), np.array([0, 2]))
    >>> uniform_distributions(segments).probability
    array([0.25, 0.75])
    """
    owner = rows_of_segments(segments.indptr)
    lengths = segments.upper - segments.lower
    longest = np.maximum.reduceat(lengths, segments.indptr[:-1])[owner]
    # Lengths relative to the longest one cannot overflow. Infinite lengths, and zeros, are equal.
    shares = np.where(lengths == longest, 1.0, 0.0)
    between = np.isfinite(longest) & (longest > 0)
    shares[between] = lengths[between] / longest[between]

    lower = np.where(np.isfinite(segments.lower), segments.lower, segments.upper)
    upper = np.where(np.isfinite(segments.upper), segments.upper, segments.lower)
    kept = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper) & (shares > 0))
    totals = np.add.reduceat(shares, segments.indptr[:-1])
    probability = shares[kept] / totals[owner[kept]]
    return UniformDistributions(owner[kept], lower[kept], upper[kept], probability)


class Kinks(NamedTuple):
    """Positions where the slope and the curvature (the factor of ``z^2``) of curves jump.

    Attributes
    ----------
    owner : int array (kinks,)
        The sample that the curve belongs to.
    position : float array (kinks,), finite
    slope, curvature : float array (kinks,), or float
        The jumps.
    side : int
        1 for the version of the curve for positive votes, -1 for negative ones, 0 for both.
    """

    owner: IntArray
    position: FloatArray
    slope: FloatArray | float = 0.0
    curvature: FloatArray | float = 0.0
    side: int = 0


def curves_from_kinks(
    ends: tuple[float, float],
    slopes: FloatArray,
    curvatures: FloatArray,
    kinks: Iterable[Kinks],
    max_slope: float,
) -> Curves:
    """Piecewise quadratic curves from their slope and curvature at the left end and their kinks.

    Parameters
    ----------
    ends : (float, float)
        The interval on which the curves are needed.
    slopes, curvatures : float array (2, n)
        Left of all kinks, extrapolated to the left end: for positive and for negative votes.
    kinks : Kinks
    max_slope : float
        A bound on the absolute slopes between the ends.

    Examples
    --------
    >>> ones, at_three = np.ones((2, 1)), Kinks(np.array([0]), np.array([3.0]), slope=2.0)
    >>> distance = curves_from_kinks((0.0, 9.0), -ones, 0 * ones, [at_three], max_slope=1.0)
    >>> distance.position, distance.slope_jump
    (array([3.]), array([2.]))
    """
    groups = list(kinks)
    owner = np.concatenate([group.owner for group in groups]).astype(np.int64)
    position = np.concatenate([group.position for group in groups]).astype(np.float64)
    slope = np.concatenate([np.broadcast_to(group.slope, len(group.owner)) for group in groups])
    curvature = np.concatenate(
        [np.broadcast_to(group.curvature, len(group.owner)) for group in groups]
    )
    side = np.concatenate([np.full(len(group.owner), group.side) for group in groups]).astype(
        np.int64
    )

    slopes, curvatures = slopes.astype(np.float64), curvatures.astype(np.float64)
    left, right = ends
    left_of_start = position <= left
    for version, sign in enumerate((1, -1)):
        selected = left_of_start & (side * sign >= 0)
        slope_change = slope[selected] + 2.0 * curvature[selected] * (left - position[selected])
        np.add.at(slopes[version], owner[selected], slope_change)
        np.add.at(curvatures[version], owner[selected], curvature[selected])

    kept = np.flatnonzero(~left_of_start & (position < right))
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
        slope_scale=np.where(varies, float(max_slope), 0.0),
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
    votes: Votes, curves: Curves, domains: Segments, preferred: FloatArray | None = None
) -> FloatArray:
    """``argmin over z in domain i of sum_j alpha[i, j] curve_j(z)``, shape ``(q,)``.

    Parameters
    ----------
    votes : Votes (q, n)
    curves : Curves
        n curves.
    domains : Segments
        Of q rows, between the ends of the curves.
    preferred : float array (q,), optional
        Of several minimisers the nearest to this point is returned; NaN for no preference.
    """
    q = votes.shape[0]
    found = np.empty(q)
    lower, upper = (np.array(ends, dtype=np.float64) for ends in domains[:2])
    indptr = np.array(domains.indptr, dtype=np.int64)
    preferred_points = (
        np.full(q, np.nan) if preferred is None else np.array(preferred, dtype=np.float64)
    )
    for start, block in row_blocks(votes):
        stop = start + block.shape[0]
        part = Domains(lower, upper, indptr[start : stop + 1], preferred_points[start:stop])
        flat_share = tie_tolerance(block.dtype)
        # Fixed dtypes: numba compiles the function again for every other combination.
        if sp.issparse(block):
            found[start:stop] = minimise_sparse(
                block.indptr.astype(np.int64),
                block.indices.astype(np.int64),
                block.data.astype(np.float64),
                curves,
                part,
                flat_share,
            )
        else:
            dense = np.require(block, np.float64, ["C", "W"])
            found[start:stop] = minimise_dense(dense, curves, part, flat_share)
    return found
