"""Losses on orders that compare the positions of each item: `DCGLoss` and `FootruleLoss`.

Both are bound to items as a `BoundPlaceLoss`, a sum over items of an inner product of two tables.

Their default start is `pairwise_start`. A partial order says little about single positions, and the
mean of its linear extensions pulls every item to the middle; descent from there ends at a high
objective. Observed pairs are exact. So the first targets are those of the Kendall loss: for each
row the best order for the votes on observed pairs, then the candidates that fit these orders best.
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
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.places import place_orders, require_place_orders
from disambig.orderings.signs import pair_costs, signs_of_pairs, tied_signs
from disambig.orderings.ties import tied_orders
from disambig.parameters import check_choice, check_integer, choice_message
from disambig.votes import Votes

# Relative tolerance of ties in the two steps of `pairwise_start`.
_TIE_RTOL = 1e-10


def pairwise_start(votes: Votes, orders: PartialOrders) -> FloatArray:
    """``[j, i, k]``: share of the first targets of row j that have item i at position k.

    One iteration under the Kendall loss: predictions for the observed pairs, then targets for the
    predictions. Both are means over ties, or one order for a connected component of more than 20
    items.

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
    # The sign is -1 because votes for a pair lower its cost.
    scores = votes @ orders.signs().astype(np.float64)
    predictions = tied_signs(
        -scores, m, tolerance=_TIE_RTOL * votes.absolute_row_sums(), decoder=decoder
    )
    transposed = votes.T
    target_scores = transposed @ predictions.signs
    targets = tied_orders(
        pair_costs(-target_scores, m),
        orders.before,
        windows=orders.windows,
        tolerance=_TIE_RTOL * transposed.absolute_row_sums(),
        decoder=decoder,
    )
    return targets.places


@dataclass(frozen=True, eq=False)
class BoundPlaceLoss:
    """``loss(z, y) = constant + sum_i <prediction_table[z(i)], target_table[y(i)]>``.

    ``phi(y)`` is a row of `target_table` for each item, and 1. ``psi(z)`` is a row of
    `prediction_table` for each item, and the constant. So ``p = m c + 1``. The mean of tied orders
    follows from the shares of their positions.

    Parameters
    ----------
    name : str
        For error messages.
    prediction_table, target_table : float array (m, c)
        One row for each position. A table of one column must be monotone.
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

    def check_candidates(self, candidates: PartialOrders) -> None:
        """Refuse partial orders of more than 20 items: see `LimitedOrderLoss`."""
        require_place_orders(candidates.before, candidates.windows)

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions."""
        if kind == "average":
            means = mean_orders(candidates)
            return _joined(means.places @ self.target_table, 1.0)[means.rows]
        if kind == "infimum":
            # The loss to the nearest candidate is not a sum over the items of the prediction.
            raise MissingOracleError(
                f"start='infimum' is not available for {self.name}; use start='average'."
            )
        raise ValueError(choice_message("", f"start of {self.name}", kind, ("average",)))

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> FloatArray:
        """The targets that `pairwise_start` finds from the observed pairs, ``(n, p)``."""
        # The start can take minutes, and `best_candidate` would raise after that.
        self.check_candidates(candidates)
        return _joined(pairwise_start(votes, candidates) @ self.target_table, 1.0)

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        return self._faces(scores, self.prediction_table, self.constant, None, None, tolerance)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        return self._faces(
            scores, self.target_table, 1.0, candidates.before, candidates.windows, tolerance
        )

    def _faces(
        self,
        scores: FloatArray,
        table: FloatArray,
        last: float,
        before: AnyArray | None,
        windows: AnyArray | None,
        tolerance: FloatArray,
    ) -> OrderFaces:
        by_item = scores[:, :-1].reshape(len(scores), *table.shape)
        tied = place_orders(by_item, table, before, tolerance, windows)
        vertices = _joined(table[tied.ranks], last)
        means = _joined(tied.places @ table, last)
        # The mean over positions with equal rows of the table is that row; remove its rounding
        # error.
        means = np.where(np.isclose(means, vertices, rtol=1e-13, atol=0.0), vertices, means)

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items in reverse order: ties are broken the other way.
            forced = None if before is None else before[rows][:, ::-1, ::-1]
            limits = None if windows is None else windows[rows][:, ::-1]
            other = place_orders(by_item[rows][:, ::-1], table, forced, tolerance[rows], limits)
            ranks = np.ascontiguousarray(other.ranks[:, ::-1])
            same = (_joined(table[ranks], last) == vertices[rows]).all(axis=1)
            if same.any():
                ranks[same] = towards_mean(rows[same])
            embedded = _joined(table[ranks], last)
            return OrderFaces(ranks, embedded, embedded)

        def towards_mean(rows: IntArray) -> IntArray:
            # Both first orders can have one embedding where the tied orders have several. Some
            # tied order lies on the side of the mean, so a score for that direction finds it; the
            # score is so small that no order outside the tolerance can win.
            away = (means - vertices)[rows, :-1].reshape(len(rows), *table.shape)
            bound = np.abs(table).max() * np.abs(away).sum(axis=(1, 2))
            share = tolerance[rows] / (2.0 * np.maximum(bound, np.finfo(np.float64).tiny))
            moved = by_item[rows] - share[:, None, None] * away
            forced = None if before is None else before[rows]
            limits = None if windows is None else windows[rows]
            return place_orders(moved, table, forced, np.zeros(len(rows)), limits).ranks

        return OrderFaces(tied.ranks, vertices, means, signs_of_pairs(tied.pairs), another)


