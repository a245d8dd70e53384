"""Corruptions of numbers into intervals around them.

`BinCorruption`: only the bin is known, as in a questionnaire. `RoundingCorruption`: few digits are
known. `SkewedCorruption`: the paper's intervals, whose centres are farther from 0 than the truth.
`WidthCorruption`: intervals of random width around the truth.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_number

_MODES = ("nearest", "down")
_SIDES = ("outward", "either")


class Numbers(NamedTuple):
    """The true numbers, ``(n, d)``; `flat` is True if they were given as ``(n,)``."""

    values: FloatArray
    flat: bool


def read_numbers(owner: str, y: Any) -> Numbers:
    """Read finite numbers ``(n,)`` or ``(n, d)``; errors name `owner`.

    Examples
    --------
    >>> read_numbers("BinCorruption", [1, 2.5]).values.tolist()
    [[1.0], [2.5]]
    """
    values = np.array(y, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise CandidateError(
            f"{owner}: y has shape {values.shape}; expected numbers (n,) or points (n, d)."
        )
    flat = values.ndim == 1
    values = values.reshape(len(values), -1)
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        row, count = int(np.argmax(bad)), np.count_nonzero(bad)
        raise CandidateError(
            f"{owner}: row {row} is {values[row].tolist()} ({count} such "
            f"{'row' if count == 1 else 'rows'}); expected finite numbers, the true targets. Drop "
            "such rows, or give their numbers."
        )
    return Numbers(values, flat)


def intervals_around(truth: Numbers, lower: FloatArray, upper: FloatArray) -> Intervals:
    """``[lower, upper]``, widened to contain the truth if rounding left it just outside."""
    return Intervals(
        np.minimum(lower, truth.values), np.maximum(upper, truth.values), flat=truth.flat
    )


@dataclass(frozen=True, eq=False)
class BinCorruption:
    """``s = [edges[k], edges[k + 1]]`` with ``edges[k] <= y < edges[k + 1]``; nothing is drawn.

    Below the first edge and above the last one the bin is a half-line.

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
        bins = np.searchsorted(self.edges, truth.values, side="right")
        return intervals_around(truth, ends[bins], ends[bins + 1])


def _checked_edges(edges: Any) -> FloatArray:
    array = np.array(edges, dtype=np.float64)
    is_valid = array.ndim == 1 and array.size and np.isfinite(array).all()
    if not is_valid or (np.diff(array) <= 0).any():
        raise ValueError(
            f"BinCorruption: edges must be one or more finite numbers, increasing; got {edges!r}."
        )
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class RoundingCorruption:
    """``s``: the numbers that round to the same multiple of `step` as y; nothing is drawn.

    Halves are rounded up; both ends belong to the interval.

    Parameters
    ----------
    step : float > 0
    mode : {"nearest", "down"}, default "nearest"
        To the nearest multiple, or down, like an age in years.

    Examples
    --------
    >>> from disambig.datasets import RoundingCorruption
    >>> nearest = RoundingCorruption(10)([12.0, 15.0, -3.0])
    >>> nearest.lower.ravel().tolist(), nearest.upper.ravel().tolist()
    ([5.0, 15.0, -5.0], [15.0, 25.0, 5.0])
    >>> RoundingCorruption(10, mode="down")([12.0, 15.0, -3.0]).lower.ravel().tolist()
    [10.0, 10.0, -10.0]
    """

    step: float
    mode: Literal["nearest", "down"] = "nearest"

    def __post_init__(self) -> None:
        step = check_number("RoundingCorruption", "step", self.step, positive=True)
        object.__setattr__(self, "step", step)
        check_choice("RoundingCorruption", "mode", self.mode, _MODES)

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("RoundingCorruption", y)
        offset = 0.5 if self.mode == "nearest" else 0.0
        below = np.floor(truth.values / self.step + offset) - offset
        return intervals_around(truth, below * self.step, (below + 1) * self.step)


@dataclass(frozen=True)
class SkewedCorruption:
    """``s = y + sign(y) c + [-r, r]``, ``r = radius - scale log u``, c uniform in [0, r].

    The corruption of Cabannes, Bach and Rudi (2021), appendix D.1; the authors' programs agree with
    it. The centre moves away from 0, never towards it, so that midpoints are biased: on average by
    ``(radius + scale) / 2``, which is 2/3 with the paper's numbers. At y = 0 it does not move.

    With ``side="either"`` c is uniform in [-r, r] whatever the sign: the truth is uniform in its
    interval, and midpoints are unbiased. The authors use this in their problem of unknown signs
    (`SignCorruption`).

    Parameters
    ----------
    radius : float >= 0, default 1
        Half of the smallest width.
    scale : float >= 0, default 1/3
        Mean of the exponential variable that is added to the radius; the paper's gamma.
    side : {"outward", "either"}, default "outward"

    Examples
    --------
    >>> from disambig.datasets import SkewedCorruption
    >>> intervals = SkewedCorruption()([2.0, -2.0], random_state=0)
    >>> intervals.lower.round(2).ravel().tolist()
    [0.9, -3.46]
    >>> intervals.centers.round(2).ravel().tolist()
    [2.05, -2.02]
    """

    radius: float = 1.0
    scale: float = 1 / 3
    side: Literal["outward", "either"] = "outward"

    def __post_init__(self) -> None:
        for name in ("radius", "scale"):
            amount = check_number("SkewedCorruption", name, getattr(self, name))
            object.__setattr__(self, name, amount)
        check_choice("SkewedCorruption", "side", self.side, _SIDES)

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("SkewedCorruption", y)
        # Radii are drawn before shifts, both by `random`: in the state of the authors' generator
        # these are their draws.
        rng = np.random.default_rng(random_state)
        # A draw may be 0, whose logarithm is infinite.
        draws = np.maximum(rng.random(truth.values.shape), np.finfo(np.float64).tiny)
        radii = self.radius - self.scale * np.log(draws)
        shares = rng.random(truth.values.shape)
        if self.side == "outward":
            centers = truth.values + shares * radii * np.sign(truth.values)
        else:
            centers = truth.values + (2 * shares - 1) * radii
        return intervals_around(truth, centers - radii, centers + radii)


@dataclass(frozen=True)
class WidthCorruption:
    """``s = y + [-v w, (1 - v) w]``, w uniform in [0, largest], v uniform in [0, 1].

    The truth is uniform in its interval, so that midpoints are unbiased. With the same
    integer `random_state`, intervals grow with `largest`; at 0 they are points.

    Parameters
    ----------
    largest : float >= 0
        The largest width; the mean width is half of it.

    Examples
    --------
    >>> from disambig.datasets import WidthCorruption
    >>> intervals = WidthCorruption(2.0)([0.0, 5.0], random_state=0)
    >>> intervals.lower.round(2).ravel().tolist(), intervals.upper.round(2).ravel().tolist()
    ([-0.05, 4.99], [1.22, 5.53])
    """

    largest: float

    def __post_init__(self) -> None:
        largest = check_number("WidthCorruption", "largest", self.largest)
        object.__setattr__(self, "largest", largest)

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("WidthCorruption", y)
        rng = np.random.default_rng(random_state)
        widths = self.largest * rng.random(truth.values.shape)
        below = rng.random(truth.values.shape)
        return intervals_around(
            truth, truth.values - below * widths, truth.values + (1 - below) * widths
        )
