import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import VotesError
from disambig.weights.kernels.system import spectrum_of, spectrum_orthogonal_to


def gram(rank=6):
    factor = np.random.default_rng(0).normal(size=(6, rank))
    return factor @ factor.T


@pytest.mark.parametrize("ridge", [1e-3, 1.0, 50.0])
def test_inverse_and_smoother(ridge):
    G = gram()
    spectrum = spectrum_of(G.copy())
    assert_allclose(spectrum.inverse(ridge), np.linalg.inv(G + ridge * np.eye(6)), rtol=1e-9)
    expected = np.linalg.solve(G + ridge * np.eye(6), G)
    assert_allclose(spectrum.smoother(ridge), expected, atol=1e-12)
    assert_array_equal(spectrum.inverse(ridge), spectrum.inverse(ridge).T)
    assert_allclose(spectrum.remainder(ridge), np.eye(6) - expected, atol=1e-12)
    scales = np.arange(1.0, 7.0)
    scaled = spectrum.remainder(ridge, scales)
    assert_allclose(scaled, np.outer(scales, scales) * (np.eye(6) - expected), atol=1e-11)
    assert_array_equal(scaled, scaled.T)
    assert_allclose(spectrum.condition(ridge), np.linalg.cond(G + ridge * np.eye(6)), rtol=1e-9)


def test_rounding_below_zero_is_clipped():
    spectrum = spectrum_of(gram(rank=2))
    assert (spectrum.eigenvalues >= 0).all()
    assert spectrum.condition(0.0) > 1e14
    assert spectrum_of(np.zeros((3, 3))).condition(0.0) == np.inf


def test_an_indefinite_matrix_is_refused():
    with pytest.raises(VotesError, match="smallest eigenvalue is -1, its largest 2"):
        spectrum_of(np.diag([2.0, -1.0]))
    with pytest.raises(VotesError, match="smallest eigenvalue is -3"):
        spectrum_of(np.diag([-3.0, -1.0]))


def test_a_spectrum_is_immutable():
    with pytest.raises(ValueError, match="read-only"):
        spectrum_of(gram()).eigenvalues[0] = 1.0


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 50.0])
def test_orthogonal_to_a_direction(ridge):
    G, direction = gram(), np.arange(1.0, 7.0)
    spectrum = spectrum_orthogonal_to(G.copy(), direction)
    away = np.eye(6) - np.outer(direction, direction) / (direction @ direction)
    values = np.linalg.eigvalsh(away @ G @ away)[1:]
    assert_allclose(spectrum.eigenvalues, values, rtol=1e-9)
    assert_allclose(spectrum.eigenvectors.T @ direction, np.zeros(5), atol=1e-14)
    expected = np.linalg.pinv(away @ (G + ridge * np.eye(6)) @ away)
    assert_allclose(spectrum.inverse(ridge), expected, atol=1e-9)
    assert_allclose(spectrum.smoother(ridge) + spectrum.remainder(ridge), away, atol=1e-13)
    assert np.linalg.norm(G, 2) <= spectrum.size <= 2 * np.linalg.norm(G, 2)
    assert spectrum.condition(ridge) == (spectrum.size + ridge) / (spectrum.eigenvalues[0] + ridge)


def test_orthogonal_to_a_direction_of_any_sign():
    # -|x - x'| is negative on constants only.
    line = np.array([0.0, 1.0, 1.5, 4.0])
    distances = np.abs(line[:, None] - line)
    assert (spectrum_orthogonal_to(-distances, np.ones(4)).eigenvalues > 0.1).all()
    with pytest.raises(VotesError, match="not positive semi-definite"):
        spectrum_orthogonal_to(distances, np.ones(4))


def test_orthogonal_to_the_only_direction():
    spectrum = spectrum_orthogonal_to(np.array([[3.0]]), np.array([2.0]))
    assert spectrum.condition(0.0) == 1.0
    assert_array_equal(spectrum.inverse(0.0), [[0.0]])
    assert_array_equal(spectrum.smoother(1.0), [[0.0]])


def test_rounding_of_what_is_left_out_is_no_negative_eigenvalue():
    # At this size the small part is accurate to some 1e-6 only.
    spectrum = spectrum_orthogonal_to(gram(rank=2) + 1e10, np.ones(6))
    assert (spectrum.eigenvalues >= 0).all()
    assert spectrum.condition(1e-5) > 1e14
