"""The methods of the interval figure and its table: `METHODS`, with their fits and predictions.

Each method fits one problem at one ridge. "As coded" are the computations of the authors' program,
which differ from the formulas of the paper:

* The loop iterates ``y <- P(A A y)`` with P the projection on the intervals. These are the exact
  steps without their divisors. For symmetric votes they are projected gradient steps of size 1/2
  on ``y' (I - A²) y``. The loop begins at the midpoints and stops as soon as no target moves by
  more than 1e-5. At a small ridge that is far from the minimum.
* The infimum loss minimises ``sum_j alpha_j ((c_j - z)² - r_j)₊²`` over a grid of 1000 numbers z
  from -6 to 6. Radii are subtracted from squared distances, and for a negative vote it takes the
  nearest member of an interval, where the infimum takes the farthest.

The alternating steps on the empirical risk are compiled, because their early stopping is examined
up to 100 000 steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.estimators import IntervalRegressor
from disambig.losses import SquaredLoss
from disambig.notation import FloatArray, IntArray
from disambig.number_problem import NumberSteps, VotedProblem
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.boxes import projected_newton
from disambig.votes.dense import DenseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.interval.problems import BANDWIDTH, RIDGES, SineProblem

STOP = 1e-5
"""The tolerance of the authors' loop: the largest move of a target at which it stops."""

# The authors' loop has no limit; this one only prevents an endless run.
_MAX_STEPS = 10_000_000
# Numbers of steps at which the alternation is stopped early, under votes and under the empirical
# risk, and the margins by which a target is kept inside its interval.
VOTE_STEPS = (1, 3, 10, 30, 100)
RISK_STEPS = (1, 10, 100, 1_000, 10_000, 100_000)
MARGINS = (0.0, 0.25, 0.5, 1.0)
LOOP = "`y <- P(A A y)`"
# How votes are normalised: not at all, divided by their sum, or by a free intercept.
_WEIGHT_KINDS = ("as they are", "sum one", "intercept")


@compiled
def iterate_to_tolerance(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, tol: float, max_steps: int
) -> tuple[FloatArray, int]:
    """Iterate ``y <- clip(matrix @ y)`` from the middle of the box until moves are at most `tol`.

    Parameters
    ----------
    matrix : float array (n, n)
        C-contiguous.
    lower, upper : float arrays (n,)
    tol : float
        Bound on the largest move of an entry.
    max_steps : int

    Returns
    -------
    float array (n,), and the number of steps.
    """
    n = len(lower)
    current = (lower + upper) / 2
    before = np.zeros(n)
    steps = 0
    while np.abs(current - before).max() > tol and steps < max_steps:
        steps += 1
        before, current = current, before
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += matrix[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
    return current, steps


@compiled
def iterate_with_checkpoints(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, seen: IntArray
) -> FloatArray:
    """The iterates after each of the increasing numbers of steps `seen`, ``(len(seen), n)``."""
    n = len(lower)
    current = (lower + upper) / 2
    before = np.empty(n)
    found = np.empty((len(seen), n))
    place = 0
    for step in range(1, seen[-1] + 1):
        before, current = current, before
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += matrix[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
        if step == seen[place]:
            found[place] = current
            place += 1
    return found


def coded_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, tol: float = STOP
) -> tuple[FloatArray, int]:
    """The targets at which the authors' loop stops, (n,), and the number of steps."""
    square = np.ascontiguousarray(votes @ votes)
    targets, steps = iterate_to_tolerance(square, lower.ravel(), upper.ravel(), tol, _MAX_STEPS)
    return targets, int(steps)


def coded_infimum(votes: FloatArray, centers: FloatArray, radii: FloatArray) -> FloatArray:
    """Predictions of the authors' infimum loss, (q,), for votes (q, n)."""
    numbers = np.linspace(-6.0, 6.0, 1000)
    excess = (centers[:, np.newaxis] - numbers) ** 2 - radii[:, np.newaxis]
    paid = np.maximum(excess, 0.0) ** 2
    found: FloatArray = numbers[(votes @ paid).argmin(axis=1)]
    return found


def stepped_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, steps: Sequence[int]
) -> FloatArray:
    """``y <- P(A y)`` from the midpoints, after each of these numbers of steps, (len(steps), n).

    The same as `AlternatingRegression(steps=...)` on a `RiskProblem`.
    """
    seen = np.asarray(steps, dtype=np.int64)
    array = np.ascontiguousarray(votes)
    return iterate_with_checkpoints(array, lower.ravel(), upper.ravel(), seen)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Predictions at the queries, and whether the optimum is certified and the problem convex.

    `certified` and `convex` are None for methods that do not look for an optimum.
    """

    predictions: FloatArray
    certified: bool | None = None
    convex: bool | None = None


# Takes a problem, a ridge and values of a further parameter; returns a result for each value.
Fit = Callable[[SineProblem, float, Sequence[Any]], list[Fitted]]


@dataclass(frozen=True, eq=False)
class Method:
    """A row of the table.

    Attributes
    ----------
    family : str
        "DF", "IL", "AC", or "truth" for a fit on the true numbers.
    objective, weights, end : str
        What is minimised, with which weights, and where the minimisation ends.
    fit : callable
    values : tuple
        Values of a parameter in addition to the ridge; ``(None,)`` if there is no such parameter.
    recorded : str
        Mean squared error in an earlier run of the authors' program, if it has this method.
    """

    family: str
    objective: str
    weights: str
    end: str
    fit: Fit
    values: tuple[Any, ...] = (None,)
    recorded: str = ""

    @property
    def described(self) -> tuple[str, str, str, str]:
        """A description that identifies the method."""
        return self.family, self.objective, self.weights, self.end

    def settings(self) -> list[tuple[float, Any]]:
        """All pairs of a ridge and a value; values vary fastest."""
        return [(ridge, value) for ridge in RIDGES for value in self.values]

    def path(self, problem: SineProblem) -> list[Fitted]:
        """A result for each setting."""
        return [one for ridge in RIDGES for one in self.fit(problem, ridge, self.values)]


def _weights(ridge: float, kind: str) -> KernelRidgeWeights:
    return KernelRidgeWeights(
        bandwidth=BANDWIDTH,
        regularization=ridge,
        intercept=kind == "intercept",
        normalize=kind == "sum one",
    )


def _votes(problem: SineProblem, ridge: float, kind: str) -> tuple[FloatArray, FloatArray]:
    """Votes at the training inputs, and at the queries."""
    weights, identity = _weights(ridge, kind).fit(problem.X), np.eye(len(problem.X))
    return weights.training_votes() @ identity, weights.votes(problem.queries) @ identity


def _ours(kind: str, **parameters: Any) -> Fit:
    """A fit by `IntervalRegressor`; the values, if there are any, are margins."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        found = []
        for margin in values:
            model = IntervalRegressor(_weights(ridge, kind), margin=margin or 0.0, **parameters)
            model.fit(problem.X, problem.intervals)
            has_optimum = model.method == "disambiguation"
            found.append(
                Fitted(
                    model.predict(problem.queries),
                    model.certified_ if has_optimum else None,
                    model.is_convex_ if has_optimum else None,
                )
            )
        return found

    return fit


