"""Rows to ten classes with known counts: our transport beside the exact solver of POT.

    python -m benchmarks.transport [--quick] [--write]

Costs are normal, with a shift for each class; counts are those of random classes. "sets": a row may
have each class with probability .3, and its own; POT then gets sparse costs. "warm": both start
from the prices of a problem whose costs differ by a tenth. CPU seconds, the least of several runs
(POT's one run, beyond 10,000 rows). Our times include everything that a caller waits for, from
costs and sets to labels. POT's sparse form of 100,000 rows is left out: it takes minutes.
"""

import argparse
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import ot
import scipy.sparse as sp

from benchmarks.results import provenance, write_section
from benchmarks.timing import seconds
from disambig.candidates import ClassCounts, LabelSets
from disambig.candidates.labels.assignment import counted_labels

K = 10
_MAX_ITER = 10**9
_MOST_SPARSE_ROWS = 10_000


class Instance(NamedTuple):
    """Costs, another table of nearly the same costs, and the sets with their counts."""

    costs: Any
    near: Any
    counts: ClassCounts


def instance(n: int, density: float, seed: int) -> Instance:
    rng = np.random.default_rng(seed)
    costs = rng.normal(size=(n, K)) + rng.normal(size=K)
    labels = rng.choice(K, size=n, p=rng.dirichlet(np.full(K, 2.0)))
    mask = rng.random((n, K)) < density
    mask[np.arange(n), labels] = True
    bounds = np.repeat(np.bincount(labels, minlength=K)[:, None], 2, axis=1)
    near = costs + 0.1 * rng.normal(size=costs.shape)
    return Instance(costs, near, ClassCounts(LabelSets(mask, np.arange(K)), bounds))


class Compared(NamedTuple):
    """CPU seconds and total costs of both."""

    ours: float
    theirs: float
    our_cost: float
    their_cost: float


def compare(one: Instance, *, warm: bool, repeats: int) -> Compared:
    n, mask = len(one.costs), one.counts.mask
    rows, counts = np.ones(n), one.counts.bounds[:, 0].astype(float)
    start = counted_labels(one.near, one.counts) if warm else None
    prices = None if start is None else start.prices
    is_sparse = not mask.all()
    place = np.nonzero(mask)

    def theirs(costs: Any, potentials: Any = None) -> Any:
        # A cost of zero would be no entry of a sparse matrix.
        table = sp.coo_array((costs[place] + 100.0, place), shape=mask.shape)
        table = table if is_sparse else np.ascontiguousarray(costs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ot.emd(
                rows, counts, table, numItermax=_MAX_ITER, log=True, potentials_init=potentials
            )

    potentials = None
    if warm:
        log = theirs(one.near)[1]
        potentials = log["u"], log["v"]
    found = counted_labels(one.costs, one.counts, prices).codes
    plan = theirs(one.costs, potentials)[0]
    plan = plan.tocsr() if is_sparse else plan
    their_cost = float(plan.multiply(one.costs).sum() if is_sparse else (plan * one.costs).sum())
    return Compared(
        seconds(lambda: counted_labels(one.costs, one.counts, prices), 3),
        seconds(lambda: theirs(one.costs, potentials), repeats),
        float(one.costs[np.arange(n), found].sum()),
        their_cost,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="1000 rows")
    options = parser.parse_args(arguments)
    sizes = [1000] if options.quick else [10_000, 100_000]
    lines = [
        "| rows | costs | start | ours (s) | POT (s) | ratio | our cost | POT's cost |",
        "|---" * 8 + "|",
    ]
    for n in sizes:
        for name, density in (("all classes", 1.0), ("sets", 0.3)):
            for warm in (False, True):
                if density < 1.0 and n > _MOST_SPARSE_ROWS:
                    continue
                found = compare(instance(n, density, 0), warm=warm, repeats=2 if n <= 10_000 else 1)
                lines.append(
                    f"| {n} | {name} | {'warm' if warm else 'cold'} | {found.ours:.4f} | "
                    f"{found.theirs:.3f} | {found.theirs / found.ours:.1f} | "
                    f"{found.our_cost:.6f} | {found.their_cost:.6f} |"
                )
                print(lines[-1], flush=True)
    text = "\n".join(
        [
            "## Transport of rows to classes",
            "",
            f"{K} classes with known counts, beside POT {ot.__version__} (`ot.emd`).",
            "",
            provenance("python -m benchmarks.transport", seeds="0"),
            "",
            *lines,
        ]
    )
    if options.write:
        write_section("transport", text)


if __name__ == "__main__":
    main()
