"""Ambiguity around each row, from its nearest neighbours."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.candidates import LabelSets
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.theory.shares import Shares
from disambig.weights import NeighborWeights


@dataclass(frozen=True, eq=False)
class LocalAmbiguity:
    """``eta`` around each row: every second neighbour selects the classes, the others count them.

    Attributes
    ----------
    classes : array (K,)
    labels, runner_ups : int array (n,)
        The class that is most often a candidate among the neighbours that select, and the second,
        as columns.
    covered, eta : Shares (n,)
        How often label and runner-up are candidates among the neighbours that count.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> found = local_ambiguity(X, ["a", "a", "a", "b", "b", "b"], n_neighbors=2)
    >>> found.classes[found.labels].tolist(), found.mean_eta
    (['a', 'a', 'a', 'b', 'b', 'b'], 0.0)
    """

    classes: AnyArray
    labels: IntArray
    runner_ups: IntArray
    covered: Shares
    eta: Shares

    @cached_property
    def mean_eta(self) -> float:
        """The mean over all rows; without an interval, because neighbourhoods overlap."""
        return float(self.eta.estimate.mean())

    def surely_above(self, eta: float) -> BoolArray:
        """Rows whose interval lies above `eta`, ``(n,)``; the confidence is that of each row.

        Parameters
        ----------
        eta : float
            From 0 to 1.
        """
        return np.asarray(self.eta.low > eta)


def local_ambiguity(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 20,
    metric: Any = "euclidean",
    classes: Any = None,
    unlabeled: Any = None,
    confidence: float = 0.95,
) -> LocalAmbiguity:
    """How often the runner-up is a candidate near each row, without selection bias.

    The neighbours of a row, itself included, are split by distance: the first, third, ... select
    label and runner-up, the second, fourth, ... are counted. Intervals of ten neighbours are wide;
    `ambiguity` pools whole regions.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, d)
    y : array-like, n rows
        Sets in any form that `LabelSets.from_any` reads.
    n_neighbors : int, default 20
        At least 2, at most n.
    metric : str or callable
        Of `NeighborWeights`.
    classes, unlabeled
        See `LabelSets.from_any`.
    confidence : float, default 0.95
        Of the interval of each row.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0)[:, None]
    >>> y = [{"a", "b"}] * 6 + [{"a"}] * 6
    >>> local_ambiguity(X, y, n_neighbors=4).eta.estimate
    array([1. , 1. , 1. , 1. , 1. , 1. , 1. , 0.5, 0. , 0. , 0. , 0. ])
    """
    sets = LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    if sets.n_classes < 2:
        raise ValueError("local_ambiguity: y has one class only; expected at least two to compare.")
    if not 2 <= n_neighbors <= len(sets):
        raise ValueError(
            f"local_ambiguity: n_neighbors={n_neighbors!r} with {len(sets)} rows; expected a "
            "number from 2 to the number of rows."
        )
    weights = NeighborWeights(n_neighbors, metric=metric).fit(X)
    if weights.sample_weight_.size != len(sets):
        raise ValueError(
            f"local_ambiguity: X has {weights.sample_weight_.size} rows and y has {len(sets)}; "
            "expected one set for each row of X."
        )
    weights.training_votes()
    lists = weights.neighbors_
    assert lists is not None
    position = np.arange(lists.indices.size) - np.repeat(lists.indptr[:-1], np.diff(lists.indptr))
    chosen, _ = _candidates(lists, position, position % 2 == 0, n_neighbors, sets)
    counts, totals = _candidates(lists, position, position % 2 == 1, n_neighbors, sets)
    rows = np.arange(len(sets))
    labels = chosen.argmax(axis=1)
    chosen[rows, labels] = -1.0
    runner_ups = chosen.argmax(axis=1)
    covered, eta = (
        Shares(counts[rows, columns].astype(np.intp), totals, confidence)
        for columns in (labels, runner_ups)
    )
    return LocalAmbiguity(sets.classes, labels, runner_ups, covered, eta)


def _candidates(
    lists: Any, position: IntArray, half: BoolArray, n_neighbors: int, sets: LabelSets
) -> tuple[FloatArray, IntArray]:
    """Among some neighbours: sets that contain each class ``(n, K)``, and all sets ``(n,)``."""
    kept = half & (position < n_neighbors)
    rows = lists.rows()[kept]
    adjacency = sp.csr_array(
        (np.ones(rows.size), (rows, lists.indices[kept])), shape=(lists.q, lists.n)
    )
    return adjacency @ sets.mask.astype(np.float64), np.bincount(rows, minlength=lists.q)
