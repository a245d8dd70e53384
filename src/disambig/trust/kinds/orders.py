"""The examination of orders."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.labels.classes import listed
from disambig.estimators.held_out.wrong_signs import fit_wrong_signs
from disambig.estimators.mixed_ranking import best_in_sets
from disambig.estimators.rankers.pairs import pair_agreement, square
from disambig.estimators.selection.orders import pair_shares
from disambig.exceptions import CandidateError
from disambig.losses import KendallLoss
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers
from disambig.trust.examined import Examined
from disambig.trust.kinds.sign_sets import (
    inner_order_scores,
    inner_orders,
    order_scores,
    order_set_scores,
    orders_at,
)
from disambig.trust.kinds.signs import (
    SignExamination,
    calibrated,
    held_out_signs,
    of_last_step,
    suspicion_of,
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrderExamination(SignExamination):
    """The examination of orders, of which `labels` are ranks ``(n, m)``, 0 = first.

    `confidence` is the expected share of concordant pairs; observed pairs are taken as right.
    `suspicion` is one minus the mean probability of the observed pairs. An answer is a complete
    order. Prediction sets are partial orders: with "meets" one of their orders is in the set of the
    row, with "truth" they contain the true order.
    """

    @property
    def items(self) -> AnyArray:
        """The items, in the order of the columns of `labels`."""
        items: AnyArray = self.candidates.items
        return items

    @property
    def _plural(self) -> str:
        return "orders"

    def _label_column(self) -> list[str]:
        names = np.array([str(item) for item in listed(self.items)], dtype=object)
        return [">".join(row) for row in names[np.argsort(self.labels, axis=1)]]

    def _columns(self) -> dict[str, Any]:
        first, second, doubtful, is_open = self._doubtful_pairs()
        names = [str(item) for item in listed(self.items)]
        pairs = [
            f"{names[i]}>{names[j]}" if has_one else None
            for i, j, has_one in zip(first, second, is_open, strict=True)
        ]
        return {
            "doubtful_pair": pairs,
            "doubtful_pair_confidence": doubtful,
            "n_observed_pairs": self.candidates.n_observed,
        }

    def _doubtful_pairs(self) -> tuple[IntArray, IntArray, FloatArray, BoolArray]:
        """For each row its least probable pair that was not observed: items, probability, if any.

        Rows that observed all pairs have NaN.
        """
        n, m = self.recovered.shape
        chosen = self.recovered[:, :, None] < self.recovered[:, None, :]
        found = np.where(chosen & ~self.candidates.before, self.held_out_probabilities, np.inf)
        place = found.reshape(n, m * m).argmin(axis=1)
        first, second = np.divmod(place, m)
        least = found[np.arange(n), first, second]
        is_open = np.isfinite(least)
        return first, second, np.where(is_open, least, np.nan), is_open

    def _observed(self) -> tuple[FloatArray, AnyArray]:
        i, j = np.triu_indices(len(self.items), 1)
        return self.held_out_probabilities[:, i, j], self.candidates.signs()

    def _wrong_probability(self) -> FloatArray:
        """The mean over the observed pairs: those of one order are right or wrong together."""
        count = np.maximum(self.candidates.n_observed, 1)
        return np.asarray(self._sign_posterior().sum(axis=1) / count)

    def _sign_text(self, place: int, sign: int) -> str:
        pair = [int(ends[place]) for ends in np.triu_indices(len(self.items), 1)]
        first, second = pair if sign > 0 else pair[::-1]
        names = listed(self.items)
        return f"{names[first]}>{names[second]}"

    def _read_complete(self, labels: Any, owner: str) -> IntArray:
        if isinstance(labels, np.ndarray) and labels.dtype == object and labels.ndim == 1:
            labels = labels.tolist()
        names: Any = self.items
        if _are_texts(labels):
            # Texts name items as the columns of `frame` do, also if items are numbers.
            names = [str(item) for item in listed(self.items)]
        else:
            self._check_width(labels, owner)
        orders = PartialOrders.from_any(labels, items=names)
        if not orders.is_total.all():
            entry = int(np.argmin(orders.is_total))
            raise CandidateError(
                f"{owner}: entry {entry} has {orders.n_observed[entry]} of "
                f"{self._n_pairs} pairs ({np.count_nonzero(~orders.is_total)} such entries). An "
                "answer is the complete true order, as ranks of all items or a text 'a>b>c'; "
                "partial orders are candidates and belong in y."
            )
        return orders.ranks()

    def _check_width(self, labels: Any, owner: str) -> None:
        """Raise an error if a table of ranks has another number of columns than there are items."""
        try:
            shape = np.asarray(labels, dtype=np.float64).shape
        except (TypeError, ValueError):
            # No table of numbers: pairs or chains.
            return
        if len(shape) == 2 and shape[1] != len(self.items):
            raise CandidateError(
                f"{owner}: labels have {shape[1]} columns; expected the ranks of all "
                f"{len(self.items)} items, in the order of y, or texts 'a>b>c'."
            )

    @property
    def _n_pairs(self) -> int:
        m = len(self.items)
        return m * (m - 1) // 2

    def _rightness(self, answers: Answers) -> FloatArray:
        before = answers.labels[:, :, None] < answers.labels[:, None, :]
        return pair_agreement(before.astype(np.float64), self.recovered[answers.rows])

    def _is_single(self) -> BoolArray:
        total: BoolArray = self.candidates.is_total
        return total

    def _candidate_texts(self, rows: IntArray) -> list[str]:
        names = [str(item) for item in listed(self.items)]
        pairs = [np.argwhere(_direct(before)).tolist() for before in self.candidates.before[rows]]
        return [", ".join(f"{names[i]}>{names[j]}" for i, j in one) for one in pairs]

    def _examine(self, rows: Examined) -> "OrderExamination":
        return examine_orders(rows)

    def _probabilities_at(self, X: Any) -> FloatArray:
        shares = of_last_step(_shares)(self.estimator, X)
        return square(self.calibration(shares), self.recovered.shape[1])

    def _set_scores(self) -> tuple[IntArray, FloatArray]:
        rows = np.flatnonzero(self.candidates.n_observed > 0)
        return rows, order_set_scores(self.held_out_probabilities[rows], self.candidates[rows])

    def _truth_scores(self, answers: Answers, is_new: bool) -> FloatArray:
        found = self.held_out_probabilities[answers.rows]
        if is_new:
            return order_scores(found, answers.labels)
        inner = inner_order_scores(found, self.recovered[answers.rows], answers.labels)
        return np.where(self._is_outside(answers), np.inf, inner)

    def _sets_at(self, probabilities: FloatArray, threshold: float) -> PartialOrders:
        return orders_at(probabilities, threshold, self.items)

    def _inner_sets(self, threshold: float) -> PartialOrders:
        return inner_orders(self.held_out_probabilities, threshold, self.recovered, self.candidates)


def _direct(before: BoolArray) -> BoolArray:
    """The pairs ``(m, m)`` of an order that do not follow from two others."""
    implied = before.astype(np.intp) @ before.astype(np.intp) > 0
    return before & ~implied


def _shares(ranker: Any, X: Any) -> FloatArray:
    shares: FloatArray = ranker._shares(X)
    return shares


def examine_orders(rows: Examined) -> OrderExamination:
    """The examination of orders, by models without the row's fold."""
    orders: PartialOrders = rows.candidates
    shares = held_out_signs(rows, _shares, pair_shares)
    signs = orders.signs()
    calibration, probabilities = calibrated(rows, shares, signs)
    if rows.folds is None:
        loss = rows.last.loss_
        if not isinstance(loss, BoundKendall):
            loss = KendallLoss().bind(orders.items)
        labels: IntArray = best_in_sets(loss, shares, orders).outputs
    else:
        labels = rows.last.labels_
    table = square(probabilities, orders.n_items)
    reverse = np.swapaxes(orders.before, 1, 2)
    inside = np.where(orders.before, 1.0, np.where(reverse, 0.0, table))
    confidence = pair_agreement(inside, labels)
    return OrderExamination(
        **rows.shared_fields(labels, confidence, suspicion_of(probabilities, signs)),
        recovered=labels.copy(),
        held_out_probabilities=table,
        calibration=calibration,
        wrong_signs=fit_wrong_signs(calibration, probabilities, signs, rows.kept.all_weights),
    )


def _are_texts(labels: Any) -> bool:
    """Whether answers are texts, in a list, an array or a column of a frame."""
    if not isinstance(labels, Iterable) or getattr(labels, "ndim", 1) != 1:
        return False
    return all(isinstance(one, str) for one in labels)
