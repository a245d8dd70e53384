"""What a `PartialMultilabelClassifier` predicts: tags and their probabilities."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import PartialBits
from disambig.estimators.held_out.tag_shares import mixed_shares, tag_shares
from disambig.estimators.tags.decoding import predicted_bits
from disambig.estimators.tags.one_sided import OneSidedTags
from disambig.estimators.tags.single import is_single, read_as_classes
from disambig.losses.bits.protocol import BoundBitLoss
from disambig.metrics.bits import known_accuracy
from disambig.notation import AnyArray, FloatArray
from disambig.threads import limit_threads

if TYPE_CHECKING:
    from disambig.estimators.base import CandidateEstimator as _Base
else:
    _Base = object

# Shares of votes that are equal but for rounding differ by less from 1/2.
_TIE = 1e-10


class TagPredictionMixin(_Base):
    """Predictions from the recovered tags, or from a mixture."""

    classes_: AnyArray
    loss_: BoundBitLoss
    tag_frequencies_: FloatArray
    tags_: AnyArray
    unlabeled: Any
    _calibration_: Any
    # Whether y is a vector of classes.
    _is_single: bool
    _one_sided_: OneSidedTags | None
    _tag_targets_: FloatArray
    _tie_frequencies_: FloatArray

    def _bits(self, y: Any, tags: Any) -> PartialBits:
        """The bits of a table, without rules."""
        raise NotImplementedError

    @limit_threads(1)
    def predict(self, X: Any) -> AnyArray:
        """The tags of least expected loss at each input, ``(q, m)``; classes for a vector y.

        Of a mixture and of one-sided tags by the probabilities, as if tags were independent given
        the inputs. Otherwise by votes; inputs without any get the one nearest to the mean target.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialMultilabelClassifier
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [[1, None], [None, 0], [1, 0], [0, 1], [None, 1], [0, None]]
        >>> model = PartialMultilabelClassifier(NeighborWeights(3)).fit(X, y)
        >>> model.predict([[0.05], [4.9]]).tolist()
        [[1, 0], [0, 1]]
        """
        check_is_fitted(self)
        if self._mixture_ is None and self._one_sided_ is None:
            bits = self._predictions(X).outputs
        else:
            probabilities = self._probabilities(X)
            bits = predicted_bits(self.loss_, probabilities, self.tag_frequencies_)
        found: AnyArray = np.asarray(bits, dtype=np.int64)
        return self.classes_[found[:, 0]] if self._is_single else found

    @limit_threads(1)
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each tag, ``(q, m)``; of both classes for a vector y; without rules.

        From the mixture, or the share of the votes for the tag among the votes of rows that know it
        (without any, its frequency); calibrated by the known bits if these are 30 or more.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialMultilabelClassifier
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [[1, None], [None, 0], [1, 0], [0, 1], [None, 1], [0, None]]
        >>> model = PartialMultilabelClassifier(NeighborWeights(3)).fit(X, y)
        >>> model.predict_proba([[0.05], [4.9]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        check_is_fitted(self)
        found = self._probabilities(X)
        if not self._is_single:
            return found
        both = np.hstack([1.0 - found, found])
        return both if len(self.classes_) > 1 else np.ones((len(found), 1))

    def _probabilities(self, X: Any) -> FloatArray:
        """The probability of each tag, ``(q, m)``."""
        found: FloatArray = self._calibration_(self.tag_shares(X))
        if self._one_sided_ is not None:
            return self._one_sided_.probabilities(found)
        # Ties are above or below 1/2 by a last digit, as `predict` breaks them.
        beyond = np.nextafter(0.5, np.where(self._tie_frequencies_ > 0.5, 1.0, 0.0))
        return np.where(np.abs(found - 0.5) <= _TIE, beyond, found)

    @limit_threads(1)
    def tag_shares(self, X: Any) -> FloatArray:
        """What a `Mixture` mixes: probabilities of tags that are not calibrated, ``(q, m)``.

        Of one-sided tags, those of being recorded.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._mixed_predictions(X, mixed_shares)
        # Far from the training rows (`condensed`) there are only totals of the targets of all.
        totals: FloatArray | None = vars(self).get("_tag_totals_")
        if totals is None:
            totals = self._tag_targets_.sum(axis=0)
        return tag_shares(self._scored(X, self._tag_targets_), totals)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The (weighted) share of the known bits of y that are predicted right; 1 is best.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : any form that ``fit`` reads, q rows
        sample_weight : array-like (q,), optional

        Examples
        --------
        >>> from disambig import PartialMultilabelClassifier
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = [[1, None], [None, 0], [1, 0], [0, 1], [None, 1], [0, None]]
        >>> model = PartialMultilabelClassifier(NeighborWeights(3)).fit(X, y)
        >>> model.score(X, y)
        1.0
        """
        return self._score(y, self.predict(X), sample_weight)

    def _score(self, y: Any, predicted: AnyArray, sample_weight: Any = None) -> float:
        """The score of predictions."""
        if self._is_single:
            # The first class is off; a single one is never on.
            is_on = (predicted == self.classes_[-1]) & (len(self.classes_) > 1)
            predicted = is_on.astype(np.int64)[:, None]
            if is_single(y):
                y = PartialBits(read_as_classes(y, self.unlabeled, self.classes_))
        bits = self._bits(y, self.tags_)
        return known_accuracy(
            bits, predicted, tag_weights=self.loss_.weights, sample_weight=sample_weight
        )
