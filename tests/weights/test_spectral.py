import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import VotesError
from disambig.weights.spectral import spectrum_of


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
