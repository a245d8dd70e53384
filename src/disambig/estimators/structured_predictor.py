"""Prediction of structured outputs from candidate sets, for a loss that the user defines."""

from typing import Any, Self

import numpy as np
from sklearn import config_context
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets, PartialBits
from disambig.estimators.base import CandidateEstimator, all_or_nothing
from disambig.estimators.fitting import (
    Fit,
    KeptRows,
    check_information,
    check_lengths,
    take_inputs,
    validated_inputs,
)
from disambig.estimators.mixture import Mixture, fit_mixture
from disambig.estimators.prediction import (
    label_distribution,
    predictor_of,
    row_labels,
)
from disambig.estimators.selection import SEARCH_SPACE, LabelSelection, SearchSpace, Selection
from disambig.estimators.selection.bits import BIT_PULL, BIT_SPACE, MAX_BIT_MEMBERS, BitMembers
from disambig.estimators.selection.members import MemberSelection, mixture_of
from disambig.estimators.selection.protocol import SelectionKind
from disambig.estimators.selection.structures import TASK_SPACE, ReadCandidates, TaskMembers
from disambig.losses import HammingLoss, Loss
from disambig.losses.bits.hamming import BoundHamming
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


def _has_bits(self: Any) -> bool:
    if not isinstance(self.loss, HammingLoss):
        raise AttributeError("predict_proba needs HammingLoss: only bits have probabilities here.")
    return True


def _probabilities(member: Any, X: Any) -> FloatArray:
    found: FloatArray = member.predict_proba(X)
    return found


def _ratio(above: FloatArray, below: FloatArray, otherwise: Any) -> FloatArray:
    """``above / below``, and `otherwise` where `below` is not positive."""
    has_votes = below > 0
    return np.where(has_votes, above / np.where(has_votes, below, 1.0), otherwise)


