"""Null directions on some rows of a form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes.nearest import component_directions, null_directions
from tests.oracles.box_programs import FORMS, random_form


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
def test_directions_span_the_null_space(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n) * 10.0 ** rng.uniform(-3, 3)
    rows = np.flatnonzero(rng.uniform(size=n) < 0.8)
    N = null_directions(Q, rows).toarray()
    block = Q[np.ix_(rows, rows)]
    values = np.linalg.eigvalsh(block)
    assert N.shape == (n, np.count_nonzero(values <= 1e-11 * np.abs(Q).max()))
    assert not N.shape[1] or np.linalg.matrix_rank(N) == N.shape[1]
    outside = np.setdiff1d(np.arange(n), rows)
    assert not N[outside].any()
    assert np.abs(Q @ N).max(initial=0.0) <= 1e-9 * max(np.abs(Q).max(), 1e-300)


def test_directions_of_votes_are_indicators_of_components():
    rng = np.random.default_rng(0)
    Q = np.zeros((9, 9))
    Q[:4, :4], Q[4:, 4:] = random_form("votes", rng, 4), random_form("votes", rng, 5)
    N = null_directions(Q, np.arange(9)).toarray()
    order = np.argsort(N[0])[::-1]
    expected = component_directions(np.repeat([0, 1], [4, 5])).toarray()
    np.testing.assert_allclose(N[:, order], expected, rtol=1e-9)


def test_no_directions_without_rows():
    assert null_directions(np.eye(3), np.empty(0, dtype=np.intp)).shape == (3, 0)
