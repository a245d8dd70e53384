"""Which labels leave their sets, and the probabilities of all classes when some may.

With a price of the user, a label leaves where the others find a class outside of its set more than
``exp(price)`` times as probable as the best one inside.

"auto" estimates how many sets are wrong, and then a label leaves where its set is wrong with a
posterior above .9 (`WrongSets`). The posterior has the probabilities of the others to a power:
wrong sets soften them, so much that with few classes hardly any label would leave otherwise. Below
.9, right sets that are left by mistake cost more than what wrong ones gain.
"""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.tolerance import tolerant_weights
from disambig.estimators.held_out.label_judges import restricted
from disambig.estimators.held_out.wrong_sets import WrongSets, fit_wrong_sets
from disambig.estimators.prediction import RowLabels
from disambig.notation import BoolArray, FloatArray, IntArray

# Of .8, .9 and .95, on satimage, vehicle, vowel, iris, wine and breast cancer.
_LEAST_POSTERIOR = 0.9


@dataclass(frozen=True, eq=False)
class Leaving:
    """When labels leave their sets.

    Attributes
    ----------
    price : float
        Infinite: never.
    wrong_sets : WrongSets or None
        Of "auto": by these a label leaves, and not by the price alone; none does if they are not
        known.
    """

    price: float = np.inf
    wrong_sets: WrongSets | None = None

    def judged_again(
        self, distributions: FloatArray, sets: LabelSets, sample_weight: FloatArray
    ) -> "Leaving":
        """The same by what the rows say ``(n, K)`` when labels may leave.

        If these show no wrong sets, what the first fit has shown is kept.
        """
        if self.wrong_sets is None:
            return self
        found = fit_wrong_sets(distributions, sets.mask, sample_weight)
        return Leaving(self.price, found) if found.share > 0 else self

    def shares(self, distributions: FloatArray, sets: LabelSets) -> FloatArray:
        """Probabilities of all classes by the others and by the set of the row, ``(n, K)``.

        Parameters
        ----------
        distributions : float array (n, K)
            By rows that never saw the set.
        sets : LabelSets, n rows
        """
        if self.wrong_sets is None:
            return tolerant_shares(distributions, sets, self.price)
        posterior = self.wrong_sets.posterior(distributions, sets.mask)[:, np.newaxis]
        sharpened = self.wrong_sets.sharpened(distributions)
        inside = np.where(sets.mask, sharpened, 0.0)
        return _scaled(inside, 1.0 - posterior) + _scaled(sharpened - inside, posterior)

    def codes(
        self, inside: IntArray, shares: FloatArray, mask: BoolArray
    ) -> tuple[IntArray, BoolArray]:
        """The labels of rows ``(n,)``, and which of them are outside of their sets.

        Parameters
        ----------
        inside : int array (n,)
            The labels of rows that stay.
        shares : float array (n, K)
        mask : bool array (n, K)
        """
        rows = np.arange(len(mask))
        if self.wrong_sets is None:
            best = shares.argmax(axis=1)
            leaves = ~mask[rows, best]
        else:
            outside = np.where(mask, -1.0, shares)
            best = outside.argmax(axis=1)
            leaves = np.where(mask, 0.0, shares).sum(axis=1) > _LEAST_POSTERIOR
        return np.where(leaves, best, inside), leaves

    def left(self, found: RowLabels, mask: BoolArray) -> tuple[RowLabels, BoolArray]:
        """Labels inside their sets, with those that leave, and which do."""
        codes, leaves = self.codes(found.codes, found.shares, mask)
        return RowLabels(codes, found.decided | leaves, found.shares), leaves


def tolerant_shares(distributions: FloatArray, sets: LabelSets, price: float) -> FloatArray:
    """``P_i(y)``, times ``exp(-price)`` outside of the sets, scaled to sum one, ``(n, K)``."""
    if np.isinf(price):
        return restricted(distributions, sets.mask)
    possible = np.asarray(sets.mask.any(axis=0))
    weights = tolerant_weights(sets.mask, price, possible)
    return restricted(distributions * weights, np.broadcast_to(possible, sets.mask.shape))


def _scaled(values: FloatArray, sums: FloatArray) -> FloatArray:
    """Rows ``(n, K)`` scaled to these sums ``(n, 1)``; rows of zeros stay."""
    total = values.sum(axis=1, keepdims=True)
    factor = np.divide(sums, total, out=np.zeros(total.shape), where=total > 0)
    scaled: FloatArray = values * factor
    return scaled
