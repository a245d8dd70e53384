"""The weightings that are tried, and what each becomes on all rows."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import scipy.sparse as sp
from sklearn.base import clone

from disambig.estimators.portfolio.settings import Portfolio
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

__all__ = ["Entry", "Tried", "entries_of", "fitted_entries", "landmarks_for", "sort_of"]

# Landmarks of many rows, and the numbers that are held for them: 2 GiB.
_LANDMARKS = 1000
_FEWEST = 100
_NUMBERS = 2**28


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


def entries_of(portfolio: Portfolio, has_scales: bool) -> list[Entry]:
    """Kernel ridge at several bandwidths and ridges, numbers of neighbours, and forests.

    On features as they are, then with learned scales, if there are any.
    """
    return [
        entry
        for scaled in ((False, True) if has_scales else (False,))
        for entry in [
            *(
                Entry(scaled, kernel, factor, ridge)
                for kernel, factors in portfolio.kernels.items()
                for factor in factors
                for ridge in portfolio.ridges
            ),
            *(Entry(scaled, "neighbors", k) for k in portfolio.neighbors),
            # A forest does not see scales.
            *(Entry(scaled, "forest", fewest) for fewest in portfolio.forests if not scaled),
        ]
    ]


def landmarks_for(n: int) -> int | None:
    """How many landmarks kernels need on n rows; None: the kernel matrix can be had."""
    return None if is_affordable(n) else min(_LANDMARKS, max(_FEWEST, _NUMBERS // n))


def fitted_entries(
    entries: Iterable[Entry],
    X: Any,
    masses: FloatArray,
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
    weights = None if (masses == 1).all() else masses
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
        return "landmarks" if isinstance(weights.piece, NystromWeights) else "scaled"
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
