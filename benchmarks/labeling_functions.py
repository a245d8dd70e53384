"""Votes of labelling functions that abstain: our estimators beside snorkel's label model.

Ten functions vote for a class of a row, or abstain; 500 rows learn from the votes, and 500 others
are new. *Independent* functions have accuracies of .4 to .9 and vote on 30 % of the rows, without
regard to the inputs: what the label model assumes. A *rule* is "this feature is high and that one
low", as a person would write it: thresholds are chosen on a development set (ten rows a class, not
used again), among the three that are right most often of those that take three quarters of the
class. Functions take turns between the classes, at least two a class. Inputs are those of digits,
segment and made-up classes, standardised.
snorkel: `LabelModel` (500 steps, else as it comes) for the rows, and a random forest or our
estimator, trained on the rows that it labels. Ours has the inputs and, as candidates, all classes
that got a vote; with the shares of the votes; or with tolerance for wrong sets. A row without a
vote has every class. Labels that tie count by their chance. snorkel is in no extra:
`pip install snorkel`.

    python -m benchmarks.labeling_functions [--write] [--quick]
"""

import argparse
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.other_package import other_package
from benchmarks.results import provenance, write_section
from benchmarks.trust.outcomes import described, table, with_error
from benchmarks.wrong_labels import DATA
from disambig import LabelSets, PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray

N_SEEDS, N_QUICK_SEEDS, N_ROWS, N_FUNCTIONS = 5, 1, 500, 10
COVERAGE, ACCURACIES = 0.3, (0.4, 0.9)
DEVELOPMENT_ROWS, BEST_THRESHOLDS = 10, 3
ABSTAINS = -1


class Voted(NamedTuple):
    """Rows with votes ``(n, functions)``, -1 where a function abstains; and new rows."""

    X: FloatArray
    votes: IntArray
    truth: IntArray
    new: FloatArray
    new_truth: IntArray

    @property
    def counts(self) -> IntArray:
        """How many votes each class of each row got, ``(n, K)``."""
        classes = np.arange(self.truth.max() + 1)
        return np.asarray((self.votes[:, :, np.newaxis] == classes).sum(axis=1))


@dataclass(frozen=True)
class Outcome:
    """Shares of right labels: of all rows, of rows with a vote, of new rows; and CPU seconds."""

    right: float
    right_with_votes: float
    right_on_new: float
    seconds: float


class Labels(NamedTuple):
    """Scores of all rows, the largest is the label; and predictions for the new rows, or None."""

    scores: FloatArray
    predicted: IntArray | None


def independent(
    X: FloatArray, truth: IntArray, known: tuple[FloatArray, IntArray], seed: int
) -> IntArray:
    """Functions that are right and vote by chance."""
    rng = np.random.default_rng(seed)
    n_classes = truth.max() + 1
    accuracies = rng.uniform(*ACCURACIES, size=N_FUNCTIONS)
    shape = (len(truth), N_FUNCTIONS)
    others = (truth[:, np.newaxis] + rng.integers(1, n_classes, shape)) % n_classes
    said = np.where(rng.random(shape) < accuracies, truth[:, np.newaxis], others)
    return np.where(rng.random(shape) < COVERAGE, said, ABSTAINS)


def rules(
    X: FloatArray, truth: IntArray, known: tuple[FloatArray, IntArray], seed: int
) -> IntArray:
    """Two thresholds that are good on the development rows: "this is high, and that is low"."""
    rng = np.random.default_rng(seed)
    inputs, labels = known
    n_classes = truth.max() + 1
    votes = []
    for number in range(max(N_FUNCTIONS, 2 * n_classes)):
        label = number % n_classes
        first = _threshold(inputs, labels == label, rng)
        taken = first.takes(inputs)
        second = _threshold(inputs[taken], labels[taken] == label, rng)
        votes.append(np.where(first.takes(X) & second.takes(X), label, ABSTAINS))
    return np.stack(votes, axis=1)


class Threshold(NamedTuple):
    """A condition on one feature: at least (sign 1) or at most (-1) a value."""

    feature: int
    value: float
    sign: int

    def takes(self, X: FloatArray) -> BoolArray:
        return np.asarray(self.sign * X[:, self.feature] >= self.value)


def _threshold(inputs: FloatArray, is_class: BoolArray, rng: np.random.Generator) -> Threshold:
    """One of the best conditions for a class, of those that take three quarters of its rows."""
    found = []
    for feature in range(inputs.shape[1]):
        for sign in (1, -1):
            value = float(np.quantile(sign * inputs[is_class, feature], 0.25))
            one = Threshold(feature, value, sign)
            found.append((is_class[one.takes(inputs)].mean(), one))
    found.sort(reverse=True)
    return found[rng.integers(BEST_THRESHOLDS)][1]


