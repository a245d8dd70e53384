"""How any estimator of scikit-learn is trained: sample weights, missing values, single labels."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import has_fit_parameter

from disambig.notation import AnyArray, FloatArray, IntArray


def weight_keyword(estimator: Any) -> str | None:
    """The keyword of ``fit`` that takes sample weights; None if there is none.

    The weights of a pipeline go to its last step.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> weight_keyword(make_pipeline(Ridge())), weight_keyword(KNeighborsRegressor())
    ('ridge__sample_weight', None)
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        keyword = weight_keyword(last)
        return None if keyword is None else f"{name}__{keyword}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def accepts_missing(estimator: Any) -> bool:
    """Whether missing values in X may be passed to an estimator.

    A pipeline accepts them if its first step does. Steps that treat columns differently decide by
    themselves, and raise their own error.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from sklearn.impute import SimpleImputer
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> imputed = make_pipeline(SimpleImputer(), Ridge())
    >>> [accepts_missing(one) for one in (Ridge(), imputed, HistGradientBoostingRegressor())]
    [False, True, True]
    """
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
        return bool(steps) and accepts_missing(steps[0])
    if hasattr(estimator, "transformers") or hasattr(estimator, "transformer_list"):
        return True
    return hasattr(estimator, "__sklearn_tags__") and bool(get_tags(estimator).input_tags.allow_nan)


def trained(
    template: Any, inputs: Any, rows: IntArray, targets: AnyArray, weights: FloatArray | None
) -> Any:
    """A clone of an estimator, trained on some rows of the inputs (a row may come repeatedly)."""
    keyword = weight_keyword(template)
    options = {} if weights is None or keyword is None else {keyword: weights}
    return clone(template).fit(take_rows(inputs, rows), targets, **options)


def take_rows(inputs: Any, rows: IntArray) -> Any:
    """Some rows of an array, a sparse matrix or a frame."""
    whole = len(rows) == inputs.shape[0] and np.array_equal(rows, np.arange(len(rows)))
    return inputs if whole else _safe_indexing(inputs, rows)


def require_finite(model: Any, predictions: FloatArray) -> FloatArray:
    """The predictions of a model, if all are finite."""
    bad = ~np.isfinite(predictions)
    if bad.any():
        n_bad = int(bad.any(axis=1).sum())
        raise ValueError(
            f"{type(model).__name__} predicts {predictions[bad][0]} ({n_bad} such rows); the "
            "alternation needs finite predictions. Regularise it, or scale X."
        )
    return predictions
