"""Boosted trees on the squared hinge: each tree learns what is missing to the intervals."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import Intervals
from disambig.estimators.interval_models.reading import (
    UnitInputs,
    first_targets,
    narrowed,
    weights_of,
)
from disambig.notation import FloatArray
from disambig.parameters import check_integer

# The share of the rows that a tree is grown on, and their number at most.
_SUBSAMPLE, _MAX_TREE_ROWS = 0.7, 5000
_MIN_LEAF_ROWS = 5


class IntervalBoosting(RegressorMixin, BaseEstimator):
    """``f <- f + rate * tree``, with a tree fitted to the steps from f to the intervals.

    The step of a row is 0 inside its interval: half the negative gradient of the squared distance.

    Parameters
    ----------
    n_stages : int, default 100
    depth : int, default 2
        Of the trees.
    learning_rate : float, default 0.1
    margin : float, default 0
        How far inside its interval a prediction should be, in units of y.
    random_state : int, default 0
        Of the rows that each tree is grown on.

    Attributes
    ----------
    trees_ : list of DecisionTreeRegressor
    start_ : float array (d,)
        The mean of the first targets.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.column_stack([X[:, 0] - 3, X[:, 0] + 3])
    >>> model = IntervalBoosting().fit(X, y)
    >>> float(np.abs(model.predict([[10.0], [30.0]]) - [10, 30]).max()) < 4
    True
    """

    def __init__(
        self,
        n_stages: int = 100,
        *,
        depth: int = 2,
        learning_rate: float = 0.1,
        margin: float = 0.0,
        random_state: int = 0,
    ) -> None:
        self.n_stages = n_stages
        self.depth = depth
        self.learning_rate = learning_rate
        self.margin = margin
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees; `y` are intervals in any form that `number_sets` reads."""
        check_integer("IntervalBoosting", "n_stages", self.n_stages, least=1)
        sets = narrowed(self, y)
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
        weights = weights_of(sample_weight, len(sets))
        self._inputs_ = UnitInputs(X, weights)
        self._flat_ = sets.flat
        first = first_targets(sets, weights)
        self.start_ = np.average(first, axis=0, weights=weights)
        self.trees_ = list(self._grown(self._inputs_(X), sets, weights))
        return self

    def _grown(
        self, inputs: FloatArray, sets: Intervals, weights: FloatArray
    ) -> Iterator[DecisionTreeRegressor]:
        rng = check_random_state(self.random_state)
        n = len(sets)
        count = min(_MAX_TREE_ROWS, max(1, round(_SUBSAMPLE * n)))
        leaf = max(1, min(_MIN_LEAF_ROWS, count // 8))
        values = np.tile(self.start_, (n, 1))
        lower, upper = sets.lower, sets.upper
        for _ in range(int(self.n_stages)):
            rows = rng.choice(n, count, replace=False)
            drawn = values[rows]
            steps = np.clip(drawn, lower[rows], upper[rows]) - drawn
            tree = DecisionTreeRegressor(
                max_depth=self.depth,
                min_samples_leaf=leaf,
                random_state=rng.randint(np.iinfo(np.int32).max),
            ).fit(inputs[rows], steps, sample_weight=weights[rows], check_input=False)
            values += self._step(tree, inputs)
            yield tree

    def _step(self, tree: DecisionTreeRegressor, inputs: FloatArray) -> FloatArray:
        found: FloatArray = np.reshape(tree.predict(inputs, check_input=False), (len(inputs), -1))
        return float(self.learning_rate) * found

    def predict(self, X: Any) -> FloatArray:
        """The sum of the trees, ``(q,)``; ``(q, d)`` for boxes."""
        return self.staged(X, [len(self.trees_)])[0]

    def staged(self, X: Any, stages: list[int]) -> list[FloatArray]:
        """Predictions after some numbers of trees, which rise: what `n_stages` would predict."""
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
        inputs = self._inputs_(X)
        values = np.tile(self.start_, (len(inputs), 1))
        found = {}
        for number, tree in enumerate(self.trees_, start=1):
            values = values + self._step(tree, inputs)
            if number in stages:
                found[number] = values
        return [found[stage][:, 0] if self._flat_ else found[stage] for stage in stages]
