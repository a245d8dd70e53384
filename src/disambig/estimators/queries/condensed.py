"""A fitted estimator without its training rows, for predictions elsewhere.

What new inputs are predicted from are tables with an entry for each training row: embedded targets,
distributions. `row_tables` takes them out of a fitted estimator, and `condensed` makes a copy of
it that predicts from other tables and given votes.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from disambig.estimators.base import CandidateEstimator
from disambig.estimators.prediction import NumberPredictor, Predictor
from disambig.exceptions import MissingOracleError
from disambig.inputs.holes import rows_without_input
from disambig.notation import FloatArray, IntArray
from disambig.votes import Votes

# Attributes with tables that predictions multiply votes with.
_TABLES = ("_distribution_", "_tag_targets_", "_pair_targets_")
_PREDICTOR = "_predictor_"
# What predictions do not read, and may be large.
_NOT_READ = (
    *("labels_", "confidence_", "confidence_distance_", "bit_confidence_", "decided_", "resolved_"),
    *("outside_", "label_distributions_", "undecided_pairs_", "pair_probabilities_", "slack_"),
    *("solution_", "trace_", "trials_", "weights_", "predict_weights_", "without_input_"),
    *("completion_", "callback", "_held_out_", "_leaving_", "_weightings_", "_training_inputs_"),
    # Whoever has a part has compared the names.
    "feature_names_in_",
)


class RowTables(NamedTuple):
    """The tables of a fitted estimator, side by side.

    Attributes
    ----------
    names : tuple of str
    widths : tuple of int
    table : float array (n, P)
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    table: FloatArray

    def part(self, table: FloatArray) -> dict[str, FloatArray]:
        """The tables by name, of rows ``(m, P)``."""
        ends = np.cumsum((0, *self.widths))
        return {name: table[:, ends[k] : ends[k + 1]] for k, name in enumerate(self.names)}


@dataclass(frozen=True, eq=False)
class GivenVotes:
    """In place of fitted weightings: votes that are known already.

    Parameters
    ----------
    at_queries : Votes (q, m)
    """

    at_queries: Votes

    def votes(self, X: Any) -> Votes:
        """The votes; a row without any input gets none."""
        without_input = rows_without_input(X)
        if without_input is None:
            return self.at_queries
        return self.at_queries.scale_rows((~without_input).astype(np.float64))


def row_tables(model: CandidateEstimator) -> RowTables:
    """What a fitted estimator predicts from.

    Parameters
    ----------
    model : fitted estimator
    """
    if model.method == "infimum" or model._mixture_ is not None:
        raise MissingOracleError(
            f"{type(model).__name__}: predictions of method='infimum' and of mixtures are made in "
            "memory, from arrays."
        )
    found = {_PREDICTOR: _targets(model._predictor_)}
    found |= {name: vars(model)[name] for name in _TABLES if name in vars(model)}
    tables = [
        np.asarray(table, dtype=np.float64).reshape(len(table), -1) for table in found.values()
    ]
    widths = tuple(int(table.shape[1]) for table in tables)
    return RowTables(tuple(found), widths, np.ascontiguousarray(np.hstack(tables)))


def require_products(model: CandidateEstimator) -> None:
    """Raise unless votes times the tables are all that predictions need.

    Parameters
    ----------
    model : fitted estimator
    """
    predictor = model._predictor_
    if isinstance(predictor, NumberPredictor) and not predictor.rule.linear:
        raise MissingOracleError(
            f"{type(model).__name__}: with these weights a number is the one of least loss under "
            "single votes, and collections are not predicted lazily with them. Use "
            "NeighborWeights, or predict arrays by estimator_.predict, a part at a time."
        )


def condensed(model: CandidateEstimator) -> Any:
    """A copy of a fitted estimator without anything that is as long as the training rows.

    Parameters
    ----------
    model : fitted estimator
    """
    copied: Any = copy.copy(model)
    for name in (*_NOT_READ, *_TABLES):
        copied.__dict__.pop(name, None)
    copied.callback, copied.completion_, copied._training_inputs_ = None, None, None
    if "_tag_targets_" in vars(model):
        copied._tag_totals_ = vars(model)["_tag_targets_"].sum(axis=0)
    n = len(_targets(model._predictor_))
    for name, value in list(vars(copied).items()):
        if isinstance(value, np.ndarray) and value.shape[:1] == (n,) and name.startswith("_"):
            del copied.__dict__[name]
    copied._predictor_ = _with_targets(model._predictor_, np.zeros((0, 1)))
    return copied


def predicting(copied: Any, tables: Mapping[str, FloatArray], votes: Votes) -> Any:
    """A condensed estimator that predicts from tables ``(m, ...)`` and votes ``(q, m)``.

    Parameters
    ----------
    copied : from `condensed`
    tables : mapping of name to float array (m, p)
    votes : Votes (q, m)
    """
    ready = copy.copy(copied)
    ready._weightings_ = GivenVotes(votes)
    for name, table in tables.items():
        if name == _PREDICTOR:
            ready._predictor_ = _with_targets(copied._predictor_, table)
        else:
            setattr(ready, name, table)
    return ready


def distinct_rows_of(table: FloatArray, most: int) -> tuple[FloatArray, IntArray] | None:
    """The distinct rows of a table and the number of each row's; None if there are too many.

    Parameters
    ----------
    table : float array (n, P)
    most : int
    """
    few = np.unique(table[: 4 * most], axis=0)
    if len(few) > most:
        return None
    words, codes = np.unique(table, axis=0, return_inverse=True)
    return (words, codes.ravel()) if len(words) <= most else None


def _targets(predictor: Any) -> FloatArray:
    if isinstance(predictor, NumberPredictor):
        return predictor.rule.targets
    targets: FloatArray = predictor.xi
    return targets


def _with_targets(predictor: Any, targets: FloatArray) -> Any:
    """The predictor with other targets, and without candidate sets."""
    if isinstance(predictor, NumberPredictor):
        rule = replace(predictor.rule, targets=targets, sets=None)  # type: ignore[arg-type]
        return replace(predictor, rule=rule)
    assert isinstance(predictor, Predictor)
    # Undecided predictions of orders and bits ask for the largest loss between candidates.
    return replace(predictor, xi=targets, candidates=_some(predictor.candidates))


def _some(candidates: Any) -> Any:
    return candidates[np.arange(min(len(candidates), 1))]


def without_votes(model: CandidateEstimator) -> Any:
    """A copy of a fitted estimator that has its labels, and predicts nothing.

    Parameters
    ----------
    model : fitted estimator
    """
    copied: Any = copy.copy(model)
    for name in ("_weightings_", "weights_", "predict_weights_"):
        copied.__dict__.pop(name, None)
    return copied
