"""What ``weights="auto"`` means for rows in parts: the best trial that can be built."""

from typing import Any

from disambig.estimators.rows.kept import KeptRows, kept_inputs
from disambig.estimators.selection.search import Selection
from disambig.estimators.selection.space import unit_neighbors
from disambig.exceptions import warn
from disambig.inputs.completed_weights import plain_weights
from disambig.solvers import Solver
from disambig.weights.divided.rows import is_divided
from disambig.weights.divided.whole import MAX_EXACT_ROWS
from disambig.weights.registry import reads_parts


def gathered_if_few(estimator: Any, X: Any) -> Any:
    """Rows in parts as an array, if they are so few that what is chosen is built in memory.

    Parameters
    ----------
    estimator : CandidateEstimator
    X : array or DividedRows
    """
    weights = plain_weights(estimator.weights)
    is_auto = isinstance(weights, str) and weights == "auto"
    return X[:] if is_divided(X) and is_auto and len(X) <= MAX_EXACT_ROWS else X


def chosen_for(
    estimator: Any, selection: Selection, X: Any, kept: KeptRows
) -> tuple[Any, Solver | None]:
    """Weights and solver of a selection.

    Parameters
    ----------
    estimator : CandidateEstimator
    selection : Selection
    X : array or DividedRows
        For rows in parts, those of the best trial that can be built for them.
    kept : KeptRows
    """
    chosen: tuple[Any, Solver | None] = estimator._chosen(selection)
    if not is_divided(X) or reads_parts(chosen[0]):
        return chosen
    for trial in selection.records:
        member = trial.weights
        if reads_parts(member):
            return member, trial.solver
        if type(member) is type(estimator) and reads_parts(member.weights):
            found: tuple[Any, Solver | None] = estimator._of_member(member)
            return found
    warn(
        f"{type(estimator).__name__}: nothing that was tried can be built for rows in parts; the "
        "10 nearest neighbours are used, on features of unit variance. Name the weights.",
        UserWarning,
    )
    weights = unit_neighbors(kept_inputs(X, kept), kept.sample_weight)
    return weights, estimator._named_solver()
