"""What is tried: the list from which "auto" chooses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

__all__ = ["PORTFOLIO", "Portfolio"]

_FEWEST_ROWS = 200


@dataclass(frozen=True)
class Portfolio:
    """Weightings, starts and temperatures.

    Parameters
    ----------
    kernels : mapping of kernel to bandwidths
        In units of the median distance.
    ridges : tuple of float
    neighbors : tuple of int
    learns_scales : bool
        Also on features scaled by how much the sets depend on them?
    temperatures : tuple of float
        Falling, from "all candidates alike" on; what is best at the last is sharp.
    cool_temperatures : tuple of float
        After a start at single candidates, which higher ones would forget; none: no such start.
    sweeps : int
        Steps at a temperature: enough to tell votes from each other; the fit itself takes more.
    largest_sample : int
        The choice is made on so many rows at most: it costs the same whatever n is.
    folds : (least, most)
    rows_of_folds : int
        Folds times rows, between these: many folds of few rows, which a choice is easily wrong on.
    entries : int
        Rows times classes of the sample, at most: many classes are chosen for by fewer rows.
    """

    kernels: Mapping[str, tuple[float, ...]] = field(
        default_factory=lambda: MappingProxyType(
            {"gaussian": (0.35, 0.7, 1.4), "laplacian": (0.25, 0.5, 1.0)}
        )
    )
    ridges: tuple[float, ...] = (1e-2, 1e-4, 1e-6)
    neighbors: tuple[int, ...] = (5, 15, 40)
    learns_scales: bool = True
    temperatures: tuple[float, ...] = (1.0, 0.6, 0.36, 0.2, 0.1, 0.05, 0.02)
    cool_temperatures: tuple[float, ...] = (0.1, 0.05, 0.02)
    sweeps: int = 2
    largest_sample: int = 1000
    folds: tuple[int, int] = (3, 10)
    rows_of_folds: int = 3000
    entries: int = 50_000

    def n_rows(self, n_classes: int) -> int:
        """Rows of the sample at most.

        Examples
        --------
        >>> [PORTFOLIO.n_rows(k) for k in (10, 100, 1000)]
        [1000, 500, 200]
        """
        return min(self.largest_sample, max(_FEWEST_ROWS, self.entries // n_classes))

    def n_folds(self, n_rows: int) -> int:
        """Folds of a sample of so many rows.

        Examples
        --------
        >>> [PORTFOLIO.n_folds(n) for n in (100, 500, 1000)]
        [10, 6, 3]
        """
        return int(np.clip(self.rows_of_folds // n_rows, *self.folds))


PORTFOLIO = Portfolio()
