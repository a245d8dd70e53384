"""CPU time to decode orders, compared with linear programs.

Objectives of ten items, from fits and random ones, are solved by our decoders and by HiGHS with all
triangle inequalities: cold (`scipy.optimize.linprog`, one call each) and warm (`highspy`: the
program is kept, costs change, and the last basis is the start). Then exact decoding of more items,
and the instances of LOLIB if DISAMBIG_DATA has the folder ``lop``. CPU time of one thread; the
decoders take batches, the programs one instance at a time.

    python -m benchmarks.ordering [--write] [--quick]
"""

import argparse
import csv
import importlib
import importlib.util
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from benchmarks.timing import seconds
from disambig import PartialRanker
from disambig.datasets import PairCorruption, make_ranking_lines
from disambig.notation import FloatArray
from disambig.orderings.cuts import cut_orders
from disambig.orderings.decode import local_orders, order_decoder
from disambig.orderings.dynamic import dynamic_orders
from disambig.orderings.problems import first_look
from disambig.orderings.signs import SignDistribution, tied_signs
from disambig.orderings.ties import tied_orders
from disambig.weights import KernelRidgeWeights, NeighborWeights

SEED = 0
SIZES = (12, 14, 16, 18, 20)
_EMPTY = "–"


def fitted_objectives(b: int, m: int, rng: np.random.Generator) -> FloatArray:
    """Costs that occur in fits: half from the first step, with observed pairs, half from the last.

    Crossing lines with four of five pairs hidden, 50 training rows and 250 queries per fit; nearest
    neighbours and kernel ridge in turn.
    """
    found = []
    for fit in range(-(-b // 500)):
        train = make_ranking_lines(50, m, random_state=rng)
        orders = PairCorruption(0.8)(train.ranks, random_state=rng)
        queries = rng.uniform(-1, 1, size=(250, 1))
        weights = NeighborWeights(10) if fit % 2 else KernelRidgeWeights(regularization=1e-3)
        model = PartialRanker(weights).fit(train.X, orders)
        known = np.asarray(orders, dtype=np.float64).reshape(len(orders), m * m)
        first = -(model.weights_.votes(queries) @ known).reshape(-1, m, m)
        found += [first, 1.0 - model.pairwise_proba(queries)]
    return np.concatenate(found)[:b]


def mixed_objectives(b: int, m: int, rng: np.random.Generator) -> FloatArray:
    """Harder costs: 20 rankings by noisy scores around a centre, a third of the pairs unknown.

    Votes have an exponential distribution; one in five is negative, as in kernel ridge.
    """
    noise = rng.normal(size=(b, 20, m)) * rng.uniform(0.2, 1.5, size=(b, 1, 1))
    scores = rng.normal(size=(b, 1, m)) + noise
    votes = rng.exponential(size=(b, 20)) * np.where(rng.random((b, 20)) < 0.2, -0.3, 1.0)
    signs = np.sign(scores[..., :, None] - scores[..., None, :])
    known = np.triu(rng.random((b, 20, m, m)) < 2 / 3, 1)
    signs *= known | np.swapaxes(known, 2, 3)
    return np.asarray(-np.einsum("bn,bnij->bij", votes, signs))


def random_objectives(b: int, m: int, rng: np.random.Generator) -> FloatArray:
    """Independent uniform costs, without any structure."""
    return rng.random((b, m, m))


OBJECTIVES = {
    "of fits": fitted_objectives,
    "mixtures of rankings": mixed_objectives,
    "uniform random": random_objectives,
}


def triangles(m: int) -> tuple[Any, FloatArray]:
    """``0 <= x_ij + x_jk - x_ik <= 1`` for i < j < k, as rows ``<=`` over the pairs i < j."""
    place = np.zeros((m, m), dtype=np.intp)
    place[np.triu_indices(m, 1)] = np.arange(m * (m - 1) // 2)
    triples = np.array(list(combinations(range(m), 3)))
    i, j, k = triples.T
    columns = np.column_stack([place[i, j], place[j, k], place[i, k]])
    signs = np.tile([1.0, 1.0, -1.0], (len(triples), 1))
    data = np.concatenate([signs, -signs]).ravel()
    indices = np.concatenate([columns, columns]).ravel()
    matrix = csr_matrix((data, indices, 3 * np.arange(2 * len(triples) + 1)))
    return matrix, np.repeat([1.0, 0.0], len(triples))


def cold_programs(costs: FloatArray) -> FloatArray:
    """Values of the linear programs, each set up and solved on its own."""
    m = costs.shape[1]
    matrix, limits = triangles(m)
    i, j = np.triu_indices(m, 1)
    found = []
    for cost in costs:
        answer = linprog(
            cost[i, j] - cost[j, i], A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs"
        )
        found.append(answer.fun + cost[j, i].sum())
    return np.array(found)


def warm_programs(costs: FloatArray) -> Callable[[], FloatArray]:
    """Values of the same programs by one that is kept; its setup is not in the call."""
    highspy: Any = importlib.import_module("highspy")
    m = costs.shape[1]
    matrix, limits = triangles(m)
    i, j = np.triu_indices(m, 1)
    highs = highspy.Highs()
    for option, value in (("output_flag", False), ("solver", "simplex"), ("presolve", "off")):
        highs.setOptionValue(option, value)
    columns = np.arange(len(i), dtype=np.int32)
    highs.addVars(len(i), np.zeros(len(i)), np.ones(len(i)))
    starts, indices = matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32)
    below = np.full(len(limits), -np.inf)
    highs.addRows(len(limits), below, limits, matrix.nnz, starts, indices, matrix.data)

    def solve() -> FloatArray:
        found = []
        for cost in costs:
            highs.changeColsCost(len(i), columns, cost[i, j] - cost[j, i])
            highs.run()
            found.append(highs.getInfo().objective_function_value + cost[j, i].sum())
        return np.array(found)

    return solve


def sign_problems(costs: FloatArray) -> Callable[[], SignDistribution]:
    """The same problems in pairs, as in a fit; the conversion is not in the call."""
    m = costs.shape[1]
    i, j = np.triu_indices(m, 1)
    # Half, because a sign has the values -1 and 1.
    scores = np.ascontiguousarray(costs[:, i, j] - costs[:, j, i]) / 2
    slack = 1e-10 * np.abs(costs).max(axis=(1, 2))
    work = partial(tied_signs, scores, m, tolerance=slack)
    distribution = tied_orders(costs, tolerance=slack)
    if not np.allclose(
        work().signs, (distribution.pairs - np.swapaxes(distribution.pairs, 1, 2))[:, i, j]
    ):
        raise RuntimeError("tied_signs and tied_orders differ; their times cannot be compared")
    return work


def batch_table(b: int, n_cold: int, n_warm: int) -> str:
    """Microseconds per instance at m = 10, and ratios of the programs to them."""
    head = ["objectives", "solved by the first look", "decoder", "µs", "cold LP", "warm LP"]
    rows = []
    for name, draw in OBJECTIVES.items():
        costs = draw(b, 10, np.random.default_rng(SEED))
        exact = dynamic_orders(costs).values
        look = f"{100 * first_look(costs).solved.mean():.0f} %"
        sample = slice(None, None, b // n_cold)
        _require_below(cold_programs(costs[sample]), exact[sample], "cold")
        cold = seconds(partial(cold_programs, costs[sample])) / n_cold
        warm = float("nan")
        if importlib.util.find_spec("highspy"):
            # Consecutive instances, because a warm start is for similar objectives.
            solve = warm_programs(costs[:n_warm])
            _require_below(solve(), exact[:n_warm], "warm")
            warm = seconds(solve) / n_warm
        decoders: dict[str, Callable[[], Any]] = {
            "`order_decoder().decode`": partial(order_decoder().decode, costs),
            "`dynamic_orders`": partial(dynamic_orders, costs),
            "`tied_orders` (all optima)": partial(tied_orders, costs),
            "`tied_signs` (all optima, pairs alone)": sign_problems(costs),
        }
        for decoder, work in decoders.items():
            work()
            ours = seconds(work) / b
            rows.append([name, look, decoder, f"{1e6 * ours:.1f}", *_times([cold, warm], ours)])
        rows.append(
            [name, "", "HiGHS, cold / warm", f"{1e6 * cold:.0f} / {1e6 * warm:.0f}", "", ""]
        )
    return _table(head, rows)


def _require_below(programs: FloatArray, orders: FloatArray, which: str) -> None:
    # A relaxation cannot end above the optimum, unless it is another problem.
    if (programs > orders + 1e-6 * np.abs(orders).max()).any():
        raise RuntimeError(
            f"the {which} linear program ends above an order; their times cannot be compared"
        )


def size_table(quick: bool) -> str:
    """Milliseconds per instance for more items, by dynamic programming alone and by the decoder."""
    rows = []
    for m in SIZES[:3] if quick else SIZES:
        b = max(4, 2 ** (20 - m))
        costs = random_objectives(b, m, np.random.default_rng([SEED, m]))
        free = seconds(partial(dynamic_orders, costs)) / b
        own = mixed_objectives(b, m, np.random.default_rng([SEED, m]))
        auto = order_decoder(largest_lattice=20)
        auto.decode(own)
        mixed = seconds(partial(auto.decode, own)) / b
        rows.append([str(m), str(b), f"{1e3 * free:.3f}", f"{1e3 * mixed:.3f}"])
    return _table(["items", "instances", "uniform random, ms", "mixtures of rankings, ms"], rows)


def read_lop(path: Path) -> FloatArray:
    """A LOLIB matrix in normal form: of each pair only the surplus of its better direction."""
    numbers = np.array(path.read_text(encoding="utf-8").split(), dtype=np.int64)
    gains = numbers[1:].reshape(numbers[0], numbers[0]).astype(np.float64)
    np.fill_diagonal(gains, 0.0)
    return np.asarray(gains - np.minimum(gains, gains.T))


def lop_tables(folder: Path, quick: bool) -> str:
    """Proofs for the input-output instances, and local search on those of GraphBase."""
    with (folder / "optima.csv").open(encoding="utf-8", newline="") as file:
        known = list(csv.DictReader(file))
    proven, searched = [], []
    for row in known[:5] if quick else known:
        gains = read_lop(folder / row["set"] / row["instance"])
        optimum = int(row["optimum"])
        begun = time.process_time()
        if row["set"] == "IO":
            found = cut_orders(-gains[None])
            spent = time.process_time() - begun
            reached = round(-float(found.values[0]))
            proof = "yes" if found.exact[0] else f"gap {found.gaps[0]:g}"
            verdict = "yes" if reached == optimum else f"{reached - optimum:+d}"
            cells = [row["instance"], row["n"], str(reached), verdict, proof, f"{spent:.2f}"]
            proven.append(cells)
        else:
            found = local_orders(-gains[None])
            spent = time.process_time() - begun
            gap = 1 + float(found.values[0]) / optimum
            searched.append([row["instance"], row["n"], f"{100 * gap:.3f} %", f"{spent:.2f}"])
        print((proven if row["set"] == "IO" else searched)[-1], flush=True)
    head = ["instance", "items", "value", "the published optimum", "proven here", "seconds"]
    text = f"{_table(head, proven)}\n\n{_lop_summary(proven)}"
    if searched:
        head = ["instance", "items", "below the optimum", "seconds"]
        text += f"\n\nLocal search, 200 kicks:\n\n{_table(head, searched)}"
    return text


def _lop_summary(proven: list[list[str]]) -> str:
    optimal = sum(row[3] == "yes" for row in proven)
    proofs = sum(row[4] == "yes" for row in proven)
    slowest = max(float(row[5]) for row in proven)
    total = sum(float(row[5]) for row in proven)
    return (
        f"{optimal} of {len(proven)} at the published optimum, {proofs} with a proof; "
        f"{total:.1f} s in all, the slowest {slowest:.2f} s."
    )


def _times(others: list[float], ours: float) -> list[str]:
    return [_EMPTY if np.isnan(value) else f"{value / ours:.0f} ×" for value in others]


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller instances")
    options = parser.parse_args(arguments)
    b, n_cold, n_warm = (1000, 10, 100) if options.quick else (20_000, 100, 1000)
    folder = Path(os.environ.get("DISAMBIG_DATA", "data")) / "lop"
    with threadpool_limits(1):
        batch = batch_table(b, n_cold, n_warm)
        print(batch, flush=True)
        sizes = size_table(options.quick)
        print(sizes, flush=True)
        lop = lop_tables(folder, options.quick) if folder.is_dir() else "Not run: no folder `lop`."
    text = (
        "## Decoding orders\n\n"
        f"CPU time an instance of 10 items, batches of {b} ({n_cold} cold and {n_warm} warm linear "
        "programs with all 240 triangle rows); beside it how many times that HiGHS takes. The "
        "programs are relaxations: their answer need not be an order from 6 items on.\n\n"
        f"{provenance('python -m benchmarks.ordering --write', seeds=str(SEED))}\n"
        f"- Threads: 1; CPU seconds\n\n{batch}\n\n"
        "**More items, exactly** (*uniform random*: `dynamic_orders`; *mixtures*: the "
        f"first look and parts before it)\n\n{sizes}\n\n"
        "**LOLIB**: input-output matrices by `cut_orders`, then three of Stanford GraphBase by "
        f"`local_orders`\n\n{lop}\n"
    )
    if options.write:
        write_section("ordering", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
