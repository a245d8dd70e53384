"""Trees grown without targets: every split by chance."""

from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils import check_random_state

from disambig.exceptions import VotesError
from disambig.weights.distinct import distinct_rows
from disambig.weights.parameters import check_integer

__all__ = ["grow_random_trees"]

_LARGEST = float(np.finfo(np.float32).max)


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