FUNCTIONS = {"independent": independent, "rules": rules}


def drawn(data: str, functions: str, seed: int) -> Voted:
    """Rows with the votes of some functions."""
    X, truth = DATA[data](seed)
    n_classes = truth.max() + 1
    X, rest, truth, rest_truth = train_test_split(
        X, truth, train_size=N_ROWS, stratify=truth, random_state=seed
    )
    rest, known, rest_truth, known_truth = train_test_split(
        rest,
        rest_truth,
        test_size=DEVELOPMENT_ROWS * n_classes,
        stratify=rest_truth,
        random_state=seed,
    )
    scaler = StandardScaler().fit(X)
    X, new, known = (scaler.transform(one) for one in (X, rest[:N_ROWS], known))
    votes = FUNCTIONS[functions](X, truth, (known, known_truth), seed)
    return Voted(X, votes, truth, new, rest_truth[:N_ROWS])


def majority(rows: Voted) -> Labels:
    return Labels(rows.counts.astype(float), None)


def label_model(rows: Voted) -> FloatArray:
    """Probabilities by snorkel, ``(n, K)``; all equal where no function votes."""
    import torch

    torch.set_num_threads(1)
    labelling = other_package("snorkel", "snorkel.labeling.model")
    model = labelling.LabelModel(cardinality=int(rows.truth.max()) + 1, verbose=False)
    model.fit(rows.votes, n_epochs=500, seed=0, progress_bar=False)
    return np.asarray(model.predict_proba(rows.votes))


def snorkel(rows: Voted) -> Labels:
    return Labels(label_model(rows), None)


def snorkel_forest(rows: Voted) -> Labels:
    """A random forest on the labels that the label model gives to rows with votes."""
    given = label_model(rows).argmax(axis=1)
    has_votes = rows.counts.any(axis=1)
    forest = RandomForestClassifier(random_state=0).fit(rows.X[has_votes], given[has_votes])
    scores = np.zeros(rows.counts.shape)
    scores[:, forest.classes_] = forest.predict_proba(rows.X)
    return Labels(scores, forest.predict(rows.new))


def snorkel_ours(rows: Voted) -> Labels:
    """Our estimator on these labels, with tolerance; rows without votes have every class."""
    given = label_model(rows).argmax(axis=1)
    has_votes = rows.counts.any(axis=1)
    mask = (given[:, np.newaxis] == np.arange(rows.counts.shape[1])) | ~has_votes[:, np.newaxis]
    return _fitted(PartialLabelClassifier(tolerance="auto"), rows, LabelSets.from_mask(mask))


def union(rows: Voted) -> Labels:
    return _fitted(PartialLabelClassifier(), rows, _named(rows))


def tolerant(rows: Voted) -> Labels:
    return _fitted(PartialLabelClassifier(tolerance="auto"), rows, _named(rows))


def shares(rows: Voted) -> Labels:
    """Candidates are the classes with a vote, and weights their shares of the votes."""
    counts = rows.counts.astype(float)
    counts[~counts.any(axis=1)] = 1.0
    return _fitted(PartialLabelClassifier(), rows, LabelSets.from_weights(counts))


def _named(rows: Voted) -> LabelSets:
    named = rows.counts > 0
    return LabelSets.from_mask(named | ~named.any(axis=1, keepdims=True))


def _fitted(model: PartialLabelClassifier, rows: Voted, sets: LabelSets) -> Labels:
    model.fit(rows.X, sets)
    scores = (model.labels_[:, np.newaxis] == np.arange(rows.counts.shape[1])).astype(float)
    return Labels(scores, model.predict(rows.new))


METHODS: dict[str, Callable[[Voted], Labels]] = {
    "majority of the votes": majority,
    "snorkel, label model": snorkel,
    "snorkel, then a random forest": snorkel_forest,
    "snorkel, then disambig with tolerance": snorkel_ours,
    "disambig, classes with a vote": union,
    "disambig, shares of the votes": shares,
    "disambig, classes with a vote, tolerance": tolerant,
}


def run(method: Callable[[Voted], Labels], rows: Voted) -> Outcome:
    begun = time.process_time()
    labels = method(rows)
    seconds = time.process_time() - begun
    # Of equal largest scores each is the label with the same chance.
    scores = labels.scores
    is_largest = scores >= scores.max(axis=1, keepdims=True) - 1e-12
    right = is_largest[np.arange(len(scores)), rows.truth] / is_largest.sum(axis=1)
    predicted = labels.predicted
    return Outcome(
        right=float(right.mean()),
        right_with_votes=float(right[rows.counts.any(axis=1)].mean()),
        right_on_new=(
            float("nan") if predicted is None else float((predicted == rows.new_truth).mean())
        ),
        seconds=seconds,
    )


