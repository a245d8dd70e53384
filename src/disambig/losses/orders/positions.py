"""A start for losses of positions: what the observed pairs of all rows say together.

Position by position a partial order says little, and its mean order drags every item to the middle:
begun there, descent ends high. Pairs say exactly what was seen. So the first targets are those of
the Kendall loss: the order that the votes on observed pairs call for at each row, and the
candidates that suit these orders best.

Losses that compare the positions of each item: the footrule, discounted gain, and their like.

Discounted cumulative gain as a loss between orders: the top counts most.

Spearman's footrule between orders: how far the items are displaced.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.means import mean_orders
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.orderings import (
    OrderDecoder,
    pair_costs,
    place_orders,
    signs_of_pairs,
    tied_orders,
    tied_signs,
)
from disambig.votes import Votes

_RTOL = 1e-10


def pairwise_start(votes: Votes, orders: PartialOrders) -> FloatArray:
    """``[j, i, k]``: share of the first targets of row j that have item i at position k.

    One round of the Kendall loss: predictions for the observed pairs, targets for the predictions,
    uniform over ties (one order where more than 20 items hang together).

    Parameters
    ----------
    votes : Votes (n, n)
    orders : PartialOrders, n rows

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> orders = PartialOrders.from_strings(["a>b", "b>c"])
    >>> pairwise_start(as_votes(np.ones((2, 2))), orders)[0]
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    m, decoder = orders.n_items, OrderDecoder()
    # Costs fall with the votes for a pair.
    heard = votes @ orders.signs().astype(np.float64)
    first = tied_signs(-heard, m, tolerance=_RTOL * votes.absolute_row_sums(), decoder=decoder)
    back = votes.T
    called_for = back @ first.signs
    law = tied_orders(
        pair_costs(-called_for, m),
        orders.before,
        tolerance=_RTOL * back.absolute_row_sums(),
        decoder=decoder,
    )
    return law.places


@dataclass(frozen=True, eq=False)
class BoundPlaceLoss:
    """``loss(z, y) = constant + sum_i <prediction_table[z(i)], target_table[y(i)]>``.

    So ``phi(y)`` is a row of `target_table` for each item, and 1; ``psi(z)`` a row of
    `prediction_table` for each item, and the constant: ``p = m c + 1``. The mean of tied orders
    is that of their positions.

    Parameters
    ----------
    name : str
        For messages.
    prediction_table, target_table : float array (m, c)
        One row a position. Tables of one column are monotone.
    constant : float
    """

    name: str
    prediction_table: FloatArray
    target_table: FloatArray
    constant: float

    @property
    def n_items(self) -> int:
        """``m``."""
        return len(self.target_table)

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, p)``."""
        return _joined(self.target_table[ranks], 1.0)

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        return _joined(self.prediction_table[ranks], self.constant)

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions."""
        if kind == "average":
            means = mean_orders(candidates)
            return _joined(means.places @ self.target_table, 1.0)[means.rows]
        if kind == "infimum":
            # What is nearest to a prediction is not a function of its positions one by one.
            raise MissingOracleError(
                f"start='infimum' is not to be had for {self.name}; use start='average'."
            )
        raise ValueError(f"start={kind!r} is not known to {self.name}; choose 'average'.")

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> FloatArray:
        """The targets that the observed pairs call for under the Kendall loss, ``(n, p)``."""
        return _joined(pairwise_start(votes, candidates) @ self.target_table, 1.0)

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        return self._faces(scores, self.prediction_table, self.constant, None, tolerance)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        return self._faces(scores, self.target_table, 1.0, candidates.before, tolerance)

    def _faces(
        self,
        scores: FloatArray,
        table: FloatArray,
        last: float,
        before: AnyArray | None,
        tolerance: FloatArray,
    ) -> OrderFaces:
        by_item = scores[:, :-1].reshape(len(scores), *table.shape)
        law = place_orders(by_item, table, before, tolerance)
        corners = _joined(table[law.ranks], last)
        means = _joined(law.places @ table, last)
        # Positions with equal rows of the table add up to that row; rounding must not make a
        # difference of it.
        means = np.where(np.isclose(means, corners, rtol=1e-13, atol=0.0), corners, means)

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items numbered backwards: ties fall the other way.
            forced = None if before is None else before[rows][:, ::-1, ::-1]
            other = place_orders(by_item[rows][:, ::-1], table, forced, tolerance[rows])
            ranks = np.ascontiguousarray(other.ranks[:, ::-1])
            there = _joined(table[ranks], last)
            return OrderFaces(ranks, there, there)

        return OrderFaces(law.ranks, corners, means, signs_of_pairs(law.pairs), another)


def _joined(rows: FloatArray, last: float) -> FloatArray:
    """``(n, m, c)`` as ``(n, m c + 1)``, the last column all `last`."""
    n, m, c = rows.shape
    return np.column_stack([rows.reshape(n, m * c), np.full(n, last)])


