"""Single labels of which some are wrong: our suspects and tolerance beside cleanlab.

Every row has one label. 10 or 30 % of the labels of digits, segment and made-up classes are
replaced by another class at random, or 20 % where they are plausible: of rows and with classes that
an out-of-fold logistic regression confuses. 500 rows learn, as many other rows (digits and segment)
are new. cleanlab (`CleanLearning`, as it comes) gets held-out probabilities of logistic regression,
of a random forest, and those of our examination, which separates its rule from the model. Ours is
`cross_examine(PartialLabelClassifier(), X, sets).suspects()` with sets of one label, and
`PartialLabelClassifier(tolerance="auto")`. Inputs are standardised; the truth is used for scores
alone. cleanlab is in no extra: `pip install cleanlab`.

    python -m benchmarks.wrong_labels [--write] [--quick]
"""

import argparse
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.other_package import other_package
from benchmarks.results import provenance, write_section
from benchmarks.trust.outcomes import described, table, with_error
from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import fetch_libsvm
from disambig.datasets.corruptions.instance import out_of_fold_scores
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine

N_SEEDS, N_QUICK_SEEDS, N_ROWS = 5, 1, 500
OURS, OUR_PROBABILITIES = "disambig", "cleanlab, probabilities of our examination"


class Rows(NamedTuple):
    """Rows with given labels, and new rows."""

    X: FloatArray
    given: IntArray
    truth: IntArray
    new: FloatArray
    new_truth: IntArray

    @property
    def is_wrong(self) -> BoolArray:
        return np.asarray(self.given != self.truth)


@dataclass(frozen=True)
class Outcome:
    """What a method found: shares, and CPU seconds."""

    ranking: float
    precision: float
    recall: float
    right: float
    right_on_new: float
    seconds: float


def digits(seed: int) -> tuple[Any, Any]:
    return load_digits(return_X_y=True)


def segment(seed: int) -> tuple[Any, Any]:
    data = fetch_libsvm("segment")
    return data.X, np.unique(data.y, return_inverse=True)[1]


def made_up(seed: int) -> tuple[Any, Any]:
    return make_classification(
        2 * N_ROWS,
        n_features=10,
        n_informative=6,
        n_classes=4,
        n_clusters_per_class=2,
        flip_y=0.0,
        class_sep=1.5,
        random_state=seed,
    )


DATA: dict[str, Callable[[int], tuple[Any, Any]]] = {
    "digits": digits,
    "segment": segment,
    "made up": made_up,
}


