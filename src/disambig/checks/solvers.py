"""`check_solver`: a solver returns targets inside of their sets, and says the truth about them."""

import itertools
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from disambig.candidates import Intervals, LabelSets
from disambig.checks.contract import Contract
from disambig.losses import SquaredLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.number_problem import VotedProblem
from disambig.parameters import check_choice
from disambig.problem import Problem
from disambig.solvers.loop import Progress, Status
from disambig.solvers.solution import CERTIFIED, Solution
from disambig.votes import as_votes
from disambig.votes.entries import tie_tolerance


def check_solver(
    solver: Any,
    problem: Any = None,
    *,
    kind: Literal["labels", "numbers"] = "labels",
    seed: int = 0,
) -> None:
    """Check the contract of a solver on a problem, or on small random ones.

    ``solve`` changes no parameter and returns a `Solution`: every target is inside of its set, the
    objectives are those of the targets, the trace has a `Progress` for each iteration. A second
    run, and one of a clone, end the same. A callback is called, and stops the run by returning
    True. A run goes on from an earlier solution. On the small problems with labels, what is
    stated about the optimum is compared with the enumeration of all labels.

    Parameters
    ----------
    solver : Solver
    problem : Problem, VotedProblem or RiskProblem, optional
        By default problems of 7 rows, with votes that are dense and sparse.
    kind : {"labels", "numbers"}
        The targets of these problems.
    seed : int
        Of these problems.

    Raises
    ------
    ContractError
        In words. Errors of the solver itself pass, with a note about what was checked.

    Examples
    --------
    >>> from disambig.checks import check_solver
    >>> from disambig.solvers import AlternatingMinimization, NewtonRegression
    >>> check_solver(AlternatingMinimization())
    >>> check_solver(NewtonRegression(), kind="numbers")
    """
    contract = Contract.of("check_solver", solver)
    contract.has(solver, ("solve", "get_params", "set_params"), "disambig.solvers.Solver")
    check_choice("check_solver", "kind", kind, ("labels", "numbers"))
    if problem is not None:
        problems = [problem]
    else:
        rng = np.random.default_rng(seed)
        problems = [_random_problem(rng, kind, sparse) for sparse in (False, True, False, True)]
    for one in problems:
        with contract.during("it returns targets inside of their sets, and their objective"):
            found = _check_solution(contract, solver, one)
        with contract.during("a second run ends the same"):
            _check_repeats(contract, solver, one, found)
        with contract.during("a callback stops it, and an earlier solution starts it"):
            _check_control(contract, solver, one, found)


def _random_problem(rng: np.random.Generator, kind: str, sparse: bool) -> Any:
    n = 7
    alpha = rng.random((n, n))
    if sparse:
        alpha *= rng.random((n, n)) < 0.5
    votes = as_votes(alpha + np.eye(n))
    if kind == "numbers":
        lower = np.round(rng.normal(size=n), 2)
        sets = Intervals(lower, lower + np.round(rng.exponential(size=n), 2))
        return VotedProblem(votes, SquaredLoss(), sets, sets.span)
    mask = rng.random((n, 3)) < 0.5
    mask[np.arange(n), rng.integers(0, 3, n)] = True
    labels = LabelSets(mask, np.arange(3))
    return Problem(votes, ZeroOneLoss().bind(labels.classes), labels)


def _check_solution(contract: Contract, solver: Any, problem: Any) -> Solution:
    before = repr(solver.get_params())
    found: Any = solver.solve(problem)
    contract.holds(repr(solver.get_params()) == before, "solve changes its parameters.")
    contract.holds(
        isinstance(found, Solution), f"solve returns a {type(found).__name__}; expected a Solution."
    )
    _check_targets(contract, problem, found)
    contract.holds(
        isinstance(found.status, Status), f"the status is {found.status!r}; expected a Status."
    )
    contract.holds(found.n_iter >= 0, f"n_iter is {found.n_iter}; expected a count.")
    contract.holds(
        len(found.trace) > 0 and all(isinstance(one, Progress) for one in found.trace),
        "the trace must have a Progress for each iteration.",
    )
    if isinstance(problem, Problem):
        _check_embedded(contract, problem, found)
    else:
        _check_numbers(contract, problem, found)
    solution: Solution = found
    return solution


