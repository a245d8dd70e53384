"""Extremely randomised trees that alternate with their targets, on out-of-bag predictions."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.interval_models.reading import (
    UnitInputs,
    first_targets,
    narrowed,
    weights_of,
)
from disambig.notation import FloatArray
from disambig.parameters import check_integer

# Rows of a tree at most: with more, trees take longer and the forest is hardly better.
_MAX_TREE_ROWS = 5000


class IntervalForest(RegressorMixin, BaseEstimator):
    """Trees whose targets move to the members of the intervals nearest to their predictions.

    Targets start at midpoints. In each round the trees that did not draw a row predict it, its
    target becomes the nearest number of its interval, and new trees are grown. Predictions of trees
    that did draw the row would reproduce its target.

    Parameters
    ----------
    n_trees : int, default 50
    rounds : int, default 3
        Forests that are grown; the last one predicts.
    margin : float, default 0
        How far inside its interval a target should be, in units of y.
    random_state : int, default 0

    Attributes
    ----------
    forest_ : ExtraTreesRegressor
    labels_ : float array (n,); (n, d) for boxes
        The targets that it was grown on.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.column_stack([X[:, 0] - 3, X[:, 0] + 3])
    >>> float(np.abs(IntervalForest().fit(X, y).predict([[10.0], [30.0]]) - [10, 30]).max()) < 3
    True
    """

    def __init__(
        self, *, n_trees: int = 50, rounds: int = 3, margin: float = 0.0, random_state: int = 0
    ) -> None:
        self.n_trees = n_trees
        self.rounds = rounds
        self.margin = margin
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forests; `y` are intervals in any form that `number_sets` reads."""
        check_integer("IntervalForest", "n_trees", self.n_trees, least=1)
        check_integer("IntervalForest", "rounds", self.rounds, least=1)
        sets = narrowed(self, y)
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
        weights = weights_of(sample_weight, len(sets))
        self._inputs_ = UnitInputs(X, weights)
        inputs = self._inputs_(X)
        targets = first_targets(sets, weights)
        self.forest_ = self._grown(inputs, targets, weights)
        for _ in range(int(self.rounds) - 1):
            targets = sets.nearest(_out_of_bag(self.forest_, targets))
            self.forest_ = self._grown(inputs, targets, weights)
        self._flat_ = sets.flat
        self.labels_ = targets[:, 0] if sets.flat else targets
        return self

    def _grown(self, inputs: FloatArray, targets: FloatArray, weights: FloatArray) -> Any:
        n = len(targets)
        forest = ExtraTreesRegressor(
            int(self.n_trees),
            bootstrap=True,
            oob_score=True,
            max_samples=None if n <= _MAX_TREE_ROWS else _MAX_TREE_ROWS,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # Rows that all trees drew keep their targets.
            warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
            columns = targets[:, 0] if targets.shape[1] == 1 else targets
            return forest.fit(inputs, columns, sample_weight=weights)

    def predict(self, X: Any) -> FloatArray:
        """The mean of the trees, ``(q,)``; ``(q, d)`` for boxes."""
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
        found = np.reshape(self.forest_.predict(self._inputs_(X)), (X.shape[0], -1))
        return found[:, 0] if self._flat_ else found


def _out_of_bag(forest: Any, targets: FloatArray) -> FloatArray:
    """Out-of-bag predictions ``(n, d)``; the target of a row that all trees drew."""
    found = np.reshape(forest.oob_prediction_, targets.shape)
    # scikit-learn predicts 0 for such rows.
    drawn_by_all = ~found.any(axis=1, keepdims=True)
    return np.where(drawn_by_all, targets, found)
