"""An interior-point method for a dense convex quadratic over a box: never quick, never stuck."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.newton import ShiftedFactor
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

_SMALL_GAP = 1e-10
_ROUNDING_GAP = 1e-18
_SHORT_OF_BOUND = 0.995
_SHORTEST_STEP = 1e-8


class Margins(NamedTuple):
    """Distances to both bounds and their multipliers, each ``(n,)``; or changes of them.

    Where a bound is infinite, its distance is one and its multiplier zero.
    """

    below: FloatArray
    above: FloatArray
    low_price: FloatArray
    high_price: FloatArray

    @property
    def gap(self) -> float:
        """``sum distance x multiplier``."""
        return float(self.below @ self.low_price + self.above @ self.high_price)

    def moved(self, length: float, change: "Margins") -> "Margins":
        """``self + length * change``."""
        return Margins(*(mine + length * its for mine, its in zip(self, change, strict=True)))

    def longest(self, change: "Margins") -> float:
        """How far along `change` all entries stay non-negative."""
        lengths = [
            float(np.min(-mine[its < 0] / its[its < 0], initial=np.inf))
            for mine, its in zip(self, change, strict=True)
        ]
        return min(lengths)


@dataclass(frozen=True, eq=False)
class InteriorState:
    """A point strictly inside the box."""

    at: BoxState
    margins: Margins

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return self.at.objective

    @property
    def undecided(self) -> int:
        """Entries that break the tolerance."""
        return self.at.undecided


class InteriorPoint:
    """Mehrotra's predictor and corrector for ``min 1/2 y' Q y`` over a box.

    Each step solves with ``Q + D`` twice, ``D = low_price / below + high_price / above``; one
    factor serves both. Entries with a single allowed value are held. Some 10-20 steps end near the
    optimum whatever the condition of ``Q``; `snapped` then guesses its face.

    Parameters
    ----------
    problem : BoxQuadratic
        With a dense array and at least one finite bound that is not a point.
    """

    def __init__(self, problem: BoxQuadratic) -> None:
        self.problem = problem
        wide = problem.lower < problem.upper
        self.rows: IntArray = np.flatnonzero(wide)
        self.has_low: BoolArray = np.isfinite(problem.lower) & wide
        self.has_high: BoolArray = np.isfinite(problem.upper) & wide
        self.n_bounds = int(self.has_low.sum() + self.has_high.sum())
        self.unit = float(np.mean(problem.curvature)) * problem.size**2

    def begin(self, y: FloatArray) -> InteriorState:
        """The nearest point to `y` at some distance from all bounds."""
        problem, has_low, has_high = self.problem, self.has_low, self.has_high
        margin = np.minimum(0.1 * problem.size, 0.25 * (problem.upper - problem.lower))
        # Infinite bounds stay infinite; points stay points, with a margin of zero.
        y = np.clip(y, problem.lower + margin, problem.upper - margin)
        at = problem.at(y)
        below = np.where(has_low, y - problem.lower, 1.0)
        above = np.where(has_high, problem.upper - y, 1.0)
        price = 0.1 * self.unit
        low_price = np.where(has_low, np.maximum(at.gradient, 0.0) + price / below, 0.0)
        high_price = np.where(has_high, np.maximum(-at.gradient, 0.0) + price / above, 0.0)
        return InteriorState(at, Margins(below, above, low_price, high_price))

    def step(self, state: InteriorState) -> InteriorState:
        """One step, or the same state where rounding allows none."""
        now = state.margins
        extra = now.low_price / now.below + now.high_price / now.above
        factor = ShiftedFactor(self.problem.Q, self.rows, extra[self.rows])
        low, high = -now.below * now.low_price, -now.above * now.high_price
        _, guess = self._change(factor, state, low, high)
        guessed = now.moved(min(1.0, now.longest(guess)), guess)
        centre = now.gap / self.n_bounds * (guessed.gap / now.gap) ** 3
        low = np.where(self.has_low, low + centre - guess.below * guess.low_price, 0.0)
        high = np.where(self.has_high, high + centre - guess.above * guess.high_price, 0.0)
        move, change = self._change(factor, state, low, high)
        length = min(1.0, _SHORT_OF_BOUND * now.longest(change))
        if length < _SHORTEST_STEP:
            return state
        y = self.problem.clip(state.at.y + length * move)
        return InteriorState(self.problem.at(y), now.moved(length, change))

    def has_converged(self, before: InteriorState, after: InteriorState) -> bool:
        """Is the gap a tiny share of the objective, or rounding, or does it fall no more?"""
        enough = max(_SMALL_GAP * after.objective, _ROUNDING_GAP * self.unit)
        falls = after.margins.gap <= 0.9 * before.margins.gap
        stuck = after is before or (after.at.kkt <= self.problem.tol and not falls)
        return stuck or after.margins.gap <= enough

    def snapped(self, state: InteriorState) -> FloatArray:
        """The point with those entries on a bound whose multiplier outweighs their distance."""
        problem, now = self.problem, state.margins
        low = now.low_price > problem.curvature * now.below
        high = now.high_price > problem.curvature * now.above
        y = np.where(low, problem.lower, state.at.y)
        return problem.clip(np.where(high & ~low, problem.upper, y))

    def _change(
        self, factor: ShiftedFactor, state: InteriorState, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, Margins]:
        """The move that lets ``distance x multiplier`` grow by `low` and `high`."""
        now = state.margins
        residual = state.at.gradient - now.low_price + now.high_price
        right = low / now.below - high / now.above - residual
        move = np.zeros_like(right)
        move[self.rows] = factor.solve(right[self.rows])
        below = np.where(self.has_low, move, 0.0)
        above = np.where(self.has_high, -move, 0.0)
        low_price = (low - now.low_price * below) / now.below
        high_price = (high - now.high_price * above) / now.above
        return move, Margins(below, above, low_price, high_price)
