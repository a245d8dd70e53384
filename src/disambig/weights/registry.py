"""Kernel ridge where its matrix is affordable, landmarks beyond: what "auto" means.

From what a user names to a weighting.
"""

from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from disambig.memory import free_bytes
from disambig.weights.given import FunctionWeights, PrecomputedWeights
from disambig.weights.graphs.kernel_laplacian import KernelLaplacianWeights
from disambig.weights.graphs.laplacian import LaplacianWeights
from disambig.weights.graphs.poisson import PoissonWeights
from disambig.weights.kernels.kernel_ridge import KernelRidgeWeights
from disambig.weights.kernels.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.kernels.nystrom import NystromWeights
from disambig.weights.kernels.random_features import RandomFeatureWeights
from disambig.weights.neighbors.neighbors import NeighborWeights
from disambig.weights.partitions.forest import ForestWeights, TreeWeights
from disambig.weights.partitions.histogram import HistogramWeights
from disambig.weights.protocol import Weights

# A decomposition of so many rows takes about a minute on one core, and four times that of twice.
LARGEST_EXACT = 5000
# Bytes an entry of the kernel matrix costs at the peak of a fit.
_PEAK = 4 * 8.0
_LANDMARKS = 1000
_NAMED: dict[str, type[Any]] = {
    "neighbors": NeighborWeights,
    "kernel_ridge": KernelRidgeWeights,
    "nystrom": NystromWeights,
    "random_features": RandomFeatureWeights,
    "nadaraya_watson": NadarayaWatsonWeights,
    "forest": ForestWeights,
    "tree": TreeWeights,
    "histogram": HistogramWeights,
    "laplacian": LaplacianWeights,
    "poisson": PoissonWeights,
    "kernel_laplacian": KernelLaplacianWeights,
    "precomputed": PrecomputedWeights,
}


def is_affordable(n: int) -> bool:
    """Do time and half of the free memory allow the kernel matrix of n rows?"""
    free = free_bytes()
    return n <= LARGEST_EXACT and (free is None or _PEAK * n * n <= free / 2)


def automatic_ridge(n: int) -> KernelRidgeWeights | NystromWeights:
    """Kernel ridge with an intercept on n rows: exact if time and half of the memory allow it.

    Otherwise by landmarks (`NystromWeights`), in memory that grows with n and not with its square.

    Examples
    --------
    >>> automatic_ridge(500)
    KernelRidgeWeights(intercept=True)
    >>> automatic_ridge(1_000_000)
    NystromWeights(intercept=True, n_landmarks=1000)
    """
    if is_affordable(n):
        return KernelRidgeWeights(intercept=True)
    return NystromWeights(n_landmarks=_LANDMARKS, intercept=True)


def resolve_weights(weights: Any) -> Weights:
    """An unfitted weighting of our own: the user's object is never touched.

    Parameters
    ----------
    weights : str, weighting or callable
        "neighbors", "kernel_ridge", "nystrom", "random_features", "nadaraya_watson", "forest",
        "tree", "histogram", "laplacian", "poisson", "kernel_laplacian" or "precomputed", with
        default parameters; a weighting, which is cloned; or a
        function of ``(Q, X)`` that returns votes ``(q, n)``.

    Examples
    --------
    >>> resolve_weights("neighbors")
    NeighborWeights()
    """
    if isinstance(weights, str) and weights in _NAMED:
        named: Weights = _NAMED[weights]()
        return named
    if isinstance(weights, type):
        raise TypeError(
            f"weights: got the class {weights.__name__}; pass an instance, {weights.__name__}(...)."
        )
    if isinstance(weights, Weights):
        if not hasattr(weights, "get_params"):
            raise TypeError(
                f"weights: {type(weights).__name__} cannot be cloned. Derive it from "
                "sklearn.base.BaseEstimator and only store the arguments in __init__."
            )
        cloned: Weights = clone(weights)
        return cloned
    if callable(weights):
        return FunctionWeights(weights)
    choices = ", ".join(repr(name) for name in _NAMED)
    raise ValueError(
        f"weights: got {weights!r}; expected one of {choices}, a weighting such as "
        "NeighborWeights(n_neighbors=20), or a function of (Q, X) that returns votes (q, n). "
        "('auto' is for weights= of PartialLabelClassifier, disambiguate and IntervalRegressor.)"
    )


def is_pairwise(weights: Any) -> bool:
    """Whether X holds a matrix between rows instead of features; False for what is no weighting.

    Examples
    --------
    >>> is_pairwise("precomputed"), is_pairwise(NeighborWeights())
    (True, False)
    """
    if isinstance(weights, str):
        return weights == "precomputed"
    if isinstance(weights, type) or not hasattr(weights, "__sklearn_tags__"):
        return False
    return bool(get_tags(weights).input_tags.pairwise)
