"""The embedding of vectors of signs: the bits of a tag vector, or the pairs of an order."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import FloatArray


@dataclass(frozen=True, eq=False)
class SignEmbedding:
    """Maps signs (1, -1, or means of them), ``(n, m)``, to ``(factors * signs, constant)``.

    Parameters
    ----------
    factors : float array (m,)
    constant : float
    """

    factors: FloatArray
    constant: float

    def embed(self, signs: FloatArray) -> FloatArray:
        """``(n, m)`` to ``(n, m + 1)``."""
        embedded = np.full((len(signs), signs.shape[1] + 1), self.constant)
        np.multiply(signs, self.factors, out=embedded[:, :-1])
        return embedded
