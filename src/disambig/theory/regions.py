"""Polytopes in the simplex of distributions over the classes, by their vertices.

`compatible_distributions`: the distributions of the label that a distribution of candidate sets
allows. `decision_regions`: the distributions at which each prediction has the least expected loss.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# `compatible_distributions` enumerates the K! orders and the 2^K events.
_MAX_CLASSES = 8
# A point is on a frontier within this distance, in units of the largest difference of two losses.
_FRONTIER_TOLERANCE = 1e-11
# Pairs of vertices that are tested together; bounds the memory of the search for edges.
_MAX_PAIRS = 4096


@dataclass(frozen=True, eq=False)
class CompatibleDistributions:
    """``R_nu = {mu : mu = sum_s nu(s) pi_s, pi_s a distribution on s}``, Definition 1 of the paper.

    A polytope inside the simplex: each set distributes its probability over its members.

    Parameters
    ----------
    classes : array (K,)
    vertices : float array (V, K)
        Each set gives its whole probability to one member, the first in some order of the classes.
    average : float array (K,)
        Each set gives equal parts to its members: the targets of average candidates.
    lower_probabilities : float array (2 ** K,)
        For each event (a set of classes) the total probability of the candidate sets inside it,
        which is the least that the event can have. Bit k of the index is 1 if class k belongs to
        the event.
    """

    classes: AnyArray
    vertices: FloatArray
    average: FloatArray
    lower_probabilities: FloatArray

    def contains(self, distributions: FloatArray, tolerance: float = 1e-12) -> BoolArray:
        """Which of these distributions, ``(N, K)``, are compatible, ``(N,)``.

        A distribution is compatible if every event has at least its lower probability.
        """
        events = _events(len(self.classes))
        enough = distributions @ events.T >= self.lower_probabilities - tolerance
        sums_to_one = np.abs(distributions.sum(axis=1) - 1) <= max(tolerance, 1e-9)
        return np.asarray(enough.all(axis=1) & sums_to_one)


def compatible_distributions(sets: LabelSets, shares: Any = None) -> CompatibleDistributions:
    """The distributions over the classes compatible with one over sets.

    Parameters
    ----------
    sets : LabelSets
        At most eight classes.
    shares : array-like (n,), optional
        ``nu``: non-negative, divided by their sum. By default all rows are equal, so that `sets`
        can be the rows of a neighbourhood.

    Examples
    --------
    One set is {"a"}, the other allows both classes: "a" has probability at least one half.

    >>> from disambig.candidates import LabelSets
    >>> found = compatible_distributions(LabelSets.from_any([{"a"}, {"a", "b"}]))
    >>> found.vertices
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> found.average
    array([0.75, 0.25])
    """
    n_classes = sets.n_classes
    if n_classes > _MAX_CLASSES:
        raise ValueError(
            f"compatible_distributions: {n_classes} classes; at most {_MAX_CLASSES} are possible, "
            "because all orders of the classes are enumerated. Merge classes."
        )
    nu = _checked_shares(shares, len(sets))
    orders = np.array(list(itertools.permutations(range(n_classes))))
    # The member of each set that comes first in each order, (orders, n).
    rank = np.argsort(orders, axis=1)
    first = np.where(sets.mask, rank[:, None, :], n_classes).argmin(axis=2)
    vertices = np.stack([(nu * (first == k)).sum(axis=1) for k in range(n_classes)], axis=1)
    # Equal vertices can differ by rounding, as their sums have another order.
    _, kept = np.unique(vertices.round(12), axis=0, return_index=True)
    outside = _events(n_classes) @ sets.mask.T + 0.0 < sets.sizes
    return CompatibleDistributions(
        classes=sets.classes,
        vertices=vertices[kept],
        average=nu @ (sets.mask / sets.sizes[:, None]),
        lower_probabilities=np.where(outside, 0.0, nu).sum(axis=1),
    )


def _checked_shares(shares: Any, count: int) -> FloatArray:
    if count == 0:
        raise ValueError("compatible_distributions: no sets; expected at least one.")
    nu = np.ones(count) if shares is None else np.asarray(shares, dtype=np.float64)
    if nu.shape != (count,) or not np.isfinite(nu).all() or (nu < 0).any() or not nu.any():
        raise ValueError(
            f"compatible_distributions: shares must be {count} non-negative numbers, one for each "
            f"set, not all zero; got {shares!r}."
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
        Distributions over the classes; none if z is never best.
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

    The simplex is intersected with one half-space after another. For few classes only: for the 0-1
    loss a region has ``2 ** (K - 1)`` vertices.

    Parameters
    ----------
    loss : FiniteLoss
        A loss on labels that is bound to its K classes.

    Examples
    --------
    For the 0-1 loss on two classes each is best on its half of the segment:

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
    # Each row r is a constraint <r, mu> <= 0. The sides of the simplex come first.
    limits = -np.eye(n_classes)
    for cut in cuts:
        vertices = _cut(vertices, limits, cut)
        limits = np.vstack([limits, cut])
    return vertices


def _cut(vertices: FloatArray, limits: FloatArray, cut: FloatArray) -> FloatArray:
    """Vertices of a polytope intersected with ``<cut, mu> <= 0``.

    They are the old vertices inside, and one new vertex on each edge that crosses the hyperplane.
    """
    height = vertices @ cut
    below = np.flatnonzero(height < -_FRONTIER_TOLERANCE)
    above = np.flatnonzero(height > _FRONTIER_TOLERANCE)
    active = vertices @ limits.T >= -_FRONTIER_TOLERANCE
    pairs = np.stack(np.meshgrid(below, above, indexing="ij"), axis=-1).reshape(-1, 2)
    blocks = np.split(pairs, range(_MAX_PAIRS, len(pairs), _MAX_PAIRS))
    edges = np.concatenate([block[_are_edges(active, block)] for block in blocks])
    low, high = height[edges].T[..., None]
    start, end = vertices[edges[:, 0]], vertices[edges[:, 1]]
    crossings = (high * start - low * end) / (high - low)
    kept: FloatArray = np.vstack([vertices[height <= _FRONTIER_TOLERANCE], crossings])
    return kept


def _are_edges(active: BoolArray, pairs: IntArray) -> BoolArray:
    """Two vertices share an edge if no third has all the constraints active that both have."""
    common = (active[pairs[:, 0]] & active[pairs[:, 1]]).astype(np.float64)
    missed = common @ (~active).T.astype(np.float64)
    return np.asarray(np.count_nonzero(missed == 0, axis=1) == 2)
