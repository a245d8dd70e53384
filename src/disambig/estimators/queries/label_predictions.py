"""What a `PartialLabelClassifier` predicts: classes, probabilities, sets, and whole bags."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import LabelSets
from disambig.candidates.labels.assignment import counted_labels
from disambig.candidates.labels.bag_counts import bag_counts
from disambig.estimators.conformal import label_scores, prediction_mask, set_threshold
from disambig.exceptions import MissingOracleError
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, FloatArray
from disambig.threads import limit_threads

if TYPE_CHECKING:
    from disambig.estimators.base import CandidateEstimator as _Base
else:
    _Base = object


class LabelPredictionMixin(_Base):
    """Predictions from the recovered distributions of labels."""

    classes_: AnyArray
    predictions_: AnyArray
    unlabeled: Any
    _distribution_: FloatArray
    _probabilities_: Any

    @limit_threads(1)
    def predict(self, X: Any, bags: Any = None, proportions: Any = None) -> AnyArray:
        """The prediction of least expected loss at each input, one of `predictions_`.

        For ties and for inputs without votes the frequencies of the labels decide, then the order
        of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        bags : array-like (q,), optional
            The bag of each input, if class shares of whole new bags are known.
        proportions : mapping, optional
            As in `fit`. The predictions are then the classes that keep them at the least sum of
            expected losses, by `predict_proba`; this is exact.

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
        >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
        >>> model.predict([[0.05], [4.9]]).tolist()
        ['a', 'b']
        """
        if bags is not None or proportions is not None:
            return self._predict_bags(X, bags, proportions)
        outputs: AnyArray = self._predictions(X).outputs
        predictions: AnyArray = self.predictions_[outputs]
        return predictions

    def _predict_bags(self, X: Any, bags: Any, proportions: Any) -> AnyArray:
        check_is_fitted(self)
        if not np.array_equal(self.predictions_, self.classes_):
            raise MissingOracleError(
                f"{type(self).__name__}: predictions that keep class shares are classes; "
                f"{type(self.loss_).__name__} predicts others, too. Predict without proportions."
            )
        expected = self.loss_.expected_losses(self.predict_proba(X))
        counts = bag_counts(None, bags, proportions, n=len(expected), classes=self.classes_)
        predicted: AnyArray = self.classes_[counted_labels(expected, counts).codes]
        return predicted

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

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
        >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
        >>> model.predict_proba([[0.05], [4.9]]).round(1).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        """
        check_is_fitted(self)
        found: FloatArray = self._probabilities_(self._scored(X, self._distribution_))
        return found

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

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> y = [{"a", "b"} if row % 4 == 0 else {"a"} if row < 30 else {"b"} for row in range(60)]
        >>> model = PartialLabelClassifier("neighbors").fit(X, y)
        >>> [sorted(one) for one in model.predict_set([[10.0], [50.0]], coverage=0.8)]
        [['a'], ['b']]
        """
        check_is_fitted(self)
        limit = set_threshold(self, coverage, meaning)
        scores = label_scores(self.predict_proba(X))
        return LabelSets(prediction_mask(scores, limit), self.classes_)

    @limit_threads(1)
    def decision_function(self, X: Any) -> FloatArray:
        """Minus the expected loss, ``(q, P)``; for two classes and the 0-1 loss, ``(q,)``.

        The latter is positive where the second class is predicted.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
        >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
        >>> model.decision_function([[0.05], [4.9]]).argmax(axis=1).tolist()
        [0, 1]
        """
        X = self._checked_queries(X)
        found = self._predictor_.scores(self._votes_at(X))
        self._warn_without_votes(found.has_votes, X)
        scores: FloatArray = found.values
        if len(self.classes_) == 2 and self.loss_.is_zero_one:
            return scores[:, 0] - scores[:, 1]
        return -scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on plain labels, covering accuracy on sets; see `covering_accuracy`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : labels, or sets in any form that `fit` reads, q rows
        sample_weight : array-like (q,), optional

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
        >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
        >>> model.score(X, y), model.score([[0.05], [4.9]], ["a", "c"])
        (1.0, 0.5)
        """
        return self._score(y, self.predict(X), sample_weight)

    def _score(self, y: Any, predicted: AnyArray, sample_weight: Any = None) -> float:
        """The score of predictions."""
        return covering_accuracy(
            y,
            predicted,
            classes=self.classes_,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
