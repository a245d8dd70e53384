"""scikit-learn cuts sets of numbers like any other y."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_consistent_length, indexable, resample, shuffle

from disambig.candidates import Intervals, IntervalUnions, number_sets

inf = float("inf")
N = 24
RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(N, 2))
LOWER = np.round(RNG.normal(size=N), 3)
UPPER = np.where(np.arange(N) % 4 == 0, inf, LOWER + np.round(RNG.exponential(size=N), 3))
SETS = Intervals(LOWER, UPPER)
PAIRS = list(zip(LOWER.tolist(), UPPER.tolist(), strict=True))
UNION_ROWS = [[pair, (-9.0, -8.0)] for pair in PAIRS]
UNIONS = IntervalUnions.from_any(UNION_ROWS)
BOXES = Intervals(np.stack([LOWER, LOWER]).T, np.stack([UPPER, UPPER]).T, flat=False)

FORMS = {
    "intervals": SETS,
    "array": np.asarray(SETS),
    "pandas": pd.DataFrame({"lower": LOWER, "upper": UPPER}, index=np.arange(N)[::-1]),
    "polars": pl.DataFrame({"lower": LOWER, "upper": UPPER}),
    "interval array": pd.arrays.IntervalArray.from_arrays(LOWER, UPPER),
    "interval index": pd.IntervalIndex.from_arrays(LOWER, UPPER),
    "interval series": pd.Series(pd.IntervalIndex.from_arrays(LOWER, UPPER)),
    "pairs": PAIRS,
    "texts": [f"[{low}, {high}]" for low, high in PAIRS],
    "text series": pd.Series([f"{low}..{high}" for low, high in PAIRS]),
    "unions": UNIONS,
    "union array": np.asarray(UNIONS),
    "union lists": UNION_ROWS,
    "boxes": BOXES,
    "box array": np.asarray(BOXES),
}


class Constant(RegressorMixin, BaseEstimator):
    """Predicts one number everywhere."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        sets = number_sets(y)
        assert len(X) == len(sets) <= N
        self.shape_ = () if sets.flat else (sets.n_columns,)
        return self

    def predict(self, X):
        return np.full((len(X), *self.shape_), self.value)

    def score(self, X, y):
        return number_sets(y).contains(self.predict(X)).mean()


@pytest.mark.parametrize("sets", [SETS, UNIONS, BOXES], ids=["intervals", "unions", "boxes"])
class TestPieces:
    def test_they_count_as_n_rows(self, sets):
        check_consistent_length(INPUTS, sets)
        assert indexable(INPUTS, sets)[1] is sets

    @pytest.mark.parametrize(
        "rows", [[3, 1], np.array([3, 1]), (3, 1), slice(2, 5), np.arange(N) % 2 == 0]
    )
    def test_safe_indexing(self, sets, rows):
        expected = sets[list(rows) if isinstance(rows, tuple) else rows]
        assert _safe_indexing(sets, rows) == expected

    def test_splits_shuffles_and_resamples(self, sets):
        _, _, train, test = train_test_split(INPUTS, sets, test_size=0.25, random_state=0)
        assert type(train) is type(sets)
        assert (len(train), len(test)) == (18, 6)
        order = np.arange(N)
        mixed, moved = shuffle(sets, order, random_state=0)
        assert mixed == sets[moved]
        drawn, rows = resample(sets, order, random_state=0)
        assert drawn == sets[rows]

    @pytest.mark.slow
    def test_over_processes(self, sets):
        alone = cross_validate(Constant(), INPUTS, sets, cv=3)["test_score"]
        joint = cross_validate(Constant(), INPUTS, sets, cv=3, n_jobs=2)["test_score"]
        np.testing.assert_array_equal(alone, joint)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cv", [3, ShuffleSplit(2, random_state=0)], ids=["folds", "draws"])
def test_cross_val_score(form, cv):
    y = FORMS[form]
    value = -8.5 if "union" in form else 0.0
    sets = number_sets(y)
    inside = sets.contains(np.full((N, sets.n_columns), value))
    assert inside.any()
    splitter = KFold(cv) if isinstance(cv, int) else cv
    by_hand = [inside[test].mean() for _, test in splitter.split(INPUTS)]
    scores = cross_val_score(Constant(value), INPUTS, y, cv=cv, error_score="raise")
    np.testing.assert_allclose(scores, by_hand)


@pytest.mark.parametrize("form", FORMS)
def test_grid_search(form):
    y = FORMS[form]
    values = [-8.5, -1.0, 0.0, 1.0]
    sets = number_sets(y)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Constant()),
        {"constant__value": values},
        cv=3,
        error_score="raise",
    ).fit(INPUTS, y)
    shares = [
        np.mean(
            [
                sets[test].contains(np.full((len(test), sets.n_columns), value)).mean()
                for _, test in KFold(3).split(INPUTS)
            ]
        )
        for value in values
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], shares)
    assert search.best_params_["constant__value"] == values[int(np.argmax(shares))]
