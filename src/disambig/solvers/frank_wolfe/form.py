"""The convex function that Frank-Wolfe minimises in place of the quadratic objective."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem, inner
from disambig.solvers.frank_wolfe.losses import QuadraticLoss, gram_product
from disambig.solvers.frank_wolfe.shifts import Shifts, symmetric_product

# Units of rounding in a value of the function: products are accumulated over some dozens of steps,
# and this number is on the safe side.
_ROUNDING_UNITS = 500
# A larger difference between products with the votes and with their transpose, beside the largest
# objective, is no rounding.
_MAX_OPERATOR_ERROR = 1e-4
# Random sign vectors that estimate the size of votes without absolute row sums.
_N_PROBES = 8


@dataclass(frozen=True, eq=False)
class ConvexForm:
    r"""``h(X) = sum_ij A[i, j] <x_i, L x_j>`` plus a penalty that is zero at all vertices.

    The penalty of an open row i is

    .. math::

        \rho^+_i (\langle x, P x \rangle - \langle \nu_P, x \rangle)
        + \rho^-_i (\langle x, N x \rangle - \langle \nu_N, x \rangle),
        \qquad L = P - N,

    where P and N are the convex and the concave part of the loss and
    ``<nu_P, e(y)> = <e(y), P e(y)>``. Let S be the symmetric part of the votes between open rows.
    Then h is convex if ``S + diag(rho_plus)`` and ``diag(rho_minus) - S`` are positive
    semi-definite. At labels h is the quadratic objective, so its minimum over the hulls is a lower
    bound of that objective. If P and N have one norm C for all outputs, and all rows the same
    shifts, this is the paper's
    ``Tr (S + rho_plus I) Psi Psi' + Tr (rho_minus I - S) Phi Phi'`` less
    ``n C (rho_plus + rho_minus)``.

    Parameters
    ----------
    problem : Problem
    loss : QuadraticLoss
    open_rows : bool array (n,)
        Rows with several candidates; the others never move.
    shifts : Shifts
    """

    problem: Problem
    loss: QuadraticLoss
    open_rows: BoolArray
    shifts: Shifts

    @cached_property
    def _gram_sum(self) -> FloatArray:
        """``P + N``."""
        return self.loss.plus + self.loss.minus

    @cached_property
    def rounding(self) -> float:
        """The largest rounding error of a value of h."""
        sizes, loss, shifts = self._score_sizes, self.loss, self.shifts
        penalty = np.abs(shifts.plus).sum() * np.abs(loss.plus_norms).max(initial=0.0)
        penalty += np.abs(shifts.minus).sum() * np.abs(loss.minus_norms).max(initial=0.0)
        units = float(_ROUNDING_UNITS * np.finfo(sizes.dtype).eps * (np.sum(sizes) + penalty))
        return units + self._operator_error

    @cached_property
    def _operator_error(self) -> float:
        """How far products with the votes and with their transpose contradict each other in h.

        A stored matrix multiplies to a few units of the votes that are summed. An operator computes
        votes from other numbers, which can be far larger (leave-one-out votes of a small ridge), or
        by iterations. Then ``<u, A v>`` differs from ``<A' u, v>``: for random signs u and v by the
        root of the sum of squared errors of the votes. By Cauchy-Schwarz n times that bounds the
        sum of their absolute errors. A difference that is not small is no rounding: the bound is
        checked without it, and that check names a wrong transpose.
        """
        votes = self.problem.votes
        if votes.entries is not None or votes.compressed is not None:
            return 0.0
        n = votes.shape[0]
        u, v = np.random.default_rng(0).choice([-1.0, 1.0], size=(2, n, _N_PROBES))
        difference = u.T @ (votes @ v) - (self.problem.transposed @ u).T @ v
        error = n * float(np.abs(difference).max(initial=0.0))
        error *= self.problem.loss.magnitude(self.problem.candidates)
        return error if error <= _MAX_OPERATOR_ERROR * float(np.sum(self._score_sizes)) else 0.0

    @property
    def largest_objective(self) -> float:
        """The largest objective that labels can have.

        For votes without absolute row sums it is an estimate, which may be too low.
        """
        sizes = self.problem.prediction_scale
        estimated = self._estimated_sizes
        return float(np.sum(sizes if estimated is None else np.maximum(sizes, estimated)))

    @property
    def _score_sizes(self) -> FloatArray:
        """Upper bounds on the absolute sums behind the scores of each row, ``(n,)``."""
        sizes = self.problem.prediction_scale
        if self._estimated_sizes is None:
            return sizes
        # The mean square of a row's votes times random signs is, in expectation, the sum of its
        # squared votes. By Cauchy-Schwarz the root of n times that sum bounds the sum of its
        # absolute votes.
        bounds: FloatArray = np.maximum(sizes, np.sqrt(len(sizes)) * self._estimated_sizes)
        return bounds

    @cached_property
    def _estimated_sizes(self) -> FloatArray | None:
        """Sizes of scores from products with random signs, ``(n,)``; never above the true sizes.

        None for votes with exact absolute row sums.
        """
        votes = self.problem.votes
        if votes.absolute_sums_are_bounds:
            return None
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(votes.shape[1], _N_PROBES))
        lengths = np.sqrt(np.square(votes @ signs).mean(axis=1))
        sizes: FloatArray = lengths * self.problem.loss.magnitude(self.problem.candidates)
        return sizes

    def scores(self, points: FloatArray) -> FloatArray:
        """``S X`` with the symmetric part of all votes, ``(n, p)``."""
        return symmetric_product(self.problem, points)

    def value(self, points: FloatArray, scores: FloatArray) -> float:
        """``h(X)``, where `scores` is ``S X``."""
        rows = np.flatnonzero(self.open_rows)
        open_points = points[rows]
        penalty = inner(
            open_points, self._penalty_product(open_points, rows) - self._linear_term(rows)
        )
        return inner(scores, gram_product(points, self.loss.table)) + penalty

    def gradient(self, points: FloatArray, scores: FloatArray, rows: IntArray) -> FloatArray:
        """The gradient of h at some open rows, ``(len(rows), p)``."""
        product = gram_product(scores[rows], self.loss.table)
        product = product + self._penalty_product(points[rows], rows)
        gradient: FloatArray = 2 * product - self._linear_term(rows)
        return gradient

    def curvature(self, moves: FloatArray, scores: FloatArray, rows: IntArray) -> float:
        """The coefficient of ``t^2`` in ``h(X + t moves)``; `scores` is ``S @ moves`` at `rows`."""
        curvature = inner(scores, gram_product(moves, self.loss.table))
        return curvature + inner(moves, self._penalty_product(moves, rows))

    def curvature_bounds(self, directions: FloatArray, rows: IntArray) -> FloatArray:
        """Upper bounds on the curvature along the directions of rows, ``(r, p)``, to be summed.

        The sum over p bounds the share of each row, whatever the other rows do at the same time: S
        lies between ``-diag(plus)`` and ``diag(minus)``, so the curvature of each part is at most
        that of ``diag(plus + minus)``.
        """
        largest_shifts = (self.shifts.plus[rows] + self.shifts.minus[rows])[:, None]
        bounds: FloatArray = directions * gram_product(largest_shifts * directions, self._gram_sum)
        return bounds

    def _penalty_product(self, points: FloatArray, rows: IntArray) -> FloatArray:
        """Points of some rows times the matrices of their quadratic penalties, ``(r, p)``."""
        product = gram_product(self.shifts.minus[rows, None] * points, self.loss.minus)
        if not self.loss.is_concave:
            product += gram_product(self.shifts.plus[rows, None] * points, self.loss.plus)
        return product

    def _linear_term(self, rows: IntArray) -> FloatArray:
        """``rho_plus nu_P + rho_minus nu_N`` of some rows, ``(r, p)``; the penalty subtracts it."""
        term: FloatArray = self.shifts.minus[rows, None] * self.loss.minus_norms
        if not self.loss.is_concave:
            term = term + self.shifts.plus[rows, None] * self.loss.plus_norms
        return term
