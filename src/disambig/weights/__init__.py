"""WHO VOTES: from inputs to ``alpha``: nearness, kernels, partitions, graphs, or the user's own."""

from disambig.weights.automatic import automatic_ridge, is_affordable
from disambig.weights.choice import is_pairwise, resolve_weights
from disambig.weights.distinct import row_kinds
from disambig.weights.fitted import FittedWeights
from disambig.weights.forest import ForestWeights
from disambig.weights.from_function import FunctionWeights
from disambig.weights.histogram import HistogramWeights
from disambig.weights.kernel_laplacian import KernelLaplacianWeights
from disambig.weights.kernel_ridge import KernelRidgeWeights
from disambig.weights.laplacian import LaplacianWeights
from disambig.weights.mixed import MixedWeights
from disambig.weights.nadaraya_watson import NadarayaWatsonWeights
from disambig.weights.neighbors import NeighborWeights
from disambig.weights.nystrom import NystromWeights
from disambig.weights.poisson import PoissonWeights
from disambig.weights.precomputed import PrecomputedWeights
from disambig.weights.protocol import InformedWeights, Weights
from disambig.weights.random_features import RandomFeatureWeights
from disambig.weights.scaled import ScaledWeights
from disambig.weights.tree import TreeWeights

__all__ = [
    "FittedWeights",
    "ForestWeights",
    "FunctionWeights",
    "HistogramWeights",
    "InformedWeights",
    "KernelLaplacianWeights",
    "KernelRidgeWeights",
    "LaplacianWeights",
    "MixedWeights",
    "NadarayaWatsonWeights",
    "NeighborWeights",
    "NystromWeights",
    "PoissonWeights",
    "PrecomputedWeights",
    "RandomFeatureWeights",
    "ScaledWeights",
    "TreeWeights",
    "Weights",
    "automatic_ridge",
    "is_affordable",
    "is_pairwise",
    "resolve_weights",
    "row_kinds",
]
