"""CPU time of a step with the votes of a forest.

Votes of 100 totally random trees, applied leaf by leaf and never formed: a product with one column
and with ten, of the votes and of their transpose, and both half steps of a problem with ten
classes. For small n also the product with the same votes as an array.

    python -m benchmarks.partitions [--write] [--quick]
"""

import argparse
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from benchmarks.timing import seconds
from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.weights import ForestWeights

SIZES = (5_000, 20_000, 100_000)
# For more rows the votes are not written as an array; avoiding it is the purpose of the forest.
MAX_ARRAY_ROWS = 5_000
N_FEATURES, N_CLASSES, N_TREES = 20, 10, 100


def row(n: int) -> str:
    """One line of the table, in milliseconds."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, N_CLASSES, n)
    X = rng.normal(size=(N_CLASSES, N_FEATURES))[label] + 0.5 * rng.normal(size=(n, N_FEATURES))
    votes = ForestWeights(n_estimators=N_TREES).fit(X).training_votes()
    transposed = votes.T
    one, ten = rng.random(n), rng.random((n, N_CLASSES))
    mask = rng.random((n, N_CLASSES)) < 0.3
    mask[np.arange(n), label] = True
    sets = LabelSets(mask, np.arange(N_CLASSES))
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    targets = problem.loss.start(sets, "average")
    predictions = problem.best_predictions(targets).faces.embedded
    # This computes the tolerances of ties, which happens once per problem.
    problem.best_targets(predictions)
    work = [
        partial(votes.__matmul__, one),
        partial(votes.__matmul__, ten),
        partial(transposed.__matmul__, ten),
        partial(problem.best_predictions, targets),
        partial(problem.best_targets, predictions),
    ]
    cells = [f"{1e3 * seconds(step):.0f}" for step in work]
    array = "–"
    if n <= MAX_ARRAY_ROWS:
        array_votes = votes.rows(0, n)
        array_votes = array_votes.toarray() if hasattr(array_votes, "toarray") else array_votes
        array = f"{1e3 * seconds(partial(array_votes.__matmul__, ten)):.0f}"
    return f"| {n:,} | " + " | ".join([*cells, array]) + " |"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="5,000 rows only")
    options = parser.parse_args(arguments)
    with threadpool_limits(1):
        row(500)  # compiles
        lines = [row(n) for n in (SIZES[:1] if options.quick else SIZES)]
    head = (
        "| n | votes, 1 column | 10 columns | transposed, 10 columns | prediction step "
        "| target step | 10 columns by an array |\n|---|---|---|---|---|---|---|"
    )
    text = (
        "## Votes of a forest\n\n"
        f"Milliseconds of processor time, one thread: {N_TREES} totally random trees, {N_FEATURES} "
        f"features, {N_CLASSES} classes.\n\n"
        f"{provenance('python -m benchmarks.partitions --write', seeds='0')}\n\n"
        + "\n".join([head, *lines])
        + "\n"
    )
    if options.write:
        write_section("partitions", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
