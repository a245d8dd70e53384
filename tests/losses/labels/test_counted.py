"""Distributions that keep class counts: Lagrangian duality and a scaling of rows and columns."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from disambig.candidates.labels.assignment import counted_labels
from disambig.losses import ZeroOneLoss
from disambig.losses.labels.counted import CountedSoftening
from tests.oracles.bag_problems import counts_of, random_counts


def _softening(seed, n, n_classes, n_bags):
    rng = np.random.default_rng(seed)
    mask, bags, bounds = random_counts(rng, n, n_classes, n_bags)
    counts = counts_of(mask, bags, bounds)
    softening = ZeroOneLoss().bind(counts.classes).softened(counts)
    assert isinstance(softening, CountedSoftening)
    return rng, counts, softening


def _totals(distribution, counts):
    totals = np.zeros(counts.bag_bounds.shape[:2])
    np.add.at(totals, counts.bag_of_row, distribution)
    return totals


def _energy(distribution, costs, scales, prior):
    ratio = np.where(distribution > 0, distribution / np.where(prior > 0, prior, 1.0), 1.0)
    entropies = (distribution * np.log(ratio)).sum(axis=1)
    return (distribution * costs).sum() + scales @ entropies


@settings(max_examples=80)
@given(
    st.integers(0, 10**6),
    st.integers(1, 14),
    st.integers(2, 5),
    st.integers(1, 3),
    st.sampled_from([0.02, 0.3, 3.0]),
)
def test_the_distributions_are_the_minimum_by_duality(seed, n, n_classes, n_bags, temperature):
    rng, counts, softening = _softening(seed, n, n_classes, n_bags)
    costs = rng.normal(size=(n, n_classes))
    scales = temperature * rng.uniform(0.2, 4.0, n)
    found = softening.targets_as_predictions(costs, scales).distribution
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found[~counts.mask] == 0.0).all()
    totals, bounds = _totals(found, counts), counts.bag_bounds
    assert (totals >= bounds[..., 0] - 1e-5).all()
    assert (totals <= bounds[..., 1] + 1e-5).all()
    # Any prices give a lower bound on the energy of distributions that keep the counts.
    prices, prior = softening._prices, softening.prior_distribution
    exponents = -(costs + prices[counts.bag_of_row]) / scales[:, None]
    exponents = np.where(counts.mask, exponents, -np.inf)
    highest = exponents.max(axis=1, keepdims=True)
    logs = np.log((prior * np.exp(exponents - highest)).sum(axis=1)) + highest[:, 0]
    held = np.where(prices > 0, bounds[..., 1], bounds[..., 0])
    bound = -(scales * logs).sum() - (prices * held).sum()
    assert_allclose(_energy(found, costs, scales, prior), bound, rtol=1e-6, atol=1e-5)


def test_equal_scales_are_a_scaling_of_rows_and_columns():
    rng = np.random.default_rng(3)
    n, bounds = 40, np.array([[10, 10], [25, 25], [5, 5]])
    counts = counts_of(np.ones((n, 3), bool), np.zeros(n, int), bounds[None])
    softening = ZeroOneLoss().bind(counts.classes).softened(counts)
    costs = rng.normal(size=(n, 3))
    table = np.exp(-costs / 0.4)
    for _ in range(2000):
        table *= bounds[:, 0] / table.sum(axis=0)
        table /= table.sum(axis=1, keepdims=True)
    found = softening.targets_as_predictions(costs, np.full(n, 0.4))
    assert_allclose(found.distribution, table, atol=1e-8)


def test_classes_inside_their_bounds_are_not_scaled():
    rng = np.random.default_rng(4)
    counts = counts_of(np.ones((30, 3), bool), np.zeros(30, int), np.array([[[0, 30]] * 3]))
    loss = ZeroOneLoss().bind(counts.classes)
    costs, scales = rng.normal(size=(30, 3)), rng.uniform(0.1, 1.0, 30)
    found = loss.softened(counts).targets_as_predictions(costs, scales)
    free = loss.softened(counts.sets).targets_as_predictions(costs, scales)
    assert_allclose(found.distribution, free.distribution)


def test_at_low_temperature_it_is_the_transportation_problem():
    rng, counts, softening = _softening(5, 60, 4, 3)
    costs = rng.normal(size=(60, 4))
    codes = counted_labels(costs, counts).codes
    for temperature in np.geomspace(1.0, 1e-6, 30):
        found = softening.targets_as_predictions(costs, np.full(60, temperature))
    assert_allclose(found.distribution[np.arange(60), codes], 1.0, atol=1e-3)


def test_the_prior_keeps_the_counts_and_the_sets():
    _, counts, softening = _softening(6, 50, 3, 2)
    found = softening.prior().distribution
    totals = _totals(found, counts)
    assert (totals >= counts.bag_bounds[..., 0] - 1e-6).all()
    assert (totals <= counts.bag_bounds[..., 1] + 1e-6).all()
    assert (found[~counts.mask] == 0.0).all()
