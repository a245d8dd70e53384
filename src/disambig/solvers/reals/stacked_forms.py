"""Quadratic forms of many problems at once."""

import numpy as np

from disambig.notation import BoolArray, FloatArray

__all__ = ["are_convex", "voted_forms"]

# As in `disambig.quadratic_forms`.
_SMALLEST_SUM = 1e-8
_ROUNDING = 1e-12


def voted_forms(votes: FloatArray) -> tuple[FloatArray, BoolArray]:
    """``Q = diag(A' 1) - A' diag(1 / r) A`` with ``r = A 1`` for a stack of votes, and which count.

    What `voted_form` does for one problem: ``y' Q y`` is what targets y cost under the squared
    loss with the predictions that suit them best.

    Parameters
    ----------
    votes : float array (B, n, n)

    Returns
    -------
    forms : float array (B, n, n)
    convex : bool array (B,)
        Where False there is no form (a row of votes sums to nothing positive; zeros are in its
        place), or it is not convex.

    Examples
    --------
    >>> import numpy as np
    >>> forms, convex = voted_forms(np.array([[[0.5, 0.5], [0.5, 0.5]], [[2, -1], [-1, 2]]]))
    >>> forms[0], convex
    (array([[ 0.5, -0.5],
           [-0.5,  0.5]]), array([ True, False]))
    """
    votes = np.asarray(votes, dtype=np.float64)
    sums, sizes = votes.sum(axis=2), np.abs(votes).sum(axis=2)
    heard = sizes > 0
    exists = ~((sums <= _SMALLEST_SUM * sizes) & heard).any(axis=1)
    usable = heard & exists[:, None]
    half = votes * np.sqrt(np.divide(1.0, sums, out=np.zeros_like(sums), where=usable))[:, :, None]
    forms = -(half.transpose(0, 2, 1) @ half)
    # Q 1 = 0 to rounding, as there.
    entries = np.arange(forms.shape[1])
    forms[:, entries, entries] = 0.0
    forms[:, entries, entries] = -forms.sum(axis=2)
    negative = -np.minimum(votes, 0.0).sum(axis=2)
    convex = exists & ~(negative > _ROUNDING * sizes).any(axis=1)
    doubtful = np.flatnonzero(exists & ~convex)
    convex[doubtful] = are_convex(forms[doubtful])
    return forms, convex


def are_convex(forms: FloatArray) -> BoolArray:
    """Which forms are positive semi-definite, up to rounding, ``(B,)``; ``forms`` is (B, n, n)."""
    if not forms.size:
        return np.ones(len(forms), dtype=bool)
    eigenvalues = np.linalg.eigvalsh(forms)
    return np.asarray(eigenvalues[:, 0] >= -_ROUNDING * np.maximum(eigenvalues[:, -1], 0.0))
