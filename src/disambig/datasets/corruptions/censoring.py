"""Corruptions of numbers into half-lines, whole lines and unions of intervals.

`CensoringCorruption`: numbers outside of the range of an instrument. `MissingCorruption`: some rows
allow every number. `SignCorruption`: the absolute value is known and the sign is not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets.corruptions.numbers import read_numbers
from disambig.datasets.corruptions.protocol import IntervalCorruption
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import check_number


@dataclass(frozen=True, eq=False)
class CensoringCorruption:
    """``s = (-inf, lower]`` if y <= lower, ``[upper, inf)`` if y >= upper, else ``{y}``.

    Tobin's model is ``lower=0``: spending that cannot be negative. Nothing is drawn. For random
    censoring, such as patients who leave a study, pass limits of each row that you have drawn.

    Parameters
    ----------
    lower : float or array-like (n,), default -inf
    upper : float or array-like (n,), default inf
        Above `lower`.

    Examples
    --------
    >>> from disambig.datasets import CensoringCorruption
    >>> sets = CensoringCorruption(lower=0.0)([1.5, -2.0])
    >>> sets.lower.ravel().tolist(), sets.upper.ravel().tolist()
    ([1.5, -inf], [1.5, 0.0])
    """

    lower: Any = -np.inf
    upper: Any = np.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _checked_limit(name, getattr(self, name)))
        sizes = {limit.size for limit in (self.lower, self.upper) if limit.ndim}
        if len(sizes) > 1:
            raise ValueError(
                f"CensoringCorruption: lower has {self.lower.size} rows and upper "
                f"{self.upper.size}. Give both a limit for each row, or one for all."
            )
        if not (self.lower < self.upper).all():
            raise ValueError(
                "CensoringCorruption: lower must be below upper, in every row; got "
                f"lower={self.lower.tolist()!r}, upper={self.upper.tolist()!r}."
            )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("CensoringCorruption", y)
        values = truth.values
        for name, limit in (("lower", self.lower), ("upper", self.upper)):
            if limit.ndim and limit.size != len(values):
                raise ValueError(
                    f"CensoringCorruption: {name} has {limit.size} rows and y {len(values)}. Give "
                    "a limit for each row, or one for all."
                )
        # One limit for each row, the same for all columns.
        low, high = self.lower.reshape(-1, 1), self.upper.reshape(-1, 1)
        # A censored number has the limit itself as finite end, which is not the truth.
        lower = np.where(values <= low, -np.inf, np.where(values >= high, high, values))
        upper = np.where(values >= high, np.inf, np.where(values <= low, low, values))
        return Intervals(lower, upper, flat=truth.flat)


def _checked_limit(name: str, limit: Any) -> FloatArray:
    array = np.array(limit, dtype=np.float64)
    if array.ndim > 1 or np.isnan(array).any():
        raise ValueError(
            f"CensoringCorruption: {name} must be a number, or one for each row; got {limit!r}."
        )
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class MissingCorruption:
    """``S`` is the whole line for ``round(level * n)`` random rows, and s for the others.

    With the same integer `random_state`, rows missing at one level are missing at every higher one.
    If numbers have several columns, all columns of such a row are missing.

    Parameters
    ----------
    level : float in [0, 1]
    within : IntervalCorruption, default None
        Makes the sets s of the numbers; None: ``s = {y}``. It is called with the same generator,
        before rows are drawn.

    Examples
    --------
    >>> from disambig.datasets import MissingCorruption
    >>> sets = MissingCorruption(0.5)([1.0, 2.0, 3.0, 4.0], random_state=0)
    >>> sets.informative.tolist()
    [False, True, False, True]
    """

    level: float
    within: IntervalCorruption | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "level", check_number("MissingCorruption", "level", self.level, most=1)
        )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals | IntervalUnions:
        truth = read_numbers("MissingCorruption", y)
        rng = np.random.default_rng(random_state)
        sets: Intervals | IntervalUnions = Intervals(truth.values, truth.values, flat=truth.flat)
        if self.within is not None:
            values = truth.values.ravel() if truth.flat else truth.values
            sets = self.within(values, random_state=rng)
        n = len(truth.values)
        missing = np.zeros(n, dtype=np.bool_)
        missing[rng.permutation(n)[: round(self.level * n)]] = True
        if isinstance(sets, Intervals):
            hidden = missing[:, np.newaxis]
            return Intervals(*_hidden(sets.lower, sets.upper, hidden), flat=sets.flat)
        # `IntervalUnions` merges the segments of a row that have become whole lines.
        hidden = np.repeat(missing, np.diff(sets.indptr))
        return IntervalUnions(*_hidden(sets.lower, sets.upper, hidden), sets.indptr)


def _hidden(
    lower: FloatArray, upper: FloatArray, hidden: BoolArray
) -> tuple[FloatArray, FloatArray]:
    return np.where(hidden, -np.inf, lower), np.where(hidden, np.inf, upper)


@dataclass(frozen=True)
class SignCorruption:
    """``S = s`` or, with probability `level`, the union of s and ``-s``: two segments.

    The authors' problem of partial regression, in their programs but not in the paper, has level .7
    and ``within=SkewedCorruption(side="either")``. Segments that meet at 0 are merged. With the
    same integer `random_state`, signs known at one level are known at every lower one.

    Parameters
    ----------
    level : float in [0, 1]
    within : IntervalCorruption, default None
        Makes the intervals s of the numbers; None: ``s = {y}``. It is called with the same
        generator, before signs are drawn.

    Examples
    --------
    >>> from disambig.datasets import SignCorruption
    >>> sets = SignCorruption(1.0)([2.0, -1.0])
    >>> sets.lower.tolist(), sets.indptr.tolist()
    ([-2.0, 2.0, -1.0, 1.0], [0, 2, 4])
    """

    level: float
    within: IntervalCorruption | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "level", check_number("SignCorruption", "level", self.level, most=1)
        )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> IntervalUnions:
        truth = read_numbers("SignCorruption", y)
        if not truth.flat:
            raise ValueError(
                f"SignCorruption: y has shape {truth.values.shape}; expected numbers (n,): unions "
                "of intervals have one column."
            )
        values = truth.values.ravel()
        rng = np.random.default_rng(random_state)
        sets: Any = Intervals(values[:, np.newaxis], values[:, np.newaxis])
        if self.within is not None:
            sets = self.within(values, random_state=rng)
        if not isinstance(sets, Intervals):
            raise ValueError(
                f"SignCorruption: within returned {type(sets).__name__}; expected Intervals, whose "
                "mirror images are added. Use SignCorruption once."
            )
        lower, upper = sets.lower.ravel(), sets.upper.ravel()
        unknown = rng.random(len(values)) < self.level
        counts = 1 + unknown
        indptr = np.concatenate([[0], np.cumsum(counts)])
        # In a row of unknown sign the first of the two segments becomes the mirror image.
        ends = np.repeat(np.column_stack([lower, upper]), counts, axis=0)
        mirror = indptr[:-1][unknown]
        ends[mirror] = -ends[mirror][:, ::-1]
        return IntervalUnions(ends[:, 0], ends[:, 1], indptr)
