"""Random cosines and sines whose inner products approximate a kernel."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import FloatArray

__all__ = ["Waves", "draw_waves"]


@dataclass(frozen=True, eq=False)
class Waves:
    """``phi(x) = (cos(omega_k' x), sin(omega_k' x)) / sqrt(m)``, k = 1 ... m.

    Parameters
    ----------
    frequencies : float64, (d, m)
        omega.
    """

    frequencies: FloatArray

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, 2 m)``."""
        m = self.frequencies.shape[1]
        angles = np.asarray(X @ self.frequencies)
        features = np.empty((X.shape[0], 2 * m))
        np.cos(angles, out=features[:, :m])
        np.sin(angles, out=features[:, m:])
        features /= np.sqrt(m)
        return features

    @property
    def rank(self) -> int:
        """2 m."""
        return 2 * int(self.frequencies.shape[1])

    @property
    def triangle(self) -> None:
        """Features are as they come."""
        return None

    def raw(self, X: Any) -> FloatArray:
        """The features themselves."""
        return self(X)

    def squares(self, X: Any) -> FloatArray:
        """Squared lengths, which are one, ``(q,)``."""
        return np.ones(X.shape[0])


def draw_waves(
    kernel: str, d: int, count: int, bandwidth: float, random: np.random.RandomState
) -> Waves:
    """So many features, half of them cosines, for the "gaussian" or the "laplacian" kernel.

    Examples
    --------
    >>> import numpy as np
    >>> phi = draw_waves("laplacian", 1, 20_000, 2.0, np.random.RandomState(0))
    >>> one, other = phi(np.array([[0.0], [2.0]]))
    >>> bool(abs(one @ other - np.exp(-1.0)) < 0.02)
    True
    """
    m = count // 2
    if kernel == "laplacian":
        # The Fourier transform of exp(-|t| / h), coordinate by coordinate.
        return Waves(random.standard_cauchy(size=(d, m)) / bandwidth)
    groups = []
    for start in range(0, m, d):
        width = min(d, m - start)
        turned, _ = np.linalg.qr(random.standard_normal(size=(d, width)))
        # Directions orthogonal to each other, lengths as those of normal vectors.
        lengths = np.sqrt(random.chisquare(d, size=width))
        groups.append(turned * lengths)
    return Waves(np.concatenate(groups, axis=1) / bandwidth)
