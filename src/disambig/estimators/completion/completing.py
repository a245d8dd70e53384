"""Inputs with holes at fit: which completion is learned, and rows without any input."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.estimators.completion.choice import choose_completion
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.inputs.completed_weights import CompletedWeights, plain_weights
from disambig.inputs.completion import Completion, Way, fit_completion
from disambig.inputs.holes import rows_without_input
from disambig.notation import AnyArray, BoolArray
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.registry import is_pairwise, reads_missing

# Rows in parts from which is learned how cells are completed.
_MAX_LEARNED_ROWS = 20_000


def completed_inputs(estimator: Any, X: Any, kept: KeptRows, taken: Any) -> Any:
    """The training inputs without holes; sets `completion_` and `without_input_`.

    `CompletedWeights` say how. Otherwise ``weights="auto"`` fills a cell by the other cells of its
    row, with or without indicators, whichever predicts hidden sets better; the best trial of the
    other way is kept in ``_ways_``. Weights that are named get the mean of the column and
    indicators. A weighting that reads NaN gets dense inputs as they are.

    Parameters
    ----------
    estimator : CandidateEstimator
    X : array or csr (n, d)
        Checked; NaN where missing.
    kept : KeptRows
    taken : candidate sets of the rows that take part
    """
    if is_divided(X):
        return _completed_parts(estimator, X, kept, taken)
    without_input = rows_without_input(X)
    none = np.zeros(X.shape[0], np.bool_)
    estimator.without_input_ = none if without_input is None else without_input
    estimator.completion_, estimator._ways_ = None, ()
    weights = plain_weights(estimator.weights)
    if is_pairwise(weights):
        return X
    way: Any = "mean + indicators"
    if isinstance(estimator.weights, CompletedWeights):
        way = estimator.weights.checked_completion()
    elif reads_missing(weights) and not sp.issparse(X):
        way = "none"
    elif isinstance(weights, str) and weights == "auto":
        way = "conditional"
    if isinstance(way, Completion):
        way.check_columns(X.shape[1])
        estimator.completion_ = way
        return way.transform(X)
    completion = _fitted(estimator, way, X, kept)
    is_open = way == "conditional" and not isinstance(estimator.weights, CompletedWeights)
    if is_open and completion.n_missing:
        kind = estimator._selection_kind(taken, estimator._named_solver())
        if kind is not None:
            part = kept_inputs(X, kept)
            completion, estimator._ways_ = choose_completion(
                completion, kind, part, kept, estimator._space_for(taken), estimator.time_limit
            )
    estimator.completion_ = completion
    return completion.transform(X)


def _completed_parts(estimator: Any, X: DividedRows, kept: KeptRows, taken: Any) -> DividedRows:
    """The same for rows in parts: what completes them is learned from some of them."""
    chosen = np.sort(np.random.default_rng(0).permutation(kept.rows.size)[:_MAX_LEARNED_ROWS])
    few = KeptRows(
        np.arange(chosen.size),
        None if kept.weights is None else kept.weights[chosen],
        chosen.size,
        None if kept.groups is None else kept.groups[chosen],
    )
    completed_inputs(estimator, X[kept.rows[chosen]], few, taken[chosen])
    none = np.zeros(X.shape[0], np.bool_)
    estimator.without_input_ = none if X.without_input is None else X.without_input
    completion: Completion | None = estimator.completion_
    return X if completion is None else completed_rows(X, completion)


def completed_rows(X: Any, completion: Completion) -> Any:
    """Checked inputs, completed as in training.

    Parameters
    ----------
    X : array, csr or DividedRows (n, d)
    completion : Completion
    """
    if not is_divided(X):
        return completion.transform(X)
    if X.missing is None and completion.n_outputs == X.n_features:
        return X
    return X.transformed(_completed_part, completion, n_features=completion.n_outputs)


def _completed_part(part: AnyArray, completion: Completion) -> AnyArray:
    found: AnyArray = completion.transform(part)
    return found


def _fitted(estimator: Any, way: Way, X: Any, kept: KeptRows) -> Completion:
    names = getattr(estimator, "feature_names_in_", None)
    part = kept_inputs(X, kept)
    return fit_completion(part, way, kept.weights, names)


def single_sets(candidates: Any) -> BoolArray:
    """Rows whose set has a single member, ``(n,)``; none where that is not known."""
    for name in ("is_single", "is_point", "is_total"):
        if hasattr(candidates, name):
            return np.asarray(getattr(candidates, name))
    if hasattr(candidates, "known"):
        return np.asarray(candidates.known.all(axis=1))
    return np.zeros(len(candidates), np.bool_)
