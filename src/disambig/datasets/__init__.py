"""Synthetic data with known targets, corruptions of targets into sets, and public data sets."""

from disambig.datasets.corruptions.ambiguity import ambiguity_degree
from disambig.datasets.corruptions.bits import (
    CandidateListCorruption,
    HiddenBitCorruption,
    PositivesCorruption,
)
from disambig.datasets.corruptions.censoring import (
    CensoringCorruption,
    MissingCorruption,
    SignCorruption,
)
from disambig.datasets.corruptions.instance import InstanceCorruption
from disambig.datasets.corruptions.labels import (
    ConfusionCorruption,
    MajorityPairCorruption,
    MajorityRowCorruption,
    UniformCorruption,
)
from disambig.datasets.corruptions.numbers import (
    BinCorruption,
    RoundingCorruption,
    SkewedCorruption,
    WidthCorruption,
)
from disambig.datasets.corruptions.orders import PairCorruption, ScoreGapCorruption, TopKCorruption
from disambig.datasets.corruptions.unlabeled import UnlabeledCorruption
from disambig.datasets.corruptions.wrong_sets import remove_truths
from disambig.datasets.loaders.interval_folder import load_interval_folder
from disambig.datasets.loaders.label_ranking import load_label_ranking
from disambig.datasets.loaders.libsvm import fetch_libsvm, load_libsvm
from disambig.datasets.loaders.mulan import fetch_mulan, load_mulan
from disambig.datasets.loaders.partial_label_mat import load_partial_label_mat
from disambig.datasets.sequences import make_tag_sequences
from disambig.datasets.sine_intervals import make_sine_intervals
from disambig.datasets.synthetic import (
    make_concentric_circles,
    make_ranking_lines,
    make_separated_clusters,
)

__all__ = [
    "BinCorruption",
    "CandidateListCorruption",
    "CensoringCorruption",
    "ConfusionCorruption",
    "HiddenBitCorruption",
    "InstanceCorruption",
    "MajorityPairCorruption",
    "MajorityRowCorruption",
    "MissingCorruption",
    "PairCorruption",
    "PositivesCorruption",
    "RoundingCorruption",
    "ScoreGapCorruption",
    "SignCorruption",
    "SkewedCorruption",
    "TopKCorruption",
    "UniformCorruption",
    "UnlabeledCorruption",
    "WidthCorruption",
    "ambiguity_degree",
    "fetch_libsvm",
    "fetch_mulan",
    "load_interval_folder",
    "load_label_ranking",
    "load_libsvm",
    "load_mulan",
    "load_partial_label_mat",
    "make_concentric_circles",
    "make_ranking_lines",
    "make_separated_clusters",
    "make_sine_intervals",
    "make_tag_sequences",
    "remove_truths",
]
