"""Grids of distributions over few classes."""

import itertools
from functools import cache

import numpy as np

__all__ = ["simplex_grid"]


@cache
def simplex_grid(n_classes: int, steps: int) -> np.ndarray:
    """All distributions whose probabilities are multiples of ``1 / steps``."""
    bars = itertools.combinations(range(steps + n_classes - 1), n_classes - 1)
    ends = np.array([(-1, *bar, steps + n_classes - 1) for bar in bars])
    grid = (np.diff(ends, axis=1) - 1) / steps
    grid.setflags(write=False)
    return grid
