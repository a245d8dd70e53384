"""Scores with and without ground truth: of labels against sets, of rankings against orders."""

from disambig.metrics.labels import (
    covering_accuracy,
    covering_scorer,
    infimum_loss,
    infimum_loss_scorer,
)
from disambig.metrics.rankings import (
    kendall_tau,
    kendall_tau_scorer,
    pair_error,
    pair_error_scorer,
)

__all__ = [
    "covering_accuracy",
    "covering_scorer",
    "infimum_loss",
    "infimum_loss_scorer",
    "kendall_tau",
    "kendall_tau_scorer",
    "pair_error",
    "pair_error_scorer",
]
