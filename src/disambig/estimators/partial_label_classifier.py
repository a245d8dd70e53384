"""Classification from candidate label sets."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.estimators.disambiguation import Disambiguation, disambiguate_labels, informed_rows
from disambig.estimators.fitting import (
    Kept,
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
from disambig.votes import Votes
from disambig.weights import is_pairwise

_RTOL = 1e-10
# Tables of rows and classes that a fit holds at its peak: laws, votes, shares and what is stored.
_TABLES = 7


class PartialLabelClassifier(ClassifierMixin, BaseEstimator):
    """Classify from sets of possible classes: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights : str, piece or callable, default "auto"
        Who votes when training rows are disambiguated. "auto" chooses without truth: kernel ridge
        of two kernels at several bandwidths and ridges and several numbers of neighbours, on the
        features as they are and scaled by how much the sets depend on them, are tried: all on up to
        300 rows, the best ten on up to 1000, and kept is what predicts sets best that were hidden
        from it; beyond 5000 rows kernel ridge goes through landmarks, and meets the neighbours once
        more on up to 100,000 rows (`weights_` has what was chosen, `trials_` the best ten). Of
        fewer than 30 rows that exclude a class the 10 nearest neighbours vote, on features of unit
        variance, and a warning says so. By name: "neighbors" (the 10 nearest, euclidean: scale the
        features), "kernel_ridge", "nystrom" and "random_features" (kernel ridge of low rank, for
        many rows), "nadaraya_watson", "forest", "tree", "histogram", "laplacian", "poisson",
        "kernel_laplacian", "precomputed" (X holds the votes); a piece, that is, a configured object
        of `disambig.weights` (needed to search over ``weights__n_neighbors``); or
        ``f(X_query, X_train) -> (q, n)``.
    predict_weights : str, piece or callable, optional
        Who votes at new inputs; by default the same.
    loss : str, array or piece, default "zero_one"
        "zero_one", "absolute" or "squared" (ordered classes), a matrix with one row a prediction
        and one column a class, or a piece of `disambig.losses`.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method (DF), or a baseline: infimum loss (IL), average candidates (AC).
    solver : str or piece, default "auto"
        How the disambiguation is settled: "alternating", the paper's way, "annealed",
        "frank_wolfe", or a piece of `disambig.solvers`. "auto" is annealing whose start and last
        temperature are chosen together with ``weights="auto"``, and "alternating" beside other
        weights. The baselines have nothing to settle and do not use it.
    classes : array-like (K,), optional
        The classes, in order; by default read from y (`LabelSets.from_any`).
    unlabeled : object, optional
        Marker of unlabelled rows in y; NaN stands for every missing value.
    callback : callable, optional
        Hears of every iteration of the solver (`disambig.solvers.Progress`); stops the run by
        returning True.

    Attributes
    ----------
    classes_ : array (K,)
    predictions_ : array (P,)
        What `predict` can say: the classes, and "abstain" if the loss has it.
    labels_ : array (n,)
        The recovered label of every training row.
    resolved_ : bool array (n,)
        Rows whose label the data decide; the others took the deterministic choice of the solver.
    label_distributions_ : float array (n, K)
        Positive leave-one-out votes within each set, scaled to sum one.
    confidence_ : float array (n,)
        The same at `labels_`: the share of the other rows' votes that agree.
    objective_, relaxed_objective_ : float
        The objective at `labels_`, and before undecided rows took a label.
    n_iter_ : int
    converged_ : bool
    trace_ : tuple of Progress
    loss_, weights_, predict_weights_, solver_
        The pieces in use.
    trials_ : tuple of Trial
        Of ``weights="auto"``: what was tried with the ten best weightings (and the best of every
        sort beyond 5000 rows), with its held-out loss, best first; what met on many rows comes
        before the rest, with the scores of that.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Disambiguate the training rows and keep what prediction needs.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            Candidate sets in any form that `LabelSets.from_any` reads: a mask ``(n, K)`` of bools
            or 0/1, a table of weights, a list or Series of sets; plain labels are sets of one.
            Text such as "a|b" goes through `LabelSets.from_strings` first. Of weights, the
            positive ones are the candidates; their sizes guide the average start and
            ``method="average"`` alone.
        sample_weight : array-like (n,), optional
            w means w copies of a row. (Among nearest neighbours the votes are those of copies;
            the k-th place can be split between copies that would listen differently, so labels
            of undecided rows may differ.) Rows of weight zero take no part; they are labelled by
            the votes of the others.
        """
        check_method(self.method)
        X = validated_inputs(self, X, reset=True)
        sets = LabelSets.from_any(y, classes=self.classes, unlabeled=self.unlabeled)
        check_lengths(X, sets)
        kept = kept_rows(sample_weight, X)
        require_bytes(
            8.0 * _TABLES * len(sets) * sets.n_classes,
            f"PartialLabelClassifier on {len(sets)} rows and {sets.n_classes} classes",
            "Fit on fewer rows, or merge classes.",
        )
        # Whatever may be refused comes before the votes, which are the long part.
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
        )
        self._store(found, kept)
        self._label_rows(found, kept, X, sets)
        return self

    def _store(self, found: Disambiguation, kept: Kept) -> None:
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
        # Frequencies of the labels that the data decide: what is said where nobody votes.
        trusted = found.resolved if found.resolved.any() else np.ones(kept.rows.size, np.bool_)
        sample_weight = kept.sample_weight[trusted] @ found.distribution[trusted]
        self._prior_ = sample_weight / sample_weight.sum()
        self._probabilities_ = probabilities_of(
            self._weightings_.predict_weights.training_votes(),
            found.distribution,
            kept.sample_weight,
            self._prior_,
            np.asarray(found.sets.mask.any(axis=0)),
        )

    def _label_rows(self, found: Disambiguation, kept: Kept, X: Any, sets: LabelSets) -> None:
        """Recovered labels of all rows, those of weight zero by the votes of the others."""
        codes = np.empty(kept.n, dtype=np.intp)
        self.resolved_ = np.empty(kept.n, dtype=np.bool_)
        self.label_distributions_ = np.empty((kept.n, len(self.classes_)))
        codes[kept.rows] = found.solution.decoded.outputs
        self.resolved_[kept.rows] = found.resolved
        self.label_distributions_[kept.rows] = found.label_distributions
        if not kept.everything:
            rest = np.setdiff1d(np.arange(kept.n), kept.rows)
            votes = self._weightings_.votes(X[rest]) @ self._distribution_
            distribution = candidate_shares(votes, sets.mask[rest], sets[rest].distribution())
            # Sums in another order differ by rounding, which decides nothing.
            best = distribution >= distribution.max(axis=1, keepdims=True) * (1.0 - _RTOL)
            codes[rest] = best.argmax(axis=1)
            self.resolved_[rest] = best.sum(axis=1) == 1
            self.label_distributions_[rest] = distribution
        self.labels_ = self.classes_[codes]
        self.confidence_ = self.label_distributions_[np.arange(kept.n), codes]

    def predict(self, X: Any) -> AnyArray:
        """The prediction of least expected loss at each input, one of `predictions_`.

        Ties, and inputs that no training row votes at, go by the frequencies of the labels.
        """
        scores, scale = self._scores(X)
        index = best_predictions(self.loss_, scores, scale, self._prior_, _RTOL)
        return self.predictions_[index]

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, ``(q, K)``, from the votes of the recovered labels.

        Votes that are never negative (neighbours, forests) are shares. Others (kernel ridge) go
        through a softmax, which keeps their order: a fifth of the votes more is a factor of e. An
        input without votes gets the frequencies of the labels. `predict` minimises the expected
        loss and may differ from the largest probability.
        """
        votes = self._checked_votes(X) @ self._distribution_
        return self._probabilities_(votes)

    def decision_function(self, X: Any) -> FloatArray:
        """Minus the expected loss, ``(q, P)``; for two classes under 0-1, ``(q,)``.

        The one column of the latter is positive where the second class is predicted.
        """
        scores, _ = self._scores(X)
        if len(self.classes_) == 2 and self.loss_.is_zero_one:
            return scores[:, 0] - scores[:, 1]
        return -scores

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
        """Expected losses ``(q, P)``, and the size of the sums they are made of, ``(q,)``."""
        votes = self._checked_votes(X)
        if self._method_ == "infimum":
            scores, scale = self.loss_.infimum_scores(votes, self._sets_)
        else:
            classes = votes @ self._distribution_
            scores = classes @ self.loss_.matrix.T
            scale = np.abs(classes).max(axis=1) * self.loss_.largest
        silent = rows_without_votes(
            votes, "the frequencies of the labels (is_reached(X) tells which)"
        )
        scores[silent] = self.loss_.matrix @ self._prior_
        return scores, scale

    def _checked_votes(self, X: Any) -> Votes:
        check_is_fitted(self)
        return self._weightings_.votes(validated_inputs(self, X, reset=False))
