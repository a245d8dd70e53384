"""Annealing and alternating minimisation on orders and bits: recovery and prediction.

Rankings: ten items whose scores are random lines (`make_ranking_lines`), 40 training inputs, a grid
of 50 queries. Some pairs are hidden: those far apart in score, or each with the same probability.
Bits: the MULAN data sets in the folder ``mulan`` of DISAMBIG_DATA, half of the rows (800 at most)
for training and as many for testing; each training bit is hidden with the same probability. Nothing
is tuned: the weights are fixed, and the schedule of temperatures is the default.

    python -m benchmarks.annealed_structures [--write] [--quick]
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import PartialMultilabelClassifier, PartialRanker
from disambig.candidates import PartialBits
from disambig.datasets import PairCorruption, ScoreGapCorruption, fetch_mulan, make_ranking_lines
from disambig.datasets.loaders.mulan import MultilabelData
from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, FloatArray
from disambig.solvers import AnnealedMinimization
from disambig.weights import KernelRidgeWeights, NeighborWeights

LEVELS = (0.67, 0.78, 0.89, 0.94)
HIDDEN = (0.5, 0.8)
DATA = ("flags", "emotions", "scene")
MAX_ROWS = 800
METHODS: dict[str, dict[str, Any]] = {
    "AC": {"method": "average"},
    "alternating": {"solver": "alternating"},
    "one block": {"solver": AnnealedMinimization("one_block")},
    "two blocks": {"solver": AnnealedMinimization("two_blocks")},
}
RANKING_WEIGHTS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: KernelRidgeWeights(bandwidth=0.5, regularization=1e-2),
    "5-NN": lambda: NeighborWeights(n_neighbors=5),
}
BIT_WEIGHTS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: KernelRidgeWeights(regularization=1e-3),
    "10-NN": lambda: NeighborWeights(n_neighbors=10),
}


class Errors(NamedTuple):
    """Shares of errors in what was hidden in training, and at queries; CPU seconds."""

    recovered: float
    predicted: float
    seconds: float


Found = dict[str, list[Errors]]


def rank_lines(corruption: str, level: float, weighting: str, seed: int) -> dict[str, Errors]:
    """All methods on one draw of lines and inputs."""
    train = make_ranking_lines(40, 10, random_state=seed)
    test = make_ranking_lines(50, 10, design="grid", random_state=seed)
    if corruption == "far pairs":
        orders = ScoreGapCorruption(level)(train.scores)
    else:
        orders = PairCorruption(level)(train.ranks, random_state=seed)
    hidden = orders.signs() == 0
    found = {}
    for name, parameters in METHODS.items():
        begun = time.process_time()
        model = PartialRanker(RANKING_WEIGHTS[weighting](), **parameters).fit(train.X, orders)
        spent = time.process_time() - begun
        wrong = _pairs(model.labels_) != _pairs(train.ranks)
        missed = _pairs(model.predict(test.X)) != _pairs(test.ranks)
        found[name] = Errors(_share(wrong[hidden]), _share(missed), spent)
    return found


def recover_bits(
    data: MultilabelData, hidden: float, weighting: str, seed: int
) -> dict[str, Errors]:
    """All methods on one split and one draw of hidden bits."""
    rng = np.random.default_rng([seed, int(10 * hidden)])
    rows = rng.permutation(len(data.X))
    half = min(MAX_ROWS, len(rows) // 2)
    train, test = rows[:half], rows[half : 2 * half]
    scaler = StandardScaler().fit(data.X[train])
    X, queries = scaler.transform(data.X[train]), scaler.transform(data.X[test])
    unknown = rng.random(data.Y[train].shape) < hidden
    bits = PartialBits.from_any(np.where(unknown, np.nan, data.Y[train]))
    found = {}
    for name, parameters in METHODS.items():
        begun = time.process_time()
        model = PartialMultilabelClassifier(weights=BIT_WEIGHTS[weighting](), **parameters)
        model.fit(X, bits)
        spent = time.process_time() - begun
        wrong = (model.labels_ != data.Y[train])[unknown]
        found[name] = Errors(_share(wrong), _share(model.predict(queries) != data.Y[test]), spent)
    return found


def _pairs(ranks: AnyArray) -> AnyArray:
    i, j = np.triu_indices(ranks.shape[1], 1)
    return np.asarray(ranks[:, i] < ranks[:, j])


def _share(wrong: AnyArray) -> float:
    return float(np.mean(wrong)) if wrong.size else 0.0


def row_of(start: Sequence[str], runs: Sequence[dict[str, Errors]]) -> list[str]:
    """Mean errors of the methods over the runs, and the difference by annealing in one block."""
    cells = []
    for name in METHODS:
        mean = np.mean([run[name] for run in runs], axis=0)
        cells.append(f"{mean[0]:.3f} / {mean[1]:.3f}")
    gains = [mean_and_error(differences(runs, column)) for column in (0, 1)]
    verdicts = [f"{mean:+.3f} ± {error:.3f}" for mean, error in gains]
    return [*start, *cells, " / ".join(verdicts)]


def differences(runs: Sequence[dict[str, Errors]], column: int) -> FloatArray:
    """Error of annealing in one block less that of alternating, run by run."""
    return np.array([run["one block"][column] - run["alternating"][column] for run in runs])


def mean_and_error(values: FloatArray) -> tuple[float, float]:
    """Mean and standard error."""
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(spread)


def verdict(settings: Sequence[Sequence[dict[str, Errors]]]) -> str:
    """Where annealing is better and where it is worse, by more than two standard errors."""
    words = []
    for column, what in enumerate(("recovered", "predicted")):
        found = [mean_and_error(differences(runs, column)) for runs in settings]
        better = sum(mean < -2 * error for mean, error in found)
        worse = sum(mean > 2 * error for mean, error in found)
        words.append(f"{what}: better in {better}, worse in {worse} of {len(found)} settings")
    return "; ".join(words)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _seconds(settings: Sequence[Sequence[dict[str, Errors]]]) -> str:
    mean = {
        name: np.mean([run[name].seconds for runs in settings for run in runs]) for name in METHODS
    }
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in mean.items())


def rankings(levels: Sequence[float], seeds: Sequence[int]) -> str:
    """The results on orders, as Markdown."""
    rows, settings = [], []
    rank_lines("far pairs", LEVELS[0], "5-NN", 0)  # The first call compiles.
    for corruption in ("far pairs", "any pairs"):
        for level in levels:
            for weighting in RANKING_WEIGHTS:
                runs = [rank_lines(corruption, level, weighting, seed) for seed in seeds]
                settings.append(runs)
                rows.append(row_of([corruption, f"{level:.2f}", weighting], runs))
                print(*rows[-1], flush=True)
    head = ["hidden", "level", "votes", *METHODS, "one block less alternating"]
    return (
        f"{table(head, rows)}\n\nAnnealing in one block against alternating, beyond two standard "
        f"errors: {verdict(settings)}. CPU seconds a fit: {_seconds(settings)}."
    )


def bits(names: Sequence[str], seeds: Sequence[int], folder: Path) -> str:
    """The results on bits, as Markdown."""
    rows, settings, missing = [], [], []
    for name in names:
        try:
            data = fetch_mulan(name, folder=folder, download=False)
        except DatasetError:
            missing.append(name)
            continue
        for hidden in HIDDEN:
            for weighting in BIT_WEIGHTS:
                runs = [recover_bits(data, hidden, weighting, seed) for seed in seeds]
                settings.append(runs)
                rows.append(row_of([name, f"{hidden:.1f}", weighting], runs))
                print(*rows[-1], flush=True)
    if not settings:
        return f"Not run: none of {', '.join(names)} is at hand."
    head = ["data", "hidden", "votes", *METHODS, "one block less alternating"]
    left_out = f" Not at hand: {', '.join(missing)}." if missing else ""
    return (
        f"{table(head, rows)}\n\nAnnealing in one block against alternating, beyond two standard "
        f"errors: {verdict(settings)}. CPU seconds a fit: {_seconds(settings)}.{left_out}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two levels, one set, two seeds")
    options = parser.parse_args(arguments)
    seeds = range(2 if options.quick else 8)
    folder = Path(os.environ.get("DISAMBIG_DATA", "data"))
    with threadpool_limits(1):
        orders = rankings(LEVELS[2:] if options.quick else LEVELS, seeds)
        tags = bits(DATA[:1] if options.quick else DATA, seeds, folder)
    text = (
        "## Annealing of orders and bits\n\n"
        "Errors: wrong among what was hidden in training / wrong at queries, means over "
        f"{len(seeds)} seeds; the last column is the difference with its standard error, negative "
        "where annealing is better. *AC* average candidates; *alternating* the paper's algorithm; "
        "*one block* annealing on leave-one-out votes, the default; *two blocks* annealing of the "
        "paper's objective. Weights and temperatures are fixed.\n\n"
        f"{provenance('python -m benchmarks.annealed_structures --write', seeds=str(list(seeds)))}"
        "\n- Threads: 1; CPU seconds\n\n"
        "**Orders**, ten crossing lines, 40 training inputs: shares of pairs. *far pairs*: those "
        "far apart in score are hidden; *any pairs*: each with the probability *level*.\n\n"
        f"{orders}\n\n"
        "**Bits** of MULAN sets, Hamming loss: shares of bits; *hidden* is the chance of each "
        f"training bit.\n\n{tags}\n"
    )
    if options.write:
        write_section("annealed_structures", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
