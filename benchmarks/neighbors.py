"""Searches of neighbours: ours, exact and approximate, scikit-learn's, and three index libraries.

Ten neighbours of every row and the row itself. *Groups* are 100 separate Gaussian balls of as many
dimensions as there are features; *sheets* are 100 overlapping ones of 5 dimensions, each in its own
subspace, with a little noise in all other directions; *noise* is one Gaussian. All searches run in
one process on one thread, and times are CPU seconds, so that ratios are reliable on a busy machine.
Where n is 100,000, scikit-learn searches a tenth of the rows, and its time is scaled up. Recall is
the share of the true neighbours of 500 rows that is found.

    python -m benchmarks.neighbors [--write] [--quick] [--few]

``--few`` compares searches on few features alone: the reason for the rule of ``algorithm="auto"``.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import KDTree, NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig.weights import NeighborWeights
from disambig.weights.neighbors.balls import Balls
from disambig.weights.neighbors.box_tree import BoxTree
from disambig.weights.neighbors.euclidean import MAX_BOX_FEATURES

N_NEIGHBORS = 10
N_RECALL_ROWS = 500
N_GROUPS = 100
# Rows that scikit-learn searches; all rows would take minutes.
MAX_SEARCHED_ROWS = 10_000
# Beyond, a search with trees takes a quarter of an hour.
MAX_TREE_FEATURES = 20
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
# Numbers of features around the one from which the exact search uses balls instead of boxes.
FEW_FEATURES = (2, 4, 6, 8, 9, 10)
FEW_FEATURES_ROWS = 50_000
# The setting on which the libraries are compared.
LIBRARY_SETTING = ("sheets", 100_000, 20)
Found = tuple[Any, float]


def inputs(kind: str, n: int, d: int) -> Any:
    rng = np.random.default_rng(0)
    if kind == "noise":
        return rng.normal(size=(n, d))
    label = rng.integers(0, N_GROUPS, n)
    if kind == "groups":
        return rng.uniform(-10, 10, (N_GROUPS, d))[label] + rng.normal(size=(n, d))
    centers = rng.normal(size=(N_GROUPS, d))
    latent, X = rng.normal(size=(n, 5)), centers[label] + 0.1 * rng.normal(size=(n, d))
    for group in range(N_GROUPS):
        member = label == group
        X[member] += latent[member] @ rng.normal(size=(5, d)) / np.sqrt(5)
    return X


def ours(algorithm: str) -> Callable[[Any], Found]:
    def search(X: Any) -> Found:
        start = time.process_time()
        weights = NeighborWeights(N_NEIGHBORS, algorithm=algorithm).fit(X)
        votes = weights.leave_one_out_votes()
        weights.training_votes()
        took = time.process_time() - start
        return votes.matrix.indices.reshape(X.shape[0], N_NEIGHBORS), took

    return search


def scikit_learn(algorithm: str) -> Callable[[Any], Found]:
    def search(X: Any) -> Found:
        n = X.shape[0]
        n_searched = min(n, MAX_SEARCHED_ROWS)
        rows = np.random.default_rng(1).permutation(n)[:n_searched]
        start = time.process_time()
        searcher = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1, algorithm=algorithm).fit(X)
        built = time.process_time()
        searcher.kneighbors(X[rows], return_distance=False)
        return None, built - start + (time.process_time() - built) * n / n_searched

    return search


def hnsw_of_faiss(X: Any) -> Found:
    import faiss

    start = time.process_time()
    index = faiss.IndexHNSWFlat(X.shape[1], 16)
    index.hnsw.efConstruction, index.hnsw.efSearch = 60, 32
    index.add(X.astype(np.float32))
    found = index.search(X.astype(np.float32), N_NEIGHBORS + 1)[1]
    return found, time.process_time() - start


def hnswlib(X: Any) -> Found:
    import hnswlib as library

    start = time.process_time()
    index = library.Index("l2", X.shape[1])
    index.init_index(X.shape[0], M=16, ef_construction=60, random_seed=0)
    index.set_num_threads(1)
    index.add_items(X.astype(np.float32))
    index.set_ef(32)
    found, _ = index.knn_query(X.astype(np.float32), N_NEIGHBORS + 1)
    return found.astype(np.int64), time.process_time() - start


def pynndescent(X: Any) -> Found:
    start = time.process_time()
    import pynndescent as library

    index = library.NNDescent(X.astype(np.float32), n_neighbors=20, random_state=0, n_jobs=1)
    found = index.neighbor_graph[0][:, : N_NEIGHBORS + 1]
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
    """A sample of rows, and their neighbours by scikit-learn, without the rows themselves."""
    rows = np.random.default_rng(2).permutation(X.shape[0])[:N_RECALL_ROWS]
    searcher = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1, algorithm="brute").fit(X)
    near = searcher.kneighbors(X[rows], return_distance=False)
    return rows, [set(found) - {row} for found, row in zip(near.tolist(), rows, strict=True)]


def recall(found: Any, rows: Any, true: Any) -> str:
    if found is None:
        return "1 (exact)"
    hits = [len(set(found[row].tolist()) & near) for row, near in zip(rows, true, strict=True)]
    return f"{np.mean(hits) / N_NEIGHBORS:.4f}"


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
            if "tree" in name and d > MAX_TREE_FEATURES:
                continue
            if "tree" in name and kind == "noise" and n > MAX_SEARCHED_ROWS:
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
    """A comparison of approximate indices, as Markdown."""
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
    """Searches on few features, as Markdown: the reason for the rule of "auto"."""
    width = N_NEIGHBORS + 1
    searches = (
        lambda X: BoxTree.build(X).search(X, width, n_jobs=1),
        lambda X: Balls.build(X).search(X, width, n_jobs=1),
        lambda X: KDTree(X).query(X, width),
    )
    lines = [
        "| inputs | d | boxes, s | balls, s | scikit-learn's tree, s |",
        "|---|---|---|---|---|",
    ]
    with threadpool_limits(1):
        for search in searches:
            # The first call compiles.
            search(inputs("groups", 1000, 3))
        for kind in ("groups", "noise"):
            for d in FEW_FEATURES:
                X, seconds = inputs(kind, FEW_FEATURES_ROWS, d), []
                for search in searches:
                    start = time.process_time()
                    search(X)
                    seconds.append(f"{time.process_time() - start:.2f}")
                lines.append(f"| {kind} | {d} | {' | '.join(seconds)} |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def rule() -> str:
    """The section of RESULTS.md about few features."""
    return (
        "## Neighbours on few features\n\n"
        f"{N_NEIGHBORS} neighbours of every row and the row itself, n = {FEW_FEATURES_ROWS:,}, one "
        "thread, processor time of index and search. `NeighborWeights` takes boxes up to "
        f"{MAX_BOX_FEATURES} features and balls beyond.\n\n"
        f"{provenance('python -m benchmarks.neighbors --few --write', seeds='0')}\n\n"
        f"{few_features()}\n"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="10,000 rows only")
    parser.add_argument("--few", action="store_true", help="few features only")
    options = parser.parse_args(arguments)
    if options.few:
        few = rule()
        write_section("neighbors, few features", few) if options.write else print(few)
        return
    settings = [s for s in SETTINGS if s[1] <= MAX_SEARCHED_ROWS or not options.quick]
    with threadpool_limits(1):
        for search in (ours("auto"), ours("approximate")):
            # The first call compiles.
            search(inputs("groups", 3000, 20))
        body = table(settings)
        kind, n, d = LIBRARY_SETTING if LIBRARY_SETTING in settings else settings[0]
        compared = libraries((kind, n, d))
    text = (
        "## Graphs of neighbours\n\n"
        f"{N_NEIGHBORS} neighbours of every row, one thread, processor time; index, search and "
        "votes with and without the row itself. *Groups* are 100 separate Gaussian balls, *sheets* "
        "100 overlapping ones of 5 dimensions, *noise* is one Gaussian. scikit-learn answers "
        "10,000 rows, and its time is scaled to n; its tree is left out where it takes minutes.\n\n"
        f"{provenance('python -m benchmarks.neighbors --write', seeds='0')}\n\n{body}\n\n"
        f"Index libraries on {kind}, n = {n:,}, d = {d} (pynndescent compiles in the first call of "
        f"every process; hnswlib publishes no wheels):\n\n{compared}\n"
    )
    if options.write:
        write_section("neighbors", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
