"""Losses on labels as parameters of an estimator; ``bind`` makes a `FiniteLoss` of the classes."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray


class HierarchicalLoss(BaseEstimator):
    """``loss(z, y)`` = edges on the path between two leaves, divided by the longest such path.

    Parameters
    ----------
    parents : mapping or Hierarchy
        Child to parent; the classes are among its leaves.

    Examples
    --------
    >>> import numpy as np
    >>> parents = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fly": "animal"}
    >>> HierarchicalLoss(parents).bind(np.array(["cat", "dog", "fly"])).matrix
    array([[0.        , 0.66666667, 1.        ],
           [0.66666667, 0.        , 1.        ],
           [1.        , 1.        , 0.        ]])
    """

    def __init__(self, parents: Any) -> None:
        self.parents = parents

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes."""
        tree = self.parents if isinstance(self.parents, Hierarchy) else Hierarchy(self.parents)
        distance = tree.distance_matrix(classes.tolist())
        longest = distance.max()
        return FiniteLoss(distance / longest if longest > 0 else distance, classes, classes)


class MatrixLoss(BaseEstimator):
    """``loss(z, y) = matrix[z, y]``: cost-sensitive, asymmetric, rectangular, anything finite.

    Parameters
    ----------
    matrix : array-like (P, K)
        Row z: the losses of predicting z, one column for each class in the order of ``classes_``.
        Differences below 1e-9 of the largest entry count as ties.
    predictions : array-like (P,), optional
        Names of the rows. Required if P differs from K; by default the classes.

    Examples
    --------
    Missing a sick patient costs five times a false alarm:

    >>> import numpy as np
    >>> loss = MatrixLoss([[0, 5], [1, 0]]).bind(np.array(["healthy", "sick"]))
    >>> str(loss.predictions[loss.matrix[:, 1].argmax()])
    'healthy'
    """

    def __init__(self, matrix: Any, predictions: Any = None) -> None:
        self.matrix = matrix
        self.predictions = predictions

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes; checks the shape against them."""
        matrix = np.array(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != len(classes) or len(matrix) == 0:
            raise ValueError(
                f"MatrixLoss: the matrix has shape {matrix.shape}; expected one row for each "
                f"prediction and {len(classes)} columns, one for each class in the order "
                f"{list(classes)!r}."
            )
        bad = np.argwhere(~np.isfinite(matrix))
        if bad.size:
            z, y = bad[0]
            raise ValueError(
                f"MatrixLoss: entry [{z}, {y}] is {matrix[z, y]}; every loss must be a finite "
                "number. For a mistake that must not happen, use some thousand times the other "
                "losses. At 1e9 times, the other losses would count as ties."
            )
        return FiniteLoss(matrix, self._names(len(matrix), classes), classes)

    def _names(self, n_predictions: int, classes: AnyArray) -> AnyArray:
        if self.predictions is None:
            if n_predictions == len(classes):
                return classes
            raise ValueError(
                f"MatrixLoss: {n_predictions} predictions for {len(classes)} classes need names. "
                "Pass predictions=[...], one for each row of the matrix."
            )
        names = list(self.predictions)
        if len(names) != n_predictions or len(set(names)) != n_predictions:
            raise ValueError(
                f"MatrixLoss: predictions={names!r} must name each of the {n_predictions} rows of "
                "the matrix once."
            )
        return name_array(names, classes)


def name_array(names: list[Any], classes: AnyArray) -> AnyArray:
    """Names as an array of the type of the classes if they fit, of objects otherwise."""
    array = np.array(names)
    # np.array turns a number among strings into a string, and tuples into a second axis.
    unchanged = array.shape == (len(names),) and array.tolist() == names
    if unchanged and array.dtype.kind == classes.dtype.kind:
        return array
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects


class OrdinalLoss(BaseEstimator):
    """``loss(z, y) = |rank(z) - rank(y)| ** power``, ranks in the order of ``classes_``.

    Parameters
    ----------
    power : float, default 1
        1 predicts medians, 2 predicts (rounded) means.

    Examples
    --------
    >>> import numpy as np
    >>> OrdinalLoss(power=2).bind(np.array([1, 2, 3])).matrix
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    """

    def __init__(self, power: float = 1) -> None:
        self.power = power

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes, in this order."""
        if not (np.isfinite(self.power) and self.power > 0):
            raise ValueError(f"OrdinalLoss: power={self.power!r}; expected a positive number.")
        ranks = np.arange(len(classes))
        distance = np.abs(np.subtract.outer(ranks, ranks)).astype(np.float64)
        return FiniteLoss(distance**self.power, classes, classes)


class ZeroOneLoss(BaseEstimator):
    """``loss(z, y) = 1`` if ``z != y`` else 0: every mistake costs the same.

    Examples
    --------
    >>> import numpy as np
    >>> ZeroOneLoss().bind(np.array(["cat", "dog"])).matrix
    array([[0., 1.],
           [1., 0.]])
    """

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes."""
        matrix = np.ones((len(classes), len(classes)))
        np.fill_diagonal(matrix, 0.0)
        return FiniteLoss(matrix, classes, classes)
