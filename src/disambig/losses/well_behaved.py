"""Well-behaved problems: has every candidate set a measure that asks for exactly its members?"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.label_sets import LabelSets
from disambig.exceptions import IllBehavedWarning
from disambig.losses.measures import SetMeasure
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["WellBehaved", "distinct_sets"]

# Sets that a warning spells out; the rest it counts.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class WellBehaved:
    """The measures of all distinct sets of a problem (Definition 5 of the paper).

    Parameters
    ----------
    sets : LabelSets
        The distinct sets, S of them.
    measures : tuple of SetMeasure
        One for each.
    index : int array (n,)
        Which of them row j has.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.losses import OrdinalLoss
    >>> loss = OrdinalLoss(power=2).bind(np.arange(4))
    >>> found = loss.well_behaved([{0, 1}, {0, 2}, {0, 1}])
    >>> found.exists, found.index
    (array([ True, False]), array([0, 1, 0]))
    >>> found.offending.to_sets()
    [frozenset({0, 2})]
    """

    sets: LabelSets
    measures: tuple[SetMeasure, ...]
    index: IntArray

    @property
    def exists(self) -> BoolArray:
        """Which of the distinct sets have a measure, ``(S,)``."""
        return np.array([found.exists for found in self.measures], dtype=np.bool_)

    @property
    def holds(self) -> bool:
        """Is the problem well-behaved: has every set its measure?"""
        return bool(self.exists.all())

    @property
    def offending(self) -> LabelSets:
        """The sets that have none."""
        offending: LabelSets = self.sets[~self.exists]
        return offending

    def scores(self, matrix: FloatArray, fallback: FloatArray) -> FloatArray:
        """``V[j, z] = (L mu)[z] - level`` for the set of row j, a start for the solvers, (n, P).

        Parameters
        ----------
        matrix : float array (P, K)
        fallback : float array (S, P)
            Scores for the sets without a measure, row minimum zero. They are scaled to the margin
            of one that measures have, so that no set speaks louder for want of one.
        """
        rounding = 1e-12 * np.abs(matrix).max()
        table = np.where(fallback > rounding, fallback, 0.0)
        margins = np.where(table > 0, table, np.inf).min(axis=1, keepdims=True)
        table = np.where(np.isfinite(margins), table / margins, 0.0)
        for row, found in zip(table, self.measures, strict=True):
            if found.measure is not None and found.level is not None:
                # Exactly no difference between the members: rounding is no vote.
                row[:] = np.where(found.asked, 0.0, matrix @ found.measure - found.level)
        scores: FloatArray = table[self.index]
        return scores

    def warn(self, consequence: str = "", stacklevel: int = 2) -> None:
        """Name the offending sets in an `IllBehavedWarning`, if there are any."""
        if self.holds:
            return
        offending = self.offending
        count = len(offending)
        named = ", ".join(_spelled(row, offending.classes) for row in offending.mask[:_NAMED])
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        rows = int(np.count_nonzero(~self.exists[self.index]))
        warnings.warn(
            f"not a well-behaved problem: no signed measure has exactly the members of {named}"
            f"{more} as its best predictions ({count} of {len(self.sets)} distinct sets, {rows} of "
            f"{len(self.index)} rows). {consequence}".rstrip(),
            IllBehavedWarning,
            stacklevel=stacklevel + 1,
        )


def distinct_sets(mask: BoolArray, classes: AnyArray) -> tuple[LabelSets, IntArray]:
    """The distinct sets in the order of the data, and which of them each row has.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 1]], dtype=np.bool_)
    >>> sets, index = distinct_sets(mask, np.array(["a", "b", "c"]))
    >>> len(sets), index
    (2, array([0, 1, 0]))
    """
    _, first, inverse = np.unique(
        np.packbits(mask, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return LabelSets(mask[first[order]], classes), place[inverse.ravel()]


def _spelled(members: BoolArray, classes: AnyArray) -> str:
    labels: list[Any] = classes[members].tolist()
    return "{" + ", ".join(repr(label) for label in labels) + "}"
