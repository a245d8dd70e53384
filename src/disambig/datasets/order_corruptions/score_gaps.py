"""Pairs are hidden by how far apart their scores are."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.order_numbers import number_table
from disambig.candidates.order_table import over_items
from disambig.candidates.rank_tables import smaller_first
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.order_corruptions.hiding import orders_without
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["ScoreGapCorruption"]

_CHOICES = ("large", "small")


@dataclass(frozen=True)
class ScoreGapCorruption:
    """A pair is hidden if ``gap > (1 - level) * largest gap of the row``; nothing is drawn.

    The skewed corruption of the authors' program, behind the ranking figure of Cabannes, Bach and
    Rudi (2021). It hides the pairs that are far apart and shows the close ones, from which the
    others follow: what is left of a ranking is chains, cut wherever neighbours are further apart
    than the threshold, and items of different chains are not compared. Of 10 crossing lines
    (`make_ranking_lines`) level 0.5 hides 29 % of the pairs and loses 1 %, level 0.78 hides 65 %
    and loses 36 %.

    With ``hides="small"`` a pair is hidden if ``gap < level * largest gap``: close items are not
    compared, as by somebody who cannot tell them apart. Then all that is hidden is lost.

    What is known at one level is known at every lower one. At level 0 nothing is hidden and at
    level 1 everything is. Items with equal scores are not compared at any level.

    Parameters
    ----------
    level : float in [0, 1]
    hides : {"large", "small"}, default "large"
        Which gaps are hidden.

    Examples
    --------
    >>> from disambig.datasets import ScoreGapCorruption, hidden_share, information_left
    >>> scores = [[0.0, 0.3, 0.7, 1.0]]
    >>> far = ScoreGapCorruption(0.5)
    >>> hidden_share(far, scores), information_left(far(scores))
    (0.5, 1.0)
    >>> close = ScoreGapCorruption(0.5, hides="small")
    >>> hidden_share(close, scores), information_left(close(scores))
    (0.5, 0.5)
    """

    level: float
    hides: Literal["large", "small"] = "large"
    reads: ClassVar[Literal["ranks", "scores"]] = "scores"

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("ScoreGapCorruption", "level", self.level))
        if self.hides not in _CHOICES:
            raise ValueError(
                f"ScoreGapCorruption: hides must be 'large' or 'small'; got {self.hides!r}."
            )

    def hidden(self, scores: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        return self._hidden(_read_scores(scores, items)[0])

    def __call__(
        self, scores: Any, /, *, items: Any = None, random_state: Any = None
    ) -> PartialOrders:
        values, names = _read_scores(scores, items)
        return orders_without(smaller_first(-values), names, self._hidden(values))

    def _hidden(self, scores: FloatArray) -> BoolArray:
        i, j = np.triu_indices(scores.shape[1], 1)
        gaps = np.abs(scores[:, i] - scores[:, j])
        largest = gaps.max(axis=1, keepdims=True, initial=0.0)
        shares = np.divide(gaps, largest, out=np.zeros(gaps.shape), where=largest > 0)
        if self.hides == "large":
            return np.asarray(shares > 1 - self.level)
        # The largest gap itself is hidden at level 1, so that nothing is left there.
        return np.asarray((shares < self.level) | (self.level == 1))


def _read_scores(scores: Any, items: Any) -> tuple[FloatArray, AnyArray]:
    """Finite scores ``(n, m)`` in the order of the items, and the items."""
    table, names = number_table(scores)
    values = table.astype(np.float64)
    n_columns = values.shape[1]
    # Columns find their items by the rules of orders: seen through one order, of the columns.
    first_row = smaller_first(np.arange(n_columns)[np.newaxis])
    columns = over_items(first_row, names, items)
    if len(columns.items) != n_columns:
        raise CandidateError(
            f"ScoreGapCorruption: {len(columns.items)} items were named for {n_columns} columns of "
            f"scores. Give every item its score."
        )
    missing = np.isnan(values).any(axis=1)
    if missing.any():
        count = np.count_nonzero(missing)
        raise CandidateError(
            f"ScoreGapCorruption: row {int(np.argmax(missing))} lacks a score ({count} such "
            f"{'row' if count == 1 else 'rows'}). Give every item its score."
        )
    # Differences are taken next, and must not overflow.
    if (np.abs(values) > np.finfo(np.float64).max / 2).any():
        raise CandidateError("ScoreGapCorruption: scores are too large to subtract. Rescale them.")
    return values[:, np.count_nonzero(columns.before[0], axis=0)], columns.items
