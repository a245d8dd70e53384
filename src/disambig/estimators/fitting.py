"""Steps that all estimators share: check inputs and fit weightings.

`validated_inputs`, `check_lengths` and `check_information` check X and y, and their errors
name the row. `fit_weightings` fits the weighting of training and that of prediction together.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, validate_data

from disambig.candidates import LabelSets
from disambig.estimators.rows.kept import KeptRows, kept_inputs, take_inputs
from disambig.exceptions import NoInformationError, UnusedClassWarning, warn
from disambig.inputs.holes import rows_without_input, zero_filled, zero_rows
from disambig.losses import Loss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import refuse_collection
from disambig.problem import Problem
from disambig.solvers import Solution
from disambig.sparse_arrays import check_sparse
from disambig.votes import Votes
from disambig.votes.entries import widened
from disambig.weights import InformedWeights, Weights
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.inputs import (
    divided_error,
    entries_are_assumed,
    entry_error,
    small_indices,
)
from disambig.weights.registry import is_pairwise, resolve_weights
from disambig.weights.unreadable_inputs import readable_error

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,  # `entry_error` checks this instead, because it names the row.
}


def validated_inputs(estimator: Any, X: Any, *, reset: bool, missing: bool = False) -> Any:
    """X as a float array or compressed sparse rows that weightings accept.

    scikit-learn's bookkeeping is kept in the estimator. Entries are not checked where scikit-learn
    does not check them either, that is, if ``assume_finite`` of its configuration is set. With
    `missing`, NaN is accepted: it marks a missing cell.
    """
    refuse_collection("X", X)
    if is_divided(X):
        return _divided_inputs(estimator, X, reset=reset, missing=missing)
    if sp.issparse(X):
        check_sparse("Input X", X)
    try:
        checked = validate_data(estimator, X, reset=reset, **_ACCEPTED)
    except Exception as error:
        readable = readable_error(X, error)
        if readable is error:
            raise
        raise readable from error
    if not entries_are_assumed():
        # Votes may be tiny, and so may queries.
        names = getattr(estimator, "feature_names_in_", None)
        pairwise = get_tags(estimator).input_tags.pairwise
        present = zero_filled(checked) if missing else checked
        square = "pairs of rows" if pairwise else ""
        _refuse(entry_error(present, names, square=square, training=reset and not pairwise))
    checked = widened(checked)
    # Trees accept no 64-bit indices.
    is_wide = sp.issparse(checked) and checked.indices.dtype != np.int32
    return small_indices(checked) if is_wide else checked


def _divided_inputs(estimator: Any, X: DividedRows, *, reset: bool, missing: bool) -> DividedRows:
    if not reset:
        raise TypeError(
            "X is in parts; expected an array. Predict a part at a time, or with the estimator "
            "that was fitted on a collection or a file."
        )
    if not entries_are_assumed():
        _refuse(divided_error(X, missing=missing))
    estimator.n_features_in_ = X.n_features
    if X.names is not None:
        estimator.feature_names_in_ = np.asarray(X.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return X


def _refuse(error: str | None) -> None:
    if error is not None:
        raise ValueError(f"Input {error}")


def check_lengths(X: Any, candidates: Any) -> None:
    """Raise an error if X and y differ in their number of rows."""
    n_rows = _num_samples(X)
    if n_rows != len(candidates):
        raise ValueError(
            f"X has {n_rows} rows and y has {len(candidates)}: inconsistent numbers of "
            "samples. Give one set of candidates for each row of X."
        )


def check_taken_inputs(X: Any, kept: "KeptRows", pairwise: bool) -> None:
    """Raise an error if the features of the rows that take part are all tiny, unlike X."""
    if not (kept.all_rows or pairwise or entries_are_assumed() or is_divided(X)):
        _refuse(entry_error(zero_filled(X[kept.rows]), training=True))


def informative(sets: LabelSets, method: str) -> BoolArray:
    """Rows that a method can learn from, ``(n,)``."""
    if sets.weights is not None and method == "average":
        # The average learns from the weights themselves: they may all be positive.
        unequal: BoolArray = np.ptp(sets.weights, axis=1) > 0
        return unequal
    return sets.informative


def check_information(sets: LabelSets, method: str) -> None:
    """Raise an error if no set excludes a class; warn of classes that are never a candidate."""
    is_informative = informative(sets, method)
    if sets.n_classes > 1 and not is_informative.any() and sets.weights is not None:
        raise NoInformationError(
            f"y: all {len(sets)} rows give every class a positive weight, so that no set excludes "
            "a class (every class of positive weight is a candidate). Set small weights to 0, or "
            "use method='average', which learns from the weights themselves."
        )
    if sets.n_classes > 1 and not is_informative.any():
        raise NoInformationError(
            f"y: none of the {len(sets)} rows excludes a class, so there is nothing to learn from. "
            "Label at least one row, or narrow some sets."
        )
    unused = sets.unused_classes
    if len(unused):
        names = ", ".join(map(repr, unused[:5].tolist())) + (", ..." if len(unused) > 5 else "")
        warn(
            f"{len(unused)} of {sets.n_classes} classes are never a candidate ({names}); they keep "
            "probability 0.",
            UnusedClassWarning,
        )


@dataclass(frozen=True, eq=False)
class FittedWeightings:
    """The fitted weightings of training and of prediction.

    Attributes
    ----------
    weights, predict_weights : fitted weightings
    rows : int array
        Rows of X that took part in training.
    row_weights : float array or None
        Their sample weights.
    n : int
        Rows of X altogether.
    pairwise : bool
        Whether X holds pairs of samples.
    """

    weights: Weights
    predict_weights: Weights
    rows: IntArray
    row_weights: FloatArray | None
    n: int
    pairwise: bool

    def scaled(self, votes: Votes) -> Votes:
        """``A``: votes between the training rows, row i scaled by the weight of sample i."""
        return votes if self.row_weights is None else votes.scale_rows(self.row_weights)

    def problem(self, votes: Votes, loss: Loss, candidates: Any) -> Problem:
        """The problem with these votes, scaled by sample weights."""
        return Problem(self.scaled(votes), loss, candidates, sample_weight=self.row_weights)

    def leave_one_out(self, values: FloatArray) -> FloatArray:
        """Scores from the other rows: leave-one-out votes times `values`."""
        return self.weights.leave_one_out_votes() @ values

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs; a row of NaN, which has no input, gets no votes."""
        if self.pairwise and self.rows.size < self.n:
            X = X[:, self.rows]
        without_input = rows_without_input(X)
        if without_input is None:
            return self.predict_weights.votes(X)
        votes = self.predict_weights.votes(zero_rows(X, without_input))
        return votes.scale_rows((~without_input).astype(np.float64))


