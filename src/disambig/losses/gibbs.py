"""Laws at a temperature: what both annealed formulations are made of."""

import numpy as np

from disambig.notation import FloatArray

__all__ = ["gibbs", "relative_entropies"]


def gibbs(costs: FloatArray, scales: FloatArray, base: FloatArray) -> FloatArray:
    """``q[i, v]`` proportional to ``base[i, v] exp(-costs[i, v] / scales[i])``, ``(n, V)``.

    The law that minimises ``<q, costs> + scales KL(q | base)`` row by row. Where a scale is 0 the
    costs say nothing either, and the law is the base.

    Preconditions: `base` ``(n, V)`` non-negative with rows that sum to one; `scales` ``(n,)``
    non-negative.

    Examples
    --------
    >>> import numpy as np
    >>> base = np.array([[0.5, 0.5, 0.0]])
    >>> gibbs(np.array([[0.0, 1.0, -9.0]]), np.ones(1), base).round(2)
    array([[0.73, 0.27, 0.  ]])
    """
    allowed = base > 0
    lowest = np.where(allowed, costs, np.inf).min(axis=1, keepdims=True)
    heard = (scales > 0)[:, None]
    # What is not allowed can be far below the lowest: its exponent must not overflow.
    above = np.where(allowed & heard, costs - lowest, 0.0)
    law = base * np.exp(-above / np.where(heard, scales[:, None], 1.0))
    law /= law.sum(axis=1, keepdims=True)
    return law


def relative_entropies(law: FloatArray, base: FloatArray) -> FloatArray:
    """``KL(law[i] | base[i])``, ``(n,)``.

    Examples
    --------
    >>> import numpy as np
    >>> relative_entropies(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(4)
    array([0.6931])
    """
    inside = law > 0
    ratio = np.where(inside, law, 1.0) / np.where(inside, base, 1.0)
    entropies: FloatArray = np.einsum("iv,iv->i", law, np.log(ratio))
    return entropies
