"""Means over linear extensions: computed once for each object, and equal to those of a copy."""

import gc

import numpy as np
import pytest

from disambig import PartialRanker
from disambig.candidates import PartialOrders
from disambig.losses import FootruleLoss, KendallLoss
from disambig.losses.orders import means
from disambig.orderings.distributions import sample_linear_extensions
from disambig.weights import NeighborWeights


def two_chains() -> PartialOrders:
    """An order of 24 items in two chains: too many linear extensions to count."""
    before = np.zeros((1, 24, 24), dtype=bool)
    before[0, np.arange(11), np.arange(1, 12)] = True
    before[0, np.arange(12, 23), np.arange(13, 24)] = True
    return PartialOrders(before)


@pytest.fixture
def samples(monkeypatch) -> list[int]:
    """The number of orders of each sample that is drawn."""
    drawn: list[int] = []

    def counted(before, *args, **kwargs):
        drawn.append(len(before))
        return sample_linear_extensions(before, *args, **kwargs)

    monkeypatch.setattr(means, "sample_linear_extensions", counted)
    return drawn


def test_a_sample_is_drawn_once_for_each_object_and_seed(samples):
    orders = two_chains()
    first = means.mean_signs(orders)
    means.sampled_means(orders, 0)
    again = means.mean_signs(orders)
    assert samples == [1]
    np.testing.assert_array_equal(first.signs, again.signs)
    # A copy has a sample of its own, with the same seed and so with the same means.
    np.testing.assert_array_equal(means.mean_signs(two_chains()).signs, first.signs)
    assert samples == [1, 1]
    other = means.mean_signs(orders, random_state=1)
    assert samples == [1, 1, 1]
    assert (other.signs != first.signs).any()


def test_means_are_dropped_with_their_orders():
    orders = two_chains()
    kept = means.sampled_means(orders, 0)
    held = [thing for thing in gc.get_referrers(kept) if isinstance(thing, dict)]
    assert any(kept is value for thing in held for value in thing.values())
    del held, orders
    gc.collect()
    held = [thing for thing in gc.get_referrers(kept) if isinstance(thing, dict)]
    assert not any(id(kept) == id(value) for thing in held for value in thing.values())


def test_changes_of_returned_means_do_not_reach_the_next_caller():
    orders = PartialOrders.from_strings(["a>b", "b>c"])
    signs = means.mean_signs(orders).signs
    expected = signs.copy()
    signs[:] = 7.0
    np.testing.assert_array_equal(means.mean_signs(orders).signs, expected)
    with pytest.raises(ValueError, match="read-only"):
        means.mean_orders(orders).pairs[:] = 7.0
    start = KendallLoss().bind(orders.items).start(orders, "average")
    start[:] = 7.0
    np.testing.assert_array_equal(means.mean_signs(orders).signs, expected)
    start = FootruleLoss().bind(orders.items).start(orders, "average")
    assert start.flags.writeable


def test_a_fit_of_average_candidates_draws_one_sample(samples):
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(21) for _ in range(4)]).astype(float)
    ranks[rng.random(ranks.shape) < 0.5] = np.nan
    model = PartialRanker(NeighborWeights(3), method="average").fit(rng.normal(size=(4, 2)), ranks)
    assert samples == [4]
    assert not model.average_is_exact_
