"""The start of losses on positions against the first iteration under the Kendall loss."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.losses import KendallLoss
from disambig.losses.orders.positions import pairwise_start
from disambig.problem import Problem
from disambig.votes import as_votes


@given(st.integers(0, 10_000), st.integers(1, 4), st.booleans())
def test_equals_the_first_targets_under_the_kendall_loss(seed, m, integers):
    rng = np.random.default_rng(seed)
    n = 4
    A = rng.integers(0, 3, (n, n)).astype(float) if integers else rng.normal(size=(n, n))
    ranks = np.array([rng.permutation(m) for _ in range(n)]).astype(float)
    ranks[rng.random((n, m)) < 0.5] = np.nan
    orders = PartialOrders.from_ranks(ranks)
    loss = KendallLoss().bind(orders.items)
    problem = Problem(as_votes(A), loss, orders)
    zeta = problem.best_predictions(loss.start(orders, "infimum")).faces.embedded
    scores = problem.scores_of_targets(zeta)
    every = np.array(list(itertools.permutations(range(m))))
    places = pairwise_start(problem.votes, orders)
    for r in range(n):
        inside = every[[orders[[r]].contains(y[None])[0] for y in every]]
        values = loss.phi(inside) @ scores[r]
        best = inside[values <= values.min() + 1e-9]
        expected = (best[:, :, None] == np.arange(m)).mean(axis=0)
        np.testing.assert_allclose(places[r], expected, atol=1e-12)
