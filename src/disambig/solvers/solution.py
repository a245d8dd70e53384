"""What a solver returns (`Solution`), and the contract of a solver (`Solver`)."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.quadratic_objective import QuadraticBound


class Targets(Protocol):
    """Relaxed targets: faces, or distributions over the candidates."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """The targets in the embedding space, ``(n, p)``."""
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows whose target is decided, ``(n,)``."""
        ...

    def first(self) -> Faces:
        """One vertex per row; the same choice in every run."""
        ...


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of a solver.

    Attributes
    ----------
    targets : Targets
        The relaxed targets: undecided rows are at the barycentre of their tied vertices, annealed
        rows at the mean of their distribution. Predictions at new inputs use these.
    decoded : Faces
        One vertex per row.
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
        """The same solution with another trace, such as that of all starts."""
        return replace(self, trace=trace)

    @property
    def converged(self) -> bool:
        """Did the best run converge?"""
        return self.status is Status.CONVERGED

    @property
    def resolved(self) -> BoolArray:
        """Rows that the run itself decided, and whose vertex decoding kept, ``(n,)``."""
        return np.asarray(self.targets.is_vertex & ~self.targets.first().differing(self.decoded))


@runtime_checkable
class Solver(Protocol):
    """A scikit-learn ``BaseEstimator`` that solves a `Problem`."""

    def solve(self, problem: Problem, *, callback: Callback | None = None) -> Solution:
        """Choose a target in each candidate set."""
        ...