class Votes(NamedTuple):
    """What the functions of a case are like: shares."""

    covered: float
    right: float
    in_set: float


def described_votes(rows: Voted) -> Votes:
    """Rows with a vote; votes that are right; rows with a vote for the truth among the former."""
    has_votes = rows.counts.any(axis=1)
    voted = rows.votes != ABSTAINS
    return Votes(
        float(has_votes.mean()),
        float((rows.votes == rows.truth[:, np.newaxis])[voted].mean()),
        float((rows.counts[np.arange(len(rows.truth)), rows.truth] > 0)[has_votes].mean()),
    )


Found = Mapping[tuple[str, str], tuple[Sequence[Votes], Mapping[str, Sequence[Outcome]]]]


def measure(n_seeds: int, data: Sequence[str]) -> Found:
    """What the votes are like, and outcomes by method, a list over the seeds, of each case."""
    found: dict[tuple[str, str], tuple[list[Votes], dict[str, list[Outcome]]]] = {}
    for name in data:
        for functions in FUNCTIONS:
            votes, methods = found.setdefault((name, functions), ([], {}))
            for seed in range(n_seeds):
                rows = drawn(name, functions, seed)
                votes.append(described_votes(rows))
                for method, compute in METHODS.items():
                    one = run(compute, rows)
                    methods.setdefault(method, []).append(one)
                    print(f"{name}, {functions}, seed {seed}, {method}: {one}", flush=True)
    return found


def report(found: Found, version: str) -> str:
    """The section of RESULTS.md."""
    n_seeds = len(next(iter(found.values()))[0])
    cases = [
        [f"{data}, {functions}", *(f"{share:.2f}" for share in np.mean(votes, axis=0))]
        for (data, functions), (votes, _) in found.items()
    ]
    return "\n\n".join(
        [
            "## Labelling functions: beside snorkel",
            described(__doc__),
            provenance(
                "python -m benchmarks.labeling_functions --write",
                seeds=f"0 to {n_seeds - 1}",
                more={"Beside": f"snorkel {version}"},
            ),
            "The functions, shares:",
            table(["problem", "rows with a vote", "right votes", "truth among the votes"], cases),
            "Shares of right labels, mean ± standard error over seeds. The majority and the label "
            "model do not see the inputs and predict no new rows.",
            table(
                ["problem", "method", "all rows", "rows with a vote", "new rows", "CPU s"],
                [
                    [f"{data}, {functions}", method, *_cells(outcomes)]
                    for (data, functions), (_, methods) in found.items()
                    for method, outcomes in methods.items()
                ],
            ),
            "The mean over the problems of each kind:",
            summary(found),
        ]
    )


def _cells(outcomes: Sequence[Outcome]) -> list[str]:
    cells = [
        with_error([getattr(one, name) for one in outcomes])
        for name in ("right", "right_with_votes", "right_on_new")
    ]
    return [
        *("-" if cell == "undefined" else cell for cell in cells),
        f"{np.mean([one.seconds for one in outcomes]):.1f}",
    ]


def summary(found: Found) -> str:
    """Means over the problems, a column for each kind of function."""
    rows = []
    for method in METHODS:
        cells = []
        for kind in FUNCTIONS:
            for name in ("right", "right_on_new"):
                value = np.mean(
                    [
                        getattr(one, name)
                        for (_, functions), (_, methods) in found.items()
                        if functions == kind
                        for one in methods[method]
                    ]
                )
                cells.append("-" if np.isnan(value) else f"{value:.3f}")
        rows.append([method, *cells])
    head = ["mean", *(f"{kind}, {rows}" for kind in FUNCTIONS for rows in ("all rows", "new rows"))]
    return table(head, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one seed, made-up data")
    options = parser.parse_args(arguments)
    version = other_package("snorkel", "snorkel.version").VERSION
    with threadpool_limits(1), warnings.catch_warnings():
        # Classes without a row in a fold; the table shows the results.
        warnings.simplefilter("ignore")
        found = (
            measure(N_QUICK_SEEDS, ["made up"]) if options.quick else measure(N_SEEDS, list(DATA))
        )
    text = report(found, version)
    print(text)
    if options.write:
        write_section("labeling_functions", text)


if __name__ == "__main__":
    main()
