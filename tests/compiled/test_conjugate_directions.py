import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from disambig.compiled.products import apply_matrix, take_step, update_direction


@given(seed=st.integers(0, 10_000), n=st.integers(1, 6), p=st.integers(1, 4))
def test_the_three_passes(seed, n, p):
    rng = np.random.default_rng(seed)
    matrix = sp.csr_array(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5))
    direction, solution, residual = rng.normal(size=(3, n, p))
    inverse, scale = rng.uniform(0.5, 2.0, size=(2, n))
    lengths, ratios = rng.normal(size=(2, p))
    image = np.full((n, p), np.nan)
    curvature = apply_matrix(matrix.indptr, matrix.indices, matrix.data, direction, image)
    assert_allclose(image, matrix @ direction, atol=1e-14)
    assert_allclose(curvature, (direction * image).sum(axis=0), atol=1e-13)

    moved, left = solution + lengths * direction, residual - lengths * image
    product, largest = take_step(lengths, direction, image, inverse, scale, solution, residual)
    assert_allclose(solution, moved, atol=1e-14)
    assert_allclose(residual, left, atol=1e-14)
    assert_allclose(product, (left**2 * inverse[:, None]).sum(axis=0), atol=1e-13)
    assert_allclose(largest, (np.abs(left) / scale[:, None]).max(axis=0), atol=1e-14)

    turned = residual * inverse[:, None] + ratios * direction
    update_direction(ratios, residual, inverse, direction)
    assert_allclose(direction, turned, atol=1e-14)
