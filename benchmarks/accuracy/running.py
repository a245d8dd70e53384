"""Run all methods on all problems of one data set and split, unless outcomes are stored."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.method import Method
from benchmarks.accuracy.problems import Problem
from benchmarks.accuracy.record import Record
from benchmarks.accuracy.selection import Outcome, fit_scaled, run

__all__ = ["Outcomes", "run_split"]

# Outcomes by problem and name of the method.
Outcomes = dict[tuple[Problem, str], Outcome]

_COMPILED: set[str] = set()


def run_split(
    problems: Sequence[Problem],
    split: int,
    methods: Sequence[Method],
    path: Path,
    fresh: Sequence[str] = (),
) -> Outcomes:
    """Outcomes of all problems and methods; those that `path` lacks are computed on one thread.

    Methods in `fresh` are computed in any case. The seed is the number of the split. All problems
    of a data set are run together because they share work (`shared_work.py`).
    """
    record = Record(path)
    for method in methods:
        if method.name in fresh:
            record.forget(method)
    found: Outcomes = {}
    with threadpool_limits(1), warnings.catch_warnings():
        # Undecided rows have a label like all others, and the table says how often it is right.
        warnings.filterwarnings("ignore", message=".*rows are undecided after max_rounds")
        for problem in problems:
            for method in methods:
                outcome = record.get(problem.name, split, method)
                if outcome is None:
                    parts = problem.split(split)
                    compile_once(method)
                    outcome = run(method, parts.train, parts.test, seed=split)
                    record.add(problem.name, split, method, outcome)
                    _print_outcome(problem, split, method, outcome)
                found[problem, method.name] = outcome
    return found


def compile_once(method: Method) -> None:
    """Compile the numba functions of a method before it is timed."""
    if method.name not in _COMPILED:
        X = np.random.default_rng(0).normal(size=(30, 2))
        mask = np.column_stack([X[:, 0] < 0.5, X[:, 0] >= 0, X[:, 1] > 0])
        mask |= ~mask.any(axis=1, keepdims=True)
        fit_scaled(method, method.settings[0], X, mask, seed=0).predict(X)
        _COMPILED.add(method.name)


def _print_outcome(problem: Problem, split: int, method: Method, outcome: Outcome) -> None:
    print(
        f"{problem.name}, split {split}, {method.name}: test {outcome.accuracy:.3f}, recovered "
        f"{outcome.recovered:.3f}, {outcome.seconds:.1f} s",
        flush=True,
    )
