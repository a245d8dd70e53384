"""WHO VOTES: from inputs to ``alpha``, by nearness, by kernels, or as the user says."""

from disambig.weights.choice import is_pairwise, resolve_weights
from disambig.weights.from_function import FunctionWeights
from disambig.weights.kernel_ridge import KernelRidgeWeights
from disambig.weights.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.neighbors import NeighborWeights
from disambig.weights.precomputed import PrecomputedWeights
from disambig.weights.protocol import Weights

__all__ = [
    "FunctionWeights",
    "KernelRidgeWeights",
    "NadarayaWatsonWeights",
    "NeighborWeights",
    "PrecomputedWeights",
    "Weights",
    "is_pairwise",
    "resolve_weights",
]
