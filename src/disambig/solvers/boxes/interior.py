"""An interior-point method for a dense convex quadratic over a box.

It takes more work than projected Newton on easy problems, but the number of delta steps hardly
depends on the condition of the array.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.newton import ShiftedFactor
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

# The run ends when the duality gap is below this share of the objective, or below this share of the
# unit of the problem, where it is rounding error.
_MAX_GAP_SHARE_OF_OBJECTIVE = 1e-10
_MAX_GAP_SHARE_OF_UNIT = 1e-18
# Share of the longest possible step that is taken, so that no entry reaches a bound.
_STEP_SHARE = 0.995
# Shorter steps are rounding error: the run ends.
_MIN_STEP_LENGTH = 1e-8


class Margins(NamedTuple):
    """Distances to both bounds and their multipliers, each ``(n,)``; or changes of them.

    An infinite bound has distance one and multiplier zero.
    """

    below: FloatArray
    above: FloatArray
    low_multiplier: FloatArray
    high_multiplier: FloatArray

    @property
    def gap(self) -> float:
        """``sum distance x multiplier``."""
        return float(self.below @ self.low_multiplier + self.above @ self.high_multiplier)

    def moved(self, length: float, change: "Margins") -> "Margins":
        """``self + length * change``."""
        return Margins(*(value + length * delta for value, delta in zip(self, change, strict=True)))

    def longest(self, change: "Margins") -> float:
        """The largest length for which ``self + length * change`` is non-negative."""
        lengths = [
            float(np.min(-value[delta < 0] / delta[delta < 0], initial=np.inf))
            for value, delta in zip(self, change, strict=True)
        ]
        return min(lengths)


@dataclass(frozen=True, eq=False)
class InteriorState:
    """A point strictly inside the box."""

    point: BoxState
    margins: Margins

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return self.point.objective

    @property
    def undecided(self) -> int:
        """Number of entries whose best move exceeds the tolerance."""
        return self.point.undecided


class InteriorPoint:
    """Mehrotra's predictor-corrector method for ``min 1/2 y' Q y`` over a box.

    Each step solves two systems with ``Q + D``, where
    ``D = low_multiplier / below + high_multiplier / above``; one factorisation serves both. Entries
    with equal bounds are fixed. About 10-20 steps end near the optimum, whatever the condition of
    ``Q``; `snapped` then guesses its face.

    Parameters
    ----------
    problem : BoxQuadratic
        With a dense array; at least one entry has different bounds, of which one is finite.
    """

    def __init__(self, problem: BoxQuadratic) -> None:
        self.problem = problem
        can_move = problem.lower < problem.upper
        self.rows: IntArray = np.flatnonzero(can_move)
        self.has_low: BoolArray = np.isfinite(problem.lower) & can_move
        self.has_high: BoolArray = np.isfinite(problem.upper) & can_move
        self.n_bounds = int(self.has_low.sum() + self.has_high.sum())
        self.unit = float(np.mean(problem.curvature)) * problem.size**2

    def begin(self, y: FloatArray) -> InteriorState:
        """The point nearest to `y` that keeps a distance from all bounds."""
        problem, has_low, has_high = self.problem, self.has_low, self.has_high
        margin = np.minimum(0.1 * problem.size, 0.25 * (problem.upper - problem.lower))
        # Infinite bounds stay infinite. Equal bounds have a margin of zero.
        y = np.clip(y, problem.lower + margin, problem.upper - margin)
        point = problem.state_at(y)
        below = np.where(has_low, y - problem.lower, 1.0)
        above = np.where(has_high, problem.upper - y, 1.0)
        # Distance times multiplier is at least this at every finite bound.
        product = 0.1 * self.unit
        low_multiplier = np.where(has_low, np.maximum(point.gradient, 0.0) + product / below, 0.0)
        high_multiplier = np.where(
            has_high, np.maximum(-point.gradient, 0.0) + product / above, 0.0
        )
        return InteriorState(point, Margins(below, above, low_multiplier, high_multiplier))

    def step(self, state: InteriorState) -> InteriorState:
        """One step, or the same state if only rounding error is left."""
        margins = state.margins
        if margins.gap == 0.0:
            # The distances are so small beside the bounds that their squares are zero.
            return state
        extra = margins.low_multiplier / margins.below + margins.high_multiplier / margins.above
        factor = ShiftedFactor(self.problem.Q, self.rows, extra[self.rows])
        low, high = (
            -margins.below * margins.low_multiplier,
            -margins.above * margins.high_multiplier,
        )
        _, predictor = self._change(factor, state, low, high)
        predicted = margins.moved(min(1.0, margins.longest(predictor)), predictor)
        centering = margins.gap / self.n_bounds * (predicted.gap / margins.gap) ** 3
        low = np.where(
            self.has_low, low + centering - predictor.below * predictor.low_multiplier, 0.0
        )
        high = np.where(
            self.has_high, high + centering - predictor.above * predictor.high_multiplier, 0.0
        )
        move, change = self._change(factor, state, low, high)
        length = min(1.0, _STEP_SHARE * margins.longest(change))
        if length < _MIN_STEP_LENGTH:
            return state
        y = self.problem.clip(state.point.y + length * move)
        return InteriorState(self.problem.state_at(y), margins.moved(length, change))

    def has_converged(self, before: InteriorState, after: InteriorState) -> bool:
        """Is the gap small enough, or does it no longer fall?"""
        small_gap = max(
            _MAX_GAP_SHARE_OF_OBJECTIVE * after.objective, _MAX_GAP_SHARE_OF_UNIT * self.unit
        )
        falls = after.margins.gap <= 0.9 * before.margins.gap
        stuck = after is before or (after.point.kkt <= self.problem.tol and not falls)
        return stuck or after.margins.gap <= small_gap

    def snapped(self, state: InteriorState) -> FloatArray:
        """The point with entries put on a bound where the multiplier outweighs the distance."""
        problem, margins = self.problem, state.margins
        low = margins.low_multiplier > problem.curvature * margins.below
        high = margins.high_multiplier > problem.curvature * margins.above
        y = np.where(low, problem.lower, state.point.y)
        return problem.clip(np.where(high & ~low, problem.upper, y))

    def _change(
        self, factor: ShiftedFactor, state: InteriorState, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, Margins]:
        """The move after which ``distance x multiplier`` has grown by `low` and `high`."""
        margins = state.margins
        residual = state.point.gradient - margins.low_multiplier + margins.high_multiplier
        right = low / margins.below - high / margins.above - residual
        move = np.zeros_like(right)
        move[self.rows] = factor.solve(right[self.rows])
        below = np.where(self.has_low, move, 0.0)
        above = np.where(self.has_high, -move, 0.0)
        low_multiplier = (low - margins.low_multiplier * below) / margins.below
        high_multiplier = (high - margins.high_multiplier * above) / margins.above
        return move, Margins(below, above, low_multiplier, high_multiplier)
