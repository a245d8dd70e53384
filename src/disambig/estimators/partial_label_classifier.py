"""Classification from candidate label sets."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.candidates.labels.class_counts import label_candidates
from disambig.candidates.labels.tolerance import tolerant_sets
from disambig.candidates.reading import require_separable
from disambig.estimators.base import CandidateEstimator, all_or_nothing
from disambig.estimators.conformal import (
    both_set_scores,
    label_scores,
    prediction_mask,
    set_threshold,
)
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
    KeptRows,
    check_information,
    informative,
)
from disambig.estimators.held_out.label_judges import HeldOutLabels, judge_fit
from disambig.estimators.prediction import (
    candidate_shares,
    label_distribution,
    label_frequencies,
    predictor_of,
    probabilities_of,
    row_labels,
)
from disambig.estimators.selection import LabelSelection
from disambig.estimators.tolerance.labels import (
    check_tolerable,
    labels_inside,
    tolerant_shares,
    tolerate,
    with_leaving,
)
from disambig.losses.registry import bind_label_loss
from disambig.memory import require_bytes
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers import (
    AlternatingMinimization,
    FrankWolfeMinimization,
    Solver,
)
from disambig.solvers.loop import Callback
from disambig.threads import limit_threads
from disambig.votes import Votes

# Tables (n, K) of floats in memory at the peak of a fit: distributions, votes, shares and what is
# stored.
_PEAK_TABLES = 12


class PartialLabelClassifier(ClassifierMixin, CandidateEstimator):
    """Classify from sets of possible classes: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights : str, weighting or callable, default "auto"
        The weighting that disambiguates the training rows.

        "auto" selects it without true labels, by successive halving. The search space is kernel
        ridge of two kernels at several bandwidths and ridges, and several numbers of neighbours,
        on the features as given and scaled by how much the sets depend on them. All are tried on
        up to 300 rows, the best ten on up to 1000, and the one that predicts hidden sets best is
        kept. Beyond 5000 rows kernel ridge uses landmarks (`NystromWeights`), and a final
        comparison with the neighbours follows on up to 100,000 rows. `weights_` is the selected
        weighting, `trials_` has the best ten. If at most an eighth of the rows, and at most 300,
        exclude a class, votes of these rows along a graph (`PoissonWeights`, `PathWeights`) are
        compared with them. If fewer than 30 rows exclude a class, a warning says what is used:
        such votes where most rows are open, else kernel ridge on features of unit variance.

        By name: "neighbors" (the 10 nearest, euclidean: scale the features), "kernel_ridge",
        "nystrom" and "random_features" (kernel ridge of low rank, for many rows),
        "nadaraya_watson", "forest", "tree", "histogram", "laplacian", "poisson", "paths",
        "kernel_laplacian", "precomputed" (X holds the votes). Or a configured object of
        `disambig.weights` (needed to search over ``weights__n_neighbors``), or a function
        ``f(X_query, X_train) -> (q, n)``.
    predict_weights : str, weighting or callable, optional
        The weighting at new inputs; by default the same.
    loss : str, array or loss, default "zero_one"
        "zero_one", "absolute" or "squared" (ordered classes), a matrix with one row for each
        prediction and one column for each class, or a loss of `disambig.losses`.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method (DF), or a baseline: infimum loss (IL), average candidates (AC).
    solver : str or solver, default "auto"
        "alternating" (the paper's), "annealed", "frank_wolfe", or a solver of `disambig.solvers`.
        "auto" is annealing whose start and last temperature are selected together with
        ``weights="auto"``, and "alternating" with other weights. The baselines do not use it.
    classes : array-like (K,), optional
        The classes, in order; by default read from y (`LabelSets.from_any`).
    unlabeled : object or list of objects, optional
        Markers of unlabeled rows in y, such as -1, "" or "unknown"; NaN stands for every missing
        value.
    tolerance : None, float or "auto", default None
        Lets a label leave its set at a price, so that sets that miss the truth do not mislead the
        others: a label leaves where rows that never saw the set find another one more than
        ``exp(price)`` times as probable as any inside. "auto": the price follows from the estimated
        share of wrong sets; nothing changes if there are none. It takes annealing, with
        ``weights="auto"`` on the mean of the ten best weightings.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    time_limit : float, optional
        Seconds after which ``weights="auto"`` tries nothing further and takes the best so far. The
        result then depends on the speed of the machine.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    classes_ : array (K,)
    predictions_ : array (P,)
        The possible outputs of `predict`: the classes, and "abstain" if the loss has it.
    labels_ : array (n,)
        The recovered label of every training row.
    decided_ : bool array (n,)
        Rows whose optimum is a single label; a fixed rule chose among several for the others.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    outside_ : bool array (n,)
        Rows whose label has left its set.
    tolerance_ : float
        The price in use; infinite if no label may leave its set.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    label_distributions_ : float array (n, K)
        The probabilities of the classes within each set, by rows from which the set was hidden:
        the mean over the best weightings of the selection, at the temperature of highest
        likelihood of the hidden sets. With fewer than 30 rows that exclude a class, class counts,
        or a solver other than alternation and annealing, they are the positive leave-one-out votes,
        divided by their sum; `confidence_kind_` says which.
    confidence_ : float array (n,)
        The same at `labels_`.
    calibration_ : SetCalibration or None
        Of these probabilities: `temperature`, and `wrong_share`, the share of sets that no
        temperature explains. None for leave-one-out votes.
    objective_, relaxed_objective_ : float
        The objective at `labels_`, and before undecided rows are decoded.
    n_iter_ : int
    converged_, certified_ : bool
        Whether the solver converged, and whether it proved a global optimum.
    trace_ : tuple of Progress
    solution_ : Solution
        The result of the solver, for a warm start or for its certificate.
    infimum_is_exact_ : bool or None
        Whether ``method="infimum"`` minimised exactly, which it does here; None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for the baselines.
    trials_ : tuple of Trial
        Of ``weights="auto"``: the trials of the ten best weightings (and of the best of every
        family beyond 5000 rows), best first. Those of a final comparison come before the rest,
        with their scores in it.
    completion_, without_input_, n_features_in_, feature_names_in_
        How missing cells of X are completed; rows without input, bool (n,); as in scikit-learn.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> clf = PartialLabelClassifier(weights=NeighborWeights(n_neighbors=3)).fit(X, y)
    >>> clf.labels_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    >>> clf.predict([[0.05], [4.9]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        weights: Any = "auto",
        *,
        predict_weights: Any = None,
        loss: Any = "zero_one",
        method: str = "disambiguation",
        solver: Any = "auto",
        classes: Any = None,
        unlabeled: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.classes = classes
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
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            Candidate sets in any form that `LabelSets.from_any` reads: a mask ``(n, K)`` of bools
            or 0/1, a table of weights, a list or Series of sets; plain labels are sets of one.
            Convert text such as "a|b" with `LabelSets.from_strings` first. In a table of weights
            the classes of positive weight are the candidates; the sizes of the weights matter only
            to the average start and to ``method="average"``.
        sample_weight : array-like (n,), optional
            w means w copies of a row. (With nearest neighbours the labels of undecided rows may
            differ from those of actual copies: the k-th neighbour can be one of several copies,
            and copies of a query may choose differently.) Rows of weight zero take no part;
            their label is the candidate nearest to their prediction, of several the one with the
            most votes.
        groups : array-like (n,), optional
            Rows that are hidden together, as copies of a row are: photographs of one person, say.
        """
        self._fit(X, y, sample_weight, groups)
        return self

    def _read(self, y: Any) -> Any:
        sets = label_candidates(y, classes=self.classes, unlabeled=self.unlabeled)
        self.classes_ = sets.classes
        self.loss_ = bind_label_loss(self.loss, sets.classes)
        self.predictions_ = self.loss_.predictions
        require_bytes(
            8.0 * _PEAK_TABLES * len(sets) * sets.n_classes,
            f"PartialLabelClassifier on {len(sets)} rows and {sets.n_classes} classes",
            "Fit on fewer rows, or merge classes.",
        )
        return sets

    def _check_information(self, candidates: LabelSets) -> None:
        check_information(candidates, self.method)
        check_tolerable(self, candidates)
        if self.method != "disambiguation":
            require_separable(candidates, f"method={self.method!r}")

    def _informed(self, candidates: Any) -> BoolArray | None:
        sets = candidates.sets if candidates.couples_rows else candidates
        return informative(sets, self.method)

    def _selection_kind(self, taken: Any, solver: Solver | None) -> LabelSelection:
        # Counts of classes are not known for the folds of a selection, which goes by the sets.
        sets = taken.sets if taken.couples_rows else taken
        return LabelSelection.of(sets, self.loss_, self.method, solver, taken.couples_rows)

    def _choose(self, X: Any, kept: KeptRows, taken: Any) -> tuple[Any, Solver | None, Any]:
        weights, solver, trials = super()._choose(X, kept, taken)
        # The selected annealing cannot keep counts of classes.
        return weights, self._named_solver() if taken.couples_rows else solver, trials

    def _problem(self, weightings: FittedWeightings, votes: Votes, taken: Any) -> Problem:
        price = self.tolerance_
        solved = taken if np.isinf(price) else tolerant_sets(taken, price)
        return weightings.problem(votes, self.loss_, solved)

    def _tolerate(self, X: Any, kept: KeptRows, candidates: Any, taken: Any) -> None:
        tolerate(self, X, kept, candidates, taken)

    def _suited_solver(self, problem: Problem) -> Solver:
        coupled = problem.candidates.couples_rows
        return FrankWolfeMinimization() if coupled else AlternatingMinimization()

    def _store(self, fit: Fit) -> None:
        solution, kept = fit.solution, fit.kept
        self._predictor_ = predictor_of(fit.problem, solution, self.method, kept.sample_weight)
        self._distribution_ = label_distribution(fit.taken, solution, self.method)
        found = row_labels(fit, self._distribution_, self._predictor_)
        held_out = judge_fit(fit, self.solver_, self.method, self.trials_, self.tolerance_)
        if self.tolerance is not None:
            self._held_out_ = held_out
        if np.isfinite(self.tolerance_):
            found = labels_inside(found, self._distribution_, fit)
        same = fit.weightings.predict_weights is fit.weightings.weights
        self._probabilities_ = probabilities_of(
            fit.votes if same else fit.weightings.predict_weights.training_votes(),
            self._distribution_,
            kept.sample_weight,
            label_frequencies(solution, self._distribution_, kept.sample_weight),
            np.asarray(fit.taken.mask.any(axis=0)),
            None if held_out is None or not same else held_out.first_calibration.temperature,
        )
        self.calibration_ = None if held_out is None else held_out.calibration
        self._set_scores_: FloatArray | None = None
        if held_out is not None:
            self.confidence_kind_ = "hidden sets"
            found = found._replace(shares=self._judged_shares(fit, held_out))
            if same:
                scored = self._probabilities_(held_out.first_scores)
                self._set_scores_ = both_set_scores(scored, fit.taken, kept.sample_weight)
        if np.isfinite(self.tolerance_):
            found, self.outside_ = with_leaving(found, fit.candidates.mask)
        self.labels_ = self.classes_[found.codes]
        self.decided_ = found.decided
        self.label_distributions_ = found.shares
        self.confidence_ = found.confidence

    def _judged_shares(self, fit: Fit, held_out: HeldOutLabels) -> FloatArray:
        """Distributions of all rows inside their sets, by rows that never saw these sets."""
        shares = tolerant_shares(held_out.distributions, fit.taken, self.tolerance_)
        if fit.kept.all_rows:
            return shares
        # Rows of weight zero took no part: what is predicted for them never saw their sets.
        rest = fit.candidates[fit.rest]
        predicted = self._probabilities_(fit.rest_votes() @ self._distribution_)
        other = candidate_shares(predicted, rest.mask, rest.distribution())
        all_rows: FloatArray = fit.scatter(shares, other)
        return all_rows

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The prediction of least expected loss at each input, one of `predictions_`.

        For ties and for inputs without votes the frequencies of the labels decide, then the order
        of the classes.
        """
        outputs: AnyArray = self._predictions(X).outputs
        predictions: AnyArray = self.predictions_[outputs]
        return predictions

    @limit_threads(1)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, ``(q, K)``, from the votes for the recovered labels.

        They are the softmax of the votes at the temperature at which hidden sets are predicted
        best. This is right if the chance of a set is the same whichever of its members is true.
        Without it (few informative rows, other solvers, or `predict_weights`), votes that are never
        negative (neighbours, forests) are divided by their sum, and signed ones (kernel ridge) go
        through a softmax in which a fifth of the votes more is a factor of e. An input without
        votes gets the frequencies of the labels. `predict` minimises the expected loss and may
        differ from the largest probability.
        """
        check_is_fitted(self)
        return self._probabilities_(self._scored(X, self._distribution_))

    @limit_threads(1)
    def predict_set(
        self, X: Any, coverage: float = 0.9, *, meaning: Literal["meets", "contains"] = "meets"
    ) -> LabelSets:
        """Sets of classes for new inputs that cover the *set* of a new row, ``q`` rows.

        A class is in if its probability is at least a threshold, which held-out training rows
        determine; the most probable class is always in. The threshold comes from votes that never
        saw the set of the row (cross-validated, so that the coverage is approximate; for an exact
        one, and for sets that cover the true label, see `disambig.trust.cross_examine`).

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        coverage : float, default 0.9
            The share of new rows that exclude a class for which the promise is to hold.
        meaning : {"meets", "contains"}, default "meets"
            The predicted set has a class in common with the candidate set of the row, or contains
            it whole, which makes it large.
        """
        check_is_fitted(self)
        limit = set_threshold(self, coverage, meaning)
        scores = label_scores(self.predict_proba(X))
        return LabelSets(prediction_mask(scores, limit), self.classes_)

    @limit_threads(1)
    def decision_function(self, X: Any) -> FloatArray:
        """Minus the expected loss, ``(q, P)``; for two classes and the 0-1 loss, ``(q,)``.

        The latter is positive where the second class is predicted.
        """
        X = self._checked_queries(X)
        found = self._predictor_.scores(self._votes_at(X))
        self._warn_without_votes(found.has_votes, X)
        scores: FloatArray = found.values
        if len(self.classes_) == 2 and self.loss_.is_zero_one:
            return scores[:, 0] - scores[:, 1]
        return -scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`."""
        return covering_accuracy(
            y,
            self.predict(X),
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
