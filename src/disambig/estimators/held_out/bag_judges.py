"""Distributions of labels in bags, by rows from which their sets, or their bags, were hidden.

A row in a bag has two statements: its set, and the class counts of its bag. With enough informative
sets, these are hidden fold by fold, and all bags stay whole: a hidden row may be any class, but
keeps its place in its bag. With few sets and many bags, whole bags are hidden instead: their rows
may be any class, and in any number.

In both cases the votes of the others score the classes of all rows, and become probabilities at the
temperature of highest likelihood of what was hidden. The counts of the bags are given, so that they
count as evidence: the probabilities are scaled to keep them in expectation, in each bag. That is
``P(label | votes, counts)`` up to the correlations between the labels of rows of a bag.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.candidates.labels.bag_information import MIN_RANDOM_BAGS, informed_rows
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.compiled.bags.scaling import scale_bags
from disambig.estimators.held_out.bag_likelihood import fit_bag_calibration
from disambig.estimators.held_out.hidden_votes import (
    HeldOutLabels,
    Hiding,
    Judge,
    opened_sets,
    own_votes,
    scaled_votes,
)
from disambig.estimators.held_out.set_likelihood import SetCalibration, fit_set_calibration
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.soft import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization
from disambig.votes import Votes
from disambig.weights.row_groups import joined_groups

# Steps at each temperature, as in the selection.
_SWEEPS = 2
# Smaller probabilities count as this one: no vote is proof.
_LEAST = 1e-9


def hiding_of_bags(counts: ClassCounts, groups: IntArray | None, of_sets: Hiding) -> Hiding:
    """Whole bags, if they are many; else sets, as `of_sets`.

    Parameters
    ----------
    counts : ClassCounts
        With bags.
    groups : int array (n,) or None
        Rows that are hidden together.
    of_sets : Hiding
        What is hidden if sets are.
    """
    units = joined_groups(counts.bag_of_row, groups)
    is_known = counts.informative | informed_rows(counts)
    of_bags = Hiding(np.arange(len(units)), units, is_known, hides_bags=True)
    return of_bags if of_bags.n_informative >= MIN_RANDOM_BAGS else of_sets


def judged_in_bags(
    judges: Iterable[Judge],
    counts: ClassCounts,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    hiding: Hiding,
    deals: Sequence[IntArray],
) -> HeldOutLabels:
    """The mean of calibrated probabilities over judges and deals, scaled to keep the counts.

    Parameters
    ----------
    judges : iterable of Judge
        They may be fitted one after another. They anneal.
    counts : ClassCounts, n rows
    loss : FiniteLoss
    sample_weight : float array (n,)
    hiding : Hiding
    deals : sequence of int arrays (n,)
        Folds, which are the same for all judges.
    """
    possible = np.asarray(counts.mask.any(axis=0))
    frequencies = sample_weight @ counts.distribution()
    prior = frequencies / frequencies.sum()

    def calibration_of(scores: FloatArray) -> SetCalibration:
        if hiding.hides_bags:
            return fit_bag_calibration(scores, counts, possible)
        return fit_set_calibration(scores, counts.mask, sample_weight, possible)

    # All rows as each fold sees them: what hidden rows leave in their bags depends on the others.
    totals: list[FloatArray] = [np.zeros(())] * len(deals)
    first: HeldOutLabels | None = None
    count = 0
    for judge in judges:
        tables = [_votes_by_fold(judge, counts, loss, sample_weight, hiding, one) for one in deals]
        scores = _mean_hidden(tables, deals)
        calibration = calibration_of(scores)
        for place, table in enumerate(tables):
            has_votes = (table != 0).any(axis=2, keepdims=True)
            found = calibration(table.reshape(-1, len(possible)), possible).reshape(table.shape)
            totals[place] = totals[place] + np.where(has_votes, found, prior)
        count += 1
        if first is None:
            first = HeldOutLabels(scores, calibration, scores, calibration, 1, hiding.hides_bags)
    assert first is not None
    calibration = first.calibration
    if count > 1:
        tables = [np.log(np.maximum(total / count, _LEAST)) for total in totals]
        calibration = calibration_of(_mean_hidden(tables, deals))
        totals = [
            calibration(table.reshape(-1, len(possible)), possible).reshape(table.shape)
            for table in tables
        ]
    kept = [
        _kept_counts(probabilities, counts, folds)
        for probabilities, folds in zip(totals, deals, strict=True)
    ]
    distributions: FloatArray = np.mean(kept, axis=0)
    return replace(first, distributions=distributions, calibration=calibration, n_judges=count)


def _mean_hidden(tables: Sequence[FloatArray], deals: Sequence[IntArray]) -> FloatArray:
    """Each row as the fold sees it in which it is hidden, ``(n, K)``, the mean over deals."""
    rows = np.arange(len(deals[0]))
    found = [table[folds, rows] for table, folds in zip(tables, deals, strict=True)]
    mean: FloatArray = np.mean(found, axis=0)
    return mean


def _kept_counts(probabilities: FloatArray, counts: ClassCounts, folds: IntArray) -> FloatArray:
    """Probabilities of hidden rows that keep the counts with the sets of the others, ``(n, K)``."""
    found = np.zeros(counts.shape)
    for fold, table in enumerate(probabilities):
        hidden = folds == fold
        opened = opened_counts(counts, opened_sets(counts.sets, hidden), None)
        found[hidden] = within_bags(table, opened)[hidden]
    return found


def _votes_by_fold(
    judge: Judge,
    counts: ClassCounts,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    hiding: Hiding,
    folds: IntArray,
) -> FloatArray:
    """The votes of the others at every row if a fold is hidden, ``(folds, n, K)``."""
    votes = judge.training_votes()
    own = own_votes(judge.weights, votes, hiding.equal)
    scaled = scaled_votes(votes, sample_weight)
    solver = cast(AnnealedMinimization, clone(judge.solver)).set_params(sweeps=_SWEEPS)
    scores = []
    # One after another: the size of a step depends on all rows of a problem, so that the folds of a
    # common problem would learn of each other.
    for fold in range(int(folds.max()) + 1):
        hidden = folds == fold
        freed = hidden if hiding.hides_bags else None
        opened = opened_counts(counts, opened_sets(counts.sets, hidden), freed)
        problem = Problem(scaled, loss, opened, sample_weight=sample_weight)
        *_, (_, run) = solver.path(problem)
        targets = cast(SoftFaces, run.state.targets).distribution
        scores.append(own.removed(votes @ targets, _of_copies(targets, votes, hiding.equal)))
    return np.stack(scores)


def _of_copies(targets: FloatArray, votes: Votes, equal: IntArray) -> FloatArray:
    """The mean target of a row and its copies, by their votes: in other bags they differ."""
    if int(equal.max()) + 1 == len(equal):
        return targets
    weights = votes.diagonal().astype(np.float64)
    total = np.bincount(equal, weights=weights)
    members = sp.csr_array((weights, (equal, np.arange(len(equal)))))
    means: FloatArray = (members @ targets) / np.where(total != 0, total, 1.0)[:, None]
    return means[equal]


def opened_counts(counts: ClassCounts, opened: LabelSets, freed: BoolArray | None) -> ClassCounts:
    """The counts with other sets; the bags of the rows `freed` ``(n,)`` have no bounds."""
    bounds = counts.bag_bounds
    if freed is not None:
        is_free = np.zeros(len(bounds), dtype=np.bool_)
        is_free[counts.bag_of_row[freed]] = True
        free = np.stack([np.zeros_like(counts.bag_sizes), counts.bag_sizes], axis=1)
        bounds = np.where(is_free[:, None, None], free[:, None, :], bounds)
    return ClassCounts(opened, bounds, counts.bag_of_row, counts.names)


def within_bags(probabilities: FloatArray, counts: ClassCounts) -> FloatArray:
    """Distributions within the sets that keep the counts in expectation, nearest to others.

    Parameters
    ----------
    probabilities : float array (n, K)
    counts : ClassCounts

    Examples
    --------
    >>> sets = LabelSets.from_mask(np.ones((2, 2)))
    >>> counts = ClassCounts(sets, [[[1, 1], [1, 1]]], np.zeros(2, int))
    >>> within_bags(np.array([[0.9, 0.1], [0.5, 0.5]]), counts).round(2).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    logs = np.where(counts.mask, np.log(np.maximum(probabilities, _LEAST)), -np.inf)
    order = np.argsort(counts.bag_of_row, kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts.bag_sizes)]).astype(np.int64)
    bounds = counts.bag_bounds.astype(np.int64)
    table = np.empty_like(logs)
    prices = np.zeros(bounds.shape[:2])
    scale_bags(logs, order, starts, np.ones(len(logs)), bounds, prices, table)
    return table
