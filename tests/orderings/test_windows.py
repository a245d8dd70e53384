"""Windows of places in every decoder and distribution, against all orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.cuts import cut_orders
from disambig.orderings.decode import local_orders, order_decoder
from disambig.orderings.distributions import (
    gibbs_orders,
    linear_extensions,
    sample_linear_extensions,
)
from disambig.orderings.dynamic import dynamic_orders, position_orders
from disambig.orderings.places import place_orders, require_place_orders
from disambig.orderings.signs import pair_costs, signs_of_pairs, signs_of_ranks, tied_signs
from disambig.orderings.ties import tied_orders, tied_position_orders
from disambig.orderings.windows import as_windows, window_parts, within_windows
from tests.orderings.enumeration import (
    allowed_orders,
    frequencies_of,
    pair_values,
    position_values,
    random_before,
    random_costs,
    random_windows,
    respects,
)

SHARES = st.sampled_from([0.0, 0.1, 0.4])
KNOWN = st.sampled_from([0.2, 0.5, 0.9])


def problems(seed, b, m, share, known):
    """Pairs and windows of which some order fits, the first row without windows."""
    rng = np.random.default_rng(seed)
    before = random_before(rng, b, m, share)
    windows = random_windows(rng, before, known)
    windows[0] = 0, m - 1
    return rng, before, windows


def check_distribution(found, r, orders):
    pairs, places = frequencies_of(orders)
    assert found.counts[r] == len(orders)
    assert_allclose(found.pairs[r], pairs, rtol=0, atol=1e-12)
    assert_allclose(found.places[r], places, rtol=0, atol=1e-12)
    assert (orders == found.ranks[r]).all(axis=1).any()
    assert found.complete[r]


@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), share=SHARES, known=KNOWN)
def test_optimal_orders_and_their_distribution(seed, m, share, known):
    rng, before, windows = problems(seed, 4, m, share, known)
    costs = rng.integers(0, 3, (4, m, m)).astype(float)
    tied = tied_orders(costs, before, windows=windows)
    placed = tied_position_orders(costs, before, windows=windows)
    decoded, one = (
        order_decoder().decode(costs, before, windows),
        dynamic_orders(costs, before, windows),
    )
    assigned = position_orders(costs, before, windows)
    for r in range(4):
        orders = allowed_orders(before[r], windows[r])
        values = pair_values(costs[r], orders)
        check_distribution(tied, r, orders[values == values.min()])
        assert decoded.values[r] == one.values[r] == values.min()
        values = position_values(costs[r], orders)
        check_distribution(placed, r, orders[values == values.min()])
        assert assigned.values[r] == values.min()
    for found in (decoded, one, assigned):
        assert found.exact.all()
        assert respects(before, found.ranks)
        assert within_windows(found.ranks, windows).all()


def test_optimal_orders_of_seven_items():
    rng, before, windows = problems(7, 5, 7, 0.1, 0.4)
    costs = random_costs(rng, 5, 7, "ties")
    found = tied_orders(costs, before, windows=windows)
    for r in range(5):
        orders = allowed_orders(before[r], windows[r])
        values = pair_values(costs[r], orders)
        check_distribution(found, r, orders[values == values.min()])
    assert (found.counts > 1).any()


@given(seed=st.integers(0, 10**6), m=st.integers(2, 5), share=SHARES, known=KNOWN)
def test_signs_of_optimal_orders(seed, m, share, known):
    rng, before, windows = problems(seed, 4, m, share, known)
    # One more column than there are pairs, which is ignored; rows of normal scores rarely tie.
    scores = rng.integers(-1, 2, (4, m * (m - 1) // 2 + 1)).astype(float)
    scores[2:] = rng.normal(size=scores[2:].shape)
    found = tied_signs(scores, m, before, windows=windows, tolerance=np.full(4, 1e-10))
    for r in range(4):
        orders = allowed_orders(before[r], windows[r])
        signs = signs_of_ranks(orders)
        values = signs @ scores[r, :-1]
        best = values <= values.min() + 1e-9
        assert_allclose(found.signs[r], signs[best].mean(axis=0), rtol=0, atol=1e-12)
        assert_array_equal(np.abs(found.signs[r]) == 1, np.ptp(signs[best], axis=0) == 0)
        assert found.single[r] == (best.sum() == 1)
        assert (orders[best] == found.ranks[r]).all(axis=1).any()


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(2, 5),
    share=SHARES,
    known=KNOWN,
    scale=st.sampled_from([0.1, 1.0, 100.0]),
)
def test_gibbs_distributions(seed, m, share, known, scale):
    rng, before, windows = problems(seed, 3, m, share, known)
    scores = rng.normal(size=(3, m * (m - 1) // 2))
    found = gibbs_orders(scores, m, before, windows=windows, scales=np.full(3, scale))
    for r in range(3):
        signs = signs_of_ranks(allowed_orders(before[r], windows[r]))
        logs = -signs @ scores[r] / scale
        weights = np.exp(logs - logs.max())
        assert_allclose(found.signs[r], weights @ signs / weights.sum(), rtol=0, atol=1e-9)
        assert found.log_sums[r] == pytest.approx(np.log(weights.sum()) + logs.max(), abs=1e-9)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), share=SHARES, known=KNOWN)
def test_all_orders_within_windows_are_counted(seed, m, share, known):
    _, before, windows = problems(seed, 3, m, share, known)
    found = linear_extensions(before, windows)
    for r in range(3):
        check_distribution(found, r, allowed_orders(before[r], windows[r]))


def test_orders_are_drawn_uniformly():
    _, before, windows = problems(3, 4, 5, 0.1, 0.5)
    drawn = sample_linear_extensions(before, 3000, windows=windows)
    exact = linear_extensions(before, windows)
    assert drawn.exact.all()
    for r in range(4):
        orders = allowed_orders(before[r], windows[r])
        same = (drawn.ranks[r][:, None] == orders).all(axis=2)
        assert same.any(axis=1).all()
        # Four standard deviations of a share of 3000 draws.
        assert_allclose(same.mean(axis=0), 1 / len(orders), atol=4 * 0.5 / np.sqrt(3000))
        assert exact.counts[r] == len(orders)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), share=SHARES, known=KNOWN)
def test_local_search_stays_within_windows(seed, m, share, known):
    rng, before, windows = problems(seed, 3, m, share, known)
    costs = rng.normal(size=(3, m, m))
    found = local_orders(costs, before, windows=windows, n_iterations=3)
    assert respects(before, found.ranks)
    assert within_windows(found.ranks, windows).all()
    for r in range(3):
        best = pair_values(costs[r], allowed_orders(before[r], windows[r])).min()
        assert found.bounds[r] <= best + 1e-12
        assert found.values[r] >= best - 1e-12


def test_local_search_exchanges_items_around_a_pinned_one():
    """Item 2 stays in the middle, so that no item can be moved past it alone."""
    windows = np.tile([0, 4], (1, 5, 1))
    windows[0, 2] = 2, 2
    costs = np.zeros((1, 5, 5))
    costs[0, :2, 3:] = 1.0
    found = local_orders(costs, windows=windows, n_iterations=0)
    assert found.values[0] == 0.0
    assert found.ranks[0, 2] == 2


@pytest.mark.parametrize("backend", ["scipy", "highspy"])
@pytest.mark.parametrize("kind", ["ties", "normal"])
def test_cuts_are_optimal_within_windows(kind, backend):
    if backend == "highspy":
        pytest.importorskip("highspy")
    for m in range(2, 7):
        rng, before, windows = problems(m, 4, m, 0.1, 0.6)
        costs = random_costs(rng, 4, m, kind)
        found = cut_orders(costs, before, windows=windows, backend=backend, n_iterations=0)
        best = [
            pair_values(costs[r], allowed_orders(before[r], windows[r])).min() for r in range(4)
        ]
        assert_allclose(found.values, best, rtol=0, atol=1e-12)
        assert found.exact.all()
        assert within_windows(found.ranks, windows).all()


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", ["dynamic", "exact", "local"])
def test_decoders_of_twelve_items(name):
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((3, 12)), axis=1)
    windows = np.clip(np.stack([ranks - 2, ranks + 3], axis=2), 0, 11)
    windows[:, :4] = 0, 11
    costs, before = rng.normal(size=(3, 12, 12)), np.zeros((3, 12, 12), dtype=bool)
    best = dynamic_orders(costs, before, windows)
    found = order_decoder(name).decode(costs, before, windows)
    assert within_windows(found.ranks, windows).all()
    assert (found.values >= best.values - 1e-9).all()
    if name != "local":
        assert_allclose(found.values, best.values, rtol=1e-12)
    # A free order that fits the windows is found by the first look.
    easy = (ranks[:, :, None] > ranks[:, None, :]).astype(float)
    looked = order_decoder(name).decode(easy, before, windows)
    assert_array_equal(looked.ranks, ranks)
    assert set(looked.methods) == {"first look"}


@pytest.mark.needs_jit
def test_windows_separate_parts_of_many_items():
    """Forty items whose places are known up to pairs, groups and one block without windows."""
    m = 40
    windows = np.empty((1, m, 2), dtype=np.int64)
    windows[0, :30, 0] = 3 * (np.arange(30) // 3)
    windows[0, :30, 1] = windows[0, :30, 0] + 2
    windows[0, 30:] = 30, 39
    assert_array_equal(np.unique(window_parts(windows).parts, return_counts=True)[1][:10], 3)
    costs = np.random.default_rng(1).normal(size=(1, m, m))
    counted = linear_extensions(np.zeros((1, m, m), dtype=bool), windows)
    assert counted.counts[0] == pytest.approx(6.0**10 * 3628800.0)
    tied, found = tied_orders(costs, windows=windows), order_decoder().decode(costs, None, windows)
    assert found.exact.all()
    assert_array_equal(tied.ranks, found.ranks)
    scores = costs[:, *np.triu_indices(m, 1)] - np.swapaxes(costs, 1, 2)[:, *np.triu_indices(m, 1)]
    signs = tied_signs(scores / 2, m, windows=windows, tolerance=np.zeros(1))
    assert_array_equal(signs.ranks, found.ranks)
    assert_array_equal(signs.signs, signs_of_pairs(tied.pairs))


@pytest.mark.needs_jit
def test_many_items_without_pairs_are_an_assignment_problem():
    m, rng = 30, np.random.default_rng(2)
    ranks = rng.permutation(m)
    windows = np.clip(np.stack([ranks - 3, ranks + 3], axis=1), 0, m - 1)[None]
    costs = rng.normal(size=(1, m, m))
    found = position_orders(costs, None, windows)
    assert within_windows(found.ranks, windows).all()
    assert found.methods[0] == "assignment"
    # A sum over pairs of the same windows, by the same prices of places: no exchange gains.
    own = costs[0, np.arange(m), found.ranks[0]]
    swapped = costs[0][np.arange(m)[:, None], found.ranks[0]]
    inside = (found.ranks[0] >= windows[0, :, :1]) & (found.ranks[0] <= windows[0, :, 1:])
    gains = own[:, None] + own - swapped - swapped.T
    assert gains[inside & inside.T].max() <= 1e-12
    # Pairs that follow from the windows may be given; others are refused.
    implied = windows[0, :, 1][:, None] <= windows[0, :, 0]
    np.fill_diagonal(implied, False)
    require_place_orders(implied[None], windows)
    again = place_orders(costs, np.eye(m), implied[None], np.zeros(1), windows)
    assert_array_equal(again.ranks, found.ranks)
    extra = implied[None].copy()
    first, second = np.argwhere(~(implied | implied.T | np.eye(m, dtype=bool)))[0]
    extra[0, first, second] = True
    with pytest.raises(MissingOracleError, match=r"row 0 .1 such rows. is ordered in part"):
        require_place_orders(extra, windows)


def test_what_cannot_be_counted_is_refused():
    m = 24
    windows = np.tile([0, m - 1], (1, m, 1))
    windows[0, 0] = 10, 12
    before = np.zeros((1, m, m), dtype=bool)
    with pytest.raises(MissingOracleError, match="24 items"):
        linear_extensions(before, windows)
    with pytest.raises(MissingOracleError, match="known places are not supported"):
        sample_linear_extensions(before, windows=windows)


def test_windows_are_checked():
    free = np.zeros((1, 2, 2), dtype=bool)
    with pytest.raises(ValueError, match=r"windows must have shape \(1, 2, 2\)"):
        as_windows(np.zeros((1, 2)), free, 1, 2, "decode")
    with pytest.raises(ValueError, match=r"no order fits .* problem 1 .1 such problem"):
        tied_orders(np.zeros((2, 2, 2)), windows=[[[0, 1], [0, 1]], [[0, 0], [0, 0]]])


def test_without_windows_nothing_changes():
    """Windows of all places give the same numbers, bit for bit, as no windows."""
    rng, before, _ = problems(0, 5, 6, 0.2, 0.5)
    windows = np.tile([0, 5], (5, 6, 1))
    scores = rng.normal(size=(5, 15))
    costs = pair_costs(scores, 6)
    for found, plain in [
        (tied_orders(costs, before, windows=windows), tied_orders(costs, before)),
        (linear_extensions(before, windows), linear_extensions(before)),
        (
            order_decoder().decode(costs, before, windows),
            order_decoder().decode(costs, before),
        ),
        (
            gibbs_orders(scores, 6, before, windows=windows, scales=np.ones(5)),
            gibbs_orders(scores, 6, before, scales=np.ones(5)),
        ),
        (
            tied_signs(scores, 6, before, windows=windows, tolerance=np.zeros(5)),
            tied_signs(scores, 6, before, tolerance=np.zeros(5)),
        ),
    ]:
        arrays = found if isinstance(found, tuple) else vars(found).values()
        others = plain if isinstance(plain, tuple) else vars(plain).values()
        for one, other in zip(arrays, others, strict=True):
            assert_array_equal(one, other)
