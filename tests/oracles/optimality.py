"""Solutions of tiny problems compared with the global optimum."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Solution
from disambig.votes import as_votes
from tests.oracles.brute_force import Optimum, global_optimum
from tests.oracles.tiny_problems import TinyProblem, tiny_problem

__all__ = ["STARTS", "Outcome", "outcomes"]

STARTS: dict[str, str | list[str]] = {
    "average": "average",
    "infimum": "infimum",
    "intersection": "intersection",
    "all three": ["average", "infimum", "intersection"],
}


@dataclass(frozen=True)
class Outcome:
    """One problem, solved from one start."""

    tiny: TinyProblem
    problem: Problem
    start: str
    solution: Solution
    optimum: Optimum

    @property
    def solved(self) -> bool:
        """Is the decoded objective the global optimum, up to rounding?"""
        return self.solution.objective <= self.optimum.objective + self.optimum.rounding

    @property
    def gap(self) -> float:
        """0 at the optimum, 1 at the mean objective of labels drawn uniformly from the sets."""
        if self.solved:
            return 0.0
        above = self.solution.objective - self.optimum.objective
        return above / (self.optimum.mean - self.optimum.objective)


def outcomes(seeds: Iterable[int]) -> Iterator[Outcome]:
    """Solve the problems of these seeds from every start; skip those whose labels all tie."""
    for seed in seeds:
        tiny = tiny_problem(seed)
        optimum = global_optimum(tiny.A, tiny.loss.matrix, tiny.sets)
        if not optimum.matters:
            continue
        problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
        for name, start in STARTS.items():
            solution = AlternatingMinimization(start).solve(problem)
            yield Outcome(tiny, problem, name, solution, optimum)
