"""Prediction of structured outputs from candidate sets, for a loss that the user defines."""

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets, PartialBits
from disambig.estimators.base import CandidateEstimator, all_or_nothing
from disambig.estimators.fitting import (
    Fit,
    KeptRows,
    check_information,
    check_lengths,
)
from disambig.estimators.held_out.tag_shares import (
    expected_share,
    fit_tag_calibration,
    likelier_bits,
    mixed_shares,
    signed_targets,
    tag_frequencies,
    tag_shares,
)
from disambig.estimators.mixture import Mixture
from disambig.estimators.prediction import label_distribution, predictor_of, row_labels
from disambig.estimators.selection import SEARCH_SPACE, LabelSelection, SearchSpace, Selection
from disambig.estimators.selection.bits import BIT_PULL, BIT_SPACE, MAX_BIT_MEMBERS, BitMembers
from disambig.estimators.selection.members import MemberSelection, mixture_of
from disambig.estimators.selection.protocol import SelectionKind
from disambig.estimators.selection.structures import TASK_SPACE, ReadCandidates, TaskMembers
from disambig.estimators.tag_models import fit_tag_mixture
from disambig.estimators.tolerance.relearning import check_kind
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
    tolerance : float, "auto" or None, default None
        For bits only: lets known ones change at a price each; see `PartialLabelClassifier`.
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
        Rows whose label contradicts a known bit.
    tolerance_ : float
        The price in use; infinite if no bit may change.
    decided_ : bool array (n,)
        Rows whose optimum is a single output, as far as the task tells: without
        ``mean_prediction`` it returns one of the tied outputs, and they count as single.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    confidence_ : float array (n,)
        One minus the expected loss of `labels_` under the votes of the other rows, in units of the
        largest loss. For bits the expected share of right bits: known ones are taken as right, the
        others have calibrated probabilities from models without the row's fold (a mixture) or from
        the other rows' votes.
    objective_, relaxed_objective_ : float
    n_iter_, converged_, certified_, trace_
        Iterations, whether they ended by themselves, whether optimality is proved, and `Progress`.
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
    completion_, without_input_, n_features_in_, feature_names_in_
        How missing cells of X are completed; rows without input, bool (n,); as in scikit-learn.

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
        if self.tolerance is not None:
            check_kind(type(self).__name__, self.tolerance, candidates)
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
        fitted, objective = fit_tag_mixture(mixture, X, kept, taken, loss.weights)
        self._store_mixture(mixture, fitted, objective)
        self._tag_frequencies_ = tag_frequencies(taken, kept.sample_weight)
        held_out = fitted.at_rows(mixed_shares, X, kept.rows)
        likelier = likelier_bits(held_out, self._tag_frequencies_)
        self.labels_ = np.where(candidates.known, candidates.bits, likelier).astype(np.int8)
        self.decided_ = (candidates.known | (held_out != 0.5)).all(axis=1)
        self.confidence_kind_ = "hidden sets" if fitted.hides_sets else "in-sample"
        self._store_confidence(held_out, candidates, kept)

    def _store_confidence(
        self, shares: FloatArray, candidates: PartialBits, kept: KeptRows
    ) -> None:
        """Calibrate what others predict of all rows, ``(n, m)``, and what they expect of labels."""
        self._others_ = shares
        known = candidates if self._given_ is None else self._given_
        self._calibration_ = fit_tag_calibration(
            shares[kept.rows], known[kept.rows], kept.sample_weight
        )
        calibrated = self._calibration_(shares)
        assert isinstance(self.loss_, BoundHamming)
        self.confidence_ = expected_share(calibrated, self.labels_, candidates, self.loss_.weights)

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
        if isinstance(self.loss_, BoundHamming):
            self._tag_targets_ = targets = signed_targets(self._predictor_.xi[:, :-1])
        else:
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
        if isinstance(self.loss_, BoundHamming):
            self._store_confidence(tag_shares(scores, targets), fit.candidates, fit.kept)
        else:
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
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return likelier_bits(self._mixed_predictions(X, mixed_shares), self._tag_frequencies_)
        predictions = self._predictions(X)
        outputs: AnyArray = predictions.outputs
        return outputs if self._prediction_names_ is None else self._prediction_names_[outputs]

    @available_if(_has_bits)
    @limit_threads(1)
    def predict_proba(self, X: Any) -> FloatArray:
        """The calibrated probability of each tag, ``(q, m)``; only with `HammingLoss`.

        From the mixture, or from the share of the votes for the tag among the votes of rows that
        say something about it (a tag without such votes has its frequency); at the temperature at
        which held-out predictions predict the known bits best, if these are 30 or more.
        """
        return self._calibration_(self.tag_shares(X))

    @available_if(_has_bits)
    @limit_threads(1)
    def tag_shares(self, X: Any) -> FloatArray:
        """What a `Mixture` mixes: probabilities of tags that are not calibrated, ``(q, m)``."""
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._mixed_predictions(X, mixed_shares)
        return tag_shares(self._scored(X, self._tag_targets_), self._tag_targets_)

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
            predictions, candidates = self._predictions(X), loss.candidates(y)
            check_lengths(predictions, candidates)
            nearest = self._predictor_.nearest(predictions, candidates)
            losses = np.einsum("ip,ip->i", predictions.embedded, nearest.embedded)
        every_row = np.ones(len(losses), dtype=np.bool_)
        return -mean_over(every_row, losses, sample_weight, information="has a positive weight")
