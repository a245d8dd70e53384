"""What a solver returns."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.quadratic_objective import QuadraticBound


class Targets(Protocol):
    """What may come out of a run: faces, or laws that stayed soft."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """Where the targets lie, ``(n, p)``."""
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows that are settled, ``(n,)``."""
        ...

    def first(self) -> Faces:
        """One vertex a row: the deterministic choice."""
        ...


@dataclass(frozen=True, eq=False)
class Solution:
    """A settled problem.

    Attributes
    ----------
    targets : Targets
        The relaxed targets: undecided rows rest on a barycentre, annealed ones on a mean. Predict
        from these.
    decoded : Faces
        One vertex a row.
    relaxed_objective, objective : float
        The objective at `targets` and at `decoded`.
    start : str
        Which start won.
    status : Status
        How its run ended.
    n_iter : int
        Iterations of its run before decoding.
    trace : tuple of Progress
        Every iteration of every start and of the decoding.
    quadratic : QuadraticBound or None
        The quadratic objective and a lower bound, from solvers that minimise it.
    """

    targets: Targets
    decoded: Faces
    relaxed_objective: float
    objective: float
    start: str
    status: Status
    n_iter: int
    trace: tuple[Progress, ...]
    quadratic: QuadraticBound | None = None

    def with_trace(self, trace: tuple[Progress, ...]) -> "Solution":
        """The same solution with the trace of all starts."""
        return replace(self, trace=trace)

    @property
    def converged(self) -> bool:
        """Did the winning run converge?"""
        return self.status is Status.CONVERGED

    @property
    def resolved(self) -> BoolArray:
        """Rows that the run settled itself, on the vertex that decoding kept, ``(n,)``."""
        return np.asarray(self.targets.is_vertex & ~self.targets.first().differing(self.decoded))


@runtime_checkable
class Solver(Protocol):
    """How it is settled: a scikit-learn ``BaseEstimator`` that solves a `Problem`."""

    def solve(self, problem: Problem, *, callback: Callback | None = None) -> Solution:
        """Disambiguate."""
        ...
