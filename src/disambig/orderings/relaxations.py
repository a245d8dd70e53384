"""The linear program of `cut_orders`, solved by highspy or by scipy.

Variables are ``x[i, j]`` for ``i < j``, in the order of ``numpy.triu_indices``: 1 if i stands
before j. A row excludes a cycle of three items, or bounds the place of an item. Rows are added and
never removed; the bounds of the variables change from solve to solve.
"""

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import choice_message


@dataclass(frozen=True, eq=False)
class RelaxedOrder:
    """The solution of a linear program.

    Parameters
    ----------
    status : "optimal", "infeasible" or "stopped"
    x : float array (variables,)
    multipliers : float array (rows,), non-positive
        Dual variables of the rows. Any non-positive numbers give a valid lower bound, the optimal
        ones the best.
    """

    status: Literal["optimal", "infeasible", "stopped"]
    x: FloatArray
    multipliers: FloatArray


class Relaxation(Protocol):
    """``min objective . x`` over ``lower <= x <= upper`` and rows ``sum of signs x <= limit``."""

    def add_rows(self, columns: IntArray, signs: FloatArray, limits: FloatArray) -> None:
        """Add rows of k entries each: columns and signs ``(r, k)``, limits ``(r,)``."""
        ...

    def solve(self, lower: FloatArray, upper: FloatArray, seconds: float) -> RelaxedOrder:
        """Solve within these bounds of the variables, in about this time."""
        ...


class _ScipyRelaxation:
    """Uses `scipy.optimize.linprog`, which starts every solve anew."""

    def __init__(self, objective: FloatArray) -> None:
        self._objective = objective
        self._columns: list[IntArray] = []
        self._signs: list[FloatArray] = []
        self._limits: list[FloatArray] = []

    def add_rows(self, columns: IntArray, signs: FloatArray, limits: FloatArray) -> None:
        self._columns.append(columns)
        self._signs.append(signs)
        self._limits.append(limits)

    def solve(self, lower: FloatArray, upper: FloatArray, seconds: float) -> RelaxedOrder:
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        limits = np.concatenate(self._limits)
        widths = np.concatenate([np.full(len(each), each.shape[1]) for each in self._columns])
        entries = (
            np.concatenate([signs.ravel() for signs in self._signs]),
            np.concatenate([columns.ravel() for columns in self._columns]),
            np.concatenate([[0], np.cumsum(widths)]),
        )
        solution = linprog(
            self._objective,
            A_ub=csr_matrix(entries, shape=(len(limits), len(lower))),
            b_ub=limits,
            bounds=np.column_stack([lower, upper]),
            method="highs-ds",
            options={} if np.isinf(seconds) else {"time_limit": seconds},
        )
        if solution.status != 0:
            empty = np.zeros(0)
            return RelaxedOrder("infeasible" if solution.status == 2 else "stopped", empty, empty)
        return RelaxedOrder("optimal", solution.x, solution.ineqlin.marginals)


class _HighsRelaxation:
    """Uses `highspy`: a solve starts from the last basis, which is 2 to 5 times as fast."""

    def __init__(self, objective: FloatArray) -> None:
        # Only newer releases have type annotations: Any gives the same type check with all.
        highspy: Any = importlib.import_module("highspy")
        n = len(objective)
        self._status = highspy.HighsModelStatus
        self._all: AnyArray = np.arange(n, dtype=np.int32)
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("solver", "simplex")
        # Presolving would discard the basis.
        self._highs.setOptionValue("presolve", "off")
        self._highs.addVars(n, np.zeros(n), np.ones(n))
        self._highs.changeColsCost(n, self._all, objective)

    def add_rows(self, columns: IntArray, signs: FloatArray, limits: FloatArray) -> None:
        n, width = columns.shape
        self._highs.addRows(
            n,
            np.full(n, -np.inf),
            limits,
            width * n,
            width * np.arange(n, dtype=np.int32),
            columns.ravel().astype(np.int32),
            signs.ravel(),
        )

    def solve(self, lower: FloatArray, upper: FloatArray, seconds: float) -> RelaxedOrder:
        self._highs.changeColsBounds(len(lower), self._all, lower, upper)
        # The run time of highspy accumulates over solves, and its limit refers to the sum.
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()
        found, empty = self._highs.getModelStatus(), np.zeros(0)
        if found == self._status.kInfeasible:
            return RelaxedOrder("infeasible", empty, empty)
        if found != self._status.kOptimal:
            return RelaxedOrder("stopped", empty, empty)
        solution = self._highs.getSolution()
        return RelaxedOrder("optimal", np.array(solution.col_value), np.array(solution.row_dual))


def open_relaxation(
    objective: FloatArray, backend: Literal["auto", "highspy", "scipy"] = "auto"
) -> Relaxation:
    """A linear program without rows.

    Parameters
    ----------
    objective : float array (variables,)
    backend : "auto", "highspy" or "scipy"
        Both run HiGHS. "auto" takes highspy (the extra ``highs``) if it is installed.

    Examples
    --------
    Three items whose cheaper directions form the cycle 0, 1, 2, 0: one of them cannot be had.

    >>> program = open_relaxation(np.array([-1.0, 1.0, -1.0]), "scipy")
    >>> program.add_rows(np.array([[0, 2, 1]]), np.array([[1.0, 1.0, -1.0]]), np.array([1.0]))
    >>> solution = program.solve(np.zeros(3), np.ones(3), np.inf)
    >>> solution.status, float(solution.x @ [-1, 1, -1])
    ('optimal', -1.0)
    """
    if backend == "auto":
        backend = "highspy" if importlib.util.find_spec("highspy") else "scipy"
    if backend == "highspy":
        if importlib.util.find_spec("highspy") is None:
            raise ImportError(
                "backend='highspy' needs the package highspy, which is not installed. "
                "Install disambig[highs], or use backend='scipy'."
            )
        return _HighsRelaxation(objective)
    if backend == "scipy":
        return _ScipyRelaxation(objective)
    raise ValueError(choice_message("", "backend", backend, ("auto", "highspy", "scipy")))
