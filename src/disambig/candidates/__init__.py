"""Candidate sets: for every sample the set of targets that it may have."""

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.candidates.labels.class_counts import ClassCounts, label_candidates
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.number_sets import NumberSets, number_sets
from disambig.candidates.numbers.unions import IntervalUnions
from disambig.candidates.orders.partial_orders import PartialOrders
from disambig.candidates.protocol import Candidates, RepeatedSets, require_separable

__all__ = [
    "Candidates",
    "ClassCounts",
    "Hierarchy",
    "IntervalUnions",
    "Intervals",
    "LabelSets",
    "NumberSets",
    "PartialBits",
    "PartialOrders",
    "RepeatedSets",
    "label_candidates",
    "number_sets",
    "require_separable",
]
