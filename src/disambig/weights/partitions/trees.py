"""Fitted trees: the leaves they put inputs into, and the rows they were grown on.

Trees grown without targets: every split by chance.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import AnyArray
from disambig.parameters import check_integer
from disambig.weights.row_groups import distinct_rows

# Leaves of so many rows and trees are asked for together: 64 MiB as scikit-learn gives them.
_BLOCK = 2**23
_LARGEST = float(np.finfo(np.float32).max)


def check_fitted_trees(owner: str, name: str, trees: Any) -> None:
    """Refuse what has no ``apply``, and what has not been fitted."""
    if not hasattr(trees, "apply"):
        raise ValueError(
            f"{owner}: {name} must be fitted and have apply(X), the leaf of each input in each "
            f"tree, as scikit-learn's trees and forests do; got {trees!r}."
        )
    try:
        check_is_fitted(trees)
    except NotFittedError as error:
        raise VotesError(
            f"{owner}: {name} is a {type(trees).__name__} that is not fitted, and there are no "
            f"targets here to fit it on. Fit it first, on targets of your own; or leave "
            f"{name}=None for random trees."
        ) from error


def leaf_names(trees: Any, X: Any) -> AnyArray:
    """The names of the leaves that inputs fall into, int32 ``(trees, q)``, as ``apply`` has them.

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
    # One row tells how many trees there are; there may be none to ask.
    probe = X[:1] if q else np.zeros((1, X.shape[1]))
    n_trees = np.asarray(trees.apply(probe)).size
    require_bytes(
        # Twice: as the trees name them, and as they are counted later.
        8.0 * n_trees * q,
        f"The leaves of {q} inputs in {n_trees} trees",
        "Use fewer trees, or ask for fewer inputs at a time.",
    )
    names = np.empty((n_trees, q), dtype=np.int32)
    step = max(1, _BLOCK // n_trees)
    for start in range(0, q, step):
        found = np.asarray(trees.apply(X[start : start + step]))
        names[:, start : start + step] = found.reshape(found.shape[0], n_trees).T
    return names


def drawn_counts(owner: str, forest: Any, names: AnyArray) -> AnyArray | None:
    """How often each tree of a forest drew each training row, ``(trees, n)``; None: all, once.

    Parameters
    ----------
    owner : str
        Named in errors.
    forest : fitted forest
    names : int32, (trees, n)
        The leaves of the training rows; that the counts are theirs is checked against what the
        trees remember of each leaf.
    """
    if not (getattr(forest, "bootstrap", False) and hasattr(forest, "estimators_samples_")):
        return None
    n = names.shape[1]
    samples = forest.estimators_samples_
    most = max(int(np.bincount(drawn).max()) for drawn in samples)
    counts = np.zeros(names.shape, dtype=np.uint16 if most < 2**16 else np.uint32)
    # The size is kept under a private name; where it is not, the leaves must do.
    same = getattr(forest, "_n_samples", n) == n
    for t, (drawn, tree) in enumerate(zip(samples, forest.estimators_, strict=True)):
        same = same and int(drawn.max()) < n
        if same:
            counts[t] = np.bincount(drawn, minlength=n)
            same = _fills(tree.tree_, names[t, counts[t] > 0])
        if not same:
            raise VotesError(
                f"{owner}: the trees of the forest drew their rows from another training set than "
                f"the {n} rows given here, or from these in another order. Give the rows that the "
                "forest was fitted on, or use in_bag=False."
            )
    return counts


def clone_around(piece: Any, name: str) -> Any:
    """A clone of a weighting that shares its parameter `name`, trees that cloning would fell."""
    parameters = piece.get_params(deep=False)
    kept = parameters.pop(name)
    copies = {key: clone(value, safe=False) for key, value in parameters.items()}
    return type(piece)(kept, **copies)


def _fills(tree: Any, names: AnyArray) -> bool:
    """Do rows that fall into leaves so make up the leaves that the tree remembers?"""
    remembered = tree.n_node_samples
    leaves = tree.children_left == -1
    return bool((np.bincount(names, minlength=remembered.size) == remembered)[leaves].all())


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

    A node is cut along a feature drawn from those that vary in it, at a point drawn between its
    smallest and largest value there. Copies of a row and the order of the rows change nothing.

    Parameters
    ----------
    owner : str
        Named in errors.
    X : float64 array or canonical csr_array, (n, d)
    n_estimators, min_samples_split, max_depth, random_state, n_jobs
        As in `sklearn.ensemble.ExtraTreesRegressor`; rows are counted once, whatever they weigh.
    """
    check_integer(owner, "min_samples_split", min_samples_split, least=2)
    if max_depth is not None:
        check_integer(owner, "max_depth", max_depth, least=1)
    # Trees compare in single precision.
    _check_range(owner, X)
    narrow = X.astype(np.float32)
    narrow = narrow[distinct_rows(narrow)]
    random = check_random_state(random_state)
    forest = ExtraTreesRegressor(
        n_estimators,
        # One feature is tried, so that targets have no say; they must differ, or nodes stay whole.
        max_features=1,
        min_samples_split=min_samples_split,
        max_depth=max_depth,
        random_state=random,
        n_jobs=n_jobs,
    )
    return forest.fit(narrow, random.uniform(size=narrow.shape[0]))


def _check_range(owner: str, X: Any) -> None:
    if X.shape[1] and max(X.max(), -X.min()) > _LARGEST:
        rows = np.abs(X).max(axis=1)
        rows = rows.toarray().ravel() if hasattr(rows, "toarray") else rows
        raise VotesError(
            f"{owner}: X has entries beyond single precision, in which trees compare, first in row "
            f"{int(np.argmax(rows > _LARGEST))}. Scale the features."
        )
