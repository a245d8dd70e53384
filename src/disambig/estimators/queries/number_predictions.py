"""What an `IntervalRegressor` predicts: the output of least expected loss."""

from typing import TYPE_CHECKING, Any, Literal

from sklearn.utils.validation import check_is_fitted

from disambig.estimators.selection.numbers import numbers_of
from disambig.metrics import interval_r2
from disambig.notation import AnyArray, FloatArray
from disambig.threads import limit_threads

if TYPE_CHECKING:
    from disambig.estimators.base import CandidateEstimator as _Base
else:
    _Base = object


class NumberPredictionMixin(_Base):
    """Predictions from the recovered numbers, or from a mixture."""

    missing: Literal["error", "whole"]
    unlabeled: Any

    def _output(self, values: FloatArray) -> FloatArray:
        """Values ``(n, d)`` in the shape of targets."""
        raise NotImplementedError

    @limit_threads(1)
    def predict(self, X: Any) -> FloatArray:
        """The output of least expected loss, ``(q,)``; ``(q, d)`` for boxes.

        Inputs without votes get the best constant, with a warning. The formulation "risk" fits a
        function, which has a value at every input.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import IntervalRegressor
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> y = [(0, 1), (1, 2), (2, 3), ">= 3"]
        >>> model = IntervalRegressor("kernel_ridge").fit(X, y)
        >>> model.predict([[0.0], [3.0]]).round().tolist()
        [0.0, 3.0]
        """
        check_is_fitted(self)
        mixed = self._mixture_ is not None
        return self._output(
            self._mixed_predictions(X, numbers_of) if mixed else self._predictions(X)
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : numbers, or intervals in any form that `fit` reads, q rows
        sample_weight : array-like (q,), optional

        Examples
        --------
        >>> from disambig import IntervalRegressor
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> y = [(0, 1), (1, 2), (2, 3), ">= 3"]
        >>> model = IntervalRegressor("kernel_ridge").fit(X, y)
        >>> bool(model.score(X, y) > 0.9)
        True
        """
        return self._score(y, self.predict(X), sample_weight)

    def _score(self, y: Any, predicted: AnyArray, sample_weight: Any = None) -> float:
        """The score of predictions."""
        return interval_r2(
            y,
            predicted,
            missing=self.missing,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
