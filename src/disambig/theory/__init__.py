"""Diagnostics of candidate sets: how ambiguous they are, and what the theory guarantees then."""

from disambig.theory.ambiguity import ambiguity
from disambig.theory.local_ambiguity import LocalAmbiguity, local_ambiguity
from disambig.theory.regions import compatible_distributions, decision_regions
from disambig.theory.report import Ambiguity
from disambig.theory.requirements import Requirement, theorem_requirement

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
