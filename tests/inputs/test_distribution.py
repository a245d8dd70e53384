"""Draws of cells and their means, against integration on grids and enumeration."""

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal, truncnorm

from disambig import LabelSets
from disambig.exceptions import MissingColumnWarning
from disambig.inputs import Alternatives, InputDistribution, PartialInputs, fit_distribution
from disambig.inputs.conditional_draws import NormalInputs, truncated_normal

MEAN, COVARIANCE = (
    np.array([0.3, -0.2, 0.1]),
    np.array([[1.0, 0.7, -0.2], [0.7, 1.2, 0.3], [-0.2, 0.3, 0.9]]),
)


def known_distribution():
    """A distribution that is not learned."""
    normal = NormalInputs(MEAN, COVARIANCE)
    return InputDistribution(np.zeros(3), np.ones(3), normal, np.ones(3, np.bool_))


def integrated(lower, upper, n=121):
    """Means of the normal distribution inside of a box, by a grid of midpoints."""
    axes = []
    for low, high in zip(lower, upper, strict=True):
        low, high = max(low, -5.0), min(high, 5.0)
        axes.append(
            np.array([low]) if low == high else low + (high - low) * (np.arange(n) + 0.5) / n
        )
    points = np.array(list(itertools.product(*axes)))
    density = multivariate_normal(MEAN, COVARIANCE).pdf(points)
    return density @ points / density.sum()


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ([1.0, -np.inf, 0.5], [1.0, np.inf, 0.5]),
        ([-1.0, 0.5, 0.2], [0.0, 0.5, 0.2]),
        ([-1.0, 0.2, 0.5], [0.5, np.inf, 0.5]),
        ([-np.inf, 1.5, -1.0], [-0.5, 3.0, -1.0]),
    ],
)
def test_means_are_those_of_a_grid(lower, upper):
    X = PartialInputs.from_bounds([lower], [upper])
    found = known_distribution().means(X, n_draws=2000)
    np.testing.assert_allclose(found[0], integrated(lower, upper), atol=0.03)


def test_one_of_several_values_by_enumeration():
    values = np.array([[-1.0, 0.5, 2.0]])
    X = PartialInputs([[1.0, 0.0, 0.4]], [[1.0, 0.0, 0.4]], (Alternatives(1, [0], values),))
    found = known_distribution().means(X, n_draws=2000)[0, 1]
    points = np.column_stack([np.full(3, 1.0), values[0], np.full(3, 0.4)])
    density = multivariate_normal(MEAN, COVARIANCE).pdf(points)
    np.testing.assert_allclose(found, density @ values[0] / density.sum(), atol=0.01)


def test_a_category_has_the_odds_of_a_linear_discriminant():
    """Frequencies times the density of the other column given the class."""
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 600, p=[0.6, 0.3, 0.1])
    height = np.array([0.0, 2.0, 4.0])[codes] + rng.normal(size=600)
    kinds = LabelSets(np.eye(3, dtype=bool)[codes], np.array(["a", "b", "c"]))
    distribution = fit_distribution(PartialInputs.from_columns([height, kinds]))
    query = PartialInputs.from_columns(
        [
            [1.0, 1.0, 3.5],
            LabelSets(np.array([[1, 1, 1], [0, 1, 1], [1, 1, 0]], bool), kinds.classes),
        ]
    )
    found = distribution.means(query, n_draws=2000)[:, 1:]
    for row, (x, mask) in enumerate(zip([1.0, 1.0, 3.5], query.upper[:, 1:] == 1, strict=True)):
        odds = np.array([0.6, 0.3, 0.1]) * np.exp(-0.5 * (x - np.array([0, 2, 4.0])) ** 2) * mask
        np.testing.assert_allclose(found[row], odds / odds.sum(), atol=0.08)
    assert found[1, 0] == found[2, 2] == 0


