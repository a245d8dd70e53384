"""Row minima with their ties, against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disambig.compiled.sets import tied_minima, tied_minima_within

# Few values, so that ties occur; and any values, so that they do not.
WHOLE = st.integers(-3, 3).map(float)
ANY = st.floats(-1e6, 1e6, allow_nan=False)
TOLERANCES = st.sampled_from([0.0, 1e-12, 0.5, 1.0, 10.0])


@st.composite
def costs_and_tolerances(draw):
    shape = draw(st.tuples(st.integers(0, 6), st.integers(1, 5)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    costs = draw(hnp.arrays(np.float64, shape, elements=draw(st.sampled_from([WHOLE, ANY]))))
    tolerance = draw(hnp.arrays(np.float64, shape[0], elements=TOLERANCES))
    layout = draw(st.sampled_from([np.ascontiguousarray, np.asfortranarray]))
    return layout(costs.astype(dtype)), tolerance


@st.composite
def allowed_columns(draw, shape):
    allowed = draw(hnp.arrays(np.bool_, shape))
    kept = draw(hnp.arrays(np.intp, shape[0], elements=st.integers(0, shape[1] - 1)))
    allowed[np.arange(shape[0]), kept] = True
    return allowed


@given(costs_and_tolerances())
def test_minima_are_those_of_numpy(drawn):
    costs, tolerance = drawn
    limit = costs.min(axis=1, initial=np.inf).astype(np.float64) + tolerance
    mask = tied_minima(costs, tolerance)
    assert mask.dtype == np.bool_
    assert np.array_equal(mask, costs <= limit[:, None])


@given(st.data())
def test_minima_within_sets_are_those_of_numpy(data):
    costs, tolerance = data.draw(costs_and_tolerances())
    allowed = data.draw(allowed_columns(costs.shape))
    inside = np.where(allowed, costs.astype(np.float64), np.inf)
    limit = inside.min(axis=1, initial=np.inf) + tolerance
    assert np.array_equal(tied_minima_within(costs, allowed, tolerance), inside <= limit[:, None])


@given(costs_and_tolerances())
def test_allowing_all_columns_changes_nothing(drawn):
    costs, tolerance = drawn
    everything = np.ones(costs.shape, dtype=np.bool_)
    assert np.array_equal(
        tied_minima_within(costs, everything, tolerance), tied_minima(costs, tolerance)
    )


@given(st.data())
def test_every_row_keeps_a_vertex_of_its_set(data):
    costs, tolerance = data.draw(costs_and_tolerances())
    allowed = data.draw(allowed_columns(costs.shape))
    mask = tied_minima_within(costs, allowed, tolerance)
    assert mask.any(axis=1).all()
    assert not (mask & ~allowed).any()


def test_the_tolerance_is_of_its_own_row():
    costs = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    mask = tied_minima(costs, np.array([0.0, 1.0, 0.999]))
    assert mask.tolist() == [[True, False], [True, True], [True, False]]


def test_a_cheaper_column_outside_the_set_does_not_count():
    costs = np.array([[-5.0, 1.0, 1.0, 2.0]])
    allowed = np.array([[False, True, True, True]])
    assert tied_minima_within(costs, allowed, np.zeros(1)).tolist() == [[False, True, True, False]]


@pytest.mark.parametrize("function", [tied_minima, tied_minima_within])
def test_inputs_may_be_read_only_and_stay_as_they_are(function):
    costs = np.arange(6.0).reshape(2, 3)
    arrays = [costs, np.zeros(2)]
    if function is tied_minima_within:
        arrays.insert(1, np.ones((2, 3), dtype=np.bool_))
    for array in arrays:
        array.setflags(write=False)
    assert function(*arrays).tolist() == [[True, False, False]] * 2
