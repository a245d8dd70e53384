"""Outcomes of a comparison of methods, and their means with standard errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


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
        error = float(np.std(values, ddof=1)) / count**0.5 if count > 1 else float("nan")
        return cls(float(np.mean(values)), error)


@dataclass(frozen=True)
class Outcome:
    """One method on one split at one level of ambiguity.

    Attributes
    ----------
    kind : str
        How candidates were added to the sets.
    level : float
        The probability of that.
    split : int
    method : str
    set_size : float
        Mean number of candidates of a training row.
    choice : int
        The selected hyper-parameter.
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


@dataclass(frozen=True)
class BaselineComparison:
    """A method and its best baseline on the same splits.

    Attributes
    ----------
    kind : str
    level : float
    baseline : str
    error, baseline_error : Estimate
    difference : Estimate
        Error of the method minus that of the baseline, paired by split.
    """

    kind: str
    level: float
    baseline: str
    error: Estimate
    baseline_error: Estimate
    difference: Estimate

    @property
    def verdict(self) -> str:
        """Whether the method "wins", "ties" or "loses" by mean error; rounding is a tie."""
        if abs(self.difference.mean) < 1e-12:
            return "ties"
        return "wins" if self.difference.mean < 0 else "loses"

    @property
    def is_clear(self) -> bool:
        """Whether the difference is larger than two of its standard errors."""
        return abs(self.difference.mean) > 2 * self.difference.standard_error


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


def compare_with_baselines(
    outcomes: Iterable[Outcome], method: str, baselines: Sequence[str]
) -> list[BaselineComparison]:
    """`method` against the best baseline of each (kind, level) by mean test error.

    The best baseline is selected on the same test errors, which favours the baselines.

    Examples
    --------
    >>> outcomes = [
    ...     Outcome("uniform", 0.5, 0, name, 2.0, 10, error, 1.0)
    ...     for name, error in [("DF", 0.2), ("IL", 0.1), ("AC", 0.3)]
    ... ]
    >>> [found] = compare_with_baselines(outcomes, "DF", ["IL", "AC"])
    >>> found.baseline, round(found.difference.mean, 6), found.verdict
    ('IL', 0.1, 'loses')
    """
    errors: dict[tuple[str, float], dict[str, dict[int, float]]] = {}
    for outcome in outcomes:
        setting = errors.setdefault((outcome.kind, outcome.level), {})
        setting.setdefault(outcome.method, {})[outcome.split] = outcome.error
    found = []
    for (kind, level), by_method in errors.items():
        baseline = min(baselines, key=lambda name: np.mean(list(by_method[name].values())))
        pairs = [(error, by_method[baseline][split]) for split, error in by_method[method].items()]
        found.append(
            BaselineComparison(
                kind=kind,
                level=level,
                baseline=baseline,
                error=Estimate.of([ours for ours, _ in pairs]),
                baseline_error=Estimate.of([theirs for _, theirs in pairs]),
                difference=Estimate.of([ours - theirs for ours, theirs in pairs]),
            )
        )
    return found
