"""Candidate sets: for every sample the set of targets that it may have."""

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.candidates.labels.bag_counts import bag_counts
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.numbers.bag_means import bag_means
from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.candidates.numbers.number_sets import number_sets
from disambig.candidates.numbers.unions import IntervalUnions
from disambig.candidates.orders.partial_orders import PartialOrders
from disambig.candidates.protocol import Candidates

__all__ = [
    "Candidates",
    "ClassCounts",
    "Hierarchy",
    "IntervalUnions",
    "Intervals",
    "LabelSets",
    "MeanBounds",
    "PartialBits",
    "PartialOrders",
    "bag_counts",
    "bag_means",
    "number_sets",
]
