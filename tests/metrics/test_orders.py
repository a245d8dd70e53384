"""Metrics of rankings, compared with scipy on full rankings and with a loop on partial orders."""

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig.candidates import PartialOrders
from disambig.datasets import PairCorruption, make_ranking_lines
from disambig.exceptions import CandidateError
from disambig.metrics import kendall_tau, kendall_tau_scorer, pair_error, pair_error_scorer

nan = float("nan")


def random_ranks(rng: np.random.Generator, n: int, m: int) -> Any:
    return rng.permuted(np.tile(np.arange(m), (n, 1)), axis=1)


def taus(orders: PartialOrders, ranks: Any) -> list[float]:
    """The tau of each row by a loop over pairs; NaN for rows without an observed pair."""
    found = []
    for before, row in zip(orders.before, ranks, strict=True):
        concordant = discordant = 0
        for i, j in combinations(range(len(row)), 2):
            if before[i, j] or before[j, i]:
                same = before[i, j] == (row[i] < row[j])
                concordant, discordant = concordant + same, discordant + (not same)
        found.append(
            (concordant - discordant) / (concordant + discordant)
            if concordant + discordant
            else nan
        )
    return found


# ------------------------------------------------------------------ values


@given(st.integers(2, 9), st.integers(1, 12), st.integers(0, 999))
def test_on_full_rankings_tau_equals_that_of_scipy(m: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, y_pred = random_ranks(rng, n, m), random_ranks(rng, n, m)
    expected = [kendalltau(*rows).statistic for rows in zip(y, y_pred, strict=True)]
    assert kendall_tau(y, y_pred) == pytest.approx(np.mean(expected))
    weight = rng.uniform(0.1, 1, size=n)
    assert kendall_tau(y, y_pred, sample_weight=weight) == pytest.approx(
        np.average(expected, weights=weight)
    )


@given(st.integers(2, 7), st.integers(1, 10), st.floats(0, 0.99), st.integers(0, 999))
def test_on_partial_orders_only_observed_pairs_count(
    m: int, n: int, level: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    orders = PairCorruption(level)(random_ranks(rng, n, m), random_state=rng)
    y_pred, weight = random_ranks(rng, n, m), rng.uniform(0.1, 1, size=n)
    expected = np.array(taus(orders, y_pred))
    observed = ~np.isnan(expected)
    if not observed.any():
        with pytest.warns(UserWarning, match="No row to score has an observed pair"):
            assert np.isnan(kendall_tau(orders, y_pred))
        return
    assert kendall_tau(orders, y_pred) == pytest.approx(expected[observed].mean())
    mean = np.average(expected[observed], weights=weight[observed])
    assert kendall_tau(orders, y_pred, sample_weight=weight) == pytest.approx(mean)
    error = pair_error(orders, y_pred, sample_weight=weight)
    assert error == pytest.approx((1 - mean) / 2)
    # The signs of all pairs are the same orders in another form.
    assert pair_error(np.asarray(orders), y_pred, sample_weight=weight) == error


def test_all_rows_have_equal_weight() -> None:
    y = [[0, 1, 2, 3], [0, 1, nan, nan]]
    assert pair_error(y, [[0, 1, 2, 3], [1, 0, 2, 3]]) == 0.5
    assert kendall_tau(y, [[0, 1, 2, 3], [1, 0, 2, 3]]) == 0.0


def test_pairs_that_follow_by_transitivity_are_observed() -> None:
    assert pair_error([[(0, 1), (1, 2)]], [[1, 2, 0]]) == pytest.approx(2 / 3)


def test_extreme_values() -> None:
    ranks = random_ranks(np.random.default_rng(0), 5, 6)
    assert kendall_tau(ranks, ranks) == 1
    assert kendall_tau(ranks, 5 - ranks) == -1
    assert pair_error(ranks, ranks) == 0
    assert pair_error(ranks, 5 - ranks) == 1
    # Only the order of ranks matters, not their scale.
    assert kendall_tau(ranks, 10.0 * ranks + 3) == 1


def test_items_of_equal_rank_are_not_compared() -> None:
    assert pair_error([[0, 0, 1]], [[1, 0, 2]]) == 0
    assert pair_error([[0, 0, 1]], [[2, 0, 1]]) == 0.5


# ------------------------------------------------------------------ items


def test_items_name_the_columns_of_the_prediction() -> None:
    y = ["a>c", "b>a"]
    # The sorted items that occur, unless they are named.
    assert pair_error(y, [[0, 1, 2], [0, 1, 2]]) == 0.5
    assert pair_error(y, [[2, 1, 0], [2, 0, 1]], items=["c", "b", "a"]) == 0.0
    # An item that is never compared has a column, too.
    assert pair_error(y, [[3, 0, 1, 2], [3, 0, 1, 2]], items=["d", "a", "b", "c"]) == 0.5
    orders = PartialOrders.from_any(y)
    assert pair_error(orders, [[2, 1, 0], [2, 0, 1]], items=["c", "b", "a"]) == 0.0


def test_named_columns_are_matched_to_items() -> None:
    y = pd.DataFrame([[0, 1, 2]], columns=["a", "b", "c"])
    y_pred = pd.DataFrame([[2, 0, 1]], columns=["c", "a", "b"])
    assert kendall_tau(y, y_pred) == 1


# ------------------------------------------------------------------ nothing to score, errors


@pytest.mark.parametrize("metric", [kendall_tau, pair_error])
@pytest.mark.parametrize(
    ("y", "y_pred", "options"),
    [
        ([[nan, nan], [1.0, 1.0]], [[0, 1], [0, 1]], {}),
        (["", ""], [[0, 1], [0, 1]], {"items": ["a", "b"]}),
        ([[0], [0]], [[0], [0]], {}),
        ([[0, 1], [nan, nan]], [[0, 1], [0, 1]], {"sample_weight": [0, 1]}),
    ],
)
def test_nothing_to_score_is_nan_with_a_warning(
    metric: Any, y: Any, y_pred: Any, options: dict[str, Any]
) -> None:
    with pytest.warns(UserWarning, match="No row to score has an observed pair") as caught:
        assert np.isnan(metric(y, y_pred, **options))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("metric", [kendall_tau, pair_error])
def test_predictions_must_be_full_rankings(metric: Any) -> None:
    name = metric.__name__
    y = [[0, 1, 2], [2, 1, 0]]
    with pytest.raises(CandidateError, match=rf"{name}: y_pred must .* row 1 has equal ranks"):
        metric(y, [[0, 1, 2], [0, 1, 1]])
    with pytest.raises(CandidateError, match=rf"{name}: y_pred must .* row 0 lacks a rank"):
        metric(y, [[0, 1, nan], [0, 1, 2]])
    with pytest.raises(CandidateError, match=rf"{name}: y_pred must .* shape \(2, 3\)"):
        metric(y, [[0, 1], [0, 1]])
    with pytest.raises(ValueError, match=f"{name}: y has 2 rows and y_pred has 3"):
        metric(y, [[0, 1, 2]] * 3)


def test_an_unknown_item_is_an_error() -> None:
    with pytest.raises(CandidateError, match="row 0 mentions 'z', which is not among the items"):
        kendall_tau(["a>z"], [[0, 1]], items=["a", "b"])


@pytest.mark.parametrize("weight", [[1.0], [1.0, nan], [[1.0, 1.0]]])
def test_invalid_sample_weights(weight: Any) -> None:
    with pytest.raises(ValueError, match=r"sample_weight must hold one finite number for each row"):
        kendall_tau([[0, 1], [0, 1]], [[0, 1], [0, 1]], sample_weight=weight)


# ------------------------------------------------------------------ scorers


class LineRanker(BaseEstimator):
    """Ranks by linear regression on the observed pairs, columns in reverse order of items."""

    def __init__(self, slope: float = 1.0) -> None:
        self.slope = slope

    def fit(self, X: Any, y: Any) -> "LineRanker":
        orders = PartialOrders.from_any(y)
        self.items_ = orders.items[::-1]
        n_earlier = orders.before.sum(axis=1)[:, ::-1]
        design = np.column_stack([X, np.ones(len(X))])
        self.lines_, *_ = np.linalg.lstsq(design, n_earlier, rcond=None)
        return self

    def predict(self, X: Any) -> Any:
        scores = self.slope * (np.asarray(X) * self.lines_[0]) + self.lines_[1]
        return np.argsort(np.argsort(scores, axis=1), axis=1)


def ranking_problem() -> tuple[Any, Any, Any]:
    data = make_ranking_lines(90, 5, random_state=0)
    names = np.array(list("abcde"))
    texts = [">".join(names[np.argsort(row)]) for row in data.ranks]
    return data.X, texts, data.ranks


@pytest.mark.parametrize("scorer", [kendall_tau_scorer, pair_error_scorer])
def test_scorers_read_the_items_inside_searches_and_pipelines(scorer: Any) -> None:
    X, texts, ranks = ranking_problem()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LineRanker()),
        {"lineranker__slope": [-1.0, 0.0, 1.0]},
        scoring=scorer,
        cv=3,
        error_score="raise",
    ).fit(X, texts)
    assert search.best_params_ == {"lineranker__slope": 1.0}
    # The columns of this estimator are e, d, c, b, a: without its items the score would differ.
    forward = search.predict(X)[:, ::-1]
    metric, sign = (kendall_tau, 1) if scorer is kendall_tau_scorer else (pair_error, -1)
    expected = sign * metric(ranks, forward)
    assert scorer(search, X, texts) == pytest.approx(expected)
    assert scorer(search.best_estimator_, X, texts) == pytest.approx(expected)
    assert sign * metric(texts, search.predict(X)) != pytest.approx(expected)
    weight = np.random.default_rng(0).uniform(size=90)
    assert scorer(search, X, texts, sample_weight=weight) == pytest.approx(
        sign * metric(ranks, forward, sample_weight=weight)
    )


