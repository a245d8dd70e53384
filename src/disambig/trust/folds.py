"""Folds in which every row is hidden once, copies and groups together."""

from typing import Any

import numpy as np

from disambig.estimators.calibration import splits_of
from disambig.estimators.fitting import KeptRows
from disambig.estimators.held_out.label_judges import deal
from disambig.notation import BoolArray, IntArray
from disambig.parameters import check_integer
from disambig.weights.row_groups import hash_rows, joined_groups

_OWNER = "cross_examine"
PREFIT = "prefit"


def check_folds(cv: Any, repeats: Any) -> None:
    """Raise an error if `cv` or `repeats` cannot be used."""
    check_integer(_OWNER, "repeats", repeats, least=1)
    if isinstance(cv, str) and cv != PREFIT:
        raise ValueError(
            f"{_OWNER}: cv must be a number of folds, a splitter such as KFold(5), pairs of "
            f"training and test rows, or 'prefit'; got {cv!r}."
        )
    is_number = isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    if is_number and cv < 2:
        raise ValueError(f"{_OWNER}: cv must be at least 2 folds; got {cv}.")
    if repeats != 1 and not is_number:
        raise ValueError(
            f"{_OWNER}: repeats={repeats} deals the rows anew, which needs a number of folds in "
            f"cv; got {cv!r}."
        )


class Folds:
    """The folds of the rows that take part.

    Parameters
    ----------
    cv : int, splitter, or iterable of (train, test)
        A number deals informative rows evenly. Of other folds every row must be in one test part.
    repeats : int
    X : (m, d)
        Checked inputs of the rows that take part.
    kept : KeptRows
    informative : bool array (m,)
    """

    def __init__(
        self, cv: Any, repeats: int, X: Any, kept: KeptRows, informative: BoolArray
    ) -> None:
        self.equal = hash_rows(X)
        self.units = joined_groups(self.equal, kept.groups)
        if np.unique(self.units[informative]).size < 2:
            raise ValueError(
                f"{_OWNER}: fewer than two distinct rows (or groups) exclude something; if their "
                "sets are hidden, nothing can be learned."
            )
        self._informative = informative
        self._repeats = int(repeats)
        self._cv = cv
        self._given: IntArray | None = None
        if not isinstance(cv, (int, np.integer)):
            self._given = self._folds_of(splits_of(_OWNER, cv, kept.n, None), kept)

    @property
    def copies(self) -> IntArray:
        """How many rows have the inputs of the row, ``(m,)``."""
        copies: IntArray = np.bincount(self.equal)[self.equal]
        return copies

    def deals(self, number: int) -> list[IntArray]:
        """Folds ``(m,)`` of judge `number`, once for every repeat."""
        if self._given is not None:
            return [self._given]
        first = number * self._repeats
        return [
            deal(self.units, self._informative, int(self._cv), one)
            for one in range(first, first + self._repeats)
        ]

    def _folds_of(self, splits: list[tuple[IntArray, IntArray]], kept: KeptRows) -> IntArray:
        folds = np.full(kept.n, -1, dtype=np.intp)
        for number, (_, test) in enumerate(splits):
            if (folds[test] >= 0).any():
                raise ValueError(
                    f"{_OWNER}: cv: a row is in two test parts. Give a splitter whose test parts "
                    "do not overlap, such as KFold."
                )
            folds[test] = number
        if (folds < 0).any():
            raise ValueError(
                f"{_OWNER}: cv: row {int(np.argmax(folds < 0))} is in no test part "
                f"({np.count_nonzero(folds < 0)} such rows); every row must be judged. Use KFold "
                "or a number of folds."
            )
        taken = folds[kept.rows]
        # Equal inputs and groups stay together, in the fold of their first row.
        first = np.unique(self.units, return_index=True)[1]
        together: IntArray = taken[first][self.units]
        return np.unique(together, return_inverse=True)[1]
