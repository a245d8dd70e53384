"""`theorem_requirement` returns the smallest numbers for which the bound of the theorem holds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.theory import theorem_requirement


def bound(n: int, k: int, eta: float, m: int, p: float, c: float) -> tuple[float, float]:
    return 8 * c * (n + 1) * math.exp(-n * p / 16), 8 * c * m * eta**k


@given(
    eta=st.floats(0.01, 0.99),
    m=st.integers(2, 50),
    p=st.floats(0.01, 1.0),
    error=st.floats(1e-6, 0.5),
    c_phi=st.floats(0.5, 5.0),
)
def test_the_bound_holds_and_fails_for_smaller_numbers(
    eta: float, m: int, p: float, error: float, c_phi: float
) -> None:
    found = theorem_requirement(eta, n_classes=m, mass=p, error=error, c_phi=c_phi)
    k, n = found.n_neighbors, found.n_rows
    assert k is not None
    assert n is not None
    rows, sets = bound(n, k, eta, m, p, c_phi)
    assert k < n * p / 4
    slack = 1 + 1e-9
    assert rows <= error / 2 * slack
    assert sets <= error / 2 * slack
    if k > 1:
        assert bound(n, k - 1, eta, m, p, c_phi)[1] > error / 2 / slack
    before = bound(n - 1, k, eta, m, p, c_phi)[0]
    assert before > error / 2 / slack or 4 * k >= (n - 1) * p / slack or n - 1 < 16 / p
    # It also holds for larger n.
    assert bound(2 * n, k, eta, m, p, c_phi)[0] <= error / 2 * slack


def test_no_number_at_eta_one_and_one_neighbour_at_eta_zero() -> None:
    at_one = theorem_requirement(1.0, n_classes=3, mass=0.5)
    assert at_one.n_neighbors is None
    assert at_one.n_rows is None
    assert theorem_requirement(0.0, n_classes=3, mass=0.5).n_neighbors == 1


def test_more_neighbours_for_more_ambiguous_sets() -> None:
    needed = [
        theorem_requirement(eta, n_classes=4, mass=0.25).n_neighbors for eta in (0.2, 0.5, 0.9)
    ]
    assert needed == [5, 11, 68]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eta": 1.2}, r"eta must be a number from 0 to 1; got 1\.2"),
        ({"eta": float("nan")}, "eta must be a number from 0 to 1; got nan"),
        ({"n_classes": 1}, "n_classes must be an integer >= 2"),
        ({"mass": 0.0}, "mass must be a finite number > 0 and <= 1"),
        ({"error": 0.0}, "error must be"),
        ({"c_psi": -1.0}, "c_phi c_psi"),
    ],
)
def test_invalid_arguments(changed: dict[str, float], message: str) -> None:
    arguments = {"eta": 0.5, "n_classes": 3, "mass": 0.5, **changed}
    with pytest.raises(ValueError, match=message):
        theorem_requirement(arguments.pop("eta"), **arguments)
