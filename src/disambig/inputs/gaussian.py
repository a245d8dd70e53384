"""`GaussianFill`: the regression of a missing cell on the known ones, by mean and covariance."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from disambig.notation import FloatArray

# With more columns a row costs too much: the inverse of a matrix of so many columns.
MAX_COLUMNS = 100
# Steps of expectation-maximisation, and the change of the mean that is small enough.
_MAX_STEPS, _SMALL = 15, 1e-3
# The prior covariance, the identity, counts as this share of the columns in rows, at least so many.
_PRIOR_SHARE, _MIN_PRIOR = 0.25, 5.0
# Entries of the matrices that are inverted at a time.
_BLOCK_ENTRIES = 2**20


@dataclass(frozen=True, eq=False)
class GaussianFill:
    """The conditional mean of missing cells given the known ones under a normal distribution.

    With precision ``P = covariance^-1``, missing cells m and known cells o,
    ``z_m = mean_m - P_mm^-1 P_mo (z_o - mean_o)``. Mean and covariance maximise the likelihood of
    the known cells times a prior that draws the covariance to the identity, by
    expectation-maximisation.

    Attributes
    ----------
    mean : float array (k,)
    covariance : float array (k, k)

    Examples
    --------
    >>> import numpy as np
    >>> z = np.random.default_rng(0).normal(size=500)
    >>> fill = GaussianFill.of(np.column_stack([z, z]), np.ones(500))
    >>> float(fill(np.array([[1.0, np.nan]]))[0, 1].round(2))
    0.99
    """

    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, Z: FloatArray, sample_weight: FloatArray, start: Self | None = None) -> Self:
        """From rows ``(n, k)`` in columns of mean 0 and variance 1, NaN where missing.

        Steps begin at `start`, or at independent columns.
        """
        k = Z.shape[1]
        total = sample_weight.sum()
        prior = max(_MIN_PRIOR, _PRIOR_SHARE * k)
        found = cls(np.zeros(k), np.eye(k)) if start is None else start
        for _ in range(_MAX_STEPS if np.isnan(Z).any() else 1):
            filled, rest = found._completed(Z, sample_weight)
            mean = sample_weight @ filled / total
            away = filled - mean
            scatter = (away * sample_weight[:, None]).T @ away + rest
            covariance = (scatter + prior * np.eye(k)) / (total + prior)
            before, found = found, cls(mean, covariance)
            if np.abs(covariance - before.covariance).max() < _SMALL:
                break
        return found

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Rows with conditional means for missing cells, ``(q, k)``."""
        return self._completed(Z)[0]

    def residuals(self, Z: FloatArray) -> FloatArray:
        """Known cells minus their means given the others of their row, ``(q, k)``; else NaN.

        With the precision P of the known cells o, ``(P (z_o - mean_o))_c / P_cc``.
        """
        k = Z.shape[1]
        found = np.empty(Z.shape)
        step = max(1, _BLOCK_ENTRIES // k**2)
        for start in range(0, len(Z), step):
            part = Z[start : start + step]
            known = ~np.isnan(part)
            both = known[:, :, None] & known[:, None, :]
            precision = np.linalg.inv(np.where(both, self.covariance, np.eye(k)))
            away = np.where(known, part - self.mean, 0.0)
            diagonal = np.diagonal(precision, axis1=1, axis2=2)
            pulled = (precision @ away[:, :, None])[:, :, 0] / diagonal
            found[start : start + step] = np.where(known, pulled, np.nan)
        return found

    def _completed(
        self, Z: FloatArray, sample_weight: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Rows with conditional means, and the sum of conditional covariances, ``(k, k)``.

        The latter only with weights.
        """
        k = Z.shape[1]
        precision = np.linalg.inv(self.covariance)
        filled, rest = Z.copy(), np.zeros((k, k))
        open_rows = np.flatnonzero(np.isnan(Z).any(axis=1))
        step = max(1, _BLOCK_ENTRIES // k**2)
        for start in range(0, open_rows.size, step):
            rows = open_rows[start : start + step]
            missing = np.isnan(Z[rows])
            both = missing[:, :, None] & missing[:, None, :]
            inside = np.where(both, precision, np.eye(k))
            pull = np.where(missing, 0.0, Z[rows] - self.mean) @ precision
            pull[~missing] = 0.0
            if sample_weight is None:
                moved = np.linalg.solve(inside, pull[:, :, None])[:, :, 0]
            else:
                covariances = np.where(both, np.linalg.inv(inside), 0.0)
                moved = np.einsum("rij,rj->ri", covariances, pull)
                rest += np.tensordot(sample_weight[rows], covariances, 1)
            filled[rows] = np.where(missing, self.mean - moved, Z[rows])
        return filled, rest
