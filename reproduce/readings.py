"""What can be read off a figure: numbers with standard errors, and the authors' beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from disambig.cli.demo.comparison import Estimate


@dataclass(frozen=True)
class Reading:
    """One point of a figure.

    Attributes
    ----------
    panel : str
        Which data.
    level : float or None
        Where on the axis, if there is one.
    method : str
    choice : str
        How hyper-parameters were chosen: "truth" (as published), "sets" (without truth), "fixed".
    quantity : str
        What the number is.
    mean : float
    standard_error : float or None
    over : str
        What the mean and its standard error are over.
    authors : float or None
        The same number of an earlier run of the authors' code.
    authors_error : float or None
        How far that may be off by chance: its standard error, or what stands for it.
    stand_in : bool
        Whether other data stand in for those of the paper.
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
    ) -> "Reading":
        """The mean of values and its standard error.

        Examples
        --------
        >>> words = {"panel": "", "method": "DF", "choice": "fixed", "quantity": "error"}
        >>> reading = Reading.of([0.0, 1.0], over="2 seeds", authors=0.4, **words)
        >>> reading.mean, round(reading.standard_error, 6)
        (0.5, 0.5)
        """
        mean, spread = Estimate.of([float(value) for value in values])
        error = None if np.isnan(spread) else spread
        return cls(
            panel, level, method, choice, quantity, mean, error, over, authors, authors_error,
            stand_in,
        )  # fmt: skip


@dataclass(frozen=True)
class Departure:
    """A reading and how many standard errors of the difference it is away from the authors'.

    The standard error is that of unpaired runs, see `compared`.
    """

    reading: Reading
    standard_errors: float


def compared(readings: Iterable[Reading]) -> list[Departure]:
    """All readings that have a number of the authors beside them.

    Without any standard error, a difference counts as infinitely many unless it vanishes at the
    three digits of the authors' numbers.

    The standard error of a difference is the root of the sum of both squares, as for runs that
    share nothing. Where both ran the same seeds, as on the interval figure from seed 0, paired
    differences would vary less: there the measure is lenient, and "within two standard errors"
    says less than it would of paired runs.
    """
    found = []
    for reading in readings:
        if reading.authors is None:
            continue
        away = reading.mean - reading.authors
        error = float(np.hypot(reading.standard_error or 0.0, reading.authors_error or 0.0))
        if abs(away) <= 5e-4 * max(1.0, abs(reading.authors)):
            away = 0.0
        found.append(
            Departure(
                reading,
                away / error if error else float(np.copysign(np.inf, away)) if away else 0.0,
            )
        )
    return found


def departures(readings: Iterable[Reading], beyond: float = 2.0) -> list[Departure]:
    """Those of `compared` that are further away than so many standard errors.

    Examples
    --------
    >>> near, far = (
    ...     Reading("", None, "DF", "truth", "error", 0.5, 0.01, "", authors=a, authors_error=0.01)
    ...     for a in (0.51, 0.4)
    ... )
    >>> [round(found.standard_errors, 1) for found in departures([near, far])]
    [7.1]
    """
    return [found for found in compared(readings) if abs(found.standard_errors) > beyond]
