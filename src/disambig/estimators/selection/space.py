"""The search space of ``weights="auto"``, and its weightings fitted on a sample of the rows.

`SearchSpace` has the settings. `entries_of` lists its weightings, `EntryWeightings` makes them for
a sample, and `fitted_entries` fits each there, together with the unfitted weighting that it becomes
on all rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from sklearn.base import clone

from disambig.estimators.selection.protocol import MIN_INFORMATIVE_ROWS
from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.notation import FloatArray
from disambig.weights import (
    ForestWeights,
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    ScaledWeights,
    Weights,
)
from disambig.weights.registry import is_affordable

# Rows of the sample at least, however many classes there are.
_MIN_SAMPLE_ROWS = 200
# Landmarks of kernels where the kernel matrix of all rows is too large.
_MAX_LANDMARKS = 1000
_MIN_LANDMARKS = 100
# Entries of the matrix of rows times landmarks at most: 2 GiB.
_MAX_LANDMARK_ENTRIES = 2**28


@dataclass(frozen=True)
class SearchSpace:
    """Weightings, starts and temperatures, and the sizes of the rounds of successive halving.

    Parameters
    ----------
    kernels : mapping of kernel to bandwidths
        In units of the median distance.
    ridges : tuple of float
    neighbors : tuple of int
    forests : tuple of int
        Random forests, grown without the sets; each number is a ``min_samples_split``.
    formulations : tuple of str
        Of the annealing: "one_block" leaves a row's own vote out, "two_blocks" does not; "auto" is
        "one_block" if the loss is symmetric.
    learns_scales : bool
        Whether each weighting is also tried on features scaled by how much the sets depend on them.
    standardizes : bool
        Whether the other entries see features of unit variance, instead of features as they are.
    temperatures : tuple of float
        Falling. At the first all candidates of a row have nearly equal probability, at the last one
        candidate has nearly all of it.
    cool_temperatures : tuple of float
        For runs from the infimum start, which higher temperatures would erase. Empty: no such runs.
    sweeps : int
        Steps at each temperature: enough to compare weightings; the fit itself takes more.
    largest_sample : int
        Rows of the sample at most, so that the cost of the selection does not grow with n.
    folds : (least, most)
    rows_of_folds : int
        Folds times rows, within `folds`: small samples get many folds, because a selection on few
        rows is easily wrong.
    entries : int
        Rows times classes of the sample, at most: with many classes the sample has fewer rows.
    finalists : int
        Weightings that are tried on the for_all sample: the best of the screen, which has few rows,
        folds and temperatures. There is no screen if the space has no more weightings than that.
    screen_rows, screen_folds : int
    screen_temperatures, screen_cool_temperatures : tuple of float
    comparison_rows, comparison_entries : int
        Rows, and rows times classes, of the final comparison at most. It is made if kernels need
        landmarks, between the best of them and the best neighbours, on unscaled and on scaled
        features.
    comparison_hidden : (least, most)
        Hidden rows of the final comparison, which is left out if there are fewer.
    least_informative : int
        With fewer informative rows nothing is selected: the best would be found by chance.
    keeps_families : bool
        Whether the best of every family passes the screen, for a mixture.
    unit_free : bool
        Whether sample and folds depend on the order of the values of each feature only, and so not
        on units.
    landmarks : int or None
        Kernels have so many landmarks at most, also on a sample with more rows. Enough for smooth
        functions, and a tenth of the cost. None: kernels on the sample are exact.
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
    standardizes: bool = False
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
    least_informative: int = MIN_INFORMATIVE_ROWS
    keeps_families: bool = False
    unit_free: bool = False
    landmarks: int | None = None

    def n_rows(self, n_classes: int) -> int:
        """Rows of the sample at most, for a number of classes.

        Examples
        --------
        >>> [SEARCH_SPACE.n_rows(k) for k in (10, 100, 1000)]
        [1000, 500, 200]
        """
        return min(self.largest_sample, max(_MIN_SAMPLE_ROWS, self.entries // n_classes))

    def n_folds(self, n_rows: int) -> int:
        """Folds of a sample, for its number of rows.

        Examples
        --------
        >>> [SEARCH_SPACE.n_folds(n) for n in (100, 500, 1000)]
        [10, 6, 3]
        """
        return int(np.clip(self.rows_of_folds // n_rows, *self.folds))

    def n_comparison_rows(self, n_classes: int) -> int:
        """Rows of the final comparison at most."""
        return min(
            self.comparison_rows, max(self.largest_sample, self.comparison_entries // n_classes)
        )

    def screening(self) -> "SearchSpace":
        """The space of the screen: the same weightings, fewer rows, folds and temperatures."""
        return replace(
            self,
            temperatures=self.screen_temperatures,
            cool_temperatures=self.screen_cool_temperatures if self.cool_temperatures else (),
            largest_sample=self.screen_rows,
            folds=(self.screen_folds, self.screen_folds),
        )


SEARCH_SPACE = SearchSpace()


class Entry(NamedTuple):
    """One weighting of the search space.

    Attributes
    ----------
    scaled : bool
        Whether features are scaled by how much the sets depend on them.
    kind : str
        A kernel, "neighbors" or "forest".
    size : float
        The bandwidth in units of the median distance, the number of neighbours, or the
        ``min_samples_split`` of a forest.
    ridge : float
        Of kernels; 0 for others.
    """

    scaled: bool
    kind: str
    size: float
    ridge: float = 0.0


class FittedEntry(NamedTuple):
    """A weighting of the search space, fitted on a sample.

    Attributes
    ----------
    entry : Entry
    fitted : Weights
        Fitted on the sample.
    for_all : Weights
        The corresponding weighting for all rows, not fitted.
    has_signs : bool
        Whether votes of all rows can be split by their signs, which the infimum start needs.
    """

    entry: Entry
    fitted: Weights
    for_all: Weights
    has_signs: bool


def entries_of(space: SearchSpace, has_scales: bool) -> list[Entry]:
    """All weightings of the space: on unscaled features, then, if there are scales, on scaled ones.

    For each: kernel ridge at all bandwidths and ridges, all numbers of neighbours, forests.
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
            # The splits of a forest do not depend on the scales of features.
            *(Entry(scaled, "forest", split) for split in space.forests if not scaled),
        ]
    ]


def n_landmarks_for(n: int) -> int | None:
    """Number of landmarks for kernels on n rows; None if the full kernel matrix is affordable."""
    if is_affordable(n):
        return None
    return min(_MAX_LANDMARKS, max(_MIN_LANDMARKS, _MAX_LANDMARK_ENTRIES // n))


class EntryWeightings:
    """The weightings of entries for one sample.

    Parameters
    ----------
    X : (rows, d)
        The sample.
    sample_weight : float (rows,)
    scales : float (d,) or None
        None: no entry is scaled.
    n_landmarks : int or None
        Of kernels on all rows, see `n_landmarks_for`.
    standardize : bool
        Whether entries that are not scaled see features of unit variance.
    most_landmarks : int or None
        Of kernels, also on the sample; see `SearchSpace`.
    """

    def __init__(
        self,
        X: Any,
        sample_weight: FloatArray,
        scales: FloatArray | None,
        n_landmarks: int | None,
        *,
        standardize: bool = False,
        most_landmarks: int | None = None,
    ) -> None:
        self.sample_weight = None if (sample_weight == 1).all() else sample_weight
        if n_landmarks is not None and most_landmarks is not None:
            n_landmarks = most_landmarks = min(n_landmarks, most_landmarks)
        self.n_landmarks = n_landmarks
        is_large = most_landmarks is not None and X.shape[0] > most_landmarks
        self._sample_landmarks = most_landmarks if is_large else None
        self.total = float(sample_weight.sum())
        units = unit_scales(X, sample_weight) if standardize else None
        # Without a feature that varies there is nothing to scale.
        self._scales = {False: units if units is not None and units.any() else None, True: scales}
        self._inputs = {
            scaled: X if factors is None else scaled_inputs(X, factors)
            for scaled, factors in self._scales.items()
        }
        self._medians: dict[tuple[bool, str], float] = {}

    def inputs(self, entry: Entry) -> Any:
        """The inputs of the sample, scaled if the entry is."""
        return self._inputs[entry.scaled]

    @property
    def learned_scales(self) -> FloatArray | None:
        """The factors of entries that are scaled, ``(d,)``."""
        return self._scales[True]

    def unfitted(self, entry: Entry) -> Weights | None:
        """The weighting on the inputs of the entry; None if it has as many neighbours as rows.

        Rows are counted with their weights, as neighbours are: w means w copies of a row.
        """
        if entry.kind == "neighbors":
            return None if entry.size >= self.total else NeighborWeights(int(entry.size))
        if entry.kind == "forest":
            return ForestWeights(min_samples_split=int(entry.size))
        metric = entry[:2]
        if metric not in self._medians:
            # The default bandwidth of this weighting is the median distance.
            found = NadarayaWatsonWeights(entry.kind).fit(self.inputs(entry), self.sample_weight)
            self._medians[metric] = float(cast(float, found.bandwidth_))
        bandwidth = entry.size * self._medians[metric]
        if self._sample_landmarks is not None:
            return NystromWeights(
                entry.kind,
                n_landmarks=self._sample_landmarks,
                bandwidth=bandwidth,
                regularization=entry.ridge,
            )
        return KernelRidgeWeights(entry.kind, bandwidth=bandwidth, regularization=entry.ridge)

    def on_sample(self, weighting: Weights, entry: Entry) -> Weights:
        """The weighting on the rows of the sample as they are, unfitted."""
        factors = self._scales[entry.scaled]
        return weighting if factors is None else ScaledWeights(weighting, factors)

    def for_all_rows(self, weighting: Weights, entry: Entry) -> tuple[Weights, bool]:
        """The weighting on all rows as they are, unfitted, and whether its votes have signs.

        Kernel ridge goes through landmarks if there are too many rows; what has landmarks on the
        sample has them on all rows.
        """
        for_all = cast(Weights, clone(weighting))
        if isinstance(weighting, KernelRidgeWeights) and self.n_landmarks is not None:
            for_all = NystromWeights(
                weighting.kernel,
                n_landmarks=self.n_landmarks,
                bandwidth=weighting.bandwidth,
                regularization=weighting.regularization,
                intercept=weighting.intercept,
            )
        has_signs = not isinstance(for_all, NystromWeights)
        return self.on_sample(for_all, entry), has_signs

    def both(self, entry: Entry) -> tuple[Weights, Weights] | None:
        """The weighting on the sample and on all rows, unfitted, for inputs as they are.

        None if a fold could have fewer rows than neighbours.
        """
        unfitted = self.unfitted(entry)
        if unfitted is None or (entry.kind == "neighbors" and 2 * entry.size > self.total):
            return None
        return self.on_sample(unfitted, entry), self.for_all_rows(unfitted, entry)[0]


def fitted_entries(entries: Iterable[Entry], weightings: EntryWeightings) -> Iterator[FittedEntry]:
    """Fit entries on a sample; those with at least as many neighbours as it has rows are left out.

    Consecutive entries that differ in the ridge only share their kernel matrix.
    """
    last: tuple[Any, KernelRidgeWeights | NystromWeights] | None = None
    for entry in entries:
        weighting: Weights | None
        if last is not None and last[0] == entry[:3]:
            weighting = last[1].at_regularization(entry.ridge)
        else:
            weighting = weightings.unfitted(entry)
            if weighting is None:
                continue
            weighting = weighting.fit(weightings.inputs(entry), weightings.sample_weight)
            if isinstance(weighting, KernelRidgeWeights | NystromWeights):
                last = entry[:3], weighting
        for_all, has_signs = weightings.for_all_rows(weighting, entry)
        yield FittedEntry(entry, weighting, for_all, has_signs)


def unit_neighbors(X: Any, sample_weight: FloatArray) -> Weights:
    """The 10 nearest neighbours on features of unit variance."""
    scales = unit_scales(X, sample_weight)
    return ScaledWeights(NeighborWeights(), scales) if scales.any() else NeighborWeights()


def family_of(weights: Weights) -> str:
    """The family of a weighting: "landmarks", "scaled" or "unscaled".

    Within a family, weightings rank on all rows much as they do on few.
    """
    if isinstance(weights, ScaledWeights):
        return "landmarks" if isinstance(weights.weights, NystromWeights) else "scaled"
    return "landmarks" if isinstance(weights, NystromWeights) else "unscaled"
