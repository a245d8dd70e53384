"""What is tried: the list from which "auto" chooses."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

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
    forests : tuple of int
        Random forests, grown without the sets: the fewest rows that are split.
    formulations : tuple of str
        Of the annealing: "one_block" leaves a row's own vote out, "two_blocks" does not; "auto" is
        the first where the loss is symmetric.
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
    finalists : int
        Weightings that are tried on the whole sample: the best of a heat on few rows, with few
        folds and temperatures. As many as there are: no heat.
    heat_rows, heat_folds : int
    heat_temperatures, heat_cool_temperatures : tuple of float
    play_off_rows, play_off_entries : int
        Where kernels go through landmarks, the best of them meets the best neighbours, on features
        as they are and scaled, on so many rows, and rows times classes, at most.
    play_off_hidden : (least, most)
        Rows that are hidden then. Where there are fewer, nothing is played off.
    """

    kernels: Mapping[str, tuple[float, ...]] = field(
        default_factory=lambda: MappingProxyType(
            {"gaussian": (0.35, 0.7, 1.4), "laplacian": (0.25, 0.5, 1.0)}
        )
    )
    ridges: tuple[float, ...] = (1e-2, 1e-4, 1e-6)
    neighbors: tuple[int, ...] = (5, 15, 40)
    forests: tuple[int, ...] = ()
    formulations: tuple[Literal["auto", "one_block", "two_blocks"], ...] = ("auto",)
    learns_scales: bool = True
    temperatures: tuple[float, ...] = (1.0, 0.6, 0.36, 0.2, 0.1, 0.05, 0.02)
    cool_temperatures: tuple[float, ...] = (0.1, 0.05, 0.02)
    sweeps: int = 2
    largest_sample: int = 1000
    folds: tuple[int, int] = (3, 10)
    rows_of_folds: int = 3000
    entries: int = 50_000
    finalists: int = 10
    heat_rows: int = 300
    heat_folds: int = 3
    heat_temperatures: tuple[float, ...] = (1.0, 0.2, 0.02)
    heat_cool_temperatures: tuple[float, ...] = (0.05,)
    play_off_rows: int = 100_000
    play_off_entries: int = 10_000_000
    play_off_hidden: tuple[int, int] = (100, 2000)

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

    def n_play_off_rows(self, n_classes: int) -> int:
        """Rows of the play-off at most."""
        return min(self.play_off_rows, max(self.largest_sample, self.play_off_entries // n_classes))

    def heat(self) -> "Portfolio":
        """The same weightings on fewer rows, with fewer folds and temperatures."""
        return replace(
            self,
            temperatures=self.heat_temperatures,
            cool_temperatures=self.heat_cool_temperatures if self.cool_temperatures else (),
            largest_sample=self.heat_rows,
            folds=(self.heat_folds, self.heat_folds),
        )


PORTFOLIO = Portfolio()
