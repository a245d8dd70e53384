"""Logistic rankers: coefficients by scikit-learn on all pairs, copies, what is not known."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from disambig.candidates import PartialOrders
from disambig.estimators.rankers.logistic_ranker import LogisticRanker
from disambig.estimators.rankers.logits import fit_logits, utility_differences
from disambig.notation import FloatArray


def some_orders(n: int = 60, m: int = 4, seed: int = 0) -> tuple[FloatArray, PartialOrders]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    utilities = X @ rng.normal(size=(3, m)) + rng.normal(size=(n, m))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1).astype(float)
    return X, PartialOrders.from_any(np.where(rng.random((n, m)) < 0.3, np.nan, ranks))


@pytest.mark.parametrize("form", ["utilities", "pairs"])
def test_coefficients_are_those_of_one_regression_on_all_pairs(form: str) -> None:
    X, orders = some_orders()
    signs = orders.signs().astype(float)
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    margins = utility_differences(4) if form == "utilities" else sp.csr_array(sp.eye_array(6))
    ridge = 0.01
    found = fit_logits(X, signs, weights, margins, ridge)
    rows, pairs = np.nonzero(signs)
    # The ridge of an intercept is 1e-5: a constant feature of this size has it.
    size = np.sqrt(ridge / 1e-5)
    features = np.column_stack([X, np.full(len(X), size)])
    incidence = margins.toarray().T[pairs]
    design = (features[rows, :, None] * incidence[:, None, :]).reshape(len(rows), -1)
    total = weights[rows].sum()
    oracle = LogisticRegression(C=1 / (ridge * total), fit_intercept=False, tol=1e-8, max_iter=5000)
    oracle.fit(design, signs[rows, pairs] > 0, weights[rows])
    coefficients = oracle.coef_.reshape(4, -1)
    expected = expit((features @ coefficients) @ margins.toarray())
    np.testing.assert_allclose(expit(found(X) @ margins.toarray()), expected, atol=2e-3)


def test_weights_are_copies_and_units_do_not_matter() -> None:
    X, orders = some_orders()
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    for kernel in (None, "gaussian", "laplacian"):
        model = LogisticRanker(kernel=kernel, regularization=1e-2)
        found = clone(model).fit(X, orders, weights).pair_shares(X)
        repeated = clone(model).fit(X[copies], orders[copies]).pair_shares(X)
        np.testing.assert_allclose(found, repeated, atol=2e-3)
        units = np.array([1e-3, 1.0, 1e4])
        scaled = clone(model).fit(X * units, orders, weights).pair_shares(X * units)
        np.testing.assert_allclose(found, scaled, atol=2e-3)
    sparse = LogisticRanker(kernel="gaussian").fit(sp.csr_array(X), orders)
    dense = LogisticRanker(kernel="gaussian").fit(X, orders)
    np.testing.assert_allclose(sparse.pair_shares(sp.csr_array(X)), dense.pair_shares(X), atol=5e-3)


def test_a_pair_that_is_never_compared_follows_from_utilities_only() -> None:
    X = np.linspace(-1.0, 1.0, 40)[:, None]
    orders = PartialOrders.from_any(["a>b" if row % 2 else "b>c" for row in range(40)])
    by_items = LogisticRanker().fit(X, orders).pair_shares(X)
    by_pairs = LogisticRanker("pairs").fit(X, orders).pair_shares(X)
    # The pairs are (a, b), (a, c), (b, c).
    assert (by_items[:, 1] > 0.95).all()
    np.testing.assert_allclose(by_pairs[:, 1], 0.5)


def test_nothing_known_is_a_coin_flip() -> None:
    orders = PartialOrders.from_any([[np.nan, np.nan, 1.0]] * 3)
    for kernel in (None, "laplacian"):
        shares = LogisticRanker(kernel=kernel).fit(np.eye(3), orders).pair_shares(np.eye(3))
        np.testing.assert_array_equal(shares, np.full((3, 3), 0.5))


@pytest.mark.parametrize(
    "options", [{"form": "items"}, {"kernel": "linear"}, {"regularization": 0.0}]
)
def test_wrong_parameters_are_named(options: dict[str, object]) -> None:
    X, orders = some_orders(10)
    with pytest.raises(ValueError, match=next(iter(options))):
        LogisticRanker(**options).fit(X, orders)  # type: ignore[arg-type]
