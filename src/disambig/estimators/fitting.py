"""Checks of X, sample weights and lengths, with errors that name the row.

Run a method on a problem, and predict from what it found: for outputs of any kind.

The weightings of an estimator: fitted together, asked for votes in one place.
"""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, _num_samples, validate_data

from disambig.losses import Faces, Loss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import (
    Callback,
    Solution,
    Solver,
    average_candidates,
    infimum_loss,
    infimum_prediction,
)
from disambig.votes import Votes
from disambig.weights import InformedWeights, Weights, is_pairwise, resolve_weights
from disambig.weights.inputs import first_not_finite

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    # Checked by ourselves, so that the error names the row.
    "ensure_all_finite": False,
}
METHODS = ("disambiguation", "infimum", "average")
_RTOL = 1e-10


def validated_inputs(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a float array or compressed sparse rows, finite, with scikit-learn's bookkeeping."""
    return _finite(validate_data(estimator, X, reset=reset, **_ACCEPTED))


def checked_inputs(X: Any) -> Any:
    """The same without an estimator."""
    return _finite(check_array(X, **_ACCEPTED))


def _finite(X: Any) -> Any:
    fault = first_not_finite(X)
    if fault is not None:
        what = "NaN" if np.isnan(fault.value) else "infinity"
        raise ValueError(
            f"Input X contains {what} (inf or NaN entries: {fault.total}), first in row "
            f"{fault.row}, column {fault.column}. Every input must be a finite number; impute or "
            "drop such rows, for example with sklearn.impute.SimpleImputer in a pipeline."
        )
    return X


def check_lengths(X: Any, candidates: Any) -> None:
    """Refuse a different number of rows in X and y."""
    n_rows = _num_samples(X)
    if n_rows != len(candidates):
        raise ValueError(
            f"X has {n_rows} rows and y has {len(candidates)}: inconsistent numbers of "
            "samples. Give one set of candidates for each row of X."
        )


class Kept(NamedTuple):
    """Rows that take part in training: their numbers and weights (None: all one)."""

    rows: IntArray
    weights: FloatArray | None
    n: int

    @property
    def everything(self) -> bool:
        """Do all rows take part?"""
        return self.rows.size == self.n

    @property
    def sample_weight(self) -> FloatArray:
        """Weights as an array."""
        return np.ones(self.rows.size) if self.weights is None else self.weights


def kept_rows(sample_weight: Any, X: Any) -> Kept:
    """Rows of positive weight; a weight of w means w copies of a row."""
    n = X.shape[0]
    if sample_weight is None:
        return Kept(np.arange(n), None, n)
    weights: AnyArray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight: row {row} has {weights[row]}; weights must not be negative. Use 0 to "
            "leave a row out of training."
        )
    rows = np.flatnonzero(weights)
    if not rows.size:
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    weights = weights[rows]
    return Kept(rows, None if (weights == 1).all() else weights, n)


def take_inputs(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Some rows of X; also some columns where X holds pairs of samples."""
    X = X[rows]
    return X if columns is None else X[:, columns]


@dataclass(frozen=True, eq=False)
class Predictor:
    """All that prediction needs after fit.

    Attributes
    ----------
    xi : float array (n, p)
        The targets that prediction learns from.
    loss, candidates, method
        What they were found with.
    """

    xi: FloatArray
    loss: Loss
    candidates: Any
    method: str

    def predict(self, votes: Votes) -> Faces:
        """One output at each query."""
        if self.method == "infimum":
            found = infimum_prediction(self.loss, votes, self.candidates, rtol=_RTOL)
            return found.predictions.first()
        return self.best_predictions(votes @ self.xi)

    def best_predictions(self, scores: FloatArray) -> Faces:
        """The outputs that scores ``(q, p)`` call for."""
        # Ties are judged by the scores themselves: a bound on |alpha| can be far too large here.
        size = np.abs(scores).max(axis=1, initial=0.0)
        return self.loss.best_prediction(scores, _RTOL * size).first()

    def nearest(self, predictions: Faces, candidates: Any) -> Faces:
        """For each prediction the nearest member of a set."""
        tolerance = np.full(len(predictions), _RTOL * self.loss.magnitude(candidates))
        return self.loss.best_candidate(predictions.first().embedded, candidates, tolerance)


def check_method(method: str) -> None:
    """Refuse a method that is not known."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; choose one of {list(METHODS)}.")


