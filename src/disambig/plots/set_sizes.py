"""`SetSizesDisplay`: how much the candidate sets leave open."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialBits, PartialOrders
from disambig.candidates.numbers.amounts import amount_text
from disambig.notation import FloatArray
from disambig.plots.drawing import STYLES, Display, amount, format_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

# Larger sets are counted together.
_MAX_BARS = 12
_N_BINS = 10


class SetSizesDisplay(Display):
    """How many rows have sets of which size, as bars.

    The size is the number of candidates (labels), of unknown tags (bits), of pairs that are not
    ordered (orders), or the length of the interval (numbers). Use `from_candidates`.

    Parameters
    ----------
    names : list of str
        Of the sizes, or of ranges of sizes.
    counts : array-like (sizes,)
        The number of rows of each.
    size_name : str
        What a size is, for the axis.

    Attributes
    ----------
    names, counts, size_name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig import LabelSets
    >>> from disambig.plots import SetSizesDisplay
    >>> y = LabelSets.from_any([{"a"}, {"a", "b"}, {"b", "c"}, {"a", "b", "c"}])
    >>> display = SetSizesDisplay.from_candidates(y, ax=Figure().add_subplot())
    >>> display.names, display.counts.tolist()
    (['1', '2', 'all 3'], [1.0, 2.0, 1.0])
    """

    def __init__(self, names: list[str], counts: Any, *, size_name: str) -> None:
        self.names = list(names)
        self.counts: FloatArray = np.asarray(counts, dtype=np.float64)
        self.size_name = size_name

    @classmethod
    def of(cls, candidates: Any) -> Self:
        """The display of candidate sets, not drawn yet.

        Parameters
        ----------
        candidates : LabelSets, PartialBits, PartialOrders, Intervals or IntervalUnions
        """
        if isinstance(candidates, LabelSets):
            return cls(
                *_counted(candidates.sizes, candidates.n_classes), size_name="candidates of a row"
            )
        if isinstance(candidates, PartialBits):
            unknown = np.count_nonzero(~candidates.known, axis=1)
            return cls(*_counted(unknown, candidates.n_tags), size_name="unknown tags of a row")
        if isinstance(candidates, PartialOrders):
            n_pairs = candidates.n_items * (candidates.n_items - 1) // 2
            return cls(
                *_counted(n_pairs - candidates.n_observed, n_pairs),
                size_name="pairs of a row that are not ordered",
            )
        if isinstance(candidates, (Intervals, IntervalUnions)) and candidates.n_columns == 1:
            return cls(*_lengths(candidates.hull), size_name="length of the interval of a row")
        raise TypeError(
            f"{cls.__name__}: expected label sets, bits, orders, or intervals of one column; got "
            f"{type(candidates).__name__}."
        )

    @classmethod
    def from_candidates(cls, candidates: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the sizes of candidate sets.

        Parameters
        ----------
        candidates : LabelSets, PartialBits, PartialOrders, Intervals or IntervalUnions
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(candidates).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of ``Axes.bar``.
        """
        ax = self._take_axes(ax)
        places = np.arange(len(self.names))
        ours = {"color": STYLES[0][0], "width": 0.8}
        self.bars_: BarContainer = ax.bar(places, self.counts, **{**ours, **kwargs})
        ax.bar_label(self.bars_, labels=[amount(count) for count in self.counts], fontsize="small")
        slant = 30 if max(map(len, self.names), default=0) > 8 else 0
        ax.set_xticks(places, self.names, rotation=slant, ha="right" if slant else "center")
        format_axes(ax, self.size_name, "rows")
        ax.grid(visible=False, axis="x")
        ax.margins(y=0.12)
        return self


def _counted(sizes: Any, largest: int) -> tuple[list[str], FloatArray]:
    """Rows of each size that occurs; large sizes together."""
    found, counts = np.unique(np.asarray(sizes), return_counts=True)
    names = [f"all {size}" if size == largest > 1 else f"{size}" for size in found.tolist()]
    if len(names) <= _MAX_BARS:
        return names, counts.astype(np.float64)
    kept = _MAX_BARS - 1
    names = [*names[:kept], f"{found[kept]} to {found[-1]}"]
    return names, np.append(counts[:kept], counts[kept:].sum()).astype(np.float64)


def _round_edges(lengths: FloatArray) -> FloatArray:
    """Ends of at most `_N_BINS` bins, at round numbers."""
    low, high = float(lengths.min()), float(lengths.max())
    least = (high - low) / (_N_BINS - 2)
    if least <= 0.0:
        return np.array([low, high])
    power = 10.0 ** np.floor(np.log10(least))
    step = power * next(factor for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least)
    edges: FloatArray = step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)
    return edges


def _lengths(hull: Intervals) -> tuple[list[str], FloatArray]:
    """Points, finite lengths in bins, half-lines and rows without an end."""
    lower, upper = hull.lower[:, 0], hull.upper[:, 0]
    lengths = upper - lower
    bounded = np.isfinite(lengths) & (lengths > 0)
    names, counts = [], []
    if (lengths == 0).any():
        names, counts = ["a number"], [float(np.count_nonzero(lengths == 0))]
    if bounded.any():
        weights, edges = np.histogram(lengths[bounded], _round_edges(lengths[bounded]))
        names += [f"{amount_text(a)}–{amount_text(b)}" for a, b in pairwise(edges.tolist())]
        counts += weights.astype(float).tolist()
    n_half = np.count_nonzero(np.isfinite(lower) ^ np.isfinite(upper))
    n_whole = np.count_nonzero(~np.isfinite(lower) & ~np.isfinite(upper))
    for name, count in (("one end", n_half), ("no end", n_whole)):
        if count:
            names.append(name)
            counts.append(float(count))
    return names, np.array(counts)
