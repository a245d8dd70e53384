"""When is a point of a box optimal? The residual that every solver of the room reports."""

import numpy as np

from disambig.notation import FloatArray

__all__ = ["coordinate_moves", "curvature", "scaled_kkt"]

_FAINTEST = 1e-8
"""Least share of the largest entry that an entry of the diagonal counts as."""


def curvature(diagonal: FloatArray) -> FloatArray:
    """The diagonal of ``Q`` made safe to divide by, ``(n,)``."""
    floor = _FAINTEST * float(np.max(diagonal, initial=0.0))
    return np.maximum(diagonal, floor if floor > 0 else 1.0)


def coordinate_moves(
    gradient: FloatArray,
    y: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    curvature: FloatArray,
) -> FloatArray:
    """``clip(y - g / q, lower, upper) - y``: how far each entry alone would move, ``(n,)``."""
    moves: FloatArray = np.clip(y - gradient / curvature, lower, upper) - y
    return moves


def scaled_kkt(
    gradient: FloatArray,
    y: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    curvature: FloatArray,
    size: float,
) -> float:
    """``max_j |clip(y - g / q, lower, upper) - y|_j / size``, zero exactly at an optimum.

    The entries of the bracket are the moves that minimise ``y' Q y`` over one entry at a time, so
    the residual speaks in units of `y`. It does not change when ``Q`` is multiplied by a positive
    number, nor when `y`, the bounds and `size` are. It bounds no distance to the optimum by itself:
    with an ill-conditioned ``Q`` small moves of single entries can hide a larger one of many.

    Parameters
    ----------
    gradient : (n,) array
        ``Q y``, half the gradient of ``y' Q y``.
    y, lower, upper : (n,) array
        A point of the box, and its bounds; infinite ones are welcome.
    curvature : (n,) array, positive
        The diagonal of ``Q``; see the function of that name.
    size : float
        What counts as one: the solvers take the largest ``|y_j|`` at their start or their end.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> lower, upper = np.array([0.0, 2.0]), np.array([1.0, 4.0])
    >>> y = np.array([1.0, 2.0])
    >>> scaled_kkt(Q @ y, y, lower, upper, curvature=np.diag(Q), size=2.0)
    0.0
    >>> y = np.array([0.5, 2.0])
    >>> scaled_kkt(Q @ y, y, lower, upper, curvature=np.diag(Q), size=2.0)
    0.25
    """
    moves = coordinate_moves(gradient, y, lower, upper, curvature)
    largest = float(np.max(np.abs(moves), initial=0.0))
    return largest / size if largest > 0 else 0.0
