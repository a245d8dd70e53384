"""Labels from the class shares of bags, beside simple baselines; all choices without labels.

    python -m benchmarks.bags [--seeds 1] [--only adult small senc] [--quick] [--write]
        [--outcomes FILE]

`adult`: bags of some 5000 rows of the Adult data, 75 % of the rows for training; the shares of a
bag are those of its training rows. Outcomes of splits that are in the file are not computed again,
so that a run can go on later. Published: F1 and accuracy of the best of five methods chosen without
labels. `small`: bags of 8, 32 and 128 rows dealt at random, without and with sets (up to
two wrong candidates in half of the rows, all classes in the others); the accuracy of `labels_`.
`senc`: see `benchmarks.precincts`. Each of the three has a section of its own in RESULTS.md.

"average" regresses the shares of the bag of each row by logistic regression, and predicts the
class whose probability is the furthest above its share of all rows; "bag regression" fits a
logistic regression to bags: mean features to shares.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import precincts
from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.datasets import load_libsvm
from disambig.exceptions import NoInformationError

PUBLISHED = {"simple": (0.626, 0.828), "hard": (0.565, 0.798), "intermediate": (0.354, 0.757)}
SIZES = (8, 32, 128)
FILES = {"segment": "segment.scale"}
PARTS = ("adult", "small", "senc")


def folder() -> Path:
    return Path(os.environ.get("DISAMBIG_DATA", "data"))


def shares(y: Any, bags: Any) -> dict[Any, dict[Any, float]]:
    """The shares of the classes in each bag, as fractions."""
    classes = np.unique(y).tolist()
    return {
        b: {k: float(np.mean(y[bags == b] == k)) for k in classes} for b in np.unique(bags).tolist()
    }


def average(X: Any, bags: Any, given: dict[Any, dict[Any, float]], new: Any) -> Any:
    """Logistic regression on rows that are copied for each class, with the shares as weights."""
    classes = list(next(iter(given.values())))
    table = np.array([[given[b][k] for k in classes] for b in bags.tolist()])
    rows, codes = np.nonzero(table > 0)
    model = LogisticRegression(max_iter=200)
    model.fit(X[rows], codes, sample_weight=table[rows, codes])
    found = model.predict_proba(new) / table.mean(axis=0)
    return np.array(classes)[found.argmax(axis=1)]


def bag_regression(X: Any, bags: Any, given: dict[Any, dict[Any, float]], new: Any) -> Any:
    """The same on the mean features of the bags."""
    names = list(given)
    means = np.stack([X[bags == b].mean(axis=0) for b in names])
    return average(means, np.array(names), given, new)


def ours(X: Any, bags: Any, given: dict[Any, dict[Any, float]], new: Any) -> Any:
    """The default of the estimator."""
    return PartialLabelClassifier().fit(X, None, bags=bags, proportions=given).predict(new)


METHODS = {"ours": ours, "average": average, "bag regression": bag_regression}


def scores(truth: Any, found: Any) -> tuple[float, float]:
    return float(f1_score(truth, found)), float(accuracy_score(truth, found))


@dataclass(frozen=True)
class Outcome:
    """What a method did on one split."""

    f1: float
    accuracy: float
    seconds: float


def adult(seeds: int, kinds: Sequence[str], kept: KeptOutcomes[Outcome]) -> Iterator[str]:
    """Lines of a table: F1 and accuracy on the test quarter, mean over the splits."""
    import pandas as pd

    place = folder() / "proportions" / "adult"
    data = pd.read_parquet(place / "adult.parquet")
    y, X = data["y"].to_numpy(), data.drop(columns="y").to_numpy()
    for kind in kinds:
        files = sorted(place.glob(f"adult-{kind}-*.parquet"))
        file = next((one for one in files if "-mixed-" in one.name), files[0])
        bag = pd.read_parquet(file)["bag"].to_numpy()
        found: dict[str, list[Outcome]] = {}
        for seed in range(seeds):
            try:
                for name in METHODS:
                    key = f"{kind} {seed} {name}"
                    outcome = kept.get(key)
                    if outcome is None:
                        outcome = of_split(X, y, bag, seed, name)
                        kept.add(key, outcome)
                    found.setdefault(name, []).append(outcome)
            except NoInformationError as error:
                yield f"| {kind} | {seed} | ours | refused: {str(error)[:120]}... | | |"
                break
        for name, outcomes in found.items():
            f1 = [one.f1 for one in outcomes]
            spread = f" ({np.std(f1, ddof=1):.3f})" if len(f1) > 1 else ""
            accuracy = np.mean([one.accuracy for one in outcomes])
            seconds = np.mean([one.seconds for one in outcomes])
            yield (
                f"| {kind} | {len(f1)} | {name} | {np.mean(f1):.3f}{spread} "
                f"| {accuracy:.3f} | {seconds:.0f} |"
            )
        if kind in PUBLISHED:
            published_f1, published_accuracy = PUBLISHED[kind]
            yield f"| {kind} | 30 | published | {published_f1:.3f} | {published_accuracy:.3f} | |"


def of_split(X: Any, y: Any, bag: Any, seed: int, name: str) -> Outcome:
    """The outcome of a method on the split of a seed."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, random_state=seed)
    given = shares(y[train], bag[train])
    before = time.process_time()
    with threadpool_limits(1):
        predicted = METHODS[name](X[train], bag[train], given, X[test])
    seconds = time.process_time() - before
    return Outcome(*scores(y[test], predicted), seconds)


