"""A symmetric loss as a quadratic form on hulls: where it bends up and where it bends down."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.orders.kendall import BoundKendall
from disambig.losses.orders.positions import BoundPlaceLoss
from disambig.losses.quadratic_split import eigen_halves, require_symmetric
from disambig.notation import FloatArray
from disambig.orderings import LARGEST_LATTICE
from disambig.problem import Problem

_NAME = "FrankWolfeMinimization"


@dataclass(frozen=True, eq=False)
class QuadraticLoss:
    """``loss(y, z) = <e(y), table e(z)>`` in coordinates ``e`` of dimension p.

    Along a hull, whose points are means of the ``e(y)``, only differences of points matter: there
    ``table = plus - minus``, both positive semi-definite. Losses that are squared distances (0-1,
    ordinal, hierarchical, Hamming, Kendall, the footrule) have no `plus` at all; the split of the
    paper's appendix, which looks at all directions, has.

    Parameters
    ----------
    table, plus, minus : float array (p, p), or (p,) for the diagonal of a diagonal one
    plus_norms, minus_norms : float array (p,)
        ``<plus_norms, e(y)> = <e(y), plus e(y)>`` for every output y: linear along hulls.
    """

    table: FloatArray
    plus: FloatArray
    minus: FloatArray
    plus_norms: FloatArray
    minus_norms: FloatArray

    def spreads(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of either part: mean squared norms of the vertices less that of the mean, ``(n,)``."""
        squares = [
            np.einsum("ip,ip->i", points, gram_product(points, gram))
            for gram in (self.plus, self.minus)
        ]
        plus, minus = points @ self.plus_norms - squares[0], points @ self.minus_norms - squares[1]
        return np.maximum(plus, 0.0), np.maximum(minus, 0.0)

    @cached_property
    def is_concave(self) -> bool:
        """Does the loss bend down in all directions of the hulls?"""
        return not self.plus.any()


def gram_product(points: FloatArray, gram: FloatArray) -> FloatArray:
    """``points @ gram`` for rows of coordinates ``(n, p)``; a vector is a diagonal."""
    product: FloatArray = points * gram if gram.ndim == 1 else points @ gram
    return product


def quadratic_loss(problem: Problem) -> QuadraticLoss:
    """The form of a problem's loss; refuses what is not symmetric or has no exact decoder."""
    loss = problem.loss
    if isinstance(loss, FiniteLoss):
        return _of_labels(loss)
    if isinstance(loss, BoundKendall):
        return _of_signs(loss)
    if isinstance(loss, BoundPlaceLoss):
        return _of_places(loss)
    if isinstance(loss, BoundHamming):
        return _of_weights(loss.weights)
    raise MissingOracleError(
        f"{_NAME} needs a symmetric loss on labels, the Hamming loss, the Kendall loss without "
        f"weights of positions, or the footrule; got {type(loss).__name__}. Use "
        "solver='alternating'."
    )


def _of_labels(loss: FiniteLoss) -> QuadraticLoss:
    """Coordinates are laws on the classes."""
    if not np.array_equal(loss.predictions, loss.classes):
        raise MissingOracleError(
            f"{_NAME}: the loss has {len(loss.predictions)} predictions of which some are no "
            f"classes; expected a loss between classes. Use solver='alternating'."
        )
    table = _symmetric(loss.matrix)
    plus, minus = _centred_halves(table)
    return QuadraticLoss(table, plus, minus, np.diagonal(plus), np.diagonal(minus))


def _of_signs(loss: BoundKendall) -> QuadraticLoss:
    """Coordinates are ``phi``, the signs of pairs and a one: psi is a diagonal matrix times it."""
    decoder = loss.decoder
    proves = decoder.name == "exact" and decoder.time_limit is None
    if loss.n_items > LARGEST_LATTICE and not proves:
        raise MissingOracleError(
            f"{_NAME}: gaps and bounds are proven by exact decoding, and {loss.n_items} items are "
            f"beyond the {LARGEST_LATTICE} of the exact programme. Use "
            "KendallLoss(decoder='exact'), or solver='alternating'."
        )
    return _of_weights(loss.pair_weights)


def _of_weights(weights: FloatArray) -> QuadraticLoss:
    """``sum of w (1 - s s') / 2`` over signs s and s', for weights that sum to one."""
    halves = np.append(0.5 * weights, 0.0)
    nothing = np.zeros_like(halves)
    one = np.zeros_like(halves)
    one[-1] = 0.5 if weights.size else 0.0
    # Every sign has square one, so that the squared norm is the same for all outputs.
    return QuadraticLoss(one - halves, nothing, halves, nothing, one)


def _of_places(loss: BoundPlaceLoss) -> QuadraticLoss:
    """Coordinates are ``phi``, a unit vector of the position for each item, and a one."""
    m = loss.n_items
    if loss.constant or not np.array_equal(loss.target_table, np.eye(m)):
        raise MissingOracleError(
            f"{_NAME}: {loss.name} is not symmetric. Use the Kendall loss, the footrule, or "
            "solver='alternating'."
        )
    if m > LARGEST_LATTICE:
        raise MissingOracleError(
            f"{_NAME}: gaps and bounds are proven by exact decoding, and {m} items are beyond the "
            f"{LARGEST_LATTICE} of the exact programme. Use solver='alternating'."
        )
    table = _symmetric(loss.prediction_table)
    plus, minus = _centred_halves(table)
    grams = [_for_each_item(gram, m) for gram in (table, plus, minus)]
    norms = [np.append(np.tile(np.diagonal(half), m), 0.0) for half in (plus, minus)]
    return QuadraticLoss(*grams, *norms)


def _for_each_item(gram: FloatArray, m: int) -> FloatArray:
    """The same matrix for all items, and nothing for the last coordinate."""
    whole = np.zeros((m * m + 1, m * m + 1))
    whole[:-1, :-1] = np.kron(np.eye(m), gram)
    return whole


def _centred_halves(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``plus - minus`` is the table on vectors that sum to zero, the directions of a simplex."""
    centred = table - table.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    plus, minus = eigen_halves((centred + centred.T) / 2)
    # What rounding leaves of a direction that is flat must not count as one that bends up.
    if plus.size and (plus**2).sum() <= 1e-12 * np.abs(table).max():
        plus = plus[:, :0]
    return plus @ plus.T, minus @ minus.T


def _symmetric(matrix: FloatArray) -> FloatArray:
    try:
        return require_symmetric(matrix, _NAME)
    except ValueError as error:
        raise MissingOracleError(f"{error} Or use solver='alternating'.") from error
