"""What is tried: the list from which "auto" chooses.

The weightings that are tried, and what each becomes on all rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from disambig.notation import FloatArray
from disambig.weights import (
    ForestWeights,
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    ScaledWeights,
    Weights,
    is_affordable,
)

_FEWEST_ROWS = 200
# Landmarks of many rows, and the numbers that are held for them: 2 GiB.
_LANDMARKS = 1000
_FEWEST = 100
_NUMBERS = 2**28


@dataclass(frozen=True)
class SearchSpace:
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
    screen_rows, screen_folds : int
    screen_temperatures, screen_cool_temperatures : tuple of float
    comparison_rows, comparison_entries : int
        Where kernels go through landmarks, the best of them meets the best neighbours, on features
        as they are and scaled, on so many rows, and rows times classes, at most.
    comparison_hidden : (least, most)
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
    screen_rows: int = 300
    screen_folds: int = 3
    screen_temperatures: tuple[float, ...] = (1.0, 0.2, 0.02)
    screen_cool_temperatures: tuple[float, ...] = (0.05,)
    comparison_rows: int = 100_000
    comparison_entries: int = 10_000_000
    comparison_hidden: tuple[int, int] = (100, 2000)

    def n_rows(self, n_classes: int) -> int:
        """Rows of the sample at most.

        Examples
        --------
        >>> [SEARCH_SPACE.n_rows(k) for k in (10, 100, 1000)]
        [1000, 500, 200]
        """
        return min(self.largest_sample, max(_FEWEST_ROWS, self.entries // n_classes))

    def n_folds(self, n_rows: int) -> int:
        """Folds of a sample of so many rows.

        Examples
        --------
        >>> [SEARCH_SPACE.n_folds(n) for n in (100, 500, 1000)]
        [10, 6, 3]
        """
        return int(np.clip(self.rows_of_folds // n_rows, *self.folds))

    def n_comparison_rows(self, n_classes: int) -> int:
        """Rows of the play-off at most."""
        return min(
            self.comparison_rows, max(self.largest_sample, self.comparison_entries // n_classes)
        )

    def screening(self) -> "SearchSpace":
        """The same weightings on fewer rows, with fewer folds and temperatures."""
        return replace(
            self,
            temperatures=self.screen_temperatures,
            cool_temperatures=self.screen_cool_temperatures if self.cool_temperatures else (),
            largest_sample=self.screen_rows,
            folds=(self.screen_folds, self.screen_folds),
        )


SEARCH_SPACE = SearchSpace()


class Entry(NamedTuple):
    """One weighting of the list.

    Attributes
    ----------
    scaled : bool
        On features scaled by how much the sets depend on them?
    kind : str
        A kernel, "neighbors" or "forest".
    size : float
        The bandwidth in units of the median distance, the number of neighbours, or the fewest rows
        that a forest splits.
    ridge : float
        Of kernels; 0 for others.
    """

    scaled: bool
    kind: str
    size: float
    ridge: float = 0.0


class Tried(NamedTuple):
    """A weighting on a sample of the rows.

    Attributes
    ----------
    entry : Entry
    fitted : Weights
        On the sample.
    for_all : Weights
        The same, not fitted, for all rows.
    has_signs : bool
        Can votes be parted by their signs on all rows, as an infimum start asks for?
    """

    entry: Entry
    fitted: Weights
    for_all: Weights
    has_signs: bool


def entries_of(space: SearchSpace, has_scales: bool) -> list[Entry]:
    """Kernel ridge at several bandwidths and ridges, numbers of neighbours, and forests.

    On features as they are, then with learned scales, if there are any.
    """
    return [
        entry
        for scaled in ((False, True) if has_scales else (False,))
        for entry in [
            *(
                Entry(scaled, kernel, factor, ridge)
                for kernel, factors in space.kernels.items()
                for factor in factors
                for ridge in space.ridges
            ),
            *(Entry(scaled, "neighbors", k) for k in space.neighbors),
            # A forest does not see scales.
            *(Entry(scaled, "forest", fewest) for fewest in space.forests if not scaled),
        ]
    ]


def landmarks_for(n: int) -> int | None:
    """How many landmarks kernels need on n rows; None: the kernel matrix can be had."""
    return None if is_affordable(n) else min(_LANDMARKS, max(_FEWEST, _NUMBERS // n))


def fitted_entries(
    entries: Iterable[Entry],
    X: Any,
    sample_weight: FloatArray,
    scales: FloatArray | None,
    n_landmarks: int | None,
) -> Iterator[Tried]:
    """Entries on a sample; those with more neighbours than it has rows are left out.

    The kernel matrix of a bandwidth serves the ridges that follow each other.

    Parameters
    ----------
    entries : iterable of Entry
    X : (rows, d)
        A sample.
    masses : float (rows,)
    scales : float (d,) or None
        None: no entry is scaled.
    n_landmarks : int or None
        Of kernels on all rows, see `landmarks_for`.
    """
    weights = None if (sample_weight == 1).all() else sample_weight
    seen = {False: X} if scales is None else {False: X, True: _scaled(X, scales)}
    medians: dict[tuple[bool, str], float] = {}
    last: tuple[Any, KernelRidgeWeights] | None = None
    for entry in entries:
        inputs = seen[entry.scaled]
        piece: Weights
        if entry.kind == "neighbors":
            if entry.size >= X.shape[0]:
                continue
            piece = NeighborWeights(int(entry.size)).fit(inputs, weights)
        elif entry.kind == "forest":
            piece = ForestWeights(min_samples_split=int(entry.size)).fit(inputs, weights)
        elif last is not None and last[0] == entry[:3]:
            piece = last[1].at_regularization(entry.ridge)
        else:
            place = entry[:2]
            if place not in medians:
                # What this weighting does first is all that is wanted of it: the median distance.
                found = NadarayaWatsonWeights(entry.kind).fit(inputs, weights).bandwidth_
                medians[place] = float(cast(float, found))
            piece = KernelRidgeWeights(
                entry.kind, bandwidth=entry.size * medians[place], regularization=entry.ridge
            ).fit(inputs, weights)
            last = entry[:3], piece
        whole = _for_all_rows(piece, n_landmarks)
        exact = not isinstance(whole, NystromWeights)
        if entry.scaled:
            whole = ScaledWeights(whole, scales)
        yield Tried(entry, piece, whole, exact)


def sort_of(weights: Weights) -> str:
    """Weightings of one sort stand to each other on all rows much as they do on few."""
    if isinstance(weights, ScaledWeights):
        return "landmarks" if isinstance(weights.weights, NystromWeights) else "scaled"
    return "landmarks" if isinstance(weights, NystromWeights) else "as they are"


def _for_all_rows(piece: Weights, n_landmarks: int | None) -> Weights:
    """The same, unfitted: through landmarks where the kernel matrix of all rows is too large."""
    if isinstance(piece, KernelRidgeWeights) and n_landmarks is not None:
        return NystromWeights(
            piece.kernel,
            n_landmarks=n_landmarks,
            bandwidth=piece.bandwidth,
            regularization=piece.regularization,
        )
    return cast(Weights, clone(piece))


def _scaled(X: Any, factors: FloatArray) -> Any:
    return sp.csr_array(X.multiply(factors[None, :])) if sp.issparse(X) else X * factors
