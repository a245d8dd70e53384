"""WHAT CAN BE HOPED FOR: how ambiguous a data set is, and what the theory then promises."""

from disambig.diagnostics.ambiguity import ambiguity
from disambig.diagnostics.ambiguity_report import Ambiguity
from disambig.diagnostics.class_pairs import ClassPair
from disambig.diagnostics.local_ambiguity import LocalAmbiguity, local_ambiguity
from disambig.diagnostics.requirements import Requirement, theorem_requirement
from disambig.diagnostics.shares import Shares
from disambig.diagnostics.verdicts import Status

__all__ = [
    "Ambiguity",
    "ClassPair",
    "LocalAmbiguity",
    "Requirement",
    "Shares",
    "Status",
    "ambiguity",
    "local_ambiguity",
    "theorem_requirement",
]
