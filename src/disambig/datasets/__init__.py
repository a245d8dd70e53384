"""Synthetic data with a known truth behind the sets, and corruptions of full labels into sets."""

from disambig.datasets.circles import ConcentricCircles, make_concentric_circles
from disambig.datasets.clusters import SeparatedClusters, make_separated_clusters
from disambig.datasets.corruptions import (
    CORRUPTIONS,
    ConfusionCorruption,
    Corruption,
    InstanceCorruption,
    MajorityPairCorruption,
    MajorityRowCorruption,
    UniformCorruption,
    UnlabeledCorruption,
    ambiguity_degree,
    out_of_fold_scores,
    possible_truths,
)
from disambig.datasets.sequences import TagSequences, make_tag_sequences

__all__ = [
    "CORRUPTIONS",
    "ConcentricCircles",
    "ConfusionCorruption",
    "Corruption",
    "InstanceCorruption",
    "MajorityPairCorruption",
    "MajorityRowCorruption",
    "SeparatedClusters",
    "TagSequences",
    "UniformCorruption",
    "UnlabeledCorruption",
    "ambiguity_degree",
    "make_concentric_circles",
    "make_separated_clusters",
    "make_tag_sequences",
    "out_of_fold_scores",
    "possible_truths",
]
