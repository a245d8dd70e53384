"""A symmetric loss as a quadratic form on hulls, split into its convex and its concave part."""

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
from disambig.orderings.dynamic import LARGEST_LATTICE
from disambig.problem import Problem

_SOLVER_NAME = "FrankWolfeMinimization"


@dataclass(frozen=True, eq=False)
class QuadraticLoss:
    """``loss(y, z) = <e(y), table e(z)>`` in coordinates ``e`` of dimension p.

    The points of a hull are means of the ``e(y)``, so that only differences of points matter. Along
    these ``table = plus - minus``, both positive semi-definite. Losses that are squared distances
    (0-1, ordinal, hierarchical, Hamming, Kendall, the footrule) have ``plus = 0``; the split of the
    paper's appendix, which considers all directions, does not.

    Parameters
    ----------
    table, plus, minus : float array (p, p), or (p,) for the diagonal of a diagonal matrix
    plus_norms, minus_norms : float array (p,)
        ``<plus_norms, e(y)> = <e(y), plus e(y)>`` for every output y: linear along hulls.
    """

    table: FloatArray
    plus: FloatArray
    minus: FloatArray
    plus_norms: FloatArray
    minus_norms: FloatArray

    def variances(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Variances of the vertices around their means `points`, in both parts, ``(n,)`` each.

        The variance is the mean squared norm of the vertices less the squared norm of their mean.
        """
        squares = [
            np.einsum("ip,ip->i", points, gram_product(points, gram))
            for gram in (self.plus, self.minus)
        ]
        plus, minus = points @ self.plus_norms - squares[0], points @ self.minus_norms - squares[1]
        return np.maximum(plus, 0.0), np.maximum(minus, 0.0)

    def distance_costs(self, points: FloatArray) -> FloatArray:
        """Costs ``c`` of which ``<e, c>`` is the squared distance of a vertex e, less a constant.

        The distance is ``<x - e, (plus + minus) (x - e)>``, the norm in which the loss is a
        difference of squares. It is linear in e, because ``<e, (plus + minus) e>`` is.
        """
        gram, norms = self.plus + self.minus, self.plus_norms + self.minus_norms
        costs: FloatArray = norms - 2.0 * gram_product(points, gram)
        return costs

    @cached_property
    def is_concave(self) -> bool:
        """Is the loss concave in all directions of the hulls?"""
        return not self.plus.any()


def gram_product(points: FloatArray, gram: FloatArray) -> FloatArray:
    """``points @ gram`` for rows of coordinates ``(n, p)``; a vector is a diagonal matrix."""
    product: FloatArray = points * gram if gram.ndim == 1 else points @ gram
    return product


def quadratic_loss(problem: Problem) -> QuadraticLoss:
    """The quadratic form of a problem's loss.

    Raises `MissingOracleError` if the loss is not symmetric or has no exact decoder.
    """
    loss = problem.loss
    if isinstance(loss, FiniteLoss):
        return _label_form(loss)
    if isinstance(loss, BoundKendall):
        return _kendall_form(loss)
    if isinstance(loss, BoundPlaceLoss):
        return _position_form(loss)
    if isinstance(loss, BoundHamming):
        return _sign_form(loss.weights)
    raise MissingOracleError(
        f"{_SOLVER_NAME} needs a symmetric loss on labels, the Hamming loss, the Kendall loss "
        f"without weights of positions, or the footrule; got {type(loss).__name__}. Use "
        "solver='alternating'."
    )


def _label_form(loss: FiniteLoss) -> QuadraticLoss:
    """Coordinates are probabilities of the classes."""
    if not np.array_equal(loss.predictions, loss.classes):
        raise MissingOracleError(
            f"{_SOLVER_NAME}: the loss has {len(loss.predictions)} predictions, some of which are "
            f"not classes; expected a loss between classes. Use solver='alternating'."
        )
    table = _symmetric(loss.matrix)
    plus, minus = _centred_parts(table)
    return QuadraticLoss(table, plus, minus, np.diagonal(plus), np.diagonal(minus))


def _kendall_form(loss: BoundKendall) -> QuadraticLoss:
    """Coordinates are ``phi``, the signs of pairs and a one; psi is a diagonal matrix times phi."""
    decoder = loss.decoder
    is_exact = decoder.name == "exact" and decoder.time_limit is None
    if loss.n_items > LARGEST_LATTICE and not is_exact:
        raise MissingOracleError(
            f"{_SOLVER_NAME}: gaps and bounds need exact decoding, and {loss.n_items} items are "
            f"beyond the {LARGEST_LATTICE} of the exact dynamic program. Use "
            "KendallLoss(decoder='exact'), or solver='alternating'."
        )
    return _sign_form(loss.pair_weights)


def _sign_form(weights: FloatArray) -> QuadraticLoss:
    """``sum of w (1 - s s') / 2`` over signs s and s', for weights that sum to one."""
    halves = np.append(0.5 * weights, 0.0)
    zeros = np.zeros_like(halves)
    constant = np.zeros_like(halves)
    constant[-1] = 0.5 if weights.size else 0.0
    # Every sign has square one, so that the squared norm is the same for all outputs.
    return QuadraticLoss(constant - halves, zeros, halves, zeros, constant)


def _position_form(loss: BoundPlaceLoss) -> QuadraticLoss:
    """Coordinates are ``phi``, a unit vector of the position for each item, and a one."""
    m = loss.n_items
    if loss.constant or not np.array_equal(loss.target_table, np.eye(m)):
        raise MissingOracleError(
            f"{_SOLVER_NAME}: {loss.name} is not symmetric. Use the Kendall loss, the footrule, or "
            "solver='alternating'."
        )
    if m > LARGEST_LATTICE:
        raise MissingOracleError(
            f"{_SOLVER_NAME}: gaps and bounds need exact decoding, and {m} items are beyond the "
            f"{LARGEST_LATTICE} of the exact dynamic program. Use solver='alternating'."
        )
    table = _symmetric(loss.prediction_table)
    plus, minus = _centred_parts(table)
    grams = [_block_diagonal(gram, m) for gram in (table, plus, minus)]
    norms = [np.append(np.tile(np.diagonal(part), m), 0.0) for part in (plus, minus)]
    return QuadraticLoss(*grams, *norms)


def _block_diagonal(gram: FloatArray, m: int) -> FloatArray:
    """The same matrix for each of m items, and zeros for the last coordinate."""
    whole = np.zeros((m * m + 1, m * m + 1))
    whole[:-1, :-1] = np.kron(np.eye(m), gram)
    return whole


def _centred_parts(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``plus - minus`` is the table on vectors that sum to zero, the directions of a simplex."""
    centred = table - table.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    plus, minus = eigen_halves((centred + centred.T) / 2)
    # Rounding in a direction of curvature zero must not count as a convex direction.
    if plus.size and (plus**2).sum() <= 1e-12 * np.abs(table).max():
        plus = plus[:, :0]
    return plus @ plus.T, minus @ minus.T


def _symmetric(matrix: FloatArray) -> FloatArray:
    try:
        return require_symmetric(matrix, _SOLVER_NAME)
    except ValueError as error:
        raise MissingOracleError(f"{error} Or use solver='alternating'.") from error
