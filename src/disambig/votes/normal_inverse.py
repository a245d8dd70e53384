"""The inverse of the normal equations of a ridge regression, by iteration."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from disambig.exceptions import ConvergenceWarning
from disambig.notation import FloatArray

__all__ = ["NormalInverse"]

_TOLERANCE = 1e-12
_MAX_ITER = 500


@dataclass(frozen=True, eq=False)
class NormalInverse:
    """``(Phi' W Phi + ridge I)^{-1}``, of which only products are computed.

    Conjugate gradients with the same matrix of a sample of rows as preconditioner (Rudi et al.,
    2017): some tens of products with Phi and its transpose, whatever their size.

    Parameters
    ----------
    rows : object with ``@`` and ``gather(values)`` = ``Phi' @ values``
        Phi, (n, r).
    masses : float array, (n,)
        The diagonal of W.
    ridge : float > 0
    factor : float array, (r, r), upper
        F with F' F the preconditioner.
    constant : bool
        Is the last column of Phi constant, with weighted mean zero of all others, and without
        ridge? It has no part in factor.
    """

    rows: Any
    masses: FloatArray
    ridge: float
    factor: FloatArray
    constant: bool

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """The inverse times values ``(r, k)``."""
        found = np.zeros(values.shape)
        held = self.factor.shape[0]
        found[held:] = values[held:] / self.masses.sum()
        # Columns of one size: a column of zeros needs no step.
        start = self._back(values[:held], transposed=True)
        size = np.sqrt((start * start).sum(axis=0))
        moving = np.flatnonzero(size > 0)
        if moving.size:
            solved = self._solve(start[:, moving] / size[moving])
            found[:held, moving] = self._back(solved * size[moving], transposed=False)
        return found

    def _back(self, values: FloatArray, *, transposed: bool) -> FloatArray:
        solved: FloatArray = solve_triangular(
            self.factor, values, trans=int(transposed), check_finite=False
        )
        return solved

    def _apply(self, values: FloatArray) -> FloatArray:
        """``F^{-T} (Phi' W Phi + ridge I) F^{-1} @ values``."""
        inner = self._back(values, transposed=False)
        held = self.factor.shape[0]
        padded = np.vstack([inner, np.zeros((int(self.constant), inner.shape[1]))])
        image = self.rows.gather(self.masses[:, None] * (self.rows @ padded))[:held]
        return self._back(image + self.ridge * inner, transposed=True)

    def _solve(self, values: FloatArray) -> FloatArray:
        solution, residual = np.zeros(values.shape), values.copy()
        direction, before = residual.copy(), (residual * residual).sum(axis=0)
        after = before
        for _ in range(_MAX_ITER):
            image = self._apply(direction)
            curvature = (direction * image).sum(axis=0)
            length = np.divide(before, curvature, out=np.zeros_like(before), where=curvature > 0)
            solution += length * direction
            residual -= length * image
            after = (residual * residual).sum(axis=0)
            if after.max() <= _TOLERANCE**2:
                return solution
            turn = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
            direction, before = residual + turn * direction, after
        warnings.warn(
            f"The regression on {values.shape[0]} features is solved to "
            f"{np.sqrt(after.max()):.1e} instead of {_TOLERANCE:.0e} after {_MAX_ITER} iterations; "
            "votes are that inexact. Use solver='direct', or a larger regularization.",
            ConvergenceWarning,
            stacklevel=2,
        )
        return solution