def at_random(share: float) -> Callable[[Any, IntArray, int], IntArray]:
    """Replace a share of the labels by any other class."""

    def corrupt(X: Any, truth: IntArray, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        n_classes = truth.max() + 1
        rows = rng.choice(len(truth), round(share * len(truth)), replace=False)
        given = truth.copy()
        given[rows] = (truth[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
        return given

    return corrupt


def plausibly(share: float) -> Callable[[Any, IntArray, int], IntArray]:
    """Replace a share of the labels; rows and classes are drawn by how plausible they are."""

    def corrupt(X: Any, truth: IntArray, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        scores = out_of_fold_scores(X, truth, random_state=seed)
        scores[np.arange(len(truth)), truth] = 0.0
        doubt = scores.sum(axis=1)
        size = round(share * len(truth))
        rows = rng.choice(len(truth), size, replace=False, p=doubt / doubt.sum())
        given = truth.copy()
        for row in rows:
            given[row] = rng.choice(scores.shape[1], p=scores[row] / doubt[row])
        return given

    return corrupt


MISTAKES = {
    "10 % at random": at_random(0.1),
    "30 % at random": at_random(0.3),
    "20 % plausible": plausibly(0.2),
}


def drawn(data: str, mistakes: str, seed: int) -> Rows:
    """Rows with wrong labels, standardised."""
    X, truth = DATA[data](seed)
    X, new, truth, new_truth = train_test_split(
        X, truth, train_size=N_ROWS, test_size=N_ROWS, stratify=truth, random_state=seed
    )
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    return Rows(X, MISTAKES[mistakes](X, truth, seed), truth, new, new_truth)


MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "random forest": lambda: RandomForestClassifier(random_state=0),
}


def cleanlab(rows: Rows, model: Any, probabilities: FloatArray | None = None) -> Outcome:
    """`CleanLearning` with held-out probabilities of its model, or with given ones."""
    classification = other_package("cleanlab", "cleanlab.classification")
    begun = time.process_time()
    if probabilities is None:
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        probabilities = cross_val_predict(
            model, rows.X, rows.given, cv=folds, method="predict_proba"
        )
    learner = classification.CleanLearning(model, seed=0)
    learner.fit(rows.X, rows.given, pred_probs=probabilities)
    issues = learner.get_label_issues()
    found = issues["is_label_issue"].to_numpy()
    labels = np.where(found, issues["predicted_label"].to_numpy(), rows.given)
    predicted = learner.predict(rows.new)
    seconds = time.process_time() - begun
    suspicion = 1.0 - issues["label_quality"].to_numpy()
    return outcome(rows, suspicion, found, labels, predicted, seconds)


def ours(rows: Rows) -> tuple[Outcome, FloatArray]:
    """Suspects, labels with tolerance and predictions; and the held-out probabilities."""
    classes = np.arange(rows.truth.max() + 1)
    sets = LabelSets(rows.given[:, np.newaxis] == classes, classes)
    begun = time.process_time()
    exam = cross_examine(PartialLabelClassifier(), rows.X, sets)
    model = PartialLabelClassifier(tolerance="auto").fit(rows.X, sets)
    predicted = model.predict(rows.new)
    seconds = time.process_time() - begun
    found = np.zeros(len(rows.X), dtype=bool)
    found[exam.suspects().rows] = True
    measured = outcome(rows, exam.suspicion, found, model.labels_, predicted, seconds)
    return measured, exam.distributions


def outcome(
    rows: Rows,
    suspicion: FloatArray,
    found: BoolArray,
    labels: IntArray,
    predicted: IntArray,
    seconds: float,
) -> Outcome:
    n_right = int((found & rows.is_wrong).sum())
    return Outcome(
        ranking=float(average_precision_score(rows.is_wrong, suspicion)),
        precision=n_right / int(found.sum()) if found.any() else math.nan,
        recall=n_right / int(rows.is_wrong.sum()),
        right=float((labels == rows.truth).mean()),
        right_on_new=float((predicted == rows.new_truth).mean()),
        seconds=seconds,
    )


def compared(rows: Rows) -> Iterator[tuple[str, Outcome]]:
    """The methods with their outcomes."""
    for name, model in MODELS.items():
        yield f"cleanlab, {name}", cleanlab(rows, model())
    mine, probabilities = ours(rows)
    # Only its search is of interest: the model is that of the line above.
    yield OUR_PROBABILITIES, cleanlab(rows, MODELS["random forest"](), probabilities)
    yield OURS, mine


Found = Mapping[tuple[str, str], Mapping[str, Sequence[Outcome]]]


def measure(n_seeds: int, data: Sequence[str]) -> Found:
    """Outcomes by case and method, a list over the seeds."""
    found: dict[tuple[str, str], dict[str, list[Outcome]]] = {}
    for name in data:
        for mistakes in MISTAKES:
            case = found.setdefault((name, mistakes), {})
            for seed in range(n_seeds):
                for method, one in compared(drawn(name, mistakes, seed)):
                    case.setdefault(method, []).append(one)
                    print(f"{name}, {mistakes}, seed {seed}, {method}: {one}", flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one seed, made-up data")
    options = parser.parse_args(arguments)
    version = other_package("cleanlab").__version__
    with threadpool_limits(1), warnings.catch_warnings():
        # Classes of few rows in a fold, and what cleanlab says of its own use of pandas.
        warnings.simplefilter("ignore")
        if options.quick:
            found = measure(N_QUICK_SEEDS, ["made up"])
        else:
            found = measure(N_SEEDS, list(DATA))
    text = report(found, version)
    print(text)
    if options.write:
        write_section("wrong_labels", text)


def report(found: Found, version: str) -> str:
    """The section of RESULTS.md."""
    n_seeds = len(next(iter(next(iter(found.values())).values())))
    lines = [
        [f"{data}, {mistakes}", method, *_cells(outcomes)]
        for (data, mistakes), methods in found.items()
        for method, outcomes in methods.items()
    ]
    head = ["problem", "method", "average precision", "precision", "recall"]
    head += ["right labels", "right on new rows", "CPU s"]
    return "\n\n".join(
        [
            "## Single labels, some of them wrong: beside cleanlab",
            described(__doc__),
            "Average precision of the ranking of rows; precision and recall of the rows that are "
            "called wrong; the share of right labels after correction (cleanlab: the most probable "
            "class at the rows it calls wrong); right predictions of new rows by the model that is "
            "trained on what is left. Mean ± standard error over seeds.",
            provenance(
                "python -m benchmarks.wrong_labels --write",
                seeds=f"0 to {n_seeds - 1}",
                more={"Beside": f"cleanlab {version}"},
            ),
            table(head, lines),
            summary(found),
        ]
    )


def _cells(outcomes: Sequence[Outcome]) -> list[str]:
    cells = [
        with_error([getattr(one, name) for one in outcomes])
        for name in ("ranking", "precision", "recall", "right", "right_on_new")
    ]
    return [*cells, f"{np.mean([one.seconds for one in outcomes]):.1f}"]


def summary(found: Found) -> str:
    """A table of the means over all problems, with the number of problems a method is best in."""
    methods = list(next(iter(found.values())))
    names = ("ranking", "right", "right_on_new")
    means = {
        (method, name): np.array(
            [np.mean([getattr(one, name) for one in case[method]]) for case in found.values()]
        )
        for method in methods
        for name in names
    }
    rows = []
    for method in methods:
        cells = []
        for name in names:
            best = np.max([means[other, name] for other in methods], axis=0)
            mine = means[method, name]
            cells += [f"{mine.mean():.3f}", f"{int((mine >= best).sum())}"]
        rows.append([method, *cells])
    head = ["mean over problems", "average precision", "best in", "right labels", "best in"]
    return table([*head, "right on new rows", "best in"], rows)


if __name__ == "__main__":
    main()
