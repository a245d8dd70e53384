"""Corruptions of true targets into candidate sets that contain them."""

from disambig.datasets.corruptions.ambiguity import ambiguity_degree, possible_truths
from disambig.datasets.corruptions.bits import (
    BitCorruption,
    CandidateListCorruption,
    HiddenBitCorruption,
    PositivesCorruption,
)
from disambig.datasets.corruptions.censoring import (
    CensoringCorruption,
    MissingCorruption,
    SignCorruption,
)
from disambig.datasets.corruptions.instance import InstanceCorruption, out_of_fold_scores
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
from disambig.datasets.corruptions.orders import (
    PairCorruption,
    ScoreGapCorruption,
    TopKCorruption,
    hidden_share,
    information_left,
)
from disambig.datasets.corruptions.protocol import Corruption, IntervalCorruption, OrderCorruption
from disambig.datasets.corruptions.registry import (
    BIT_CORRUPTIONS,
    CORRUPTIONS,
    INTERVAL_CORRUPTIONS,
    ORDER_CORRUPTIONS,
)
from disambig.datasets.corruptions.unlabeled import UnlabeledCorruption
from disambig.datasets.corruptions.wrong_sets import remove_truths

__all__ = [
    "BIT_CORRUPTIONS",
    "CORRUPTIONS",
    "INTERVAL_CORRUPTIONS",
    "ORDER_CORRUPTIONS",
    "BinCorruption",
    "BitCorruption",
    "CandidateListCorruption",
    "CensoringCorruption",
    "ConfusionCorruption",
    "Corruption",
    "HiddenBitCorruption",
    "InstanceCorruption",
    "IntervalCorruption",
    "MajorityPairCorruption",
    "MajorityRowCorruption",
    "MissingCorruption",
    "OrderCorruption",
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
    "hidden_share",
    "information_left",
    "out_of_fold_scores",
    "possible_truths",
    "remove_truths",
]
