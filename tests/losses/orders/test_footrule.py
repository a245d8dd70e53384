"""Spearman's footrule against its definition."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone

from disambig.losses import FootruleLoss


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_inner_product_is_the_share_of_displacement(m):
    loss = FootruleLoss().bind(np.arange(m))
    ranks = np.array(list(itertools.permutations(range(m))))
    table = loss.psi(ranks) @ loss.phi(ranks).T
    for (a, z), (b, y) in itertools.product(enumerate(ranks), repeat=2):
        displaced = sum(abs(int(z[i]) - int(y[i])) for i in range(m))
        assert table[a, b] == pytest.approx(displaced / max(1, m * m // 2), abs=1e-12)
    # The normaliser is attained, by the reversed order.
    assert table.max() == pytest.approx(float(m > 1))
    assert table[0, -1] == pytest.approx(float(m > 1))


def test_clone_has_no_parameters_and_binds():
    loss = clone(FootruleLoss())
    assert loss.get_params() == {}
    assert loss.bind(np.array(["a", "b", "c"])).n_items == 3
