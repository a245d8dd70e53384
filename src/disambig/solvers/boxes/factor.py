"""Newton steps on a few rows of a positive semi-definite array, singular or not."""

from typing import Any

import numpy as np
from scipy.linalg import lapack

from disambig.notation import AnyArray, FloatArray

__all__ = ["ShiftedFactor"]

_SHIFT = 1e-13
_LARGEST_SHIFT = 1e-7
_REFINEMENTS = 2


class ShiftedFactor:
    """Solves ``(Q + diag(extra))[rows, rows] x = b`` where a solution exists.

    Factors ``S (Q + diag(extra))[rows, rows] S + shift I`` with ``S`` such that the diagonal is
    one, then refines: each refinement divides the error along an eigenvalue ``e`` by
    ``1 + e / shift``, and along the null space nothing is added. So a singular ``Q`` (votes that
    sum to one leave ``Q 1 = 0``) gets nearly the shortest solution and never a huge one.

    Parameters
    ----------
    Q : (n, n) array
        Symmetric, positive semi-definite up to rounding.
    rows : (m,) int array
    extra : (m,) array, optional
        Non-negative; added to the diagonal.

    Raises
    ------
    ValueError
        Where ``Q`` is clearly not positive semi-definite.
    """

    def __init__(self, Q: FloatArray, rows: AnyArray, extra: FloatArray | None = None) -> None:
        block = Q[np.ix_(rows, rows)]
        if extra is not None:
            block.flat[:: len(block) + 1] += extra
        diagonal = np.diagonal(block)
        self._scale: FloatArray = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        self._block: FloatArray = block
        self._factor = self._factorize()

    def solve(self, b: FloatArray) -> FloatArray:
        """A solution, ``(m,)``."""
        x = self._once(b)
        for _ in range(_REFINEMENTS):
            x = x + self._once(b - self._block @ x)
        return x

    def _once(self, b: FloatArray) -> FloatArray:
        x, _ = lapack.dpotrs(self._factor, self._scale * b, lower=1, overwrite_b=1)
        solution: FloatArray = self._scale * x
        return solution

    def _factorize(self) -> Any:
        shift = _SHIFT
        while shift <= _LARGEST_SHIFT:
            scaled = self._block * self._scale
            scaled *= self._scale[:, None]
            scaled.flat[:: len(scaled) + 1] += shift
            # The transpose of a C-ordered symmetric array is what LAPACK can factor in place.
            factor, failed = lapack.dpotrf(scaled.T, lower=1, clean=0, overwrite_a=1)
            if not failed:
                return factor
            shift *= 10.0
        raise ValueError(
            "projected_newton: Q has a clearly negative eigenvalue, so the problem is not convex. "
            "Give a positive semi-definite Q; for signed votes use alternating minimisation."
        )
