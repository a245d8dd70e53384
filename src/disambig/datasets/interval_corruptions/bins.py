"""Numbers of which only the bin is known, as in a questionnaire."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets.interval_corruptions.numbers import intervals_around, read_numbers
from disambig.notation import FloatArray

__all__ = ["BinCorruption"]


@dataclass(frozen=True, eq=False)
class BinCorruption:
    """``s = [edges[k], edges[k + 1]]`` with ``edges[k] <= y < edges[k + 1]``; nothing is drawn.

    Below the first edge and from the last on the bin is a half-line.

    Parameters
    ----------
    edges : array-like (k,)
        At least one, increasing.

    Examples
    --------
    >>> from disambig.datasets import BinCorruption
    >>> bins = BinCorruption([0, 800, 1200])([950.0, 3000.0, -1.0])
    >>> bins.lower.ravel().tolist(), bins.upper.ravel().tolist()
    ([800.0, 1200.0, -inf], [1200.0, inf, 0.0])
    """

    edges: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", _checked_edges(self.edges))

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("BinCorruption", y)
        ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
        place = np.searchsorted(self.edges, truth.values, side="right")
        return intervals_around(truth, ends[place], ends[place + 1])


def _checked_edges(edges: Any) -> FloatArray:
    array = np.array(edges, dtype=np.float64)
    sound = array.ndim == 1 and array.size and np.isfinite(array).all()
    if not sound or (np.diff(array) <= 0).any():
        raise ValueError(
            f"BinCorruption: edges must be one or more finite numbers, increasing; got {edges!r}."
        )
    array.setflags(write=False)
    return array
