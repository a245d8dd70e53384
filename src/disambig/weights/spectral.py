"""A symmetric matrix by its eigenvalues, so that every ridge costs only products."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from disambig.exceptions import VotesError
from disambig.notation import FloatArray

__all__ = ["LARGEST_CONDITION", "Spectrum", "spectrum_of"]

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
    eigenvalues : (n,), ascending, non-negative
    eigenvectors : (n, n), in columns
    """

    eigenvalues: FloatArray
    eigenvectors: FloatArray

    def __post_init__(self) -> None:
        self.eigenvalues.flags.writeable = False
        self.eigenvectors.flags.writeable = False

    def condition(self, ridge: float) -> float:
        """Condition number of ``G + ridge I``, infinite if it is singular."""
        smallest, largest = self.eigenvalues[0] + ridge, self.eigenvalues[-1] + ridge
        return float(largest / smallest) if smallest > 0 else float("inf")

    def inverse(self, ridge: float) -> FloatArray:
        """``(G + ridge I)^{-1}``, (n, n)."""
        return self._filtered(1.0 / (self.eigenvalues + ridge))

    def smoother(self, ridge: float) -> FloatArray:
        """``G (G + ridge I)^{-1}``, (n, n)."""
        return self._filtered(self.eigenvalues / (self.eigenvalues + ridge))

    def _filtered(self, values: FloatArray) -> FloatArray:
        # Half of the filter on each side makes the product symmetric to the last bit, and lets
        # numpy compute one triangle only.
        half = self.eigenvectors * np.sqrt(values)
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
    # scipy 1.11 asks LAPACK for too little workspace at n = 1 with "evd".
    driver = "evd" if 1 < gram.shape[0] <= _LARGEST_FOR_EVD else "evr"
    # Of a symmetric matrix the transpose is the same, and in the memory order of LAPACK.
    values, vectors = scipy.linalg.eigh(gram.T, driver=driver, overwrite_a=True, check_finite=False)
    if values[0] < -_NEGATIVE * max(values[-1], -values[0]):
        raise VotesError(
            f"The kernel matrix is not positive semi-definite: its smallest eigenvalue is "
            f"{values[0]:.3g}, its largest {values[-1]:.3g}. Kernel ridge needs a kernel; pass "
            "weights of any sign as they are with PrecomputedWeights."
        )
    return Spectrum(np.maximum(values, 0.0), vectors)
