"""Fitted trees: the leaves of inputs, the rows that trees drew, and totally random trees.

Trees may read missing cells themselves: a split then sends NaN to one of its sides.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_integer
from disambig.votes.entries import MAX_ENTRY
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import small_indices
from disambig.weights.row_groups import distinct_rows

# Pairs of row and tree whose leaves are computed together: 64 MiB of int64.
_LEAVES_PER_BLOCK = 2**23
# scikit-learn's trees take entries that differ by less than 1e-7 as equal. A column with a range
# below this is scaled for them.
_MIN_RANGE = 1e-3
_MAX_INTEGER = 2**31 - 1
# What a tree of a single leaf takes at least, with its objects of Python.
_LEAST_TREE_BYTES = 1000.0


def check_fitted_trees(owner: str, name: str, trees: Any) -> None:
    """Raise an error if `trees` have no ``apply``, or are not fitted."""
    if not hasattr(trees, "apply"):
        raise ValueError(
            f"{owner}: {name} must be fitted and have apply(X), the leaf of each input in each "
            f"tree, as scikit-learn's trees and forests do; got {trees!r}."
        )
    try:
        check_is_fitted(trees)
    except NotFittedError as error:
        raise VotesError(
            f"{owner}: {name} is a {type(trees).__name__} that is not fitted, and a weighting has "
            f"no targets to fit it on. Fit it first, on targets of your own, or use {name}=None "
            "for random trees."
        ) from error


def trees_read_missing(trees: Any) -> bool:
    """Whether trees, or the random ones that are grown for None, read NaN as missing cells.

    Examples
    --------
    >>> from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    >>> forest, boosting = RandomForestClassifier(), GradientBoostingClassifier()
    >>> trees_read_missing(forest), trees_read_missing(boosting)
    (True, False)
    """
    if trees is None:
        return True
    return hasattr(trees, "__sklearn_tags__") and bool(get_tags(trees).input_tags.allow_nan)


def read_for_trees(read: Callable[..., Any], weighting: Any, X: Any, trees: Any) -> Any:
    """X by `training_inputs` or `query_inputs`, with NaN if the trees read it.

    Parameters
    ----------
    read : training_inputs or query_inputs
    weighting : ForestWeights or TreeWeights
    X : array, sparse matrix or frame, (n, d)
    trees : fitted trees, or None for random ones
    """
    X = read(weighting, X, missing=not sp.issparse(X) and trees_read_missing(trees))
    if sp.issparse(X) and np.isnan(X.data).any():
        raise VotesError(
            f"{type(weighting).__name__}: trees read missing cells of dense X; got a sparse matrix "
            "with NaN. Pass an array, or fill the cells."
        )
    return X


def leaf_names(trees: Any, X: Any) -> AnyArray:
    """The names of the leaves of inputs, int32 ``(trees, q)``, as ``apply`` returns them.

    Parameters
    ----------
    trees : fitted tree or ensemble
        Whose ``apply(X)`` is ``(q,)``, ``(q, trees)`` or, for boosting, ``(q, rounds, classes)``.
    X : array or csr_array, (q, d)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0], [1.0]])
    >>> leaf_names(DecisionTreeClassifier().fit(X, [0, 1]), X)
    array([[1, 2]], dtype=int32)
    """
    q = X.shape[0]
    # The number of trees is that of the leaves of one row; X may have no rows.
    probe = X[:1] if q else np.zeros((1, X.shape[1]))
    n_trees = np.asarray(trees.apply(probe)).size
    require_bytes(
        # Twice: the names, and the numbers that replace them later.
        8.0 * n_trees * q,
        f"The leaves of {q} inputs in {n_trees} trees",
        "Use fewer trees, or pass fewer inputs at a time.",
    )
    names = np.empty((n_trees, q), dtype=np.int32)
    step = max(1, _LEAVES_PER_BLOCK // n_trees)
    for start in range(0, q, step):
        found = np.asarray(trees.apply(X[start : start + step]))
        names[:, start : start + step] = found.reshape(found.shape[0], n_trees).T
    return names


def drawn_counts(owner: str, forest: Any, names: AnyArray) -> AnyArray | None:
    """How often each tree of a forest drew each training row, ``(trees, n)``; None for once.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    forest : fitted forest
    names : int32, (trees, n)
        The leaves of the training rows. They must agree with the number of rows that each tree
        stores for each leaf.
    """
    if not (getattr(forest, "bootstrap", False) and hasattr(forest, "estimators_samples_")):
        return None
    n = names.shape[1]
    samples = forest.estimators_samples_
    max_count = max(int(np.bincount(drawn).max()) for drawn in samples)
    counts = np.zeros(names.shape, dtype=np.uint16 if max_count < 2**16 else np.uint32)
    # _n_samples is private to scikit-learn; without it, the leaves are checked alone.
    same = getattr(forest, "_n_samples", n) == n
    for t, (drawn, tree) in enumerate(zip(samples, forest.estimators_, strict=True)):
        same = same and int(drawn.max()) < n
        if same:
            counts[t] = np.bincount(drawn, minlength=n)
            same = _matches_leaf_sizes(tree.tree_, names[t, counts[t] > 0])
        if not same:
            raise VotesError(
                f"{owner}: the trees of the forest drew their rows from another training set than "
                f"the {n} rows given here, or from these in another order. Give the rows that the "
                "forest was fitted on, or use in_bag=False."
            )
    return counts


def clone_around(weighting: Any, name: str) -> Any:
    """A clone of a weighting that shares its parameter `name`: clones of trees are not fitted."""
    parameters = weighting.get_params(deep=False)
    kept = parameters.pop(name)
    copies = {key: clone(value, safe=False) for key, value in parameters.items()}
    return type(weighting)(kept, **copies)


def _matches_leaf_sizes(tree: Any, names: AnyArray) -> bool:
    """Whether the rows in each leaf are as many as the tree stores for it."""
    stored = tree.n_node_samples
    leaves = tree.children_left == -1
    return bool((np.bincount(names, minlength=stored.size) == stored)[leaves].all())


def column_factors(X: Any) -> FloatArray | None:
    """Powers of two that give narrow columns a range from 1 to 2, ``(d,)``; None for none.

    Examples
    --------
    >>> import numpy as np
    >>> column_factors(np.array([[0.0, 0.0], [1.0, 2.0**-20]])).tolist()
    [1.0, 1048576.0]
    """
    if is_divided(X):
        found = [ends for ends in X.map(_extremes) if ends.size]
        low, high = np.fmin.reduce(found)[0], np.fmax.reduce(found)[1]
    elif sp.issparse(X):
        high, low = X.max(axis=0).toarray(), X.min(axis=0).toarray()
    else:
        # A column without a value has none, and is not narrow.
        high, low = np.fmax.reduce(X, axis=0), np.fmin.reduce(X, axis=0)
    ranges: FloatArray = np.asarray(high - low, dtype=np.float64).ravel()
    narrow = (ranges > 0) & (ranges < _MIN_RANGE)
    if not narrow.any():
        return None
    # The largest power of two is 2^1023, and the smallest range 2^-1074.
    powers = np.minimum(1 - np.frexp(ranges)[1], 1023)
    return np.where(narrow, np.ldexp(1.0, powers), 1.0)


def _extremes(part: AnyArray) -> FloatArray:
    """The smallest and the largest value of each column, ``(2, d)``; empty for no rows."""
    if not part.shape[0]:
        return np.empty(0)
    ends = np.fmin.reduce(part, axis=0), np.fmax.reduce(part, axis=0)
    return np.array(ends, dtype=np.float64)


def scaled_columns(X: Any, factors: FloatArray | None) -> Any:
    """X with its columns multiplied by `factors`, if there are any."""
    if factors is None:
        return X
    # An input far outside of the training rows stays in the range of single precision.
    with np.errstate(over="ignore"):
        if not sp.issparse(X):
            return np.clip(X * factors, -MAX_ENTRY, MAX_ENTRY)
        scaled = small_indices(sp.csr_array(X.multiply(factors[None, :])))
    np.clip(scaled.data, -MAX_ENTRY, MAX_ENTRY, out=scaled.data)
    return scaled


def grow_random_trees(
    owner: str,
    X: Any,
    *,
    n_estimators: int,
    min_samples_split: int,
    max_depth: int | None,
    random_state: Any,
    n_jobs: int | None = None,
) -> ExtraTreesRegressor:
    """Totally random trees on the distinct rows of X.

    A node is split on a random feature of those that vary in it, at a random point between its
    smallest and largest value; rows without a value go to a random side. The trees depend neither
    on copies nor on the order of the rows. They take entries that differ by
    less than 1e-7 as equal: scale narrow columns before, see `column_factors`.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    X : float64 array or canonical csr_array, (n, d)
        NaN where missing, in an array.
    n_estimators, min_samples_split, max_depth, random_state, n_jobs
        As in `sklearn.ensemble.ExtraTreesRegressor`; rows are counted once, whatever their weight.
    """
    check_integer(owner, "min_samples_split", min_samples_split, least=2)
    if max_depth is not None:
        check_integer(owner, "max_depth", max_depth, least=1)
    what = f"{owner} with {n_estimators} trees"
    require_bytes(_LEAST_TREE_BYTES * n_estimators, what, "Grow fewer trees.")
    # scikit-learn's trees compare in single precision.
    narrow = X.astype(np.float32)
    if not sp.issparse(narrow):
        # One NaN of the many that there are.
        narrow[np.isnan(narrow)] = np.nan
    narrow = narrow[distinct_rows(narrow)]
    random = check_random_state(random_state)
    forest = ExtraTreesRegressor(
        n_estimators,
        # One feature is tried, so the split does not depend on the targets. Targets must differ:
        # a node with equal targets is not split.
        max_features=1,
        # Beyond the number of rows both mean the same, and compiled code has no larger integers.
        min_samples_split=min(min_samples_split, _MAX_INTEGER),
        max_depth=None if max_depth is None else min(max_depth, _MAX_INTEGER),
        random_state=random,
        n_jobs=n_jobs,
    )
    return forest.fit(narrow, random.uniform(size=narrow.shape[0]))
