"""`LabelCountsDisplay`: how often each class or tag was a candidate, and how often recovered."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.candidates import LabelSets, PartialBits
from disambig.candidates.labels.classes import positions
from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_integer
from disambig.plots.drawing import STYLES, Display, format_axes, show_as_text
from disambig.plots.matrices import names_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

# Of a class that is a candidate and was not recovered; lighter than the recovered ones.
_CANDIDATE_COLOR = "#A6CEE3"


class LabelCountsDisplay(Display):
    """Rows of each class or tag: those that allow it, and those whose label it is.

    A class that many sets allow and few rows recover is one that sets seldom exclude. Use
    `from_candidates` or `from_estimator`.

    Parameters
    ----------
    names : list
        Of the classes or tags.
    allowed : array-like (K,)
        Rows whose set has the class, or whose tag is not known to be absent; rows that say nothing
        are not counted.
    recovered : array-like (K,)
        Rows whose label it is.

    Attributes
    ----------
    names, allowed, recovered
        As given.
    order_ : int array
        The classes as they are drawn, the most frequent first.
    ax_, figure_ : matplotlib Axes and Figure
    allowed_bars_, recovered_bars_ : BarContainer

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig import LabelSets
    >>> from disambig.plots import LabelCountsDisplay
    >>> y = LabelSets.from_any([{"a"}, {"a", "b"}, {"b", "c"}])
    >>> labels = ["a", "a", "b"]
    >>> display = LabelCountsDisplay.from_candidates(y, labels, ax=Figure().add_subplot())
    >>> display.allowed.tolist(), display.recovered.tolist()
    ([2.0, 2.0, 1.0], [2.0, 1.0, 0.0])
    """

    def __init__(self, names: list[Any], allowed: Any, recovered: Any) -> None:
        self.names = list(names)
        self.allowed: FloatArray = np.asarray(allowed, dtype=np.float64)
        self.recovered: FloatArray = np.asarray(recovered, dtype=np.float64)

    @classmethod
    def of(cls, candidates: Any, labels: Any) -> Self:
        """The display of candidate sets and labels, not drawn yet; see `from_candidates`.

        Parameters
        ----------
        candidates, labels
            As in `from_candidates`.
        """
        rows = np.asarray(candidates.informative)
        if isinstance(candidates, LabelSets):
            place = positions(candidates.classes)
            codes = np.array([place[label] for label in names_of(labels)], dtype=np.intp)
            recovered = np.bincount(codes, minlength=candidates.n_classes)
            return cls(names_of(candidates.classes), candidates.mask[rows].sum(axis=0), recovered)
        if isinstance(candidates, PartialBits):
            allowed = np.count_nonzero(candidates.bits[rows] != 0, axis=0)
            recovered = np.count_nonzero(np.asarray(labels) == 1, axis=0)
            return cls(names_of(candidates.tags), allowed, recovered)
        raise TypeError(
            f"{cls.__name__}: expected label sets or bits; got {type(candidates).__name__}."
        )

    @classmethod
    def from_candidates(
        cls, candidates: Any, labels: Any, *, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw candidate sets beside labels.

        Parameters
        ----------
        candidates : LabelSets or PartialBits, n rows
        labels : array-like (n,), or (n, tags) of 0 and 1
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(candidates, labels).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, candidates: Any, **options: Any) -> Self:
        """Draw the sets of the training rows beside the recovered labels.

        Parameters
        ----------
        estimator : fitted PartialLabelClassifier or PartialMultilabelClassifier
            Also as the last step of a pipeline.
        candidates : LabelSets or PartialBits
            That it was fitted to.
        **options
            See `from_candidates`.
        """
        return cls.from_candidates(candidates, innermost(estimator).labels_, **options)

    def plot(self, ax: "Axes | None" = None, *, max_names: int = 30, **kwargs: Any) -> Self:
        """Draw two bars for each class, one in front of the other.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        max_names : int, default 30
            Of more classes the most frequent ones are drawn.
        **kwargs
            Options of ``Axes.barh``.
        """
        owner = type(self).__name__
        check_integer(owner, "max_names", max_names, least=1)
        ax = self._take_axes(ax)
        order = np.lexsort((-self.allowed, -self.recovered))[:max_names]
        self.order_: IntArray = order
        places = np.arange(len(order))
        self.allowed_bars_: BarContainer = ax.barh(
            places, self.allowed[order], 0.8, color=_CANDIDATE_COLOR, label="a candidate", **kwargs
        )
        self.recovered_bars_: BarContainer = ax.barh(
            places, self.recovered[order], 0.45, color=STYLES[0][0], label="the label", **kwargs
        )
        names = [shortened(self.names[k]) for k in order]
        ax.set_yticks(places, names, fontsize="medium" if len(order) <= 15 else "x-small")
        show_as_text(ax.get_yticklabels())
        ax.invert_yaxis()
        format_axes(ax, "rows", "")
        ax.grid(visible=False, axis="y")
        rest = len(self.names) - len(order)
        if rest:
            ax.set_title(f"and {rest} more", loc="right", fontsize="small")
        ax.legend(loc="lower right")
        return self
