"""`make_ranking_lines`: scores, ranks and draws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from disambig.candidates import PartialOrders
from disambig.datasets import make_ranking_lines
from disambig.datasets.synthetic import RankingLines

FOUR = [[0.5, 0.75], [0.0, 0.5], [1.0, 0.5], [-0.75, 0.75]]


@given(
    n=st.integers(1, 20),
    m=st.integers(1, 8),
    design=st.sampled_from(["uniform", "grid"]),
    seed=st.integers(0, 1000),
)
def test_ranks_follow_the_scores(n: int, m: int, design: Any, seed: int) -> None:
    data = make_ranking_lines(n, m, design=design, random_state=seed)
    assert isinstance(data, RankingLines)
    assert data.X.shape == (n, 1)
    assert data.scores.shape == data.ranks.shape == (n, m)
    assert data.ranks.dtype == np.intp
    assert (np.abs(data.X) <= 1).all()
    higher = data.scores[:, np.newaxis, :] > data.scores[:, :, np.newaxis]
    np.testing.assert_array_equal(data.ranks, higher.sum(axis=2))
    orders = PartialOrders.from_scores(data.scores)
    np.testing.assert_array_equal(orders.ranks(), data.ranks)


def test_scores_are_lines() -> None:
    X, scores, _ = make_ranking_lines(30, 6, random_state=3)
    design = np.column_stack([X, np.ones(30)])
    coefficients, *_ = np.linalg.lstsq(design, scores, rcond=None)
    np.testing.assert_allclose(design @ coefficients, scores, atol=1e-12)


def test_given_lines_are_used() -> None:
    X, scores, ranks = make_ranking_lines(5, 4, design="grid", lines=FOUR)
    np.testing.assert_array_equal(X.ravel(), [-1, -0.5, 0, 0.5, 1])
    np.testing.assert_allclose(scores, np.array(FOUR)[:, 0] * X + np.array(FOUR)[:, 1])
    # At x = -0.5 the lines of items 0 and 1 cross: of equal scores the first item comes first.
    np.testing.assert_array_equal(ranks[1], [1, 2, 3, 0])
    np.testing.assert_array_equal(ranks[-1], [1, 2, 0, 3])


def test_distributions_of_lines_and_inputs() -> None:
    """Slopes and intercepts are standard normal and uncorrelated, inputs uniform in [-1, 1]."""
    X, scores, _ = make_ranking_lines(3000, 3000, random_state=0)
    assert kstest(X.ravel(), "uniform", args=(-1, 2)).pvalue > 0.01
    grid = make_ranking_lines(3, 3000, design="grid", random_state=0).scores
    slopes, intercepts = (grid[2] - grid[0]) / 2, grid[1]
    np.testing.assert_allclose(slopes * X[:5] + intercepts, scores[:5], atol=1e-12)
    assert kstest(slopes, "norm").pvalue > 0.01
    assert kstest(intercepts, "norm").pvalue > 0.01
    assert abs(np.corrcoef(slopes, intercepts)[0, 1]) < 5 / np.sqrt(3000)


def test_a_seed_repeats_and_more_samples_keep_its_lines() -> None:
    few, many = (make_ranking_lines(n, 5, random_state=7) for n in (4, 9))
    for first, second in zip(few, many, strict=True):
        np.testing.assert_array_equal(first, second[:4])
    other = make_ranking_lines(4, 5, random_state=8)
    assert not np.array_equal(other.scores, few.scores)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "n_samples must be an integer >= 1; got 0"),
        ({"n_samples": 3, "n_items": 2.0}, r"n_items must be an integer >= 1; got 2\.0"),
        ({"n_samples": 3, "n_items": True}, "n_items must be an integer >= 1; got True"),
        ({"n_samples": 3, "design": "line"}, "design must be one of 'uniform', 'grid'; got 'line'"),
        ({"n_samples": 3, "lines": FOUR}, r"lines has shape \(4, 2\); expected \(10, 2\)"),
        (
            {"n_samples": 3, "n_items": 2, "lines": [[0, 1], [np.nan, 1]]},
            r"lines\[1\] is \[nan, 1\.0\]; expected finite numbers",
        ),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"make_ranking_lines: {message}"):
        make_ranking_lines(**arguments)
