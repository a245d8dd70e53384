"""Folds in which every row is hidden once, copies and groups together."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from disambig.estimators.calibration import splits_of
from disambig.estimators.held_out.kept_judgements import KeptJudgement
from disambig.estimators.held_out.label_judges import deal, equal_inputs, hiding_of
from disambig.estimators.rows.kept import KeptRows
from disambig.exceptions import StoppedError
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_integer

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
    if isinstance(cv, bool) or (is_number and cv < 2):
        raise ValueError(f"{_OWNER}: cv must be at least 2 folds; got {cv}.")
    if repeats != 1 and not is_number:
        raise ValueError(
            f"{_OWNER}: repeats={repeats} deals the rows anew, which needs a number of folds in "
            f"cv; got {cv!r}."
        )


def mean_over(
    deals: Sequence[IntArray], predict: Callable[[IntArray], FloatArray | None]
) -> FloatArray:
    """The mean of ``predict(folds)`` over the deals before one that a callback ends (None).

    Raises `StoppedError` if there is none: every row must be judged once.

    Examples
    --------
    >>> deals = [np.array([0, 1]), np.array([1, 0])]
    >>> mean_over(deals, lambda folds: folds + 1.0).tolist()
    [1.5, 1.5]
    """
    found: list[FloatArray] = []
    for folds in deals:
        predictions = predict(folds)
        if predictions is None:
            break
        found.append(predictions)
    if not found:
        raise StoppedError(
            f"{_OWNER}: a callback ended it when some rows had no judgement yet, and all rows need "
            "one. Return True only between repeats, or never."
        )
    total = found[0] / len(found)
    for predictions in found[1:]:
        total = total + predictions / len(found)
    return total


def n_folds_of(deals: Sequence[IntArray]) -> int:
    """The number of folds of all deals together."""
    return sum(int(folds.max()) + 1 for folds in deals)


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
    candidates, groups : n rows
        What is hidden, and what a splitter is given beside the rows.
    pairwise : bool
        Whether X holds pairs of rows, which are no inputs.
    """

    def __init__(
        self,
        cv: Any,
        repeats: int,
        X: Any,
        kept: KeptRows,
        candidates: Any,
        groups: Any,
        *,
        pairwise: bool,
    ) -> None:
        hiding = hiding_of(candidates[kept.rows], equal_inputs(X, pairwise), kept.groups)
        self.hiding = hiding
        self.equal, self.units, self.informative = hiding[:3]
        if hiding.n_informative < 2:
            raise ValueError(
                f"{_OWNER}: fewer than two distinct rows (or groups) exclude something; if their "
                "sets are hidden, nothing can be learned."
            )
        self._repeats = int(repeats)
        self._cv = cv
        self._given: IntArray | None = None
        if not isinstance(cv, (int, np.integer)):
            if hasattr(cv, "split"):
                cv = list(cv.split(np.zeros((kept.n, 1)), candidates, groups))
            self._given = self._folds_of(splits_of(_OWNER, cv, kept.n, None), kept)

    def deals(self, number: int) -> list[IntArray]:
        """Folds ``(m,)`` of judge `number`, once for every repeat."""
        if self._given is not None:
            return [self._given]
        first = number * self._repeats
        return [
            deal(self.units, self.informative, int(self._cv), one)
            for one in range(first, first + self._repeats)
        ]

    def are_those_of(self, judgement: KeptJudgement) -> bool:
        """Whether a fit has dealt the rows in the same way."""
        return (
            self._given is None
            and self._repeats == 1
            and int(self._cv) == judgement.n_folds
            and np.array_equal(self.units, judgement.units)
            and np.array_equal(self.informative, judgement.informative)
        )

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
