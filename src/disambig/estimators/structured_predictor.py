"""Prediction of structured outputs from candidate sets, for a loss that the user defines."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.fitting import Fit, check_information, check_lengths
from disambig.estimators.prediction import label_distribution, predictor_of, row_labels
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.selection import SEARCH_SPACE, LabelSelection, SearchSpace, Selection
from disambig.estimators.selection.members import MemberSelection
from disambig.estimators.selection.protocol import SelectionKind
from disambig.estimators.selection.structures import TASK_SPACE, ReadCandidates, TaskMembers
from disambig.estimators.tolerance.relearning import check_kind
from disambig.losses import Loss
from disambig.losses.bits.protocol import BitLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import EmbedsPredictions
from disambig.losses.registry import LabelLoss, bind_label_loss, is_matrix
from disambig.losses.structured import StructuredLoss
from disambig.metrics import infimum_loss
from disambig.metrics.scorer import mean_over
from disambig.notation import AnyArray, FloatArray
from disambig.solvers import Solver
from disambig.solvers.loop import Callback
from disambig.solvers.registry import resolve_solver
from disambig.threads import limit_threads


class StructuredPredictor(CandidateEstimator):
    """Disambiguate and predict outputs of any kind: sequences, trees, matchings, ...

    Parameters
    ----------
    loss : StructuredTask, or a loss on labels, default "zero_one"
        An object with the seven methods of `disambig.losses.StructuredTask`: it reads y, and has
        two embeddings with ``loss(z, y) = <psi(z), phi(y)>``, two minimisers, the mean of a set and
        the largest loss. Its optional methods can improve the result much. It is not cloned.
        With a name or a loss on labels of `disambig.losses` the outputs are class labels. For tags
        use `PartialMultilabelClassifier`.
    weights : str, weighting or callable, default "auto"
        See `PartialLabelClassifier`. "auto" selects by hidden sets, as there; for a
        `StructuredTask` the one best of twelve weightings.
    predict_weights : str, weighting or callable, optional
        The weighting at new inputs; by default the same.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The infimum loss is minimised exactly if the task has ``infimum_prediction``; otherwise by
        alternation at each query, which can stop above the minimum (`infimum_is_exact_`).
    solver : str or solver, default "auto"
        The solver of the disambiguation; "auto" is alternating minimisation, and for labels with
        ``weights="auto"`` annealing, whose last temperature is selected. The baselines do not use
        it.
    unlabeled : object or list of objects, optional
        Markers of what says nothing, for labels; a `StructuredTask` reads y itself.
    tolerance : None
        No output may leave its set; `PartialLabelClassifier` has a price for labels.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    time_limit : float, optional
        See `PartialLabelClassifier`.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    labels_ : array, first axis n
        The recovered output of every training row, in the form that the task returns.
    outside_ : bool array (n,)
        Rows whose output is outside of their set: none.
    tolerance_ : float
        Infinite.
    decided_ : bool array (n,)
        Rows whose optimum is a single output, as far as the task tells: without
        ``mean_prediction`` it returns one of the tied outputs, and they count as single.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    confidence_ : float array (n,)
        One minus the expected loss of `labels_` under the votes of the other rows, in units of the
        largest loss.
    objective_, relaxed_objective_ : float
    n_iter_, converged_, certified_, trace_
        Iterations, whether they ended by themselves, whether optimality is proved, and `Progress`.
    solution_ : Solution
        The result of the solver; ``solution_.targets.embedded`` are the relaxed targets.
    trials_ : tuple of Trial
        Of ``weights="auto"``: what was tried, with its held-out loss, best first.
    infimum_is_exact_ : bool or None
        None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for the baselines.
    completion_, without_input_, n_features_in_, feature_names_in_
        How missing cells of X are completed; rows without input, bool (n,); as in scikit-learn.

    Notes
    -----
    Rows of ``sample_weight`` zero take no part; their label is the candidate nearest to their
    prediction.

    `examples/3_stories/plot_sequence_tagging.py` implements a complete task: tag sequences, by
    dynamic programming. The start of the solver can matter more than the method; see
    `StructuredTask` for the start that a task can define.

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
        loss: Any = "zero_one",
        *,
        weights: Any = "auto",
        predict_weights: Any = None,
        method: str = "disambiguation",
        solver: Any = "auto",
        unlabeled: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.weights = weights
        self.predict_weights = predict_weights
        self.method = method
        self.solver = solver
        self.unlabeled = unlabeled
        self.tolerance = tolerance
        self.resolve_at = resolve_at
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    @all_or_nothing
    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Disambiguate the training rows and store what prediction needs.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        y : any form that the task reads, n rows
        sample_weight : array-like (n,), optional
            w means w copies of a row.
        groups : array-like (n,), optional
            Rows that are hidden together, as copies of a row are: photographs of one person, say.
            Leave-one-out votes (`confidence_kind_`) hide neither.
        """
        self._fit(X, y, sample_weight, groups)
        return self

    def _read(self, y: Any) -> Any:
        self._prediction_names_: AnyArray | None = None
        loss = self.loss
        self.loss_: Loss
        if isinstance(loss, BitLoss):
            raise TypeError(
                f"StructuredPredictor: {type(loss).__name__} is a loss on tags; use "
                f"PartialMultilabelClassifier(loss={loss!r})."
            )
        if isinstance(loss, (str, list, LabelLoss)) or is_matrix(loss):
            sets = LabelSets.from_any(y, unlabeled=self.unlabeled)
            bound = bind_label_loss(loss, sets.classes)
            self.loss_ = bound
            self._prediction_names_ = bound.predictions
            return sets
        if self.unlabeled is not None:
            raise ValueError(
                "StructuredPredictor: unlabeled is for labels; a StructuredTask reads y "
                "itself, markers included. Use unlabeled=None."
            )
        structured = StructuredLoss(loss)
        self.loss_ = structured
        return y.candidates if isinstance(y, ReadCandidates) else structured.candidates(y)

    def _check_information(self, candidates: Any) -> None:
        if self.tolerance is not None:
            check_kind(type(self).__name__, self.tolerance, candidates)
        if isinstance(candidates, LabelSets):
            check_information(candidates, self.method)

    def _selection_kind(self, taken: Any, solver: Solver | None) -> SelectionKind:
        if isinstance(self.loss_, FiniteLoss):
            return LabelSelection.of(taken, self.loss_, self.method, solver)
        assert isinstance(self.loss_, StructuredLoss)
        return MemberSelection(TaskMembers(ReadCandidates(taken), self.loss_, solver, self._with))

    def _with(self, weights: Any, solver: Solver | None) -> "StructuredPredictor":
        """An estimator of the same outputs with these weights, a member of the selection."""
        return StructuredPredictor(
            self.loss,
            weights=weights,
            method=self.method,
            solver="auto" if solver is None else solver,
        )

    def _chosen(self, selection: Selection) -> tuple[Any, Solver | None]:
        if selection.is_fallback or isinstance(self.loss_, FiniteLoss):
            return selection.weights, selection.solver
        # Of a task, the estimator that was best.
        return selection.weights.weights, resolve_solver(selection.weights.solver)

    @property
    def _search_space(self) -> SearchSpace:  # type: ignore[override]
        return TASK_SPACE if isinstance(self.loss_, StructuredLoss) else SEARCH_SPACE

    def _store(self, fit: Fit) -> None:
        solution = fit.solution
        self._predictor_ = predictor_of(fit.problem, solution, self.method, fit.kept.sample_weight)
        if isinstance(self.loss_, FiniteLoss):
            distribution = label_distribution(fit.taken, solution, self.method)
            found = row_labels(fit, distribution, self._predictor_)
            self.labels_ = self.loss_.classes[found.codes]
            self.decided_, self.confidence_ = found.decided, found.confidence
            return
        labels, decided = solution.decoded.outputs, solution.decided
        # One more column sums the votes.
        targets = np.column_stack([self._predictor_.xi, np.ones(len(decided))])
        scores = fit.weightings.leave_one_out(targets)
        if not fit.kept.all_rows:
            votes = fit.rest_votes()
            predictions = self._predictor_.predict(votes)
            nearest = self._predictor_.nearest(predictions, fit.candidates[fit.rest])
            labels = fit.scatter(labels, nearest.outputs)
            decided = fit.scatter(decided, nearest.is_vertex)
            scores = fit.scatter(scores, votes @ targets)
        self.labels_, self.decided_ = labels, decided
        self.confidence_ = self._expected_loss_confidence(scores, labels)

    def _expected_loss_confidence(self, scores: FloatArray, outputs: Any) -> FloatArray:
        """One minus the expected loss of the outputs under votes, over the largest loss, ``(n,)``.

        `scores` are the votes times the embedded targets, and their sums, ``(n, p + 1)``.
        """
        assert isinstance(self.loss_, EmbedsPredictions)
        expected = np.einsum("ip,ip->i", self.loss_.psi(outputs), scores[:, :-1])
        largest = scores[:, -1] * self.loss_.magnitude(self._predictor_.candidates)
        # Without votes of others nothing supports the output.
        shares = np.divide(expected, largest, out=np.ones(len(scores)), where=largest > 0)
        confidence: FloatArray = np.clip(1.0 - shares, 0.0, 1.0)
        return confidence

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The output of least expected loss at each input, in the form that the task returns.

        Inputs without votes get the output of least loss to the mean target.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        """
        check_is_fitted(self)
        predictions = self._predictions(X)
        outputs: AnyArray = predictions.outputs
        return outputs if self._prediction_names_ is None else self._prediction_names_[outputs]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the mean over rows of ``min_{y in s} loss(prediction, y)``; 0 is best.

        Unlabeled rows are not counted if outputs are labels, as in `disambig.metrics`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : outputs, or sets of them, q rows
        sample_weight : array-like (q,), optional
        """
        check_is_fitted(self)
        if isinstance(self.loss_, FiniteLoss):
            return -infimum_loss(
                y,
                self.predict(X),
                loss=self.loss_,
                unlabeled=self.unlabeled,
                sample_weight=sample_weight,
            )
        loss = self.loss_
        assert isinstance(loss, StructuredLoss)
        predictions, candidates = self._predictions(X), loss.candidates(y)
        check_lengths(predictions, candidates)
        nearest = self._predictor_.nearest(predictions, candidates)
        losses = np.einsum("ip,ip->i", predictions.embedded, nearest.embedded)
        every_row = np.ones(len(losses), dtype=np.bool_)
        return -mean_over(every_row, losses, sample_weight, information="has a positive weight")
