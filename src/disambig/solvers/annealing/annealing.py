"""Deterministic annealing: from soft targets to sharp ones."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from disambig.exceptions import MissingOracleError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.softening import Softening, SoftLoss, SoftTargets
from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.problem import Problem
from disambig.solvers.annealing.processes import OneBlock, TwoBlocks
from disambig.solvers.loop import Callback, Progress, Run, Status, iterate
from disambig.solvers.solution import Solution

# From "all candidates alike" to "one candidate but for rounding", in units of the loss.
_WARMEST, _COLDEST, _STEPS = 1.0, 0.01, 15
# Where rows that begin at one of their candidates still hold on to it.
_COOL = 0.1
# Arrays of (n, p) numbers that a step holds at once.
_TABLES = 10


class AnnealedMinimization(BaseEstimator):
    """Disambiguate softly, at a temperature that falls (deterministic annealing).

    Alternating minimisation jumps to a vertex at its first step and forgets how sure the others
    were. Here every row keeps a law on its candidates, held back by the relative entropy to the law
    it began with; as the temperature falls the laws sharpen, the surest first. For labels under any
    finite loss, bits under the Hamming loss, and orders of at most 20 items under the Kendall loss.

    Parameters
    ----------
    formulation : {"auto", "one_block", "two_blocks"}, default "auto"
        "one_block": rows listen to the others and never to themselves, whose vote would confirm
        whatever they began with; needs a symmetric loss. (A row of weight w is left out as a whole,
        where w copies would hear each other: the two are close, not equal.) "two_blocks": the
        paper's objective, predictions and targets in turn, for losses that are not symmetric,
        too. "auto": the first where the loss allows. Both never raise their objective, for votes
        of any sign.
    start : {"average", "infimum"}, default "average"
        "average": all candidates of a row alike, which a high temperature is needed for.
        "infimum": each row at the candidate of least infimum loss, votes against counted, for
        finite losses that are symmetric; where a class hardly ever comes alone this finds it. Only
        a low temperature keeps such a start.
    temperatures : array-like, default None
        Falling, positive, by default 15 from 1 to .01, and 7 from .1 on for start="infimum"; in
        units of the largest loss for labels, of what one wrong tag or one wrong pair of items costs
        for bits and orders.
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
        start: Literal["average", "infimum"] = "average",
        temperatures: Any = None,
        sweeps: int = 5,
        tol: float = 1e-3,
    ) -> None:
        self.formulation = formulation
        self.start = start
        self.temperatures = temperatures
        self.sweeps = sweeps
        self.tol = tol

    def solve(self, problem: Problem, *, callback: Callback | None = None) -> Solution:
        """Disambiguate; `callback` hears of every step and stops the run by True.

        The objective of the trace is that of the formulation at the temperature, which its stage
        names; it falls when the temperature falls, too. The objectives of the solution are the
        paper's. Targets stay as soft as the last temperature leaves them. Converged means that
        the schedule was gone through: its end is the stopping rule.
        """
        state: Any = None
        trace: tuple[Progress, ...] = ()
        status, n_iter = Status.CONVERGED, 0
        for _, run in self.path(problem, callback=callback):
            state = run.state
            trace += run.trace
            n_iter += run.n_iter
            if run.status is Status.STOPPED:
                status = Status.STOPPED
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

    def path(
        self, problem: Problem, *, callback: Callback | None = None
    ) -> Iterator[tuple[float, Run[Any]]]:
        """Each temperature with the run at it, from warm to cold; `solve` takes the last.

        ``run.state.targets`` are the laws at the temperature: one run has the soft limits, too.
        """
        schedule = self._schedule()
        self._check()
        softening = self._softening(problem)
        # Nothing of this depends on the temperature; only the scale of the entropies does.
        process: Any = self._process(problem, softening, schedule[0] * softening.unit)
        state = process.begin(self._first_targets(problem, softening))
        for temperature in schedule.tolist():
            process = process.cooled(temperature * softening.unit)
            run: Run[Any] = iterate(
                process,
                process.go_on(state),
                max_iter=int(self.sweeps),
                stage=f"temperature {temperature:.3g}",
                callback=callback,
            )
            state = run.state
            yield temperature, run
            if run.status is Status.STOPPED:
                return

    def _first_targets(self, problem: Problem, softening: Softening) -> SoftTargets:
        if self.start == "average":
            return softening.base()
        loss = problem.loss
        if not isinstance(loss, FiniteLoss) or not softening.is_symmetric:
            raise MissingOracleError(
                "AnnealedMinimization: start='infimum' needs a finite loss that is symmetric. Use "
                "start='average'."
            )
        scores, _ = loss.infimum_scores(problem.votes, problem.candidates)
        scales = _COLDEST * softening.unit * problem.votes.absolute_row_sums()
        return softening.members(scores, scales)

    def _process(
        self, problem: Problem, softening: Softening, temperature: float
    ) -> OneBlock | TwoBlocks:
        if self.formulation == "one_block" and not softening.is_symmetric:
            raise MissingOracleError(
                "AnnealedMinimization: formulation='one_block' needs a symmetric loss between the "
                "same predictions and classes. Use formulation='two_blocks'."
            )
        if self.formulation == "two_blocks" or not softening.is_symmetric:
            return TwoBlocks(problem, softening, temperature, float(self.tol))
        return OneBlock(problem, softening, temperature, float(self.tol))

    def _check(self) -> None:
        if self.formulation not in ("auto", "one_block", "two_blocks"):
            raise ValueError(
                f"AnnealedMinimization: formulation={self.formulation!r} is not known; choose "
                "'auto', 'one_block' or 'two_blocks'."
            )
        if self.start not in ("average", "infimum"):
            raise ValueError(
                f"AnnealedMinimization: start={self.start!r} is not known; choose 'average' or "
                "'infimum'."
            )
        if not isinstance(self.sweeps, Integral) or int(self.sweeps) < 1:
            raise ValueError(
                f"AnnealedMinimization: sweeps={self.sweeps!r}; expected at least 1, an integer."
            )
        if not isinstance(self.tol, Real) or not 0.0 <= float(self.tol) < np.inf:
            raise ValueError(f"AnnealedMinimization: tol={self.tol!r}; expected a number >= 0.")

    def _softening(self, problem: Problem) -> Softening:
        loss = problem.loss
        if not isinstance(loss, SoftLoss):
            raise MissingOracleError(
                "AnnealedMinimization needs laws at a temperature, which finite losses, the "
                f"Hamming loss and the Kendall loss have; {type(loss).__name__} has none. Use "
                "solver='alternating'."
            )
        softening = loss.softened(problem.candidates)
        n, width = len(problem.candidates), softening.width
        require_bytes(
            8.0 * _TABLES * n * width,
            f"AnnealedMinimization of {n} rows and {width} numbers a row",
            "Use solver='alternating', which holds less.",
        )
        return softening

    def _schedule(self) -> FloatArray:
        if self.temperatures is None and self.start == "average":
            return np.geomspace(_WARMEST, _COLDEST, _STEPS)
        if self.temperatures is None:
            return np.geomspace(_COOL, _COLDEST, _STEPS // 2)
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
