"""What the class shares of bags can tell apart.

If the inputs of a class look alike in all bags, the mean input of a bag is the mixture of those of
the classes by its shares. Bags alone can separate classes if their shares vary over the
bags, in as many directions as there are classes less one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.labels.class_counts import ClassCounts, is_in_bags
from disambig.exceptions import NoInformationError, warn
from disambig.notation import BoolArray, FloatArray

# Each bag is an equation for the labels of its rows. So many bags are enough to learn from, even if
# rows were dealt to them by chance: their shares then differ by chance, but are known exactly.
MIN_RANDOM_BAGS = 20
# Shares of few bags that differ by less, and by no more than chance, are as good as equal.
_EQUAL = 0.05


@dataclass(frozen=True, eq=False)
class BagInformation:
    """How much the class shares of bags vary, compared with chance.

    Attributes
    ----------
    shares : float array (B, K)
        The middle of the bounds of each bag, divided by its rows; NaN where they say nothing.
    sizes : int array (B,)
    mean : float array (K,)
        The shares of all rows.
    singular_values : float array
        Of ``sqrt(m_b / mean_k) (shares_bk - mean_k)``, at most K - 1 and B, falling. Of rows that
        are dealt to bags by chance, the largest is about `noise`.
    noise : float
        ``sqrt(B - 1) + sqrt(K - 1)``.
    """

    shares: FloatArray
    sizes: Any
    mean: FloatArray
    singular_values: FloatArray
    noise: float

    @property
    def n_directions(self) -> int:
        """In how many directions shares vary by more than chance; K - 1 is full information."""
        return int(np.count_nonzero(self.singular_values > self.noise))

    @property
    def n_needed(self) -> int:
        """Of the classes that have rows, one less than there are."""
        return max(int(np.count_nonzero(self.mean > 0)) - 1, 0)

    @property
    def n_known(self) -> int:
        """Bags of at least two rows of which some share is known."""
        known = ~np.isnan(self.shares).all(axis=1)
        return int(np.count_nonzero(known & (self.sizes > 1)))

    @property
    def spread(self) -> float:
        """The largest difference between two bags in the share of a class."""
        known = ~np.isnan(self.shares)
        highest = np.where(known, self.shares, -np.inf).max(axis=0, initial=-np.inf)
        lowest = np.where(known, self.shares, np.inf).min(axis=0, initial=np.inf)
        return float(np.maximum(highest - lowest, 0.0).max(initial=0.0))

    @property
    def is_weak(self) -> bool:
        """Whether there are few bags, and their shares differ by no more than chance."""
        is_few = self.n_known < MIN_RANDOM_BAGS
        return self.n_needed > 0 and self.n_directions == 0 and is_few

    @property
    def says_nothing(self) -> bool:
        """Whether the bags are weak, and their shares as good as equal."""
        return self.is_weak and (self.n_known <= 1 or self.spread < _EQUAL)

    @property
    def text(self) -> str:
        """What is wrong, as a part of a sentence; empty if nothing is."""
        if not self.is_weak:
            return ""
        if self.n_known <= 1:
            return (
                f"the class shares of {self.n_known} bag are known, and one bag cannot say which "
                "of its rows have which class"
            )
        return (
            f"the class shares of the {self.n_known} bags differ by at most {self.spread:.2g}, no "
            "more than those of rows that are dealt to bags by chance, so that they hardly say "
            "which rows have which class"
        )


def bag_information(counts: ClassCounts) -> BagInformation:
    """How much the class shares of bags vary; see `BagInformation`.

    Examples
    --------
    >>> from disambig.candidates import LabelSets, bag_counts
    >>> bags = ["u"] * 100 + ["v"] * 100
    >>> same, other = {"a": 0.5, "b": 0.5}, {"a": 0.9, "b": 0.1}
    >>> bag_information(bag_counts(None, bags, {"u": same, "v": same})).says_nothing
    True
    >>> bag_information(bag_counts(None, bags, {"u": same, "v": other})).says_nothing
    False
    """
    bounds, sizes = counts.bag_bounds.astype(np.float64), counts.bag_sizes
    rows = np.maximum(sizes, 1)[:, None]
    is_free = (bounds[..., 0] <= 0) & (bounds[..., 1] >= sizes[:, None]) & (sizes[:, None] > 0)
    shares = np.where(is_free, np.nan, bounds.mean(axis=2) / rows)
    known = ~np.isnan(shares)
    totals = np.where(known, rows, 0).sum(axis=0)
    sums = np.where(known, shares * rows, 0.0).sum(axis=0)
    mean = np.divide(sums, totals, out=np.zeros(len(totals)), where=totals > 0)
    if not known.all():
        # A class whose shares are not known has what the others leave.
        rest = max(1.0 - float(mean.sum()), 0.0)
        unknown = totals == 0
        mean[unknown] = rest / max(int(np.count_nonzero(unknown)), 1)
    used = mean > 0
    table = np.where(known, shares - mean, 0.0)[:, used]
    table *= np.sqrt(rows / mean[used])
    n_bags, n_classes = table.shape
    values = np.linalg.svd(table, compute_uv=False)[: max(n_classes - 1, 0)]
    noise = np.sqrt(max(n_bags - 1, 0)) + np.sqrt(max(n_classes - 1, 0))
    return BagInformation(shares, sizes, mean, values, float(noise))


def informed_rows(counts: ClassCounts) -> BoolArray:
    """Rows of bags of which some share is known, ``(n,)``."""
    sizes = counts.bag_sizes[:, None]
    is_known = (counts.bag_bounds[..., 0] > 0) | (counts.bag_bounds[..., 1] < sizes)
    informed: BoolArray = np.asarray(is_known.any(axis=1))[counts.bag_of_row]
    return informed


def check_bags(candidates: Any) -> None:
    """Warn of bags that say nothing; raise if no row has a set that excludes a class either."""
    if not is_in_bags(candidates):
        return
    has_sets = bool(candidates.informative.any())
    if not has_sets and not informed_rows(candidates).any() and candidates.n_classes > 1:
        raise NoInformationError(
            f"y and proportions: no set of the {len(candidates)} rows excludes a class, and no "
            "share of a bag is known. Give shares, or label at least one row."
        )
    found = bag_information(candidates)
    if not has_sets and found.says_nothing:
        raise NoInformationError(
            f"proportions: {found.text}, and no row has a label or a set that excludes a class. "
            "Label some rows, or form bags whose shares differ (by place, time or source)."
        )
    if found.is_weak and found.n_known > 1:
        warn(
            f"proportions: {found.text}. Trust the labels only as far as sets and labels of rows "
            "support them; bags whose shares differ (by place, time or source) would say more.",
            UserWarning,
        )
