"""Neighbours and rows that the theorem on exponential rates requires."""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from disambig.parameters import check_integer, check_number

# The search for a number of rows stops here.
_MAX_ROWS = 10**15
_Term: TypeAlias = Callable[[int], float]


class Requirement(NamedTuple):
    """Neighbours and rows that suffice for an error; None if no number does.

    Attributes
    ----------
    n_neighbors : int or None
        k.
    n_rows : int or None
        n.
    error, eta, mass : float
        The arguments of `theorem_requirement`.

    Examples
    --------
    >>> theorem_requirement(1.0, n_classes=4, mass=0.25).n_rows is None
    True
    """

    n_neighbors: int | None
    n_rows: int | None
    error: float
    eta: float
    mass: float


def theorem_requirement(
    eta: float,
    *,
    n_classes: int,
    mass: float,
    error: float = 0.05,
    c_phi: float = 1.0,
    c_psi: float = 1.0,
) -> Requirement:
    """``k >= log(16 c_phi c_psi K / error) / |log eta|``, and the smallest n that suffices with it.

    The theorem bounds the excess risk of disambiguation with k nearest neighbours by
    ``8 c_phi c_psi ((n + 1) exp(-n p / 16) + K eta^k)`` if ``k < n p / 4``. Each of the two terms
    gets half of the error; n is the smallest number from which on the bound of the first term and
    the condition hold. The numbers suffice; far smaller ones often do.

    Parameters
    ----------
    eta : float in [0, 1]
        The largest probability that a wrong class is a candidate. At 1 no number of rows suffices.
    n_classes : int
        K.
    mass : float in (0, 1]
        p: the smallest probability of a ball around an input that is too small to contain inputs
        of another class. For separated clusters it is the probability of the smallest cluster.
    error : float > 0
        The excess risk to be reached.
    c_phi, c_psi : float
        The largest norms of the embeddings of targets and predictions. 1 and 1 for the 0-1 loss:
        with ``phi(y) = e_y`` and ``psi(z) = -e_z`` the inner product is the loss minus one, which
        has the same excess risk. Their product scales with the loss. For other losses see
        `disambig.theory.calibration.calibration_constants`.

    Examples
    --------
    >>> theorem_requirement(0.8, n_classes=4, mass=0.25, error=0.05)
    Requirement(n_neighbors=33, n_rows=797, error=0.05, eta=0.8, mass=0.25)
    >>> theorem_requirement(1.0, n_classes=4, mass=0.25).n_neighbors is None
    True
    """
    _check(eta, n_classes, mass, error, c_phi * c_psi)
    constant = 8.0 * c_phi * c_psi
    if eta >= 1.0:
        return Requirement(None, None, error, eta, mass)
    log_ratio = math.log(2.0 * constant * n_classes / error)
    k = 1 if eta == 0.0 else max(1, math.ceil(log_ratio / -math.log(eta)))
    # Strictly more than 4 k / p rows, and at least 16 / p, where the first term begins to fall.
    least = max(math.floor(4 * k / mass) + 1, math.ceil(16 / mass))
    n = _least_rows(
        least, lambda n: math.log(n + 1) - n * mass / 16, math.log(error / constant / 2)
    )
    return Requirement(k, n, error, eta, mass)


def _least_rows(least: int, logarithm: _Term, target: float) -> int | None:
    """The smallest n >= `least` at which a decreasing term is at most `target`."""
    low, high = least, least
    while logarithm(high) > target:
        low, high = high, 2 * high
        if high > _MAX_ROWS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if logarithm(middle) > target:
            low = middle
        else:
            high = middle
    return high


def _check(eta: float, n_classes: int, mass: float, error: float, constant: float) -> None:
    owner = "theorem_requirement"
    check_number(owner, "eta", eta, most=1)
    check_integer(owner, "n_classes", n_classes, least=2)
    check_number(owner, "mass", mass, positive=True, most=1)
    check_number(owner, "error", error, positive=True)
    check_number(owner, "c_phi c_psi", constant, positive=True)
