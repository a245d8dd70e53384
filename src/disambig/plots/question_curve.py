"""`QuestionCurveDisplay`: what answers are worth, by the way in which rows were chosen."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.notation import FloatArray
from disambig.plots.drawing import Display, curve_options, format_axes
from disambig.trust import QuestionCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D


class QuestionCurveDisplay(Display):
    """Share of right labels against the number of answers; what was expected is dashed.

    One display is one strategy; several may share axes.

    Parameters
    ----------
    n_answers : array-like (t,)
        Increasing.
    share_right : array-like (t,), from 0 to 1
        The share of right labels after so many answers.
    expected : array-like (t,), from 0 to 1, optional
        The share that was stated before the answers were known.
    error : array-like (t,), optional
        Standard errors of `share_right`, drawn as a band.
    name : str, optional
        The strategy, for the legend.

    Attributes
    ----------
    n_answers, share_right, expected, error, name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
    expected_line_ : Line2D or None
    band_ : FillBetweenPolyCollection or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import QuestionCurveDisplay
    >>> ax = Figure().add_subplot()
    >>> display = QuestionCurveDisplay.from_curve(
    ...     [0, 10, 20], [0.7, 0.78, 0.82], expected=[0.7, 0.8, 0.85], name="doubt", ax=ax
    ... )
    >>> display = QuestionCurveDisplay.from_curve(
    ...     [0, 10, 20], [0.7, 0.71, 0.73], name="random", ax=ax
    ... )
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['doubt (+12.0 points)', 'doubt, expected', 'random (+3.0 points)']
    """

    def __init__(
        self,
        n_answers: Any,
        share_right: Any,
        *,
        expected: Any = None,
        error: Any = None,
        name: str | None = None,
    ) -> None:
        owner = type(self).__name__
        self.n_answers: FloatArray = _column(owner, "n_answers", n_answers, None, None)
        t = len(self.n_answers)
        self.share_right: FloatArray = _column(owner, "share_right", share_right, t, 1.0)
        self.expected: FloatArray | None = None
        if expected is not None:
            self.expected = _column(owner, "expected", expected, t, 1.0)
        self.error: FloatArray | None = None
        if error is not None:
            self.error = _column(owner, "error", error, t, None)
        if (np.diff(self.n_answers) <= 0).any():
            raise ValueError(f"{owner}: n_answers must increase; got {self.n_answers.tolist()}.")
        self.name = name

    @classmethod
    def from_curve(
        cls,
        n_answers: Any,
        share_right: Any = None,
        *,
        expected: Any = None,
        error: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw one strategy.

        Parameters
        ----------
        n_answers : array-like (t,), or QuestionCurve
            A curve of `disambig.trust.simulate_questions` has `share_right` and `expected`, too.
        share_right, expected, error, name
            As in the constructor.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        if isinstance(n_answers, QuestionCurve):
            curve = n_answers
            if share_right is not None or expected is not None:
                raise ValueError(
                    f"{cls.__name__}: a QuestionCurve has share_right and expected; do not give "
                    "them beside it."
                )
            n_answers, share_right, expected = curve.n_answers, curve.right, curve.expected
        return cls(n_answers, share_right, expected=expected, error=error, name=name).plot(
            ax, **kwargs
        )

    def plot(self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve; several displays may share axes.

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
        name = self.name if name is None else name
        gain = 100 * (self.share_right[-1] - self.share_right[0])
        label = f"{name} ({gain:+.1f} points)" if name else f"{gain:+.1f} points"
        options = curve_options(ax, label, kwargs, linewidth=2.0, markersize=5)
        self.line_: Line2D = ax.plot(self.n_answers, self.share_right, **options)[0]
        color = self.line_.get_color()
        self.band_: FillBetweenPolyCollection | None = None
        if self.error is not None:
            self.band_ = ax.fill_between(
                self.n_answers, self.share_right - self.error, self.share_right + self.error,
                color=color, alpha=0.2, linewidth=0, zorder=2,
            )  # fmt: skip
        self.expected_line_: Line2D | None = None
        if self.expected is not None:
            self.expected_line_ = ax.plot(
                self.n_answers, self.expected, "--", color=color, linewidth=1.5, zorder=3,
                label=f"{name}, expected" if name else "expected",
            )[0]  # fmt: skip
        format_axes(ax, "answers", "share of right labels")
        ax.legend(loc="best")
        return self


def _column(
    owner: str, what: str, values: Any, length: int | None, most: float | None
) -> FloatArray:
    """Numbers from 0 on, ``(t,)``."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not found.size or (length is not None and len(found) != length):
        expected = "at least one number" if length is None else f"{length} numbers, as n_answers"
        raise ValueError(f"{owner}: {what} must hold {expected}; got shape {found.shape}.")
    # NaN fails every comparison.
    bad = ~((found >= 0) & (found <= (np.inf if most is None else most)))
    if bad.any():
        place = int(np.argmax(bad))
        bounds = ">= 0" if most is None else f"from 0 to {most:g}"
        raise ValueError(
            f"{owner}: {what} must be numbers {bounds}; got {found[place]} at position {place}."
        )
    return found
