"""The constants of the calibration inequality: distances of labels to the decision frontier."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, nnls

from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import choice_message

_EMBEDDINGS = ("losses", "units", "balanced")
# A smaller duality gap ends the search; of squared distances, in units of the largest one.
_MAX_GAP = 1e-14
# Vertices nearer than this are equal: linear programs are exact to 1e-10.
_SAME_VERTEX = 1e-8
# The smallest tolerances that HiGHS accepts.
_HIGHS_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class CalibrationConstants:
    """``c_phi``, ``c_psi`` and ``delta`` of Lemma 3, in one embedding ``loss = <psi, phi>``.

    The frontier F is the set of points of the hull of ``phi`` at which two predictions tie for the
    best. If ``phi`` is multiplied and ``psi`` divided by t, ``delta`` and ``c_phi`` are multiplied
    by t. So numbers of different embeddings cannot be compared, while ``delta / c_phi`` and
    ``c_phi * c_psi`` of one embedding do not depend on its scale.

    Parameters
    ----------
    embedding : str
        What ``phi`` and ``psi`` are; see `calibration_constants`.
    classes : array (K,)
    phi : float array (K, p)
    psi : float array (P, p)
    distances : float array (K,)
        From ``phi(y)`` to the frontier; infinite if there is none.
    nearest : float array (K, K)
        The distribution on the frontier that is nearest to each class; NaN if there is none.
    """

    embedding: str
    classes: AnyArray
    phi: FloatArray
    psi: FloatArray
    distances: FloatArray
    nearest: FloatArray

    @property
    def c_phi(self) -> float:
        """``max_y |phi(y)|``."""
        return float(np.linalg.norm(self.phi, axis=1).max())

    @property
    def c_psi(self) -> float:
        """``max_z |psi(z)|``."""
        return float(np.linalg.norm(self.psi, axis=1).max())

    @property
    def delta(self) -> float:
        """Half the distance from the nearest label to the frontier.

        It is a minimum over labels, so that the inequality holds whichever of them is the truth.
        """
        return float(self.distances.min()) / 2


def calibration_constants(loss: FiniteLoss, embedding: str = "losses") -> CalibrationConstants:
    """The constants of the calibration inequality, Lemma 3 of the paper, for a finite loss.

    Each distance to the frontier is the minimum of a few convex quadratic programs, which are
    solved exactly.

    Parameters
    ----------
    loss : FiniteLoss
    embedding : {"losses", "units", "balanced"}, default "losses"
        ``"losses"``: ``phi(y)`` is the column of losses of y and ``psi(z)`` a unit vector, as
        everywhere in this package. ``"units"``: ``phi(y)`` is a unit vector and ``psi(z)`` the row
        of losses of z, so that distances are those in the simplex, as in the paper's figure.
        ``"balanced"``: singular vectors times the roots of the singular values, on both sides.

    Examples
    --------
    For the 0-1 loss, from a vertex of the simplex to the midpoint of a side:

    >>> import numpy as np
    >>> from disambig.losses import ZeroOneLoss
    >>> found = calibration_constants(ZeroOneLoss().bind(np.arange(3)), "units")
    >>> round(2 * found.delta**2, 6), round(found.c_phi, 6), round(found.c_psi**2, 6)
    (0.25, 1.0, 2.0)
    """
    phi, psi = _embedded(loss.matrix, embedding)
    n_classes = len(phi)
    distances = np.full(n_classes, np.inf)
    nearest = np.full((n_classes, n_classes), np.nan)
    for y in range(n_classes):
        column = loss.matrix[:, y]
        best = np.flatnonzero(column == column.min())
        if len(best) > 1:
            distances[y], nearest[y] = 0.0, np.eye(n_classes)[y]
            continue
        # The segment from phi(y) to a tie of two other predictions first crosses a side of the
        # region of the best prediction: only these sides matter.
        for other in np.flatnonzero(np.arange(len(column)) != best[0]):
            distance, point = _to_side(phi - phi[y], loss.matrix, int(best[0]), int(other))
            if distance < distances[y]:
                distances[y], nearest[y] = distance, point
    return CalibrationConstants(embedding, loss.classes, phi, psi, distances, nearest)


def _embedded(matrix: FloatArray, embedding: str) -> tuple[FloatArray, FloatArray]:
    """``phi`` and ``psi``, rows: classes and predictions."""
    if embedding == "losses":
        return matrix.T, np.eye(len(matrix))
    if embedding == "units":
        return np.eye(matrix.shape[1]), matrix
    if embedding == "balanced":
        left, values, right = np.linalg.svd(matrix, full_matrices=False)
        roots = np.sqrt(values)
        return right.T * roots, left * roots
    owner = "calibration_constants"
    raise ValueError(choice_message(owner, "embedding", embedding, _EMBEDDINGS))


def _to_side(
    points: FloatArray, matrix: FloatArray, z: int, other: int
) -> tuple[float, FloatArray | None]:
    """``min |mu @ points|`` over the distributions at which z and another prediction are best.

    Column generation: non-negative least squares gives the nearest point of the hull of the
    vertices so far, and a linear program the vertex of steepest descent from there. It ends because
    there are finitely many vertices; the gap proves the minimum.
    """
    first = _lowest(np.zeros(len(points)), matrix, z, other)
    if first is None:
        return np.inf, None
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    points = points / size
    vertices = first[None, :]
    while True:
        mu = _nearest_in_hull(vertices, points)
        place = mu @ points
        vertex = _lowest(points @ place, matrix, z, other)
        if vertex is None:
            raise RuntimeError("calibration_constants: two linear programs contradict each other.")
        gap = float(place @ (place - vertex @ points))
        # For a vertex that is already in the list the gap is rounding.
        if gap <= _MAX_GAP or np.abs(vertices - vertex).max(axis=1).min() <= _SAME_VERTEX:
            return size * float(np.linalg.norm(place)), mu
        vertices = np.vstack([vertices, vertex])


def _lowest(costs: FloatArray, matrix: FloatArray, z: int, other: int) -> FloatArray | None:
    """The vertex of least cost on the side between two regions; None if there is no side."""
    scale = float(np.abs(matrix).max())
    lead = (matrix[z] - matrix) / scale
    kept: BoolArray = ~np.isin(np.arange(len(matrix)), (z, other))
    found = linprog(
        costs,
        A_ub=lead[kept] if kept.any() else None,
        b_ub=np.zeros(np.count_nonzero(kept)) if kept.any() else None,
        A_eq=np.vstack([lead[other], np.ones(len(costs))]),
        b_eq=np.array([0.0, 1.0]),
        bounds=(0.0, 1.0),
        method="highs",
        options=_HIGHS_OPTIONS,
    )
    if found.status == 2:
        return None
    if found.status != 0:
        raise RuntimeError(f"calibration_constants: a linear program failed: {found.message}")
    positive = np.maximum(found.x, 0.0)
    vertex: FloatArray = positive / positive.sum()
    return vertex


def _nearest_in_hull(vertices: FloatArray, points: FloatArray) -> FloatArray:
    """The mixture of vertices that is nearest to the origin."""
    # Minimise |V u|^2 + (1 - sum u)^2 over u >= 0. For u = s w with sum w = 1 the minimum over s is
    # d / (1 + d) with d = |V w|^2, which is smallest where d is: w = u / sum u is the mixture.
    system = np.vstack([(vertices @ points).T, np.ones(len(vertices))])
    weights, _ = nnls(system, np.r_[np.zeros(points.shape[1]), 1.0])
    mixture: FloatArray = (weights / weights.sum()) @ vertices
    return mixture
