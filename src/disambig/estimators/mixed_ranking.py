"""Mixtures of rankers: one table of pair probabilities, from which orders are decoded."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.estimators.mixture import FittedMixture, Mixture, fit_mixture
from disambig.estimators.prediction import Predictor
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.estimators.selection.members import MemberSelection
from disambig.estimators.selection.orders import OrderMembers, pair_shares
from disambig.estimators.selection.sampling import merge_copies
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import FloatArray, IntArray
from disambig.weights.row_groups import hash_rows, rank_hashes

# Expected losses that differ by less tie.
TIE_TOLERANCE = 1e-9


def check_members(name: str, mixture: Mixture, named_loss: Any, loss: Any) -> None:
    """Raise an error if a mixture has no use for a loss, or members without pair probabilities."""
    if not isinstance(loss, BoundKendall):
        raise ValueError(
            f"{name}: a Mixture has probabilities of pairs, from which only the Kendall loss "
            f"without position_weights can be decoded; got loss={named_loss!r}. Name a weighting."
        )
    for place, member in enumerate(mixture.checked()[0]):
        if not hasattr(member, "pair_shares"):
            raise TypeError(
                f"{name}: members[{place}] of the Mixture must be a ranker with a method "
                f"pair_shares, such as PartialRanker; got {member!r}."
            )


def fit_rankers(mixture: Mixture, X: Any, kept: KeptRows, members: OrderMembers) -> FittedMixture:
    """Fit the members on the rows that take part, whose candidates are those of `members`.

    Copies of a row are one row of their total weight, and rows are sorted by hashes that do not
    depend on units, so that members with random parts depend on neither. Held-out probabilities
    depend on the inputs alone: rows with equal inputs share them.
    """
    inputs = kept_inputs(X, kept)
    hashes = rank_hashes(inputs)
    rows = merge_copies(inputs, MemberSelection(members), kept.sample_weight, kept.groups, hashes)
    distinct = rank_hashes(rows.X)
    targets = hash_rows(np.hstack(rows.kind.keys()).astype(np.float64))
    order = np.lexsort((targets, distinct))
    weights = None if (rows.sample_weight == 1).all() else rows.sample_weight[order]
    fitted = fit_mixture(
        mixture,
        rows.X[order],
        rows.kind.members.candidates[order],
        weights,
        rows.groups[order],
        pair_shares,
        hashes=distinct[order],
    )
    by_input = np.empty((int(hashes.max()) + 1, fitted.held_out.shape[1]))
    by_input[distinct[order]] = fitted.held_out
    return replace(fitted, held_out=by_input[hashes])


@dataclass(frozen=True, eq=False)
class PairDecoder:
    """Orders from probabilities ``(q, pairs)`` that i stands before j, i < j.

    Parameters
    ----------
    loss : BoundKendall
    predictor : Predictor
        Breaks ties of predictions.
    """

    loss: BoundKendall
    predictor: Predictor

    @classmethod
    def of(
        cls, loss: BoundKendall, orders: PartialOrders, labels: IntArray, sample_weight: FloatArray
    ) -> "PairDecoder":
        """The decoder whose ties are broken by the frequencies of the recovered orders."""
        prior = sample_weight @ loss.phi(labels) / sample_weight.sum()
        predictor = Predictor(
            xi=np.empty((0, prior.size)),
            prior=prior,
            loss=loss,
            candidates=orders,
            method="disambiguation",
            tie_tolerance=TIE_TOLERANCE,
            rounding=float(np.finfo(np.float64).eps),
        )
        return cls(loss, predictor)

    def predict(self, shares: FloatArray) -> IntArray:
        """Ranks of least expected loss, ``(q, m)``."""
        scores = self.loss.as_target.embed(2.0 * shares - 1.0)
        ranks: IntArray = self.predictor.best(scores, np.ones(len(scores))).outputs
        return ranks


def best_in_sets(loss: BoundKendall, shares: FloatArray, orders: PartialOrders) -> OrderFaces:
    """For each row the orders of its set of least expected loss, with ties."""
    scores = loss.as_prediction.embed(2.0 * shares - 1.0)
    return loss.best_candidate(scores, orders, np.full(len(scores), TIE_TOLERANCE))
