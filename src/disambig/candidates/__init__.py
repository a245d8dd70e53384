"""WHAT WAS OBSERVED: for every sample the set of targets it may have."""

from disambig.candidates.hierarchy import Hierarchy
from disambig.candidates.label_sets import LabelSets
from disambig.candidates.partial_orders import PartialOrders
from disambig.candidates.protocol import Candidates

__all__ = ["Candidates", "Hierarchy", "LabelSets", "PartialOrders"]
