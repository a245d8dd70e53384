"""All cells of the ranking figure on one draw.

Orders are decoded in batches. All cells and all levels are therefore solved as one problem whose
votes are block diagonal. The predictions are those of `PartialRanker` with `KernelRidgeWeights` in
the same cell, up to ties within rounding. The ranker would be slower, because it also computes
labels and confidences and decodes small batches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.sparse as sp

from disambig.candidates import PartialOrders
from disambig.losses import KendallLoss
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.starts import first_predictions
from disambig.solvers.baselines import infimum_prediction
from disambig.solvers.loop import Status, iterate
from disambig.votes.sparse import SparseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.label_sweep import Clock

_RTOL = 1e-10
_MAX_ITER = 300


@dataclass(frozen=True, eq=False)
class RankingSweep:
    """Predictions and costs of a sweep.

    Attributes
    ----------
    predictions : dict of int arrays (cells, problems, queries, items)
        Ranks by "df", "il", "ac", and "ac_coded" if it was requested.
    seconds : dict
        CPU seconds by method.
    unconverged : int
        1 if the joint disambiguation of all cells did not converge, else 0.
    """

    predictions: dict[str, IntArray]
    seconds: dict[str, float]
    unconverged: int


def ranking_sweep(
    X: FloatArray,
    queries: FloatArray,
    problems: Sequence[PartialOrders],
    bandwidths: Sequence[float],
    regularizations: Sequence[float],
    *,
    coded: np.random.Generator | None = None,
) -> RankingSweep:
    """Predictions of all cells on all problems; a cell is a bandwidth with a regularization.

    Cells are in the order of bandwidths × regularizations, the latter fastest.

    With a generator `coded`, also the average as coded by the authors: one random member of each
    set, the best one for normal scores of the pairs, which are drawn again for each cell.
    """
    clock = Clock()
    with clock("weights"):
        training, votes = _cell_votes(X, queries, bandwidths, regularizations)
    cells, n, q = len(training), len(X), len(queries)
    levels = len(problems)
    orders = PartialOrders(np.concatenate([p.before for p in problems]), problems[0].items)
    loss = cast(BoundKendall, KendallLoss().bind(orders.items))
    shape = (cells, levels, q, orders.n_items)
    found: dict[str, IntArray] = {}
    with clock("DF"):
        everywhere = orders[np.tile(np.arange(levels * n), cells)]
        block_votes = _blocks(np.repeat(training, levels, axis=0), np.arange(cells * levels))
        problem = Problem(block_votes, loss, everywhere)
        descent = Descent(problem)
        run = iterate(
            descent, descent.begin(first_predictions(problem, "infimum")), max_iter=_MAX_ITER
        )
        targets = run.state.targets.embedded.reshape(cells, levels, n, -1)
        found["df"] = _expected(loss, votes[:, None] @ targets, shape)
    with clock("IL"):
        query_votes = _blocks(np.repeat(votes, levels, axis=0), np.tile(np.arange(levels), cells))
        predictions = infimum_prediction(loss, query_votes, orders, rtol=_RTOL)
        found["il"] = cast(OrderFaces, predictions.predictions).ranks.reshape(shape)
    with clock("AC"):
        means = loss.start(orders, "average").reshape(levels, n, -1)
        found["ac"] = _expected(loss, votes[:, None] @ means, shape)
    if coded is not None:
        with clock("AC, as coded"):
            scores = coded.normal(size=(cells * levels * n, means.shape[-1]))
            members = loss.best_candidate(scores, everywhere, np.zeros(len(scores)))
            drawn = members.embedded.reshape(cells, levels, n, -1)
            found["ac_coded"] = _expected(loss, votes[:, None] @ drawn, shape)
    return RankingSweep(found, clock.seconds, int(run.status is not Status.CONVERGED))


def _cell_votes(
    X: FloatArray, queries: FloatArray, bandwidths: Sequence[float], ridges: Sequence[float]
) -> tuple[list[FloatArray], FloatArray]:
    """Votes at the training rows and at the queries, for each cell; ridges vary fastest."""
    training, votes = [], []
    for bandwidth in bandwidths:
        fitted = KernelRidgeWeights(bandwidth=bandwidth, regularization=ridges[0]).fit(X)
        for ridge in ridges:
            weights = fitted.at_regularization(ridge)
            training.append(weights.training_votes().rows(0, len(X)))
            votes.append(weights.votes(queries).rows(0, len(queries)))
    return training, np.array(votes)


def _blocks(votes: FloatArray, samples: IntArray) -> SparseVotes:
    """Stacked votes ``(k, q, n)``; the columns of block k begin at sample ``n samples[k]``."""
    k, q, n = votes.shape
    columns = np.broadcast_to((n * samples)[:, None, None] + np.arange(n), votes.shape)
    shape = k * q, n * (int(samples.max()) + 1)
    return SparseVotes(
        sp.csr_array((votes.ravel(), columns.ravel(), n * np.arange(k * q + 1)), shape=shape)
    )


def _expected(loss: BoundKendall, scores: FloatArray, shape: tuple[int, ...]) -> IntArray:
    flat = scores.reshape(-1, scores.shape[-1])
    tolerance = _RTOL * np.abs(flat).max(axis=1, initial=0.0)
    return loss.best_prediction(flat, tolerance).ranks.reshape(shape)
