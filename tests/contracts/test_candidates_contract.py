"""Candidate sets of every kind: rows are selected, split, compared and copied in the same way.

scikit-learn splits them, and every plain form that they are read from, like any other y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_consistent_length, indexable
from sklearn.utils.multiclass import type_of_target

from disambig.candidates import (
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
    number_sets,
)
from disambig.checks import check_candidates

N = 24
RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(N, 2))

MASK = RNG.random((N, 3)) < 0.5
MASK[np.arange(N), np.arange(N) % 3] = True
LOWER = np.round(RNG.normal(size=N), 3)
UPPER = np.where(np.arange(N) % 4 == 0, np.inf, LOWER + np.round(RNG.exponential(size=N), 3))
PAIRS = list(zip(LOWER.tolist(), UPPER.tolist(), strict=True))
UNION_ROWS = [[pair, (-9.0, -8.0)] for pair in PAIRS]
RANKS = np.argsort(RNG.random((N, 4)), axis=1).astype(float)
RANKS[RNG.random((N, 4)) < 0.3] = np.nan
BITS = np.where(RNG.random((N, 3)) < 0.5, np.nan, (RNG.random((N, 3)) < 0.5).astype(float))

SETS = LabelSets.from_weights(MASK * RNG.random((N, 3)), classes=["a", "b", "c"])
INTERVALS = Intervals(LOWER, UPPER)
UNIONS = IntervalUnions.from_any(UNION_ROWS)
BOXES = Intervals(np.stack([LOWER, LOWER]).T, np.stack([UPPER, UPPER]).T, flat=False)
ORDERS = PartialOrders.from_any(RANKS, items=["a", "b", "c", "d"])
SOME_RANKS = np.where(np.arange(4 * N).reshape(N, 4) % 3 == 0, RANKS, np.nan)
PLACES = PartialOrders.from_any(SOME_RANKS, items=["a", "b", "c", "d"], ranks="places")
KNOWN = PartialBits.from_any(BITS)
CANDIDATES = {
    "labels": SETS,
    "intervals": INTERVALS,
    "unions": UNIONS,
    "boxes": BOXES,
    "orders": ORDERS,
    "places": PLACES,
    "bits": KNOWN,
}


class Form(NamedTuple):
    """What a user may hold: y, how it is read, and outputs of which each is inside some sets."""

    y: Any
    read: Callable[[Any], Any]
    outputs: tuple[Any, ...]


def _orders(y):
    return PartialOrders.from_any(y)


def _places(y):
    return PartialOrders.from_any(y, ranks="places")


LABELS = ("a", "b", "c")
NUMBERS = (0.0, -8.5, 1.0)
RANKINGS = ((0, 1, 2, 3), (3, 2, 1, 0))
BOX_NUMBERS = ((0.0, 0.0), (1.0, 1.0))
TAGS = ((0, 0, 0), (1, 1, 1), (1, 0, 1))
FORMS = {
    "labels": Form(SETS, LabelSets.from_any, LABELS),
    "labels, mask": Form(np.asarray(SETS) > 0, LabelSets.from_any, (0, 1, 2)),
    "intervals": Form(INTERVALS, number_sets, NUMBERS),
    "intervals, array": Form(np.asarray(INTERVALS), number_sets, NUMBERS),
    "intervals, pandas": Form(
        pd.DataFrame({"lower": LOWER, "upper": UPPER}, index=np.arange(N)[::-1]),
        number_sets,
        NUMBERS,
    ),
    "intervals, polars": Form(pl.DataFrame({"lower": LOWER, "upper": UPPER}), number_sets, NUMBERS),
    "intervals, IntervalArray": Form(
        pd.arrays.IntervalArray.from_arrays(LOWER, UPPER), number_sets, NUMBERS
    ),
    "intervals, IntervalIndex": Form(
        pd.IntervalIndex.from_arrays(LOWER, UPPER), number_sets, NUMBERS
    ),
    "intervals, Series": Form(
        pd.Series(pd.IntervalIndex.from_arrays(LOWER, UPPER)), number_sets, NUMBERS
    ),
    "intervals, pairs": Form(PAIRS, number_sets, NUMBERS),
    "intervals, texts": Form([f"[{low}, {high}]" for low, high in PAIRS], number_sets, NUMBERS),
    "intervals, text Series": Form(
        pd.Series([f"{low}..{high}" for low, high in PAIRS]), number_sets, NUMBERS
    ),
    "unions": Form(UNIONS, number_sets, NUMBERS),
    "unions, array": Form(np.asarray(UNIONS), number_sets, NUMBERS),
    "unions, lists": Form(UNION_ROWS, number_sets, NUMBERS),
    "boxes": Form(BOXES, number_sets, BOX_NUMBERS),
    "boxes, array": Form(np.asarray(BOXES), number_sets, BOX_NUMBERS),
    "orders": Form(ORDERS, _orders, RANKINGS),
    "orders, ranks": Form(RANKS, _orders, RANKINGS),
    "orders, signs": Form(np.asarray(ORDERS), _orders, RANKINGS),
    "orders, pandas": Form(pd.DataFrame(RANKS, columns=list("abcd")), _orders, RANKINGS),
    "places": Form(PLACES, _places, RANKINGS),
    "places, ranks": Form(SOME_RANKS, _places, RANKINGS),
    "places, windows": Form(np.stack([SOME_RANKS, SOME_RANKS], axis=2), _places, RANKINGS),
    "bits": Form(KNOWN, PartialBits.from_any, TAGS),
    "bits, array": Form(BITS, PartialBits.from_any, TAGS),
}


class Constant(BaseEstimator):
    """Predicts one output everywhere; its score is the share of sets that contain it."""

    def __init__(self, output=None, read=None):
        self.output = output
        self.read = read

    def fit(self, X, y):
        assert len(X) == len(self.read(y)) < N
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.array([self.output] * len(X))

    def score(self, X, y):
        return self.read(y).contains(self.predict(X)).mean()


class Refitted(Constant):
    """The same, which a search may fit on all rows."""

    def fit(self, X, y):
        self.fitted_ = True
        return self


def shares(form, output, splitter):
    """The scores of `Constant`, from the sets as a whole."""
    inside = form.read(form.y).contains(np.array([output] * N))
    return [inside[test].mean() for _, test in splitter.split(INPUTS)]


@pytest.mark.parametrize("candidates", CANDIDATES.values(), ids=CANDIDATES.keys())
class TestRows:
    def test_the_public_check(self, candidates):
        check_candidates(candidates)
        check_consistent_length(INPUTS, candidates)
        assert indexable(INPUTS, candidates)[1] is candidates

    @pytest.mark.slow
    def test_cross_validation_over_processes(self, candidates):
        name = next(name for name, held in CANDIDATES.items() if held is candidates)
        model = Constant(FORMS[name].outputs[0], FORMS[name].read)
        alone = cross_validate(model, INPUTS, candidates, cv=3)["test_score"]
        joint = cross_validate(model, INPUTS, candidates, cv=3, n_jobs=2)["test_score"]
        assert np.isfinite(alone).all()
        np.testing.assert_array_equal(alone, joint)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
class TestScikitLearn:
    @pytest.mark.parametrize("cv", [3, KFold(4), ShuffleSplit(2, random_state=0)], ids=str)
    def test_cross_val_score(self, form, cv):
        splitter = KFold(cv) if isinstance(cv, int) else cv
        by_output = [shares(form, output, splitter) for output in form.outputs]
        assert max(np.mean(by_output, axis=1)) > 0
        for output, expected in zip(form.outputs, by_output, strict=True):
            model = make_pipeline(StandardScaler(), Constant(output, form.read))
            scores = cross_val_score(model, INPUTS, form.y, cv=cv, error_score="raise")
            np.testing.assert_allclose(scores, expected)

    def test_grid_search(self, form):
        search = GridSearchCV(
            make_pipeline(StandardScaler(), Refitted(read=form.read)),
            {"refitted__output": list(form.outputs)},
            cv=3,
            error_score="raise",
        ).fit(INPUTS, form.y)
        expected = [np.mean(shares(form, output, KFold(3))) for output in form.outputs]
        assert len(set(expected)) > 1
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
        assert search.best_params_["refitted__output"] == form.outputs[int(np.argmax(expected))]


def test_scikit_learn_takes_label_sets_for_a_mask():
    assert type_of_target(SETS) == "multilabel-indicator"


def test_weights_of_labels_survive_a_selection_of_rows():
    np.testing.assert_array_equal(SETS[[3, 1]].weights, SETS.weights[[3, 1]])
