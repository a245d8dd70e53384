"""A symmetric matrix by its eigenvalues, so that every ridge costs only products."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from disambig.exceptions import VotesError
from disambig.notation import FloatArray

__all__ = ["LARGEST_CONDITION", "Spectrum", "spectrum_beside", "spectrum_of"]

# Eigenvalues below -1e-8 times the largest are not rounding.
_NEGATIVE = 1e-8
# Beyond this an inverse in double precision has hardly a correct digit.
LARGEST_CONDITION = 1e14
# The workspace of the quickest driver outgrows the 32-bit integers of common LAPACKs here.
_LARGEST_FOR_EVD = 32_000


@dataclass(frozen=True, eq=False)
class Spectrum:
    """``G = U diag(s) U'`` for a symmetric positive semi-definite G of shape (n, n).

    Parameters
    ----------
    eigenvalues : (r,), ascending, non-negative
    eigenvectors : (n, r), in columns
        r is n, or n - 1 where a direction is left out (`spectrum_beside`). Inverses and other
        functions of G are then those on the rest of the space, and 0 along that direction.
    size : float
        The norm of what was decomposed, at which rounding happened.
    """

    eigenvalues: FloatArray
    eigenvectors: FloatArray
    size: float

    def __post_init__(self) -> None:
        self.eigenvalues.flags.writeable = False
        self.eigenvectors.flags.writeable = False

    def condition(self, ridge: float) -> float:
        """Condition number of ``G + ridge I``, infinite if it is singular."""
        if not self.eigenvalues.size:
            return 1.0
        smallest = self.eigenvalues[0] + ridge
        return float((self.size + ridge) / smallest) if smallest > 0 else float("inf")

    def inverse(self, ridge: float, scales: FloatArray | None = None) -> FloatArray:
        """``(G + ridge I)^{-1}``, (n, n), with row and column i multiplied by ``scales[i]``."""
        return self._filtered(1.0 / (self.eigenvalues + ridge), scales)

    def smoother(self, ridge: float) -> FloatArray:
        """``G (G + ridge I)^{-1}``, (n, n)."""
        return self._filtered(self.eigenvalues / (self.eigenvalues + ridge))

    def remainder(self, ridge: float, scales: FloatArray | None = None) -> FloatArray:
        """``ridge (G + ridge I)^{-1}``, what `smoother` leaves of the identity; scales as above."""
        return self._filtered(ridge / (self.eigenvalues + ridge), scales)

    def _filtered(self, values: FloatArray, scales: FloatArray | None = None) -> FloatArray:
        # Half of the filter on each side makes the product symmetric to the last bit, and lets
        # numpy compute one triangle only.
        half = self.eigenvectors * np.sqrt(values)
        if scales is not None:
            half *= scales[:, None]
        product: FloatArray = half @ half.T
        return product


def spectrum_of(gram: FloatArray) -> Spectrum:
    """Decompose a symmetric matrix; its memory is reused.

    Raises
    ------
    VotesError
        If an eigenvalue is clearly negative. Slightly negative ones are rounding and become 0.

    Examples
    --------
    >>> import numpy as np
    >>> spectrum_of(np.array([[2.0, 0.0], [0.0, 1.0]])).inverse(1.0).round(3)
    array([[0.333, 0.   ],
           [0.   , 0.5  ]])
    """
    values, vectors = _decomposed(gram)
    size = float(max(values[-1], -values[0]))
    return Spectrum(_non_negative(values, size), vectors, size)


def spectrum_beside(gram: FloatArray, direction: FloatArray) -> Spectrum:
    """Decompose a symmetric matrix on the vectors orthogonal to `direction`; its memory is reused.

    With ``u`` the direction at length one and ``P = I - u u'`` this is the spectrum of ``P G P``
    without the eigenvector u: taken out before the decomposition, it cannot come back as rounding
    divided by a small ridge. What G does along u is of no account, indefinite or not.

    Parameters
    ----------
    gram : (n, n)
    direction : (n,), positive

    Examples
    --------
    >>> import numpy as np
    >>> beside = spectrum_beside(np.array([[2.0, 0.0], [0.0, 1.0]]), np.ones(2))
    >>> beside.eigenvalues, beside.inverse(0.0).round(3)
    (array([1.5]), array([[ 0.333, -0.333],
           [-0.333,  0.333]]))
    """
    n = direction.size
    # The reflection H = I - 2 v v' sends u to the first axis (and its sign, chosen so, loses no
    # digit). Then H G H without its first row and column is G on the rest, and H turns back.
    v = direction / np.linalg.norm(direction)
    v[0] += 1.0
    v /= np.linalg.norm(v)
    image = gram @ v
    image = 2.0 * (image - (v @ image) * v)
    gram -= np.multiply.outer(v, image)
    gram -= np.multiply.outer(image, v)
    left_out = float(np.linalg.norm(gram[0]))
    if n == 1:
        return Spectrum(np.zeros(0), np.zeros((1, 0)), left_out)
    values, reflected = _decomposed(gram[1:, 1:])
    size = float(max(values[-1], -values[0])) + left_out
    vectors = np.zeros((n, n - 1))
    vectors[1:] = reflected
    vectors -= np.multiply.outer(v, 2.0 * (v[1:] @ reflected))
    return Spectrum(_non_negative(values, size), vectors, size)


def _decomposed(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    # scipy 1.11 asks LAPACK for too little workspace at n = 1 with "evd".
    driver = "evd" if 1 < gram.shape[0] <= _LARGEST_FOR_EVD else "evr"
    # Of a symmetric matrix the transpose is the same, and in the memory order of LAPACK.
    values, vectors = scipy.linalg.eigh(gram.T, driver=driver, overwrite_a=True, check_finite=False)
    return values, vectors


def _non_negative(values: FloatArray, size: float) -> FloatArray:
    if values[0] < -_NEGATIVE * size:
        raise VotesError(
            f"The kernel matrix is not positive semi-definite: its smallest eigenvalue is "
            f"{values[0]:.3g}, its largest {values[-1]:.3g}. Kernel ridge needs a kernel; pass "
            "weights of any sign as they are with PrecomputedWeights."
        )
    return np.maximum(values, 0.0)
