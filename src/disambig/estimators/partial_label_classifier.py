"""Classification from candidate label sets."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.estimators.disambiguation import Disambiguation, disambiguate_labels, informed_rows
from disambig.estimators.fitting import (
    KeptRows,
    check_lengths,
    check_method,
    fit_weightings,
    kept_rows,
    rows_without_votes,
    validated_inputs,
)
from disambig.estimators.probabilities import best_predictions, candidate_shares, probabilities_of
from disambig.estimators.selection import resolve_weights_and_solver
from disambig.losses import resolve_loss
from disambig.memory import require_bytes
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.solvers import Callback
from disambig.threads import limit_threads
from disambig.votes import Votes
from disambig.weights import is_pairwise

# Scores that differ by less than this share of their size are tied.
_RTOL = 1e-10
# Tables (n, K) of floats in memory at the peak of a fit: distributions, votes, shares and what is
# stored.
_PEAK_TABLES = 7


class PartialLabelClassifier(ClassifierMixin, BaseEstimator):
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
        weighting, `trials_` has the best ten. If fewer than 30 rows exclude a class, the 10 nearest
        neighbours on features of unit variance are used, with a warning.

        By name: "neighbors" (the 10 nearest, euclidean: scale the features), "kernel_ridge",
        "nystrom" and "random_features" (kernel ridge of low rank, for many rows),
        "nadaraya_watson", "forest", "tree", "histogram", "laplacian", "poisson",
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
    unlabeled : object, optional
        Marker of unlabeled rows in y; NaN stands for every missing value.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every iteration of the solver; returning
        True stops the run.

    Attributes
    ----------
    classes_ : array (K,)
    predictions_ : array (P,)
        The possible outputs of `predict`: the classes, and "abstain" if the loss has it.
    labels_ : array (n,)
        The recovered label of every training row.
    resolved_ : bool array (n,)
        Rows whose label the data decide; the solver chose the others by a fixed rule.
    label_distributions_ : float array (n, K)
        Positive leave-one-out votes within each set, divided by their sum.
    confidence_ : float array (n,)
        The same at `labels_`: the share of the other rows' votes that agree.
    objective_, relaxed_objective_ : float
        The objective at `labels_`, and before undecided rows are decoded.
    n_iter_ : int
    converged_ : bool
    trace_ : tuple of Progress
    loss_, weights_, predict_weights_, solver_
        The components in use.
    trials_ : tuple of Trial
        Of ``weights="auto"``: the trials of the ten best weightings (and of the best of every
        family beyond 5000 rows), best first. Those of a final comparison come before the rest,
        with their scores in it.
    n_features_in_, feature_names_in_
        As in scikit-learn.

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
        callback: Callback | None = None,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.classes = classes
        self.unlabeled = unlabeled
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self.weights)
        return tags

    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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
            and copies of a query may choose differently.) Rows of weight zero take no part; the
            votes of the others label them.
        """
        check_method(self.method)
        X = validated_inputs(self, X, reset=True)
        sets = LabelSets.from_any(y, classes=self.classes, unlabeled=self.unlabeled)
        check_lengths(X, sets)
        kept = kept_rows(sample_weight, X)
        require_bytes(
            8.0 * _PEAK_TABLES * len(sets) * sets.n_classes,
            f"PartialLabelClassifier on {len(sets)} rows and {sets.n_classes} classes",
            "Fit on fewer rows, or merge classes.",
        )
        # Everything that may raise an error comes before the votes, which take the most time.
        loss = resolve_loss(self.loss).bind(sets.classes)
        weights, self.solver_, self.trials_ = resolve_weights_and_solver(
            self.weights, self.solver, X, kept, sets, loss, self.method
        )
        self._weightings_ = fit_weightings(
            weights, self.predict_weights, X, kept, informed_rows(sets, self.method)
        )
        self.weights_ = self._weightings_.weights
        self.predict_weights_ = self._weightings_.predict_weights
        found = disambiguate_labels(
            self._weightings_.training_votes(),
            self._weightings_.leave_one_out,
            sets[kept.rows],
            loss,
            self.method,
            self.solver_,
            self.callback,
            kept.weights,
        )
        self._store(found, kept)
        self._label_rows(found, kept, X, sets)
        return self

    def _store(self, found: Disambiguation, kept: KeptRows) -> None:
        self.classes_ = found.classes
        self.predictions_ = found.loss.predictions
        self.loss_ = found.loss
        self.objective_ = found.objective
        self.relaxed_objective_ = found.relaxed_objective
        self.n_iter_ = found.n_iter
        self.converged_ = found.converged
        self.trace_ = found.trace
        self._method_ = self.method
        self._sets_ = found.sets
        self._distribution_ = found.distribution
        # Frequencies of the labels that the data decide: the prediction for inputs without votes.
        trusted = found.resolved if found.resolved.any() else np.ones(kept.rows.size, np.bool_)
        frequencies = kept.sample_weight[trusted] @ found.distribution[trusted]
        self._prior_ = frequencies / frequencies.sum()
        self._probabilities_ = probabilities_of(
            self._weightings_.predict_weights.training_votes(),
            found.distribution,
            kept.sample_weight,
            self._prior_,
            np.asarray(found.sets.mask.any(axis=0)),
        )

    def _label_rows(self, found: Disambiguation, kept: KeptRows, X: Any, sets: LabelSets) -> None:
        """Store the labels of all rows; the votes of the others label rows of weight zero."""
        codes = np.empty(kept.n, dtype=np.intp)
        self.resolved_ = np.empty(kept.n, dtype=np.bool_)
        self.label_distributions_ = np.empty((kept.n, len(self.classes_)))
        codes[kept.rows] = found.solution.decoded.outputs
        self.resolved_[kept.rows] = found.resolved
        self.label_distributions_[kept.rows] = found.label_distributions
        if not kept.all_rows:
            rest = np.setdiff1d(np.arange(kept.n), kept.rows)
            votes = self._weightings_.votes(X[rest]) @ self._distribution_
            distribution = candidate_shares(votes, sets.mask[rest], sets[rest].distribution())
            # Shares that differ by rounding only are tied.
            best = distribution >= distribution.max(axis=1, keepdims=True) * (1.0 - _RTOL)
            codes[rest] = best.argmax(axis=1)
            self.resolved_[rest] = best.sum(axis=1) == 1
            self.label_distributions_[rest] = distribution
        self.labels_ = self.classes_[codes]
        self.confidence_ = self.label_distributions_[np.arange(kept.n), codes]

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The prediction of least expected loss at each input, one of `predictions_`.

        For ties and for inputs without votes the frequencies of the labels decide.
        """
        scores, scale = self._scores(X)
        index = best_predictions(self.loss_, scores, scale, self._prior_, _RTOL)
        return self.predictions_[index]

    @limit_threads(1)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, ``(q, K)``, from the votes for the recovered labels.

        Votes that are never negative (neighbours, forests) are divided by their sum. Signed votes
        (kernel ridge) go through a softmax, which keeps their order: a fifth of the votes more is
        a factor of e. An input without votes gets the frequencies of the labels. `predict`
        minimises the expected loss and may differ from the largest probability.
        """
        votes = self._checked_votes(X) @ self._distribution_
        return self._probabilities_(votes)

    @limit_threads(1)
    def decision_function(self, X: Any) -> FloatArray:
        """Minus the expected loss, ``(q, P)``; for two classes and the 0-1 loss, ``(q,)``.

        The latter is positive where the second class is predicted.
        """
        scores, _ = self._scores(X)
        if len(self.classes_) == 2 and self.loss_.is_zero_one:
            return scores[:, 0] - scores[:, 1]
        return -scores

    @limit_threads(1)
    def is_reached(self, X: Any) -> BoolArray:
        """Inputs at which at least one training row votes, ``(q,)``."""
        return self._checked_votes(X).absolute_row_sums() > 0

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`."""
        return covering_accuracy(
            y,
            self.predict(X),
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )

    def _scores(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Expected losses ``(q, P)``, and their scale ``(q,)`` for the tolerance of ties."""
        votes = self._checked_votes(X)
        if self._method_ == "infimum":
            scores, scale = self.loss_.infimum_scores(votes, self._sets_)
        else:
            classes = votes @ self._distribution_
            scores = classes @ self.loss_.matrix.T
            scale = np.abs(classes).max(axis=1) * self.loss_.largest
        without = rows_without_votes(
            votes, "the frequencies of the labels (is_reached(X) tells which)"
        )
        scores[without] = self.loss_.matrix @ self._prior_
        return scores, scale

    def _checked_votes(self, X: Any) -> Votes:
        check_is_fitted(self)
        return self._weightings_.votes(validated_inputs(self, X, reset=False))
