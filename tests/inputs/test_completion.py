"""Completions against scikit-learn's imputers, regression and nan-euclidean distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression

from disambig.exceptions import MissingColumnWarning
from disambig.inputs.completion import WAYS, fit_completion
from disambig.inputs.fills import (
    BlendedFill,
    CorrectedFill,
    NeighborFill,
    _hidden_parts,
    fit_fill,
)
from disambig.inputs.gaussian import GaussianFill
from disambig.inputs.holes import has_missing, rows_without_input
from disambig.weights.row_groups import hash_rows


def holed(n=60, d=4, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * 10.0 ** rng.integers(-2, 3, d) + 5
    X[rng.random((n, d)) < share] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 1.0
    return X


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_mean_and_indicators_are_those_of_scikit_learn(form):
    X, Q = holed(), holed(seed=1)
    # A column that has holes only in the queries gets no indicator.
    X[:, 2] = np.where(np.isnan(X[:, 2]), 0.5, X[:, 2])
    found = fit_completion(form(X), "mean + indicators").transform(form(Q))
    found = found.toarray() if sp.issparse(found) else found
    filled = SimpleImputer().fit(X).transform(Q)
    marks = MissingIndicator(error_on_new=False).fit(X).transform(Q)
    np.testing.assert_allclose(found[:, :4], filled)
    np.testing.assert_allclose(found[:, 4:], marks * np.nanstd(X, axis=0)[[0, 1, 3]])


def test_expected_distance_of_a_missing_cell():
    """The squared distance of a missing to a known cell is the mean over values it may have."""
    X = np.column_stack([holed(d=1, share=0.0), np.zeros(60)])
    X[0, 0] = np.nan
    found = fit_completion(X, "mean + indicators").transform(X)
    squares = ((found[1:] - found[0]) ** 2).sum(axis=1)
    expected = ((X[1:, :1] - X[1:, 0]) ** 2).mean(axis=1)
    np.testing.assert_allclose(squares, expected)


@pytest.mark.parametrize("way", WAYS)
def test_weights_are_copies(way):
    X = holed(n=30)
    weights = np.random.default_rng(2).integers(1, 4, len(X))
    one = fit_completion(X, way, weights.astype(float))
    many = fit_completion(np.repeat(X, weights, axis=0), way)
    np.testing.assert_allclose(one.transform(X), many.transform(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_order_and_units_do_not_matter(way):
    X = holed()
    order = np.random.default_rng(3).permutation(len(X))
    found = fit_completion(X, way).transform(X)
    np.testing.assert_allclose(fit_completion(X[order], way).transform(X), found, rtol=1e-9)
    units = np.array([2.0, 0.5, 4.0, 8.0])
    other = fit_completion(X * units, way).transform(X * units)
    np.testing.assert_allclose(other[:, :4], found[:, :4] * units, rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_known_cells_stay_and_filled_ones_are_in_the_range(way, dtype):
    X = holed().astype(dtype)
    found = fit_completion(X, way).transform(X)
    assert found.dtype == dtype
    known = ~np.isnan(X)
    np.testing.assert_array_equal(found[:, :4][known], X[known])
    assert not has_missing(found)
    slack = 1e-5 * np.abs(X[known]).max()
    assert (found[:, :4] >= np.nanmin(X, axis=0) - slack).all()
    assert (found[:, :4] <= np.nanmax(X, axis=0) + slack).all()


@pytest.mark.parametrize("way", WAYS)
def test_inputs_without_holes_are_untouched(way):
    X = np.random.default_rng(0).normal(size=(40, 3))
    found = fit_completion(X, way)
    assert found.transform(X) is X
    assert found.n_outputs == 3
    Q = X[:2].copy()
    Q[0, 1] = np.nan
    assert not has_missing(found.transform(Q))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_columns_and_rows_without_a_value(form):
    X = holed()
    X[:, 0] = np.where(np.isnan(X[:, 0]), 0.0, X[:, 0])
    X[8, 0], X[:, 1], X[5] = np.nan, np.nan, np.nan
    X[8, 2] = 1.0
    names = ["a", "b", "c", "d"]
    with pytest.warns(MissingColumnWarning, match="column 'b' has no value in any of the 60 rows"):
        found = fit_completion(form(X), "mean + indicators", names=names)
    assert found.dropped.tolist() == [1]
    completed = found.transform(form(X))
    assert completed.shape == (60, 6)
    assert np.flatnonzero(rows_without_input(completed)).tolist() == [5]
    with pytest.raises(ValueError, match="every cell of the 60 rows"):
        fit_completion(form(np.full((60, 2), np.nan)), "mean")


def test_one_row():
    found = fit_completion(np.array([[1.0, 2.0]]), "conditional")
    assert found.transform(np.array([[np.nan, 5.0]])).tolist() == [[1.0, 5.0]]


def test_regression_of_one_column():
    """With a weak prior and one column with holes, the fill is the regression on the others."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(5000, 3))
    Z[:, 2] = Z[:, 0] - 0.5 * Z[:, 1] + 0.3 * rng.normal(size=5000)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    holes = rng.random(5000) < 0.3
    X = Z.copy()
    X[holes, 2] = np.nan
    found = GaussianFill.of(X, np.ones(5000))(X)[holes, 2]
    fitted = LinearRegression().fit(Z[~holes, :2], Z[~holes, 2])
    np.testing.assert_allclose(found, fitted.predict(Z[holes, :2]), atol=0.02)


