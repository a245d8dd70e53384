"""Random sets in bags with class counts, and linear programs over them."""

from itertools import product

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from disambig.candidates import ClassCounts, LabelSets

INFEASIBLE = 2


def random_counts(rng, n, n_classes, n_bags, width=1, feasible=True):
    """`ClassCounts` whose bounds surround the counts of random labels of the sets.

    If they need not be feasible, the bounds surround arbitrary counts.
    """
    mask = rng.random((n, n_classes)) < 0.6
    mask[np.arange(n), rng.integers(0, n_classes, n)] = True
    bags = rng.integers(0, n_bags, n)
    labels = [rng.choice(np.flatnonzero(row)) for row in mask]
    if not feasible:
        labels = rng.integers(0, n_classes, n)
    counts = np.zeros((n_bags, n_classes), dtype=int)
    np.add.at(counts, (bags, labels), 1)
    slack = width * rng.integers(0, 2, counts.shape)
    bounds = np.stack([np.maximum(counts - slack, 0), counts + slack], axis=2)
    return mask, bags, bounds


def counts_of(mask, bags, bounds):
    return ClassCounts(LabelSets.from_mask(mask), bounds, bags)


def cheapest_by_program(costs, mask, bags, bounds):
    """The least cost of labels that keep the bounds, by a linear program; None without any."""
    row, label = np.nonzero(mask)
    each, ones = np.arange(row.size), np.ones(row.size)
    n, n_classes = mask.shape
    by_row = sp.csr_array((ones, (row, each)), shape=(n, row.size))
    places = bags[row] * n_classes + label
    by_class = sp.csr_array((ones, (places, each)), shape=(bounds[..., 0].size, row.size))
    found = linprog(
        costs[row, label],
        A_ub=sp.vstack([by_class, -by_class]),
        b_ub=np.concatenate([bounds[..., 1].ravel(), -bounds[..., 0].ravel()]),
        A_eq=by_row,
        b_eq=np.ones(n),
        bounds=(0, 1),
    )
    return None if found.status == INFEASIBLE else float(found.fun)


def cheapest_by_listing(costs, mask, bags, bounds):
    """The same by trying all labels."""
    best = None
    for labels in product(*(np.flatnonzero(row) for row in mask)):
        if keeps(np.array(labels), bags, bounds):
            cost = float(costs[np.arange(len(labels)), list(labels)].sum())
            best = cost if best is None else min(best, cost)
    return best


def keeps(labels, bags, bounds):
    counts = np.zeros(bounds.shape[:2], dtype=int)
    np.add.at(counts, (bags, labels), 1)
    return bool(((counts >= bounds[..., 0]) & (counts <= bounds[..., 1])).all())
