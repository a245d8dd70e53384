"""Displays in the manner of scikit-learn: is the confidence calibrated, and which labels are wrong?

They draw with matplotlib (the extra ``plot``), which is imported when something is drawn.
"""

from disambig.plots.confidence_histogram import ConfidenceHistogramDisplay
from disambig.plots.reliability import ReliabilityDisplay
from disambig.plots.risk_coverage import RiskCoverageDisplay

__all__ = ["ConfidenceHistogramDisplay", "ReliabilityDisplay", "RiskCoverageDisplay"]