def _joined(rows: FloatArray, last: float) -> FloatArray:
    """``(n, m, c)`` as ``(n, m c + 1)``, with a last column that is all `last`."""
    n, m, c = rows.shape
    return np.column_stack([rows.reshape(n, m * c), np.full(n, last)])


class DCGLoss(BaseEstimator):
    """``loss(z, y) = 1 - sum_i gain(y(i)) discount(z(i)) / (the same for z = y)``, in [0, 1].

    One minus the normalised discounted cumulative gain. The ranks of the target give the gain of
    each item, the ranks of the prediction the discount of that gain. So the loss is not symmetric.
    Targets only permute the gains, so the best sum is the same for all targets.

    Predictions are exact, with all ties, for any number of items (they are sorted). Targets are
    exact for at most 20 items; with more items a target must be known completely or not at all.

    Parameters
    ----------
    discount : "log2" or array-like (m,), default "log2"
        ``1 / log2(k + 2)`` for position k = 0, 1, ... of the prediction, or numbers >= 0 that do
        not increase.
    gain : "linear", "exponential" or array-like (m,), default "linear"
        The gain of the item of rank k: ``m - 1 - k``, ``2 ** (m - 1 - k) - 1``, or numbers >= 0
        that do not increase. Only their ratios matter. Differences of the loss below 1e-10 are
        ties; with many items that includes the last exponential gains.
    cutoff : int, optional
        How many positions of the prediction count, from the first (the k of DCG@k). By default all.

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
            # All gains are 0, as with a single item: the loss is 0.
            return BoundPlaceLoss("the DCG loss", 0.0 * discounts[:, None], gains[:, None], 0.0)
        return BoundPlaceLoss("the DCG loss", -discounts[:, None] / best, gains[:, None], 1.0)

    def _discounts(self, m: int) -> FloatArray:
        discounts: FloatArray
        if isinstance(self.discount, str):
            more = "or one number for each position"
            check_choice("DCGLoss", "discount", self.discount, ("log2",), more)
            discounts = 1.0 / np.log2(np.arange(m) + 2.0)
        else:
            discounts = _non_increasing(self.discount, "discount", m)
        if self.cutoff is not None:
            discounts[check_integer("DCGLoss", "cutoff", self.cutoff, least=1) :] = 0.0
        return discounts

    def _gains(self, m: int) -> FloatArray:
        """Gains by rank, scaled so that the largest is 1 (unless all are 0)."""
        worth = np.arange(m - 1.0, -1.0, -1.0)
        gains: FloatArray
        if not isinstance(self.gain, str):
            gains = _non_increasing(self.gain, "gain", m)
        elif self.gain == "linear":
            gains = worth
        elif self.gain == "exponential":
            # Both terms divided by 2 ** m, which would overflow for many items.
            gains = 2.0 ** (worth - m) - 2.0**-m
        else:
            names, more = ("linear", "exponential"), "or one number for each rank"
            raise ValueError(choice_message("DCGLoss", "gain", self.gain, names, more))
        return gains / gains[0] if gains[0] > 0.0 else gains


def _non_increasing(given: Any, name: str, m: int) -> FloatArray:
    """A copy of the numbers, checked: one for each position, >= 0 and not increasing."""
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
            f"DCGLoss: {name}[{at}] is {values[at]}; expected finite numbers >= 0 that do not "
            "increase."
        )
    if values[0] == 0.0:
        raise ValueError(
            f"DCGLoss: {name} is 0 at every position: all orders would have the same loss. Give at "
            "least one positive number."
        )
    return values


class FootruleLoss(BaseEstimator):
    """``loss(z, y) = sum_i |z(i) - y(i)| / floor(m^2 / 2)``, in [0, 1].

    The loss compares ranks, not pairs: an item displaced by two positions costs twice as much as
    one displaced by one. An order and its reverse have loss 1, and so have other orders. ``phi(y)``
    is the permutation matrix of y, and ``psi(z)[i, k] = |z(i) - k| / floor(m^2 / 2)``. The last
    coordinate of the embedding contributes nothing.

    Both minimisers are exact, with all ties, for at most 20 items. With more items predictions are
    exact (an assignment problem) but only one of the tied orders, and a target must be known
    completely or not at all.

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
        displacement = np.abs(position[:, None] - position) / largest
        return BoundPlaceLoss("the footrule", displacement, np.eye(m), 0.0)
