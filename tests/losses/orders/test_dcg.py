"""The DCG loss against its definition and against scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import dcg_score, ndcg_score

from disambig.losses import DCGLoss


def all_ranks(m):
    return np.array(list(itertools.permutations(range(m))))


@pytest.mark.parametrize("cutoff", [None, 1, 2, 9])
@pytest.mark.parametrize("gain", ["linear", "exponential", [7.0, 2.0, 2.0, 0.5]])
def test_one_minus_the_normalised_score_of_scikit_learn(gain, cutoff):
    m = 4
    loss = DCGLoss(gain=gain, cutoff=cutoff).bind(np.arange(m))
    ranks = all_ranks(m)
    table = loss.psi(ranks) @ loss.phi(ranks).T
    by_rank = {"linear": [3, 2, 1, 0], "exponential": [7, 3, 1, 0]}.get(str(gain), gain)
    relevance = np.array(by_rank, dtype=float)[ranks]
    best = dcg_score([by_rank], [[3, 2, 1, 0]], k=cutoff)
    # Every prediction with four targets that have every item at every position once.
    for z, y in itertools.product(range(len(ranks)), [0, 7, 16, 23]):
        scores = -ranks[[z]]
        expected = 1 - dcg_score(relevance[[y]], scores, k=cutoff) / best
        assert table[z, y] == pytest.approx(expected, abs=1e-12)
        assert table[z, y] == pytest.approx(
            1 - ndcg_score(relevance[[y]], scores, k=cutoff), abs=1e-12
        )


def test_discounts_and_gains_as_arrays():
    discount, gain = [1.0, 0.5, 0.0], [4.0, 1.0, 0.0]
    loss = DCGLoss(discount, gain).bind(np.arange(3))
    ranks = all_ranks(3)
    table = loss.psi(ranks) @ loss.phi(ranks).T
    for (a, z), (b, y) in itertools.product(enumerate(ranks), repeat=2):
        seen = sum(discount[z[i]] * gain[y[i]] for i in range(3))
        assert table[a, b] == pytest.approx(1 - seen / 4.5, abs=1e-12)
    assert not np.allclose(table, table.T)


@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_one_item_has_loss_zero(gain):
    loss = DCGLoss(gain=gain).bind(np.array(["a"]))
    one = np.zeros((1, 1), dtype=int)
    assert float((loss.psi(one) * loss.phi(one)).sum()) == 0.0


def test_many_exponential_gains_stay_finite():
    loss = DCGLoss(gain="exponential").bind(np.arange(2000))
    ranks = np.arange(2000)[None]
    assert float((loss.psi(ranks) * loss.phi(ranks)).sum()) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discount": "ln"}, "discount must be one of 'log2' or one number .*; got 'ln'"),
        ({"gain": "square"}, "gain must be one of 'linear', 'exponential' .*; got 'square'"),
        ({"discount": [1, 0.5]}, r"discount has shape \(2,\); expected one number for each of the"),
        ({"gain": [1, 2, 0]}, r"gain\[1\] is 2.0; .* >= 0 that do not increase"),
        ({"gain": [1, np.nan, 0]}, r"gain\[1\] is nan"),
        ({"discount": [1, 0.5, -1]}, r"discount\[2\] is -1.0"),
        ({"gain": [0, 0, 0]}, "gain is 0 at every position"),
        ({"cutoff": 0}, "cutoff must be an integer >= 1; got 0"),
        ({"cutoff": 1.5}, "cutoff must be an integer >= 1; got 1.5"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        DCGLoss(**options).bind(np.arange(3))


def test_arrays_of_the_user_are_not_changed():
    discount = np.array([1.0, 0.5, 0.25])
    clone(DCGLoss(discount, cutoff=1)).bind(np.arange(3))
    np.testing.assert_array_equal(discount, [1.0, 0.5, 0.25])
