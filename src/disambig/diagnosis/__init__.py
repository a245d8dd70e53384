"""Look at data before training: what will hurt, in which rows, why, and what to do."""

from disambig.diagnosis.diagnosis import diagnose
from disambig.diagnosis.findings import Finding
from disambig.diagnosis.report import Report

__all__ = ["Finding", "Report", "diagnose"]
