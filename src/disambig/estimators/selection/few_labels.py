"""Weights where few rows are informative, by rules that were measured (docs/default_measured.md).

`graph_votes`: a few labels among many open rows. Only the informative rows vote, along a graph of
neighbours, and the weighting has the least sum of two shares: of hidden sets that it misses, and of
links between its labels. `few_rows`: few rows altogether.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.balance.class_shares import ClassShares
from disambig.estimators.balance.graphs import with_class_shares
from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import take_inputs
from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.estimators.selection.space import Entry, EntryWeightings, n_landmarks_for
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import AnnealedMinimization
from disambig.weights import PathWeights, PoissonWeights, ScaledWeights, Weights
from disambig.weights.row_groups import hash_rows

# Graph votes are compared with the best of the search if at most this share of the rows, and at
# most so many, are informative.
MAX_GRAPH_SHARE = 0.125
MAX_GRAPH_ROWS = 300
# Rows among which graph weightings are compared, at most; informative ones come first.
_MAX_ROWS = 20_000
_N_NEIGHBORS = 10
_POWERS = (1.0, 4.0)
_MAX_FOLDS = 5
# Poisson learning is left out if a larger share of the rows would have no votes.
_MAX_SHARE_WITHOUT_VOTES = 0.01
_FEW_ROWS_ENTRY = Entry(True, "gaussian", 0.7, 1e-2)
_FEW_ROWS_TEMPERATURES = (1.0, 0.6, 0.36, 0.2)


class GraphVotes(NamedTuple):
    """The weighting that was chosen, unfitted, and how.

    Attributes
    ----------
    weights : Weights
    missed : float or None
        The share of hidden sets that it misses; None if none could be hidden.
    cut : float
        The share of links between rows of different labels; see `cut_share`.
    n_tried : int
    """

    weights: Weights
    missed: float | None
    cut: float
    n_tried: int


def few_rows(X: Any, sample_weight: FloatArray) -> tuple[Weights, AnnealedMinimization]:
    """Kernel ridge on features of unit variance, annealed to soft targets."""
    units, n_landmarks = unit_scales(X, sample_weight), n_landmarks_for(X.shape[0])
    weightings = EntryWeightings(X, sample_weight, units, n_landmarks)
    weighting = weightings.unfitted(_FEW_ROWS_ENTRY)
    assert weighting is not None
    weights, _ = weightings.for_all_rows(weighting, _FEW_ROWS_ENTRY)
    return weights, AnnealedMinimization(temperatures=_FEW_ROWS_TEMPERATURES)


def graph_votes(
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    groups: IntArray,
    shares: ClassShares | None = None,
) -> GraphVotes | None:
    """The graph weighting of least missed hidden sets and cut links; None without a graph.

    Tried are Poisson learning and paths of two powers, on features of unit variance. If every class
    is a candidate in two groups of rows, so that sets can be hidden, they are tried on the
    features as they are, too, and the best of these is taken if it misses fewer hidden sets. (Links
    on different scales are not comparable.) With class shares, all of them keep these.
    """
    rows = _first_rows(X, sets.informative)
    X, sets, sample_weight = take_inputs(X, rows, None), sets[rows], sample_weight[rows]
    comparison = _Comparison(sets, loss, sample_weight, _folds(sets, groups[rows]), shares)
    units = unit_scales(X, sample_weight)
    best: GraphVotes | None = None
    n_tried = 0
    phase = Phase("selection", stage="graphs")
    for scales in (units, None) if comparison.n_folds and units.any() else (units,):
        if best is not None and phase.stopped:
            break
        inputs = scaled_inputs(X, scales) if scales is not None and scales.any() else X
        tried = []
        for weighting, links in _weightings(inputs, sample_weight, sets.informative):
            missed, cut = comparison.missed(weighting), comparison.cut(weighting, links)
            tried.append(GraphVotes(clone(weighting), missed, cut, 0))
            if phase.done(objective=min(one.cut + (one.missed or 0.0) for one in tried)):
                break
        n_tried += len(tried)
        found = min(tried, key=lambda one: one.cut + (one.missed or 0.0), default=None)
        if found is None or (best is not None and (found.missed or 0.0) >= (best.missed or 0.0)):
            continue
        best = found
        if inputs is not X:
            best = found._replace(weights=ScaledWeights(found.weights, scales))
    return None if best is None else best._replace(n_tried=n_tried)


def cut_share(outputs: IntArray, rows: AnyArray, columns: AnyArray) -> float:
    """The share of the links of an output that lead to other outputs, mean over the outputs.

    Small if labels change where there are few links; the mean over outputs (a normalised cut) is
    not small for one label of nearly all nodes.

    Parameters
    ----------
    outputs : int (N,)
        Of each node.
    rows, columns : int (links,)
        The ends of each link, in both directions.

    Examples
    --------
    >>> cut_share(np.array([0, 0, 1]), np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]))
    0.6666666666666666
    """
    ends = outputs[rows]
    links = np.bincount(ends)
    cut = np.bincount(ends, weights=outputs[columns] != ends)
    return float(np.mean(cut[links > 0] / links[links > 0]))


def _first_rows(X: Any, informative: BoolArray) -> IntArray:
    """All rows, or informative ones and others in the order of their hashes, up to a limit."""
    if informative.size <= _MAX_ROWS:
        return np.arange(informative.size)
    order = np.lexsort((hash_rows(X), ~informative))
    return np.sort(order[:_MAX_ROWS])


def _folds(sets: LabelSets, groups: IntArray) -> IntArray:
    """The fold in which each row is hidden ``(n,)``; -1 for never.

    The informative rows of a group are hidden together. Groups of one first candidate are spread
    over the folds, so that every class loses as many of them. None is hidden if a class is a
    candidate in one group only.
    """
    folds = np.full(len(sets), -1, dtype=np.intp)
    informative = np.flatnonzero(sets.informative)
    _, first, group = np.unique(groups[informative], return_index=True, return_inverse=True)
    mask = np.zeros((first.size, sets.n_classes), dtype=np.bool_)
    np.logical_or.at(mask, group, sets.mask[informative])
    counts = mask.sum(axis=0)
    count = min(_MAX_FOLDS, int(counts[counts > 0].min(initial=_MAX_FOLDS)))
    if count < 2:
        return folds
    label = mask.argmax(axis=1)
    # Stable: otherwise in the order of the groups, which is that of their hashes.
    order = np.argsort(label, kind="stable")
    starts = np.searchsorted(label[order], label[order])
    fold_of_group = np.empty(first.size, dtype=np.intp)
    fold_of_group[order] = (np.arange(first.size) - starts) % count
    folds[informative] = fold_of_group[group]
    return folds


def _weightings(
    inputs: Any, sample_weight: FloatArray, informed: BoolArray
) -> Iterator[tuple[Any, Any]]:
    """Fitted weightings on the inputs, each with the links of their graph."""
    weights = None if (sample_weight == 1).all() else sample_weight
    n_distinct = int(hash_rows(inputs).max(initial=-1)) + 1
    n_neighbors = min(_N_NEIGHBORS, n_distinct - 1)
    if n_neighbors < 1:
        return
    paths = PathWeights(n_neighbors, power=_POWERS[0]).fit_informed(inputs, weights, informed)
    poisson = PoissonWeights(n_neighbors, informed_only=True)
    with warnings.catch_warnings():
        # Of parts without an informed row; these are counted below.
        warnings.simplefilter("ignore", UserWarning)
        poisson.fit_informed(inputs, weights, informed)
    has_votes = np.isin(poisson.components_, poisson.components_[informed])
    if np.mean(~has_votes) <= _MAX_SHARE_WITHOUT_VOTES:
        yield poisson, paths
    for power in _POWERS:
        yield paths.at_power(power), paths


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Missed hidden sets and cut links of weightings, on given rows."""

    sets: LabelSets
    loss: FiniteLoss
    sample_weight: FloatArray
    folds: IntArray
    shares: ClassShares | None

    @property
    def n_folds(self) -> int:
        return int(self.folds.max()) + 1

    def missed(self, weighting: Any) -> float | None:
        """The share of hidden sets that the votes of the others miss; None if none is hidden."""
        if not self.n_folds:
            return None
        losses = np.zeros(len(self.sets))
        nearest = self.loss.set_losses(self.sets.mask)
        for fold in range(self.n_folds):
            hidden = self.folds == fold
            visible = weighting.at_informed(self.sets.informative & ~hidden)
            outputs, has_votes = self._outputs(visible)
            found = np.where(
                has_votes, nearest[np.arange(outputs.size), outputs], self.loss.largest
            )
            losses[hidden] = found[hidden]
        scored = self.folds >= 0
        mean = float(np.average(losses[scored], weights=self.sample_weight[scored]))
        return mean / self.loss.largest

    def cut(self, weighting: Any, paths: PathWeights) -> float:
        """`cut_share` of the labels that all informative rows vote for."""
        outputs, _ = self._outputs(weighting)
        first_rows = np.unique(paths.node_, return_index=True)[1]
        links = paths.lengths_.tocoo()
        return cut_share(outputs[first_rows], links.row, links.col)

    def _outputs(self, weighting: Any) -> tuple[IntArray, BoolArray]:
        """The output of least expected loss at each row, and whether it has votes."""
        if self.shares is not None:
            asked, strength = self.shares.asked, self.shares.strength
            weighting = with_class_shares(weighting, self.sets, self.sample_weight, asked, strength)
        votes = weighting.training_votes()
        scores = votes @ self.sets.distribution()
        costs = self.loss.expected_losses(scores)
        return costs.argmin(axis=1), votes.absolute_row_sums() > 0
