"""`SuspectsDisplay`: how suspicious the sets are, and which rows are suspects."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.metrics.confidence import checked_confidence
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.plots.drawing import (
    REFERENCE_COLOR,
    RIGHT_COLOR,
    WRONG_COLOR,
    Display,
    format_axes,
    labelled,
)
from disambig.plots.judged_rows import row_index
from disambig.trust.examination import Examination
from disambig.trust.refitting import answered_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

# Below zero, where no suspicion can be: ticks for sets that are known to be right or wrong.
_WRONG_BAND, _RIGHT_BAND = (-0.09, -0.03), (-0.16, -0.10)
_BOTTOM = -0.18


class SuspectsDisplay(Display):
    """Rows by suspicion, most suspicious first; suspects are marked, and what is known of sets.

    Ticks below the curve stand for rows whose set is known to miss the truth (upper band), or to
    have it (lower band). A good ranking has the upper ticks on the left. Use `from_suspicion` or
    `from_examination`.

    Parameters
    ----------
    suspicion : array-like (n,), from 0 to 1
    suspects : positions, mask (n,), or an object with such `rows`, optional
    is_wrong : array-like (n,), optional
        True where the set misses the truth, False where it has it, NaN or None where that is
        unknown.
    name : str, optional
        For the legend.

    Attributes
    ----------
    suspicion, name
        As given.
    suspects : int array
        Positions of the suspects.
    wrong, right : int array
        Rows whose set is known to be wrong, or right.
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
        Suspicion by rank.
    suspects_line_ : Line2D or None
        The suspects, on the curve.
    wrong_ticks_, right_ticks_ : LineCollection or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import SuspectsDisplay
    >>> ax = Figure().add_subplot()
    >>> display = SuspectsDisplay.from_suspicion(
    ...     [0.1, 0.95, 0.9, 0.2], [1, 2], is_wrong=[False, True, False, False], ax=ax
    ... )
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['4 rows', '2 suspects (1 of 2 known are wrong)', 'set is wrong (1)', 'set is right (3)']
    """

    def __init__(
        self, suspicion: Any, suspects: Any = None, is_wrong: Any = None, *, name: str | None = None
    ) -> None:
        owner = type(self).__name__
        self.suspicion: FloatArray = checked_confidence(owner, suspicion, "suspicion")
        n = len(self.suspicion)
        given = () if suspects is None else getattr(suspects, "rows", suspects)
        if not np.size(given):
            given = np.zeros(0, dtype=np.intp)
        self.suspects: IntArray = row_index(owner, given, n) % max(n, 1)
        self.wrong, self.right = _known(owner, is_wrong, n)
        self.name = name

    @classmethod
    def from_suspicion(
        cls,
        suspicion: Any,
        suspects: Any = None,
        *,
        is_wrong: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rows whose suspicion is known.

        Parameters
        ----------
        suspicion, suspects, is_wrong, name
            As in the constructor.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls(suspicion, suspects, is_wrong, name=name).plot(ax, **kwargs)

    @classmethod
    def from_examination(
        cls,
        examination: Any,
        suspects: Any = None,
        *,
        is_wrong: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the rows of an examination; its answers say which sets are wrong.

        Parameters
        ----------
        examination : Examination
            Of `disambig.trust.cross_examine`.
        suspects : positions, mask (n,), or an object with such `rows`, optional
        is_wrong : array-like (n,), optional
            As in the constructor; by default what the answers say.
        name : str, optional
            For the legend; by default that of the class of the estimator.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        if not isinstance(examination, Examination):
            raise TypeError(
                "SuspectsDisplay.from_examination needs the result of cross_examine; got "
                f"{type(examination).__name__}. Call cross_examine(estimator, X, y) first."
            )
        answered, is_outside = answered_rows(examination)
        if is_wrong is None and answered.size:
            is_wrong = np.full(len(examination), np.nan)
            is_wrong[answered] = is_outside
        name = type(examination.estimator).__name__ if name is None else name
        return cls.from_suspicion(
            examination.suspicion, suspects, is_wrong=is_wrong, name=name, ax=ax, **kwargs
        )

    def plot(self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve, the suspects on it and the ticks below it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        name : str, optional
            For the legend; by default that of the display.
        **kwargs
            Options of ``Axes.plot`` for the curve.
        """
        ax = self._take_axes(ax)
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D as Line

        n = len(self.suspicion)
        order = np.argsort(-self.suspicion, kind="stable")
        rank = np.empty(n, dtype=np.intp)
        rank[order] = np.arange(1, n + 1)
        label = labelled(self.name if name is None else name, f"{n} rows")
        ours = {"color": REFERENCE_COLOR, "linewidth": 1.5, "zorder": 3, "label": label}
        options = {**ours, **normalize_kwargs(kwargs, Line)}
        self.line_: Line2D = ax.plot(np.arange(1, n + 1), self.suspicion[order], **options)[0]
        self.suspects_line_: Line2D | None = None
        if len(self.suspects):
            at = np.sort(rank[self.suspects])
            self.suspects_line_ = ax.plot(
                at, self.suspicion[order[at - 1]], "o", color=WRONG_COLOR, markersize=4, zorder=4,
                label=self._suspects_label(), clip_on=False,
            )[0]  # fmt: skip
        self.wrong_ticks_ = _ticks(ax, rank[self.wrong], _WRONG_BAND, WRONG_COLOR, "set is wrong")
        self.right_ticks_ = _ticks(ax, rank[self.right], _RIGHT_BAND, RIGHT_COLOR, "set is right")
        format_axes(ax, "rows, most suspicious first", "suspicion")
        has_bands = bool(len(self.wrong) or len(self.right))
        ax.set_ylim(_BOTTOM if has_bands else -0.02, 1.04)
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set_xlim(1 - 0.02 * n, 1.02 * n)
        ax.legend(loc="best")
        return self

    def _suspects_label(self) -> str:
        n = len(self.suspects)
        found = f"{n} suspect{'s' if n > 1 else ''}"
        n_wrong = len(np.intersect1d(self.suspects, self.wrong))
        n_known = n_wrong + len(np.intersect1d(self.suspects, self.right))
        return f"{found} ({n_wrong} of {n_known} known are wrong)" if n_known else found


def _ticks(
    ax: "Axes", ranks: IntArray, band: tuple[float, float], color: str, what: str
) -> "LineCollection | None":
    if not len(ranks):
        return None
    return ax.vlines(
        ranks, *band, colors=color, linewidth=1.0, zorder=2, label=f"{what} ({len(ranks)})"
    )


def _known(owner: str, is_wrong: Any, n: int) -> tuple[IntArray, IntArray]:
    """Rows whose set is known to be wrong, and known to be right."""
    if is_wrong is None:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    values = np.asarray(is_wrong, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(
            f"{owner}: suspicion has {n} rows and is_wrong has shape {values.shape}; expected one "
            "entry for each row, NaN where nothing is known."
        )
    bad: BoolArray = ~((values == 0) | (values == 1) | np.isnan(values))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"{owner}: is_wrong must hold True, False or NaN; got {values[row]} in row {row}."
        )
    return np.flatnonzero(values == 1), np.flatnonzero(values == 0)
