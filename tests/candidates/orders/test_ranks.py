"""Ranks and scores, against their definitions."""

import fractions

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

NAN = float("nan")
shapes = st.tuples(st.integers(1, 5), st.integers(2, 5))
# Few values, so that ties occur; and any values, so that they do not.
values = st.sampled_from([NAN, -1.0, 0.0, 0.5, 2.0]) | st.floats(allow_infinity=False)
tables = hnp.arrays(np.float64, shapes, elements=values)


def error_message(read, *args, **options):
    with pytest.raises(CandidateError) as caught:
        read(*args, **options)
    return str(caught.value)


def pairs_where(table, test):
    """The relation by its definition, pair by pair; comparisons with NaN are false."""
    n, m = table.shape
    before = np.zeros((n, m, m), dtype=bool)
    for r in range(n):
        for i in range(m):
            for j in range(m):
                before[r, i, j] = test(float(table[r, i]), float(table[r, j]))
    return before


@given(tables)
def test_the_smaller_rank_stands_before(ranks):
    orders = PartialOrders.from_ranks(ranks)
    np.testing.assert_array_equal(orders.before, pairs_where(ranks, lambda a, b: a < b))
    assert PartialOrders.from_any(ranks) == orders
    assert PartialOrders.from_any(ranks.tolist()) == orders
    assert PartialOrders(orders.before) == orders


@given(tables, st.sampled_from([0, 0.0, 0.5, 1.5, 1e300]), st.booleans())
def test_scores_need_more_than_the_margin(scores, margin, higher_is_better):
    orders = PartialOrders.from_scores(scores, margin=margin, higher_is_better=higher_is_better)
    sign = 1 if higher_is_better else -1
    np.testing.assert_array_equal(
        orders.before, pairs_where(scores, lambda a, b: sign * (a - b) > margin)
    )
    # These pairs are transitive already: closing them adds none.
    assert PartialOrders(orders.before) == orders


@given(tables, st.randoms(use_true_random=False))
def test_reading_and_permuting_rows_commute(ranks, random):
    order = list(range(len(ranks)))
    random.shuffle(order)
    assert PartialOrders.from_any(ranks[order]) == PartialOrders.from_any(ranks)[order]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float16, object])
def test_numbers_of_any_dtype(dtype):
    table = np.array([[3, 1, 2], [0, 200 if dtype != np.int8 else 100, 0]]).astype(dtype)
    assert PartialOrders.from_any(table).n_observed.tolist() == [3, 2]
    assert PartialOrders.from_scores(table).n_observed.tolist() == [3, 2]
    # 0 - 200 must not wrap around.
    before = PartialOrders.from_scores(table, margin=1).to_pairs()
    assert before == [{(0, 1)}, {(1, 0), (1, 2)}]


def test_large_integers_stay_apart():
    table = [[2**60, 2**60 + 1]]
    assert PartialOrders.from_any(table)[0] == {(0, 1)}
    assert PartialOrders.from_scores(table)[0] == {(1, 0)}
    assert PartialOrders.from_any([[2**70, 0]])[0] == {(1, 0)}


def test_missing_ranks_are_in_no_pair():
    orders = PartialOrders.from_any([[1, None, 2], [NAN, NAN, NAN], None])
    assert orders.to_pairs() == [{(0, 2)}, set(), set()]
    masked = np.ma.array([[1.0, 2.0, 3.0]], mask=[[False, True, False]])
    assert PartialOrders.from_any(masked).to_pairs() == [{(0, 2)}]
    assert PartialOrders.from_scores([[1, None, 2]]).to_pairs() == [{(2, 0)}]


def test_equal_ranks_are_not_compared_or_refused():
    ranks = [[0, 1, 2], [1, 0, 1], [NAN, NAN, 1], [2, 2, 2]]
    assert PartialOrders.from_any(ranks).to_pairs()[1] == {(1, 0), (1, 2)}
    for read in (PartialOrders.from_any, PartialOrders.from_ranks):
        message = error_message(read, ranks, ties="error")
        assert message.startswith("PartialOrders: row 1 has equal ranks (2 such rows).")
    assert PartialOrders.from_any(ranks[:1] + ranks[2:3], ties="error").n_observed.tolist() == [
        3,
        0,
    ]
    assert "ties must be 'ignore'" in error_message(PartialOrders.from_any, ranks, ties="first")


