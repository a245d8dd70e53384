"""Where in the simplex of distributions a prediction is best."""

from dataclasses import dataclass

import numpy as np

from disambig.losses.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["DecisionRegion", "decision_regions"]

# What counts as lying on a frontier, in units of the largest difference between two losses.
_ROUNDING = 1e-11
# Pairs of vertices looked at together: bounds the memory of the search for edges.
_PAIRS = 4096


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
