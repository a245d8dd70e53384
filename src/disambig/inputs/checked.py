"""Inputs of an estimator that takes cells known in part, as scikit-learn checks inputs."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from disambig.inputs.columns import has_other_cells
from disambig.inputs.partial_inputs import PartialInputs


def read_inputs(estimator: Any, X: Any, *, reset: bool) -> PartialInputs:
    """Inputs of an estimator, checked as scikit-learn does if they are a table of numbers.

    Sets `n_features_in_`, and `feature_names_in_` of a frame, if `reset`.

    Parameters
    ----------
    estimator : estimator
    X : PartialInputs, frame, or array-like (n, d) with NaN where missing
    reset : bool
        Whether this is a fit.
    """
    if not isinstance(X, PartialInputs) and not has_other_cells(X):
        table = validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        names = getattr(estimator, "feature_names_in_", None)
        return PartialInputs(table, table, names=None if names is None else tuple(names))
    inputs = PartialInputs.from_any(X)
    if reset:
        estimator.n_features_in_ = inputs.shape[1]
    elif inputs.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {inputs.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return inputs
