"""Class shares that distributions of labels are held near, so that rare classes do not vanish.

As the temperature falls, classes with many votes gain at the expense of the others; where sets miss
the truth, or have frequent wrong members, they can absorb whole classes. The shares ``s`` of the
classes are therefore compared with given ones, ``pi``, by a relative entropy.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.losses.labels.soft import SoftFaces
from disambig.notation import FloatArray

# Newton steps, the largest change of a logarithm in one of them, and the precision of the shares.
_MAX_STEPS, _LARGEST_CHANGE, _PRECISION = 60, 10.0, 1e-10
# A step is halved until the objective falls by this part of what its slope promises.
_SUFFICIENT, _LEAST_STEP = 1e-4, 1e-6
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class ClassBalance:
    """Adds ``strength D KL(s | pi)`` to an annealed objective, in units of its temperature.

    Here ``s = sum_i d_i q_i / D`` with the degrees ``d`` of the rows, the sums of their votes, and
    their sum ``D``.

    Parameters
    ----------
    shares : float array (K,)
        ``pi``: not negative, with sum one; a class of share 0 is left as it is.
    strength : float

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.losses.labels.faces import ComplementEmbedding
    >>> q = np.array([[0.9, 0.1], [0.8, 0.2]])
    >>> targets = SoftFaces(q, ComplementEmbedding(), np.full((2, 2), 0.5))
    >>> balance = ClassBalance(np.array([0.5, 0.5]))
    >>> balance.held(targets, np.ones(2)).distribution.mean(axis=0).round(2).tolist()
    [0.61, 0.39]
    """

    shares: FloatArray
    strength: float = 3.0

    def held(self, targets: SoftFaces, degrees: FloatArray) -> SoftFaces:
        """The minimiser of the objective with the shares, from the one without them.

        Distributions are multiplied by ``exp(b)`` and scaled to sum one; see `share_logarithms`.
        """
        total = float(degrees.sum())
        if total <= 0:
            return targets
        q = targets.distribution
        logs = share_logarithms(q, degrees / total, self.shares, self.strength)
        scaled = q * np.exp(logs - logs.max())
        scaled /= np.maximum(scaled.sum(axis=1, keepdims=True), _LEAST)
        # A row without votes keeps its prior.
        scaled = np.where((degrees > 0)[:, None], scaled, q)
        return SoftFaces(scaled, targets.embedding, targets.prior)

    def penalty(self, targets: SoftFaces, degrees: FloatArray) -> float:
        """``strength D KL(s | pi)``."""
        total = float(degrees.sum())
        if total <= 0:
            return 0.0
        found = degrees @ targets.distribution / total
        held = (self.shares > 0) & (found > 0)
        return self.strength * total * float(found[held] @ np.log(found[held] / self.shares[held]))


def share_logarithms(
    q: FloatArray, weights: FloatArray, shares: FloatArray, strength: float
) -> FloatArray:
    """``b`` with ``b = strength (log pi - log s(b))``, the logarithms of multipliers, ``(K,)``.

    Here ``s(b)`` are the shares of the distributions ``q exp(b)``, scaled to sum one. They are the
    zero of the gradient of ``sum_i w_i log sum_k q_ik exp(b_k) + strength sum_k pi_k exp(-b_k /
    strength)``, which is strictly convex; found by Newton steps.

    Parameters
    ----------
    q : float array (n, K)
    weights : float array (n,)
        Of the rows, with sum one.
    shares : float array (K,)
        ``pi``; a class of share 0 has ``b = 0``.
    strength : float > 0

    Examples
    --------
    >>> import numpy as np
    >>> q = np.array([[0.9, 0.1], [0.8, 0.2]])
    >>> b = share_logarithms(q, np.full(2, 0.5), np.array([0.5, 0.5]), 3.0)
    >>> scaled = q * np.exp(b)
    >>> (scaled / scaled.sum(axis=1, keepdims=True)).mean(axis=0).round(2).tolist()
    [0.61, 0.39]
    """
    held = shares > 0
    logs = np.zeros(len(shares))

    def objective(trial: FloatArray) -> float:
        top = float(trial.max())
        sums = q @ np.exp(trial - top)
        own = float(weights @ np.log(np.maximum(sums, _LEAST))) + top * float(weights.sum())
        # Without the constant, which would hide what changes if the strength is large.
        return own + strength * float(shares @ np.expm1(-trial / strength))

    def slope_of(trial: FloatArray) -> tuple[FloatArray, FloatArray]:
        scaled = q * np.exp(trial - trial.max())
        scaled /= np.maximum(scaled.sum(axis=1, keepdims=True), _LEAST)
        found, wanted = weights @ scaled, shares * np.exp(-trial / strength)
        curvature = np.diag(found + wanted / strength) - scaled.T @ (weights[:, None] * scaled)
        return np.where(held, found - wanted, 0.0), curvature

    value = objective(logs)
    slope, curvature = slope_of(logs)
    for _ in range(_MAX_STEPS):
        if np.abs(slope).max() < _PRECISION:
            break
        change = np.zeros(len(shares))
        change[held] = -np.linalg.solve(curvature[np.ix_(held, held)], slope[held])
        change *= min(1.0, _LARGEST_CHANGE / float(np.abs(change).max()))
        step, promised = 1.0, float(slope @ change)
        newer = objective(logs + change)
        while newer > value + _SUFFICIENT * step * promised and step > _LEAST_STEP:
            step /= 2
            newer = objective(logs + step * change)
        if newer >= value:
            # Too near for the objective to tell points apart; its slope still can.
            step = 1.0
        trial = logs + step * change
        trial_slope, curvature = slope_of(trial)
        if newer >= value and np.abs(trial_slope).max() >= np.abs(slope).max():
            # What is left is rounding.
            break
        logs, value, slope = trial, min(value, newer), trial_slope
    return logs


def average_shares(prior: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The mean prior ``(K,)`` of the rows that prefer a class; of all rows if none does.

    Parameters
    ----------
    prior : float array (n, K)
    weights : float array (n,), optional
        Of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> average_shares(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    possible = prior.any(axis=0)
    prefers = np.ptp(prior[:, possible], axis=1) > 0
    rows = prefers if prefers.any() else np.ones(len(prior), np.bool_)
    taken = None if weights is None else weights[rows]
    shares: FloatArray = np.average(prior[rows], axis=0, weights=taken)
    return shares


def balance_of(class_shares: Any, strength: float, prior: FloatArray) -> ClassBalance | None:
    """The balance of the parameters `class_shares` and `share_strength`; None without shares."""
    if class_shares is None:
        return None
    if isinstance(class_shares, str) and class_shares == "average":
        return ClassBalance(average_shares(prior), strength)
    given = np.asarray(class_shares)
    is_table = given.dtype.kind in "iuf" and given.shape == (prior.shape[1],)
    shares = given.astype(np.float64) if is_table else np.zeros(0)
    if not shares.size or not (np.isfinite(shares) & (shares >= 0)).all() or shares.sum() <= 0:
        raise ValueError(
            "AnnealedMinimization: class_shares must be None, 'average' or one number >= 0 for "
            f"each of the {prior.shape[1]} classes, not all zero; got {class_shares!r}."
        )
    return ClassBalance(shares / shares.sum(), strength)
