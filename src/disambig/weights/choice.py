"""From what a user names to a weighting."""

from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from disambig.weights.forest import ForestWeights
from disambig.weights.from_function import FunctionWeights
from disambig.weights.histogram import HistogramWeights
from disambig.weights.kernel_laplacian import KernelLaplacianWeights
from disambig.weights.kernel_ridge import KernelRidgeWeights
from disambig.weights.laplacian import LaplacianWeights
from disambig.weights.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.neighbors import NeighborWeights
from disambig.weights.nystrom import NystromWeights
from disambig.weights.poisson import PoissonWeights
from disambig.weights.precomputed import PrecomputedWeights
from disambig.weights.protocol import Weights
from disambig.weights.random_features import RandomFeatureWeights
from disambig.weights.tree import TreeWeights

__all__ = ["is_pairwise", "resolve_weights"]

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
