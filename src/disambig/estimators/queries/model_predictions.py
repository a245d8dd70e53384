"""What a `DisambiguatedClassifier` predicts: that of the classifier that it has trained."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, FloatArray

if TYPE_CHECKING:
    from disambig.estimators.disambiguated import DisambiguatedEstimator as _Base
else:
    _Base = object


def _estimator_has(name: str) -> Any:
    def check(self: Any) -> bool:
        inner = getattr(self, "estimator_", None) or self._template()
        getattr(inner, name)
        return True

    return check


class ModelPredictionMixin(_Base):
    """Predictions of `estimator_`, in the classes of the sets."""

    classes_: AnyArray
    estimator_: Any
    unlabeled: Any
    _as_positions_: bool
    _columns_: Any

    def predict(self, X: Any) -> AnyArray:
        """The labels that `estimator_` predicts, ``(q,)``.

        Parameters
        ----------
        X : array-like (q, d)
            In any form that the estimator reads.
        """
        queries = self._queries(X)
        labels: AnyArray = self.estimator_.predict(queries)
        return self.classes_[labels] if self._as_positions_ else labels

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of `estimator_`, ``(q, K)``; 0 for classes without a training row.

        Parameters
        ----------
        X : array-like (q, d)
        """
        queries = self._queries(X)
        found = self.estimator_.predict_proba(queries)
        probabilities = np.zeros((len(found), len(self.classes_)))
        probabilities[:, self._columns_] = found
        return probabilities

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of `estimator_`, in the order of the classes that it was trained on.

        Parameters
        ----------
        X : array-like (q, d)
        """
        queries = self._queries(X)
        scores: FloatArray = self.estimator_.decision_function(queries)
        return scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : labels, or sets in any form that `fit` reads, q rows
        sample_weight : array-like (q,), optional
        """
        return covering_accuracy(
            y,
            self.predict(X),
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
