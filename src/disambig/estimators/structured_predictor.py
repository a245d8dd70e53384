"""Prediction of structured outputs from candidate sets, for a loss that the user defines."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets, PartialBits
from disambig.estimators.disambiguation import check_information
from disambig.estimators.fitting import (
    MethodResult,
    check_lengths,
    check_method,
    fit_weightings,
    kept_rows,
    rows_without_votes,
    run_method,
    validated_inputs,
)
from disambig.losses import (
    BoundHamming,
    Faces,
    HammingLoss,
    LabelLoss,
    Loss,
    StructuredLoss,
    resolve_loss,
)
from disambig.metrics import infimum_loss
from disambig.notation import AnyArray
from disambig.problem import Problem
from disambig.solvers import Callback, resolve_solver
from disambig.threads import limit_threads
from disambig.votes import Votes
from disambig.weights import is_pairwise


class StructuredPredictor(BaseEstimator):
    """Disambiguate and predict outputs of any kind: sequences, trees, matchings, ...

    Parameters
    ----------
    task : StructuredTask, or a loss on labels or bits, default "zero_one"
        An object with the seven methods of `disambig.losses.StructuredTask`: it reads y, and has
        two embeddings with ``loss(z, y) = <psi(z), phi(y)>``, two minimisers, the mean of a set and
        the largest loss. Its optional methods can improve the result much. It is not cloned.
        With a name or a loss of `disambig.losses` the outputs are class labels; with `HammingLoss`
        they are rows of bits, and y has a form that `PartialBits` reads.
    weights, predict_weights
        See `PartialLabelClassifier`; "auto" is not available.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The infimum loss is minimised exactly if the task has ``infimum_prediction``; otherwise by
        alternation at each query, which can stop above the minimum (`infimum_is_exact_`).
    solver : str or solver, default "alternating"
        The solver of the disambiguation; the baselines do not use it.
    callback : callable, optional
        Called with a `Progress` after every iteration of the solver; returning True stops the run.

    Attributes
    ----------
    labels_ : array, first axis n
        The recovered output of every training row, in the form that the task returns.
    resolved_ : bool array (n,)
        Rows whose target is a single output. This is always so for a `StructuredTask`: of tied
        targets the first is taken, and it changes only if a step lowers the objective.
    embedded_targets_ : float array (n, p)
        The relaxed targets that prediction learns from.
    objective_, relaxed_objective_ : float
    n_iter_ : int
    converged_ : bool
    trace_ : tuple of Progress
    infimum_is_exact_ : bool or None
        None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use.

    Notes
    -----
    Rows of ``sample_weight`` zero take no part; their label is the candidate nearest to their
    prediction.

    `examples/sequence_tagging.py` implements a complete task: tag sequences, by dynamic
    programming. The start of the solver can matter more than the method; see `StructuredTask` for
    the start that a task can define.

    Examples
    --------
    >>> from disambig import StructuredPredictor
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{0, 1}, {0, 2}, {0}, {1, 2}, {1}, {0, 1}]
    >>> from disambig.weights import NeighborWeights
    >>> model = StructuredPredictor("absolute", weights=NeighborWeights(n_neighbors=3)).fit(X, y)
    >>> model.predict([[0.05], [4.9]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        task: Any = "zero_one",
        *,
        weights: Any = "neighbors",
        predict_weights: Any = None,
        method: str = "disambiguation",
        solver: Any = "alternating",
        callback: Callback | None = None,
    ) -> None:
        self.task = task
        self.weights = weights
        self.predict_weights = predict_weights
        self.method = method
        self.solver = solver
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self.weights)
        return tags

    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Disambiguate the training rows and store what prediction needs.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        y : any form that the task reads, n rows
        sample_weight : array-like (n,), optional
            w means w copies of a row.
        """
        check_method(self.method)
        X = validated_inputs(self, X, reset=True)
        if y is None:
            raise ValueError(
                "StructuredPredictor requires y to be passed, but the target y is None."
            )
        candidates = self._bind(y)
        check_lengths(X, candidates)
        kept = kept_rows(sample_weight, X)
        self.solver_ = resolve_solver(self.solver)
        self._weightings_ = fit_weightings(self.weights, self.predict_weights, X, kept)
        self.weights_ = self._weightings_.weights
        self.predict_weights_ = self._weightings_.predict_weights
        kept_candidates = candidates if kept.all_rows else candidates[kept.rows]
        if isinstance(kept_candidates, LabelSets):
            check_information(kept_candidates, self.method)
        votes = self._weightings_.training_votes()
        problem = Problem(votes, self.loss_, kept_candidates, sample_weight=kept.weights)
        self._store(run_method(problem, self.method, self.solver_, self.callback))
        # The mean target: inputs without votes are predicted from it.
        self._prior_ = kept.sample_weight @ self.embedded_targets_ / kept.sample_weight.sum()
        if not kept.all_rows:
            self._label_the_rest(X, candidates, kept.n)
        self.labels_: AnyArray = self._named(self.labels_, self._target_names_)
        return self

    def _bind(self, y: Any) -> Any:
        """Read the candidates from y, and bind the loss to them."""
        self._target_names_: AnyArray | None = None
        self._prediction_names_: AnyArray | None = None
        task = self.task
        self.loss_: Loss
        if isinstance(task, HammingLoss):
            bits = PartialBits.from_any(y)
            self.loss_ = task.bind(bits.tags)
            return bits
        if isinstance(task, (str, LabelLoss)) or np.ndim(task) == 2:
            sets = LabelSets.from_any(y)
            bound = resolve_loss(task).bind(sets.classes)
            self.loss_ = bound
            self._target_names_, self._prediction_names_ = bound.classes, bound.predictions
            return sets
        loss = StructuredLoss(task)
        self.loss_ = loss
        return loss.candidates(y)

    def _store(self, found: MethodResult) -> None:
        solution = found.solution
        self.infimum_is_exact_ = found.infimum_is_exact
        self._predictor_ = found.predictor
        self.embedded_targets_ = found.predictor.xi
        self.labels_ = solution.decoded.outputs
        self.resolved_ = solution.resolved
        self.objective_ = solution.objective
        self.relaxed_objective_ = solution.relaxed_objective
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.trace_ = solution.trace

    def _label_the_rest(self, X: Any, candidates: Any, n: int) -> None:
        kept = self._weightings_.rows
        rest = np.setdiff1d(np.arange(n), kept)
        predictions = self._predictions(self._weightings_.votes(X[rest]))
        nearest = self._predictor_.nearest(predictions, candidates[rest])
        dtype = np.result_type(self.labels_, nearest.outputs)
        labels = np.empty((n, *self.labels_.shape[1:]), dtype=dtype)
        labels[kept], labels[rest] = self.labels_, nearest.outputs
        resolved = np.zeros(n, dtype=np.bool_)
        resolved[kept], resolved[rest] = self.resolved_, nearest.is_vertex
        self.labels_, self.resolved_ = labels, resolved

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The output of least expected loss at each input, in the form that the task returns.

        Inputs without votes get the output of least loss to the mean target.
        """
        predictions = self._predictions(self._checked_votes(X))
        return self._named(predictions.outputs, self._prediction_names_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the mean over rows of ``min_{y in s} loss(prediction, y)``; 0 is best.

        Unlabeled rows are not counted if outputs are labels, as in `disambig.metrics`.
        """
        check_is_fitted(self)
        if not isinstance(self.loss_, (StructuredLoss, BoundHamming)):
            return -infimum_loss(y, self.predict(X), loss=self.loss_, sample_weight=sample_weight)
        votes = self._checked_votes(X)
        candidates = self.loss_.candidates(y)
        check_lengths(votes, candidates)
        predictions = self._predictions(votes)
        nearest = self._predictor_.nearest(predictions, candidates)
        losses = np.einsum("ip,ip->i", predictions.embedded, nearest.embedded)
        return -float(np.average(losses, weights=sample_weight))

    def _predictions(self, votes: Votes) -> Faces:
        predictions = self._predictor_.predict(votes)
        rows = np.flatnonzero(rows_without_votes(votes, "the mean of the recovered targets"))
        if rows.size:
            default = self._predictor_.best_predictions(self._prior_[None, :])
            predictions = predictions.replace(rows, default.take(np.zeros_like(rows)))
        return predictions

    def _checked_votes(self, X: Any) -> Votes:
        check_is_fitted(self)
        return self._weightings_.votes(validated_inputs(self, X, reset=False))

    @staticmethod
    def _named(outputs: AnyArray, names: AnyArray | None) -> AnyArray:
        return outputs if names is None else names[outputs]
