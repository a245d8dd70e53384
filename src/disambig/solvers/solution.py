"""What a solver returns (`Solution`, with its `Certificate`), and its contract (`Solver`)."""

import reprlib
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers.loop import Callback, Progress, Status

# A scaled residual of the optimality conditions up to this value certifies an optimum.
CERTIFIED = 1e-8


class Targets(Protocol):
    """Relaxed targets: faces, distributions over the candidates, or numbers."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """The targets in the embedding space, ``(n, p)``; numbers as they are, ``(n, d)``."""
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows whose target is decided, ``(n,)``."""
        ...

    def first(self) -> Any:
        """One vertex per row; the same choice in every run."""
        ...


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proved about a solution.

    Attributes
    ----------
    is_convex : bool
        Is every local optimum of the certified objective over the hulls of the sets a global one?
    residual : float or None
        For numbers: how far the optimality conditions are from being met, without a unit
        (`scaled_kkt` for the squared loss, the relative duality gap of a linear program).
    objective, bound : float or None
        From `FrankWolfeMinimization`: the quadratic objective ``sum_ij A[i, j] loss(y_i, y_j)`` of
        the decoded labels, and a lower bound on it for all labels in the candidate sets.
    relaxed_objective : float or None
        The convex function that was minimised, at the relaxed targets. It equals the quadratic
        objective if all rows are at vertices.
    relaxed : Targets or None
        These targets. Their probabilities reflect how much curvature was added to make the
        function convex, not how certain the labels are.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> model = IntervalRegressor("kernel_ridge").fit([[0.0], [1.0]], [(0, 1), (0, 3)])
    >>> certificate = model.solution_.certificate
    >>> certificate.is_convex, certificate.residual <= 1e-8, certificate.is_optimal
    (True, True, True)
    """

    is_convex: bool
    residual: float | None = None
    objective: float | None = None
    bound: float | None = None
    relaxed_objective: float | None = None
    relaxed: Targets | None = None

    @property
    def gap(self) -> float | None:
        """The convex function at the relaxed targets exceeds its minimum by no more than this."""
        if self.relaxed_objective is None or self.bound is None:
            return None
        return self.relaxed_objective - self.bound

    @property
    def is_optimal(self) -> bool:
        """Is the solution a global optimum: convex, to a scaled residual of 1e-8?"""
        return self.is_convex and self.residual is not None and self.residual <= CERTIFIED


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The result of a solver, for targets of any kind.

    Attributes
    ----------
    targets : Targets
        The relaxed targets: undecided rows are at the barycentre of their tied vertices, annealed
        rows at the mean of their distribution. Predictions at new inputs use these. Numbers are
        not relaxed.
    decoded : Faces
        One vertex per row; ``decoded.outputs`` are the recovered targets.
    relaxed_objective, objective : float
        The objective at `targets` and at `decoded`.
    start : str
        The start of the best run.
    status : Status
        How that run ended.
    n_iter : int
        Iterations of that run before decoding.
    trace : tuple of Progress
        Every iteration of every start and of the decoding.
    tie_tolerance : float
        Relative difference below which two scores tied.
    certificate : Certificate or None
        What the solver proved; None if it proves nothing.

    Examples
    --------
    A warm start: one set is narrowed, and the run starts from the earlier targets.

    >>> from disambig.candidates import LabelSets
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.solvers import AlternatingMinimization
    >>> from disambig.votes import as_votes
    >>> votes = as_votes([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
    >>> sets = [{"a"}, {"a", "b"}, {"a", "b"}], [{"a"}, {"a", "b"}, {"b"}]
    >>> first, second = (LabelSets.from_sets(rows, ["a", "b"]) for rows in sets)
    >>> loss = ZeroOneLoss().bind(first.classes)
    >>> earlier = AlternatingMinimization().solve(Problem(votes, loss, first))
    >>> later = AlternatingMinimization().solve(Problem(votes, loss, second), start=earlier)
    >>> first.classes[earlier.decoded.outputs].tolist(), later.start
    (['a', 'a', 'a'], 'warm')
    """

    targets: Targets
    decoded: Any
    relaxed_objective: float
    objective: float
    start: str
    status: Status
    n_iter: int
    trace: tuple[Progress, ...]
    tie_tolerance: float
    certificate: Certificate | None = None

    def __repr__(self) -> str:
        # The fields hold arrays of all rows and the whole trace.
        return (
            f"Solution({len(self.targets)} rows, {np.count_nonzero(self.decided)} decided, "
            f"objective {self.objective:.6g}, {self.status.value}, start {self.start!r}, "
            f"n_iter {self.n_iter}, certified {self.certified})"
        )

    def with_trace(self, trace: tuple[Progress, ...]) -> "Solution":
        """The same solution with another trace, such as that of all starts.

        Parameters
        ----------
        trace : tuple of Progress
        """
        return replace(self, trace=trace)

    @property
    def converged(self) -> bool:
        """Did the best run converge?"""
        return self.status is Status.CONVERGED

    @property
    def certified(self) -> bool:
        """Is this a proven global optimum?"""
        return self.certificate is not None and self.certificate.is_optimal

    @property
    def decided(self) -> BoolArray:
        """Rows whose optimum is a single target, which decoding kept, ``(n,)``."""
        return np.asarray(self.targets.is_vertex & ~self.targets.first().differing(self.decoded))


@runtime_checkable
class Solver(Protocol):
    """A scikit-learn ``BaseEstimator`` that chooses a target in each candidate set.

    Examples
    --------
    >>> from disambig.solvers import AlternatingMinimization, Solver
    >>> isinstance(AlternatingMinimization(), Solver)
    True
    """

    def solve(
        self, problem: Any, *, start: Solution | None = None, callback: Callback | None = None
    ) -> Solution:
        """Disambiguate.

        Parameters
        ----------
        problem : Problem, VotedProblem or RiskProblem
            A solver refuses a problem of another kind than its own.
        start : Solution, optional
            An earlier solution of this problem, or of one with other sets for some of the rows:
            the run starts from its targets (warm start).
        callback : callable, optional
            Called with a `Progress` after every iteration; returning True stops the run.
        """
        ...


def check_embedded(problem: Any, solver: str) -> None:
    """Raise `MissingOracleError` unless the targets are labels, bits, orders or structures."""
    if not isinstance(problem, Problem):
        raise MissingOracleError(
            f"{solver} solves problems whose targets are labels, bits, orders or structures; got "
            f"{type(problem).__name__}. Use solver='auto' or AlternatingRegression() for numbers."
        )


def require_solution(start: Any, solver: str) -> None:
    """Raise a TypeError unless a start is a `Solution`."""
    if not isinstance(start, Solution):
        raise TypeError(
            f"{solver}: start of solve must be an earlier Solution; got {reprlib.repr(start)}. A "
            "start by name or by scores is a parameter of the solver, if it has one."
        )


def check_start(start: Solution, expected: tuple[int, int], solver: str) -> FloatArray:
    """The embedded targets of an earlier solution, ``(n, p)``; raises if the shape differs."""
    require_solution(start, solver)
    embedded = start.targets.embedded
    if embedded.shape != expected:
        raise ValueError(
            f"{solver}: start is a solution whose targets have shape {embedded.shape}; expected "
            f"{expected}. Start from a solution of the same rows and the same loss."
        )
    return embedded
