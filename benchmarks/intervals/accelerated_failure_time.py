"""Boosted trees with XGBoost's accelerated-failure-time loss, on exponentiated targets.

The loss is defined for positive times. Bounds are exponentiated, so -inf becomes 0, and the
prediction is the logarithm of what the trees predict. That can be 0, inf or NaN; such predictions
are not changed.
"""

import numpy as np

from benchmarks.intervals.method import Method, Predict, grid
from disambig.notation import FloatArray

__all__ = ["BOOSTING"]

N_ROUNDS, LEARNING_RATE = 100, 0.1


def fit_boosting(
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    seed: int,
    distribution: str,
    scale: float,
    depth: int,
) -> Predict:
    import xgboost

    data = xgboost.DMatrix(X)
    data.set_float_info("label_lower_bound", np.exp(lower))
    data.set_float_info("label_upper_bound", np.exp(upper))
    parameters = {
        "objective": "survival:aft",
        "aft_loss_distribution": distribution,
        "aft_loss_distribution_scale": scale,
        "learning_rate": LEARNING_RATE,
        "max_depth": depth,
        "tree_method": "hist",
        "nthread": 1,
        "seed": seed,
        "verbosity": 0,
    }
    model = xgboost.train(parameters, data, num_boost_round=N_ROUNDS)

    def predict(queries: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(np.float64(model.predict(xgboost.DMatrix(queries)))))

    return predict


BOOSTING = Method(
    "XGBoost AFT",
    fit_boosting,
    grid(distribution=("normal", "logistic", "extreme"), scale=(0.4, 0.15), depth=(2, 5)),
    needs="xgboost",
)
