"""The Kendall loss with weights of positions; its contract is in tests/contracts."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.losses import BoundKendall, BoundPositionKendall, KendallLoss

WEIGHTS = [3.0, 0.0, 2.0, 1.0]


def all_ranks(m):
    return np.array(list(itertools.permutations(range(m))))


def by_definition(z, y, positions, items):
    """What the pairs pay that z has the one way round and y the other."""
    paid = 0.0
    for i, j in itertools.permutations(range(len(z)), 2):
        if z[i] < z[j] and y[j] < y[i]:
            paid += positions[z[i]] * items[i] * items[j]
    return paid


@pytest.mark.parametrize("items", [None, [1.0, 2.0, 0.5, 3.0]])
@pytest.mark.parametrize("positions", ["inverse", "log2", WEIGHTS], ids=str)
def test_the_loss_is_what_it_says(positions, items):
    loss = KendallLoss(items, positions).bind(np.arange(4))
    assert isinstance(loss, BoundPositionKendall)
    ranks = all_ranks(4)
    k = np.arange(4)
    v = {"inverse": 1 / (k + 1), "log2": 1 / np.log2(k + 2)}.get(str(positions), WEIGHTS)
    w = np.ones(4) if items is None else items
    expected = np.array([[by_definition(z, y, v, w) for y in ranks] for z in ranks])
    table = loss.psi(ranks) @ loss.phi(ranks).T
    np.testing.assert_allclose(table, expected / expected.max(), atol=1e-12)
    # Reversed orders are as far apart as can be; unequal items make some of them a little less so.
    reverse = np.diag(table[:, ::-1])
    assert (ranks[::-1] == 3 - ranks).all()
    assert reverse.max() == pytest.approx(1.0)
    if items is None:
        np.testing.assert_allclose(reverse, 1.0)


def test_only_ratios_count_and_the_last_weight_does_not():
    ranks = all_ranks(4)
    loss = KendallLoss(position_weights=WEIGHTS).bind(np.arange(4))
    other = KendallLoss(position_weights=[3e300, 0, 2e300, 9e300]).bind(np.arange(4))
    np.testing.assert_allclose(other.psi(ranks), loss.psi(ranks), rtol=1e-14)


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_equal_weights_are_the_plain_loss(seed, m):
    items = np.random.default_rng(seed).uniform(0.5, 2, m)
    plain = KendallLoss(items).bind(np.arange(m))
    equal = KendallLoss(items, [7.0] * (m - 1) + [0.0]).bind(np.arange(m))
    assert isinstance(equal, BoundKendall)
    np.testing.assert_array_equal(equal.pair_weights, plain.pair_weights)


def test_the_limit_of_nearly_equal_weights_is_the_plain_loss():
    ranks = all_ranks(4)
    plain = KendallLoss().bind(np.arange(4))
    nearly = KendallLoss(position_weights=[1, 1 + 1e-9, 1, 1]).bind(np.arange(4))
    assert isinstance(nearly, BoundPositionKendall)
    np.testing.assert_allclose(
        nearly.psi(ranks) @ nearly.phi(ranks).T,
        plain.psi(ranks) @ plain.phi(ranks).T,
        atol=1e-8,
    )


def test_the_first_position_alone_is_that_of_the_winner_by_points():
    """Three votes for a > b > c, two for b > c > a: a wins every duel, b has the most points."""
    targets, votes = np.array([[0, 1, 2], [2, 0, 1]]), np.array([[3.0, 2.0]])
    found = {}
    for name, positions in {"all": None, "first": [1.0, 0.0, 0.0]}.items():
        loss = KendallLoss(position_weights=positions).bind(np.array(["a", "b", "c"]))
        found[name] = loss.best_prediction(votes @ loss.phi(targets), np.full(1, 1e-10))
    np.testing.assert_array_equal(found["all"].outputs, [[0, 1, 2]])
    assert found["first"].outputs[0].tolist() == [1, 0, 2]
    # a and c may stand either way round, which is all the same: one vertex.
    assert found["first"].is_vertex.all()
    open_pairs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(found["first"].undecided[0], open_pairs)


def test_a_start_has_no_word_on_pairs_that_were_not_observed():
    """With a > b alone, c may stand anywhere: no order of the set is better than another."""
    loss = KendallLoss(position_weights=[1.0, 0.2, 0.0]).bind(np.array(["a", "b", "c"]))
    orders = PartialOrders.from_strings(["a>b"], items=["a", "b", "c"])
    ranks = all_ranks(3)
    inside = ranks[:, 0] < ranks[:, 1]
    paid = (loss.start(orders, "infimum") @ loss.psi(ranks).T)[0]
    np.testing.assert_allclose(paid[inside], 0.0, atol=1e-15)
    assert (paid[~inside] > 0).all()
    found = loss.best_prediction(loss.start(orders, "infimum"), np.full(1, 1e-10))
    np.testing.assert_allclose(found.embedded[0], loss.psi(ranks[inside]).mean(axis=0), atol=1e-15)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ("linear", ValueError, r"position_weights='linear' is not known; choose .*'inverse', 'lo"),
        (np.ones((3, 3)), ValueError, r"shape \(3, 3\).*one position, that of its earlier item"),
        ([1, 2], ValueError, r"shape \(2,\); expected one weight for each of the 3 positions"),
        (
            [1, -1, 0],
            ValueError,
            r"position_weights\[1\] is -1.0; expected finite numbers, not neg",
        ),
        ([1, np.nan, 0], ValueError, r"position_weights\[1\] is nan"),
        ([0, 0, 1], ValueError, "is 0 at every position but the last"),
        (np.sqrt, TypeError, "is a function; give its values"),
    ],
)
def test_bad_weights(weights, error, message):
    with pytest.raises(error, match=message):
        KendallLoss(position_weights=weights).bind(np.arange(3))


def test_too_many_items_are_refused_and_never_approximated():
    message = (
        r"KendallLoss\(position_weights=...\): 21 items .* at most 20\. Leave position_weights"
    )
    for decoder in ("auto", "local", "exact"):
        with pytest.raises(MissingOracleError, match=message):
            KendallLoss(position_weights="inverse", decoder=decoder).bind(np.arange(21))
    assert isinstance(KendallLoss(position_weights=[2.0] * 21).bind(np.arange(21)), BoundKendall)
