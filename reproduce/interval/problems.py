"""The paper's regression problem with the very numbers that the authors' program draws."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets import IntervalCorruption, make_sine_intervals
from disambig.notation import FloatArray, IntArray

BANDWIDTH = 0.1
RIDGES = (1e-1, 1e-3, 1e-6)
_QUERIES = 200


class SineProblem(NamedTuple):
    """Inputs, their intervals, the truth at them, and the inputs and truths that errors are of."""

    X: FloatArray
    intervals: Intervals
    targets: FloatArray
    queries: FloatArray
    truth: FloatArray

    @property
    def centers(self) -> FloatArray:
        """Midpoints, (n,)."""
        return self.intervals.centers.ravel()

    @property
    def radii(self) -> FloatArray:
        """Half widths, (n,)."""
        radii: FloatArray = (self.intervals.upper - self.intervals.lower).ravel() / 2
        return radii

    def without(self, rows: IntArray) -> "SineProblem":
        """The others learn; errors are of these rows."""
        keep = np.setdiff1d(np.arange(len(self.X)), rows)
        return SineProblem(
            self.X[keep],
            self.intervals[keep],
            self.targets[keep],
            self.X[rows],
            self.targets[rows],
        )


def authors_generator(seed: int) -> np.random.Generator:
    """numpy's old global generator, in the state that ``seed(seed)`` puts it in."""
    bits = np.random.MT19937()
    state: Any = np.random.RandomState(seed).get_state(legacy=False)
    bits.state = state
    return np.random.Generator(bits)


def sine_problem(
    seed: int,
    n_samples: int = 10,
    *,
    corruption: IntervalCorruption | None = None,
    shift: float = 0.0,
) -> SineProblem:
    """The problem after their ``seed(seed)``; with the defaults 0 is that of the published figure.

    `shift` moves wave and intervals together, after the intervals are drawn.
    """
    X, sets, targets = make_sine_intervals(
        n_samples, corruption=corruption, random_state=authors_generator(seed)
    )
    if not isinstance(sets, Intervals):
        raise TypeError("sine_problem: a corruption into intervals is needed, not into unions.")
    moved = Intervals(sets.lower + shift, sets.upper + shift)
    queries, truth = grid()
    return SineProblem(X, moved, targets + shift, queries, truth + shift)


def grid() -> tuple[FloatArray, FloatArray]:
    """Where errors are taken: 200 inputs, (200, 1), and the truth at them, (200,)."""
    x = np.linspace(0.0, 1.0, _QUERIES)[:, np.newaxis]
    return x, np.sin(10 * x).ravel()
