"""Classification from candidate sets by a forest that is refitted on the labels it recovers."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.estimators.fitting import check_lengths, validated_inputs
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, FloatArray
from disambig.solvers.loop import Callback, Status, iterate
from disambig.weights import ForestWeights


@dataclass(frozen=True, eq=False)
class _Round:
    """A forest, and the classifier whose labels are recovered with its out-of-bag votes."""

    forest: Any
    model: PartialLabelClassifier

    @property
    def objective(self) -> float:
        return float(self.model.objective_)

    @property
    def undecided(self) -> int:
        return int(np.count_nonzero(~self.model.resolved_))


@dataclass(frozen=True, eq=False)
class _Refits:
    """Fits forests and recovers labels in turn; a process for `disambig.solvers.loop`."""

    template: Any
    settings: dict[str, Any]
    X: Any
    sets: LabelSets

    def begin(self, distribution: FloatArray) -> _Round:
        """Fit a forest to the shares of the classes in each row, ``(n, K)``, and recover labels."""
        targets = distribution[:, 0] if distribution.shape[1] == 1 else distribution
        forest = clone(self.template).fit(self.X, targets)
        weights = ForestWeights(forest, leave_one_out=True)
        model = PartialLabelClassifier(weights, **self.settings).fit(self.X, self.sets)
        return _Round(forest, model)

    def step(self, state: _Round) -> _Round:
        return self.begin(state.model.label_distributions_)

    def has_converged(self, before: _Round, after: _Round) -> bool:
        return bool((before.model.labels_ == after.model.labels_).all())


class PartialForestClassifier(ClassifierMixin, BaseEstimator):
    """Classify from sets of possible classes by a forest that is refitted on what it recovers.

    The first forest is fitted to the shares of the classes in each row, which are equal among the
    candidates. Its out-of-bag votes recover the labels, as in `PartialLabelClassifier`, and give
    new shares inside each set, to which the next forest is fitted. This ends when the labels no
    longer change or after `refits` rounds. A tree has no vote for rows that it was fitted to: it
    would reproduce their shares. The objective may rise from round to round, because each forest
    has its own votes.

    Parameters
    ----------
    forest : forest regressor of scikit-learn, optional
        With ``bootstrap=True``; it is cloned before it is fitted. By default
        ``RandomForestRegressor(100, max_features="sqrt", min_samples_leaf=2, random_state=0)``.
    refits : int, default 10
        The maximal number of forests after the first.
    loss, solver, classes, unlabeled
        See `PartialLabelClassifier`.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every refit; returning True stops.

    Attributes
    ----------
    forest_ : the last forest
    disambiguator_ : PartialLabelClassifier
        The last one, with the votes of `forest_`.
    classes_, predictions_, labels_, resolved_, confidence_, label_distributions_, loss_
        Those of `disambiguator_`.
    n_iter_ : int
        Number of refits.
    converged_ : bool
        Whether the last refit changed no label.
    trace_ : tuple of Progress
        The objective and the undecided rows of each round.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialForestClassifier
    >>> X = np.linspace(0.0, 1.0, 12)[:, None]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}] * 2 + [{"b", "c"}, {"b"}, {"a", "b"}] * 2
    >>> model = PartialForestClassifier().fit(X, y)
    >>> "".join(model.labels_)
    'aaaaaabbbbbb'
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        forest: Any = None,
        *,
        refits: int = 10,
        loss: Any = "zero_one",
        solver: Any = "alternating",
        classes: Any = None,
        unlabeled: Any = None,
        callback: Callback | None = None,
    ) -> None:
        self.forest = forest
        self.refits = refits
        self.loss = loss
        self.solver = solver
        self.classes = classes
        self.unlabeled = unlabeled
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit forests and recover labels in turn.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        y : array-like, n rows
            Candidate sets in any form that `LabelSets.from_any` reads.
        """
        self._check_options()
        X = validated_inputs(self, X, reset=True)
        sets = LabelSets.from_any(y, classes=self.classes, unlabeled=self.unlabeled)
        check_lengths(X, sets)
        settings = {"loss": self.loss, "solver": self.solver}
        process = _Refits(self._template(), settings, X, sets)
        run = iterate(
            process,
            process.begin(sets.distribution()),
            max_iter=int(self.refits),
            stage="forest",
            callback=self.callback,
        )
        self.forest_, self.disambiguator_ = run.state.forest, run.state.model
        for name in (
            "classes_",
            "predictions_",
            "labels_",
            "resolved_",
            "confidence_",
            "label_distributions_",
            "loss_",
        ):
            setattr(self, name, getattr(self.disambiguator_, name))
        self.n_iter_ = run.n_iter
        self.converged_ = run.status is Status.CONVERGED
        self.trace_ = run.trace
        return self

    def predict(self, X: Any) -> AnyArray:
        """The prediction of least expected loss at each input, one of `predictions_`."""
        return self._fitted().predict(validated_inputs(self, X, reset=False))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, ``(q, K)``: votes for the recovered labels."""
        return self._fitted().predict_proba(validated_inputs(self, X, reset=False))

    def decision_function(self, X: Any) -> FloatArray:
        """Minus the expected loss, ``(q, P)``; for two classes and the 0-1 loss, ``(q,)``."""
        return self._fitted().decision_function(validated_inputs(self, X, reset=False))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`."""
        return covering_accuracy(
            y,
            self.predict(X),
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )

    def _fitted(self) -> PartialLabelClassifier:
        check_is_fitted(self)
        return self.disambiguator_

    def _template(self) -> Any:
        if self.forest is not None:
            return self.forest
        return RandomForestRegressor(100, max_features="sqrt", min_samples_leaf=2, random_state=0)

    def _check_options(self) -> None:
        if int(self.refits) < 0:
            raise ValueError(f"refits={self.refits!r}; expected 0 or more.")
        forest = self._template()
        if not (getattr(forest, "bootstrap", False) and is_regressor(forest)):
            raise ValueError(
                "PartialForestClassifier: forest must be a forest regressor with bootstrap=True, "
                "which predicts shares of classes and leaves rows out of each tree; got "
                f"{forest!r}. Use RandomForestRegressor, or ExtraTreesRegressor(bootstrap=True)."
            )
