"""Splitting rows whose labels are sets."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import LabelSets
from disambig.exceptions import UnusedClassWarning
from disambig.notation import BoolArray, IntArray

__all__ = ["CandidateKFold"]


class CandidateKFold(BaseEstimator):
    """K folds, each class spread over them, and every class possible in every training part.

    scikit-learn takes a mask of candidates for a multilabel target and cuts it into blocks as it
    comes; on rows sorted by class a fold then trains without a class that it is tested on.

    Rows are dealt to the folds in the order of their rarest candidate, then of the size of their
    set, so that the precise rows of each class are spread too. A class whose rows would all fall
    into one fold has one of them moved. A class that is a candidate of a single row cannot be in
    every training part: a warning names it.

    Parameters
    ----------
    n_splits : int, default 5
    random_state : int or None, default 0
        Order of rows with the same rarest candidate and set size. None: as they come.
    classes, unlabeled
        See `LabelSets.from_any`.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 1]])
    >>> for train, test in CandidateKFold(n_splits=2).split(y, y):
    ...     print(y[train].any(axis=0), len(test))
    [ True  True] 3
    [ True  True] 3
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        random_state: int | None = 0,
        classes: Any = None,
        unlabeled: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.random_state = random_state
        self.classes = classes
        self.unlabeled = unlabeled

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return int(self.n_splits)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of training and test rows.

        Parameters
        ----------
        X : ignored
            Present for scikit-learn.
        y : array-like, n rows
            Sets in any form that `LabelSets.from_any` reads.
        groups : None
            Groups are refused: rows are dealt one by one.
        """
        if groups is not None:
            raise ValueError(
                "CandidateKFold deals single rows and cannot keep groups together. Use "
                "sklearn.model_selection.GroupKFold for that."
            )
        sets = LabelSets.from_any(y, classes=self.classes, unlabeled=self.unlabeled)
        if not 2 <= self.n_splits <= len(sets):
            raise ValueError(
                f"CandidateKFold: n_splits={self.n_splits!r} with {len(sets)} rows; expected a "
                "number from 2 to the number of rows."
            )
        fold = self._folds(sets.mask)
        self._check_single_rows(sets)
        for k in range(self.n_splits):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _folds(self, mask: BoolArray) -> IntArray:
        n = len(mask)
        counts = mask.sum(axis=0)
        rarest = np.where(mask, counts, n + 1).argmin(axis=1)
        shuffled = (
            np.arange(n)
            if self.random_state is None
            else np.random.default_rng(self.random_state).permutation(n)
        )
        order = np.lexsort((shuffled, mask.sum(axis=1), rarest))
        fold = np.empty(n, dtype=np.intp)
        fold[order] = np.arange(n) % self.n_splits
        return self._spread(fold, mask)

    def _spread(self, fold: IntArray, mask: BoolArray) -> IntArray:
        """Move a row of each class that lies in one fold only, the rarest classes first."""
        for c in np.argsort(mask.sum(axis=0), kind="stable"):
            rows = np.flatnonzero(mask[:, c])
            if rows.size > 1 and (fold[rows] == fold[rows[0]]).all():
                # The emptiest other fold takes it.
                sizes = np.bincount(fold, minlength=self.n_splits)
                sizes[fold[rows[0]]] = len(fold) + 1
                fold[rows[0]] = sizes.argmin()
        return fold

    def _check_single_rows(self, sets: LabelSets) -> None:
        single = np.flatnonzero(sets.mask.sum(axis=0) == 1)
        if single.size:
            first = sets.classes[single[0]]
            row = int(np.argmax(sets.mask[:, single[0]]))
            warnings.warn(
                f"CandidateKFold: {single.size} of {sets.n_classes} classes are a candidate of one "
                f"row only ({first!r} of row {row}); the fold that tests that row trains without "
                "them.",
                UnusedClassWarning,
                stacklevel=3,
            )
