"""Scikit-learn estimators for candidate sets of labels, tags, orders, numbers and structures."""

from disambig.estimators.completion.disambiguated_inputs import DisambiguatedInputs
from disambig.estimators.disambiguated_classifier import DisambiguatedClassifier
from disambig.estimators.disambiguated_regressor import DisambiguatedRegressor
from disambig.estimators.disambiguation import disambiguate
from disambig.estimators.interval_regressor import IntervalRegressor
from disambig.estimators.mixture import Mixture
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.estimators.partial_multilabel_classifier import PartialMultilabelClassifier
from disambig.estimators.partial_ranker import PartialRanker
from disambig.estimators.queries.input_shift import InputShift
from disambig.estimators.structured_predictor import StructuredPredictor

__all__ = [
    "DisambiguatedClassifier",
    "DisambiguatedInputs",
    "DisambiguatedRegressor",
    "InputShift",
    "IntervalRegressor",
    "Mixture",
    "PartialLabelClassifier",
    "PartialMultilabelClassifier",
    "PartialRanker",
    "StructuredPredictor",
    "disambiguate",
]