def _check_targets(contract: Contract, problem: Any, found: Solution) -> None:
    numbers = not isinstance(problem, Problem)
    sets = problem.sets if numbers else problem.candidates
    outputs = found.decoded.values if numbers else found.decoded.outputs
    contract.holds(
        len(found.targets) == len(outputs) == len(sets),
        f"has {len(found.targets)} targets and {len(outputs)} decoded ones for {len(sets)} rows.",
    )
    if isinstance(sets, LabelSets):
        inside = sets.mask[np.arange(len(sets)), outputs]
    elif hasattr(sets, "contains"):
        inside = np.asarray(sets.contains(outputs))
    else:
        return
    contract.holds(
        inside.all(),
        f"row {int(np.argmin(inside))}: its decoded target is not in its set "
        f"({int((~inside).sum())} such rows).",
    )


def _check_embedded(contract: Contract, problem: Problem, found: Solution) -> None:
    for name, stated, targets in (
        ("objective", found.objective, found.decoded),
        ("relaxed_objective", found.relaxed_objective, found.targets),
    ):
        contract.close(
            stated,
            problem.objective(targets.embedded),
            name,
            reason="the objective at its targets and the best predictions for them",
            atol=max(problem.objective_tolerance, 1e-12),
        )
    if not (isinstance(problem.loss, FiniteLoss) and isinstance(problem.candidates, LabelSets)):
        return
    members = [np.flatnonzero(row) for row in problem.candidates.mask]
    if np.prod([float(len(row)) for row in members]) > 5000:
        return
    table, A = problem.loss.matrix, problem.votes @ np.eye(len(members))
    choices = np.array(list(itertools.product(*members)))
    lowest = float(np.einsum("ij,zbj->biz", A, table[:, choices]).min(axis=2).sum(axis=1).min())
    rounding = max(problem.objective_tolerance, 1e-9)
    contract.holds(
        found.objective >= lowest - rounding,
        f"the objective is {found.objective:.9g}, below the minimum {lowest:.9g} of all labels.",
    )
    contract.holds(
        not found.certified or found.objective <= lowest + rounding,
        f"is certified at {found.objective:.9g}, but labels with {lowest:.9g} exist.",
    )


def _check_numbers(contract: Contract, problem: Any, found: Solution) -> None:
    values = found.targets.embedded
    contract.finite(values, "the targets")
    best = problem.predictions(values)
    contract.finite(best, "the best predictions for the targets")
    power = 2 if isinstance(problem.loss, SquaredLoss) else 1
    size = float(problem.votes.absolute_row_sums().sum()) * float(np.abs(best).max()) ** power
    contract.close(
        found.objective,
        problem.objective(values, best),
        "objective",
        reason="the objective at the targets and the best predictions for them",
        # Predictions within the tolerance of ties count as equal.
        atol=tie_tolerance(values.dtype) * max(size, 1.0),
    )
    points = problem.sets.is_point
    contract.close(
        values[points],
        problem.sets.hull.lower[points],
        "targets of rows whose set is one number",
        reason="that number",
    )
    certificate = found.certificate
    if found.certified and certificate is not None:
        contract.holds(
            certificate.is_convex and (certificate.residual or 0.0) <= CERTIFIED,
            "is certified, but its certificate states no convexity or a large residual.",
        )


def _same(contract: Contract, found: Solution, again: Solution, what: str) -> None:
    contract.close(
        again.decoded.embedded, found.decoded.embedded, f"targets of {what}", reason="the first run"
    )
    contract.holds(
        again.objective == found.objective and again.status is found.status,
        f"{what} ends at {again.objective} ({again.status}), the first run at {found.objective} "
        f"({found.status}). Draw random numbers from a seed that is a parameter.",
    )


def _check_repeats(contract: Contract, solver: Any, problem: Any, found: Solution) -> None:
    _same(contract, found, solver.solve(problem), "a second run")
    _same(contract, found, clone(solver).solve(problem), "the run of a clone")


def _check_control(contract: Contract, solver: Any, problem: Any, found: Solution) -> None:
    calls: list[Any] = []

    def stop(progress: Any) -> bool:
        calls.append(progress)
        return True

    stopped = solver.solve(problem, callback=stop)
    _check_targets(contract, problem, stopped)
    if calls:
        contract.holds(
            all(isinstance(one, Progress) for one in calls), "calls back without a Progress."
        )
        contract.holds(
            stopped.status is Status.STOPPED and not stopped.converged,
            f"the callback returned True, but the status is {stopped.status}; expected STOPPED.",
        )
    else:
        contract.holds(
            stopped.n_iter == 0, f"made {stopped.n_iter} iterations without calling the callback."
        )
    warm = solver.solve(problem, start=found)
    contract.holds(
        isinstance(warm, Solution), "solve(problem, start=solution) returns no Solution."
    )
    _check_targets(contract, problem, warm)
    contract.refuses(
        lambda: solver.solve(problem, start="average"),
        (TypeError, ValueError),
        "solve(problem, start='average')",
    )
