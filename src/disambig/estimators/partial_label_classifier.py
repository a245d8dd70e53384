"""Classification from candidate label sets."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _num_samples

from disambig.candidates.labels.bag_counts import bag_counts
from disambig.candidates.labels.bag_information import check_bags
from disambig.candidates.labels.class_counts import is_in_bags, label_candidates
from disambig.candidates.labels.tolerance import tolerant_sets
from disambig.candidates.reading import require_separable
from disambig.estimators.balance.class_shares import balanced, class_shares_of, with_reached
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.conformal import both_set_scores
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
    check_information,
    informative,
)
from disambig.estimators.held_out.label_judges import judge_fit
from disambig.estimators.held_out.label_shares import fitted_probabilities, judged_shares
from disambig.estimators.prediction import (
    label_distribution,
    predictor_of,
    row_labels,
)
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.queries.class_prices import class_prices
from disambig.estimators.queries.label_predictions import LabelPredictionMixin
from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.selection import BagSelection, LabelSelection, SearchSpace
from disambig.estimators.selection.bags import bag_space
from disambig.estimators.tolerance.labels import (
    check_tolerable,
    labels_inside,
    tolerate,
)
from disambig.estimators.tolerance.leaving import Leaving
from disambig.losses.registry import bind_label_loss
from disambig.memory import by_rows, require_bytes
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers import (
    AlternatingMinimization,
    AnnealedMinimization,
    FrankWolfeMinimization,
    Solver,
)
from disambig.solvers.loop import Callback
from disambig.threads import limit_threads
from disambig.votes import Votes

# Tables (n, K) of floats in memory at the peak of a fit: distributions, votes, shares and what is
# stored.
_PEAK_TABLES = 12


class PartialLabelClassifier(LabelPredictionMixin, ClassifierMixin, CandidateEstimator):
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
    loss : str, array (P, K) or loss, default "zero_one"
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
        share of wrong sets, and a label leaves where its set is wrong with a posterior above .9;
        nothing changes if less than 1 % are wrong. Where the others know too little to tell, it
        warns, and learns at the price of a fifth of wrong sets. It takes annealing, with
        ``weights="auto"`` on the mean of the ten best weightings.
    class_shares : None, "average", mapping or array-like (K,), default None
        Shares of the classes that the labels are held near: numbers by class, or in the order of
        `classes_`. So few labels among many open rows cannot collapse into one class, and rare
        classes do not vanish. "average": those of average candidates, held less strictly. Wrong
        shares do harm.
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
    class_shares_ : ClassShares or None
        The shares that were `asked` for, and those that `labels_` have, `reached`.
    confidence_kind_ : {"hidden sets", "hidden bags", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, or neither the set nor the bag, the
        other rows, or all rows.
    label_distributions_ : float array (n, K)
        The probabilities of the classes within each set, by rows from which the set was hidden:
        the mean over the best weightings of the selection, at the temperature of highest
        likelihood of the hidden sets. In bags they keep the class counts, too; with fewer than
        30 rows that exclude a class, whole bags are hidden, if there are 20. Otherwise with fewer
        such rows, with class counts of all rows, or a solver other than alternation and annealing,
        they are the positive leave-one-out votes, divided by their sum; `confidence_kind_` says
        which.
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

    _instead_of_y = " It may be None with bags= and proportions= only."

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
        class_shares: Any = None,
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
        self.class_shares = class_shares
        self.resolve_at = resolve_at
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    @all_or_nothing
    @limit_threads(1)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        bags: Any = None,
        proportions: Any = None,
    ) -> Self:
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
        bags : array-like (n,), optional
            The bag of each row: a group of rows whose class shares are known.
        proportions : mapping of bag to mapping of class to share, or frame, optional
            Counts (int), fractions (float), bounds (pairs) or unknown (None); without `bags`, a
            mapping from class to share of all rows. `disambig.candidates.bag_counts` reads them.
            The labels keep them exactly, and y may be None: rows without a set of their own.

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
        >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
        >>> model.labels_.tolist()
        ['a', 'a', 'a', 'b', 'b', 'b']
        """
        if bags is not None or proportions is not None:
            given = y, bags, proportions
            y = bag_counts(
                *given, n=_num_samples(X), classes=self.classes, unlabeled=self.unlabeled
            )
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

    def _check_information(self, candidates: Any) -> None:
        if is_in_bags(candidates):
            check_bags(candidates)
        if not is_in_bags(candidates) or candidates.informative.any():
            check_information(candidates, self.method)
        check_tolerable(self, candidates)
        if self.method != "disambiguation":
            require_separable(candidates, f"method={self.method!r}")

    def _prepare(self, kept: KeptRows, taken: Any) -> None:
        self.class_shares_ = class_shares_of(self, taken, kept)
        self._leaving_ = Leaving()

    def _informed(self, candidates: Any) -> BoolArray | None:
        sets = candidates.sets if candidates.couples_rows else candidates
        return informative(sets, self.method)

    def _selection_kind(self, taken: Any, solver: Solver | None) -> LabelSelection:
        if is_in_bags(taken):
            return BagSelection.of_counts(taken, self.loss_)
        # Counts of classes are not known for the folds of a selection, which goes by the sets.
        sets, coupled = (taken.sets, True) if taken.couples_rows else (taken, False)
        shares = self.class_shares_
        return LabelSelection.of(sets, self.loss_, self.method, solver, coupled, shares)

    def _space_for(self, taken: Any) -> SearchSpace:
        return bag_space(self._search_space, taken) if is_in_bags(taken) else self._search_space

    def _choose(self, X: Any, kept: KeptRows, taken: Any) -> tuple[Any, Solver | None, Any]:
        weights, solver, trials = super()._choose(X, kept, taken)
        # Without bags nothing was annealed with the counts.
        is_counted = taken.couples_rows and not is_in_bags(taken)
        return weights, self._named_solver() if is_counted else solver, trials

    def _balanced(
        self, weightings: FittedWeightings, solver: Solver | None, kept: KeptRows, taken: Any
    ) -> tuple[FittedWeightings, Solver | None]:
        return balanced(self, weightings, solver, kept, taken)

    def _problem(self, weightings: FittedWeightings, votes: Votes, taken: Any) -> Problem:
        price = self.tolerance_
        solved = taken if np.isinf(price) else tolerant_sets(taken, price)
        return weightings.problem(votes, self.loss_, solved)

    def _tolerate(self, X: Any, kept: KeptRows, candidates: Any, taken: Any) -> None:
        tolerate(self, X, kept, candidates, taken)

    def _suited_solver(self, problem: Problem) -> Solver:
        if is_in_bags(problem.candidates):
            return AnnealedMinimization()
        coupled = problem.candidates.couples_rows
        return FrankWolfeMinimization() if coupled else AlternatingMinimization()

    def _store(self, fit: Fit) -> None:
        solution, kept = fit.solution, fit.kept
        self._predictor_ = predictor_of(fit.problem, solution, self.method, kept.sample_weight)
        prices = None
        if is_in_bags(fit.taken) and len(self.predictions_) == fit.taken.n_classes:
            # Before the labels, which the other rows predict: prices are for new rows.
            scores = fit.weightings.leave_one_out(self._predictor_.xi)
            prices = class_prices(scores, fit.taken.bag_bounds.sum(axis=0))
            self._predictor_ = replace(self._predictor_, prices=prices)
        self._distribution_ = label_distribution(fit.taken, solution, self.method)
        held_out = judge_fit(fit, self.solver_, self.method, self.trials_, self.tolerance_)
        is_open = held_out is None or np.isfinite(self.tolerance_)
        found = row_labels(fit, self._distribution_, self._predictor_, with_shares=is_open)
        if self.tolerance is not None:
            self._held_out_ = held_out
        if np.isfinite(self.tolerance_):
            found = labels_inside(found, self._distribution_, fit)
        same = fit.weightings.predict_weights is fit.weightings.weights
        self._probabilities_ = fitted_probabilities(fit, self._distribution_, held_out)
        if prices is not None and self.loss_.is_zero_one:
            self._probabilities_ = replace(self._probabilities_, prices=prices)
        self.calibration_ = None if held_out is None else held_out.calibration
        self._set_scores_: FloatArray | None = None
        if held_out is not None:
            self.confidence_kind_ = "hidden bags" if held_out.hides_bags else "hidden sets"
            proba = self._probabilities_
            others, taken = held_out.distributions, fit.taken
            self._leaving_ = self._leaving_.judged_again(others, taken, kept.sample_weight)
            shares = judged_shares(fit, held_out, self._leaving_, proba, self._distribution_)
            found = found._replace(shares=shares)
            if same and not held_out.hides_bags:
                self._set_scores_ = both_set_scores(
                    by_rows(proba, held_out.first_scores), taken, kept.sample_weight
                )
        if np.isfinite(self.tolerance_):
            found, self.outside_ = self._leaving_.left(found, fit.candidates.mask)
        self.labels_ = self.classes_[found.codes]
        self.class_shares_ = with_reached(self.class_shares_, found.codes, kept)
        self.decided_ = found.decided
        self.label_distributions_ = found.shares
        self.confidence_ = found.confidence
