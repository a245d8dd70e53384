"""Products with a matrix, clipped to a box, over and over.

What the authors' program computes, in our words: it is not what the paper's formulas say.

* Its loop iterates ``y <- P(A A y)`` with P the projection on the intervals: the exact steps
  without their divisors. For symmetric votes that is projected gradient, of step 1/2, on
  ``y' (I - A²) y``. It begins at the midpoints and stops as soon as no target moves by more than
  1e-5, far from the minimum at a small ridge.
* Its infimum loss takes, on a grid of 1000 numbers from -6 to 6, the least
  ``sum_j alpha_j ((c_j - z)² - r_j)₊²``: radii are taken off squared distances, and a negative
  vote sees the nearest member of an interval where the infimum takes the farthest.

Alternating steps of the empirical risk: tens of thousands of them are looked at.

The methods of the table: what each fits and predicts at one ridge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.compiled.jit import kernel
from disambig.estimators import IntervalRegressor
from disambig.losses import SquaredLoss
from disambig.notation import FloatArray, IntArray
from disambig.number_problem import VotedProblem
from disambig.solvers.boxes import projected_newton
from disambig.solvers.numbers.alternating import NumberDescent
from disambig.votes import DenseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.interval.problems import BANDWIDTH, RIDGES, SineProblem

STOP = 1e-5
_MOST = 10_000_000
# How many steps of the alternation are tried where it is stopped early, and how many units inside
# its interval a target is kept where a margin is tried.
STEPS = (1, 3, 10, 30, 100)
MANY_STEPS = (1, 10, 100, 1_000, 10_000, 100_000)
MARGINS = (0.0, 0.25, 0.5, 1.0)
LOOP = "`y <- P(A A y)`"
_KINDS = ("as they are", "sum one", "intercept")


@kernel
def iterated_until_still(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, tol: float, most: int
) -> tuple[FloatArray, int]:
    """``y <- clip(matrix @ y)`` from the middle of the box until no entry moves by more than `tol`.

    Parameters
    ----------
    matrix : float array (n, n)
        C-contiguous.
    lower, upper : float arrays (n,)
    tol : float
    most : int
        Steps at the most.

    Returns
    -------
    float array (n,), and the number of steps.
    """
    n = len(lower)
    current = (lower + upper) / 2
    before = np.zeros(n)
    steps = 0
    while np.abs(current - before).max() > tol and steps < most:
        steps += 1
        before, current = current, before
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += matrix[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
    return current, steps


@kernel
def iterated_with_stops(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, seen: IntArray
) -> FloatArray:
    """The same after each of the numbers of steps in `seen`, which rise: ``(len(seen), n)``."""
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
    """Where their loop stops, (n,), and after how many steps."""
    square = np.ascontiguousarray(votes @ votes)
    targets, steps = iterated_until_still(square, lower.ravel(), upper.ravel(), tol, _MOST)
    return targets, int(steps)


def coded_infimum(votes: FloatArray, centers: FloatArray, radii: FloatArray) -> FloatArray:
    """Their infimum loss at queries: votes (q, n), predictions (q,)."""
    numbers = np.linspace(-6.0, 6.0, 1000)
    excess = (centers[:, np.newaxis] - numbers) ** 2 - radii[:, np.newaxis]
    paid = np.maximum(excess, 0.0) ** 2
    found: FloatArray = numbers[(votes @ paid).argmin(axis=1)]
    return found


def stepped_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, steps: Sequence[int]
) -> FloatArray:
    """``y <- P(A y)`` from the midpoints, seen after each of these numbers of steps, (seen, n).

    What `AlternatingRegression(steps=...)` does with a `RiskProblem`.
    """
    seen = np.asarray(steps, dtype=np.int64)
    array = np.ascontiguousarray(votes)
    return iterated_with_stops(array, lower.ravel(), upper.ravel(), seen)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Predictions at the queries, and what is known of the run behind them.

    `certified` and `convex` are None where no optimum is sought.
    """

    predictions: FloatArray
    certified: bool | None = None
    convex: bool | None = None


