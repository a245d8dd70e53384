"""Run all variants on one problem, unless outcomes are stored."""

from functools import cache
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.accuracy.record import Record
from benchmarks.accuracy.selection import Outcome, run
from benchmarks.choices_problems import SEED, Corrupted
from benchmarks.choices_variants import VARIANTS

__all__ = ["run_problem"]


def run_problem(problem: Corrupted, path: Path, fresh: bool = False) -> dict[str, Outcome]:
    """Outcomes by variant; those that `path` lacks are computed on one thread and stored."""
    record = Record(path)
    found: dict[str, Outcome] = {}
    for variant in VARIANTS:
        outcome = None if fresh else record.get(problem.name, SEED, variant)
        if outcome is None:
            parts = problem.split()
            with threadpool_limits(1):
                _compile()
                outcome = run(variant, parts.train, parts.test, seed=SEED)
            record.add(problem.name, SEED, variant, outcome)
            print(f"{problem.name}, {variant.name}: {outcome.accuracy:.3f}", flush=True)
        found[variant.name] = outcome
    return found


@cache
def _compile() -> None:
    """Compile and import before the time is measured."""
    parts = Corrupted("iris", "uniform", 0.3).split()
    for variant in VARIANTS:
        run(variant, parts.train, parts.test, seed=SEED)