def classified(name: str, rows: int) -> tuple[Any, Any]:
    """At most `rows` rows of a data set, drawn at random, and their classes."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        found = load_libsvm(folder() / "libsvm" / FILES.get(name, name))
        X, y = found.X, found.y
        X = X.toarray() if sp.issparse(X) else np.asarray(X)
    kept = np.random.default_rng(1).permutation(len(y))[:rows]
    return StandardScaler().fit_transform(X[kept]), y[kept]


def small(names: Sequence[str], sizes: Sequence[int], rows: int) -> Iterator[str]:
    """Lines of a table: accuracy of recovered labels."""
    for name in names:
        X, y = classified(name, rows)
        rng = np.random.default_rng(0)
        classes = np.unique(y)
        mask = classes[None, :] == y[:, None]
        wide = mask.copy()
        for _ in range(2):
            wide[np.arange(len(y)), rng.integers(0, len(classes), len(y))] = True
        sets = np.where((np.arange(len(y)) % 2 == 0)[:, None], wide, True)
        for size in sizes:
            bags = rng.permutation(np.arange(len(y)) // size)
            given = shares(y, bags)
            base = np.mean(average(X, bags, given, X) == y)
            plain = recovered(X, None, y, bags, given)
            cells = f"{plain} | {recovered(X, sets, y, bags, given, classes)}"
            yield f"| {name} | {len(y)} | {size} | {len(given)} | {cells} | {base:.3f} |"


def recovered(X: Any, sets: Any, y: Any, bags: Any, given: Any, classes: Any = None) -> str:
    try:
        model = PartialLabelClassifier(classes=classes)
        model.fit(X, sets, bags=bags, proportions=given)
    except NoInformationError:
        return "refused"
    return f"{np.mean(model.labels_ == y):.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=1, help="splits of adult")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--kinds", nargs="+", default=["simple", "hard", "intermediate", "naive"])
    parser.add_argument("--names", nargs="+", default=["svmguide2", "segment", "digits"])
    parser.add_argument("--rows", type=int, default=600, help="rows of the small data at most")
    parser.add_argument("--write", action="store_true", help="write the sections of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="digits in bags of 32")
    parser.add_argument("--outcomes", type=Path, help="of splits of adult, kept in this file")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    kept = KeptOutcomes(options.outcomes or Path(os.devnull), Outcome)
    names, sizes = (["digits"], SIZES[1:2]) if options.quick else (options.names, SIZES)
    parts = {
        "adult": (
            "Class shares of ten bags: Adult",
            f"--only adult --seeds {options.seeds} --kinds {' '.join(options.kinds)}",
            "| bags | splits | method | F1 (deviation) | accuracy | CPU seconds |\n"
            "|---|---|---|---|---|---|",
            adult(options.seeds, options.kinds, kept),
        ),
        "small": (
            "Class shares of small bags: recovered labels",
            f"--only small --rows {options.rows} --names {' '.join(names)}",
            "| data | rows | rows of a bag | bags | labels, bags alone | labels, with sets | "
            "average |\n|---|---|---|---|---|---|---|",
            small(names, sizes, options.rows),
        ),
        "senc": (
            "Parties of precincts by race: senc",
            "--only senc",
            precincts.HEAD,
            precincts.lines(folder()),
        ),
    }
    for name in ("small",) if options.quick else options.only:
        title, command, table, found = parts[name]
        print(table)
        for line in found:
            print(line, flush=True)
            table += f"\n{line}"
        seeds = f"0 to {options.seeds - 1}" if name == "adult" else "0"
        about = provenance(f"python -m benchmarks.bags {command}", seeds=seeds)
        if options.write and not options.quick:
            write_section(f"bags: {name}", f"## {title}\n\n{about}\n\n{table}")


if __name__ == "__main__":
    main()