class StructuredPredictor(CandidateEstimator):
    """Disambiguate and predict outputs of any kind: sequences, trees, matchings, ...

    Parameters
    ----------
    loss : StructuredTask, or a loss on labels or bits, default "zero_one"
        An object with the seven methods of `disambig.losses.StructuredTask`: it reads y, and has
        two embeddings with ``loss(z, y) = <psi(z), phi(y)>``, two minimisers, the mean of a set and
        the largest loss. Its optional methods can improve the result much. It is not cloned.
        With a name or a loss of `disambig.losses` the outputs are class labels; with `HammingLoss`
        they are rows of bits, and y has a form that `PartialBits` reads.
    weights : str, weighting, callable or Mixture, default "auto"
        See `PartialLabelClassifier`. "auto" selects by hidden sets, as there. For bits it mixes the
        best of kernel ridge, neighbours, a logistic regression and a forest for each tag, with
        shares that minimise the squared error of the probabilities of hidden bits. For a
        `StructuredTask` it is the one best of twelve weightings.
    predict_weights : str, weighting or callable, optional
        The weighting at new inputs; by default the same.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The infimum loss is minimised exactly if the task has ``infimum_prediction``; otherwise by
        alternation at each query, which can stop above the minimum (`infimum_is_exact_`).
    solver : str or solver, default "auto"
        The solver of the disambiguation; "auto" is alternating minimisation, and for labels and
        bits with ``weights="auto"`` annealing, whose last temperature is selected. The baselines
        do not use it.
    unlabeled : object or list of objects, optional
        Markers of what says nothing, for labels and bits; a `StructuredTask` reads y itself.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    time_limit : float, optional
        Seconds after which ``weights="auto"`` tries nothing further and takes the best so far. The
        result then depends on the speed of the machine.
    callback : callable, optional
        Called with a `Progress` after every iteration of the solver; returning True stops the run.
    verbose : int, default 0
        From 1 on, every iteration is logged (logger "disambig").

    Attributes
    ----------
    labels_ : array, first axis n
        The recovered output of every training row, in the form that the task returns.
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
    n_iter_ : int
    converged_, certified_ : bool
    trace_ : tuple of Progress
    solution_ : Solution
        The result of the solver; ``solution_.targets.embedded`` are the relaxed targets.
    trials_ : tuple of Trial
        Of ``weights="auto"``: what was tried, with its held-out loss, best first.
    members_, shares_ : tuple of estimators, float array
        The fitted members of a mixture and their shares; empty if there is none. A mixture has no
        `solution_` and no `solver_`; its `objective_` is the mean loss of its held-out predictions
        to the sets, and `labels_` and `confidence_` come from them.
    infimum_is_exact_ : bool or None
        None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for the baselines.
    n_features_in_, feature_names_in_
        As in scikit-learn.

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

    _mixes = True

    def __init__(
        self,
        loss: Any = "zero_one",
        *,
        weights: Any = "auto",
        predict_weights: Any = None,
        method: str = "disambiguation",
        solver: Any = "auto",
        unlabeled: Any = None,
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
        """
        self._fit(X, y, sample_weight, groups)
        return self

    def _read(self, y: Any) -> Any:
        self._prediction_names_: AnyArray | None = None
        loss = self.loss
        self.loss_: Loss
        if isinstance(loss, HammingLoss):
            bits = PartialBits.from_any(y, unlabeled=self.unlabeled)
            self.loss_ = loss.bind(bits.tags)
            return bits
        if isinstance(loss, (str, list, LabelLoss)) or is_matrix(loss):
            sets = LabelSets.from_any(y, unlabeled=self.unlabeled)
            bound = bind_label_loss(loss, sets.classes)
            self.loss_ = bound
            self._prediction_names_ = bound.predictions
            return sets
        if self.unlabeled is not None:
            raise ValueError(
                "StructuredPredictor: unlabeled is for labels and bits; a StructuredTask reads y "
                "itself, markers included. Use unlabeled=None."
            )
        structured = StructuredLoss(loss)
        self.loss_ = structured
        return y.candidates if isinstance(y, ReadCandidates) else structured.candidates(y)

    def _check_information(self, candidates: Any) -> None:
        if isinstance(candidates, LabelSets):
            check_information(candidates, self.method)

    def _selection_kind(self, taken: Any, solver: Solver | None) -> SelectionKind:
        if isinstance(self.loss_, FiniteLoss):
            return LabelSelection.of(taken, self.loss_, self.method, solver)
        if isinstance(self.loss_, BoundHamming):
            return MemberSelection(
                BitMembers(taken, self.loss_.weights, self.method, solver, self._with)
            )
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
        mixture = mixture_of(selection, most=MAX_BIT_MEMBERS, pull=BIT_PULL)
        (first, *others) = mixture.members
        if not others and isinstance(first, StructuredPredictor):
            return first.weights, resolve_solver(first.solver)
        return mixture, None

    @property
    def _search_space(self) -> SearchSpace:  # type: ignore[override]
        if isinstance(self.loss_, BoundHamming):
            return BIT_SPACE
        return TASK_SPACE if isinstance(self.loss_, StructuredLoss) else SEARCH_SPACE

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: Any, taken: Any
    ) -> None:
        loss = self.loss_
        if not isinstance(loss, BoundHamming):
            raise ValueError(
                "StructuredPredictor: a Mixture needs probabilities that can be mixed, which only "
                "bits have (HammingLoss). Pass one weighting."
            )
        inputs = X if kept.all_rows else take_inputs(X, kept.rows, None)
        fitted = fit_mixture(mixture, inputs, taken, kept.weights, kept.groups, _probabilities)
        known = taken.known * loss.weights * kept.sample_weight[:, None]
        wrong = known * ((fitted.held_out > 0.5) != (taken.bits == 1))
        weight = kept.sample_weight[taken.informative].sum()
        self._store_mixture(mixture, fitted, float(wrong.sum() / weight))
        totals = (taken.known * kept.sample_weight[:, None]).sum(axis=0)
        ones = ((taken.bits == 1) * kept.sample_weight[:, None]).sum(axis=0)
        self._tag_frequencies_ = np.divide(
            ones, totals, out=np.full(len(ones), 0.5), where=totals > 0
        )
        held_out = fitted.held_out
        if not kept.all_rows:
            rest = np.setdiff1d(np.arange(kept.n), kept.rows)
            everything = np.empty((kept.n, held_out.shape[1]))
            everything[kept.rows], everything[rest] = held_out, fitted(X[rest])
            held_out = everything
        bits = np.where(candidates.known, candidates.bits, self._likelier(held_out))
        self.labels_ = bits.astype(np.int8)
        self.decided_ = (candidates.known | (held_out != 0.5)).all(axis=1)
        self.confidence_ = np.where(bits == 1, held_out, 1.0 - held_out) @ loss.weights

    def _likelier(self, probabilities: FloatArray) -> AnyArray:
        """The more probable bits ``(q, m)``; the frequencies of the tags break ties."""
        tied = probabilities == 0.5
        bits: AnyArray = np.where(tied, self._tag_frequencies_ > 0.5, probabilities > 0.5)
        return bits.astype(np.int8)

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
        confidence = self._confidence(fit.weightings.leave_one_out(targets), labels)
        if not fit.kept.all_rows:
            votes = fit.rest_votes()
            predictions = self._predictor_.predict(votes)
            nearest = self._predictor_.nearest(predictions, fit.candidates[fit.rest])
            other = self._confidence(votes @ targets, nearest.outputs)
            labels = fit.scatter(labels, nearest.outputs)
            decided = fit.scatter(decided, nearest.is_vertex)
            confidence = fit.scatter(confidence, other)
        self.labels_, self.decided_, self.confidence_ = labels, decided, confidence

    def _confidence(self, scores: FloatArray, outputs: Any) -> FloatArray:
        """One minus the expected loss of the outputs under votes, over the largest loss, ``(n,)``.

        `scores` are the votes times the embedded targets, and their sums, ``(n, p + 1)``.
        """
        loss = self.loss_
        assert isinstance(loss, EmbedsPredictions)
        expected = np.einsum("ip,ip->i", loss.psi(outputs), scores[:, :-1])
        largest = scores[:, -1] * self.loss_.magnitude(self._predictor_.candidates)
        # Without votes of others nothing supports the output.
        shares = np.divide(expected, largest, out=np.ones(len(scores)), where=largest > 0)
        confidence: FloatArray = np.clip(1.0 - shares, 0.0, 1.0)
        return confidence

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The output of least expected loss at each input, in the form that the task returns.

        Inputs without votes get the output of least loss to the mean target.
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._likelier(self._mixed(X))
        predictions = self._predictions(X)
        outputs: AnyArray = predictions.outputs
        return outputs if self._prediction_names_ is None else self._prediction_names_[outputs]

    @available_if(_has_bits)
    @limit_threads(1)
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each tag, ``(q, m)``; only with `HammingLoss`.

        The share of the votes for the tag, among the votes of rows that say something about it. A
        tag without such votes has its frequency.
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._mixed(X)
        votes, signs = self._checked_votes(X), self._predictor_.xi[:, :-1]
        sizes = np.abs(signs)
        frequencies = (1.0 + _ratio(signs.sum(axis=0), sizes.sum(axis=0), 0.0)) / 2.0
        balance = _ratio(votes @ signs, votes @ sizes, 2.0 * frequencies - 1.0)
        probabilities: FloatArray = np.clip((1.0 + balance) / 2.0, 0.0, 1.0)
        return probabilities

    def _mixed(self, X: Any) -> FloatArray:
        assert self._mixture_ is not None
        X = validated_inputs(self, X, reset=False)
        with config_context(assume_finite=True):
            return self._mixture_(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the mean over rows of ``min_{y in s} loss(prediction, y)``; 0 is best.

        Unlabeled rows are not counted if outputs are labels, as in `disambig.metrics`.
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
        if isinstance(loss, BoundHamming):
            bits = PartialBits.from_any(y, loss.tags, unlabeled=self.unlabeled)
            predicted = self.predict(X)
            check_lengths(predicted, bits)
            losses = (bits.known & (predicted != bits.bits)) @ loss.weights
        else:
            assert isinstance(loss, StructuredLoss)
            votes, candidates = self._checked_votes(X), loss.candidates(y)
            check_lengths(votes, candidates)
            predictions = self._predictor_.predict(votes)
            nearest = self._predictor_.nearest(predictions, candidates)
            losses = np.einsum("ip,ip->i", predictions.embedded, nearest.embedded)
        every_row = np.ones(len(losses), dtype=np.bool_)
        return -mean_over(every_row, losses, sample_weight, information="has a positive weight")
