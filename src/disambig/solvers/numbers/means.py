"""The global optimum for the squared loss with known means of bags, and which rows it decides."""

import numpy as np

from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.notation import BoolArray, FloatArray
from disambig.number_problem import NumberProblem
from disambig.quadratic_forms import QuadraticForm
from disambig.solvers.boxes import BoxSolution, projected_gradient
from disambig.solvers.loop import Callback, Status
from disambig.solvers.numbers.columns import BoxColumn, solve_columns
from disambig.solvers.solution import Solution


def solve_with_means(
    problem: NumberProblem,
    sets: MeanBounds,
    form: QuadraticForm,
    first: FloatArray | None,
    tol: float,
    max_iter: int,
    callback: Callback | None,
) -> Solution:
    """``argmin y' Q y`` over intervals and means, by projected gradients."""

    def solve_column(column: BoxColumn, start: FloatArray, reference: FloatArray) -> BoxSolution:
        found = projected_gradient(
            form,
            lambda values, weights: sets.nearest_column(values, weights, column.shift),
            start,
            reference=reference,
            tol=tol,
            max_iter=max_iter,
            callback=callback,
        )
        is_optimal = found.status is Status.CONVERGED
        single = determined(form, sets) if is_optimal else sets.is_point
        return BoxSolution(
            found.y, found.value, found.kkt, found.n_iter, found.status, found.trace, single
        )

    return solve_columns(problem, sets, form, solve_column, first)


def determined(form: QuadraticForm, sets: MeanBounds) -> BoolArray:
    """Rows that are known to have the same target in every optimum, ``(n,)``.

    If adding a constant does not change the objective, optima may differ by a constant on the rows
    that votes connect. It must be zero where a row is a known number, or where the rows are a bag
    of one mean. Other bounds may decide rows, too; these are not counted.
    """
    if not form.shift_invariant:
        return np.ones(len(sets), dtype=np.bool_)
    component = form.components
    n_components = int(component.max()) + 1
    is_fixed = np.zeros(n_components, dtype=np.bool_)
    is_fixed[component[sets.is_point]] = True
    # A bag inside of one component: its smallest and its largest label are the same.
    least = np.full(len(sets.bounds), n_components)
    most = np.full(len(sets.bounds), -1)
    np.minimum.at(least, sets.bags, component)
    np.maximum.at(most, sets.bags, component)
    is_known = (least == most) & (sets.bounds[:, 0] == sets.bounds[:, 1])
    is_fixed[least[is_known]] = True
    return is_fixed[component]
