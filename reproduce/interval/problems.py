"""The paper's regression problem, with the same random numbers as the authors' program."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets import make_sine_intervals
from disambig.datasets.corruptions.protocol import IntervalCorruption
from disambig.notation import FloatArray, IntArray

BANDWIDTH = 0.1
RIDGES = (1e-1, 1e-3, 1e-6)
_N_QUERIES = 200


class SineProblem(NamedTuple):
    """Inputs, their intervals and true targets; queries and the truth, to measure errors."""

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
        """The problem that learns from the other rows and measures errors at these."""
        keep = np.setdiff1d(np.arange(len(self.X)), rows)
        return SineProblem(
            self.X[keep],
            self.intervals[keep],
            self.targets[keep],
            self.X[rows],
            self.targets[rows],
        )


def authors_generator(seed: int) -> np.random.Generator:
    """A generator in the state of numpy's global generator after ``numpy.random.seed(seed)``."""
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
    """The problem that their program draws after ``seed(seed)``.

    With the defaults, seed 0 is the problem of the published figure. `shift` is added to the wave
    and to the intervals after these are drawn.
    """
    X, sets, targets = make_sine_intervals(
        n_samples, corruption=corruption, random_state=authors_generator(seed)
    )
    if not isinstance(sets, Intervals):
        raise TypeError(
            "sine_problem: expected a corruption into intervals, got one into unions of intervals."
        )
    moved = Intervals(sets.lower + shift, sets.upper + shift)
    queries, truth = grid()
    return SineProblem(X, moved, targets + shift, queries, truth + shift)


def grid() -> tuple[FloatArray, FloatArray]:
    """The queries at which errors are measured, (200, 1), and the truth there, (200,)."""
    x = np.linspace(0.0, 1.0, _N_QUERIES)[:, np.newaxis]
    return x, np.sin(10 * x).ravel()