def _early_votes(kind: str) -> Fit:
    """`AlternatingRegression` in one run, after each of the numbers of steps in the values."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        weights, sets = _weights(ridge, kind).fit(problem.X), problem.intervals
        votes = weights.votes(problem.queries)
        voted = VotedProblem(weights.training_votes(), SquaredLoss(), sets, sets.span)
        steps = NumberSteps(voted)
        descent = Descent(steps)
        state = descent.begin(steps.points(voted.first_predictions("average")))
        found = []
        for step in range(1, max(values) + 1):
            state = descent.step(state)
            if step in values:
                predictions = SquaredLoss().best_prediction(votes, state.targets.values, sets.span)
                found.append(Fitted(predictions.ravel()))
        return found

    return fit


def _early_risk(kind: str) -> Fit:
    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        training, votes = _votes(problem, ridge, kind)
        lower, upper = problem.intervals.lower, problem.intervals.upper
        return [Fitted(votes @ y) for y in stepped_targets(training, lower, upper, values)]

    return fit


def _coded(kind: str) -> Fit:
    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        training, votes = _votes(problem, ridge, kind)
        targets, _ = coded_targets(training, problem.intervals.lower, problem.intervals.upper)
        return [Fitted(votes @ targets)]

    return fit


def _optimum_of_coded(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
    training, votes = _votes(problem, ridge, "as they are")
    form = np.eye(len(training)) - training @ training
    lower, upper = problem.intervals.lower.ravel(), problem.intervals.upper.ravel()
    found = projected_newton((form + form.T) / 2, lower, upper, problem.centers)
    return [Fitted(votes @ found.y, found.converged, True)]


def _coded_infimum(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
    _, votes = _votes(problem, ridge, "as they are")
    return [Fitted(coded_infimum(votes, problem.centers, problem.radii))]


def _exact_infimum(kind: str) -> Fit:
    """The exact infimum loss, at the queries only; `IntervalRegressor` fits training rows too."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        _, votes = _votes(problem, ridge, kind)
        sets = problem.intervals
        found = SquaredLoss().infimum_prediction(DenseVotes(votes), sets, sets.span)
        return [Fitted(found.ravel())]

    return fit


def _truth(kind: str) -> Fit:
    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        _, votes = _votes(problem, ridge, kind)
        return [Fitted(votes @ problem.targets)]

    return fit


def _voted(kind: str) -> list[Method]:
    return [
        Method("DF", "votes", kind, "optimum", _ours(kind, formulation="votes")),
        Method("DF", "votes", kind, "early stop", _early_votes(kind), VOTE_STEPS),
    ]


def _risk(kind: str) -> list[Method]:
    fit = _ours(kind, formulation="risk")
    return [
        Method("DF", "risk", kind, "optimum", fit),
        Method("DF", "risk", kind, "early stop", _early_risk(kind), RISK_STEPS),
        Method("DF", "risk", kind, "margin", fit, MARGINS),
    ]


def _average(kind: str, formulation: str, recorded: str = "") -> Method:
    fit = _ours(kind, formulation=formulation, method="average")
    return Method("AC", formulation, kind, "closed form", fit, recorded=recorded)


METHODS: tuple[Method, ...] = (
    Method("DF", LOOP, "sum one", "moves < 1e-5", _coded("sum one"), recorded=".295 ± .014"),
    Method("DF", LOOP, "as they are", "moves < 1e-5", _coded("as they are"), recorded=".154"),
    Method("DF", LOOP, "as they are", "optimum", _optimum_of_coded, recorded=".251"),
    *(method for kind in _WEIGHT_KINDS for method in _voted(kind)),
    *(method for kind in ("as they are", "intercept") for method in _risk(kind)),
    Method("IL", "as coded", "as they are", "grid", _coded_infimum, recorded="1.84 ± .13"),
    *(
        Method("IL", "exact", kind, "optimum", _exact_infimum(kind))
        for kind in ("as they are", "intercept")
    ),
    _average("as they are", "risk", ".149"),
    _average("sum one", "votes", ".575 ± .043"),
    _average("intercept", "risk"),
    *(Method("truth", "risk", kind, "closed form", _truth(kind)) for kind in _WEIGHT_KINDS),
)
