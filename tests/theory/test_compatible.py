"""Compatible distributions, compared with a flow between sets and classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from disambig.candidates import LabelSets
from disambig.theory.regions import compatible_distributions
from tests.oracles.simplex import simplex_grid

# Four of the sets of the paper's figure, in eighths.
PAPER = LabelSets.from_any([{"a", "b", "c"}, {"c"}, {"a", "c"}, {"b", "c"}])
EIGHTHS = [5, 1, 1, 1]


def flows(sets, nu, mu):
    """Whether sets can distribute their probability so that class k gets mu[k]."""
    n, K = sets.mask.shape
    rows = np.kron(np.eye(n), np.ones(K))
    columns = np.kron(np.ones(n), np.eye(K))
    found = linprog(
        np.zeros(n * K),
        A_eq=np.vstack([rows, columns]),
        b_eq=np.r_[nu, mu],
        bounds=[(0, 1.0 if allowed else 0.0) for allowed in sets.mask.ravel()],
    )
    return found.status == 0


def test_the_papers_example():
    """c has at least 1/8, a and b have at most 3/4: a polygon with five vertices."""
    found = compatible_distributions(PAPER, EIGHTHS)
    np.testing.assert_allclose(
        8 * found.vertices, [[0, 0, 8], [0, 6, 2], [1, 6, 1], [6, 0, 2], [6, 1, 1]]
    )
    np.testing.assert_allclose(found.average, [13 / 48, 13 / 48, 22 / 48])
    assert found.contains(found.vertices).all()
    assert found.contains(found.average[None]).all()


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), K=st.integers(1, 4))
def test_a_distribution_is_compatible_if_there_is_a_flow(seed, n, K):
    rng = np.random.default_rng(seed)
    mask = rng.random((n, K)) < 0.5
    mask[np.arange(n), rng.integers(K, size=n)] = True
    sets = LabelSets(mask, np.arange(K))
    nu = rng.integers(0, 4, size=n) + np.eye(n)[0]
    found = compatible_distributions(sets, nu)
    grid = simplex_grid(K, 6)[:40]
    expected = [flows(sets, nu / nu.sum(), mu) for mu in grid]
    np.testing.assert_array_equal(found.contains(grid, tolerance=1e-9), expected)
    # Every vertex is compatible, and none is a mixture of the others.
    assert found.contains(found.vertices).all()
    for k, vertex in enumerate(found.vertices):
        others = np.delete(found.vertices, k, axis=0)
        assert not len(others) or not is_mixture(others, vertex)


def is_mixture(points, point):
    found = linprog(
        np.zeros(len(points)),
        A_eq=np.vstack([points.T, np.ones(len(points))]),
        b_eq=np.r_[point, 1.0],
    )
    return found.status == 0


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), K=st.integers(1, 5))
def test_the_minimum_of_a_linear_function_is_that_of_each_set(seed, K):
    """No vertex is missing: the minimum over vertices is the minimum over the polytope."""
    rng = np.random.default_rng(seed)
    mask = rng.random((5, K)) < 0.5
    mask[np.arange(5), rng.integers(K, size=5)] = True
    found = compatible_distributions(LabelSets(mask, np.arange(K)))
    costs = rng.normal(size=K)
    cheapest = np.where(mask, costs, np.inf).min(axis=1).mean()
    assert (found.vertices @ costs).min() == pytest.approx(cheapest)


def test_a_distribution_sums_to_one():
    found = compatible_distributions(LabelSets.from_any([{0, 1}]))
    np.testing.assert_array_equal(found.contains(np.array([[0.5, 0.5], [0.9, 0.9]])), [True, False])


@pytest.mark.parametrize(
    "shares", [[1, 2], [1, 1, 1, -1], [0, 0, 0, 0], [1, 1, 1, np.nan]],
    ids=["too few", "negative", "nothing", "nan"],
)  # fmt: skip
def test_invalid_shares(shares):
    with pytest.raises(ValueError, match="4 non-negative numbers"):
        compatible_distributions(PAPER, shares)


def test_too_many_classes_and_no_sets():
    with pytest.raises(ValueError, match="9 classes; at most 8"):
        compatible_distributions(LabelSets.from_any([0], classes=range(9)))
    with pytest.raises(ValueError, match="no sets"):
        compatible_distributions(PAPER[:0])
