"""Preferences among six items, of which a part of the pairs is compared."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.made_up.story import Drawn, Method, Score, Story
from disambig import PartialRanker
from disambig.metrics import kendall_tau
from disambig.notation import FloatArray, IntArray

__all__ = ["ITEMS", "STORIES"]

ITEMS = "abcdef"
UNITS = np.array([1, 0.001, 1000, 12, 1e5, 0.1, 40, 3])
OFFSETS = np.array([0, 0.01, 5000, 40, 3e5, 1, 100, -2])
NOISE = 0.5
COMPARED = (0.3, 0.5)
N_TEST = 500


def preferences(seed: int, n: int, *, linear: bool) -> Drawn:
    """Orders of noisy utilities; of each row 30 to 50 % of the pairs, each at random.

    Truth at the queries is the order without noise.
    """
    rng = np.random.default_rng([seed, 4])
    z = rng.normal(size=(n + N_TEST, len(UNITS)))
    basis = z if linear else _curved(z)
    utility = basis @ rng.normal(size=(basis.shape[1], len(ITEMS))) / np.sqrt(basis.shape[1])
    seen = utility[:n] + NOISE * rng.normal(size=(n, len(ITEMS)))
    pairs = list(combinations(range(len(ITEMS)), 2))
    is_compared = rng.random((n, len(pairs))) < rng.uniform(*COMPARED, size=(n, 1))
    y = [
        [
            (ITEMS[i], ITEMS[j]) if row[i] > row[j] else (ITEMS[j], ITEMS[i])
            for (i, j), compared in zip(pairs, chosen, strict=True)
            if compared
        ]
        for row, chosen in zip(seen, is_compared, strict=True)
    ]
    X = OFFSETS + UNITS * z
    return Drawn(X[:n], y, X[n:], _ranks(utility[n:]))


def _curved(z: FloatArray) -> FloatArray:
    """Functions of the inputs that no linear function is close to."""
    columns = [np.cos(2 * z[:, 0]), z[:, 1] * z[:, 2], np.abs(z[:, 3]) - 0.8, np.sin(2 * z[:, 4])]
    curves: FloatArray = np.sqrt(2) * np.column_stack(columns)
    return curves


def _ranks(scores: FloatArray) -> IntArray:
    """Ranks by falling score, 0 = first; of equal scores the first column comes first."""
    return np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)


def _wins(y: Any) -> FloatArray:
    """``[r, i, j]``: 1 where row r compares i and j, and prefers i."""
    wins = np.zeros((len(y), len(ITEMS), len(ITEMS)))
    for row, pairs in enumerate(y):
        for first, second in pairs:
            wins[row, ITEMS.index(first), ITEMS.index(second)] = 1.0
    return wins


def _ours(drawn: Drawn) -> Any:
    return PartialRanker().fit(drawn.X, drawn.y).predict(drawn.queries)


def pairwise_regression(drawn: Drawn) -> IntArray:
    """A logistic regression for each pair on the rows that compare it; sums of probabilities."""
    scaler = StandardScaler().fit(drawn.X)
    X, Q, wins = scaler.transform(drawn.X), scaler.transform(drawn.queries), _wins(drawn.y)
    points = np.zeros((len(Q), len(ITEMS)))
    for i, j in combinations(range(len(ITEMS)), 2):
        rows = np.flatnonzero(wins[:, i, j] + wins[:, j, i])
        model = LogisticRegression().fit(X[rows], wins[rows, i, j])
        share = model.predict_proba(Q)[:, 1]
        points[:, i] += share
        points[:, j] += 1 - share
    return _ranks(points)


def forest_by_item(drawn: Drawn) -> IntArray:
    """A forest for each item on the share of its comparisons that it wins."""
    wins = _wins(drawn.y)
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    scores = []
    for won_here, lost_here in zip(won.T, lost.T, strict=True):
        count = won_here + lost_here
        rows = np.flatnonzero(count)
        forest = RandomForestRegressor(min_samples_leaf=3, random_state=0)
        forest.fit(drawn.X[rows], won_here[rows] / count[rows], sample_weight=count[rows])
        scores.append(forest.predict(drawn.queries))
    return _ranks(np.column_stack(scores))


TAU = Score("tau", kendall_tau, higher_is_better=True)
OURS = Method("PartialRanker()", _ours, uses_disambig=True)
OTHERS = (
    Method("pairwise logistic", pairwise_regression),
    Method("forest an item", forest_by_item),
)


def linear(seed: int, n: int) -> Drawn:
    return preferences(seed, n, linear=True)


def curved(seed: int, n: int) -> Drawn:
    return preferences(seed, n, linear=False)


STORIES = (
    Story("preferences-linear", linear, 400, TAU, OURS, OTHERS),
    Story("preferences-curved", curved, 400, TAU, OURS, OTHERS),
)