class MethodResult(NamedTuple):
    """What a method found: the solution, what predicts from it, and what is known of it.

    Attributes
    ----------
    solution : Solution
    predictor : Predictor
    infimum_is_exact : bool or None
        None for other methods.
    """

    solution: Solution
    predictor: Predictor
    infimum_is_exact: bool | None


def run_method(
    problem: Problem, method: str, solver: Solver, callback: Callback | None
) -> MethodResult:
    """Disambiguate, or run a baseline."""
    solution, exact = solve(problem, method, solver, callback)
    if method == "average":
        xi = problem.loss.start(problem.candidates, "average")
    else:
        xi = (solution.decoded if method == "infimum" else solution.targets).embedded
    predictor = Predictor(xi, problem.loss, problem.candidates, method)
    return MethodResult(solution, predictor, exact)


def solve(
    problem: Problem, method: str, solver: Solver, callback: Callback | None
) -> tuple[Solution, bool | None]:
    """The solution of a method alone, and whether its infimum is exact (None: it has none)."""
    check_method(method)
    if method == "average":
        return average_candidates(problem), None
    if method == "infimum":
        return infimum_loss(problem)
    return solver.solve(problem, callback=callback), None


@dataclass(frozen=True, eq=False)
class FittedWeightings:
    """Who votes in training and who at new inputs.

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
        Does X hold pairs of samples?
    """

    weights: Weights
    predict_weights: Weights
    rows: IntArray
    row_weights: FloatArray | None
    n: int
    pairwise: bool

    def training_votes(self) -> Votes:
        """``A``: votes between the training rows, row i scaled by the weight of sample i."""
        votes = self.weights.training_votes()
        return votes if self.row_weights is None else votes.scale_rows(self.row_weights)

    def leave_one_out(self, values: FloatArray) -> FloatArray:
        """What the other rows say: leave-one-out votes times `values`."""
        return self.weights.leave_one_out_votes() @ values

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs."""
        if self.pairwise and self.rows.size < self.n:
            X = X[:, self.rows]
        return self.predict_weights.votes(X)


def fit_weightings(
    weights: Any,
    predict_weights: Any,
    X: Any,
    kept: Kept,
    informed: BoolArray | None = None,
) -> FittedWeightings:
    """Fit the weightings of an estimator on the rows that take part.

    Parameters
    ----------
    weights, predict_weights : str, piece or callable
    X : (n, d), or pairs (n, n)
    kept : Kept
    informed : bool (n,), or None
        Rows whose targets say something, for weightings in which only such rows vote. None: the
        targets of all rows are to be recovered, and all vote.
    """
    pairwise = is_pairwise(weights)
    if predict_weights is not None and is_pairwise(predict_weights) != pairwise:
        raise ValueError(
            "weights and predict_weights must both read X as inputs, or both as precomputed pairs "
            "of samples."
        )
    columns = kept.rows if pairwise else None
    inputs = X if kept.everything else take_inputs(X, kept.rows, columns)
    taken = None if informed is None else informed[kept.rows]
    first = _fitted(weights, inputs, kept, taken)
    second = first if predict_weights is None else _fitted(predict_weights, inputs, kept, taken)
    return FittedWeightings(first, second, kept.rows, kept.weights, kept.n, pairwise)


def _fitted(weights: Any, inputs: Any, kept: Kept, informed: BoolArray | None) -> Weights:
    piece = resolve_weights(weights)
    # Without an informed row there is nothing to learn from, which is said where sets are known.
    if isinstance(piece, InformedWeights) and informed is not None and informed.any():
        return piece.fit_informed(inputs, sample_weight=kept.weights, informed=informed)
    return piece.fit(inputs, sample_weight=kept.weights)


def rows_without_votes(votes: Votes, instead: str) -> BoolArray:
    """Queries at which nobody votes, ``(q,)``; a warning counts them and says what they get."""
    silent: BoolArray = votes.absolute_row_sums() == 0
    if silent.any():
        warnings.warn(
            f"{np.count_nonzero(silent)} of {len(silent)} inputs are out of reach of every "
            f"training row; they are predicted by {instead}.",
            UserWarning,
            stacklevel=4,
        )
    return silent
