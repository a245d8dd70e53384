"""Weightings: from inputs to the votes ``alpha``.

Neighbours, kernels, partitions (trees, histograms), graphs, or votes that the user computes. The
contract is `Weights`; estimators find a weighting by its name (`disambig.weights.registry`).
"""

from disambig.weights.composite import FittedWeights, MixedWeights, ScaledWeights
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
from disambig.weights.protocol import InformedWeights, Weights
from disambig.weights.squashed import SquashedWeights

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
    "PathWeights",
    "PoissonWeights",
    "PrecomputedWeights",
    "RandomFeatureWeights",
    "ScaledWeights",
    "SquashedWeights",
    "TreeWeights",
    "Weights",
]
