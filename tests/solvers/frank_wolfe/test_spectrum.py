"""Tests of eigenvalue bounds and shifts."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from disambig.problem import Problem
from disambig.solvers.frank_wolfe import shifts as shifts_module
from disambig.solvers.frank_wolfe.shifts import spectrum, tight_shifts
from disambig.votes import as_votes
from disambig.votes.product import ProductVotes
from tests.oracles.generated_problems import problems
from tests.oracles.tiny_problems import FORMS, wrapped


def problem_of(votes):
    return Problem(votes, None, None)


@given(seed=st.integers(0, 999), form=st.sampled_from(sorted(FORMS)))
def test_bounds_are_exact_for_few_rows(seed, form):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    A = rng.normal(size=(n, n))
    rows = np.flatnonzero(rng.random(n) < 0.6)
    diagonal, scales = rng.normal(size=rows.size), rng.random(rows.size) + 0.1
    bounds = spectrum(problem_of(wrapped(A, form)), rows, diagonal, scales)
    block = ((A + A.T) / 2)[np.ix_(rows, rows)] - np.diag(diagonal)
    roots = np.sqrt(scales)
    values = np.linalg.eigvalsh(block / roots / roots[:, None]) if rows.size else [0.0]
    assert bounds.lowest <= values[0]
    assert bounds.highest >= values[-1]
    assert bounds == pytest.approx((values[0], values[-1]), abs=1e-10)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-540, 2.0**460])
def test_bounds_do_not_depend_on_the_scale_of_the_votes(scale):
    rng = np.random.default_rng(2)
    A, rows = rng.normal(size=(6, 6)), np.arange(6)
    diagonal, scales = np.diagonal(A), rng.random(6) + 0.1
    usual = spectrum(problem_of(as_votes(A)), rows, diagonal, scales)
    scaled = spectrum(problem_of(as_votes(scale * A)), rows, scale * diagonal, scale * scales)
    assert scaled == usual


@pytest.mark.parametrize("kind", ["sparse", "dense", "low rank", "identity"])
def test_lanczos_bounds_are_outside_the_spectrum_and_near_it(kind, monkeypatch):
    monkeypatch.setattr(shifts_module, "_MAX_DENSE_ROWS", 20)
    rng = np.random.default_rng(1)
    n = 120
    if kind == "low rank":
        left, right = rng.normal(size=(n, 3)), rng.normal(size=(3, n))
        votes, A = ProductVotes(left, right), left @ right
    elif kind == "identity":
        A = np.eye(n)
        votes = as_votes(sp.csr_array(A))
    else:
        A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.1)
        votes = as_votes(sp.csr_array(A) if kind == "sparse" else A)
    rows = np.flatnonzero(rng.random(n) < 0.8)
    diagonal, scales = 0.1 * rng.normal(size=rows.size), rng.random(rows.size) + 0.5
    bounds = spectrum(problem_of(votes), rows, diagonal, scales)
    roots = np.sqrt(scales)
    block = ((A + A.T) / 2)[np.ix_(rows, rows)] - np.diag(diagonal)
    values = np.linalg.eigvalsh(block / roots / roots[:, None])
    width = values[-1] - values[0]
    assert values[0] - 0.01 * width - 1e-9 <= bounds.lowest <= values[0] + 1e-12
    assert values[-1] - 1e-12 <= bounds.highest <= values[-1] + 0.01 * width + 1e-9


def test_for_many_rows_the_dense_block_is_not_built(monkeypatch):
    monkeypatch.setattr(shifts_module, "_MAX_DENSE_ROWS", 20)
    widths = []

    class Counting:
        shape = (50, 50)

        def __init__(self, array):
            self.array = array

        @property
        def T(self):
            return Counting(self.array.T)

        def __matmul__(self, values):
            widths.append(values.shape[1] if values.ndim == 2 else 1)
            return self.array @ values

    votes = as_votes(Counting(np.random.default_rng(0).random((50, 50))))
    spectrum(problem_of(votes), np.arange(50), np.zeros(50), np.ones(50))
    assert max(widths) == 1


@given(tiny=problems(largest=6), seed=st.integers(0, 99))
def test_shifts_make_both_matrices_positive_semidefinite(tiny, seed):
    open_rows = np.random.default_rng(seed).random(len(tiny.A)) < 0.7
    ones = np.ones(len(tiny.A))
    shifts = tight_shifts(problem_of(wrapped(tiny.A, tiny.form)), open_rows, (ones, ones))
    S = ((tiny.A + tiny.A.T) / 2)[np.ix_(open_rows, open_rows)]
    rounding = 1e-10 * (np.abs(S).sum() + 1e-30)
    for matrix in (S + np.diag(shifts.plus[open_rows]), np.diag(shifts.minus[open_rows]) - S):
        assert (np.linalg.eigvalsh(matrix) >= -rounding).all()
    assert (shifts.plus[~open_rows] == 0.0).all()
    assert (shifts.minus[~open_rows] == 0.0).all()
    if tiny.form != "operator" and open_rows.any():
        values = np.linalg.eigvalsh(S)
        assert shifts.plus.sum() <= -values[0] * len(S) + rounding
        assert shifts.minus.sum() <= values[-1] * len(S) + rounding
