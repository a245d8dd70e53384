"""Models that learn from intervals directly, as members of the mixture of `IntervalRegressor`."""

from disambig.estimators.interval_models.boosting import IntervalBoosting
from disambig.estimators.interval_models.forest import IntervalForest
from disambig.estimators.interval_models.lasso import IntervalLasso

__all__ = ["IntervalBoosting", "IntervalForest", "IntervalLasso"]
