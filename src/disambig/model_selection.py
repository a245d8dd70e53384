"""Cross-validation for candidate sets of labels, for tags known in part, and for bags of rows."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from disambig.candidates import LabelSets, PartialBits
from disambig.candidates.labels.bag_counts import numbered_bags
from disambig.candidates.labels.classes import listed
from disambig.candidates.reading import dense_array, is_missing, is_table
from disambig.exceptions import UnusedClassWarning, warn
from disambig.notation import BoolArray, IntArray
from disambig.parameters import check_integer

__all__ = ["BagKFold", "CandidateKFold"]


class CandidateKFold(BaseEstimator):
    """K folds that spread each class, so that every class is a candidate in every training part.

    Of `PartialBits`, and of a table with missing entries, which is one of tags, they spread the
    rows in which a tag is known to be on, and those in which it is known to be off.

    scikit-learn reads a mask of candidates as a multilabel target and takes consecutive rows as
    folds. If rows are sorted by class, training then lacks classes that are tested.

    Rows are assigned to folds in turn, in the order of their rarest candidate, then of the size of
    their set, so that small sets of each class are spread too. If all rows of a class are in one
    fold, rows are moved if that helps. A class with a single row cannot be in every training part,
    and several rare classes that share their rows may not all be: a warning names the first.

    Parameters
    ----------
    n_splits : int, default 5
    random_state : int or None, default 0
        Of the order of rows with equal rarest candidate and set size. None: their order in y.
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
        """The number of folds.

        Parameters
        ----------
        X, y, groups : object, optional
            Ignored.
        """
        return check_integer("CandidateKFold", "n_splits", self.n_splits, least=2)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of training and test rows.

        Parameters
        ----------
        X : ignored
            Part of the interface of scikit-learn.
        y : array-like, n rows
            Sets in any form that `LabelSets.from_any` reads, `PartialBits`, or a table of tags with
            missing entries, as `PartialBits.from_any` reads it. A table of 0 and 1 without missing
            entries is a mask of candidates.
        groups : None
            Other values are an error, because rows are assigned one by one.
        """
        if groups is not None:
            raise ValueError(
                "CandidateKFold assigns single rows and cannot keep groups together. Use "
                "sklearn.model_selection.GroupKFold for that."
            )
        n_splits = self.get_n_splits()
        if self.random_state is not None:
            check_integer("CandidateKFold", "random_state", self.random_state, least=0)
        mask, names = self._members(y)
        if n_splits > len(mask):
            raise ValueError(
                f"CandidateKFold: n_splits={n_splits} with {len(mask)} rows; expected a "
                "number from 2 to the number of rows."
            )
        fold = self._folds(mask)
        _warn_of_confined(mask, names, fold)
        for k in range(n_splits):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _members(self, y: Any) -> tuple[BoolArray, list[str]]:
        """What is spread: which rows have each class, or each known value of a tag; and names."""
        if self.unlabeled is None and _has_holes(y):
            # No mask of candidates has entries that nobody knows: these are tags.
            y = PartialBits.from_any(y)
        if isinstance(y, PartialBits):
            tags = listed(y.tags)
            names = [f"tag {tag!r} {value}" for value in ("on", "off") for tag in tags]
            return np.hstack([y.bits == 1, y.bits == 0]), names
        sets = LabelSets.from_any(y, classes=self.classes, unlabeled=self.unlabeled)
        return sets.mask, [repr(label) for label in listed(sets.classes)]

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
        """Move single rows until as few classes as possible are confined to one fold.

        For classes that share rare rows this is a graph colouring problem: a move may confine
        another class, which the next move then spreads. So moves that do not help at once are made
        too, each row once.
        """
        counts = np.stack([mask[fold == k].sum(axis=0) for k in range(self.n_splits)], axis=1)
        best, fewest = fold.copy(), int(_confined(counts).sum())
        moved: set[int] = set()
        while fewest:
            step = self._best_move(fold, mask, counts, moved)
            if step is None:
                break
            row, target = step
            counts[mask[row], fold[row]] -= 1
            counts[mask[row], target] += 1
            fold[row] = target
            moved.add(row)
            now = int(_confined(counts).sum())
            if now < fewest:
                best, fewest = fold.copy(), now
                moved.clear()
        return best

    def _best_move(
        self, fold: IntArray, mask: BoolArray, counts: IntArray, moved: set[int]
    ) -> tuple[int, int] | None:
        """The move of a row of the first confined class that leaves the fewest confined classes."""
        first = int(np.argmax(_confined(counts)))
        best, fewest = None, mask.shape[1] + 1
        for row, target in self._moves(fold, mask[:, first]):
            if row not in moved:
                trial = counts[mask[row]].copy()
                trial[:, fold[row]] -= 1
                trial[:, target] += 1
                change = int(_confined(trial).sum()) - int(_confined(counts[mask[row]]).sum())
                if change < fewest:
                    best, fewest = (row, target), change
        return best

    def _moves(self, fold: IntArray, member: BoolArray) -> Iterator[tuple[int, int]]:
        """Moves of the rows of a class into the other folds, smallest first; no fold gets empty."""
        sizes = np.bincount(fold, minlength=self.n_splits)
        for row in np.flatnonzero(member):
            if sizes[fold[row]] > 1:
                for target in np.argsort(sizes, kind="stable"):
                    if target != fold[row]:
                        yield int(row), int(target)


def _has_holes(y: Any) -> bool:
    """Whether `y` is a table in which entries are missing.

    Examples
    --------
    >>> _has_holes(np.array([[1.0, np.nan]])), _has_holes(np.array([[1, 0]]))
    (True, False)
    """
    if not is_table(y) or sparse.issparse(y):
        return False
    table = dense_array(y)
    if table.dtype.kind == "f":
        return bool(np.isnan(table).any())
    return table.dtype.kind == "O" and any(map(is_missing, table.ravel().tolist()))


def _warn_of_confined(mask: BoolArray, names: list[str], fold: IntArray) -> None:
    n_classes = mask.shape[1]
    confined = [c for c in range(n_classes) if mask[:, c].any() and np.ptp(fold[mask[:, c]]) == 0]
    if confined:
        rows = np.flatnonzero(mask[:, confined[0]])
        warn(
            f"CandidateKFold: {len(confined)} of {n_classes} classes have all their rows in one "
            f"fold ({names[confined[0]]}: row {rows[0]}{'' if rows.size == 1 else ' and others'}); "
            "the model that is tested on this fold is trained without these classes. More rows or "
            "folds may help.",
            UnusedClassWarning,
        )


class BagKFold(BaseEstimator):
    """K folds of whole bags, so that counts of classes in bags stay valid in every part.

    A bag that a split cuts has no known counts any more: `PartialLabelClassifier.fit` refuses them,
    and rounds fractions, which then hold up to chance. Here every bag is in one fold. Folds have
    about equal numbers of rows: the largest bag comes first, and each goes to the smallest fold.

    Bags are the ``groups`` of scikit-learn: ``cross_validate(model, X, y, groups=bags,
    cv=BagKFold(), params={"bags": bags, "proportions": proportions})``. Proportions of bags that a
    part does not have are ignored.

    Parameters
    ----------
    n_splits : int, default 5
    random_state : int or None, default 0
        Of the order of bags of equal size. None: their order in y.

    Examples
    --------
    >>> bags = ["u", "u", "v", "v", "w", "w", "x", "x"]
    >>> for train, test in BagKFold(n_splits=2, random_state=None).split(bags, groups=bags):
    ...     print(test.tolist())
    [0, 1, 4, 5]
    [2, 3, 6, 7]
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True}

    def __init__(self, n_splits: int = 5, *, random_state: int | None = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds.

        Parameters
        ----------
        X, y, groups : object, optional
            Ignored.
        """
        return check_integer("BagKFold", "n_splits", self.n_splits, least=2)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of training and test rows.

        Parameters
        ----------
        X, y : ignored
            Part of the interface of scikit-learn.
        groups : array-like (n,)
            The bag of each row.
        """
        if groups is None:
            raise ValueError(
                "BagKFold: groups is None; pass the bag of each row as groups=, for example "
                "cross_validate(..., groups=bags)."
            )
        n_splits = self.get_n_splits()
        names, bags = numbered_bags(groups)
        if n_splits > len(names):
            raise ValueError(
                f"BagKFold: n_splits={n_splits} with {len(names)} bags; expected a number from 2 "
                "to the number of bags."
            )
        order = np.arange(len(names))
        if self.random_state is not None:
            seed = check_integer("BagKFold", "random_state", self.random_state, least=0)
            order = np.random.default_rng(seed).permutation(order)
        sizes, rows = np.bincount(bags), np.zeros(n_splits, dtype=np.intp)
        fold = np.empty(len(names), dtype=np.intp)
        for bag in order[np.argsort(-sizes[order], kind="stable")].tolist():
            fold[bag] = rows.argmin()
            rows[fold[bag]] += sizes[bag]
        for k in range(n_splits):
            yield np.flatnonzero(fold[bags] != k), np.flatnonzero(fold[bags] == k)


def _confined(counts: IntArray) -> BoolArray:
    """Classes of at least two rows, all in one fold, from counts by class and fold."""
    total = counts.sum(axis=1)
    confined: BoolArray = (counts.max(axis=1) == total) & (total > 1)
    return confined
