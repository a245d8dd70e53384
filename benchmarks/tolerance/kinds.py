"""Tolerance for wrong sets of numbers, orders and bits.

0, 10, 20 and 30 % of the sets are made wrong: an interval becomes that of another row which misses
its number (in "meta", which has no true numbers: misses its interval), an order is reversed before
ranks are hidden, a known bit is flipped (a share of the known bits). 250 training rows ("meta":
180), 40 % of the ranks and of the bits hidden, at most 500 new rows, whose sets are right. All
defaults, in raw units. Errors are root mean squared errors of numbers ("meta": the distance to the
interval), and shares of wrong pairs or bits: of the labels of training rows with right sets (bits:
of those that are unknown or rightly known), of all training rows, and of predictions.

    python -m benchmarks.tolerance.kinds [--write]
"""

import argparse
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance, write_section
from benchmarks.trust.kinds import sine
from benchmarks.trust.outcomes import described, keep, table, with_error
from disambig import (
    IntervalRegressor,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.candidates import Intervals
from disambig.datasets import fetch_mulan, load_interval_folder, load_label_ranking
from disambig.notation import AnyArray, BoolArray, FloatArray

N_SEEDS, N_ROWS, N_NEW = 2, 250, 500
# The real intervals are 264.
N_META = 180
SHARES = (0.0, 0.1, 0.2, 0.3)
HIDDEN = 0.4
N_ITEMS, N_TAGS, N_FEATURES, NOISE = 5, 6, 4, 0.3


@dataclass(frozen=True)
class Outcome:
    """Errors without and with tolerance, of the good training rows and of new rows."""

    recovered: float
    recovered_tolerant: float
    every: float
    every_tolerant: float
    new: float
    new_tolerant: float
    price: float
    n_outside: int
    n_outside_wrong: int
    n_wrong: int


@dataclass(frozen=True, eq=False)
class Problem:
    """Training rows with some wrong sets, and new rows.

    `recovered` (where sets are right), `every` and `new` are the errors of labels and predictions.
    """

    estimator: Any
    X: FloatArray
    y: AnyArray
    queries: FloatArray
    is_wrong: BoolArray
    recovered: Callable[[AnyArray], float]
    every: Callable[[AnyArray], float]
    new: Callable[[AnyArray], float]


def chosen(n: int, share: float, rng: np.random.Generator) -> BoolArray:
    """Rows that are made wrong: those of one share are among those of every larger one."""
    is_chosen = np.zeros(n, dtype=np.bool_)
    is_chosen[rng.permutation(n)[: round(share * n)]] = True
    return is_chosen


def numbers(
    X: FloatArray,
    truth: FloatArray,
    y: FloatArray,
    share: float,
    seed: int,
    n: int = N_ROWS,
) -> Problem:
    """Intervals that become those of other rows; `truth` are numbers, or intervals ``(n, 2)``."""
    rng = np.random.default_rng([seed, 11])
    is_wrong = chosen(n, share, rng)
    wrong = y[:n].copy()
    goals = Intervals.from_any(truth)
    for row in np.flatnonzero(is_wrong):
        low, high = goals.lower[row, 0], goals.upper[row, 0]
        misses = (y[:n, 1] < low) | (y[:n, 0] > high)
        if misses.any():
            wrong[row] = y[rng.choice(np.flatnonzero(misses))]
    # A row whose number no interval misses stays right.
    is_wrong &= (wrong != y[:n]).any(axis=1)

    def error(found: FloatArray, rows: AnyArray) -> float:
        return math.sqrt(float(np.mean(goals[rows].distances(found) ** 2)))

    good, new = np.flatnonzero(~is_wrong), np.arange(n, len(X))
    return Problem(
        IntervalRegressor(),
        X[:n],
        wrong,
        X[n:],
        is_wrong,
        lambda found: error(found[good], good),
        lambda found: error(found, np.arange(n)),
        lambda found: error(found, new),
    )


def orders(X: FloatArray, ranks: FloatArray, share: float, seed: int) -> Problem:
    """Rankings of which some are reversed, then some ranks are hidden."""
    rng = np.random.default_rng([seed, 12])
    is_wrong = chosen(N_ROWS, share, rng)
    y = np.where(is_wrong[:, None], -ranks[:N_ROWS], ranks[:N_ROWS])
    y = np.where(rng.random(y.shape) < HIDDEN, np.nan, y)
    i, j = np.triu_indices(ranks.shape[1], 1)

    def error(found: AnyArray, truth: FloatArray) -> float:
        differs = truth[:, i] != truth[:, j]
        reversed_ = (found[:, i] < found[:, j]) != (truth[:, i] < truth[:, j])
        return float(reversed_[differs].mean())

    return Problem(
        PartialRanker(),
        X[:N_ROWS],
        y,
        X[N_ROWS:],
        is_wrong,
        lambda found: error(found[~is_wrong], ranks[:N_ROWS][~is_wrong]),
        lambda found: error(found, ranks[:N_ROWS]),
        lambda found: error(found, ranks[N_ROWS:]),
    )


def bits(X: FloatArray, truth: AnyArray, share: float, seed: int) -> Problem:
    """Bits of which some are hidden, and some of the others are flipped."""
    rng = np.random.default_rng([seed, 13])
    seen = truth[:N_ROWS]
    hidden = rng.random(seen.shape) < HIDDEN
    flipped = (rng.random(seen.shape) < share) & ~hidden
    y = np.where(hidden, np.nan, np.where(flipped, 1 - seen, seen))
    return Problem(
        PartialMultilabelClassifier(),
        X[:N_ROWS],
        y,
        X[N_ROWS:],
        np.asarray(flipped.any(axis=1)),
        lambda found: float((found != seen)[~flipped].mean()),
        lambda found: float((found != seen).mean()),
        lambda found: float((found != truth[N_ROWS:]).mean()),
    )


def made_up_scores(seed: int, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Inputs and noisy linear scores."""
    rng = np.random.default_rng([seed, 14])
    X = rng.normal(size=(N_ROWS + N_NEW, N_FEATURES))
    weights = rng.normal(size=(N_FEATURES, n_columns))
    return X, X @ weights + NOISE * rng.normal(size=(len(X), n_columns))


def _sine(share: float, seed: int) -> Problem:
    return numbers(*sine(seed, N_ROWS + N_NEW), share, seed)


def _meta(share: float, seed: int) -> Problem:
    data = load_interval_folder(_folder("interval") / "mmit" / "meta")
    rows = _drawn(len(data.X), seed)
    ends = np.asarray(data.intervals)[rows]
    return numbers(np.asarray(data.X)[rows], ends, ends, share, seed, N_META)


def _utilities(share: float, seed: int) -> Problem:
    X, scores = made_up_scores(seed, N_ITEMS)
    return orders(X, np.argsort(np.argsort(-scores, axis=1), axis=1), share, seed)


def _vehicle(share: float, seed: int) -> Problem:
    data = load_label_ranking(_folder("labelranking") / "vehicle.txt")
    rows = _drawn(len(data.X), seed)
    return orders(np.asarray(data.X)[rows], np.asarray(data.ranks)[rows], share, seed)


def _tags(share: float, seed: int) -> Problem:
    X, scores = made_up_scores(seed, N_TAGS)
    return bits(X, (scores > 0).astype(np.int8), share, seed)


def _emotions(share: float, seed: int) -> Problem:
    data = fetch_mulan("emotions", folder=_folder("mulan"), download=False)
    rows = _drawn(len(data.X), seed)
    return bits(np.asarray(data.X)[rows], np.asarray(data.Y)[rows], share, seed)


FIELDS = tuple(
    f"{name}{suffix}" for name in ("recovered", "every", "new") for suffix in ("", "_tolerant")
)
PROBLEMS: Mapping[str, Callable[[float, int], Problem]] = {
    "sine (numbers)": _sine,
    "meta (numbers)": _meta,
    "utilities (orders)": _utilities,
    "vehicle (orders)": _vehicle,
    "linear (bits)": _tags,
    "emotions (bits)": _emotions,
}


def _drawn(n: int, seed: int) -> AnyArray:
    return np.random.default_rng([seed, 15]).permutation(n)[: N_ROWS + N_NEW]


def _folder(name: str) -> Path:
    folder = Path(os.environ.get("DISAMBIG_DATA", "data")) / name
    if not folder.is_dir():
        raise SystemExit(f"tolerance: there is no folder {name} in DISAMBIG_DATA. Set it.")
    return folder


def run(problem: Problem) -> Outcome:
    """Fit without and with tolerance; the second repeats the choice of the first."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain = clone(problem.estimator).fit(problem.X, problem.y)
        repeated = {"weights": clone(plain.weights_), "tolerance": "auto"}
        if hasattr(plain, "margin_"):
            repeated["margin"] = plain.margin_
        if not plain.members_ and isinstance(plain, StructuredPredictor):
            repeated["solver"] = plain.solver_
        tolerant = clone(problem.estimator).set_params(**repeated).fit(problem.X, problem.y)
        found = [(model.labels_, model.predict(problem.queries)) for model in (plain, tolerant)]
    return Outcome(
        recovered=problem.recovered(found[0][0]),
        recovered_tolerant=problem.recovered(found[1][0]),
        every=problem.every(found[0][0]),
        every_tolerant=problem.every(found[1][0]),
        new=problem.new(found[0][1]),
        new_tolerant=problem.new(found[1][1]),
        price=float(tolerant.tolerance_),
        n_outside=int(tolerant.outside_.sum()),
        n_outside_wrong=int((tolerant.outside_ & problem.is_wrong).sum()),
        n_wrong=int(problem.is_wrong.sum()),
    )


def report(command: str, n_seeds: int = N_SEEDS) -> str:
    """The section of RESULTS.md."""
    found = {
        (name, share): [
            keep(
                "tolerance_kinds",
                Outcome,
                f"{name}|{share}|{seed}",
                lambda make=make, share=share, seed=seed: run(make(share, seed)),
            )
            for seed in range(n_seeds)
        ]
        for name, make in PROBLEMS.items()
        for share in SHARES
    }
    parts = [
        "## Tolerance: numbers, orders and bits",
        described(__doc__).split("\n\n    python")[0],
        f'Errors without tolerance and with `tolerance="auto"`: mean ± standard error over '
        f"{n_seeds} draws. *Wins back*: the part of what the wrong sets cost new rows. *Outside*: "
        "rows whose target left its set, and how many of these have a wrong one.",
        provenance(command, seeds=f"0 to {n_seeds - 1}", more={"Source": source_digest()}),
        _table(found),
    ]
    return "\n\n".join(parts) + "\n"


def _table(found: Mapping[tuple[str, float], Sequence[Outcome]]) -> str:
    rows = []
    for (name, share), outcomes in found.items():
        clean = found[name, 0.0]
        columns = [with_error([getattr(one, field) for one in outcomes], 4) for field in FIELDS]
        rows.append(
            [
                name,
                f"{share:.0%}",
                *columns,
                _won(clean, outcomes) if share else "–",
                f"{_mean(outcomes, 'n_outside'):.0f}",
                f"{_mean(outcomes, 'n_outside_wrong'):.0f} of {_mean(outcomes, 'n_wrong'):.0f}",
            ]
        )
    head = ["problem", "wrong"]
    for name in ("right sets", "all rows", "new rows"):
        head += [name, "with tolerance"]
    return table([*head, "wins back", "outside", "of wrong"], rows)


def _won(clean: Sequence[Outcome], outcomes: Sequence[Outcome]) -> str:
    """The part of the cost for new rows that tolerance wins back."""
    cost = _mean(outcomes, "new") - _mean(clean, "new")
    gain = _mean(outcomes, "new") - _mean(outcomes, "new_tolerant")
    return f"{gain / cost:.0%}" if cost > 0 else "no cost"


def _mean(outcomes: Sequence[Outcome], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in outcomes]))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args(arguments)
    text = report("python -m benchmarks.tolerance.kinds --write")
    if options.write:
        write_section("tolerance-kinds", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
