"""`IntervalsDisplay`: intervals as segments, with the recovered numbers and the fitted curve."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import Intervals, IntervalUnions
from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import check_integer
from disambig.plots.drawing import STYLES, Display, format_axes
from disambig.plots.row_map import sampled_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

_SEGMENT_COLOR = "#8CB9D9"
# Beyond the numbers and finite ends, as a share of their range: there segments without an end stop.
_MARGIN = 0.08
_ROWS = "rows, from the smallest number to the largest"


class IntervalsDisplay(Display):
    """Rows as segments between the ends of their intervals, in the order of the fitted numbers.

    With a single feature, rows stand at its values. Segments without an end go to the edge. Use
    `from_candidates` or `from_estimator`.

    Parameters
    ----------
    x : array-like (m,)
        Where rows stand.
    segment_rows : int array-like (s,)
        The position in `x` of each segment; a union of intervals has several.
    lower, upper : array-like (s,)
    recovered : array-like (m,)
    fitted : array-like (m,), optional
        What the model predicts for the rows.
    x_name : str

    Attributes
    ----------
    x, segment_rows, lower, upper, recovered, fitted, x_name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    segments_ : LineCollection
    points_ : Line2D
    curve_ : Line2D or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig import Intervals
    >>> from disambig.plots import IntervalsDisplay
    >>> y = Intervals.from_any([(0, 2), (1, 4), ">= 3"])
    >>> display = IntervalsDisplay.from_candidates(y, [1, 2, 3], ax=Figure().add_subplot())
    >>> display.x.tolist(), display.recovered.tolist()
    ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    """

    def __init__(
        self,
        x: Any,
        segment_rows: Any,
        lower: Any,
        upper: Any,
        recovered: Any,
        fitted: Any = None,
        *,
        x_name: str = _ROWS,
    ) -> None:
        self.x: FloatArray = np.asarray(x, dtype=np.float64)
        self.segment_rows: IntArray = np.asarray(segment_rows, dtype=np.intp)
        self.lower: FloatArray = np.asarray(lower, dtype=np.float64)
        self.upper: FloatArray = np.asarray(upper, dtype=np.float64)
        self.recovered: FloatArray = np.asarray(recovered, dtype=np.float64)
        self.fitted: FloatArray | None = None if fitted is None else np.asarray(fitted, np.float64)
        self.x_name = x_name

    @classmethod
    def of(
        cls,
        candidates: Any,
        recovered: Any,
        fitted: Any = None,
        *,
        x: Any = None,
        x_name: str | None = None,
        max_rows: int = 200,
        random_state: int = 0,
    ) -> Self:
        """The display of intervals, not drawn yet; see `from_candidates`.

        Parameters
        ----------
        candidates, recovered, fitted, x, x_name, max_rows, random_state
            As in `from_candidates`.
        """
        owner = cls.__name__
        check_integer(owner, "max_rows", max_rows, least=1)
        if not isinstance(candidates, (Intervals, IntervalUnions)) or candidates.n_columns != 1:
            raise TypeError(
                f"{owner}: expected intervals of one column; got {type(candidates).__name__}."
            )
        chosen = np.asarray(recovered, dtype=np.float64).ravel()
        drawn = sampled_rows(len(chosen), np.zeros(0, np.intp), max_rows, random_state)
        model = None if fitted is None else np.asarray(fitted, dtype=np.float64).ravel()[drawn]
        by = chosen[drawn] if model is None else model
        given = by if x is None else np.asarray(x, dtype=np.float64).ravel()[drawn]
        order = np.argsort(given, kind="stable")
        drawn = drawn[order]
        places = np.arange(1.0, len(drawn) + 1) if x is None else given[order]
        rows, lower, upper = _segments(candidates[drawn])
        return cls(
            places,
            rows,
            lower,
            upper,
            chosen[drawn],
            None if model is None else model[order],
            x_name=x_name or ("feature" if x is not None else _ROWS),
        )

    @classmethod
    def from_candidates(
        cls,
        candidates: Any,
        recovered: Any,
        fitted: Any = None,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw intervals with numbers.

        Parameters
        ----------
        candidates : Intervals of one column, or IntervalUnions; n rows
        recovered : array-like (n,)
        fitted : array-like (n,), optional
            What a model predicts for the rows: the curve.
        x : array-like (n,), optional
            Where rows stand; by default in the order of `fitted`, or of `recovered`.
        x_name : str, optional
            For the axis.
        max_rows : int, default 200
            Of more rows so many are drawn at random.
        random_state : int, default 0
        ax : matplotlib Axes, optional
            By default those of a new figure.
        """
        return cls.of(candidates, recovered, fitted, **options).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, candidates: Any, **options: Any) -> Self:
        """Draw the training rows of a regressor; with one feature, along it.

        Parameters
        ----------
        estimator : fitted IntervalRegressor
            Also as the last step of a pipeline.
        X : array-like (n, d)
            The training inputs.
        candidates : Intervals of one column, or IntervalUnions; n rows
        **options
            See `from_candidates`.
        """
        check_is_fitted(estimator)
        inputs: AnyArray = np.asarray(X)
        along = {"x": inputs[:, 0]} if inputs.ndim == 2 and inputs.shape[1] == 1 else {}
        return cls.from_candidates(
            candidates, innermost(estimator).labels_, estimator.predict(X), **{**along, **options}
        )

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the segments, the numbers and the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of ``Axes.vlines`` for the segments.
        """
        ax = self._take_axes(ax)
        low, high = self._range()
        ours = {"colors": _SEGMENT_COLOR, "linewidth": 1.6, "label": "interval that was given"}
        self.segments_: LineCollection = ax.vlines(
            self.x[self.segment_rows],
            np.maximum(self.lower, low),
            np.minimum(self.upper, high),
            **{**ours, **kwargs},
        )
        self.points_: Line2D = ax.plot(
            self.x, self.recovered, "o", color=STYLES[0][0], markersize=3.5, label="number",
            zorder=3,
        )[0]  # fmt: skip
        self.curve_: Line2D | None = None
        if self.fitted is not None:
            self.curve_ = ax.plot(
                self.x, self.fitted, "-", color=STYLES[1][0], linewidth=1.5, label="fitted curve",
                zorder=4,
            )[0]  # fmt: skip
        format_axes(ax, self.x_name, "number")
        ax.set_ylim(low, high)
        ax.legend(loc="best")
        return self

    def _range(self) -> tuple[float, float]:
        """What is drawn: all numbers and all finite ends."""
        parts = [self.recovered, self.lower, self.upper]
        if self.fitted is not None:
            parts.append(self.fitted)
        values = np.concatenate(parts)
        values = values[np.isfinite(values)]
        if not values.size:
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        margin = _MARGIN * (high - low) or 1.0
        return low - margin, high + margin


def _segments(candidates: Any) -> tuple[IntArray, FloatArray, FloatArray]:
    """The row and the ends of every segment."""
    if isinstance(candidates, Intervals):
        rows: IntArray = np.arange(len(candidates))
        return rows, candidates.lower[:, 0], candidates.upper[:, 0]
    return candidates.rows, candidates.lower, candidates.upper
