"""The paper's regression problem: the authors' loop and the exact optimum of three programs.

    python -m benchmarks.reference interval [--quick] [--write]

Ten inputs, sin(10 x), skewed intervals, bandwidth .1, their seeds 0 to 99; both programs get the
same intervals. The loop is run as released (votes as they are) and as at the time of the paper
(rows of votes sum to one). Its steps minimise ``y' (I - A²) y`` (`reproduce.interval.methods`).
Continued until moves are below 1e-13, it must reach our optimum of this program. Errors are in the
section of `benchmarks/interval_table.py`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.reference.environment import Environment
from benchmarks.reference.interval_stack import VoteStack
from benchmarks.reference.jobs import run_job
from benchmarks.results import provenance
from disambig.losses import SquaredLoss
from disambig.notation import FloatArray, IntArray
from disambig.number_problem import RiskProblem, VotedProblem
from disambig.quadratic_forms import voted_form
from disambig.solvers import NewtonRegression
from disambig.solvers.boxes import projected_newton
from disambig.votes.dense import DenseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.interval.methods import STOP, coded_targets
from reproduce.interval.problems import BANDWIDTH, RIDGES, SineProblem, sine_problem

__all__ = ["PROGRAMS", "Comparison", "measure", "report"]

PROGRAMS = {
    "loop": "what their loop iterates, `y' (I - A²) y`",
    "votes": "the paper's objective, votes normalized_votes to one",
    "risk": "the empirical risk, no intercept",
}
_CONVERGED_TOLERANCE = 1e-13
_MAX_SECONDS = 60.0
_N_REPEATS = 20


@dataclass(frozen=True, eq=False)
class Comparison:
    """Measurements of both programs; arrays are (problems, ridges) unless stated otherwise.

    Attributes
    ----------
    steps, seconds : dict of str to array
        Newton steps to the optimum and their CPU seconds, by program, without the time of the
        votes; NaN where the program is not convex.
    whole_seconds : dict of str to array
        CPU seconds of `NewtonRegression.solve`, certificate and predictions included.
    joint_seconds : dict of str to array (ridges,)
        CPU seconds of all problems of a ridge by `regress_together`, certificates included.
    joint_gap : float
        Largest difference of its targets from those of single problems.
    residual : float
        Largest scaled residual of the optimality conditions of all programs.
    iterations, their_seconds : dict of bool to array, or None
        Those of their loop, with votes that sum to one (True) and as they are (False).
    excess : array or None
        Relative excess of the objective of their loop over its minimum where it stops.
    same : dict of str to float, or None
        Largest differences: of votes, of stopping points and iterations of their loop and our
        rewriting of it, and of their converged loop from our optimum.
    """

    n_problems: int
    steps: dict[str, FloatArray]
    seconds: dict[str, FloatArray]
    whole_seconds: dict[str, FloatArray]
    joint_seconds: dict[str, FloatArray]
    joint_gap: float
    residual: float
    iterations: dict[bool, IntArray] | None
    their_seconds: dict[bool, FloatArray] | None
    excess: FloatArray | None
    same: dict[str, float] | None


def measure(
    environment: Environment | None,
    *,
    n_problems: int,
    seed: int = 0,
    print_line: Callable[[str], None] = print,
) -> Comparison:
    """Run both programs on the first problems; without `environment` only ours."""
    problems = [sine_problem(seed + t) for t in range(n_problems)]
    shape = (n_problems, len(RIDGES))
    steps, seconds, whole = ({name: np.full(shape, np.nan) for name in PROGRAMS} for _ in range(3))
    joint = {name: np.empty(len(RIDGES)) for name in PROGRAMS}
    optima = {name: np.full((*shape, 10), np.nan) for name in PROGRAMS}
    residual = gap = 0.0
    with threadpool_limits(1):
        for k, ridge in enumerate(RIDGES):
            cells = [_Cell(problem, ridge) for problem in problems]
            for name in PROGRAMS:
                for t, cell in enumerate(cells):
                    found = cell.solved(name)
                    if found is None:
                        continue
                    steps[name][t, k], residual = found.n_iter, max(residual, found.kkt)
                    optima[name][t, k] = found.y
                    seconds[name][t, k] = _seconds(lambda: cell.solved(name))  # noqa: B023
                    if name != "loop":
                        whole[name][t, k] = _seconds(lambda: cell.solved_by_regression(name))  # noqa: B023
                stack = _stack(cells)
                together, convex_problems = stack.solved(name)
                distance = np.abs(together.targets - optima[name][convex_problems, k]).max()
                gap, residual = max(gap, float(distance)), max(residual, together.residual.max())
                joint[name][k] = stack.seconds(name)
    print_line(f"ours: {n_problems} problems, largest residual {residual:.1e}")
    ours = (n_problems, steps, seconds, whole, joint, gap, residual)
    if environment is None:
        return Comparison(*ours, None, None, None, None)
    iterations, their_seconds, same, excess = _theirs(
        environment, problems, optima["loop"], print_line
    )
    return Comparison(*ours, iterations, their_seconds, excess, same)


class _Cell:
    """One problem at one ridge."""

    def __init__(self, problem: SineProblem, ridge: float) -> None:
        self.problem = problem
        plain, normalized_votes = (
            KernelRidgeWeights(bandwidth=BANDWIDTH, regularization=ridge, normalize=flag)
            for flag in (False, True)
        )
        identity = np.eye(len(problem.X))
        self.votes = plain.fit(problem.X).training_votes() @ identity
        self.normalized_votes = DenseVotes(
            normalized_votes.fit(problem.X).training_votes() @ identity
        )
        self.risk_form = plain.residual_form()
        self.lower, self.upper = (
            end.ravel() for end in (problem.intervals.lower, problem.intervals.upper)
        )

    def form(self, name: str) -> FloatArray | None:
        """The matrix of a program; None if it is not convex."""
        if name == "risk":
            return self.risk_form
        if name == "loop":
            square = self.votes @ self.votes
            return np.eye(len(square)) - (square + square.T) / 2
        form = voted_form(self.normalized_votes)
        return form.array if form is not None and form.is_convex else None

    def solved(self, name: str):  # type: ignore[no-untyped-def]
        """The optimum, computed from the votes; None if the program is not convex."""
        form, centers = self.form(name), self.problem.centers
        if form is None:
            return None
        return projected_newton(form, self.lower, self.upper, centers, anchor=centers)

    def solved_by_regression(self, name: str) -> None:
        """Solve the same program by `NewtonRegression`, which estimators use."""
        intervals = self.problem.intervals
        if name == "risk":
            votes = DenseVotes(self.votes)
            risk = RiskProblem(votes, self.risk_form, False, intervals, intervals.span)
            NewtonRegression().solve(risk)
        else:
            voted = VotedProblem(self.normalized_votes, SquaredLoss(), intervals, intervals.span)
            NewtonRegression().solve(voted)


def _stack(cells: Sequence[_Cell]) -> VoteStack:
    identity = np.eye(len(cells[0].lower))
    return VoteStack(
        np.array([cell.votes for cell in cells]),
        np.array([cell.normalized_votes @ identity for cell in cells]),
        np.array([cell.risk_form for cell in cells]),
        [cell.problem.intervals for cell in cells],
    )


def _seconds(work: Callable[[], object]) -> float:
    """Mean CPU seconds of one call."""
    begun = time.process_time()
    for _ in range(_N_REPEATS):
        work()
    return (time.process_time() - begun) / _N_REPEATS


def _theirs(
    environment: Environment,
    problems: list[SineProblem],
    optima: FloatArray,
    print_line: Callable[[str], None],
) -> tuple[dict[bool, IntArray], dict[bool, FloatArray], dict[str, float], FloatArray]:
    inputs = {
        "X": np.array([p.X for p in problems]),
        "queries": problems[0].queries,
        "centers": np.array([p.centers for p in problems]),
        "radii": np.array([p.radii for p in problems]),
        "bandwidth": BANDWIDTH,
        "limit": _MAX_SECONDS,
    }
    runs = {}
    for normalized in (True, False):
        settings = {"ridges": np.array(RIDGES), "normalized": normalized, "tol": STOP}
        runs[normalized] = run_job(environment, "interval", {**inputs, **settings})
        print_line(
            f"authors, votes {'normalized_votes to one' if normalized else 'as they are'}: done"
        )
    # Not at the smallest ridge, where it takes tens of millions of steps.
    settings = {"ridges": np.array(RIDGES[:2]), "normalized": False, "tol": _CONVERGED_TOLERANCE}
    converged = run_job(environment, "interval", {**inputs, **settings})
    same = {
        "votes": 0.0,
        "stopping points": 0.0,
        "iterations": 0.0,
        "converged": float(np.abs(converged["targets"] - optima[:, :2]).max()),
    }
    excess = np.empty(optima.shape[:2])
    for t, problem in enumerate(problems):
        for k, ridge in enumerate(RIDGES):
            cell = _Cell(problem, ridge)
            weights = KernelRidgeWeights(bandwidth=BANDWIDTH, regularization=ridge).fit(problem.X)
            votes = weights.votes(problem.queries) @ np.eye(len(problem.X))
            theirs = runs[False]["votes"][t, k]
            gap = float(np.abs(votes - theirs).max() / np.abs(theirs).max())
            same["votes"] = max(same["votes"], gap)
            stopped, steps = coded_targets(cell.votes, cell.lower, cell.upper)
            targets = runs[False]["targets"][t, k]
            distance = float(np.abs(stopped - targets).max())
            same["stopping points"] = max(same["stopping points"], distance)
            more = abs(steps - int(runs[False]["iterations"][t, k])) / steps
            same["iterations"] = max(same["iterations"], more)
            form = cell.form("loop")
            least = float(optima[t, k] @ form @ optima[t, k])
            excess[t, k] = float(targets @ form @ targets) / least - 1
    return (
        {flag: run["iterations"] for flag, run in runs.items()},
        {flag: run["seconds"] for flag, run in runs.items()},
        same,
        excess,
    )


def report(
    found: Comparison, *, environment: Environment | None, reason: str, command: str, seed: int
) -> str:
    """The section as Markdown; `reason` says why there is no environment."""
    authors = environment.describe() if environment is not None else f"not available. {reason}"
    about = provenance(
        command,
        seeds=f"theirs, {seed} to {seed + found.n_problems - 1}",
        more={"Authors' code": authors, "Threads": "1 for both codes; CPU seconds"},
    )
    return "\n\n".join(
        [
            "## Interval regression: the authors' loop and the exact optimum",
            f"The paper's setting (ten inputs, {found.n_problems} seeds). Medians, in brackets the "
            "largest; CPU milliseconds of the solve alone, from the votes on (forming the matrix "
            "and Newton steps for ours, the loop for theirs).",
            about,
            _table(found),
            _verdict(found),
            _agreement(found),
        ]
    )


def _table(found: Comparison) -> str:
    head = ["program", *(f"ridge {ridge:g}: steps | ms" for ridge in RIDGES)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * (1 + 2 * len(RIDGES))]
    rows = []
    for name, words in PROGRAMS.items():
        cells = _cells(found.steps[name], found.seconds[name])
        rows.append([f"ours: {words}", *cells])
        joint = 1e3 * found.joint_seconds[name] / found.n_problems
        shares = [cell for ms in joint for cell in ("", f"{ms:.3g} each")]
        rows.append(["the same by `regress_together`, certificates included", *shares])
        if name != "loop":
            whole = _cells(found.steps[name], found.whole_seconds[name])
            rows.append(["the same by `NewtonRegression`, certificate included", *whole])
    if found.iterations is not None and found.their_seconds is not None:
        for flag, words in ((False, "votes as they are (released)"), (True, "votes sum to one")):
            cells = _cells(found.iterations[flag], found.their_seconds[flag])
            rows.append([f"authors' loop, {words}", *cells])
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _cells(steps: FloatArray | IntArray, seconds: FloatArray) -> list[str]:
    cells = []
    for k in range(steps.shape[1]):
        n, s = steps[:, k], 1e3 * seconds[:, k]
        cells.append(f"{np.nanmedian(n):.0f} ({np.nanmax(n):.0f})")
        cells.append(f"{np.nanmedian(s):.3g} ({np.nanmax(s):.3g})")
    return cells


def _verdict(found: Comparison) -> str:
    max_steps = max(float(np.nanmax(steps[:, -1])) for steps in found.steps.values())
    concave = int(np.isnan(found.steps["votes"][:, -1]).sum())
    parts = [
        f"At ridge {RIDGES[-1]:g} the optimum is reached in at most {max_steps:.0f} Newton steps; "
        f"the largest scaled residual of all runs is {found.residual:.1e}. The paper's objective "
        f"is not convex there in {concave} of {found.n_problems} problems, which are left out. "
        f"Solved together, problems end within {found.joint_gap:.1e} of where they end alone."
    ]
    if found.their_seconds is not None and found.excess is not None:
        alone, together = [], []
        for name in PROGRAMS:
            # Compared with the loop with the same votes, over the convex problems.
            ours, theirs = found.seconds[name], found.their_seconds[name == "votes"]
            convex_problems = ~np.isnan(ours[:, -1])
            total = theirs[convex_problems, -1].sum()
            alone.append(f"{total / ours[convex_problems, -1].sum():.0f} × ({name})")
            together.append(f"{total / found.joint_seconds[name][-1]:.0f} × ({name})")
        excess = 100 * np.median(found.excess, axis=0)
        shares = ", ".join(
            f"{share:.2g} % at {ridge:g}" for share, ridge in zip(excess, RIDGES, strict=True)
        )
        parts.append(
            f"CPU of their loop at that ridge, with the same votes, over ours: "
            f"{', '.join(alone)} one problem at a time, **{', '.join(together)}** by "
            "`regress_together`, all problems in one call. Where their loop stops, "
            f"what it iterates is above its minimum by (median) {shares}."
        )
    return " ".join(parts)


def _agreement(found: Comparison) -> str:
    if found.same is None:
        return "The authors' code: not available."
    same = found.same
    return (
        "Agreement, largest differences over all problems and ridges: votes "
        f"{same['votes']:.1e} of the largest; our rewriting of the loop stops within "
        f"{same['stopping points']:.1e} of theirs, its number of steps within "
        f"{100 * same['iterations']:.2g} %; run on to moves of {_CONVERGED_TOLERANCE:g} (the two "
        f"larger ridges) their loop is within {same['converged']:.1e} of our optimum."
    )
