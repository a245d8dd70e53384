"""Jobs that run the authors' functions on arrays, inside the reference environment.

`python -I runner.py JOB IN.npz OUT.npz`. Another interpreter executes this file, so it imports
nothing of ours and must work with Python 3.9. CPU seconds are those of the functions, without
imports and files.
"""

import importlib
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

Job = Callable[..., dict[str, Any]]
JOBS: dict[str, Job] = {}


def job(function: Job) -> Job:
    """Register a job under the name of its function."""
    JOBS[function.__name__] = function
    return function


class Clock:
    """CPU seconds of this process, by the part of the work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + time.process_time() - begun

    def arrays(self) -> dict[str, float]:
        return {f"seconds_{part}": spent for part, spent in self.seconds.items()}


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after these seconds; their loop has no other limit."""
    if not hasattr(signal, "SIGALRM"):  # On Windows only the whole job has a time limit.
        yield
        return

    def expire(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@job
def check() -> dict[str, Any]:
    """Which of their modules can be imported in this environment."""
    found = {}
    for name in ("problems.classification", "weights", "dataloader", "problems.ranking"):
        try:
            importlib.import_module(name)
            found[name] = ""
        except ImportError as error:
            found[name] = str(error) or type(error).__name__
    return {"modules": np.array(list(found)), "errors": np.array(list(found.values()))}


@job
def disambiguate(votes: Any, sets: Any, rows: Any, classes: Any, limit: Any) -> dict[str, Any]:
    """Labels of several problems in padded stacks; -1 where the loop did not end.

    Problem t has `rows[t]` rows and `classes[t]` classes.
    """
    from problems.classification import DF  # type: ignore[import-not-found]

    clock = Clock()
    labels = np.full(sets.shape[:2], -1)
    ended = np.ones(len(rows), dtype=bool)
    for t, (n, m) in enumerate(zip(rows, classes)):  # noqa: B905 (Python 3.9 has no `strict`)
        alpha, mask = votes[t, :n, :n].copy(), sets[t, :n, :m].copy()
        try:
            with limited(float(limit)), clock("disambiguation"):
                labels[t, :n] = DF.disambiguation(alpha, mask).argmax(axis=1)
        except TimeoutError:
            ended[t] = False
    return {"labels": labels, "ended": ended, **clock.arrays()}


@job
def neighbor_votes(X: Any, queries: Any, k: Any) -> dict[str, Any]:
    """Their 0/1 weights at training and at new inputs."""
    from weights import NearestNeighbors  # type: ignore[import-not-found]

    computer = NearestNeighbors(int(k))
    computer.set_support(X)
    return {"training": computer(X), "queries": computer(queries)}


@job
def ridge_votes(X: Any, queries: Any, bandwidth: Any, regularization: Any) -> dict[str, Any]:
    """Their kernel ridge weights at training and at new inputs."""
    from weights import RidgeRegressor

    computer = RidgeRegressor("Gaussian", sigma=float(bandwidth), lambd=float(regularization))
    computer.set_support(X)
    computer.train()
    return {"training": computer(X), "queries": computer(queries)}


@job
def sweep(
    X: Any, queries: Any, sets: Any, bandwidths: Any, regularizations: Any, limit: Any
) -> dict[str, Any]:
    """Predictions (cells, problems, queries) of DF, IL and AC for every cell and problem.

    `sets` is (problems, n, K). One eigendecomposition serves the ridges of a bandwidth, as in the
    experiments that come with the wheel, and the training weights are made symmetric as in these.
    """
    from problems.classification import DF
    from weights import RidgeRegressor

    clock = Clock()
    computer = RidgeRegressor("Gaussian", sigma=1.0)
    computer.set_support(X)
    shape = (len(bandwidths) * len(regularizations), len(sets), len(queries))
    found = {method: np.full(shape, -1, dtype=np.int16) for method in ("df", "il", "ac")}
    unended = 0
    cell = 0
    for bandwidth in bandwidths:
        with clock("decomposition"):
            computer.update_sigma(bandwidth)
        for regularization in regularizations:
            with clock("weights"):
                computer.update_lambda(regularization)
                alpha = computer(queries)
                training = computer(X)
                training += training.T
            for t, mask in enumerate(sets):
                try:
                    with limited(float(limit)), clock("disambiguation"):
                        targets = DF.disambiguation(training, mask)
                        found["df"][cell, t] = (alpha @ targets).argmax(axis=1)
                except TimeoutError:
                    unended += 1
                with clock("baselines"):
                    votes = mask.astype(np.float64)
                    found["il"][cell, t] = (alpha @ votes).argmax(axis=1)
                    votes /= votes.sum(axis=1, keepdims=True)
                    found["ac"][cell, t] = (alpha @ votes).argmax(axis=1)
            cell += 1
    return {**found, "unended": np.array(unended), **clock.arrays()}


def _order_solver(kind: Any, n_pairs: int, method: str) -> Any:
    """Their solver of linear programs, with pairs numbered as in `ranking`."""
    n_items = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    places = np.full((n_items, n_items), n_items**2, dtype=np.int64)
    second, first = np.tril_indices(n_items, -1)
    places[first, second] = np.arange(n_pairs)
    solver = kind(places)
    solver.choose_solver_method(method)
    solver.shut_up()
    return solver


@job
def ranking(
    X: Any, queries: Any, signs: Any, bandwidths: Any, regularizations: Any, limit: Any, seed: Any
) -> dict[str, Any]:
    """Predictions (cells, problems, queries, pairs) of DF, IL and AC, as signs of pairs.

    `signs` is (problems, n, pairs): +1 where i is before j, 0 where that is unknown, for pairs
    ``i < j`` with j varying slowest. Cells, solvers and scalings are those of the experiment that
    comes with the wheel (its second part, which needs a plotting library and cannot be imported).
    """
    from problems.ranking import AC, DF, IL, IlpSolver  # type: ignore[import-not-found]
    from weights import RidgeRegressor

    clock = Clock()
    programs = 0
    original = IlpSolver.solve

    def counted(solver: Any) -> Any:
        nonlocal programs
        programs += 1
        return original(solver)

    # Their methods check for this type, so a subclass of ours could not be used.
    IlpSolver.solve = counted
    np.random.seed(int(seed))  # noqa: NPY002 (what their draws come from)
    computer = RidgeRegressor("Gaussian", sigma=1.0)
    computer.set_support(X)
    primal, dual = (_order_solver(IlpSolver, signs.shape[2], m) for m in ("primal", "dual"))
    average, infimum, joint = AC(computer, dual), IL(computer, dual), DF(computer, dual)
    shape = (len(bandwidths) * len(regularizations), len(signs), len(queries), signs.shape[2])
    found = {method: np.zeros(shape, dtype=np.int8) for method in ("df", "il", "ac")}
    unended = cell = 0
    for bandwidth in bandwidths:
        with clock("weights"):
            computer.update_sigma(bandwidth)
        for regularization in regularizations:
            with clock("weights"):
                computer.update_lambda(regularization)
                training = computer(X)
                training += training.T
                training /= training.max()
                training *= 1e5
            for t, known in enumerate(signs.astype(np.float64)):
                try:
                    with limited(float(limit)), clock("DF"):
                        joint.computer.set_phi(DF.disambiguation(training, known, 1e-3, primal))
                        found["df"][cell, t] = 2 * (joint(queries) > 0) - 1
                except TimeoutError:
                    unended += 1
                    primal.reset_constraints()
                try:
                    with limited(float(limit)), clock("IL"):
                        infimum.phi_init = infimum.const = known
                        found["il"][cell, t] = 2 * (infimum(queries) > 0) - 1
                except TimeoutError:
                    unended += 1
                    dual.reset_constraints()
                with clock("AC"):
                    average.computer.set_phi(AC.get_center(known, 1, dual))
                    found["ac"][cell, t] = 2 * (average(queries) > 0) - 1
            cell += 1
    IlpSolver.solve = original
    return {**found, "unended": np.array(unended), "programs": programs, **clock.arrays()}


@job
def interval(
    X: Any,
    queries: Any,
    centers: Any,
    radii: Any,
    ridges: Any,
    bandwidth: Any,
    normalized: Any,
    tol: Any,
    limit: Any,
) -> dict[str, Any]:
    """Targets of their loop for intervals ``centers ± radii``, (problems, ridges, n).

    `X` is (problems, n, 1). With `normalized`, rows of the weights are divided by their sums before
    both uses, as a line of their experiment does that is commented out in the wheel.
    """
    from problems.regression import DF
    from weights import RidgeRegressor

    shape = (len(X), len(ridges))
    targets = np.full((*shape, X.shape[1]), np.nan)
    votes = np.empty((*shape, len(queries), X.shape[1]))
    iterations = np.zeros(shape, dtype=np.int64)
    seconds = np.zeros(shape)
    calls = 0

    def counted(values: Any, sets: Any) -> Any:
        nonlocal calls
        calls += 1
        return DF.projection_ir(values, sets)

    computer = RidgeRegressor("Gaussian", sigma=float(bandwidth))
    for t, inputs in enumerate(X):
        computer.set_support(inputs)
        computer.update_sigma(float(bandwidth))
        sets = centers[t][:, np.newaxis], radii[t]
        for k, ridge in enumerate(ridges):
            computer.update_lambda(ridge)
            alpha, votes[t, k] = computer(inputs), computer(queries)
            if normalized:
                alpha /= alpha.sum(axis=1, keepdims=True)
                votes[t, k] /= votes[t, k].sum(axis=1, keepdims=True)
            calls, begun = 0, time.process_time()
            try:
                with limited(float(limit)):
                    found = DF.disambiguation(alpha, sets, float(tol), 1e7, counted)
                    targets[t, k] = found.ravel()
            except TimeoutError:
                pass
            iterations[t, k], seconds[t, k] = calls, time.process_time() - begun
    return {"targets": targets, "votes": votes, "iterations": iterations, "seconds": seconds}


@job
def interval_data(n: Any, seeds: Any) -> dict[str, Any]:
    """Their training set for each seed: inputs, truths, centres and radii, (seeds, n) each."""
    from dataloader import Synthesizer  # type: ignore[import-not-found]

    found: dict[str, list[Any]] = {"X": [], "y": [], "centers": [], "radii": []}
    for seed in seeds:
        np.random.seed(int(seed))  # noqa: NPY002 (what their draws come from)
        generator = Synthesizer(f"IR-{int(n)}")
        x, y = generator.get_trainset()
        centers, radii = generator.synthetic_corruption(y, (3, 1), skewed=True)
        for name, values in zip(found, (x, y, centers, radii)):  # noqa: B905
            found[name].append(values.ravel())
    return {name: np.array(values) for name, values in found.items()}


def main(name: str, source: str, target: str) -> None:
    with np.load(source) as file:
        arrays = {key: file[key] for key in file.files}
    np.savez(target, **JOBS[name](**arrays))


if __name__ == "__main__":
    main(*sys.argv[1:])
