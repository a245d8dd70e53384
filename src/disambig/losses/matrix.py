"""A loss given by its table."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.finite import FiniteLoss
from disambig.notation import AnyArray

__all__ = ["MatrixLoss"]


class MatrixLoss(BaseEstimator):
    """``loss(z, y) = matrix[z, y]``: cost-sensitive, asymmetric, rectangular, anything finite.

    Parameters
    ----------
    matrix : array-like (P, K)
        Row z: what is paid for predicting z, one column a class in the order of ``classes_``. Ties
        are judged by the largest entry: differences below 1e-9 of it are none.
    predictions : array-like (P,), optional
        Names of the rows. Needed where P differs from K; the classes otherwise.

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
                f"MatrixLoss: the matrix has shape {matrix.shape}; expected one row a prediction "
                f"and {len(classes)} columns, one a class, in the order {list(classes)!r}."
            )
        bad = np.argwhere(~np.isfinite(matrix))
        if bad.size:
            z, y = bad[0]
            raise ValueError(
                f"MatrixLoss: entry [{z}, {y}] is {matrix[z, y]}; every loss must be a finite "
                "number. For a mistake that must not happen, use some thousand times the others: "
                "beside 1e9 times as much they would count as ties."
            )
        return FiniteLoss(matrix, self._names(len(matrix), classes), classes)

    def _names(self, n_predictions: int, classes: AnyArray) -> AnyArray:
        if self.predictions is None:
            if n_predictions == len(classes):
                return classes
            raise ValueError(
                f"MatrixLoss: {n_predictions} predictions for {len(classes)} classes need names. "
                "Pass predictions=[...], one a row of the matrix."
            )
        names = list(self.predictions)
        if len(names) != n_predictions or len(set(names)) != n_predictions:
            raise ValueError(
                f"MatrixLoss: predictions={names!r} must name each of the {n_predictions} rows of "
                "the matrix once."
            )
        return name_array(names, classes)


def name_array(names: list[Any], classes: AnyArray) -> AnyArray:
    """Names as an array of the classes' own kind where they fit in it, of objects otherwise."""
    array = np.array(names)
    # numpy turns a number among texts into a text, and pairs into a second axis.
    unchanged = array.shape == (len(names),) and array.tolist() == names
    if unchanged and array.dtype.kind == classes.dtype.kind:
        return array
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects
