"""Synthetic data with a known truth, corruptions of labels into sets, and data of others."""

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
from disambig.datasets.loaders import (
    IntervalData,
    LabelRankingData,
    MulticlassData,
    MultilabelData,
    PartialLabelData,
    fetch_libsvm,
    fetch_mulan,
    load_interval_folder,
    load_label_ranking,
    load_libsvm,
    load_mulan,
    load_partial_label_mat,
)
from disambig.datasets.sequences import TagSequences, make_tag_sequences

__all__ = [
    "CORRUPTIONS",
    "ConcentricCircles",
    "ConfusionCorruption",
    "Corruption",
    "InstanceCorruption",
    "IntervalData",
    "LabelRankingData",
    "MajorityPairCorruption",
    "MajorityRowCorruption",
    "MulticlassData",
    "MultilabelData",
    "PartialLabelData",
    "SeparatedClusters",
    "TagSequences",
    "UniformCorruption",
    "UnlabeledCorruption",
    "ambiguity_degree",
    "fetch_libsvm",
    "fetch_mulan",
    "load_interval_folder",
    "load_label_ranking",
    "load_libsvm",
    "load_mulan",
    "load_partial_label_mat",
    "make_concentric_circles",
    "make_separated_clusters",
    "make_tag_sequences",
    "out_of_fold_scores",
    "possible_truths",
]
