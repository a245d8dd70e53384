"""Which distributions of the label a distribution of candidate sets leaves possible.

Where in the simplex of distributions a prediction is best.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# All orders of the classes are tried, and all events.
_MOST_CLASSES = 8
# What counts as lying on a frontier, in units of the largest difference between two losses.
_ROUNDING = 1e-11
# Pairs of vertices looked at together: bounds the memory of the search for edges.
_PAIRS = 4096


@dataclass(frozen=True, eq=False)
class CompatibleDistributions:
    """``R_nu = {mu : mu = sum_s nu(s) pi_s, pi_s a distribution on s}``, Definition 1 of the paper.

    A polytope inside the simplex: each set hands its share to its members, in any proportion.

    Parameters
    ----------
    classes : array (K,)
    vertices : float array (V, K)
        Each set hands its whole share to one member, the first in some order of the classes.
    average : float array (K,)
        Each set shares out evenly: what average candidates learn from.
    masses : float array (2 ** K,)
        The share of all sets inside an event, at least which the event must have; bit k of the
        index says whether class k belongs to it.
    """

    classes: AnyArray
    vertices: FloatArray
    average: FloatArray
    masses: FloatArray

    def contains(self, distributions: FloatArray, tolerance: float = 1e-12) -> BoolArray:
        """Which of these distributions, ``(N, K)``, are compatible, ``(N,)``.

        They are where no event has less than the sets inside it.
        """
        events = _events(len(self.classes))
        enough = distributions @ events.T >= self.masses - tolerance
        total = np.abs(distributions.sum(axis=1) - 1) <= max(tolerance, 1e-9)
        return np.asarray(enough.all(axis=1) & total)


def compatible_distributions(sets: LabelSets, shares: Any = None) -> CompatibleDistributions:
    """The distributions over the classes compatible with one over sets.

    Parameters
    ----------
    sets : LabelSets
        At most eight classes.
    shares : array-like (n,), optional
        ``nu``: non-negative, scaled to sum one; each row alike by default, so that the rows of a
        neighbourhood can be given as they are.

    Examples
    --------
    Half of the sets say "a", half say nothing: "a" has at least one half.

    >>> from disambig.candidates import LabelSets
    >>> found = compatible_distributions(LabelSets.from_any([{"a"}, {"a", "b"}]))
    >>> found.vertices
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> found.average
    array([0.75, 0.25])
    """
    n_classes = sets.n_classes
    if n_classes > _MOST_CLASSES:
        raise ValueError(
            f"compatible_distributions: {n_classes} classes; at most {_MOST_CLASSES} can be listed."
        )
    nu = _checked_shares(shares, len(sets))
    orders = np.array(list(itertools.permutations(range(n_classes))))
    # The member of each set that comes first in each order, (orders, n).
    rank = np.argsort(orders, axis=1)
    first = np.where(sets.mask, rank[:, None, :], n_classes).argmin(axis=2)
    corners = np.stack([(nu * (first == k)).sum(axis=1) for k in range(n_classes)], axis=1)
    # Equal corners may be summed in another order.
    _, kept = np.unique(corners.round(12), axis=0, return_index=True)
    outside = _events(n_classes) @ sets.mask.T + 0.0 < sets.sizes
    return CompatibleDistributions(
        classes=sets.classes,
        vertices=corners[kept],
        average=nu @ (sets.mask / sets.sizes[:, None]),
        masses=np.where(outside, 0.0, nu).sum(axis=1),
    )


def _checked_shares(shares: Any, count: int) -> FloatArray:
    if count == 0:
        raise ValueError("compatible_distributions: no sets; expected at least one.")
    nu = np.ones(count) if shares is None else np.asarray(shares, dtype=np.float64)
    if nu.shape != (count,) or not np.isfinite(nu).all() or (nu < 0).any() or not nu.any():
        raise ValueError(
            f"compatible_distributions: shares must be {count} non-negative numbers, one a set, "
            f"not all zero; got {shares!r}."
        )
    normalised: FloatArray = nu / nu.sum()
    return normalised


def _events(n_classes: int) -> FloatArray:
    """All events as rows of 0 and 1, ``(2 ** K, K)``; bit k of the row number is class k."""
    codes = np.arange(2**n_classes)
    return np.asarray(codes[:, None] >> np.arange(n_classes) & 1, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DecisionRegion:
    """``R_z = {mu : (L mu)[z] <= (L mu)[z'] for all z'}``, a polytope inside the simplex.

    Parameters
    ----------
    prediction : int
        The row z of the loss matrix.
    vertices : float array (V, K)
        Distributions over the classes; none where z is never best.
    """

    prediction: int
    vertices: FloatArray

    @property
    def dimension(self) -> int:
        """K - 1 for a region with an interior, -1 for an empty one."""
        if not len(self.vertices):
            return -1
        return int(np.linalg.matrix_rank(self.vertices - self.vertices[0], tol=1e-9))


def decision_regions(loss: FiniteLoss) -> tuple[DecisionRegion, ...]:
    """The decision region of every prediction, by its vertices.

    The simplex is cut by one half-space after another. Meant for few classes: under the 0-1 loss a
    region has ``2 ** (K - 1)`` vertices.

    Examples
    --------
    Under the 0-1 loss on two classes each is best on its half of the segment:

    >>> import numpy as np
    >>> from disambig.losses import ZeroOneLoss
    >>> for region in decision_regions(ZeroOneLoss().bind(np.array(["a", "b"]))):
    ...     print(region.prediction, sorted(region.vertices.tolist()))
    0 [[0.5, 0.5], [1.0, 0.0]]
    1 [[0.0, 1.0], [0.5, 0.5]]
    """
    return tuple(
        DecisionRegion(z, _region_vertices(loss.matrix, z)) for z in range(len(loss.matrix))
    )


def _region_vertices(matrix: FloatArray, z: int) -> FloatArray:
    n_classes = matrix.shape[1]
    cuts = np.delete(matrix[z] - matrix, z, axis=0)
    size = np.abs(cuts).max(axis=1, initial=0.0)
    cuts = cuts[size > 0] / size[size > 0, None]
    vertices: FloatArray = np.eye(n_classes)
    # Rows: what must not be positive. The sides of the simplex come first.
    limits = -np.eye(n_classes)
    for cut in cuts:
        vertices = _cut(vertices, limits, cut)
        limits = np.vstack([limits, cut])
    return vertices


def _cut(vertices: FloatArray, limits: FloatArray, cut: FloatArray) -> FloatArray:
    """The part of a polytope with ``<cut, mu> <= 0``: kept vertices, and one on each cut edge."""
    height = vertices @ cut
    below, above = np.flatnonzero(height < -_ROUNDING), np.flatnonzero(height > _ROUNDING)
    tight = vertices @ limits.T >= -_ROUNDING
    pairs = np.stack(np.meshgrid(below, above, indexing="ij"), axis=-1).reshape(-1, 2)
    blocks = np.split(pairs, range(_PAIRS, len(pairs), _PAIRS))
    edges = np.concatenate([block[_are_edges(tight, block)] for block in blocks])
    low, high = height[edges].T[..., None]
    start, end = vertices[edges[:, 0]], vertices[edges[:, 1]]
    crossings = (high * start - low * end) / (high - low)
    kept: FloatArray = np.vstack([vertices[height <= _ROUNDING], crossings])
    return kept


def _are_edges(tight: BoolArray, pairs: IntArray) -> BoolArray:
    """Two vertices share an edge if no third lies on all the limits on which both lie."""
    common = (tight[pairs[:, 0]] & tight[pairs[:, 1]]).astype(np.float64)
    missed = common @ (~tight).T.astype(np.float64)
    return np.asarray(np.count_nonzero(missed == 0, axis=1) == 2)
