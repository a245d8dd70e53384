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

# The relative entropy of the shares counts this many times as much as those of the rows: shares may
# differ from the given ones where many votes say so.
_STRENGTH = 3.0
# The multipliers converge linearly, with a factor of at most strength / (1 + strength).
_MAX_ROUNDS, _PRECISION = 60, 1e-6
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
    strength: float = _STRENGTH

    def held(self, targets: SoftFaces, degrees: FloatArray) -> SoftFaces:
        """The minimiser of the objective with the shares, from the one without them.

        Distributions are multiplied by ``exp(b)`` and scaled to sum one. With ``b = strength (log
        pi - log s(b))`` they minimise the objective; the iteration ``b <- r (b + log pi - log
        s(b))`` with ``r = strength / (1 + strength)`` has this fixed point.
        """
        total = float(degrees.sum())
        if total <= 0:
            return targets
        q, weights, held = targets.distribution, degrees / total, self.shares > 0
        rate = self.strength / (1.0 + self.strength)
        logs = np.zeros(len(self.shares))
        for _ in range(_MAX_ROUNDS):
            factors = np.exp(logs)
            sums = np.maximum(q @ factors, _LEAST)
            found = factors * ((weights / sums) @ q)
            change = np.log(np.where(held, self.shares, 1.0)) - np.log(np.maximum(found, _LEAST))
            newer = np.where(held, rate * (logs + change), 0.0)
            moved = float(np.abs(newer - logs).max())
            logs = newer
            if moved < _PRECISION:
                break
        scaled = q * np.exp(logs)
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


def average_shares(prior: FloatArray) -> FloatArray:
    """The mean prior ``(K,)`` of the rows that prefer a class; of all rows if none does.

    Examples
    --------
    >>> import numpy as np
    >>> average_shares(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    possible = prior.any(axis=0)
    prefers = np.ptp(prior[:, possible], axis=1) > 0
    shares: FloatArray = (prior[prefers] if prefers.any() else prior).mean(axis=0)
    return shares


def balance_of(class_shares: Any, prior: FloatArray) -> ClassBalance | None:
    """The balance of the parameter `class_shares` of a solver; None for None."""
    if class_shares is None:
        return None
    if isinstance(class_shares, str) and class_shares == "average":
        return ClassBalance(average_shares(prior))
    given = np.asarray(class_shares)
    is_table = given.dtype.kind in "iuf" and given.shape == (prior.shape[1],)
    shares = given.astype(np.float64) if is_table else np.zeros(0)
    if not shares.size or not (np.isfinite(shares) & (shares >= 0)).all() or shares.sum() <= 0:
        raise ValueError(
            "AnnealedMinimization: class_shares must be None, 'average' or one number >= 0 for "
            f"each of the {prior.shape[1]} classes, not all zero; got {class_shares!r}."
        )
    return ClassBalance(shares / shares.sum())