class DCGLoss(BaseEstimator):
    """``loss(z, y) = 1 - sum_i gain(y(i)) discount(z(i)) / (the same for z = y)``, in [0, 1].

    One minus the normalised discounted cumulative gain. The target says by its ranks what each
    item is worth, the prediction by its ranks how much of that is seen: the loss is not symmetric.
    The gains are the same numbers for every target, in another order, and so is the best sum.

    Predictions are exact for any number of items (sorting, with all ties); targets up to 20 items,
    beyond which they must be known fully or not at all.

    Parameters
    ----------
    discount : "log2" or array-like (m,), default "log2"
        ``1 / log2(k + 2)`` for position k = 0, 1, ... of the prediction, or numbers of your own:
        not negative, not rising.
    gain : "linear", "exponential" or array-like (m,), default "linear"
        What the item of rank k is worth: ``m - 1 - k``, ``2 ** (m - 1 - k) - 1``, or numbers of
        your own: not negative, not rising. Only their ratios matter. Differences of the loss below
        1e-10 are ties, as the last of many exponential gains are.
    cutoff : int, optional
        Positions of the prediction that count, from the first (the k of DCG@k). By default all.

    Examples
    --------
    >>> loss = DCGLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[1, 0, 2]]), np.array([[0, 1, 2]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 3)
    0.14
    """

    def __init__(self, discount: Any = "log2", gain: Any = "linear", cutoff: Any = None) -> None:
        self.discount = discount
        self.gain = gain
        self.cutoff = cutoff

    def bind(self, items: AnyArray) -> BoundPlaceLoss:
        """The loss on these items."""
        discounts, gains = self._discounts(len(items)), self._gains(len(items))
        best = float(discounts @ gains)
        if best == 0.0:
            # Nothing to gain, as with a single item: nothing to lose.
            return BoundPlaceLoss("the DCG loss", 0.0 * discounts[:, None], gains[:, None], 0.0)
        return BoundPlaceLoss("the DCG loss", -discounts[:, None] / best, gains[:, None], 1.0)

    def _discounts(self, m: int) -> FloatArray:
        discounts: FloatArray
        if isinstance(self.discount, str):
            if self.discount != "log2":
                raise ValueError(
                    f"DCGLoss: discount={self.discount!r} is not known; choose 'log2' or give one "
                    "number a position."
                )
            discounts = 1.0 / np.log2(np.arange(m) + 2.0)
        else:
            discounts = _falling(self.discount, "discount", m)
        if self.cutoff is not None:
            if not isinstance(self.cutoff, (int, np.integer)) or self.cutoff < 1:
                raise ValueError(
                    f"DCGLoss: cutoff={self.cutoff!r}; expected a whole number of at least 1, or "
                    "None for all positions."
                )
            discounts[self.cutoff :] = 0.0
        return discounts

    def _gains(self, m: int) -> FloatArray:
        """Gains by rank, the largest 1 (unless all are 0)."""
        worth = np.arange(m - 1.0, -1.0, -1.0)
        gains: FloatArray
        if not isinstance(self.gain, str):
            gains = _falling(self.gain, "gain", m)
        elif self.gain == "linear":
            gains = worth
        elif self.gain == "exponential":
            # Both terms over 2 ** m, which might be too large for a number.
            gains = 2.0 ** (worth - m) - 2.0**-m
        else:
            raise ValueError(
                f"DCGLoss: gain={self.gain!r} is not known; choose 'linear' or 'exponential', or "
                "give one number a rank."
            )
        return gains / gains[0] if gains[0] > 0.0 else gains


def _falling(given: Any, name: str, m: int) -> FloatArray:
    """Numbers by position, checked; a copy."""
    values = np.array(given, dtype=np.float64)
    if values.shape != (m,):
        raise ValueError(
            f"DCGLoss: {name} has shape {values.shape}; expected one number for each of the {m} "
            "positions."
        )
    bad = ~(np.isfinite(values) & (values >= 0.0))
    bad[1:] |= values[1:] > values[:-1]
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"DCGLoss: {name}[{at}] is {values[at]}; expected finite numbers, not negative and not "
            "rising."
        )
    if values[0] == 0.0:
        raise ValueError(
            f"DCGLoss: {name} is 0 at every position, which makes all orders equal. Give at least "
            "one positive number."
        )
    return values


class FootruleLoss(BaseEstimator):
    """``loss(z, y) = sum_i |z(i) - y(i)| / floor(m^2 / 2)``, in [0, 1].

    Ranks are compared, not pairs: an item displaced by two positions costs twice one displaced by
    one. Reversed orders are at distance 1, and others too. ``phi(y)`` is the permutation matrix of
    y, ``psi(z)[i, k]`` what ``|z(i) - k|`` costs; each has a last coordinate that adds nothing.

    Both minimisers are exact up to 20 items, with all their ties. Beyond, predictions are exact
    (an assignment problem), one of the tied orders each, and targets must be known fully or not at
    all.

    Examples
    --------
    >>> loss = FootruleLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[0, 1, 2]]), np.array([[0, 2, 1]])
    >>> float((loss.psi(z) * loss.phi(y)).sum())
    0.5
    """

    def bind(self, items: AnyArray) -> BoundPlaceLoss:
        """The loss on these items."""
        m = len(items)
        position = np.arange(m)
        # A single item is never displaced.
        largest = max(1, m * m // 2)
        displaced = np.abs(position[:, None] - position) / largest
        return BoundPlaceLoss("the footrule", displaced, np.eye(m), 0.0)
