"""Observed signs, pairs of an order or known bits, that the other rows contradict beyond a price.

Rows that never saw a sign give it the probability p. It leaves if ``log((1 - p) / p)`` is more than
the price. This p is that of the true sign: the calibrated share of signs that are wrong or that
nothing predicts is taken out, and p has the power that `fit_wrong_sets` finds, because wrong signs
soften what is learned.

The pairs of an order cannot leave one by one: of ``a > b > c`` the pair ``a > c`` alone cannot be
dropped, since the others imply it. So a row with such a pair takes the order of least total cost:
``-log p`` of all its pairs, and the price for each observed pair that it reverses. The reversed
pairs are dropped, and the others are compatible with that order.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from disambig.candidates import PartialBits, PartialOrders
from disambig.estimators.held_out.sign_likelihood import CLIP, fit_sign_calibration
from disambig.estimators.held_out.tag_shares import tag_signs
from disambig.estimators.held_out.wrong_sets import WrongSets
from disambig.estimators.held_out.wrong_signs import fit_wrong_signs
from disambig.estimators.mixed_ranking import best_in_sets
from disambig.losses import KendallLoss
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import AnyArray, BoolArray, FloatArray

# Calibrated probabilities are moved this far from 0 and 1, so that their logits are finite.
_LEAST = 1e-9
_UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class SignVerdict:
    """What rows that never saw the signs say about them.

    Attributes
    ----------
    sets : PartialOrders or PartialBits
    signs : array (n, p)
        Observed signs, 0 where there is none.
    logits : float array (n, p)
        ``log(p / (1 - p))`` of the sign +1.
    wrong_signs : WrongSets
    log_likelihood : float
        Of the observed signs; those of one row count as one.
    """

    sets: PartialOrders | PartialBits
    signs: AnyArray
    logits: FloatArray
    wrong_signs: WrongSets
    log_likelihood: float

    @property
    def is_known(self) -> bool:
        return self.wrong_signs.is_known

    @property
    def wrong_share(self) -> float:
        return self.wrong_signs.share

    @property
    def trial_price(self) -> float:
        """Infinite: wrong signs soften probabilities, but do not hide behind each other."""
        return float(np.inf)

    def widened(self, price: float) -> PartialOrders | PartialBits:
        """The sets without the signs that leave."""
        leaves = -self.signs * self.logits > price
        if isinstance(self.sets, PartialBits):
            return PartialBits(np.where(leaves, _UNKNOWN, self.sets.bits), self.sets.tags)
        rows = np.flatnonzero(leaves.any(axis=1))
        if not rows.size:
            return self.sets
        before = self.sets.before.copy()
        before[rows] &= self._cheapest(rows, price)
        return PartialOrders(before, self.sets.items)

    def _cheapest(self, rows: AnyArray, price: float) -> BoolArray:
        """Which item stands before which in the orders of least cost, ``(rows, m, m)``."""
        gains = self.logits[rows] + price * self.signs[rows]
        largest = np.abs(gains).max(axis=1, initial=0.0, keepdims=True)
        shares = 0.5 + 0.5 * gains / np.maximum(largest, _LEAST)
        assert isinstance(self.sets, PartialOrders)
        m = self.sets.n_items
        free = PartialOrders(np.zeros((rows.size, m, m), dtype=np.bool_))
        loss = KendallLoss().bind(free.items)
        assert isinstance(loss, BoundKendall)
        ranks = best_in_sets(loss, shares, free).outputs
        return np.asarray(ranks[:, :, None] < ranks[:, None, :])


def opened_orders(orders: PartialOrders, rows: BoolArray) -> PartialOrders:
    """The same orders, without any pair in some rows ``(n, 1)``."""
    return PartialOrders(orders.before & ~rows[:, :, np.newaxis], orders.items)


def opened_bits(bits: PartialBits, rows: BoolArray) -> PartialBits:
    """The same bits, with nothing known in some rows ``(n, 1)``."""
    return PartialBits(np.where(rows, _UNKNOWN, bits.bits), bits.tags)


def judge_orders(
    shares: FloatArray, orders: PartialOrders, sample_weight: FloatArray
) -> SignVerdict:
    """The verdict of held-out shares ``(n, pairs)`` of i before j."""
    return _judged(shares, orders, orders.signs(), sample_weight)


def judge_bits(shares: FloatArray, bits: PartialBits, sample_weight: FloatArray) -> SignVerdict:
    """The verdict of held-out shares ``(n, m)`` of tags that are on."""
    return _judged(shares, bits, tag_signs(bits), sample_weight)


def _judged(
    shares: FloatArray,
    sets: PartialOrders | PartialBits,
    signs: AnyArray,
    sample_weight: FloatArray,
) -> SignVerdict:
    calibration = fit_sign_calibration(shares, signs, sample_weight)
    probabilities = calibration(shares)
    wrong = fit_wrong_signs(calibration, probabilities, signs, sample_weight)
    observed = signs != 0
    own = np.where(signs > 0, probabilities, 1.0 - probabilities)
    logs = np.where(observed, np.log(np.maximum(own, _LEAST)), 0.0).sum(axis=1)
    n_rows = int(np.count_nonzero(observed.any(axis=1)))
    log_likelihood = float(sample_weight @ logs) * n_rows / max(int(observed.sum()), 1)
    least = _LEAST if calibration.is_fitted else CLIP
    right = np.clip(calibration.unmixed(probabilities), least, 1.0 - least)
    logits = wrong.power * logit(right)
    return SignVerdict(sets, signs, logits, wrong, log_likelihood)
