"""scikit-learn cuts orders, and tables of ranks with holes, like any other y."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_consistent_length, indexable, resample, shuffle

from disambig.candidates import PartialOrders

N, M = 24, 4


@pytest.fixture
def ranks():
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((N, M)), axis=1).astype(float)
    ranks[rng.random((N, M)) < 0.3] = np.nan
    return ranks


@pytest.fixture
def orders(ranks):
    return PartialOrders.from_any(ranks, items=["a", "b", "c", "d"])


@pytest.fixture
def inputs():
    return np.random.default_rng(1).normal(size=(N, 2))


class OneRanking(BaseEstimator):
    """Predicts the items in their order everywhere, or in the reverse order."""

    def __init__(self, reverse=False, kind=PartialOrders):
        self.reverse = reverse
        self.kind = kind

    def fit(self, X, y):
        assert isinstance(y, self.kind)
        self.n_items_ = PartialOrders.from_any(y).n_items
        return self

    def predict(self, X):
        ranking = np.arange(self.n_items_)
        return np.tile(ranking[::-1] if self.reverse else ranking, (len(X), 1))

    def score(self, X, y):
        assert isinstance(y, self.kind)
        return PartialOrders.from_any(y).contains(self.predict(X)).mean()


def by_hand(orders, splitter, reverse=False):
    ranking = np.arange(M)[::-1] if reverse else np.arange(M)
    inside = orders.contains(np.tile(ranking, (N, 1)))
    return [inside[test].mean() for _, test in splitter.split(np.zeros(N))]


def test_they_have_n_rows(orders, inputs):
    check_consistent_length(inputs, orders)
    assert indexable(inputs, orders)[1] is orders


@pytest.mark.parametrize(
    "rows", [[3, 1], np.array([3, 1]), (3, 1), slice(2, 5), np.arange(N) % 2 == 0]
)
def test_safe_indexing(orders, rows):
    expected = orders[list(rows) if isinstance(rows, tuple) else rows]
    assert _safe_indexing(orders, rows) == expected


def test_splits_shuffles_and_resamples(orders, inputs):
    _, _, train, test = train_test_split(inputs, orders, test_size=0.25, random_state=0)
    assert isinstance(train, PartialOrders)
    assert (len(train), len(test)) == (18, 6)
    order = np.arange(N)
    mixed, moved = shuffle(orders, order, random_state=0)
    assert mixed == orders[moved]
    drawn, rows = resample(orders, order, random_state=0)
    assert drawn == orders[rows]


@pytest.mark.parametrize("cv", [3, KFold(4), ShuffleSplit(2, random_state=0)])
def test_cross_val_score(orders, ranks, inputs, cv):
    splitter = KFold(cv) if isinstance(cv, int) else cv
    expected = by_hand(orders, splitter)
    assert 0 < np.mean(expected) < 1
    np.testing.assert_allclose(cross_val_score(OneRanking(), inputs, orders, cv=cv), expected)
    pipeline = make_pipeline(StandardScaler(), OneRanking())
    np.testing.assert_allclose(cross_val_score(pipeline, inputs, orders, cv=cv), expected)
    for kind, y in ((np.ndarray, ranks), (np.ndarray, np.asarray(orders))):
        scores = cross_val_score(OneRanking(kind=kind), inputs, y, cv=cv)
        np.testing.assert_allclose(scores, expected)


def test_cross_val_score_of_a_frame_of_ranks(orders, ranks, inputs):
    pd = pytest.importorskip("pandas")
    y = pd.DataFrame(ranks, columns=list("abcd"))
    scores = cross_val_score(OneRanking(kind=pd.DataFrame), inputs, y, cv=3)
    np.testing.assert_allclose(scores, by_hand(orders, KFold(3)))


@pytest.mark.parametrize("as_ranks", [False, True])
def test_grid_search(orders, ranks, inputs, as_ranks):
    kind, y = (np.ndarray, ranks) if as_ranks else (PartialOrders, orders)
    grid = {"reverse": [False, True]}
    search = GridSearchCV(OneRanking(kind=kind), grid, cv=3, error_score="raise").fit(inputs, y)
    expected = [np.mean(by_hand(orders, KFold(3), reverse)) for reverse in (False, True)]
    assert expected[0] != expected[1]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_["reverse"] == bool(np.argmax(expected))
