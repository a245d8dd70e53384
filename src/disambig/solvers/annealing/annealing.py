"""Deterministic annealing: distributions of targets that sharpen as the temperature falls."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.labels.assignment import counted_labels
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.reading import require_separable
from disambig.exceptions import MissingOracleError
from disambig.losses.labels.counted import CountedSoftening
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.soft import LabelSoftening, SoftFaces
from disambig.losses.protocol import Faces
from disambig.losses.softening import Softening, SoftLoss, SoftTargets
from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_integer, check_number
from disambig.problem import Problem
from disambig.solvers.annealing.balance import ClassBalance, balance_of
from disambig.solvers.annealing.processes import OneBlock, TwoBlocks
from disambig.solvers.loop import Callback, Progress, Run, Status, iterate
from disambig.solvers.solution import Solution, check_embedded, check_start

# The default schedule, in units of the loss: at the highest temperature all candidates have nearly
# equal probabilities, at the lowest one candidate has nearly all of the probability.
_MAX_TEMPERATURE, _MIN_TEMPERATURE, _N_TEMPERATURES = 1.0, 0.01, 15
# The highest temperature of the default schedule for start="infimum": low enough for rows that
# start at one candidate to stay near it.
_MAX_INFIMUM_TEMPERATURE = 0.1
# Probabilities below this one are as good as zero; their logarithms must be finite.
_LEAST_PROBABILITY = 1e-300
# Arrays of (n, p) numbers that a step needs at once, measured: 13.4 to 14.4 for labels.
_N_ARRAYS = 15


class AnnealedMinimization(BaseEstimator):
    """Disambiguate with distributions of targets, at falling temperatures (annealing).

    Alternating minimisation moves to a vertex at its first step and ignores how certain the other
    rows are. Here every row has a distribution on its candidates, and the relative entropy to its
    prior keeps it soft. As the temperature falls the distributions sharpen, the most certain first.
    For labels under any finite loss, also with class counts, bits under the Hamming loss, and
    orders of at most 20 items under the Kendall loss. With `ClassCounts` the distributions keep the
    counts in expectation at every temperature, and the decoded labels keep them exactly.

    Parameters
    ----------
    formulation : {"auto", "one_block", "two_blocks"}, default "auto"
        "one_block": a row uses the votes of the other rows and never its own, which would confirm
        its start; needs a symmetric loss. (A row of sample weight w is w copies, which vote for
        each other; one of weight below 1 leaves its whole vote out.) "two_blocks": the paper's
        objective, predictions and targets in turn, also for losses that are not symmetric.
        "auto": "one_block" if the loss is symmetric, else "two_blocks". Neither ever raises its
        objective, for votes of any sign.
    start : {"average", "infimum"}, default "average"
        "average": all candidates of a row have equal probabilities; the first temperature should
        be high. "infimum": each row is at its candidate of lowest infimum loss, with negative votes
        counted, for finite losses that are symmetric; it also finds classes that are rarely the
        only candidate. Only a low first temperature preserves this start.
    temperatures : array-like (steps,), default None
        Positive numbers that do not rise; by default 15 from 1 to .01, and 7 from .1 to .01 for
        start="infimum". The unit is the largest loss for labels, and the loss of one wrong tag or
        one wrong pair of items for bits and orders.
    sweeps : int, default 5
        The largest number of steps at each temperature.
    tol : float, default 1e-3
        The next temperature begins when no probability changes by more.
    class_shares : {"average"} or array-like (K,), default None
        For labels: shares of the classes that the distributions are held near, by a relative
        entropy. So rare classes do not vanish where sets miss the truth or have frequent wrong
        members. "average": the mean over the rows of equal probabilities for all candidates.
    share_strength : float > 0, default 3.0
        The relative entropy of the shares counts so many times as much as those of the rows. With
        3, shares differ from the given ones where many votes say so; 30 nearly enforces them.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import disambiguate
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> found = disambiguate(X, y, weights=NeighborWeights(3), solver=AnnealedMinimization())
    >>> found.labels_.tolist()
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
        class_shares: Any = None,
        share_strength: float = 3.0,
    ) -> None:
        self.formulation = formulation
        self.start = start
        self.temperatures = temperatures
        self.sweeps = sweeps
        self.tol = tol
        self.class_shares = class_shares
        self.share_strength = share_strength

    def solve(
        self, problem: Problem, *, start: Solution | None = None, callback: Callback | None = None
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`. A warm run has the last temperature only.

        It goes on where the earlier one ended, which is a fixed point unless the earlier run made
        all its sweeps at the last temperature. Of several most likely outputs the earlier is kept.

        The objective of the trace is that of the formulation at the temperature that the stage
        names; it also falls when the temperature falls. The objectives of the solution are the
        paper's. Targets are the distributions at the last temperature. The status is "converged" if
        the whole schedule was run: its end is the stopping rule.
        """
        state: Any = None
        trace: tuple[Progress, ...] = ()
        status, n_iter = Status.CONVERGED, 0
        for _, run in self.path(problem, start=start, callback=callback):
            state = run.state
            trace += run.trace
            n_iter += run.n_iter
            if run.status is Status.STOPPED:
                status = Status.STOPPED
        targets = state.targets
        if isinstance(problem.candidates, ClassCounts):
            targets = _with_counted_labels(targets, problem.candidates)
        decoded = targets.first()
        if start is not None and not problem.candidates.couples_rows:
            decoded = _with_earlier_labels(targets, start.decoded)
        return Solution(
            targets=targets,
            decoded=decoded,
            relaxed_objective=problem.objective(targets.embedded),
            objective=problem.objective(decoded.embedded),
            start="annealed" if start is None else "warm",
            status=status,
            n_iter=n_iter,
            trace=trace,
            tie_tolerance=problem.rtol,
        )

    def path(
        self, problem: Problem, *, start: Solution | None = None, callback: Callback | None = None
    ) -> Iterator[tuple[float, Run[Any]]]:
        """Each temperature with its run, from high to low; `solve` uses the last.

        ``run.state.targets`` are the distributions at the temperature, so that one pass gives the
        targets at all temperatures.

        Parameters
        ----------
        problem : Problem
        start : Solution, optional
        callback : callable, optional
            All three as in `Solver.solve`.
        """
        schedule = self._schedule()
        self._check()
        check_embedded(problem, type(self).__name__)
        if not (problem.candidates.couples_rows and isinstance(problem.loss, FiniteLoss)):
            require_separable(problem.candidates, type(self).__name__)
        softening = self._softening(problem)
        if start is not None:
            schedule = schedule[-1:]
        # The temperature only scales the entropies: `at_temperature` keeps all else.
        process: Any = self._process(problem, softening, schedule[0] * softening.unit_temperature)
        if start is None:
            state = process.begin(self._first_targets(problem, softening))
        else:
            prior = softening.prior()
            earlier = check_start(start, prior.embedded.shape, type(self).__name__)
            state = process.begin(process.targets_for(earlier))
        for temperature in schedule.tolist():
            process = process.at_temperature(temperature * softening.unit_temperature)
            run: Run[Any] = iterate(
                process,
                process.resume(state),
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
            return softening.prior()
        loss = problem.loss
        if not isinstance(loss, FiniteLoss) or not softening.is_symmetric:
            raise MissingOracleError(
                "AnnealedMinimization: start='infimum' needs a finite loss that is symmetric. Use "
                "start='average'."
            )
        scores, _ = loss.infimum_scores(problem.votes, problem.candidates)
        scales = _MIN_TEMPERATURE * softening.unit_temperature * problem.votes.absolute_row_sums()
        return softening.targets_as_predictions(scores, scales)

    def _process(
        self, problem: Problem, softening: Softening, temperature: float
    ) -> OneBlock | TwoBlocks:
        if self.formulation == "one_block" and not softening.is_symmetric:
            raise MissingOracleError(
                "AnnealedMinimization: formulation='one_block' needs a symmetric loss between the "
                "same predictions and classes. Use formulation='two_blocks'."
            )
        balance = self._balance(softening)
        if self.formulation == "two_blocks" or not softening.is_symmetric:
            return TwoBlocks(problem, softening, temperature, float(self.tol), balance)
        return OneBlock(problem, softening, temperature, float(self.tol), balance)

    def _balance(self, softening: Softening) -> ClassBalance | None:
        if self.class_shares is None:
            return None
        if not isinstance(softening, (LabelSoftening, CountedSoftening)):
            raise MissingOracleError(
                "AnnealedMinimization: class_shares are shares of labels; these targets have none. "
                "Use class_shares=None."
            )
        if isinstance(softening, CountedSoftening):
            raise ValueError(
                "AnnealedMinimization: class_shares would pull the distributions away from the "
                "class counts, which are kept exactly. Use class_shares=None."
            )
        strength = float(self.share_strength)
        return balance_of(self.class_shares, strength, softening.prior_distribution)

    def _check(self) -> None:
        name = type(self).__name__
        check_choice(name, "formulation", self.formulation, ("auto", "one_block", "two_blocks"))
        check_choice(name, "start", self.start, ("average", "infimum"))
        check_integer(name, "sweeps", self.sweeps, least=1)
        check_number(name, "tol", self.tol)
        check_number(name, "share_strength", self.share_strength, positive=True)

    def _softening(self, problem: Problem) -> Softening:
        loss = problem.loss
        if not isinstance(loss, SoftLoss):
            raise MissingOracleError(
                "AnnealedMinimization needs distributions at a temperature, which finite losses, "
                f"the Hamming loss and the Kendall loss have; {type(loss).__name__} has none. Use "
                "solver='alternating'."
            )
        softening = loss.softened(problem.candidates)
        n, width = len(problem.candidates), softening.width
        require_bytes(
            8.0 * _N_ARRAYS * n * width,
            f"AnnealedMinimization of {n} rows and {width} numbers per row",
            "Use solver='alternating', which needs less.",
        )
        return softening

    def _schedule(self) -> FloatArray:
        if self.temperatures is None and self.start == "average":
            return np.geomspace(_MAX_TEMPERATURE, _MIN_TEMPERATURE, _N_TEMPERATURES)
        if self.temperatures is None:
            return np.geomspace(_MAX_INFIMUM_TEMPERATURE, _MIN_TEMPERATURE, _N_TEMPERATURES // 2)
        given = np.ravel(self.temperatures)
        # Text is refused, although numpy would convert some of it to numbers.
        schedule = given.astype(np.float64) if given.dtype.kind in "iuf" else np.zeros(0)
        positive = (schedule > 0) & np.isfinite(schedule)
        if not schedule.size or not positive.all() or (np.diff(schedule) > 0).any():
            raise ValueError(
                f"AnnealedMinimization: temperatures={self.temperatures!r}; expected positive "
                "numbers that do not rise, like [1, 0.1, 0.01]."
            )
        return schedule


def _with_counted_labels(targets: SoftFaces, counts: ClassCounts) -> SoftFaces:
    """The same distributions, with the most likely labels that keep the counts exactly.

    Of all labels of the sets that keep the counts they have the largest product of probabilities.
    """
    logs = np.log(np.maximum(targets.distribution, _LEAST_PROBABILITY))
    codes, _ = counted_labels(-logs, counts)
    mask = np.zeros(counts.shape, dtype=np.bool_)
    mask[np.arange(len(codes)), codes] = True
    return replace(targets, labels=LabelFaces(mask, targets.embedding))


def _with_earlier_labels(targets: SoftTargets, earlier: Faces) -> Faces:
    """The most likely outputs; of several the earlier one, if it is listed among them."""
    undecided = np.flatnonzero(~targets.is_vertex)
    owner, vertices = targets.largest.vertices(undecided)
    same = (vertices.embedded == earlier.embedded[undecided][owner]).all(axis=1)
    rows, first = np.unique(owner[same], return_index=True)
    return targets.first().replace(undecided[rows], vertices.take(np.flatnonzero(same)[first]))
