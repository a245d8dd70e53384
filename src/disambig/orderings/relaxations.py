"""The linear program behind the cuts, by whichever solver is installed.

Variables are ``x[i, j]`` for ``i < j``, in the order of ``numpy.triu_indices``: 1 if i stands
before j. A row says that three items are not in a circle. Rows are only ever added; bounds of
variables change from solve to solve.
"""

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RelaxedOrder:
    """Answer of a linear program.

    Parameters
    ----------
    status : "optimal", "infeasible" or "stopped"
    x : float array (variables,)
    multipliers : float array (rows,), non-positive
        What a row that is tight costs. Any such numbers give a lower bound, good ones a good one.
    """

    status: Literal["optimal", "infeasible", "stopped"]
    x: FloatArray
    multipliers: FloatArray


class Relaxation(Protocol):
    """``min objective . x`` over ``lower <= x <= upper`` and rows ``sum of signs x <= limit``."""

    def add_rows(self, columns: IntArray, signs: FloatArray, limits: FloatArray) -> None:
        """Add rows of three entries each: columns and signs ``(r, 3)``, limits ``(r,)``."""
        ...

    def solve(self, lower: FloatArray, upper: FloatArray, seconds: float) -> RelaxedOrder:
        """Solve within these bounds, and within about this time."""
        ...


class _ScipyRelaxation:
    """By `scipy.optimize.linprog`: every solve starts from nothing."""

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
        entries = (
            np.concatenate(self._signs).ravel(),
            np.concatenate(self._columns).ravel(),
            3 * np.arange(len(limits) + 1),
        )
        answer = linprog(
            self._objective,
            A_ub=csr_matrix(entries, shape=(len(limits), len(lower))),
            b_ub=limits,
            bounds=np.column_stack([lower, upper]),
            method="highs-ds",
            options={} if np.isinf(seconds) else {"time_limit": seconds},
        )
        if answer.status != 0:
            nothing = np.zeros(0)
            return RelaxedOrder("infeasible" if answer.status == 2 else "stopped", nothing, nothing)
        return RelaxedOrder("optimal", answer.x, answer.ineqlin.marginals)


class _HighsRelaxation:
    """By `highspy`: a solve starts from the basis of the last one, 2 to 5 times as fast."""

    def __init__(self, objective: FloatArray) -> None:
        # Newer releases carry types, older ones do not: taken as untyped on all of them.
        highspy: Any = importlib.import_module("highspy")
        n = len(objective)
        self._status = highspy.HighsModelStatus
        self._all: AnyArray = np.arange(n, dtype=np.int32)
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("solver", "simplex")
        # Presolving would throw the basis away.
        self._highs.setOptionValue("presolve", "off")
        self._highs.addVars(n, np.zeros(n), np.ones(n))
        self._highs.changeColsCost(n, self._all, objective)

    def add_rows(self, columns: IntArray, signs: FloatArray, limits: FloatArray) -> None:
        n = len(limits)
        self._highs.addRows(
            n,
            np.full(n, -np.inf),
            limits,
            3 * n,
            3 * np.arange(n, dtype=np.int32),
            columns.ravel().astype(np.int32),
            signs.ravel(),
        )

    def solve(self, lower: FloatArray, upper: FloatArray, seconds: float) -> RelaxedOrder:
        self._highs.changeColsBounds(len(lower), self._all, lower, upper)
        # The clock of linear programs runs on from solve to solve.
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()
        found, nothing = self._highs.getModelStatus(), np.zeros(0)
        if found == self._status.kInfeasible:
            return RelaxedOrder("infeasible", nothing, nothing)
        if found != self._status.kOptimal:
            return RelaxedOrder("stopped", nothing, nothing)
        answer = self._highs.getSolution()
        return RelaxedOrder("optimal", np.array(answer.col_value), np.array(answer.row_dual))


def open_relaxation(
    objective: FloatArray, backend: Literal["auto", "highspy", "scipy"] = "auto"
) -> Relaxation:
    """A linear program without rows yet.

    Parameters
    ----------
    objective : float array (variables,)
    backend : "auto", "highspy" or "scipy"
        Both run HiGHS. "auto" takes highspy (the extra ``highs``) if it is installed.

    Examples
    --------
    Three items that want the circle 0, 1, 2, 0: one of the three wishes is given up.

    >>> program = open_relaxation(np.array([-1.0, 1.0, -1.0]), "scipy")
    >>> program.add_rows(np.array([[0, 2, 1]]), np.array([[1.0, 1.0, -1.0]]), np.array([1.0]))
    >>> answer = program.solve(np.zeros(3), np.ones(3), np.inf)
    >>> answer.status, float(answer.x @ [-1, 1, -1])
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
    raise ValueError(f"backend={backend!r} is not known; choose 'auto', 'highspy' or 'scipy'.")