def test_one_dimension_is_one_item():
    for y in (np.arange(3), [0.5, 1.5, 0.5], np.arange(3)[:, None]):
        orders = PartialOrders.from_any(y)
        assert orders.shape == (3, 1)
        assert not orders.informative.any()
    assert PartialOrders.from_any(np.arange(2), items=["a"]).items.tolist() == ["a"]
    message = error_message(PartialOrders.from_any, [0.5, NAN])
    assert message.startswith("PartialOrders: row 1, column 0 holds nan (1 such entry).")
    assert "contains NaN" in error_message(PartialOrders.from_ranks, np.full(3, NAN))
    assert "1 items were named for 3" in error_message(
        PartialOrders.from_any, [[1, 2, 3]], items=["a"]
    )


@pytest.mark.parametrize("read", [PartialOrders.from_any, PartialOrders.from_scores])
def test_non_numbers_raise_with_row_and_column(read):
    assert "row 1, column 2 holds inf (2 such entries). Input y contains infinity" in error_message(
        read, np.array([[0, 1, 2], [0, 1, np.inf], [-np.inf, 1, 2]])
    )
    assert "row 0, column 0 holds inf" in error_message(read, np.array([np.inf, 1.0]))
    assert "row 0, column 1 holds 'b'" in error_message(read, np.array([[1, "b"]], dtype=object))
    assert "row 1, column 0 holds True" in error_message(
        read, np.array([[1, 2], [True, "x"]], object)
    )
    assert "row 0, column 0 holds True" in error_message(read, np.eye(2, dtype=bool))
    assert "row 0, column 0 holds 1j" in error_message(read, np.array([[1j, 2]]))
    assert "column 0 holds 'a'" in error_message(read, np.array([["a", "b"], ["b", "a"]]))


def test_other_real_numbers_are_ranks():
    assert PartialOrders.from_any([[fractions.Fraction(1, 3), 0.25]])[0] == {(1, 0)}


def test_rows_of_unequal_length_raise():
    for y in ([[1, 2, 3], [1, 2], [3, 1, 2]], [[1, 2, 3], [], [3, 1, 2]]):
        message = error_message(PartialOrders.from_ranks, y)
        assert message.startswith("PartialOrders: row 1 holds [")
        assert "where a list of 3 numbers" in message
        assert "(1 such row)" in message
    assert "row 0 holds {" in error_message(PartialOrders.from_ranks, [{1, 2}, [1, 2]])
    assert "row 1 holds 3" in error_message(PartialOrders.from_ranks, [[1, 2], 3])
    assert "row 0 holds [[" in error_message(PartialOrders.from_ranks, [[[1, 2], [1, 2]]])
    assert "at least one item" in error_message(PartialOrders.from_ranks, [[], []])


def test_shapes_that_are_no_table_raise():
    assert "use PartialOrders.from_signs" in error_message(
        PartialOrders.from_ranks, np.zeros((2, 3, 3))
    )
    assert "use PartialOrders.from_signs" in error_message(
        PartialOrders.from_scores, np.zeros((2, 3, 3))
    )
    for shape in ((0, 3), (3, 0), (0,), (), (1, 2, 2, 2)):
        assert f"got shape {shape}" in error_message(PartialOrders.from_ranks, np.zeros(shape))
    assert "sparse array does not distinguish" in error_message(
        PartialOrders.from_ranks, sparse.csr_array(np.eye(3))
    )


@pytest.mark.parametrize("margin", [-0.1, NAN, np.inf, "1", None, True])
def test_the_margin_is_a_number(margin):
    message = error_message(PartialOrders.from_scores, [[1, 2]], margin=margin)
    assert "margin must be a finite number of at least 0" in message


def test_scores_far_apart_do_not_overflow():
    orders = PartialOrders.from_scores([[1e308, -1e308]], margin=1.0)
    assert orders[0] == {(0, 1)}


def test_items_are_named_in_the_order_of_the_columns():
    orders = PartialOrders.from_any(np.array([[1, 0]]), items=["x", "y"])
    assert orders[0] == {("y", "x")}
    assert PartialOrders.from_scores([[1, 0]], items=["x", "y"])[0] == {("x", "y")}


def test_pairs_that_exceed_the_memory_raise(monkeypatch):
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 100)
    with pytest.raises(MemoryError, match="the pairs of 5 items in 6 rows"):
        PartialOrders.from_ranks(np.zeros((6, 5)))
