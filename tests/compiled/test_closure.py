"""Transitive closures against powers of boolean matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disambig.compiled.relations import close_transitively


def closure_by_powers(relation):
    """The union of all powers of the relation: paths of any length."""
    power = total = relation.astype(int)
    for _ in range(len(relation)):
        power = (power @ relation.astype(int) > 0).astype(int)
        total = total | power
    return total.astype(bool)


@st.composite
def relations(draw):
    n, m = draw(st.integers(0, 4)), draw(st.integers(1, 6))
    drawn = draw(hnp.arrays(np.bool_, (n, m, m)))
    # Half of the time without cycles: only pairs that agree with some order of the items.
    if draw(st.booleans()):
        order = np.array(draw(st.permutations(range(m))))
        drawn &= order[:, None] < order[None, :]
    return drawn


@given(relations())
def test_it_is_the_union_of_all_powers(relation):
    expected = np.array([closure_by_powers(r) for r in relation]).reshape(relation.shape)
    cyclic = expected.diagonal(axis1=1, axis2=2).any(axis=1)
    closed = relation.copy()
    found = close_transitively(closed)
    assert found.dtype == np.bool_
    assert np.array_equal(found, cyclic)
    assert np.array_equal(closed[~cyclic], expected[~cyclic])
    assert np.array_equal(closed[cyclic], relation[cyclic])


@given(relations())
def test_a_closure_is_closed(relation):
    cyclic = close_transitively(relation)
    again = relation.copy()
    assert np.array_equal(close_transitively(again), cyclic)
    assert np.array_equal(again, relation)


@pytest.mark.parametrize("m", [1, 2, 63, 64, 65, 130])
def test_a_chain_of_many_items(m):
    rng = np.random.default_rng(m)
    order = rng.permutation(m)
    relation = np.zeros((2, m, m), dtype=bool)
    relation[0, order[:-1], order[1:]] = True
    relation[1] = relation[0]
    relation[1, order[-1], order[0]] = True
    rank = np.argsort(order)
    assert close_transitively(relation).tolist() == [False, True]
    assert np.array_equal(relation[0], rank[:, None] < rank[None, :])
    assert relation[1].sum() == m


def test_relations_are_closed_independently():
    relation = np.zeros((2, 3, 3), dtype=bool)
    relation[0, 0, 1] = relation[1, 1, 2] = True
    assert not close_transitively(relation).any()
    assert relation.sum() == 2


def test_an_item_before_itself_is_a_cycle():
    relation = np.zeros((1, 2, 2), dtype=bool)
    relation[0, 1, 1] = True
    assert close_transitively(relation).tolist() == [True]
