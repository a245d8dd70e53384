"""The contract of solvers, each on problems that it accepts."""

import pytest

from disambig.checks import check_solver
from disambig.losses import AbsoluteLoss, PinballLoss
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingMinimization,
    AlternatingRegression,
    AnnealedMinimization,
    FrankWolfeMinimization,
    LinearProgramRegression,
    NewtonRegression,
    UnionRegression,
)
from disambig.solvers.numbers.automatic import suited_solver
from tests.oracles.number_problems import risk_problem, voted_problem

PROBLEMS = {
    "votes": lambda seed: voted_problem(seed, d=2),
    "sparse": lambda seed: voted_problem(seed, "sparse"),
    "risk": lambda seed: risk_problem(seed, d=2)[0],
    "signed": lambda seed: voted_problem(seed, "signed"),
    "absolute": lambda seed: voted_problem(seed, "sparse", loss=AbsoluteLoss()),
    "pinball": lambda seed: voted_problem(seed, d=2, loss=PinballLoss(0.7)),
    "signed absolute": lambda seed: voted_problem(seed, "signed", loss=AbsoluteLoss()),
    "unions": lambda seed: voted_problem(seed, unions=True),
    "risk of unions": lambda seed: risk_problem(seed, unions=True)[0],
    "absolute of unions": lambda seed: voted_problem(seed, unions=True, loss=AbsoluteLoss()),
    "signed unions": lambda seed: voted_problem(seed, "signed", unions=True),
}
QUADRATIC = ["votes", "sparse", "risk"]
SOLVERS = {
    "newton": (NewtonRegression(), QUADRATIC),
    "accelerated": (AcceleratedRegression(), QUADRATIC),
    "linear program": (LinearProgramRegression(), ["absolute", "pinball"]),
    "alternating": (AlternatingRegression(max_iter=100_000), list(PROBLEMS)),
    "early": (AlternatingRegression("infimum", steps=2), list(PROBLEMS)),
    "unions": (UnionRegression(n_starts=3), list(PROBLEMS)),
}
CASES = [(solver, problem) for solver, (_, names) in SOLVERS.items() for problem in names]
each_case = pytest.mark.parametrize(("solver", "name"), CASES)


@each_case
@pytest.mark.parametrize("seed", range(3))
def test_the_public_check(solver, name, seed):
    check_solver(SOLVERS[solver][0], PROBLEMS[name](seed))


@each_case
@pytest.mark.parametrize("seed", range(3))
def test_what_is_certified(solver, name, seed):
    instance, problem = SOLVERS[solver][0], PROBLEMS[name](seed)
    found = instance.solve(problem)
    assert found.converged == (solver != "early")
    if isinstance(suited_solver(problem), type(instance)) and problem.is_convex:
        assert found.certified == (solver != "unions")


EMBEDDED = {
    "alternating": AlternatingMinimization(),
    "alternating, two starts": AlternatingMinimization(["infimum", "average"]),
    "annealed": AnnealedMinimization(),
    "frank-wolfe": FrankWolfeMinimization(),
}


@pytest.mark.parametrize("name", EMBEDDED)
@pytest.mark.parametrize("seed", range(3))
def test_the_public_check_of_solvers_of_labels(name, seed):
    check_solver(EMBEDDED[name], seed=seed)
