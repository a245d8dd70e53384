"""WHO VOTES: from inputs to ``alpha``: nearness, kernels, partitions, graphs, or the user's own."""

from disambig.weights.choice import is_pairwise, resolve_weights
from disambig.weights.forest import ForestWeights
from disambig.weights.from_function import FunctionWeights
from disambig.weights.histogram import HistogramWeights
from disambig.weights.kernel_ridge import KernelRidgeWeights
from disambig.weights.laplacian import LaplacianWeights
from disambig.weights.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.neighbors import NeighborWeights
from disambig.weights.precomputed import PrecomputedWeights
from disambig.weights.protocol import Weights
from disambig.weights.tree import TreeWeights

__all__ = [
    "ForestWeights",
    "FunctionWeights",
    "HistogramWeights",
    "KernelRidgeWeights",
    "LaplacianWeights",
    "NadarayaWatsonWeights",
    "NeighborWeights",
    "PrecomputedWeights",
    "TreeWeights",
    "Weights",
    "is_pairwise",
    "resolve_weights",
]
