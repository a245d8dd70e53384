"""Batches that are processed in several blocks give the same results as in one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.orderings import problems
from disambig.orderings.decode import order_decoder
from disambig.orderings.distributions import linear_extensions
from disambig.orderings.ties import tied_orders
from tests.orderings.enumeration import random_before, random_costs


@pytest.mark.parametrize("shared", [False, True])
def test_results_do_not_depend_on_the_blocks(monkeypatch, shared):
    rng = np.random.default_rng(0)
    costs, before = random_costs(rng, 11, 5, "ties"), random_before(rng, 11, 5, 0.2)
    before = before[0] if shared else before

    def results():
        found, tied = order_decoder().decode(costs, before), tied_orders(costs, before)
        return [
            *(found.ranks, found.values, found.gaps, found.exact, found.methods),
            *(tied.ranks, tied.counts, tied.pairs, tied.places, tied.complete),
            linear_extensions(before).pairs,
        ]

    in_one_block = results()
    monkeypatch.setattr(problems, "_MAX_BLOCK_ENTRIES", 60)
    assert len(list(problems.blocks(11, 5))) == 6
    for one, other in zip(in_one_block, results(), strict=True):
        assert_array_equal(one, other)


def test_a_cycle_in_a_late_block_is_named(monkeypatch):
    monkeypatch.setattr(problems, "_MAX_BLOCK_ENTRIES", 8)
    before = np.zeros((7, 2, 2), dtype=bool)
    before[5] = ~np.eye(2, dtype=bool)
    with pytest.raises(ValueError, match="problem 5"):
        linear_extensions(before)
