"""`projected_newton`: the optimum of a dense convex quadratic over a box."""

from functools import partial

import numpy as np

from disambig.notation import FloatArray
from disambig.solvers.boxes.interior import InteriorPoint
from disambig.solvers.boxes.nearest import nearest_optimum, null_directions, single_entries
from disambig.solvers.boxes.newton import NewtonState, ProjectedNewton
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxSolution, BoxState, box_quadratic
from disambig.solvers.boxes.units import solve_in_unit, unit_of
from disambig.solvers.loop import Callback, Progress, Status, iterate

# Newton steps before the interior-point method takes over. Votes of neighbours take 5-8 steps,
# kernel ridge some 5-20. If more are needed, Q is ill-conditioned and Newton makes little progress.
_MAX_NEWTON_STEPS = 25


def projected_newton(
    Q: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    reference: FloatArray | None = None,
    anchor: FloatArray | None = None,
    tol: float = 1e-10,
    max_iter: int = 100,
    callback: Callback | None = None,
) -> BoxSolution:
    """``argmin y' Q y`` over ``lower <= y <= upper``, for a dense positive semi-definite ``Q``.

    The method is projected Newton. If ``Q`` is so ill-conditioned that it needs many steps, an
    interior-point method takes over, followed by Newton steps from the face that it found. Every
    step factorises one block of ``Q``. The solution minimises over its face up to rounding error,
    which is more precise than `tol`.

    Parameters
    ----------
    Q : (n, n) array
        Symmetric, positive semi-definite up to rounding; singular is normal (``Q 1 = 0`` for votes
        that sum to one).
    lower, upper : (n,) array
        ``lower <= upper``; -inf and inf are allowed. If ``Q 1 = 0``, subtract a common offset of
        all bounds first: it does not change the problem, but costs digits.
    start : (n,) array
        Finite; clipped to the box.
    reference : (n,) array, optional
        A point of the box whose largest entry is the unit of the residual; by default the start.
    anchor : (n,) array, optional
        Of all optima the one with the least sum of squared distances to this is returned; NaN for
        no preference. By default the optimum that the steps reached.
    tol : float
        Bound on `BoxSolution.kkt`.
    max_iter : int
        Maximum number of steps of all stages together.
    callback : callable, optional
        See `disambig.solvers.loop.Callback`.

    Raises
    ------
    ValueError
        If ``Q`` has a clearly negative eigenvalue.

    Examples
    --------
    Two targets that should agree, one known up to [0, 1], the other up to [2, 4]:

    >>> import numpy as np
    >>> Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> lower, upper = np.array([0.0, 2.0]), np.array([1.0, 4.0])
    >>> solution = projected_newton(Q, lower, upper, (lower + upper) / 2)
    >>> solution.y, solution.value, solution.kkt, solution.status.name
    (array([1., 2.]), 1.0, 0.0, 'CONVERGED')

    If they can agree in many ways, the anchor decides:

    >>> upper = np.array([5.0, 4.0])
    >>> projected_newton(Q, lower, upper, lower, anchor=np.array([2.5, 3.0])).y
    array([2.75, 2.75])
    """
    Q = np.asarray(Q, dtype=np.float64)
    unit = unit_of(lower, upper, start)
    if unit != 1.0:
        rescaled = partial(projected_newton, Q, tol=tol, max_iter=max_iter)
        return solve_in_unit(
            unit,
            rescaled,
            lower,
            upper,
            start,
            reference=reference,
            anchor=anchor,
            callback=callback,
        )
    reference = start if reference is None else reference
    problem = box_quadratic(Q, np.diagonal(Q), lower, upper, reference, tol)
    state, stopped, trace = _solve(problem, problem.clip(start), max_iter, callback)
    status = Status.CONVERGED if state.kkt <= tol else Status.MAX_ITER
    single = lower == upper
    if stopped:
        status = Status.STOPPED
    elif anchor is not None and status is Status.CONVERGED:
        directions = null_directions(Q, np.flatnonzero(problem.stationary(state)))
        state = nearest_optimum(problem, state, anchor, directions)
        single = single_entries(problem, state, directions)
    n_iter = sum(progress.iteration > 0 for progress in trace)
    return BoxSolution(state.y, state.objective, state.kkt, n_iter, status, trace, single)


def _solve(
    problem: BoxQuadratic, start: FloatArray, max_iter: int, callback: Callback | None
) -> tuple[BoxState, bool, tuple[Progress, ...]]:
    """The final state of all stages, whether the callback stopped them, and their trace."""
    newton = ProjectedNewton(problem)
    run = iterate(
        newton,
        NewtonState(problem.state_at(start)),
        max_iter=min(max_iter, _MAX_NEWTON_STEPS),
        stage="newton",
        callback=callback,
    )
    reached, trace = run.state.point, run.trace
    remaining = max_iter - run.n_iter
    interior = InteriorPoint(problem)
    if reached.kkt <= problem.tol or not interior.n_bounds:
        remaining = 0
    if run.status is Status.STOPPED or not remaining:
        return reached, run.status is Status.STOPPED, trace

    inner = iterate(
        interior,
        interior.begin(reached.y),
        max_iter=remaining,
        stage="interior point",
        callback=callback,
    )
    trace += inner.trace
    remaining -= inner.n_iter
    if inner.status is Status.STOPPED:
        return min(reached, inner.state.point, key=lambda point: point.objective), True, trace

    run = iterate(
        newton,
        NewtonState(problem.state_at(interior.snapped(inner.state))),
        max_iter=remaining,
        stage="last newton",
        callback=callback,
    )
    better = min(reached, run.state.point, key=lambda point: point.objective)
    return better, run.status is Status.STOPPED, trace + run.trace
