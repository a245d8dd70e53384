"""Coverage of prediction sets over random draws.

*Split calibration*: a `PartialLabelClassifier()` is fitted once; of other rows, n are drawn for
`cross_examine(cv="prefit")` and the rest is tested. "meets": the prediction set has a member of the
row's set. "truth": it has the true label, after `with_answers` on all n rows. Every row here
excludes a class: a full set is met by any prediction set.

*Cross-validated calibration*: `cross_examine(cv=5)` on the training rows, new rows are tested. The
models that judged are not the one that predicts, and `weights="auto"` chose with the sets in sight,
so the promise is approximate.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_limits

from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.outcomes import described, keep, table
from benchmarks.trust.sources import SOURCES, Rows, source
from disambig import PartialLabelClassifier
from disambig.estimators.conformal import conformal_threshold, label_scores, set_scores
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine

N_DRAWS = 200
N_SPLITS = 10
N_CALIBRATION = (50, 100)
COVERAGES = (0.8, 0.9)
MEANINGS = ("meets", "truth")
SLACK = 0.01
# Scores that differ by less count as equal: rounding, and far less than any vote.
_TIE = 1e-9


@dataclass(frozen=True)
class Coverage:
    """Means over draws with their standard errors."""

    coverage: float
    error: float
    randomised: float
    randomised_error: float
    size: float


# ---------------------------------------------------------------------- split calibration


class KnownProbabilities(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose inputs are numbers of rows with known probabilities.

    It saves 200 predictions of the same rows; `cross_examine` is the public one.
    """

    def __init__(self, probabilities: Any = None, classes: Any = None) -> None:
        self.probabilities = probabilities
        self.classes = classes
        self.unlabeled = None

    def fit(self, X: Any = None, y: Any = None) -> Self:
        self.classes_ = self.classes
        self.n_features_in_ = 1
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        found: FloatArray = self.probabilities[np.asarray(X)[:, 0].astype(np.intp)]
        return found


@cache
def fitted(name: str) -> tuple[Any, KnownProbabilities]:
    """The classifier on the training rows of a source, and its probabilities of the others."""
    X, mask, _, n_train = source(name)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = PartialLabelClassifier(classes=np.arange(mask.shape[1]))
        model.fit(X[:n_train], mask[:n_train])
        probabilities = model.predict_proba(X[n_train:])
    return model, KnownProbabilities(probabilities, model.classes_).fit()


def sets_of_draw(
    model: Any, X: Any, rows: Rows, drawn: IntArray, rest: IntArray, nominal: float, meaning: str
) -> BoolArray:
    """Prediction sets at `rest`, calibrated at `drawn`: the calls that a user would write."""
    exam = cross_examine(model, X[drawn], rows.mask[drawn], cv="prefit")
    if meaning == "truth":
        exam = exam.with_answers(np.arange(len(drawn)), rows.truth[drawn])
    mask: BoolArray = exam.predict_set(X[rest], nominal, meaning=meaning).mask
    return mask


def randomised_sets(
    known: KnownProbabilities,
    rows: Rows,
    drawn: IntArray,
    rest: IntArray,
    nominal: float,
    meaning: str,
    rng: np.random.Generator,
) -> BoolArray:
    """The classes with scores up to the threshold, equal scores in random order.

    Computed from arrays. A set may be empty; the coverage is then exactly what is promised.
    """
    scores = label_scores(known.probabilities)
    scores = scores + _TIE * rng.uniform(size=scores.shape)
    if meaning == "truth":
        values = scores[drawn, rows.truth[drawn]]
    else:
        values = set_scores(scores[drawn], rows.mask[drawn], "meets")
    return np.asarray(scores[rest] <= conformal_threshold(values, nominal))


def is_covered(sets: BoolArray, rows: Rows, rest: IntArray, meaning: str) -> BoolArray:
    """Whether each prediction set keeps what its meaning says."""
    if meaning == "truth":
        return sets[np.arange(len(rest)), rows.truth[rest]]
    return np.asarray((sets & rows.mask[rest]).any(axis=1))


def split_coverage(
    name: str, n: int, nominal: float, meaning: str, n_draws: int = N_DRAWS
) -> Coverage:
    """Coverage over draws of calibration rows among the rows that were not fitted."""
    every = source(name)
    model, known = fitted(name)
    rows = Rows(
        every.X[every.n_train :], every.mask[every.n_train :], every.truth[every.n_train :], 0
    )
    numbers = np.arange(len(rows.X), dtype=np.float64)[:, None]
    covered, randomised, sizes = [], [], []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, n])
        order = rng.permutation(len(rows.X))
        drawn, rest = order[:n], order[n:]
        sets = sets_of_draw(known, numbers, rows, drawn, rest, nominal, meaning)
        if draw == 0:
            _require_agreement(model, rows, drawn, rest, nominal, meaning, sets)
        plain = randomised_sets(known, rows, drawn, rest, nominal, meaning, rng)
        covered.append(is_covered(sets, rows, rest, meaning).mean())
        randomised.append(is_covered(plain, rows, rest, meaning).mean())
        sizes.append(sets.sum(axis=1).mean())
    return Coverage(*_mean_and_error(covered), *_mean_and_error(randomised), float(np.mean(sizes)))


