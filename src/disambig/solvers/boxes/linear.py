"""`linear_program`: the optimum for absolute and pinball losses with non-negative votes.

The dual linear program, a network flow, is solved by HiGHS. A bound that is computed from its
multipliers certifies the optimum.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array

from disambig.notation import AnyArray, FloatArray
from disambig.solvers.loop import Status


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """Targets and predictions at the optimum of `linear_program`, with their certificate.

    Attributes
    ----------
    y : (n,) array
        Targets, exactly inside their intervals; read-only.
    z : (q,) array
        Predictions; read-only.
    value : float
        The objective at `y` and `z`.
    gap : float
        No targets and predictions have an objective below ``value - gap``. This bound is computed
        from the flows, independently of the tolerances of HiGHS.
    n_iter : int
        Iterations of the simplex method.
    status : Status
        ``CONVERGED`` or ``MAX_ITER``; other failures raise an error.
    """

    y: FloatArray
    z: FloatArray
    value: float
    gap: float
    n_iter: int
    status: Status

    def __post_init__(self) -> None:
        self.y.setflags(write=False)
        self.z.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Did the simplex method end at an optimum?"""
        return self.status is Status.CONVERGED


# The tolerances of HiGHS are absolute: it takes flows below 1e-9 for zero, and calls a program with
# bounds of 1e20 and more unbounded. If the largest vote is outside this range, votes are rescaled.
_MIN_LARGEST_VOTE, _MAX_LARGEST_VOTE = 1e-3, 1e3

# Status codes of `scipy.optimize.linprog`.
_OPTIMAL, _ITERATION_LIMIT = 0, 1


def linear_program(
    votes: Any,
    lower: FloatArray,
    upper: FloatArray,
    *,
    slopes: tuple[float, float] = (1.0, 1.0),
    max_iter: int | None = None,
) -> LinearSolution:
    """``min sum_ij A_ij (a (y_j - z_i)_+ + b (z_i - y_j)_+)`` over all ``z`` and ``y`` in a box.

    The absolute loss has slopes ``(a, b) = (1, 1)``, the pinball loss ``(tau, 1 - tau)``.

    HiGHS solves the dual program,

    ``max sum_j min(lower_j s_j, upper_j s_j)`` over flows ``-b A_ij <= f_ij <= a A_ij`` with
    ``sum_j f_ij = 0`` and ``s_j = sum_i f_ij``,

    whose multipliers are ``z`` and ``y``. It has ``q + n`` constraints, while the program in ``y``,
    ``z`` and one slack per vote has one constraint per vote. For sparse votes it is as fast, for
    dense votes ten times faster. Infinite bounds are replaced by the ends of the span of the finite
    ones: clipping all variables to the span increases no distance between two of them.

    Parameters
    ----------
    votes : (q, n) sparse or dense array
        ``A``, non-negative. A row without votes predicts the middle of the span.
    lower, upper : (n,) array
        ``lower <= upper``; -inf and inf are allowed.
    slopes : (float, float)
        ``(a, b)``, non-negative: the loss per unit of a prediction below, and above, its target.
    max_iter : int, optional
        Maximum number of iterations of the simplex method; by default unlimited. If they do not
        suffice, all predictions are the middle of the span, and all targets as near to it as
        possible.

    Returns
    -------
    LinearSolution
        An optimum. It is often not unique: compare values, not targets.

    Raises
    ------
    ValueError
        If a vote is negative: the problem is then not convex.
    RuntimeError
        If HiGHS finds no optimum.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.full((2, 2), 0.5)
    >>> solution = linear_program(votes, np.array([0.0, 2.0]), np.array([1.0, 4.0]))
    >>> solution.y, solution.value
    (array([1., 2.]), 1.0)
    """
    program = _program(votes, lower, upper, slopes)
    # With the default tolerances of 1e-7 the values are visibly not optimal.
    options = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
    if max_iter is not None:
        options["maxiter"] = max_iter
    result = linprog(**program.flow_problem(), method="highs-ds", options=options)
    q, n = program.shape
    if result.status == _OPTIMAL:
        multipliers, flows = result.eqlin.marginals, result.x[: len(program.weights)]
    elif result.status == _ITERATION_LIMIT:
        multipliers, flows = np.zeros(q + n), np.zeros(len(program.weights))
    else:
        raise RuntimeError(
            f"linear_program: HiGHS found no optimum of {q} predictions and {n} targets "
            f"({result.message}). Use alternating minimisation."
        )
    z, y = program.from_multipliers(multipliers)
    value = program.value(z, y)
    gap = max(0.0, value - program.bound(flows))
    return LinearSolution(
        # Undo the centring and the scaling by half the span.
        y=np.clip(program.middle + program.unit * y, lower, upper),
        z=program.middle + program.unit * z,
        value=program.unit * value * program.vote_unit,
        gap=program.unit * gap * program.vote_unit,
        n_iter=int(result.nit),
        status=Status.CONVERGED if result.status == _OPTIMAL else Status.MAX_ITER,
    )


