"""The Kendall loss with weights of positions; its contract is in tests/contracts."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.losses import KendallLoss
from disambig.losses.orders.kendall import BoundKendall
from disambig.losses.orders.position_kendall import BoundPositionKendall

WEIGHTS = [3.0, 0.0, 2.0, 1.0]


def all_ranks(m):
    return np.array(list(itertools.permutations(range(m))))


def by_definition(z, y, positions, items):
    """The sum of the weights of the discordant pairs."""
    total = 0.0
    for i, j in itertools.permutations(range(len(z)), 2):
        if z[i] < z[j] and y[j] < y[i]:
            total += positions[z[i]] * items[i] * items[j]
    return total


@pytest.mark.parametrize("items", [None, [1.0, 2.0, 0.5, 3.0]])
@pytest.mark.parametrize("positions", ["inverse", "log2", WEIGHTS], ids=str)
def test_loss_equals_its_definition(positions, items):
    loss = KendallLoss(items, positions).bind(np.arange(4))
    assert isinstance(loss, BoundPositionKendall)
    ranks = all_ranks(4)
    k = np.arange(4)
    v = {"inverse": 1 / (k + 1), "log2": 1 / np.log2(k + 2)}.get(str(positions), WEIGHTS)
    w = np.ones(4) if items is None else items
    expected = np.array([[by_definition(z, y, v, w) for y in ranks] for z in ranks])
    table = loss.psi(ranks) @ loss.phi(ranks).T
    np.testing.assert_allclose(table, expected / expected.max(), atol=1e-12)
    # Some order and its reverse have loss 1; with items of equal weight all of them have.
    reverse = np.diag(table[:, ::-1])
    assert (ranks[::-1] == 3 - ranks).all()
    assert reverse.max() == pytest.approx(1.0)
    if items is None:
        np.testing.assert_allclose(reverse, 1.0)


def test_only_ratios_matter_and_the_last_weight_has_no_effect():
    ranks = all_ranks(4)
    loss = KendallLoss(position_weights=WEIGHTS).bind(np.arange(4))
    other = KendallLoss(position_weights=[3e300, 0, 2e300, 9e300]).bind(np.arange(4))
    np.testing.assert_allclose(other.psi(ranks), loss.psi(ranks), rtol=1e-14)


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_equal_weights_give_the_unweighted_loss(seed, m):
    items = np.random.default_rng(seed).uniform(0.5, 2, m)
    plain = KendallLoss(items).bind(np.arange(m))
    equal = KendallLoss(items, [7.0] * (m - 1) + [0.0]).bind(np.arange(m))
    assert isinstance(equal, BoundKendall)
    np.testing.assert_array_equal(equal.pair_weights, plain.pair_weights)


def test_nearly_equal_weights_give_nearly_the_unweighted_loss():
    ranks = all_ranks(4)
    plain = KendallLoss().bind(np.arange(4))
    nearly = KendallLoss(position_weights=[1, 1 + 1e-9, 1, 1]).bind(np.arange(4))
    assert isinstance(nearly, BoundPositionKendall)
    np.testing.assert_allclose(
        nearly.psi(ranks) @ nearly.phi(ranks).T,
        plain.psi(ranks) @ plain.phi(ranks).T,
        atol=1e-8,
    )


def test_weight_on_the_first_position_only_elects_the_borda_winner():
    """Three votes for a > b > c, two for b > c > a: a beats every other item, b has most points."""
    targets, votes = np.array([[0, 1, 2], [2, 0, 1]]), np.array([[3.0, 2.0]])
    found = {}
    for name, positions in {"all": None, "first": [1.0, 0.0, 0.0]}.items():
        loss = KendallLoss(position_weights=positions).bind(np.array(["a", "b", "c"]))
        found[name] = loss.best_prediction(votes @ loss.phi(targets), np.full(1, 1e-10))
    np.testing.assert_array_equal(found["all"].outputs, [[0, 1, 2]])
    assert found["first"].outputs[0].tolist() == [1, 0, 2]
    # The order of a and c does not change the loss: the face is one vertex.
    assert found["first"].is_vertex.all()
    open_pairs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(found["first"].undecided[0], open_pairs)


def test_infimum_start_ignores_pairs_that_were_not_observed():
    """With a > b alone, c may stand anywhere: all orders of the set cost the same."""
    loss = KendallLoss(position_weights=[1.0, 0.2, 0.0]).bind(np.array(["a", "b", "c"]))
    orders = PartialOrders.from_strings(["a>b"], items=["a", "b", "c"])
    ranks = all_ranks(3)
    inside = ranks[:, 0] < ranks[:, 1]
    costs = (loss.start(orders, "infimum") @ loss.psi(ranks).T)[0]
    np.testing.assert_allclose(costs[inside], 0.0, atol=1e-15)
    assert (costs[~inside] > 0).all()
    found = loss.best_prediction(loss.start(orders, "infimum"), np.full(1, 1e-10))
    np.testing.assert_allclose(found.embedded[0], loss.psi(ranks[inside]).mean(axis=0), atol=1e-15)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ("linear", ValueError, r"position_weights must be one of 'inverse', 'lo.*; got 'linear'"),
        (np.ones((3, 3)), ValueError, r"shape \(3, 3\).*the position of the earlier item"),
        ([1, 2], ValueError, r"shape \(2,\); expected one weight for each of the 3 positions"),
        (
            [1, -1, 0],
            ValueError,
            r"position_weights\[1\] is -1.0; expected finite numbers >= 0",
        ),
        ([1, np.nan, 0], ValueError, r"position_weights\[1\] is nan"),
        ([0, 0, 1], ValueError, "is 0 at every position but the last"),
        (np.sqrt, TypeError, "is a function; give its values"),
    ],
)
def test_bad_position_weights(weights, error, message):
    with pytest.raises(error, match=message):
        KendallLoss(position_weights=weights).bind(np.arange(3))


def test_more_than_twenty_items_are_an_error_for_every_decoder():
    message = (
        r"KendallLoss\(position_weights=...\): 21 items .* at most 20\. Leave position_weights"
    )
    for decoder in ("auto", "local", "exact"):
        with pytest.raises(MissingOracleError, match=message):
            KendallLoss(position_weights="inverse", decoder=decoder).bind(np.arange(21))
    assert isinstance(KendallLoss(position_weights=[2.0] * 21).bind(np.arange(21)), BoundKendall)
