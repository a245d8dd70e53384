"""What a comparison of methods measures, and means of it with standard errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Estimate", "Outcome", "Summary", "paired_difference", "summarize"]


class Estimate(NamedTuple):
    """A mean and its standard error; the latter is NaN for a single value."""

    mean: float
    standard_error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """``mean(v)`` and ``std(v) / sqrt(len(v))`` with the unbiased variance.

        Examples
        --------
        >>> Estimate.of([1.0, 2.0, 3.0]).mean
        2.0
        """
        count = len(values)
        spread = float(np.std(values, ddof=1)) / count**0.5 if count > 1 else float("nan")
        return cls(float(np.mean(values)), spread)


@dataclass(frozen=True)
class Outcome:
    """One method on one split at one level of ambiguity.

    Attributes
    ----------
    kind : str
        How candidates came to the sets.
    level : float
        How likely they were to.
    split : int
    method : str
    set_size : float
        Mean number of candidates of a training row.
    choice : int
        The hyper-parameter that was chosen.
    error : float
        Share of test rows predicted wrongly.
    recovered : float
        Share of training rows whose recovered label is the true one.
    """

    kind: str
    level: float
    split: int
    method: str
    set_size: float
    choice: int
    error: float
    recovered: float


@dataclass(frozen=True)
class Summary:
    """One method at one level of ambiguity, over all splits."""

    kind: str
    level: float
    method: str
    set_size: float
    error: Estimate
    recovered: Estimate


def summarize(outcomes: Iterable[Outcome]) -> list[Summary]:
    """Means over splits, in the order in which (kind, level, method) first appear.

    Examples
    --------
    >>> outcomes = [
    ...     Outcome("uniform", 0.5, split, "DF", 2.0, 10, error, 1.0)
    ...     for split, error in enumerate([0.1, 0.3])
    ... ]
    >>> [summary] = summarize(outcomes)
    >>> round(summary.error.mean, 6), round(summary.error.standard_error, 6)
    (0.2, 0.1)
    """
    groups: dict[tuple[str, float, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.kind, outcome.level, outcome.method), []).append(outcome)
    return [
        Summary(
            *key,
            set_size=float(np.mean([outcome.set_size for outcome in group])),
            error=Estimate.of([outcome.error for outcome in group]),
            recovered=Estimate.of([outcome.recovered for outcome in group]),
        )
        for key, group in groups.items()
    ]


def paired_difference(
    outcomes: Iterable[Outcome], kind: str, level: float, first: str, second: str
) -> Estimate:
    """The error of `first` minus that of `second`, split by split: both saw the same rows."""
    errors: dict[int, dict[str, float]] = {}
    for outcome in outcomes:
        if (outcome.kind, outcome.level) == (kind, level):
            errors.setdefault(outcome.split, {})[outcome.method] = outcome.error
    return Estimate.of([pair[first] - pair[second] for pair in errors.values()])
