"""Deterministic annealing: from soft targets to sharp ones."""

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from disambig.exceptions import MissingOracleError
from disambig.losses.finite import FiniteLoss
from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.problem import Problem
from disambig.solvers.loop import Callback, Progress, Run, Status, iterate
from disambig.solvers.one_block import OneBlock
from disambig.solvers.solution import Solution
from disambig.solvers.two_blocks import TwoBlocks

__all__ = ["AnnealedMinimization"]

# From "all candidates alike" to "one candidate but for rounding", in units of the largest loss.
_WARMEST, _COLDEST, _STEPS = 1.0, 0.01, 15
# Arrays of (n, K) numbers that a step holds at once.
_TABLES = 10


class AnnealedMinimization(BaseEstimator):
    """Disambiguate softly, at a temperature that falls (deterministic annealing).

    Alternating minimisation jumps to a vertex at its first step and forgets how sure the others
    were. Here every row keeps a law on its candidates, held back by the relative entropy to the law
    it began with; as the temperature falls the laws sharpen, the surest first.

    Parameters
    ----------
    formulation : {"auto", "one_block", "two_blocks"}, default "auto"
        "one_block": rows listen to the others and never to themselves, whose vote would confirm
        whatever they began with; needs a symmetric loss. (A row of weight w is left out as a whole,
        where w copies would hear each other: the two are close, not equal.) "two_blocks": the
        paper's objective, predictions and targets in turn, for any finite loss. "auto": the first
        where the loss allows. Both never raise their objective, for votes of any sign.
    temperatures : array-like, default None
        Falling, positive, in units of the largest loss; by default 15 from 1 to .01.
    sweeps : int, default 5
        Steps at each temperature, at most.
    tol : float, default 1e-3
        The next temperature begins when no probability moves by more.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import disambiguate
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> found = disambiguate(X, y, weights=NeighborWeights(3), solver=AnnealedMinimization())
    >>> found.labels.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    def __init__(
        self,
        formulation: Literal["auto", "one_block", "two_blocks"] = "auto",
        *,
        temperatures: Any = None,
        sweeps: int = 5,
        tol: float = 1e-3,
    ) -> None:
        self.formulation = formulation
        self.temperatures = temperatures
        self.sweeps = sweeps
        self.tol = tol

    def solve(self, problem: Problem, *, callback: Callback | None = None) -> Solution:
        """Disambiguate; `callback` hears of every step and stops the run by True.

        The objective of the trace is that of the formulation at the temperature, which its stage
        names; it falls when the temperature falls, too. The objectives of the solution are the
        paper's. Targets stay as soft as the last temperature leaves them.
        """
        schedule = self._schedule()
        loss, base = self._checked(problem)
        # Nothing of this depends on the temperature; only the scale of the entropies does.
        process: Any = self._process(problem, loss, base, schedule[0] * loss.largest)
        state: Any = process.begin(base)
        trace: tuple[Progress, ...] = ()
        status, n_iter = Status.CONVERGED, 0
        for temperature in schedule.tolist():
            process = process.cooled(temperature * loss.largest)
            run: Run[Any] = iterate(
                process,
                process.begin(state.targets.distribution),
                max_iter=int(self.sweeps),
                stage=f"temperature {temperature:.3g}",
                callback=callback,
            )
            state = run.state
            trace += run.trace
            n_iter += run.n_iter
            if run.status is Status.STOPPED:
                status = Status.STOPPED
                break
        decoded = state.targets.first()
        return Solution(
            targets=state.targets,
            decoded=decoded,
            relaxed_objective=problem.objective(state.targets.embedded),
            objective=problem.objective(decoded.embedded),
            start="annealed",
            status=status,
            n_iter=n_iter,
            trace=trace,
        )

    def _process(
        self, problem: Problem, loss: FiniteLoss, base: FloatArray, temperature: float
    ) -> OneBlock | TwoBlocks:
        symmetric = loss.matrix.shape[0] == loss.matrix.shape[1] and np.array_equal(
            loss.matrix, loss.matrix.T
        )
        if self.formulation == "one_block" and not symmetric:
            raise MissingOracleError(
                "AnnealedMinimization: formulation='one_block' needs a symmetric loss between the "
                "same predictions and classes. Use formulation='two_blocks'."
            )
        embedding = loss.target_faces(base > 0).embedding
        if self.formulation == "two_blocks" or not symmetric:
            return TwoBlocks(problem, embedding, base, temperature, float(self.tol))
        return OneBlock(problem, embedding, base, temperature, float(self.tol))

    def _checked(self, problem: Problem) -> tuple[FiniteLoss, FloatArray]:
        if self.formulation not in ("auto", "one_block", "two_blocks"):
            raise ValueError(
                f"AnnealedMinimization: formulation={self.formulation!r} is not known; choose "
                "'auto', 'one_block' or 'two_blocks'."
            )
        if not isinstance(self.sweeps, Integral) or int(self.sweeps) < 1:
            raise ValueError(
                f"AnnealedMinimization: sweeps={self.sweeps!r}; expected at least 1, an integer."
            )
        if not isinstance(self.tol, Real) or not 0.0 <= float(self.tol) < np.inf:
            raise ValueError(f"AnnealedMinimization: tol={self.tol!r}; expected a number >= 0.")
        loss = problem.loss
        if not isinstance(loss, FiniteLoss):
            raise MissingOracleError(
                f"AnnealedMinimization needs a finite loss; {type(loss).__name__} is none. Use "
                "solver='alternating'."
            )
        n, n_classes = len(problem.candidates), len(loss.classes)
        require_bytes(
            8.0 * _TABLES * n * max(n_classes, len(loss.predictions)),
            f"AnnealedMinimization of {n} rows and {n_classes} classes",
            "Use solver='alternating', which holds less.",
        )
        return loss, problem.candidates.distribution()

    def _schedule(self) -> FloatArray:
        if self.temperatures is None:
            return np.geomspace(_WARMEST, _COLDEST, _STEPS)
        given = np.ravel(self.temperatures)
        # Text is no number, though numpy would read some.
        schedule = given.astype(np.float64) if given.dtype.kind in "iuf" else np.zeros(0)
        positive = (schedule > 0) & np.isfinite(schedule)
        if not schedule.size or not positive.all() or (np.diff(schedule) > 0).any():
            raise ValueError(
                f"AnnealedMinimization: temperatures={self.temperatures!r}; expected positive "
                "numbers that do not rise, like [1, 0.1, 0.01]."
            )
        return schedule