@dataclass(frozen=True, eq=False)
class _Program:
    """The problem as a list of votes, divided by their unit.

    Targets are centred and divided by half the span.
    """

    shape: tuple[int, int]
    rows: AnyArray
    columns: AnyArray
    weights: FloatArray
    slopes: tuple[float, float]
    lower: FloatArray
    upper: FloatArray
    middle: float
    unit: float
    vote_unit: float

    def flow_problem(self) -> dict[str, Any]:
        """The dual as arguments of `linprog`.

        The variables are f, then the positive part of s, then its negative part.
        """
        (q, n), m = self.shape, len(self.weights)
        votes, targets = np.arange(m), np.arange(n)
        balances = csr_array(
            (
                np.repeat([1.0, 1.0, -1.0, 1.0], [m, m, n, n]),
                (
                    np.concatenate([self.rows, q + self.columns, q + targets, q + targets]),
                    np.concatenate([votes, votes, m + targets, m + n + targets]),
                ),
            ),
            shape=(q + n, m + 2 * n),
        )
        below, above = self.slopes
        flows = np.column_stack([-above * self.weights, below * self.weights])
        return {
            "c": np.concatenate([np.zeros(m), -self.lower, self.upper]),
            "A_eq": balances,
            "b_eq": np.zeros(q + n),
            "bounds": np.concatenate([flows, np.broadcast_to((0.0, np.inf), (2 * n, 2))]),
        }

    def from_multipliers(self, marginals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Predictions and targets, ``(q,)`` and ``(n,)``."""
        q, n = self.shape
        z, y = np.clip(-marginals[:q], -1.0, 1.0), marginals[q:]
        # A target without votes is arbitrary: take the middle of its interval.
        has_votes = np.bincount(self.columns, minlength=n) > 0
        y = np.where(has_votes, y, (self.lower + self.upper) / 2)
        return z, np.clip(y, self.lower, self.upper)

    def value(self, z: FloatArray, y: FloatArray) -> float:
        """The objective."""
        residuals = y[self.columns] - z[self.rows]
        below, above = self.slopes
        losses = np.where(residuals > 0, below * residuals, -above * residuals)
        return float(self.weights @ losses)

    def bound(self, flows: FloatArray) -> float:
        """A lower bound on the objective: the dual objective at these flows.

        Row sums that are not exactly zero are subtracted: predictions are at most one in size.
        """
        below, above = self.slopes
        flows = np.clip(flows, -above * self.weights, below * self.weights)
        row_sums = np.bincount(self.rows, flows, minlength=self.shape[0])
        column_sums = np.bincount(self.columns, flows, minlength=self.shape[1])
        targets = np.minimum(column_sums * self.lower, column_sums * self.upper).sum()
        return float(targets - np.abs(row_sums).sum())


def _program(
    votes: Any, lower: FloatArray, upper: FloatArray, slopes: tuple[float, float]
) -> _Program:
    entries = coo_array(votes)
    entries.sum_duplicates()
    nonzero = entries.data != 0
    weights = entries.data[nonzero].astype(np.float64)
    if weights.min(initial=0.0) < 0:
        raise ValueError(
            f"linear_program: votes must be non-negative; {np.count_nonzero(weights < 0)} of "
            f"{len(weights)} are not. Use alternating minimisation for signed votes."
        )
    vote_unit = _vote_unit(weights)
    finite = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
    first, last = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    middle, unit = (first + last) / 2, (last - first) / 2 or 1.0
    return _Program(
        shape=entries.shape,
        rows=entries.row[nonzero],
        columns=entries.col[nonzero],
        weights=weights / vote_unit,
        slopes=slopes,
        lower=(np.clip(lower, first, last) - middle) / unit,
        upper=(np.clip(upper, first, last) - middle) / unit,
        middle=float(middle),
        unit=float(unit),
        vote_unit=vote_unit,
    )


def _vote_unit(weights: FloatArray) -> float:
    """A power of two near the largest vote, or 1 if that is an ordinary number."""
    largest = float(weights.max(initial=0.0))
    if largest == 0.0 or _MIN_LARGEST_VOTE <= largest <= _MAX_LARGEST_VOTE:
        return 1.0
    _, exponent = np.frexp(largest)
    return float(np.ldexp(1.0, int(exponent) - 1))
