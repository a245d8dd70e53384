"""Displays in the manner of scikit-learn: data, selection, labels, confidence and questions.

They draw with matplotlib (the extra ``plot``), which is imported when something is drawn.
"""

from disambig.plots.candidate_confusion import CandidateConfusionDisplay
from disambig.plots.confidence_histogram import ConfidenceHistogramDisplay
from disambig.plots.intervals import IntervalsDisplay
from disambig.plots.label_counts import LabelCountsDisplay
from disambig.plots.learning_trace import LearningTraceDisplay
from disambig.plots.pair_matrix import PairMatrixDisplay
from disambig.plots.question_curve import QuestionCurveDisplay
from disambig.plots.reliability import ReliabilityDisplay
from disambig.plots.risk_coverage import RiskCoverageDisplay
from disambig.plots.row_map import MapDisplay
from disambig.plots.selection import SelectionDisplay
from disambig.plots.set_sizes import SetSizesDisplay
from disambig.plots.suspects import SuspectsDisplay
from disambig.plots.tag_matrix import TagMatrixDisplay
from disambig.plots.tag_rows import TagRowsDisplay

__all__ = [
    "CandidateConfusionDisplay",
    "ConfidenceHistogramDisplay",
    "IntervalsDisplay",
    "LabelCountsDisplay",
    "LearningTraceDisplay",
    "MapDisplay",
    "PairMatrixDisplay",
    "QuestionCurveDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "SelectionDisplay",
    "SetSizesDisplay",
    "SuspectsDisplay",
    "TagMatrixDisplay",
    "TagRowsDisplay",
]
