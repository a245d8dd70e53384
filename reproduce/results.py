"""Numbers of the figures with their standard errors, compared with the authors' numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FigureResult:
    """One number of a figure: a mean with its standard error.

    Attributes
    ----------
    panel : str
        The data, or the setting.
    level : float or None
        The position on the horizontal axis, if there is one.
    method : str
    choice : str
        How hyper-parameters were chosen: "truth" (as published), "sets" (without truth), "fixed".
    quantity : str
        What is measured.
    mean : float
    standard_error : float or None
    over : str
        What the mean and its standard error are taken over.
    authors : float or None
        The same number in an earlier run of the authors' code.
    authors_error : float or None
        The standard error of `authors`, or an estimate of it.
    stand_in : bool
        Whether other data replace those of the paper.
    """

    panel: str
    level: float | None
    method: str
    choice: str
    quantity: str
    mean: float
    standard_error: float | None
    over: str
    authors: float | None = None
    authors_error: float | None = None
    stand_in: bool = False

    @classmethod
    def of(
        cls,
        values: Sequence[float] | np.ndarray,
        *,
        panel: str,
        level: float | None = None,
        method: str,
        choice: str,
        quantity: str,
        over: str,
        authors: float | None = None,
        authors_error: float | None = None,
        stand_in: bool = False,
    ) -> "FigureResult":
        """The mean of values and its standard error.

        Examples
        --------
        >>> words = {"panel": "", "method": "DF", "choice": "fixed", "quantity": "error"}
        >>> result = FigureResult.of([0.0, 1.0], over="2 seeds", authors=0.4, **words)
        >>> result.mean, round(result.standard_error, 6)
        (0.5, 0.5)
        """
        found = [float(value) for value in values]
        n = len(found)
        error = float(np.std(found, ddof=1)) / n**0.5 if n > 1 else None
        return cls(
            panel, level, method, choice, quantity, float(np.mean(found)), error, over, authors,
            authors_error, stand_in,
        )  # fmt: skip


@dataclass(frozen=True)
class Departure:
    """A result, and its difference from the authors' number in standard errors of the difference.

    The standard error is that of unpaired runs; see `compared`.
    """

    result: FigureResult
    standard_errors: float


def compared(results: Iterable[FigureResult]) -> list[Departure]:
    """All results for which there is a number of the authors, with the difference.

    A difference that vanishes at the three digits of the authors' numbers is 0. If neither number
    has a standard error, any other difference is infinite.

    The standard error of a difference is the root of the sum of both squares, as for independent
    runs. Where both runs used the same seeds, as in the interval figure from seed 0, paired
    differences would vary less. The comparison is then lenient: "within two standard errors" is a
    weaker statement than it would be for paired runs.
    """
    found = []
    for result in results:
        if result.authors is None:
            continue
        difference = result.mean - result.authors
        error = float(np.hypot(result.standard_error or 0.0, result.authors_error or 0.0))
        if abs(difference) <= 5e-4 * max(1.0, abs(result.authors)):
            difference = 0.0
        if error:
            standard_errors = difference / error
        else:
            standard_errors = float(np.copysign(np.inf, difference)) if difference else 0.0
        found.append(Departure(result, standard_errors))
    return found


def departures(results: Iterable[FigureResult], beyond: float = 2.0) -> list[Departure]:
    """Results that differ from the authors' number by more than `beyond` standard errors.

    Examples
    --------
    >>> near, far = (
    ...     FigureResult(
    ...         "", None, "DF", "truth", "error", 0.5, 0.01, "", authors=a, authors_error=0.01
    ...     )
    ...     for a in (0.51, 0.4)
    ... )
    >>> [round(found.standard_errors, 1) for found in departures([near, far])]
    [7.1]
    """
    return [found for found in compared(results) if abs(found.standard_errors) > beyond]
