"""What a `PartialRanker` predicts: rankings, and the probability that one item precedes another."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.held_out.sign_likelihood import SignCalibration
from disambig.estimators.mixed_ranking import PairDecoder
from disambig.estimators.rankers.pairs import square, vote_shares
from disambig.estimators.selection.orders import pair_shares
from disambig.metrics import kendall_tau
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.threads import limit_threads

if TYPE_CHECKING:
    from disambig.estimators.base import CandidateEstimator as _Base
else:
    _Base = object


class OrderPredictionMixin(_Base):
    """Predictions from the recovered orders, or from a mixture."""

    items_: AnyArray
    ranks: Literal["order", "places"]
    unlabeled: Any
    _calibration_: SignCalibration
    _decoder_: PairDecoder
    _pair_slope_: float
    _pair_targets_: FloatArray

    @limit_threads(1)
    def predict(self, X: Any) -> IntArray:
        """Ranks ``(q, m)`` of least expected loss, 0 = first, columns in the order of `items_`.

        Inputs without votes get the order nearest to the mean target.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialRanker
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
        >>> model = PartialRanker(NeighborWeights(3)).fit(X, y)
        >>> model.predict([[0.05], [4.9]]).tolist()
        [[0, 1, 2], [2, 1, 0]]
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._decoder_.predict(self._mixed_predictions(X, pair_shares))
        ranks: IntArray = self._predictions(X).outputs
        return ranks

    def predict_order(self, X: Any) -> AnyArray:
        """The items of each prediction from first to last, ``(q, m)``.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialRanker
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
        >>> model = PartialRanker(NeighborWeights(3)).fit(X, y)
        >>> model.predict_order([[0.05], [4.9]]).tolist()
        [['a', 'b', 'c'], ['c', 'b', 'a']]
        """
        positions = np.argsort(self.predict(X), axis=1)
        order: AnyArray = self.items_[positions]
        return order

    @limit_threads(1)
    def pairwise_proba(self, X: Any) -> FloatArray:
        """``[r, i, j]``: the calibrated probability of i before j, ``(q, m, m)``; diagonal 0.

        From the probabilities of a mixture, or from shares of the votes (negative votes are set to
        zero; 1/2 for inputs without votes), as in `pair_probabilities_`. `predict` decodes what
        is not calibrated; both prefer the same direction of a pair.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialRanker
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
        >>> model = PartialRanker(NeighborWeights(3)).fit(X, y)
        >>> probabilities = model.pairwise_proba([[0.05], [4.9]])
        >>> (probabilities[:, 0, 2] > 0.5).tolist()
        [True, False]
        """
        return square(self._calibration_(self._shares(X)), len(self.items_))

    def _shares(self, X: Any) -> FloatArray:
        """What is calibrated, ``(q, pairs)``."""
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._mixed_predictions(X, pair_shares)
        return vote_shares(self._scored(X, self._pair_targets_, "1/2 for every pair"))

    def pair_shares(self, X: Any) -> FloatArray:
        """What a `Mixture` mixes: probabilities of i before j, i < j, ``(q, m (m - 1) / 2)``.

        Of votes: ``sigmoid(c sign)`` of the votes for the signs of pairs, with the slope c that
        minimises the squared error at the observed pairs of training rows, each predicted by the
        other rows. For probabilities to be read use `pairwise_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        """
        check_is_fitted(self)
        if self._mixture_ is not None:
            return self._mixed_predictions(X, pair_shares)
        signs = self._scored(X, self._pair_targets_, "1/2 for every pair")[:, :-1]
        shares: FloatArray = expit(self._pair_slope_ * signs)
        return shares

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean Kendall tau over rows; of partial orders, over the observed pairs.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : ranks, or orders in any form that `fit` reads, q rows
        sample_weight : array-like (q,), optional

        Examples
        --------
        >>> from disambig import PartialRanker
        >>> from disambig.weights import NeighborWeights
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
        >>> y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
        >>> model = PartialRanker(NeighborWeights(3)).fit(X, y)
        >>> model.score(X, y)
        1.0
        """
        return self._score(y, self.predict(X), sample_weight)

    def _score(self, y: Any, predicted: AnyArray, sample_weight: Any = None) -> float:
        """The score of predictions."""
        return kendall_tau(
            y,
            predicted,
            items=self.items_,
            unlabeled=self.unlabeled,
            ranks=self.ranks,
            sample_weight=sample_weight,
        )