def test_scorers_split_partial_orders_and_survive_a_pickle() -> None:
    X, texts, _ = ranking_problem()
    orders = PairCorruption(0.7)(texts, random_state=0)
    scorer = pickle.loads(pickle.dumps(kendall_tau_scorer))
    assert scorer == kendall_tau_scorer
    assert repr(scorer) == "kendall_tau_scorer"
    scores = cross_val_score(LineRanker(), X, orders, scoring=scorer, cv=3, error_score="raise")
    assert scores.min() > 0.5


def test_without_items_the_scorer_reads_columns_by_position() -> None:
    class Fixed:
        def predict(self, X: Any) -> Any:
            return np.tile([0, 1, 2], (len(X), 1))

    assert kendall_tau_scorer(Fixed(), np.zeros((2, 1)), [[0, 1, 2], [2, 1, 0]]) == 0
    assert pair_error_scorer(Fixed(), np.zeros((1, 1)), [[0, 2, 1]]) == pytest.approx(-1 / 3)


def test_marked_rows_are_not_counted():
    ranks = [[0, 1], [0, 1], [0, 1]]
    y = ["a>b", "?", "b>a"]
    assert kendall_tau(y, ranks, unlabeled="?") == kendall_tau([y[0], "", y[2]], ranks) == 0
    assert pair_error([[1, 2], [2, 1], [-1, -1]], ranks, unlabeled=-1) == 0.5
