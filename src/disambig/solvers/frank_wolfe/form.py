"""The convex function that stands in for the quadratic objective."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem, inner
from disambig.solvers.frank_wolfe.losses import QuadraticLoss, gram_product
from disambig.solvers.frank_wolfe.shifts import Shifts, listen, sums_are_bounds

# Products are added up over some dozens of steps; so many units of rounding are on the safe side.
_ROUNDINGS = 500
# Random signs that tell the size of votes which cannot tell it themselves.
_PROBES = 8


@dataclass(frozen=True, eq=False)
class ConvexForm:
    r"""``h(X) = sum_ij A[i, j] <x_i, L x_j>`` and a penalty that is zero at all vertices.

    The penalty of an open row i is

    .. math::

        \rho^+_i (\langle x, P x \rangle - \langle \nu_P, x \rangle)
        + \rho^-_i (\langle x, N x \rangle - \langle \nu_N, x \rangle),
        \qquad L = P - N,

    with P and N the parts of the loss that bend up and down and ``<nu_P, e(y)> = <e(y), P e(y)>``.
    With S the symmetric part of the votes between open rows, h is convex as soon as
    ``S + diag(rho_plus)`` and ``diag(rho_minus) - S`` are positive semi-definite. At labels it is
    the quadratic objective, so that its minimum over the hulls bounds that from below. If P and N
    have one norm C for all outputs, and all rows the same shifts, this is the paper's
    ``Tr (S + rho_plus I) Psi Psi' + Tr (rho_minus I - S) Phi Phi'`` less
    ``n C (rho_plus + rho_minus)``.

    Parameters
    ----------
    problem : Problem
    loss : QuadraticLoss
    open_rows : bool array (n,)
        Rows of several candidates; the others never move.
    shifts : Shifts
    """

    problem: Problem
    loss: QuadraticLoss
    open_rows: BoolArray
    shifts: Shifts

    @cached_property
    def _both(self) -> FloatArray:
        return self.loss.plus + self.loss.minus

    @cached_property
    def rounding(self) -> float:
        """Values of h are exact to this."""
        scale, loss, shifts = self._sizes, self.loss, self.shifts
        tilt = np.abs(shifts.plus).sum() * np.abs(loss.plus_norms).max(initial=0.0)
        tilt += np.abs(shifts.minus).sum() * np.abs(loss.minus_norms).max(initial=0.0)
        return float(_ROUNDINGS * np.finfo(scale.dtype).eps * (np.sum(scale) + tilt))

    @property
    def largest(self) -> float:
        """The largest objective that labels can have; less, where the votes cannot tell."""
        scale = self.problem.prediction_scale
        return float(np.sum(scale if self._probed is None else np.maximum(scale, self._probed)))

    @property
    def _sizes(self) -> FloatArray:
        """What the scores of each row are added up from, or more, ``(n,)``."""
        scale = self.problem.prediction_scale
        if self._probed is None:
            return scale
        # The mean square of a row's votes times random signs is the sum of its squares, and the
        # root of n times that of it no less than the sum of its absolute votes.
        sizes: FloatArray = np.maximum(scale, np.sqrt(len(scale)) * self._probed)
        return sizes

    @cached_property
    def _probed(self) -> FloatArray | None:
        """Sizes of scores by products with random signs, ``(n,)``, never above the true ones.

        None where the votes tell their sizes themselves.
        """
        votes = self.problem.votes
        if sums_are_bounds(votes):
            return None
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(votes.shape[1], _PROBES))
        lengths = np.sqrt(np.square(votes @ signs).mean(axis=1))
        probed: FloatArray = lengths * self.problem.loss.magnitude(self.problem.candidates)
        return probed

    def heard(self, points: FloatArray) -> FloatArray:
        """``S X`` with the symmetric part of all votes, ``(n, p)``."""
        return listen(self.problem, points)

    def value(self, points: FloatArray, heard: FloatArray) -> float:
        """``h``."""
        rows = np.flatnonzero(self.open_rows)
        free = points[rows]
        penalty = inner(free, self._bent(free, rows) - self._tilt(rows))
        return inner(heard, gram_product(points, self.loss.table)) + penalty

    def gradient(self, points: FloatArray, heard: FloatArray, rows: IntArray) -> FloatArray:
        """Of h, at some open rows, ``(len(rows), p)``."""
        pulled = gram_product(heard[rows], self.loss.table) + self._bent(points[rows], rows)
        slope: FloatArray = 2 * pulled - self._tilt(rows)
        return slope

    def bend(self, moves: FloatArray, heard: FloatArray, rows: IntArray) -> float:
        """Of h along moves of some rows; `heard` is ``S @ moves`` at these rows."""
        along = inner(heard, gram_product(moves, self.loss.table))
        return along + inner(moves, self._bent(moves, rows))

    def steepest_bends(self, directions: FloatArray, rows: IntArray) -> FloatArray:
        """At most so much do rows' own directions bend h, ``(r, p)``, to be summed over p.

        Whatever the others do at the same time: S lies between minus `plus` and `minus`, so that
        neither part bends by more than their sum.
        """
        most = (self.shifts.plus[rows] + self.shifts.minus[rows])[:, None]
        bends: FloatArray = directions * gram_product(most * directions, self._both)
        return bends

    def _bent(self, points: FloatArray, rows: IntArray) -> FloatArray:
        """Points of some rows through what their penalties bend by."""
        bent = gram_product(self.shifts.minus[rows, None] * points, self.loss.minus)
        if not self.loss.is_concave:
            bent += gram_product(self.shifts.plus[rows, None] * points, self.loss.plus)
        return bent

    def _tilt(self, rows: IntArray) -> FloatArray:
        tilt: FloatArray = self.shifts.minus[rows, None] * self.loss.minus_norms
        if not self.loss.is_concave:
            tilt = tilt + self.shifts.plus[rows, None] * self.loss.plus_norms
        return tilt
