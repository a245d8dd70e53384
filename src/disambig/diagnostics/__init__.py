"""Diagnostics of candidate sets: how ambiguous they are, and what the theory guarantees then."""

from disambig.diagnostics.ambiguity import ambiguity
from disambig.diagnostics.calibration import CalibrationConstants, calibration_constants
from disambig.diagnostics.local_ambiguity import LocalAmbiguity, local_ambiguity
from disambig.diagnostics.regions import (
    CompatibleDistributions,
    DecisionRegion,
    compatible_distributions,
    decision_regions,
)
from disambig.diagnostics.report import Ambiguity, ClassPair
from disambig.diagnostics.requirements import Requirement, theorem_requirement
from disambig.diagnostics.shares import Shares
from disambig.diagnostics.verdicts import Status

__all__ = [
    "Ambiguity",
    "CalibrationConstants",
    "ClassPair",
    "CompatibleDistributions",
    "DecisionRegion",
    "LocalAmbiguity",
    "Requirement",
    "Shares",
    "Status",
    "ambiguity",
    "calibration_constants",
    "compatible_distributions",
    "decision_regions",
    "local_ambiguity",
    "theorem_requirement",
]
