"""A convex quadratic over a box, for an operator: products are all that is asked of it."""

from typing import Any

import numpy as np
from scipy.sparse import csc_array

from disambig.notation import AnyArray, FloatArray
from disambig.solvers.boxes.gradient import FaceGradients, GradientState
from disambig.solvers.boxes.nearest import nearest_optimum
from disambig.solvers.boxes.null_space import component_directions
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.boxes.solution import BoxSolution
from disambig.solvers.loop import Callback, Status, iterate

__all__ = ["accelerated"]


def accelerated(
    Q: Any,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    diagonal: FloatArray | None = None,
    anchor: FloatArray | None = None,
    null_space: AnyArray | None = None,
    tol: float = 1e-9,
    max_iter: int = 20_000,
    callback: Callback | None = None,
) -> BoxSolution:
    """``argmin y' Q y`` over ``lower <= y <= upper``, for a positive semi-definite operator ``Q``.

    Conjugate gradients on the faces of the box (see `FaceGradients`), one or two products a step.

    Parameters
    ----------
    Q : operator of shape (n, n)
        Symmetric and positive semi-definite, with ``@``.
    lower, upper, start : (n,) array
        As in `projected_newton`.
    diagonal : (n,) array, optional
        Of ``Q``: it scales the steps and the residual. By default ``Q.diagonal()``.
    anchor : (n,) array, optional
        Of all optima that `null_space` reaches return the nearest to this (NaN is no wish).
    null_space : (n,) int array or (n, c) array, optional
        Directions in which ``Q`` is zero: the columns, or for labels 0, 1, ... the indicators of
        their groups (the connected components of non-negative votes whose rows sum to one). The
        nearest of all optima comes out if they span the whole null space. Without it the optimum
        stays where the steps reached it.
    tol, max_iter, callback
        As in `projected_newton`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> Q = csr_array([[1.0, -1.0], [-1.0, 1.0]])
    >>> lower, upper = np.array([0.0, 2.0]), np.array([5.0, 4.0])
    >>> solution = accelerated(
    ...     Q, lower, upper, lower, anchor=np.array([2.5, 3.0]), null_space=np.array([0, 0])
    ... )
    >>> solution.y, solution.converged
    (array([2.75, 2.75]), True)
    """
    diagonal = np.asarray(Q.diagonal() if diagonal is None else diagonal)
    problem = box_quadratic(Q, diagonal, lower, upper, start, tol)
    run = iterate(
        FaceGradients(problem),
        GradientState(problem.at(problem.clip(start))),
        max_iter=max_iter,
        stage="gradients",
        callback=callback,
    )
    state, status = run.state.at, run.status
    if status is Status.CONVERGED and state.kkt > tol:
        status = Status.MAX_ITER
    if anchor is not None and null_space is not None and status is Status.CONVERGED:
        labels = np.ndim(null_space) == 1
        directions = component_directions(null_space) if labels else csc_array(null_space)
        state = nearest_optimum(problem, state, anchor, directions)
    return BoxSolution(state.y, state.objective, state.kkt, run.n_iter, status, run.trace)
