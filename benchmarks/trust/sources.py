"""Rows with candidate sets and truth that prediction sets are tested on."""

from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.problems import Problem
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["SOURCES", "Rows", "overlapping", "source", "with_sets"]


class Rows(NamedTuple):
    """Inputs, sets and true classes of all rows of a source, and how many rows are fitted."""

    X: FloatArray
    mask: BoolArray
    truth: IntArray
    n_train: int


def overlapping(n: int, seed: int = 0) -> tuple[FloatArray, BoolArray, IntArray]:
    """Four Gaussian classes in two dimensions that overlap; wrong labels join with chance .5."""
    rng = np.random.default_rng(seed)
    centers = 1.5 * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    truth = rng.integers(4, size=n)
    X = centers[truth] + rng.normal(size=(n, 2))
    return X, _uniform_sets(truth, 4, 0.5), truth


def _uniform_sets(truth: IntArray, n_classes: int, level: float) -> BoolArray:
    drawn = CORRUPTIONS["uniform"](level)(truth, classes=np.arange(n_classes), random_state=0)
    mask: BoolArray = drawn.mask
    return mask


def with_sets(problem: Problem) -> tuple[FloatArray, BoolArray, IntArray]:
    """The training rows of the first split: those that have sets."""
    (X, mask, truth), _ = problem.split(0)
    return X, mask, truth


@cache
def source(name: str) -> Rows:
    """The rows of a source, in random order, standardised, those with full sets left out."""
    if name == "overlapping classes":
        X, mask, truth = overlapping(2000)
        n_train = 400
    elif name == "digits, uniform, 0.5":
        X, mask, truth = with_sets(Problem("digits", "uniform", 0.5))
        n_train = 600
    else:
        X, mask, truth = with_sets(Problem(name))
        n_train = 500
    rows = np.random.default_rng(0).permutation(np.flatnonzero(~mask.all(axis=1)))
    scaler = StandardScaler().fit(X[rows[:n_train]])
    return Rows(scaler.transform(X[rows]), mask[rows], truth[rows], n_train)


SOURCES = ("digits, uniform, 0.5", "lost", "overlapping classes")