# Of a problem, a ridge and the values of a further parameter: a result for each of these.
Fit = Callable[[SineProblem, float, Sequence[Any]], list[Fitted]]


@dataclass(frozen=True, eq=False)
class Method:
    """A row of the table.

    Attributes
    ----------
    family : str
        "DF", "IL", "AC", or "truth" for the truth behind the intervals, known.
    objective, weights, end : str
        What is minimised, with which weights, and where it is left.
    fit : callable
    values : tuple
        Of a parameter beside the ridge; one if there is none.
    recorded : str
        Mean squared error of an earlier run of the authors' program, if it has this method.
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
        """What no two methods have in common."""
        return self.family, self.objective, self.weights, self.end

    def settings(self) -> list[tuple[float, Any]]:
        """Ridges and values, the latter running fastest."""
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
    """At the training inputs, and at the queries."""
    weights, identity = _weights(ridge, kind).fit(problem.X), np.eye(len(problem.X))
    return weights.training_votes() @ identity, weights.votes(problem.queries) @ identity


def _ours(kind: str, **parameters: Any) -> Fit:
    """An `IntervalRegressor`; values, if any, are margins."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        found = []
        for margin in values:
            model = IntervalRegressor(_weights(ridge, kind), margin=margin or 0.0, **parameters)
            model.fit(problem.X, problem.intervals)
            sought = model.method == "disambiguation"
            found.append(
                Fitted(
                    model.predict(problem.queries),
                    model.certified_ if sought else None,
                    model.is_convex_ if sought else None,
                )
            )
        return found

    return fit


def _early_votes(kind: str) -> Fit:
    """`AlternatingRegression`, seen after each of the numbers of steps in one run."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        weights, sets = _weights(ridge, kind).fit(problem.X), problem.intervals
        votes = weights.votes(problem.queries)
        voted = VotedProblem(weights.training_votes(), SquaredLoss(), sets, sets.span)
        descent = NumberDescent(voted, -1.0)
        state = descent.begin(voted.first_targets("average"))
        found = []
        for step in range(1, max(values) + 1):
            state = descent.step(state)
            if step in values:
                predictions = SquaredLoss().best_prediction(votes, state.targets, sets.span)
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
    """Without the fit of `IntervalRegressor`, which labels the training rows too."""

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
        Method("DF", "votes", kind, "early stop", _early_votes(kind), STEPS),
    ]


def _risk(kind: str) -> list[Method]:
    fit = _ours(kind, formulation="risk")
    return [
        Method("DF", "risk", kind, "optimum", fit),
        Method("DF", "risk", kind, "early stop", _early_risk(kind), MANY_STEPS),
        Method("DF", "risk", kind, "margin", fit, MARGINS),
    ]


def _average(kind: str, formulation: str, recorded: str = "") -> Method:
    fit = _ours(kind, formulation=formulation, method="average")
    return Method("AC", formulation, kind, "closed form", fit, recorded=recorded)


METHODS: tuple[Method, ...] = (
    Method("DF", LOOP, "sum one", "moves < 1e-5", _coded("sum one"), recorded=".295 ± .014"),
    Method("DF", LOOP, "as they are", "moves < 1e-5", _coded("as they are"), recorded=".154"),
    Method("DF", LOOP, "as they are", "optimum", _optimum_of_coded, recorded=".251"),
    *(method for kind in _KINDS for method in _voted(kind)),
    *(method for kind in ("as they are", "intercept") for method in _risk(kind)),
    Method("IL", "as coded", "as they are", "grid", _coded_infimum, recorded="1.84 ± .13"),
    *(
        Method("IL", "exact", kind, "optimum", _exact_infimum(kind))
        for kind in ("as they are", "intercept")
    ),
    _average("as they are", "risk", ".149"),
    _average("sum one", "votes", ".575 ± .043"),
    _average("intercept", "risk"),
    *(Method("truth", "risk", kind, "closed form", _truth(kind)) for kind in _KINDS),
)
