"""`InputShift`: how new inputs differ from those of training, in numbers and in words."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from disambig.estimators.queries.training_inputs import FAR_SHARE, TrainingInputs
from disambig.notation import AnyArray, IntArray

# The probability of a word about rows that are like the training rows.
LEVEL = 1e-4
# Rows that a report compares; of larger batches it compares so many, and estimates shares.
_MAX_COMPARED = 10_000
# Rows that a prediction compares: these, or a tenth of them, but not more than the last number.
_FEW, _TENTH, _MANY = 32, 10, 256
_MAX_NAMED = 3


class ShiftedColumn(NamedTuple):
    """A column whose new values leave the range of training.

    Attributes
    ----------
    position : int
    name : str
        As in ``feature_names_in_``; empty without names.
    share : float
        Of the new rows, outside of the range.
    low, high : float
        The range in a sample of training rows.
    """

    position: int
    name: str
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        name = f"column {self.position}" + (f" ({self.name!r})" if self.name else "")
        return (
            f"{name} is outside of its training range [{self.low:.4g}, {self.high:.4g}] in "
            f"{self.share:.0%}"
        )


@dataclass(frozen=True, eq=False)
class InputShift:
    """How new inputs differ from the training inputs: the result of ``input_shift(X)``.

    Attributes
    ----------
    n_rows : int
        New rows.
    n_without_votes : int
        Of these, rows at which no training row votes.
    n_compared : int
        Rows that were compared with the training rows; of large batches a part. 0 if `reason` says
        why none could be.
    far_rows : int array
        Of the compared rows, those that are farther from the nearest row of a sample of training
        rows than 99 % of the training rows are.
    is_far : bool
        Whether these are more than the training rows explain, at a level of 5e-5.
    columns : tuple of ShiftedColumn
        Columns with more values outside of their range than the training rows explain, at the same
        level for all columns together; largest share first.
    reason : str

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = [{"a"} if row[0] < 0 else {"a", "b"} if row[1] < 0 else {"b"} for row in X]
    >>> model = PartialLabelClassifier("neighbors").fit(X, y)
    >>> model.input_shift(X).is_shifted
    False
    >>> shift = model.input_shift(X * [1.0, 10.0])
    >>> shift.is_shifted, [(column.position, column.share) for column in shift.columns]
    (True, [(1, 0.73)])
    """

    n_rows: int
    n_without_votes: int
    n_compared: int
    far_rows: IntArray
    is_far: bool
    columns: tuple[ShiftedColumn, ...]
    reason: str = ""

    @property
    def share(self) -> float:
        """The share of far rows; NaN if no row was compared."""
        return len(self.far_rows) / self.n_compared if self.n_compared else float("nan")

    @property
    def is_shifted(self) -> bool:
        """Whether the new inputs have drifted away from those of training."""
        return self.is_far or bool(self.columns)

    @property
    def text(self) -> str:
        """What was found, in words."""
        if self.reason:
            found = f"New inputs were not compared with those of training: {self.reason}."
        elif not self.is_shifted:
            found = f"The {self.n_rows} new rows are like the training rows."
        else:
            found = self._drift()
        if not self.n_without_votes:
            return found
        return f"{found} {self.n_without_votes} of {self.n_rows} rows get no vote."

    def _drift(self) -> str:
        found = []
        if self.is_far:
            found.append(
                f"{self.share:.0%} of the new rows lie farther from the training rows than "
                f"{1 - FAR_SHARE:.0%} of the training rows do"
            )
        found += [str(column) for column in self.columns[:_MAX_NAMED]]
        if len(self.columns) > _MAX_NAMED:
            found.append(f"so are {len(self.columns) - _MAX_NAMED} more columns in fewer rows")
        elif not self.columns:
            found.append(
                "no single column leaves its range in more rows than chance explains: the rows are "
                "few, lie in gaps, or combine values anew"
            )
        estimated = ""
        if self.n_compared < self.n_rows:
            estimated = f" (shares are estimated from {self.n_compared} of {self.n_rows} rows)"
        text = "; ".join(found)
        return text[0].upper() + text[1:] + estimated + "."

    def __str__(self) -> str:
        return self.text


def input_shift(
    known: TrainingInputs, X: Any, names: AnyArray | None = None, *, n_without_votes: int = 0
) -> InputShift:
    """New rows beside the training rows; of many rows, a part that is spread evenly.

    Parameters
    ----------
    known : TrainingInputs
    X : array or csr, (q, d)
    names : array (d,), optional
        Names of the columns.
    n_without_votes : int
    """
    q = X.shape[0]
    if known.reason:
        return InputShift(q, n_without_votes, 0, np.zeros(0, np.intp), False, (), known.reason)
    step = _step(q, _MAX_COMPARED)
    rows = np.arange(0, q, step)
    found = known.compared(X[::step])
    is_far, shifted = known.significant(found, LEVEL)
    assert known.ranges is not None
    low, high = known.ranges.low, known.ranges.high
    columns = [
        ShiftedColumn(
            int(j), "" if names is None else str(names[j]), float(found.n_outside[j] / len(rows)),
            float(low[j]), float(high[j]),
        )
        for j in shifted
    ]  # fmt: skip
    columns.sort(key=lambda column: -column.share)
    far_rows = rows[found.is_far]
    return InputShift(q, n_without_votes, len(rows), far_rows, is_far, tuple(columns))


def is_suspicious(known: TrainingInputs, X: Any) -> bool:
    """Whether a few rows of a batch are enough to see a shift."""
    if known.reason:
        return False
    q = X.shape[0]
    # A single row is never enough.
    if q == 1:
        return False
    step = _step(q, min(max(_FEW, q // _TENTH), _MANY))
    is_far, columns = known.significant(known.compared(X[::step]), LEVEL)
    return is_far or bool(len(columns))


def _step(q: int, most: int) -> int:
    """Which rows are compared, so that they are spread evenly: every so many-th of q."""
    return max(1, -(-q // most))
