"""Weightings by name, and the kernel ridge that the number of rows allows.

`resolve_weights` turns a name, a weighting or a function into an unfitted weighting.
`automatic_ridge` chooses exact kernel ridge where its matrix is affordable and landmarks beyond.
"""

from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from disambig.memory import is_free
from disambig.parameters import choice_message
from disambig.weights.divided.whole import MAX_EXACT_ROWS, reason_to_join
from disambig.weights.given import FunctionWeights, PrecomputedWeights
from disambig.weights.graphs.kernel_laplacian import KernelLaplacianWeights
from disambig.weights.graphs.laplacian import LaplacianWeights
from disambig.weights.graphs.paths import PathWeights
from disambig.weights.graphs.poisson import PoissonWeights
from disambig.weights.kernels.kernel_ridge import KernelRidgeWeights
from disambig.weights.kernels.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.kernels.nystrom import NystromWeights
from disambig.weights.kernels.random_features import RandomFeatureWeights
from disambig.weights.neighbors.neighbors import NeighborWeights
from disambig.weights.partitions.forest import ForestWeights, TreeWeights
from disambig.weights.partitions.histogram import HistogramWeights
from disambig.weights.protocol import Weights

# Bytes for each entry of the kernel matrix at the peak of a fit: four arrays of float64.
_PEAK_BYTES_PER_ENTRY = 4 * 8.0
_N_LANDMARKS = 1000
_WEIGHTINGS_BY_NAME: dict[str, type[Any]] = {
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
    "paths": PathWeights,
    "kernel_laplacian": KernelLaplacianWeights,
    "precomputed": PrecomputedWeights,
}


def is_affordable(n: int) -> bool:
    """Whether time and half of the free memory allow the kernel matrix of n rows."""
    return n <= MAX_EXACT_ROWS and is_free(2 * _PEAK_BYTES_PER_ENTRY * n * n)


def automatic_ridge(n: int) -> KernelRidgeWeights | NystromWeights:
    """Kernel ridge with an intercept on n rows: exact if `is_affordable`, otherwise by landmarks.

    Landmarks (`NystromWeights`) need memory that grows with n and not with its square.

    Examples
    --------
    >>> automatic_ridge(500)
    KernelRidgeWeights(intercept=True)
    >>> automatic_ridge(1_000_000)
    NystromWeights(intercept=True, n_landmarks=1000)
    """
    if is_affordable(n):
        return KernelRidgeWeights(intercept=True)
    return NystromWeights(n_landmarks=_N_LANDMARKS, intercept=True)


def resolve_weights(weights: Any) -> Weights:
    """A new unfitted weighting from what the user passed; the user's object is never changed.

    Parameters
    ----------
    weights : str, weighting or callable
        "neighbors", "kernel_ridge", "nystrom", "random_features", "nadaraya_watson", "forest",
        "tree", "histogram", "laplacian", "poisson", "paths", "kernel_laplacian" or "precomputed",
        with default parameters; a weighting, which is cloned; or a function of ``(Q, X)`` that
        returns votes ``(q, n)``.

    Examples
    --------
    >>> resolve_weights("neighbors")
    NeighborWeights()
    """
    if isinstance(weights, str) and weights in _WEIGHTINGS_BY_NAME:
        named: Weights = _WEIGHTINGS_BY_NAME[weights]()
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
    more = (
        "or a weighting such as NeighborWeights(n_neighbors=20), or a function of (Q, X) that "
        "returns votes (q, n); weights= of an estimator may also be 'auto'"
    )
    raise ValueError(choice_message("", "weights", weights, _WEIGHTINGS_BY_NAME, more))


def weighting_with(parameter: str) -> str:
    """The name of the first weighting that has a parameter; "NeighborWeights" if none has.

    Examples
    --------
    >>> weighting_with("n_neighbors"), weighting_with("regularization")
    ('NeighborWeights', 'KernelRidgeWeights')
    """
    for kind in _WEIGHTINGS_BY_NAME.values():
        if parameter.partition("__")[0] in kind().get_params(deep=False):
            return kind.__name__
    return "NeighborWeights"


def reads_missing(weights: Any) -> bool:
    """Whether a weighting reads NaN in X as missing cells.

    Examples
    --------
    >>> reads_missing(NeighborWeights()), reads_missing(NeighborWeights(metric="nan_euclidean"))
    (False, True)
    """
    if isinstance(weights, str) and weights in _WEIGHTINGS_BY_NAME:
        weights = _WEIGHTINGS_BY_NAME[weights]()
    if isinstance(weights, type) or not hasattr(weights, "__sklearn_tags__"):
        return False
    return bool(get_tags(weights).input_tags.allow_nan)


def reads_parts(weights: Any) -> bool:
    """Whether a weighting can be built for rows in parts, `DividedRows`, however many they are.

    Examples
    --------
    >>> reads_parts(NeighborWeights()), reads_parts("kernel_ridge")
    (True, False)
    """
    if isinstance(weights, str) and weights in _WEIGHTINGS_BY_NAME:
        weights = _WEIGHTINGS_BY_NAME[weights]()
    if not isinstance(weights, Weights) or reason_to_join(weights):
        return False
    own = weights.get_params(deep=False) if hasattr(weights, "get_params") else {}
    inner = own.get("members") or ([own["weights"]] if "weights" in own else [])
    return all(map(reads_parts, inner))


def is_pairwise(weights: Any) -> bool:
    """Whether a weighting reads X as a matrix between rows; False for anything else.

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
