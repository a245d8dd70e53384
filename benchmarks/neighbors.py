"""Graphs of neighbours: exact and approximate search beside scikit-learn and three index libraries.

Ten neighbours of every row and the row itself. *Groups* are 100 separate Gaussian balls of as many
dimensions as there are features; *sheets* are 100 overlapping ones of 5 dimensions, each in a
space of its own, with a little noise in all others; *noise* is one Gaussian. All searches run in
one process on one thread, and times are processor time, so that the ratios of a busy machine can
be trusted. scikit-learn answers a tenth of the rows where n is 100,000, and its time is scaled up.
Recall is the part of the true neighbours of 500 rows that is found.

    python -m benchmarks.neighbors [--write] [--quick]
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig.weights import NeighborWeights

NEIGHBORS = 10
SAMPLE = 500
GROUPS = 100
# Rows that scikit-learn answers, where it would take minutes for all.
ANSWERED = 10_000
# No tree is asked beyond: it takes a quarter of an hour.
TREE_FEATURES = 20
SETTINGS = (
    ("groups", 10_000, 20),
    ("sheets", 10_000, 20),
    ("noise", 10_000, 20),
    ("groups", 100_000, 20),
    ("groups", 100_000, 50),
    ("groups", 100_000, 100),
    ("sheets", 100_000, 20),
    ("sheets", 100_000, 50),
    ("noise", 100_000, 20),
)
# Where the exact search goes from trees to balls.
FEW_FEATURES = (2, 4, 5, 6, 8, 10)
ROWS_OF_FEW = 20_000
# In which the libraries are compared with each other.
COMPARED = ("sheets", 100_000, 20)
Found = tuple[Any, float]


def inputs(kind: str, n: int, d: int) -> Any:
    rng = np.random.default_rng(0)
    if kind == "noise":
        return rng.normal(size=(n, d))
    label = rng.integers(0, GROUPS, n)
    if kind == "groups":
        return rng.uniform(-10, 10, (GROUPS, d))[label] + rng.normal(size=(n, d))
    centers = rng.normal(size=(GROUPS, d))
    latent, X = rng.normal(size=(n, 5)), centers[label] + 0.1 * rng.normal(size=(n, d))
    for group in range(GROUPS):
        member = label == group
        X[member] += latent[member] @ rng.normal(size=(5, d)) / np.sqrt(5)
    return X


def ours(algorithm: str) -> Callable[[Any], Found]:
    def search(X: Any) -> Found:
        start = time.process_time()
        piece = NeighborWeights(NEIGHBORS, algorithm=algorithm).fit(X)
        votes = piece.leave_one_out_votes()
        piece.training_votes()
        took = time.process_time() - start
        return votes.matrix.indices.reshape(X.shape[0], NEIGHBORS), took

    return search


def scikit_learn(algorithm: str) -> Callable[[Any], Found]:
    def search(X: Any) -> Found:
        n = X.shape[0]
        answered = min(n, ANSWERED)
        rows = np.random.default_rng(1).permutation(n)[:answered]
        start = time.process_time()
        searcher = NearestNeighbors(n_neighbors=NEIGHBORS + 1, algorithm=algorithm).fit(X)
        built = time.process_time()
        searcher.kneighbors(X[rows], return_distance=False)
        return None, built - start + (time.process_time() - built) * n / answered

    return search


def hnsw_of_faiss(X: Any) -> Found:
    import faiss

    start = time.process_time()
    index = faiss.IndexHNSWFlat(X.shape[1], 16)
    index.hnsw.efConstruction, index.hnsw.efSearch = 60, 32
    index.add(X.astype(np.float32))
    found = index.search(X.astype(np.float32), NEIGHBORS + 1)[1]
    return found, time.process_time() - start


def hnswlib(X: Any) -> Found:
    import hnswlib as library

    start = time.process_time()
    index = library.Index("l2", X.shape[1])
    index.init_index(X.shape[0], M=16, ef_construction=60, random_seed=0)
    index.set_num_threads(1)
    index.add_items(X.astype(np.float32))
    index.set_ef(32)
    found, _ = index.knn_query(X.astype(np.float32), NEIGHBORS + 1)
    return found.astype(np.int64), time.process_time() - start


def pynndescent(X: Any) -> Found:
    start = time.process_time()
    import pynndescent as library

    index = library.NNDescent(X.astype(np.float32), n_neighbors=20, random_state=0, n_jobs=1)
    found = index.neighbor_graph[0][:, : NEIGHBORS + 1]
    return found, time.process_time() - start


METHODS: dict[str, Callable[[Any], Found]] = {
    "scikit-learn, brute": scikit_learn("brute"),
    "scikit-learn, kd-tree": scikit_learn("kd_tree"),
    "exact": ours("auto"),
    "approximate": ours("approximate"),
}
LIBRARIES: dict[str, Callable[[Any], Found]] = {
    "faiss, inverted file (ours)": ours("approximate"),
    "faiss, HNSW": hnsw_of_faiss,
    "hnswlib": hnswlib,
    "pynndescent, first call": pynndescent,
    "pynndescent, second call": pynndescent,
}


def truth(X: Any) -> tuple[Any, Any]:
    """A sample of rows, and their neighbours by scikit-learn, themselves left out."""
    rows = np.random.default_rng(2).permutation(X.shape[0])[:SAMPLE]
    searcher = NearestNeighbors(n_neighbors=NEIGHBORS + 1, algorithm="brute").fit(X)
    near = searcher.kneighbors(X[rows], return_distance=False)
    return rows, [set(found) - {row} for found, row in zip(near.tolist(), rows, strict=True)]


def recall(found: Any, rows: Any, true: Any) -> str:
    if found is None:
        return "1 (exact)"
    hits = [len(set(found[row].tolist()) & near) for row, near in zip(rows, true, strict=True)]
    return f"{np.mean(hits) / NEIGHBORS:.4f}"


def table(settings: Any) -> str:
    """Seconds, ratio to scikit-learn's brute force, and recall, as Markdown."""
    lines = [
        "| inputs | n | d | search | s | × brute force | recall |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, n, d in settings:
        X = inputs(kind, n, d)
        rows, true = truth(X)
        reference = np.nan
        for name, search in METHODS.items():
            if "tree" in name and d > TREE_FEATURES:
                continue
            if "tree" in name and kind == "noise" and n > ANSWERED:
                continue
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found, took = search(X)
            exact = (
                ", fell back to exact"
                if any("exact instead" in str(w.message) for w in caught)
                else ""
            )
            reference = took if name == "scikit-learn, brute" else reference
            cells = [kind, f"{n:,}", str(d), name + exact, f"{took:.2f}", f"{reference / took:.1f}"]
            lines.append("| " + " | ".join([*cells, recall(found, rows, true)]) + " |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def libraries(setting: tuple[str, int, int]) -> str:
    """The approximate indices beside each other, as Markdown."""
    X = inputs(*setting)
    rows, true = truth(X)
    lines = ["| index | s | recall |", "|---|---|---|"]
    for name, search in LIBRARIES.items():
        try:
            found, took = search(X)
            lines.append(f"| {name} | {took:.2f} | {recall(found, rows, true)} |")
        except ImportError as error:
            lines.append(f"| {name} | not installed ({error.name}) | |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def few_features() -> str:
    """Trees and balls beside each other where features are few, as Markdown: the rule of "auto"."""
    lines = ["| inputs | d | search tree, s | balls, s |", "|---|---|---|---|"]
    for kind in ("groups", "noise"):
        for d in FEW_FEATURES:
            X = inputs(kind, ROWS_OF_FEW, d)
            tree, balls = (ours(algorithm)(X)[1] for algorithm in ("kd_tree", "brute"))
            lines.append(f"| {kind} | {d} | {tree:.2f} | {balls:.2f} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="10,000 rows only")
    options = parser.parse_args(arguments)
    settings = [s for s in SETTINGS if s[1] <= ANSWERED or not options.quick]
    with threadpool_limits(1):
        for search in (ours("auto"), ours("approximate")):
            # Compiles the kernels.
            search(inputs("groups", 3000, 20))
        body = table(settings)
        kind, n, d = COMPARED if COMPARED in settings else settings[0]
        compared = libraries((kind, n, d))
        rule = few_features()
    text = (
        "## Graphs of neighbours\n\n"
        f"{NEIGHBORS} neighbours of every row, one thread, processor time; index, search and votes "
        "with and without the row itself. *Groups* are 100 separate Gaussian balls, *sheets* 100 "
        "overlapping ones of 5 dimensions, *noise* is one Gaussian. scikit-learn answers 10,000 "
        "rows, and its time is scaled to n; its tree is left out where it takes minutes.\n\n"
        f"{provenance('python -m benchmarks.neighbors --write', seeds='0')}\n\n{body}\n\n"
        f"Index libraries on {kind}, n = {n:,}, d = {d} (pynndescent compiles in the first call of "
        f"every process; hnswlib publishes no wheels):\n\n{compared}\n\n"
        f"Few features, n = {ROWS_OF_FEW:,}: the exact search takes a tree up to 5 features and "
        f"balls beyond.\n\n{rule}\n"
    )
    if options.write:
        write_section("neighbors", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
