"""Kernel ridge of low rank: landmarks and random features, compared with the exact votes.

There are three questions. *How close*: test error on real data whose labels are hidden among
candidates (uniform corruption; 1000 rows held out), with the exact votes and with p landmarks or
features, and the distance between the two fitted functions. *How large*: time and peak memory from
10^3 to 10^5 rows, of the weights alone and of interval regression, each in its own process (the
memory of imports is subtracted). *Which solver*: decomposition or iteration.

    python -m benchmarks.low_rank [--write] [--quick]
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.datasets import UniformCorruption, fetch_libsvm
from disambig.weights import KernelRidgeWeights, NystromWeights, RandomFeatureWeights
from disambig.weights.kernels import iterated as iterated_rank

HIDDEN = 0.3
REGULARIZATION = 1e-4
SIZES = (1_000, 4_000, 10_000, 30_000, 100_000)
RANK = 1_000
MAX_EXACT_ROWS = 4_000
Fitted = tuple[float, Any, Any, float]


def landmarks(scheme: str) -> Callable[[int, int], Any]:
    def make(rank: int, seed: int) -> Any:
        return NystromWeights(
            n_landmarks=rank,
            landmarks=scheme,
            regularization=REGULARIZATION,
            intercept=True,
            random_state=seed,
        )

    return make


def features(kernel: str) -> Callable[[int, int], Any]:
    def make(rank: int, seed: int) -> Any:
        return RandomFeatureWeights(
            kernel,
            n_features=rank,
            regularization=REGULARIZATION,
            intercept=True,
            random_state=seed,
        )

    return make


WEIGHTINGS: dict[str, tuple[str, Callable[[int, int], Any]]] = {
    "landmarks, uniform": ("gaussian", landmarks("uniform")),
    "landmarks, k-means++": ("gaussian", landmarks("kmeans++")),
    "landmarks, leverage": ("gaussian", landmarks("leverage")),
    "random features": ("gaussian", features("gaussian")),
    "random features, Laplacian": ("laplacian", features("laplacian")),
}
DATA = {"satimage": ("gaussian",), "dna": ("gaussian", "laplacian")}
N_TEST = 1000


def learned(weights: Any, train: Any, test: Any) -> Fitted:
    """Test error, fitted weights, the regression of the true labels at test rows, and seconds."""
    (X, y, sets), (Q, truth) = train, test
    start = time.perf_counter()
    model = PartialLabelClassifier(weights).fit(X, sets)
    seconds = time.perf_counter() - start
    error = float(np.mean(model.predict(Q) != truth))
    one_hot = np.eye(int(y.max()) + 1)[y]
    return error, model.weights_, model.weights_.votes(Q) @ one_hot, seconds


def closeness(ranks: tuple[int, ...], seeds: range) -> str:
    """The table of errors as Markdown."""
    lines = [
        "| data | votes | p | test error | exact | distance | s a fit | exact |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for data, kernels in DATA.items():
        found = fetch_libsvm(data)
        y = np.unique(found.y, return_inverse=True)[1]
        order = np.random.default_rng(0).permutation(len(y))
        test, train = order[:N_TEST], order[N_TEST:]
        sets = UniformCorruption(HIDDEN)(y[train], random_state=0)
        rows = (found.X[train], y[train], sets), (found.X[test], y[test])
        exact: dict[str, Fitted] = {}
        for name, (kernel, make) in WEIGHTINGS.items():
            if kernel not in kernels:
                continue
            if kernel not in exact:
                full = KernelRidgeWeights(kernel, regularization=REGULARIZATION, intercept=True)
                exact[kernel] = learned(full, *rows)
            error, _, function, seconds = exact[kernel]
            for rank in ranks:
                fits = [learned(make(rank, seed), *rows) for seed in seeds]
                distances = [
                    np.linalg.norm(fit[2] - function) / np.linalg.norm(function) for fit in fits
                ]
                cells = [data, name, str(rank)]
                cells += [f"{np.mean([fit[0] for fit in fits]):.4f}", f"{error:.4f}"]
                cells += [f"{np.mean(distances):.4f}"]
                cells += [f"{np.mean([fit[3] for fit in fits]):.2f}", f"{seconds:.2f}"]
                lines.append("| " + " | ".join(cells) + " |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def intervals(n: int) -> tuple[Any, Any, Any]:
    """Inputs on a curved surface in 20 dimensions, intervals, and the true numbers."""
    rng = np.random.default_rng(0)
    hidden = rng.uniform(-1.0, 1.0, size=(n, 4))
    X = np.tanh(hidden @ rng.normal(size=(4, 20))) + 0.05 * rng.normal(size=(n, 20))
    truth = np.sin(3.0 * hidden[:, 0]) + hidden[:, 1] * hidden[:, 2]
    ends = truth[:, None] + rng.exponential(0.5, size=(n, 2)) * [-1.0, 1.0]
    ends[rng.random(n) < 0.2, 1] = np.inf
    return X, ends, truth


def weights_of(kind: str, n: int, rank: int) -> Any:
    """The weights that a child process fits."""
    common: dict[str, Any] = {"regularization": REGULARIZATION, "intercept": True}
    if kind == "exact":
        return KernelRidgeWeights(**common)
    if kind == "features":
        return RandomFeatureWeights(n_features=rank, **common)
    solver = "direct" if kind == "landmarks" else "iterative"
    return NystromWeights(n_landmarks=rank, solver=solver, **common)


def child(task: dict[str, Any]) -> None:
    """One fit; prints its seconds, memory and error as JSON."""
    n, rank, kind = task["n"], task["rank"], task["kind"]
    with threadpool_limits(1):
        X, ends, truth = intervals(n)
        # Load modules that are imported at first use.
        IntervalRegressor(weights_of("landmarks", 50, 5)).fit(X[:50], ends[:50])
        if kind == "iterative, features made anew":
            vars(iterated_rank)["free_bytes"] = lambda: 1
        before = peak()
        start = time.perf_counter()
        measured: dict[str, Any] = {}
        if task["what"] == "weights":
            weights = weights_of(kind, n, rank).fit(X)
            measured["fit"] = time.perf_counter() - start
            start = time.perf_counter()
            votes = weights.training_votes()
            votes @ np.repeat(truth[:, None], 10, axis=1)
            measured["product"] = time.perf_counter() - start
        else:
            model = IntervalRegressor(weights_of(kind, n, rank), formulation=task["what"])
            model.fit(X, ends)
            measured["fit"] = time.perf_counter() - start
            measured["steps"] = model.n_iter_
            measured["certified"] = model.certified_
            measured["rmse"] = float(
                np.sqrt(np.mean((model.predict(X[:5000]) - truth[:5000]) ** 2))
            )
        measured["mib"] = peak() - before
    print(json.dumps(measured))


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # In a child process, getrusage begins with the memory of its parent.
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_child(**task: Any) -> dict[str, Any]:
    """The measurements of `child`, run in its own process."""
    command = [sys.executable, "-m", "benchmarks.low_rank", "--child", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(task, measured, flush=True)
    return measured


def scaling(sizes: tuple[int, ...], rank: int) -> str:
    """Time and memory by n as Markdown."""
    lines = [
        "| n | votes | fit, s | 10 products, s | peak, MiB | KiB a row "
        "| intervals, s | steps | certified | peak, MiB | error |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for n in sizes:
        kinds = ["landmarks", *(["exact"] * (n <= MAX_EXACT_ROWS)), *(["features"] * (n == 10_000))]
        for kind in kinds:
            cells = [f"{n}", kind, "-", "-", "-", "-"]
            if kind != "exact":
                measured = run_child(what="weights", n=n, rank=rank, kind=kind)
                cells = [f"{n}", kind, f"{measured['fit']:.2f}", f"{measured['product']:.3f}"]
                cells += [f"{measured['mib']:.0f}", f"{1024 * measured['mib'] / n:.1f}"]
            measured = run_child(what="risk", n=n, rank=rank, kind=kind)
            cells += [
                f"{measured['fit']:.1f}",
                f"{measured['steps']}",
                "yes" if measured["certified"] else "no",
            ]
            cells += [f"{measured['mib']:.0f}", f"{measured['rmse']:.4f}"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def solvers(n: int, ranks: tuple[int, ...]) -> str:
    """Decomposition and iteration as Markdown."""
    lines = [
        "| n | p | solver | fit, s | 10 products, s | peak, MiB |",
        "|---|---|---|---|---|---|",
    ]
    names = {
        "landmarks": "direct",
        "iterative": "iterative",
        "iterative, features made anew": "iterative, features made anew",
    }
    for rank in ranks:
        for kind, name in names.items():
            measured = run_child(what="weights", n=n, rank=rank, kind=kind)
            cells = [
                f"{n}",
                f"{rank}",
                name,
                f"{measured['fit']:.2f}",
                f"{measured['product']:.2f}",
            ]
            lines.append("| " + " | ".join([*cells, f"{measured['mib']:.0f}"]) + " |")
    return "\n".join(lines)


def votes_form(n: int, rank: int) -> str:
    """The paper's objective on votes of low rank, as a sentence."""
    measured = run_child(what="votes", n=n, rank=rank, kind="landmarks")
    return (
        f"The paper's objective (formulation votes) at n = {n}, p = {rank}: "
        f"{measured['fit']:.1f} s, {measured['steps']} steps, "
        f"{'certified' if measured['certified'] else 'not certified'}, "
        f"{measured['mib']:.0f} MiB, error {measured['rmse']:.4f}."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="up to 10^4 rows, p = 300")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        child(json.loads(options.child))
        return
    sizes, rank = (SIZES[:3], 300) if options.quick else (SIZES, RANK)
    scales = scaling(sizes, rank)
    with threadpool_limits(1):
        close = closeness((100, 300) if options.quick else (100, 300, 1000), range(2))
    voted = votes_form(sizes[-1], rank)
    which = solvers(10_000, (500,) if options.quick else (500, 2000))
    command = "python -m benchmarks.low_rank --write"
    text = (
        "## Kernel ridge of low rank\n\n"
        "Votes through p landmarks (`NystromWeights`) or random features "
        "(`RandomFeatureWeights`), beside those of `KernelRidgeWeights`; "
        f"lam = {REGULARIZATION:g}, median bandwidth, an intercept, one thread.\n\n"
        f"{provenance(command, seeds='0-1 (landmarks, features), 0 (data)')}\n\n"
        "**How close.** Test error of `PartialLabelClassifier` from candidates (each wrong label "
        f"with probability {HIDDEN}), mean of two choices of landmarks or frequencies; distance: "
        "of the regressions of the true labels at the test rows, relative to the exact one.\n\n"
        f"{close}\n\n"
        f"**How large.** Inputs in 20 dimensions, p = {rank} landmarks (exact: none). Peak: what "
        "the process took beyond data and imports. Interval regression by `IntervalRegressor` "
        "(empirical risk): fit of weights and targets; error: root mean square to the numbers "
        "behind the intervals.\n\n"
        f"{scales}\n\n{voted}\n\n"
        "**Which solver.** Ten right-hand sides together. Made anew: as if there were no memory "
        f"to keep the kernel of rows and landmarks.\n\n{which}\n"
    )
    if options.write:
        write_section("low_rank", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
