"""From full labels to candidate sets: laws of the set given the label, with the truth inside."""

from disambig.datasets.corruptions.ambiguity import ambiguity_degree
from disambig.datasets.corruptions.confusion import ConfusionCorruption
from disambig.datasets.corruptions.instance import InstanceCorruption
from disambig.datasets.corruptions.majority_pair import MajorityPairCorruption
from disambig.datasets.corruptions.majority_row import MajorityRowCorruption
from disambig.datasets.corruptions.plausibility import out_of_fold_scores
from disambig.datasets.corruptions.possible_truths import possible_truths
from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.datasets.corruptions.uniform import UniformCorruption
from disambig.datasets.corruptions.unlabeled import UnlabeledCorruption

__all__ = [
    "CORRUPTIONS",
    "ConfusionCorruption",
    "Corruption",
    "InstanceCorruption",
    "MajorityPairCorruption",
    "MajorityRowCorruption",
    "UniformCorruption",
    "UnlabeledCorruption",
    "ambiguity_degree",
    "out_of_fold_scores",
    "possible_truths",
]
