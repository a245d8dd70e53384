"""Forests of items: the place of each item, predicted by its own forest."""

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesRegressor

from disambig.candidates import PartialOrders
from disambig.estimators.rankers.calibration import pair_scale
from disambig.estimators.rankers.targets import expected_places
from disambig.estimators.selection.scales import unit_scales
from disambig.notation import FloatArray
from disambig.parameters import check_integer

_NAME = "ItemForestRanker"
# Rows with less information about the place of an item are left out of its forest.
_MIN_INFORMATION = 0.05
# With fewer rows a tree may have seen all of them.
_MIN_BOOTSTRAP_ROWS = 10
# Rows that a tree sees at most.
_MAX_TREE_ROWS = 5000


class ItemForestRanker(BaseEstimator):
    """``P(i before j | x) = sigmoid(c (f_j(x) - f_i(x)))`` with a forest ``f_i`` for each item.

    The forest of an item learns its place from the rows that know something of it: the place
    itself, or the mean place over the orders of the row's set, weighted by the information. The
    slope c minimises the squared error of observed pairs at the rows that trees have not seen.

    Parameters
    ----------
    n_trees : int, default 100
    min_samples_leaf : int, default 1
    random_state : int, default 0

    Attributes
    ----------
    forests_ : list of ExtraTreesRegressor or None
        None for an item of which no row knows anything; its place is the middle.
    slope_ : float

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> orders = PartialOrders.from_any(["a>b" if x < 0 else "b>c>a" for x in X[:, 0]])
    >>> ItemForestRanker().fit(X, orders).pair_shares([[-1.0], [1.0]])[:, 0].round(1).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self, n_trees: int = 100, *, min_samples_leaf: int = 1, random_state: int = 0
    ) -> None:
        self.n_trees = n_trees
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forests.

        Parameters
        ----------
        X : float array or csr_array (n, d)
        y : PartialOrders of n rows, or what `PartialOrders.from_any` reads
        sample_weight : float array (n,), optional
        """
        check_integer(_NAME, "n_trees", self.n_trees, least=1)
        orders = PartialOrders.from_any(y)
        n, m = orders.shape
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
        self._units_ = unit_scales(X, weights)
        self._center_ = np.zeros(X.shape[1]) if sp.issparse(X) else X.mean(axis=0)
        inputs = self._inputs(X)
        places, information = expected_places(orders)
        held_out = np.full((n, m), (m - 1) / 2.0)
        self.forests_: list[ExtraTreesRegressor | None] = []
        for item in range(m):
            rows = np.flatnonzero(information[:, item] > _MIN_INFORMATION)
            if not rows.size:
                self.forests_.append(None)
                continue
            forest, out_of_bag = self._grown(
                inputs[rows], places[rows, item], weights[rows] * information[rows, item]
            )
            held_out[:, item] = np.average(places[rows, item], weights=weights[rows])
            held_out[rows, item] = out_of_bag
            self.forests_.append(forest)
        self._middle_ = (m - 1) / 2.0
        i, j = np.triu_indices(m, 1)
        self.slope_ = pair_scale(held_out[:, j] - held_out[:, i], orders.signs(), weights)
        return self

    def _grown(
        self, X: Any, places: FloatArray, weights: FloatArray
    ) -> tuple[ExtraTreesRegressor, FloatArray]:
        """A forest, and the places that trees predict at the rows that they have not seen."""
        n = X.shape[0]
        has_rest = n >= _MIN_BOOTSTRAP_ROWS
        forest = ExtraTreesRegressor(
            self.n_trees,
            min_samples_leaf=min(self.min_samples_leaf, n),
            bootstrap=has_rest,
            max_samples=_MAX_TREE_ROWS if n > _MAX_TREE_ROWS else None,
            oob_score=_no_score if has_rest else False,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # A row that every tree has seen is predicted by 0 and warned of.
            warnings.simplefilter("ignore", UserWarning)
            forest.fit(X, places, weights)
        # Not the function: a saved model holds none.
        forest.oob_score = has_rest
        mean = np.full(n, np.average(places, weights=weights))
        return forest, np.asarray(forest.oob_prediction_) if has_rest else mean

    def _inputs(self, X: Any) -> Any:
        # Trees convert X to float32, which would lose a small spread far from zero.
        if sp.issparse(X):
            return sp.csr_array(X.multiply(self._units_[None, :]))
        return (np.asarray(X, np.float64) - self._center_) * self._units_

    def places(self, X: Any) -> FloatArray:
        """Predicted places of the items, ``(q, m)``."""
        inputs = self._inputs(X)
        columns = [
            np.full(inputs.shape[0], self._middle_) if forest is None else forest.predict(inputs)
            for forest in self.forests_
        ]
        return np.column_stack(columns)

    def pair_shares(self, X: Any) -> FloatArray:
        """``P(i before j)`` of the pairs i < j, ``(q, pairs)``."""
        places = self.places(X)
        i, j = np.triu_indices(places.shape[1], 1)
        shares: FloatArray = expit(self.slope_ * (places[:, j] - places[:, i]))
        return shares


def _no_score(truth: FloatArray, predicted: FloatArray) -> float:
    """Predictions out of bag are needed, their score is not."""
    return 0.0
