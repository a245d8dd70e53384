"""WHAT WAS OBSERVED: for every sample the set of targets it may have."""

from disambig.candidates.compatible import (
    CompatibleDistributions,
    compatible_distributions,
)
from disambig.candidates.hierarchy import Hierarchy
from disambig.candidates.interval_unions import IntervalUnions
from disambig.candidates.intervals import Intervals
from disambig.candidates.label_sets import LabelSets
from disambig.candidates.partial_bits import PartialBits
from disambig.candidates.partial_orders import PartialOrders
from disambig.candidates.protocol import Candidates, RepeatedSets
from disambig.candidates.sets_of_numbers import RealSets, real_sets

__all__ = [
    "Candidates",
    "CompatibleDistributions",
    "Hierarchy",
    "IntervalUnions",
    "Intervals",
    "LabelSets",
    "PartialBits",
    "PartialOrders",
    "RealSets",
    "RepeatedSets",
    "compatible_distributions",
    "real_sets",
]
