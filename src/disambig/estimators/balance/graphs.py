"""Class shares where only informed rows vote along a graph: a constant for each class.

There the votes of a row do not depend on the labels of the other open rows, so that a solver cannot
hold the shares of these. But the potentials of Poisson learning are unique only up to a constant
for each class, and constants move the borders between classes: shares determine them. Lengths of
paths get constants in the same way.
"""

import copy
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.annealing.balance import share_logarithms
from disambig.weights import PathWeights, ScaledWeights

# The temperature at which labels count for the shares, relative to the mean difference of the two
# best scores: lower ones count labels, higher ones probabilities. Shares that contradict large
# differences are then not reached, even if they are to be kept strictly.
_RELATIVE_TEMPERATURE = 0.1


def informed_graph(weights: Any) -> Any:
    """The weighting in which only informed rows vote, so that hidden rows must not; or None."""
    inner = weights.weights_ if isinstance(weights, ScaledWeights) else weights
    is_graph = getattr(inner, "informed_only", False) and hasattr(inner, "at_informed")
    return inner if is_graph else None


def share_constants(
    scores: FloatArray,
    mask: BoolArray,
    sample_weight: FloatArray,
    shares: FloatArray,
    strength: float,
) -> FloatArray:
    """Constants for the scores of each class that bring the shares of the best ones near `shares`.

    Parameters
    ----------
    scores : float array (n, K)
        Of rows without votes they are all equal; such rows do not count.
    mask : bool array (n, K)
        The candidates of the rows.
    sample_weight : float array (n,)
    shares : float array (K,)
        A class of share 0 keeps its scores.
    strength : float
        See `share_logarithms`.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[1.0, 0.0], [0.6, 0.4], [0.6, 0.5], [0.9, 0.0]])
    >>> even = np.array([0.5, 0.5])
    >>> found = share_constants(scores, scores >= 0, np.ones(4), even, 30.0)
    >>> (scores + found).argmax(axis=1).tolist()
    [0, 1, 1, 0]
    """
    inside = np.where(mask, scores, -np.inf)
    counts = np.ptp(scores, axis=1) > 0
    ordered = np.sort(inside, axis=1)
    is_open = counts & (np.count_nonzero(mask, axis=1) > 1)
    if not is_open.any():
        return np.zeros(len(shares))
    gaps = ordered[is_open, -1] - ordered[is_open, -2]
    unit = _RELATIVE_TEMPERATURE * float(np.average(gaps, weights=sample_weight[is_open]))
    if unit <= 0:
        return np.zeros(len(shares))
    q = np.exp((inside[counts] - ordered[counts, -1:]) / unit)
    q /= q.sum(axis=1, keepdims=True)
    weights = sample_weight[counts] / sample_weight[counts].sum()
    constants: FloatArray = unit * share_logarithms(q, weights, shares, strength)
    return constants


def with_class_shares(
    weights: Any, sets: LabelSets, sample_weight: FloatArray, shares: FloatArray, strength: float
) -> Any:
    """A fitted copy of a graph weighting whose votes bring the class shares near `shares`.

    Labelled rows of Poisson learning vote for constants of their class; paths to labelled rows have
    lengths added.

    Parameters
    ----------
    weights : PoissonWeights or PathWeights, or ScaledWeights of one
        Fitted on the rows of the sets.
    sets : LabelSets, n rows
    sample_weight : float array (n,)
    shares, strength
        See `share_constants`. A class without a row of its own has nobody who votes for it alone,
        and keeps its scores.
    """
    inner: Any = weights.weights_ if isinstance(weights, ScaledWeights) else weights
    labelled = np.zeros(len(sets), dtype=np.bool_)
    labelled[inner.informed_] = sets.is_single[inner.informed_]
    classes = sets.mask.argmax(axis=1)
    has_rows = np.bincount(classes[labelled], minlength=sets.n_classes) > 0
    is_path = isinstance(inner, PathWeights)
    scores = (
        _path_scores(inner, labelled, classes, has_rows)
        if is_path
        else inner.training_votes() @ sets.distribution()
    )
    mask = sets.mask & np.isfinite(scores)
    constants = share_constants(
        np.where(np.isfinite(scores), scores, 0.0),
        np.where(mask.any(axis=1, keepdims=True), mask, sets.mask),
        sample_weight,
        np.where(has_rows, shares, 0.0),
        strength,
    )
    if is_path:
        starts = np.full(len(sets), constants.max() - float(constants[has_rows].mean()))
        starts[labelled] = (constants.max() - constants)[classes[labelled]]
        shifted = inner.with_starts(starts)
    else:
        # The labelled rows of a class in a part of the graph share its constant.
        place = inner.components_ * sets.n_classes + classes
        totals = np.bincount(place[labelled], weights=sample_weight[labelled])
        votes = np.zeros(len(sets))
        votes[labelled] = (constants[classes] * sample_weight)[labelled] / totals[place[labelled]]
        shifted = inner.with_constants(votes)
    if inner is weights:
        return shifted
    scaled = copy.copy(weights)
    scaled.weights_ = shifted
    return scaled


def _path_scores(
    paths: PathWeights, labelled: BoolArray, classes: IntArray, has_rows: BoolArray
) -> FloatArray:
    """Minus the length of the shortest path to a labelled row of each class, ``(n, K)``."""
    scores = np.full((labelled.size, has_rows.size), -np.inf)
    for code in np.flatnonzero(has_rows):
        scores[:, code] = -paths.lengths_to(labelled & (classes == code))
    return scores
