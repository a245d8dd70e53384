"""Recover a label for every row, then train any classifier of scikit-learn."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight

from disambig.estimators.base import all_or_nothing
from disambig.estimators.disambiguated import DisambiguatedEstimator
from disambig.estimators.fitting import kept_rows, validated_inputs
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.exceptions import warn
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_flag
from disambig.solvers.loop import Callback

_UNRESOLVED = ("exclude", "include", "weight")


def _estimator_has(name: str) -> Any:
    def check(self: Any) -> bool:
        inner = getattr(self, "estimator_", None) or self._template()
        getattr(inner, name)
        return True

    return check


def _is_accepted(classes: AnyArray) -> bool:
    """Whether every classifier of scikit-learn accepts these labels."""
    if classes.dtype.kind == "O":
        return all(isinstance(label, str) for label in classes.tolist())
    return classes.dtype.kind in "biuU"


class DisambiguatedClassifier(ClassifierMixin, DisambiguatedEstimator):
    """Recover a label for every row from its set, then fit any classifier to the labels.

    The weighting that disambiguates and the model that predicts can differ: neighbours or kernel
    ridge recover the labels, gradient boosting or a linear model learns from them.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        The classifier of the recovered labels; by default ``LogisticRegression(max_iter=1000)``.
    weights, loss, method, solver, classes, unlabeled, callback, verbose
        How the labels are recovered; see `PartialLabelClassifier`.
    unresolved : {"exclude", "include", "weight"}, default "exclude"
        What to do with rows whose label the data do not decide: leave them out, train on the
        solver's choice, or train on it with their confidence as weight. A warning gives their
        number.
    weight_by_confidence : bool, default False
        Weight every row by its confidence (the share of the other rows' votes that agree); rows
        with one candidate keep weight one.

    Attributes
    ----------
    estimator_ : the fitted classifier
        Trained on the labels themselves, or on their positions in `classes_` if scikit-learn's
        classifiers do not accept labels of their type. If all training rows have one label, which
        many classifiers refuse, a `DummyClassifier` that predicts it with probability one.
    disambiguator_ : PartialLabelClassifier
        Fitted on the same rows; has `labels_`, `confidence_`, `trace_` and its other attributes.
    classes_ : array (K,)
    labels_, confidence_, resolved_, label_distributions_
    objective_, relaxed_objective_, n_iter_, converged_, certified_, trace_, solution_, trials_
    loss_, weights_, solver_
        Those of `disambiguator_`.
    training_rows_ : int array
        Rows that `estimator_` was trained on.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from disambig import DisambiguatedClassifier
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> model = DisambiguatedClassifier(DecisionTreeClassifier(), weights=NeighborWeights(3))
    >>> model.fit(X, y).predict([[0.05], [4.9]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weights: Any = "auto",
        loss: Any = "zero_one",
        method: str = "disambiguation",
        solver: Any = "auto",
        classes: Any = None,
        unlabeled: Any = None,
        unresolved: str = "exclude",
        weight_by_confidence: bool = False,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.classes = classes
        self.unlabeled = unlabeled
        self.unresolved = unresolved
        self.weight_by_confidence = weight_by_confidence
        self.callback = callback
        self.verbose = verbose

    _role = "classifier"

    def _template(self) -> Any:
        return LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Recover the labels, then fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        y : array-like, n rows
            Candidate sets in any form that `LabelSets.from_any` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row, in both steps.
        """
        self._check_options()
        checked = validated_inputs(self, X, reset=True)
        kept_rows(sample_weight, checked)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, checked, dtype=np.float64)
        disambiguator = PartialLabelClassifier(
            weights=self.weights,
            loss=self.loss,
            method=self.method,
            solver=self.solver,
            classes=self.classes,
            unlabeled=self.unlabeled,
            callback=self.callback,
            verbose=self.verbose,
        )
        self._disambiguate(
            disambiguator, checked, y, sample_weight, ("classes_", "label_distributions_")
        )
        rows, weights = self._training_rows(sample_weight)
        self.training_rows_ = rows
        options = {} if weights is None else {"sample_weight": weights[rows]}
        inputs = _safe_indexing(self._inner_inputs(X, checked), rows)
        # scikit-learn's classifiers do not accept dates, mixed types or real numbers as labels;
        # such labels are replaced by their positions in classes_.
        self._as_positions_ = not _is_accepted(self.classes_)
        position = {label: k for k, label in enumerate(self.classes_.tolist())}
        labels = self.labels_[rows]
        if self._as_positions_:
            labels = np.array([position[label] for label in labels.tolist()])
        self.estimator_ = self._untrained(labels).fit(inputs, labels, **options)
        learned = self.estimator_.classes_.tolist()
        self._columns_ = np.array(
            learned if self._as_positions_ else [position[label] for label in learned]
        )
        return self

    def _check_options(self) -> None:
        check_choice(type(self).__name__, "unresolved", self.unresolved, _UNRESOLVED)
        check_flag(type(self).__name__, "weight_by_confidence", self.weight_by_confidence)
        self._check_components()

    def _untrained(self, labels: AnyArray) -> Any:
        """The classifier to train on these labels."""
        several = (labels != labels[0]).any()
        return clone(self._template()) if several else DummyClassifier()

    def _training_rows(self, weights: FloatArray | None) -> tuple[IntArray, FloatArray | None]:
        """Rows to train on, and their weights or None."""
        n = len(self.labels_)
        taken = np.ones(n, dtype=np.bool_) if weights is None else weights > 0
        open_rows = ~self.resolved_ & taken
        if open_rows.any():
            what = {
                "exclude": "they are left out of training",
                "include": "they are trained on with the solver's choice",
                "weight": "they are weighted by their confidence",
            }[self.unresolved]
            warn(
                f"{int(open_rows.sum())} of {int(taken.sum())} rows are not resolved; {what} "
                f"(unresolved={self.unresolved!r}).",
                UserWarning,
            )
        if self.unresolved == "exclude":
            taken = taken & self.resolved_
        if not taken.any():
            raise ValueError(
                "No row is resolved, so there is no label to train on. Use unresolved='include', "
                "or give more informative sets."
            )
        by_confidence = self.weight_by_confidence or (
            self.unresolved == "weight" and open_rows.any()
        )
        if by_confidence:
            share = np.where(open_rows | bool(self.weight_by_confidence), self.confidence_, 1.0)
            weights = share if weights is None else weights * share
        if weights is not None:
            self._require_sample_weight(
                "unresolved='exclude' with weight_by_confidence=False and no sample_weight"
            )
        return np.flatnonzero(taken), weights

    def predict(self, X: Any) -> AnyArray:
        """The labels that `estimator_` predicts, ``(q,)``."""
        queries = self._queries(X)
        labels: AnyArray = self.estimator_.predict(queries)
        return self.classes_[labels] if self._as_positions_ else labels

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of `estimator_`, ``(q, K)``; 0 for classes without a training row."""
        queries = self._queries(X)
        found = self.estimator_.predict_proba(queries)
        probabilities = np.zeros((len(found), len(self.classes_)))
        probabilities[:, self._columns_] = found
        return probabilities

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of `estimator_`, in the order of the classes that it was trained on."""
        queries = self._queries(X)
        scores: FloatArray = self.estimator_.decision_function(queries)
        return scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`."""
        return covering_accuracy(
            y,
            self.predict(X),
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
