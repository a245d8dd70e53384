"""Alternation around any estimator of scikit-learn: fit, predict other rows, move the targets."""

from disambig.estimators.alternation.held_out import cross_fitted
from disambig.estimators.alternation.labels import LabelTask
from disambig.estimators.alternation.loop import Alternation, Iterate, alternate
from disambig.estimators.alternation.numbers import NumberTask

__all__ = [
    "Alternation",
    "Iterate",
    "LabelTask",
    "NumberTask",
    "alternate",
    "cross_fitted",
]
