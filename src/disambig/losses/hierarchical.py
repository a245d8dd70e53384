"""Losses for classes that are the leaves of a tree."""

from typing import Any

from sklearn.base import BaseEstimator

from disambig.candidates.hierarchy import Hierarchy
from disambig.losses.finite import FiniteLoss
from disambig.notation import AnyArray

__all__ = ["HierarchicalLoss"]


class HierarchicalLoss(BaseEstimator):
    """``loss(z, y)`` = edges on the path between two leaves, over the longest such path.

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
