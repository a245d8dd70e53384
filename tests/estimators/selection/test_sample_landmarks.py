"""Kernels with landmarks on the sample: cheaper trials of smooth functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from disambig.estimators.selection.space import Entry, EntryWeightings, fitted_entries
from disambig.weights import KernelRidgeWeights, NystromWeights, ScaledWeights

SMOOTH = [Entry(False, "gaussian", 2.8, ridge) for ridge in (1e-1, 1e-3)]


@pytest.fixture
def inputs():
    return np.random.default_rng(0).normal(size=(90, 2))


def weightings(X, n_landmarks, most, scales=None):
    return EntryWeightings(X, np.ones(len(X)), scales, n_landmarks, most_landmarks=most)


def test_smooth_votes_are_nearly_exact_and_ridges_share_a_decomposition(inputs):
    exact = list(fitted_entries(SMOOTH, weightings(inputs, None, None)))
    cheap = list(fitted_entries(SMOOTH, weightings(inputs, None, 40)))
    for one, other, entry in zip(exact, cheap, SMOOTH, strict=True):
        assert isinstance(one.fitted, KernelRidgeWeights)
        assert one.has_signs
        # The infimum start of a trial needs signs of votes, which landmarks do not have.
        assert isinstance(other.fitted, NystromWeights)
        assert not other.has_signs
        assert other.fitted.regularization == entry.ridge
        assert_allclose(
            other.fitted.training_votes() @ np.eye(90),
            one.fitted.training_votes() @ np.eye(90),
            atol=1e-3,
        )
    assert cheap[0].fitted.regression_.energies is cheap[1].fitted.regression_.energies


@pytest.mark.parametrize(("n_landmarks", "found"), [(None, 40), (1000, 40), (30, 30)])
def test_all_rows_have_no_more_landmarks_than_the_sample(inputs, n_landmarks, found):
    scales = np.array([1.0, 2.0])
    entry = Entry(True, "gaussian", 2.8, 1e-3)
    (fitted,) = fitted_entries([entry], weightings(inputs, n_landmarks, 40, scales))
    assert isinstance(fitted.for_all, ScaledWeights)
    assert isinstance(fitted.for_all.weights, NystromWeights)
    assert fitted.for_all.weights.n_landmarks == found


def test_a_small_sample_has_exact_kernels(inputs):
    (fitted,) = fitted_entries(SMOOTH[:1], weightings(inputs, None, 90))
    assert isinstance(fitted.fitted, KernelRidgeWeights)
    assert isinstance(fitted.for_all, KernelRidgeWeights)
    (fitted,) = fitted_entries(SMOOTH[:1], weightings(inputs, 1000, 90))
    assert isinstance(fitted.fitted, KernelRidgeWeights)
    assert fitted.for_all.n_landmarks == 90