def test_conditional_mean_by_brute_force():
    Z = holed(n=40, d=3)
    Z = (Z - np.nanmean(Z, axis=0)) / np.nanstd(Z, axis=0)
    fill = GaussianFill.of(Z, np.ones(40))
    found = fill(Z)
    for row, values in zip(Z, found, strict=True):
        m, o = np.isnan(row), ~np.isnan(row)
        slope = fill.covariance[np.ix_(m, o)] @ np.linalg.inv(fill.covariance[np.ix_(o, o)])
        np.testing.assert_allclose(values[m], fill.mean[m] + slope @ (row - fill.mean)[o])


def test_residuals_by_brute_force():
    """A known cell minus its regression on the other known cells of its row."""
    Z = holed(n=40, d=3)
    Z = (Z - np.nanmean(Z, axis=0)) / np.nanstd(Z, axis=0)
    fill = GaussianFill.of(Z, np.ones(40))
    found = fill.residuals(Z)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(Z))
    for i, j in zip(*np.nonzero(~np.isnan(Z)), strict=True):
        row = Z[i].copy()
        row[j] = np.nan
        np.testing.assert_allclose(found[i, j], Z[i, j] - fill(row[None])[0, j], atol=1e-12)


def test_each_column_takes_the_fills_that_predict_it():
    rng = np.random.default_rng(0)
    z = rng.uniform(-1.7, 1.7, 600)
    # A line, a curve that has no linear part, and noise.
    whole = np.column_stack([z, -z, np.cos(4 * z), rng.normal(size=600)])
    whole = (whole - whole.mean(axis=0)) / whole.std(axis=0)
    Z = np.where(rng.random(whole.shape) < 0.15, np.nan, whole)
    missing, known = np.isnan(Z), np.ones(600)
    fill = fit_fill(Z, known)
    assert isinstance(fill, BlendedFill)

    def errors(one):
        squares = np.where(missing, one(Z) - whole, 0.0) ** 2
        return squares.sum(axis=0) / missing.sum(axis=0)

    alone = np.array([errors(one) for one in fill.fills])
    # What is best for the line is not what is best for the curve, and the blend knows it.
    assert len(set(alone[:, 1:3].argmin(axis=0))) == 2
    assert (errors(fill) < 1.1 * alone.min(axis=0)).all()
    assert errors(fill)[3] == pytest.approx(1.0, abs=0.1)


def test_near_rows_correct_the_regression():
    """Of a curve, and of a plane beside it: neither near rows alone nor a regression has both."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 6))
    whole = np.column_stack([X, 2 * X[:, 1:].sum(axis=1) + np.cos(3 * X[:, 0])])
    whole = (whole - whole.mean(axis=0)) / whole.std(axis=0)
    Z = whole.copy()
    Z[:100, 6] = np.nan
    gaussian, near = GaussianFill.of(Z, np.ones(400)), NeighborFill(Z, np.ones(400))
    found = [
        np.mean((fill(Z)[:100, 6] - whole[:100, 6]) ** 2)
        for fill in (CorrectedFill.of(gaussian, Z, np.ones(400)), gaussian, near)
    ]
    assert found[0] < 0.8 * min(found[1:])


def test_hidden_cells():
    Z = holed(n=50)
    Z[40:] = Z[:10]
    parts = list(_hidden_parts(Z, hash_rows(np.nan_to_num(Z))))
    total = np.sum(parts, axis=0)
    assert len(parts) == 6
    assert total.max() == 1
    assert not total[np.isnan(Z)].any()
    np.testing.assert_array_equal(total[40:], total[:10])
    for part in parts:
        assert (~np.isnan(Z) & ~part).any(axis=1).all()


@given(st.integers(0, 10_000))
def test_neighbours_stay_between_their_values(seed):
    Z = holed(n=12, d=3, seed=seed)
    found = NeighborFill(Z, np.ones(12))(Z)
    assert (found >= np.fmin(np.nanmin(Z, axis=0), 0) - 1e-9).all()
    assert (found <= np.fmax(np.nanmax(Z, axis=0), 0) + 1e-9).all()