def _require_agreement(
    model: Any,
    rows: Rows,
    drawn: IntArray,
    rest: IntArray,
    nominal: float,
    meaning: str,
    sets: BoolArray,
) -> None:
    """Raise if the classifier itself predicts other sets than its known probabilities."""
    own = sets_of_draw(model, rows.X, rows, drawn, rest, nominal, meaning)
    # Probabilities of fewer rows may differ in the last digit.
    if (own != sets).any(axis=1).mean() > 0.01:
        raise AssertionError("coverage: known probabilities give other sets than the classifier.")


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


# ---------------------------------------------------------------------- folds


def cross_validated_coverage(name: str, nominal: float, meaning: str, n_answers: int) -> Coverage:
    """Coverage of new rows by sets that were calibrated by folds of the training rows."""
    covered, sizes = [], []
    for seed in range(N_SPLITS):
        exam, rows, rest = _examined_split(name, seed)
        if meaning == "truth":
            drawn = np.random.default_rng([seed, 2]).choice(len(exam), n_answers, replace=False)
            exam = exam.with_answers(drawn, rows.truth[drawn])
        sets = exam.predict_set(rows.X[rest], nominal, meaning=meaning).mask
        covered.append(is_covered(sets, rows, rest, meaning).mean())
        sizes.append(sets.sum(axis=1).mean())
    mean, error = _mean_and_error(covered)
    return Coverage(mean, error, math.nan, math.nan, float(np.mean(sizes)))


@cache
def _examined_split(name: str, seed: int) -> tuple[Any, Rows, IntArray]:
    """The examination of a random training part, the rows in that order, and the others."""
    every = source(name)
    order = np.random.default_rng([seed, 1]).permutation(len(every.X))
    rows = Rows(every.X[order], every.mask[order], every.truth[order], every.n_train)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        template = PartialLabelClassifier(classes=np.arange(every.mask.shape[1]))
        exam = cross_examine(template, rows.X[: rows.n_train], rows.mask[: rows.n_train])
    return exam, rows, np.arange(rows.n_train, len(order))


# ---------------------------------------------------------------------- report


def in_band(mean: float, nominal: float, n: int) -> str:
    """Whether a mean coverage is in the band of exact promises: yes, above or below."""
    if mean < nominal - SLACK:
        return "**below**"
    return "yes" if mean <= nominal + 1 / (n + 1) + SLACK else "above"


def report(command: str) -> str:
    """The section of RESULTS.md."""
    split_table, outside = _split_table()
    parts = [
        "## Coverage of prediction sets",
        described(__doc__),
        provenance(
            command,
            seeds=f"draws 0 to {N_DRAWS - 1}, splits 0 to {N_SPLITS - 1}",
            more={"Source": source_digest()},
        ),
        f"Split calibration, mean ± standard error over {N_DRAWS} draws. Band: from the nominal "
        f"coverage - {SLACK:g} to it + 1 / (n + 1) + {SLACK:g}. A prediction set always has the "
        "best class, even where its score is above the threshold, and all classes that tie with "
        "the last one: an accurate classifier, or one with equal votes at many rows, then covers "
        "more than it promises. *Randomised* is the share without both, the classes with scores "
        f"up to the threshold in random order if equal, which the band is for. {outside}",
        split_table,
        f"Cross-validated calibration, {N_SPLITS} random splits into training and new rows; "
        '"truth" with 100 random answers among the training rows.',
        _folds_table(),
    ]
    return "\n\n".join(parts) + "\n"


def _split_table() -> tuple[str, str]:
    lines, outside = [], 0
    cells = [
        (s, n, c, m) for s in SOURCES for m in MEANINGS for n in N_CALIBRATION for c in COVERAGES
    ]
    for name, n, nominal, meaning in cells:
        found = keep(
            "split_coverage",
            Coverage,
            f"{name}|{n}|{nominal}|{meaning}|{N_DRAWS}",
            lambda name=name, n=n, nominal=nominal, meaning=meaning: split_coverage(
                name, n, nominal, meaning
            ),
        )
        outside += in_band(found.randomised, nominal, n) != "yes"
        lines.append(
            [
                name,
                meaning,
                str(n),
                f"{nominal:g}",
                f"{found.coverage:.3f} ± {found.error:.3f}",
                in_band(found.coverage, nominal, n),
                f"{found.randomised:.3f} ± {found.randomised_error:.3f}",
                in_band(found.randomised, nominal, n),
                f"{found.size:.2f}",
            ]
        )
    head = ["data", "meaning", "n", "nominal", "coverage", "in the band"]
    said = f"{len(lines) - outside} of {len(lines)} randomised shares are in it."
    return table([*head, "randomised", "in the band", "mean size"], lines), said


def _folds_table() -> str:
    lines = []
    for name, meaning, nominal in [(s, m, c) for s in SOURCES for m in MEANINGS for c in COVERAGES]:
        found = keep(
            "fold_coverage",
            Coverage,
            f"{name}|{nominal}|{meaning}|{N_SPLITS}",
            lambda name=name, nominal=nominal, meaning=meaning: cross_validated_coverage(
                name, nominal, meaning, 100
            ),
        )
        cell = f"{found.coverage:.3f} ± {found.error:.3f}"
        lines.append([name, meaning, f"{nominal:g}", cell, f"{found.size:.2f}"])
    return table(["data", "meaning", "nominal", "coverage", "mean size"], lines)
