"""The comparison of solvers: a row for each, and none is better than trying every labelling."""

import warnings

import numpy as np
import pytest

from benchmarks import solvers_compared
from disambig.exceptions import ConvergenceWarning


@pytest.fixture(scope="module")
def found():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solvers_compared.run_tiny(6)


def test_every_solver_is_run_on_every_problem(found):
    assert set(found.gaps) == {"trying every labelling", *solvers_compared.competitors()}
    assert {len(gaps) for gaps in found.gaps.values()} == {6}
    assert all(gap >= 0.0 for gaps in found.gaps.values() for pair in gaps for gap in pair)
    assert {len(spent) for spent in found.seconds.values()} == {6}


def test_bounds_are_below_the_optimum_and_ours_is_tighter(found):
    assert (np.array(found.bounds) >= 0.0).all()
    ours, papers = np.array(found.paper_bounds).T
    assert (ours <= papers + 1e-4).all()


def test_the_tables_have_their_rows(found):
    rows = solvers_compared.tiny_table(found).splitlines()
    assert len(rows) == 2 + len(found.gaps)
    assert all(row.count("|") == 7 for row in rows)
    assert "below the quadratic optimum" in solvers_compared.bounds_text(found)


def test_the_gap_is_zero_at_the_optimum_and_one_at_the_mean():
    of = solvers_compared.Range(lowest=1.0, mean=3.0, rounding=1e-9)
    assert (of.gap(1.0), of.gap(3.0), of.below(0.0)) == (0.0, 1.0, 0.5)


def test_the_problem_of_medium_size(monkeypatch):
    few = dict(list(solvers_compared.competitors().items())[-2:])
    monkeypatch.setattr(solvers_compared, "competitors", lambda: few)
    rows = solvers_compared.digits_table(40).splitlines()
    assert len(rows) == 2 + 2 * 2
    assert all(row.count("|") == 8 for row in rows)
