"""Votes of rows that share a leaf: `TreeWeights` of one tree, `ForestWeights` of many."""

from functools import partial
from typing import Any, Self

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_flag, check_integer, check_jobs
from disambig.votes.leaf_blocks import LeafBlockVotes
from disambig.votes.partition import PartitionVotes
from disambig.weights.divided.leaves import DividedPartition, divided_trees, grow_divided_trees
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.partitions.partition import Partition, PartitionWeights
from disambig.weights.partitions.trees import (
    check_fitted_trees,
    clone_around,
    column_factors,
    drawn_counts,
    grow_random_trees,
    leaf_names,
    read_for_trees,
    scaled_columns,
    trees_read_missing,
)

_FOREST = "ForestWeights"
_TREE = "TreeWeights"


def divided_partition(
    owner: str,
    X: DividedRows,
    trees: Any,
    factors: FloatArray | None,
    sample_weight: FloatArray,
    options: dict[str, Any],
) -> tuple[Any, DividedPartition]:
    """The trees of rows in parts, grown if they are None, and the leaves of the rows."""
    if trees is None:
        block, found = grow_divided_trees(owner, X, factors, **options)
    else:
        block, found = divided_trees(X, trees)
    return found, DividedPartition.build(X, block, factors, sample_weight)


class ForestWeights(PartitionWeights):
    """``alpha[i, j] = mean_t [i and j share a leaf of tree t] w_j / (weight of the leaf)``.

    Either a forest that was fitted on some targets, or totally random trees that are grown here.
    ``alpha`` is applied leaf by leaf and never formed: a product with p columns costs
    ``trees * (n + q) * p`` operations. The mean is over the trees whose leaf has votes. Of more
    than 100,000 rows in parts, random trees are grown on 100,000 rows at random.
    Random trees, and a `forest` whose tags allow it, read missing cells, NaN, themselves.

    Parameters
    ----------
    forest : fitted forest, default=None
        Anything with ``apply(X)``: random forests and extra trees (with ``in_bag``,
        ``alpha @ y`` is what a `RandomForestRegressor` fitted on y predicts), random trees
        embeddings, boosting, where every tree counts the same. It is used as it is and never
        fitted, also not in clones of this weighting. None: totally random trees on the inputs,
        without targets.
    in_bag : bool, default=True
        For a `forest` with ``bootstrap=True``: whether in each tree only the rows vote that it
        drew, as often as it drew them. X must then hold the rows that the forest was fitted on. If
        False, all rows vote in every tree, as always without bootstrap.
    n_estimators : int, default=100
        Number of random trees. This and the next three are ignored with a `forest`.
    min_samples_split : int, default=10
        A node with fewer distinct rows is a leaf: the smaller, the more local the votes.
    max_depth : int, default=None
    random_state : int, RandomState or None, default=0
        None grows other trees at every fit.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`. Where trees drew their rows (`in_bag`)
        these are out-of-bag votes: for each row, of the trees that did not draw it; a row that all
        trees drew has no votes. Otherwise trees stay as they are, the row is removed from its leaf,
        and the rest of the leaf is normalised; trees in which the row is alone in its leaf are left
        out of the mean.
    n_jobs : int, default=None
        For growing random trees.

    Attributes
    ----------
    forest_ : the trees in use
    column_factors_ : float64, (d,), or None
        Factors of the columns of X for random trees, where some have a range below 0.001; else
        None.
    partition_ : Partition or DividedPartition
        The leaf of each training row in each tree.
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import ExtraTreesRegressor
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> forest = ExtraTreesRegressor(10, random_state=0).fit(X, y)
    >>> ForestWeights(forest).fit(X).votes([[0.2], [9.0]]) @ y
    array([0., 1.])
    """

    def __init__(
        self,
        forest: Any = None,
        *,
        in_bag: bool = True,
        n_estimators: int = 100,
        min_samples_split: int = 10,
        max_depth: int | None = None,
        random_state: Any = 0,
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.forest = forest
        self.in_bag = in_bag
        self.n_estimators = n_estimators
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.random_state = random_state
        self.leave_one_out = leave_one_out
        self.n_jobs = n_jobs

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Put the training inputs ``(n, d)`` into the leaves of the trees."""
        check_flag(_FOREST, "in_bag", self.in_bag)
        check_flag(_FOREST, "leave_one_out", self.leave_one_out)
        check_integer(_FOREST, "n_estimators", self.n_estimators, least=1)
        check_jobs(_FOREST, self.n_jobs)
        X = read_for_trees(training_inputs, self, X, self.forest)
        self.sample_weight_ = checked_sample_weight(_FOREST, sample_weight, X.shape[0])
        self.column_factors_ = column_factors(X) if self.forest is None else None
        options = {
            "n_estimators": self.n_estimators,
            "min_samples_split": self.min_samples_split,
            "max_depth": self.max_depth,
            "random_state": self.random_state,
            "n_jobs": self.n_jobs,
        }
        if self.forest is not None:
            check_fitted_trees(_FOREST, "forest", self.forest)
        if is_divided(X):
            self.forest_, self.partition_ = divided_partition(
                _FOREST, X, self.forest, self.column_factors_, self.sample_weight_, options
            )
            return self
        X = scaled_columns(X, self.column_factors_)
        grown = self.forest is None
        self.forest_ = grow_random_trees(_FOREST, X, **options) if grown else self.forest
        names = leaf_names(self.forest_, X)
        counts = drawn_counts(_FOREST, self.forest_, names) if self.in_bag else None
        self.partition_ = Partition.build(names, self.sample_weight_, counts)
        return self

    def votes(self, X: Any) -> PartitionVotes | LeafBlockVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = read_for_trees(query_inputs, self, X, self.forest)
        X = scaled_columns(X, self.column_factors_)
        found: PartitionVotes | LeafBlockVotes = self.partition_.votes(leaf_names(self.forest_, X))
        return found

    def projection(self, table: FloatArray) -> Any:
        """The map from new inputs ``(q, d)`` to their votes times a table, ``(q, P)``.

        For rows in parts; it holds none of them.

        Parameters
        ----------
        table : float array (n, P)
        """
        if not isinstance(self.partition_, DividedPartition):
            raise MissingOracleError(f"{_FOREST}: projection is for rows in parts; use votes(X).")
        names_at = partial(_names_at, trees=self.forest_, factors=self.column_factors_)
        return self.partition_.projection(table, names_at)

    @property
    def undivided(self) -> str:
        """What needs all rows in one array, and what to use instead; empty for nothing."""
        if self.in_bag and getattr(self.forest, "bootstrap", False):
            return (
                "in_bag=True of a forest that drew its rows needs all rows in one array. Use "
                "in_bag=False, or fit in memory"
            )
        return ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = trees_read_missing(self.forest)
        return tags

    def __sklearn_clone__(self) -> Self:
        copied: Self = clone_around(self, "forest")
        return copied


class TreeWeights(PartitionWeights):
    """``alpha[i, j] = [i and j share a leaf] w_j / (weight of the leaf)``, w the sample weights.

    Either a tree that was fitted on some targets, or a totally random tree that is grown here.
    `ForestWeights` averages many random trees, which is nearly always better. A random tree, and a
    `tree` whose tags allow it, reads missing cells, NaN, itself.

    Parameters
    ----------
    tree : fitted tree, default=None
        Anything with ``apply(X)``, the leaf of each input. It is used as it is and never fitted,
        also not in clones of this weighting. None: a totally random tree on the inputs.
    min_samples_split : int, default=10
        In a random tree, a node with fewer distinct rows is a leaf.
    max_depth : int, default=None
        Of a random tree.
    random_state : int, RandomState or None, default=0
        None grows another tree at every fit.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the tree stays as it is, each row
        is removed from its leaf, and the rest of the leaf is normalised. A row that is alone in its
        leaf has no votes.

    Attributes
    ----------
    tree_ : the tree in use
    column_factors_ : float64, (d,), or None
        Factors of the columns of X for random trees, where some have a range below 0.001; else
        None.
    partition_ : Partition or DividedPartition
        The leaf of each training row in each tree.
    sample_weight_ : float64, (n,)
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

    undivided = ""

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Put the training inputs ``(n, d)`` into the leaves of the tree."""
        check_flag(_TREE, "leave_one_out", self.leave_one_out)
        X = read_for_trees(training_inputs, self, X, self.tree)
        self.sample_weight_ = checked_sample_weight(_TREE, sample_weight, X.shape[0])
        self.column_factors_ = column_factors(X) if self.tree is None else None
        options = {
            "n_estimators": 1,
            "min_samples_split": self.min_samples_split,
            "max_depth": self.max_depth,
            "random_state": self.random_state,
        }
        if self.tree is not None:
            self._check_tree(X.shape[1])
        if is_divided(X):
            trees, self.partition_ = divided_partition(
                _TREE, X, self.tree, self.column_factors_, self.sample_weight_, options
            )
            self.tree_ = trees if self.tree is not None else trees.estimators_[0]
            return self
        X = scaled_columns(X, self.column_factors_)
        grown = self.tree is None
        self.tree_ = grow_random_trees(_TREE, X, **options).estimators_[0] if grown else self.tree
        names = leaf_names(self.tree_, X)
        self.partition_ = Partition.build(names, self.sample_weight_)
        return self

    def votes(self, X: Any) -> PartitionVotes | LeafBlockVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = read_for_trees(query_inputs, self, X, self.tree)
        X = scaled_columns(X, self.column_factors_)
        found: PartitionVotes | LeafBlockVotes = self.partition_.votes(leaf_names(self.tree_, X))
        return found

    def _check_tree(self, d: int) -> None:
        check_fitted_trees(_TREE, "tree", self.tree)
        count = leaf_names(self.tree, np.zeros((1, d))).shape[0]
        if count != 1:
            raise ValueError(
                f"{_TREE}: tree must be a single tree; got a {type(self.tree).__name__} of "
                f"{count}. Use ForestWeights for those."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = trees_read_missing(self.tree)
        return tags

    def __sklearn_clone__(self) -> Self:
        copied: Self = clone_around(self, "tree")
        return copied


def _names_at(X: Any, trees: Any, factors: FloatArray | None) -> AnyArray:
    return leaf_names(trees, scaled_columns(X, factors))
