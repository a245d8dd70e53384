"""Fits of `IntervalRegressor` with known means of bags: what they refuse, and which weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.metrics import pairwise_distances

from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.estimators.mixture import Mixture
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
    take_inputs,
)
from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.exceptions import MissingOracleError, NoInformationError, warn
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights import KernelRidgeWeights, NystromWeights, ScaledWeights
from disambig.weights.kernels.similarity import Similarity

# Kernels are compared by bags that are left out: fewer would choose by chance.
MIN_BAGS_TO_CHOOSE = 10
# Rows among which kernels are compared, in whole bags; with more rows ridges are of low rank.
_MAX_ROWS = 5000
# Bandwidths in median distances of rows, and ridges; from smooth to rough, of equals the first.
_BANDWIDTHS = (4.0, 2.0, 1.0, 0.5, 0.25)
_RIDGES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
_BLOCK_ENTRIES = 2**22
_MAX_MEDIAN_ROWS = 500


def check_means(estimator: Any) -> None:
    """Refuse parameters of a regressor that cannot be combined with means of bags."""
    name = type(estimator).__name__
    if estimator.method != "disambiguation":
        raise MissingOracleError(
            f"{name}: method={estimator.method!r} would lose the means of bags. Use "
            "method='disambiguation'."
        )
    if isinstance(estimator.weights, Mixture):
        raise ValueError(
            f"{name}: a Mixture would lose the means of bags, because its members choose their "
            "targets without each other. Pass one weighting."
        )
    if estimator.tolerance is not None:
        raise ValueError(
            f"{name}: tolerance lets numbers leave their intervals, and with means of bags they "
            "cannot. Use tolerance=None."
        )
    if estimator.cv is not None:
        raise ValueError(
            f"{name}: the folds of cv would cut bags, and the mean of a part is not known. Use "
            "cv=None."
        )
    if not estimator.loss_.is_quadratic:
        raise MissingOracleError(
            f"{name}: means of bags are kept for the squared loss alone; got "
            f"loss={estimator.loss!r}. Use loss='squared'."
        )


def is_auto(weights: Any) -> bool:
    """Whether weights are to be chosen."""
    return isinstance(weights, str) and weights == "auto"


def weights_for_means(X: Any, means: MeanBounds, kept: KeptRows) -> Any:
    """Kernel ridge regression that predicts the means of bags best that were left out.

    Without intervals the optimum is ridge regression of the means of the bags,
    ``min_f sum_b m_b (mean_b - (1 / m_b) sum_{j in b} f(x_j))^2 + n lam |f|^2`` with m_b rows in
    bag b, so that the prediction for every bag that is left out has a closed form. Intervals are
    not considered here. Raises `NoInformationError` if fewer than 10 bags have known means.
    """
    X = kept_inputs(X, kept)
    known: BoolArray = np.asarray(np.isfinite(means.bounds).any(axis=1))
    rows = _sampled_rows(means, known)
    used, codes = np.unique(means.bags[rows], return_inverse=True)
    if used.size < MIN_BAGS_TO_CHOOSE:
        raise NoInformationError(
            f"weights='auto' compares kernels by at least {MIN_BAGS_TO_CHOOSE} bags of known means "
            f"in {_MAX_ROWS} rows; got {used.size}. Pass weights, such as "
            "weights='kernel_ridge' on features of unit variance."
        )
    scales = unit_scales(X, kept.sample_weight)
    inputs = take_inputs(X, rows, None)
    inputs = scaled_inputs(inputs, scales) if scales.any() else inputs
    sizes, bounds = np.bincount(codes), means.bounds[used]
    best, chosen = np.inf, (1.0, 1.0)
    median = _median_distance(inputs)
    for bandwidth, kernel in _bag_kernels(inputs, codes, median):
        for ridge in _RIDGES:
            loss = left_out_loss(kernel, bounds, sizes, rows.size * ridge)
            if loss < best * (1 - 1e-9):
                best, chosen = loss, (bandwidth, ridge)
    if best >= left_out_loss(np.zeros((used.size, used.size)), bounds, sizes, 1.0):
        warn(
            f"means: no kernel predicts the means of the {used.size} bags that were left out "
            "better than a constant, so that the bags hardly say which of their rows have large "
            "numbers. Trust the labels only as far as their intervals support them.",
            UserWarning,
        )
    is_small = len(means) <= _MAX_ROWS
    family = KernelRidgeWeights if is_small else NystromWeights
    ridge_weights = family(bandwidth=chosen[0], regularization=chosen[1], intercept=True)
    return ScaledWeights(ridge_weights, scales) if scales.any() else ridge_weights


def left_out_loss(kernel: FloatArray, bounds: FloatArray, sizes: IntArray, ridge: float) -> float:
    """The squared distance of predictions of bags by the others to their bounds, mean over rows.

    Parameters
    ----------
    kernel : float array (B, B)
        The mean kernel between the rows of two bags.
    bounds : float array (B, 2)
        Of the means; one end of each is finite.
    sizes : int array (B,)
    ridge : float
        ``n lam``, the same without a bag.
    """
    ends = np.where(np.isfinite(bounds), bounds, bounds[:, ::-1])
    means = ends.mean(axis=1)
    inverse = scipy.linalg.inv(kernel + np.diag(ridge / sizes))
    ones = inverse.sum(axis=1)
    # The intercept is fitted without the bag, too.
    projected = inverse - np.outer(ones, ones) / ones.sum()
    predicted = means - (projected @ means) / np.diag(projected)
    off = np.maximum(np.maximum(bounds[:, 0] - predicted, predicted - bounds[:, 1]), 0.0)
    return float(np.average(off**2, weights=sizes))


def _sampled_rows(means: MeanBounds, known: BoolArray) -> IntArray:
    """Rows of bags of known means: all of them, or those of random bags up to the limit."""
    bags = np.random.default_rng(0).permutation(np.flatnonzero(known))
    bags = bags[np.cumsum(means.sizes[bags]) <= _MAX_ROWS]
    return np.flatnonzero(np.isin(means.bags, bags))


def _median_distance(inputs: Any) -> float:
    rows = np.random.default_rng(0).permutation(inputs.shape[0])[:_MAX_MEDIAN_ROWS]
    some = inputs[np.sort(rows)]
    distances = pairwise_distances(some)
    positive = distances[distances > 0]
    return float(np.median(positive)) if positive.size else 1.0


def _bag_kernels(inputs: Any, codes: IntArray, median: float) -> Iterator[tuple[float, FloatArray]]:
    """Bandwidths, and the mean kernel between the rows of any two bags."""
    sizes = np.bincount(codes)
    n, n_bags = codes.size, sizes.size
    block = max(_BLOCK_ENTRIES // n, 1)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    inputs = inputs[order]
    for factor in _BANDWIDTHS:
        similarity = Similarity("gaussian", bandwidth=factor * median)
        sums = np.zeros((n_bags, n))
        for first in range(0, n, block):
            rows = slice(first, min(first + block, n))
            found = similarity(inputs[rows], inputs)
            np.add.at(sums, codes[order][rows], found)
        kernel = np.add.reduceat(sums, starts, axis=1)
        yield factor * median, kernel / np.outer(sizes, sizes)
