"""Metrics and scorers of labels, tags, rankings and numbers with sets; of confidences."""

from disambig.metrics.bits import (
    tag_average_precision,
    tag_average_precision_scorer,
    tag_f_measure,
    tag_f_measure_scorer,
    tag_hamming_loss,
    tag_hamming_loss_scorer,
)
from disambig.metrics.candidate_confusion import candidate_confusion
from disambig.metrics.confidence import (
    expected_calibration_error,
    reliability_curve,
    risk_coverage_curve,
)
from disambig.metrics.labels import (
    covering_accuracy,
    covering_scorer,
    infimum_loss,
    infimum_loss_scorer,
)
from disambig.metrics.numbers import (
    interval_absolute_distance,
    interval_absolute_distance_scorer,
    interval_coverage,
    interval_coverage_scorer,
    interval_r2,
    interval_r2_scorer,
    interval_squared_distance,
    interval_squared_distance_scorer,
)
from disambig.metrics.orders import kendall_tau, kendall_tau_scorer, pair_error, pair_error_scorer

__all__ = [
    "candidate_confusion",
    "covering_accuracy",
    "covering_scorer",
    "expected_calibration_error",
    "infimum_loss",
    "infimum_loss_scorer",
    "interval_absolute_distance",
    "interval_absolute_distance_scorer",
    "interval_coverage",
    "interval_coverage_scorer",
    "interval_r2",
    "interval_r2_scorer",
    "interval_squared_distance",
    "interval_squared_distance_scorer",
    "kendall_tau",
    "kendall_tau_scorer",
    "pair_error",
    "pair_error_scorer",
    "reliability_curve",
    "risk_coverage_curve",
    "tag_average_precision",
    "tag_average_precision_scorer",
    "tag_f_measure",
    "tag_f_measure_scorer",
    "tag_hamming_loss",
    "tag_hamming_loss_scorer",
]