def test_what_is_known_stays_and_the_rest_is_inside():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)) * [1, 100, 1e-3, 1] + [0, 5, 0, 1e4]
    width = rng.random((80, 4)) * values.std(axis=0)
    hidden = rng.random((80, 4)) < 0.5
    X = PartialInputs.from_bounds(
        np.where(hidden, values - width, values), np.where(hidden, values + width, values)
    )
    draws = fit_distribution(X).draws(X)
    np.testing.assert_array_equal(draws.known[~hidden], values[~hidden])
    assert X.contains(draws.known).all()
    assert all(X[draws.rows].contains(draws.values[:, m]).all() for m in range(20))
    np.testing.assert_allclose(draws.means(np.full((len(draws.rows), 20), 0.05)), draws.known)
    # The middle of the bounds is right up to the width; the other cells say more.
    expected = (
        np.abs(draws.known - values)[hidden] / np.broadcast_to(values.std(axis=0), (80, 4))[hidden]
    )
    middle = np.abs(np.asarray(X) - values)
    assert expected.mean() < 0.5
    assert middle[hidden].max() < 1e-6 * 1e4 + 1e-9


def test_a_row_does_not_depend_on_other_rows_or_their_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 3))
    X = PartialInputs.from_bounds(values - (values > 0.5), values + (values > 0))
    distribution = fit_distribution(X)
    found = distribution.means(X)
    order = rng.permutation(40)
    np.testing.assert_allclose(distribution.means(X[order]), found[order], rtol=1e-12)
    np.testing.assert_allclose(distribution.means(X[3:5]), found[3:5], rtol=1e-12)
    np.testing.assert_array_equal(fit_distribution(X).means(X), found)


def test_the_distribution_of_censored_cells_is_recovered():
    """A mean and a spread that known cells alone would miss by far."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(800, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    hidden = np.column_stack([values[:, 0] > 0.0, np.zeros(800, np.bool_)])
    X = PartialInputs.from_censoring(np.where(hidden, 0.0, values), above=hidden)
    found = fit_distribution(X)
    mean = found.normal.mean * found.unit + found.center
    covariance = found.normal.covariance * np.outer(found.unit, found.unit)
    np.testing.assert_allclose(mean, values.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(covariance, np.cov(values.T), atol=0.12)


def test_truncated_quantiles_are_those_of_scipy():
    u = np.linspace(0.01, 0.99, 7)
    for low, high in ((-1.0, 2.0), (3.0, np.inf), (-np.inf, -6.0), (8.0, 8.5)):
        ours = truncated_normal(np.full(7, 0.5), 2.0, np.full(7, low), np.full(7, high), u)
        law = truncnorm((low - 0.5) / 2, (high - 0.5) / 2, loc=0.5, scale=2)  # words: ok
        np.testing.assert_allclose(ours, law.ppf(u), rtol=1e-6)  # words: ok
    far = truncated_normal(np.zeros(1), 1.0, np.full(1, 60.0), np.full(1, 61.0), np.full(1, 0.5))
    assert far[0] == 60.0


def test_columns_without_information_are_named():
    X = PartialInputs.from_bounds(
        [[1.0, np.nan], [2.0, np.nan]], [[1.0, np.nan], [3.0, np.nan]], "pq"
    )
    with pytest.warns(MissingColumnWarning, match="nothing is known of column 'q' in any of the 2"):
        found = fit_distribution(X)
    assert found.means(X)[:, 1].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="nothing is known of any cell"):
        fit_distribution(PartialInputs.from_any([[np.nan]]))
    with pytest.raises(ValueError, match="every weight is zero"):
        fit_distribution(X, np.zeros(2))
    with pytest.raises(ValueError, match="X has 1 features, but the distribution"):
        found.means(PartialInputs.from_any([[1.0]]))


def test_many_columns_are_independent():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 150))
    X = PartialInputs.from_bounds(
        np.where(values > 1, 1.0, values), np.where(values > 1, np.inf, values)
    )
    found = fit_distribution(X)
    assert found.normal.covariance.shape == (150,)
    assert X.contains(found.means(X)).all()
