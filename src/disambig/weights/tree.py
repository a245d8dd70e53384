"""Votes of those who share a leaf of one tree."""

from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.votes import PartitionVotes
from disambig.weights.grown import check_grown, clone_around, leaf_names
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.parameters import check_flag
from disambig.weights.partition import Partition
from disambig.weights.random_trees import grow_random_trees

__all__ = ["TreeWeights"]

_NAME = "TreeWeights"


class TreeWeights(BaseEstimator):
    """``alpha[i, j] = [i and j share a leaf] w_j / (mass of the leaf)``, with w the sample weights.

    A tree that was fitted on targets of some kind, or one grown here by chance alone; of the
    latter `ForestWeights` averages many, which is nearly always better.

    Parameters
    ----------
    tree : fitted tree, default=None
        Anything with ``apply(X)``, the leaf of each input. It is used as it is and never fitted,
        also not in clones of this piece. None: a totally random tree on the inputs.
    min_samples_split : int, default=10
        In a random tree, a node with fewer distinct rows is a leaf.
    max_depth : int, default=None
        Of a random tree.
    random_state : int, RandomState or None, default=0
        None grows another tree at every fit.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the tree stays as it is, each row
        leaves its leaf, and the rest of the leaf is normalised. A row that was alone there has no
        votes.

    Attributes
    ----------
    tree_ : the tree in use
    partition_ : Partition
        Who is in which leaf.
    masses_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> tree = DecisionTreeRegressor().fit(X, y)
    >>> TreeWeights(tree).fit(X).votes([[0.2]]).rows(0, 1).toarray()
    array([[0.5, 0.5, 0. , 0. ]])
    """

    def __init__(
        self,
        tree: Any = None,
        *,
        min_samples_split: int = 10,
        max_depth: int | None = None,
        random_state: Any = 0,
        leave_one_out: bool = False,
    ) -> None:
        self.tree = tree
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.random_state = random_state
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Put the training inputs ``(n, d)`` into the leaves of the tree."""
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X)
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        if self.tree is None:
            grown = grow_random_trees(
                _NAME,
                X,
                n_estimators=1,
                min_samples_split=self.min_samples_split,
                max_depth=self.max_depth,
                random_state=self.random_state,
            )
            self.tree_ = grown.estimators_[0]
        else:
            check_grown(_NAME, "tree", self.tree)
            self.tree_ = self.tree
        names = leaf_names(self.tree_, X)
        if names.shape[0] != 1:
            raise ValueError(
                f"{_NAME}: tree must be a single tree; got a {type(self.tree).__name__} of "
                f"{names.shape[0]}. Use ForestWeights for those."
            )
        self.partition_ = Partition.build(names, self.masses_)
        return self

    def training_votes(self) -> PartitionVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.partition_.training_votes()

    def leave_one_out_votes(self) -> PartitionVotes:
        """The votes of the others in each leaf, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        return self.partition_.leave_one_out_votes()

    def votes(self, X: Any) -> PartitionVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return self.partition_.votes(leaf_names(self.tree_, X))

    def __sklearn_clone__(self) -> Self:
        copied: Self = clone_around(self, "tree")
        return copied

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
