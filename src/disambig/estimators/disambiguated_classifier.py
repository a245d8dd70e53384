"""Any classifier of scikit-learn, in alternation with the labels that it is trained on."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression

from disambig.candidates import LabelSets
from disambig.candidates.labels.class_counts import label_candidates
from disambig.estimators.alternation.labels import LabelTask, best_candidates, class_probabilities
from disambig.estimators.alternation.loop import Alternation, Iterate
from disambig.estimators.alternation.training import take_rows
from disambig.estimators.disambiguated import DisambiguatedEstimator
from disambig.estimators.fitting import (
    check_information,
    check_lengths,
)
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.queries.model_predictions import ModelPredictionMixin
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_rows,
)
from disambig.exceptions import MissingOracleError
from disambig.losses.registry import bind_label_loss
from disambig.notation import AnyArray, IntArray
from disambig.parameters import check_choice, check_flag
from disambig.solvers.loop import Callback

_UNDECIDED = {
    "exclude": "the first models are trained without them",
    "include": "the first models are trained on the solver's choice",
    "weight": "the first models are trained on the solver's choice, weighted by its confidence",
}


def _is_accepted(classes: AnyArray) -> bool:
    """Whether every classifier of scikit-learn accepts these labels."""
    if classes.dtype.kind == "O":
        return all(isinstance(label, str) for label in classes.tolist())
    return classes.dtype.kind in "biuU"


class DisambiguatedClassifier(ModelPredictionMixin, ClassifierMixin, DisambiguatedEstimator):
    """Any classifier of scikit-learn, trained from sets of possible classes.

    Rounds alternate between the classifier and the labels: models that are trained on the other
    folds predict every row, and the label of the row becomes the candidate of least loss at that
    prediction. First a row is trained on with all of its candidates, weighted by their predicted
    probabilities inside the set (soft targets), then with a single label. The targets whose models
    predict other rows best are kept, which may be those of the start, and the classifier is fitted
    to them.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        By default ``LogisticRegression(max_iter=1000)``. Its probabilities are those of
        ``predict_proba``; without it the softmax of ``decision_function``; without both, one for
        the class that it predicts. If it takes no sample weights, it is trained on every candidate
        once where others are trained on weighted ones.
    start : {"votes", "average"}, default "votes"
        The first targets: the labels that votes recover (`PartialLabelClassifier`), or all
        candidates of a row in equal parts (or by their weights in y). Unlabeled rows have no part
        in the first models of "average". X with missing values needs "average".
    weights, method, solver, time_limit
        How the votes recover labels; see `PartialLabelClassifier`. For ``start="votes"`` only.
    loss : str, array (P, K) or loss, default "zero_one"
        As in `PartialLabelClassifier`; also that of the candidates in a round.
    classes, unlabeled
        How y is read; see `PartialLabelClassifier`.
    max_iter : int, default 5
        The largest number of rounds. Each costs the fits of `cv`, as does the start. 0: the
        classifier is fitted to the start.
    cv : int, splitter, iterable, "out-of-bag" or None, default 5
        Which models predict a row. Folds are given as in scikit-learn, except that an int shuffles
        the rows and keeps rows with equal inputs together; of other splits, training rows equal to
        a test row are left out. "out-of-bag" is for forests and bagging with ``bootstrap=True``:
        the members predict that were trained without the row, and a round costs one fit. Soft
        targets are used for the start only, because few members are without all candidates of a
        row. None: models that were trained on the row itself predict it. A flexible model then
        reproduces any start; use it for models with few parameters.
    undecided : {"exclude", "include", "weight"}, default "exclude"
        What the first models do with rows whose label the votes do not decide: leave them out,
        train on the solver's choice, or train on it with their confidence as weight. A warning
        gives their number. For ``start="votes"`` only.
    weight_by_confidence : bool, default False
        Weight every row with a single label by the probability inside its set that chose it; rows
        with one candidate keep weight one.
    tolerance : float, "auto" or None, default None
        Lets a label leave its set at a price, see `PartialLabelClassifier`;
        then also in rounds. For ``start="votes"`` only.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    random_state : int, RandomState or None, default 0
        Of the shuffle that an int in `cv` means.
    n_jobs : int, optional
        Processes for the fits of `cv`, as in scikit-learn.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    estimator_ : the fitted classifier
        Trained on the labels themselves, or on their positions in `classes_` if scikit-learn's
        classifiers do not accept labels of their type. If all training rows have one label, which
        many classifiers refuse, a `DummyClassifier` that predicts it with probability one.
    labels_ : array (n,)
        The recovered label of every training row: the one that `estimator_` was trained on, or the
        most probable one of a row with soft targets.
    outside_ : bool array (n,)
        Rows whose label left its set.
    tolerance_ : float
        The price of that; infinite if no label may leave.
    label_distributions_ : float array (n, K)
        Probabilities inside the set, by models without the row that are trained on the kept
        targets; of votes if there was no round.
    confidence_ : float array (n,)
        The same at `labels_`: how much the models of other rows agree.
    decided_ : bool array (n,)
        Rows with a single label to train on, or a single most probable one.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    objective_, relaxed_objective_ : float
        The mean infimum loss: how much the predictions of models without the row cost at the best
        candidate (for the 0-1 loss, how often they are outside of the set). The kept targets have
        the lowest; of several, those with the more probable sets. In sample if `cv` is None (which
        keeps the last targets) or there was no round.
    n_iter_ : int
        Rounds that were run.
    converged_ : bool
        Whether the last round changed no label. Otherwise `solution_.status` has the reason: an
        earlier labelling came back (rounds can cycle), rounds ran out, or the callback stopped.
    certified_ : bool
        False: nothing is proved about a round.
    trace_ : tuple of Progress
        Iterations of the votes, then one entry for the start and for each round.
    solution_ : Alternation
        The kept targets, the held-out predictions of their models, and the status.
    disambiguator_ : PartialLabelClassifier or None
        What recovered the start; None for ``start="average"``.
    trials_, weights_, solver_
        Those of `disambiguator_`; empty or None without it.
    classes_ : array (K,)
    loss_ : the loss in use
    training_rows_ : int array
        Rows that `estimator_` was trained on.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from disambig import DisambiguatedClassifier
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> model = DisambiguatedClassifier(tree, start="average", cv=3).fit(X, y)
    >>> model.labels_.tolist(), model.converged_
    (['a', 'a', 'a', 'b', 'b', 'b'], True)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        start: Literal["votes", "average"] = "votes",
        weights: Any = "auto",
        loss: Any = "zero_one",
        method: str = "disambiguation",
        solver: Any = "auto",
        classes: Any = None,
        unlabeled: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        max_iter: int = 5,
        cv: Any = 5,
        undecided: Literal["exclude", "include", "weight"] = "exclude",
        weight_by_confidence: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.start = start
        self.weights = weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.classes = classes
        self.unlabeled = unlabeled
        self.tolerance = tolerance
        self.resolve_at = resolve_at
        self.max_iter = max_iter
        self.cv = cv
        self.undecided = undecided
        self.weight_by_confidence = weight_by_confidence
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    _role = "classifier"
    _of_votes: ClassVar[dict[str, Any]] = {
        "weights": "auto",
        "method": "disambiguation",
        "solver": "auto",
        "undecided": "exclude",
        "tolerance": None,
        "time_limit": None,
    }

    def _template(self) -> Any:
        return LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Alternate between the classifier and the labels, then fit the classifier to the labels.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
            With missing cells, NaN, if `estimator` accepts them.
        y : array-like, n rows
            Candidate sets in any form that `LabelSets.from_any` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row, in all steps. Rows of weight zero take no part; their label
            is the candidate that `estimator_` predicts.
        groups : array-like (n,), optional
            Rows of one group are in the same fold.
        """
        check_choice(type(self).__name__, "undecided", self.undecided, _UNDECIDED)
        check_flag(type(self).__name__, "weight_by_confidence", self.weight_by_confidence)
        self._check_parameters()
        checked = self._checked(X, reset=True)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        candidates = label_candidates(y, classes=self.classes, unlabeled=self.unlabeled)
        check_lengths(checked, candidates)
        kept = kept_rows(sample_weight, checked, groups)
        sets = self._sets(candidates)
        self.classes_ = sets.classes
        self.loss_ = bind_label_loss(self.loss, sets.classes)
        task = self._task(self._inner_inputs(X, checked), sets, kept)
        held_out = self._held_out(task, checked, kept, sets, groups)
        self._without_votes(len(sets))
        if self.start == "votes":
            self._start_by_votes(
                PartialLabelClassifier(loss=self.loss), checked, candidates, sample_weight, groups
            )
        given = sets
        if self.outside_.any() and not candidates.couples_rows:
            sets = self._with_outside(given)
            task = self._task(self._inner_inputs(X, checked), sets, kept)
            held_out = self._held_out(task, checked, kept, sets, groups)
        is_open = not bool(task.sets.is_single.all())
        found = self._alternate(task, self._started(task, kept), held_out, kept, is_open)
        learned = self.estimator_.classes_.tolist()
        position = {label: k for k, label in enumerate(task.labels.tolist())}
        self._columns_ = np.array([position[label] for label in learned])
        self._store(task, sets, kept, found, self._inner_inputs(X, checked))
        codes = label_codes(self.labels_, self.classes_)
        self.outside_ = self.outside_ & ~given.mask[np.arange(len(codes)), codes]
        self._store_resolved()
        self._remember(checked, kept)
        return self

    def _with_outside(self, sets: LabelSets) -> LabelSets:
        """The sets, with the labels that left them at the start."""
        rows = np.flatnonzero(self.outside_)
        mask = sets.mask.copy()
        mask[rows, label_codes(self.disambiguator_.labels_[rows], self.classes_)] = True
        # Weights say nothing about a label that is not in the set.
        return LabelSets(mask, sets.classes)

    def _sets(self, candidates: Any) -> LabelSets:
        """The sets without constraints over rows, which a round cannot keep."""
        if not candidates.couples_rows:
            sets: LabelSets = candidates
            return sets
        if self.max_iter > 0 or self.start != "votes":
            raise MissingOracleError(
                f"{type(self).__name__}: a round moves the label of each row by itself, and cannot "
                "keep class counts. Use max_iter=0 with start='votes': the labels that the votes "
                "recover keep them."
            )
        coupled: LabelSets = candidates.sets
        return coupled

    def _task(self, inputs: Any, sets: LabelSets, kept: KeptRows) -> LabelTask:
        # scikit-learn's classifiers do not accept dates, mixed types or real numbers as labels;
        # such labels are replaced by their positions in classes_.
        self._as_positions_ = not _is_accepted(self.classes_)
        advice = "undecided='exclude' with weight_by_confidence=False and no sample_weight"
        if kept.weights is not None or self.weight_by_confidence or self.undecided == "weight":
            self._require_sample_weight(advice)
        return LabelTask(
            self._template(),
            take_rows(inputs, kept.rows),
            sets if kept.all_rows else sets[kept.rows],
            self.loss_,
            kept.weights,
            np.arange(len(self.classes_)) if self._as_positions_ else None,
            bool(self.weight_by_confidence),
        )

    def _started(self, task: LabelTask, kept: KeptRows) -> Iterate:
        """The first targets: averaged candidates, or the labels that the votes recover."""
        if self.disambiguator_ is None:
            check_information(task.sets, "disambiguation")
            return task.start()
        votes = self.disambiguator_
        decided, confidence = votes.decided_[kept.rows], votes.confidence_[kept.rows]
        known = self._decided_rows(decided, self.undecided, _UNDECIDED)
        codes = label_codes(votes.labels_[kept.rows], self.classes_)
        weighted = self.weight_by_confidence | (~decided & (self.undecided == "weight"))
        targets = np.zeros(task.sets.mask.shape)
        targets[np.arange(len(codes)), codes] = np.where(weighted, confidence, 1.0)
        return Iterate(targets, known, "hard")

    def _store(
        self, task: LabelTask, sets: LabelSets, kept: KeptRows, found: Alternation, inputs: Any
    ) -> None:
        votes = self.disambiguator_
        if not self._alternated_ and votes is not None:
            self._take_from(votes, "label_distributions_")
            return
        probabilities = np.full(sets.mask.shape, np.nan)
        if self._alternated_:
            probabilities[kept.rows] = found.predictions
        rest = np.setdiff1d(np.arange(kept.n), kept.rows)
        if rest.size:
            probabilities[rest] = class_probabilities(
                self.estimator_, take_rows(inputs, rest), task.labels
            )
        best = best_candidates(probabilities, sets.mask, self.loss_)
        targets = np.zeros(sets.mask.shape)
        targets[kept.rows] = found.targets * found.iterate.known[:, np.newaxis]
        # Rows that are trained on with one label have it; predictions decide all others.
        decided = np.count_nonzero(targets, axis=1) == 1
        speaks = np.asarray(best.shares.any(axis=1))
        shares = np.where(speaks[:, np.newaxis], best.shares, sets.distribution())
        codes = np.where(speaks, best.codes, shares.argmax(axis=1))
        codes = np.where(decided, targets.argmax(axis=1), codes)
        self.labels_ = self.classes_[codes]
        self.label_distributions_ = shares
        self.confidence_ = shares[np.arange(len(codes)), codes]
        self.decided_ = decided | best.decided | sets.is_single


def label_codes(labels: AnyArray, classes: AnyArray) -> IntArray:
    """The positions of labels among the classes, ``(n,)``."""
    position = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([position[label] for label in labels.tolist()], dtype=np.intp)
