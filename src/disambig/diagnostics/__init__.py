"""Diagnostics of candidate sets: how ambiguous they are, and what the theory guarantees then."""

from disambig.diagnostics.ambiguity import ambiguity
from disambig.diagnostics.local_ambiguity import LocalAmbiguity, local_ambiguity
from disambig.diagnostics.regions import compatible_distributions, decision_regions
from disambig.diagnostics.report import Ambiguity
from disambig.diagnostics.requirements import Requirement, theorem_requirement

__all__ = [
    "Ambiguity",
    "LocalAmbiguity",
    "Requirement",
    "ambiguity",
    "compatible_distributions",
    "decision_regions",
    "local_ambiguity",
    "theorem_requirement",
]