def fit_weightings(
    weights: Any,
    predict_weights: Any,
    X: Any,
    kept: KeptRows,
    informed: BoolArray | None = None,
    *,
    recovers: bool = True,
) -> FittedWeightings:
    """Fit the weightings of an estimator on the rows that take part.

    Parameters
    ----------
    weights, predict_weights : str, weighting or callable
    X : (n, d), or pairs (n, n)
    kept : KeptRows
    informed : bool (n,), or None
        Informative rows, for weightings in which only such rows vote. None: all rows vote.
    recovers : bool
        Whether the method recovers the targets of all rows. Then all vote, except in weightings
        whose ``informed_only`` is true.
    """
    pairwise = is_pairwise(weights)
    if predict_weights is not None and is_pairwise(predict_weights) != pairwise:
        raise ValueError(
            "weights and predict_weights must both read X as inputs, or both as precomputed pairs "
            "of samples."
        )
    columns = kept.rows if pairwise else None
    # A matrix that is not square is refused by the weighting, which knows what it holds.
    is_whole = kept.all_rows or (pairwise and X.shape[0] != X.shape[1])
    if is_whole:
        inputs = X
    else:
        inputs = take_inputs(X, kept.rows, columns) if pairwise else kept_inputs(X, kept)
    taken = None if informed is None else informed[kept.rows]
    first = _fitted(weights, inputs, kept, taken, recovers)
    second = first
    if predict_weights is not None:
        second = _fitted(predict_weights, inputs, kept, taken, recovers)
    return FittedWeightings(first, second, kept.rows, kept.weights, kept.n, pairwise)


def _fitted(
    weights: Any, inputs: Any, kept: KeptRows, informed: BoolArray | None, recovers: bool
) -> Weights:
    weighting = resolve_weights(weights)
    if recovers and not getattr(weighting, "informed_only", False):
        informed = None
    # If no row is informative, `check_information` raises the error later: it knows the sets.
    if isinstance(weighting, InformedWeights) and informed is not None and informed.any():
        return weighting.fit_informed(inputs, sample_weight=kept.weights, informed=informed)
    return weighting.fit(inputs, sample_weight=kept.weights)


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit has computed when labels are to be stored.

    Attributes
    ----------
    X : (n, d)
        Checked inputs of all rows.
    kept : KeptRows
        The rows that take part.
    candidates, taken : candidate sets of all rows, and of the rows that take part
    weightings : FittedWeightings
    votes : Votes
        At the rows that take part, not scaled by sample weights.
    problem : Problem or NumberProblem
    solution : Solution
    """

    X: Any
    kept: KeptRows
    candidates: Any
    taken: Any
    weightings: FittedWeightings
    votes: Votes
    problem: Any
    solution: Solution

    @property
    def rest(self) -> AnyArray:
        """Rows that take no part: those of sample weight zero, and those without input."""
        return np.setdiff1d(np.arange(self.kept.n), self.kept.rows)

    def rest_votes(self) -> Votes:
        """Votes at these rows."""
        return self.weightings.votes(self.X[self.rest])

    def scatter(self, taken: Any, rest: Any) -> AnyArray:
        """One array for all rows from those of the rows that take part and of the others."""
        taken, rest = np.asarray(taken), np.asarray(rest)
        values = np.empty((self.kept.n, *taken.shape[1:]), dtype=np.result_type(taken, rest))
        values[self.kept.rows], values[self.rest] = taken, rest
        return values
