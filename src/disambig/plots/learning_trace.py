"""`LearningTraceDisplay`: the objective and the undecided rows of a run, step by step."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.metrics.scorer import innermost
from disambig.notation import FloatArray
from disambig.plots.drawing import REFERENCE_COLOR, STYLES, Display, format_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# More names of stages would overlap.
_MAX_NAMED_STAGES = 8


class LearningTraceDisplay(Display):
    """The objective after every iteration, and how many rows were undecided then.

    Stages (starts, temperatures, the decoding) are separated by lines; objectives of different
    temperatures cannot be compared. Use `from_trace` or `from_estimator`.

    Parameters
    ----------
    stages : list of str
        Of every iteration.
    objective, undecided : array-like (steps,)

    Attributes
    ----------
    stages, objective, undecided
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    undecided_ax_ : Axes
        On the right.
    line_, undecided_line_ : Line2D

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.plots import LearningTraceDisplay
    >>> model = PartialLabelClassifier("nadaraya_watson", solver="alternating")
    >>> _ = model.fit([[0.0], [0.1], [0.2]], [{"a"}, {"a", "b"}, {"a"}])
    >>> display = LearningTraceDisplay.from_estimator(model, ax=Figure().add_subplot())
    >>> len(display.objective) == len(model.trace_)
    True
    """

    def __init__(self, stages: list[str], objective: Any, undecided: Any) -> None:
        self.stages = list(stages)
        self.objective: FloatArray = np.asarray(objective, dtype=np.float64)
        self.undecided: FloatArray = np.asarray(undecided, dtype=np.float64)

    @classmethod
    def of(cls, trace: Any) -> Self:
        """The display of a trace, not drawn yet; see `from_trace`.

        Parameters
        ----------
        trace
            As in `from_trace`.
        """
        if not len(trace):
            raise ValueError(
                f"{cls.__name__}: the trace is empty. Members of a mixture, baselines and programs "
                "that are solved in one step have none."
            )
        return cls(
            [entry.stage for entry in trace],
            [entry.objective for entry in trace],
            [entry.undecided for entry in trace],
        )

    @classmethod
    def from_trace(cls, trace: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw a trace.

        Parameters
        ----------
        trace : sequence of Progress
            Such as ``trace_`` of an estimator.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        return cls.of(trace).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw how an estimator learned.

        Parameters
        ----------
        estimator : fitted estimator
            Also as the last step of a pipeline.
        **options
            See `from_trace`.
        """
        check_is_fitted(estimator)
        return cls.from_trace(innermost(estimator).trace_, **options)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw both curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of ``Axes.plot`` for the objective.
        """
        ax = self._take_axes(ax)
        from matplotlib.ticker import MaxNLocator

        steps = np.arange(1, len(self.stages) + 1)
        color, marker = STYLES[0]
        ours = {"color": color, "marker": marker, "markersize": 3, "label": "objective"}
        self.line_: Line2D = ax.plot(steps, self.objective, **{**ours, **kwargs})[0]
        format_axes(ax, "step", "objective")
        other: Axes = ax.twinx()
        self.undecided_ax_: Axes = other
        self.undecided_line_: Line2D = other.plot(
            steps, self.undecided, "--", color=STYLES[1][0], label="undecided rows"
        )[0]
        other.set_ylabel("undecided rows")
        other.set_ylim(bottom=0)
        other.yaxis.set_major_locator(MaxNLocator(integer=True))
        other.spines[["top", "left"]].set_visible(False)
        self._separate_stages(ax)
        ax.legend(handles=[self.line_, self.undecided_line_], loc="upper right")
        return self

    def _separate_stages(self, ax: "Axes") -> None:
        starts = [
            step
            for step, stage in enumerate(self.stages)
            if step == 0 or stage != self.stages[step - 1]
        ]
        for step in starts[1:]:
            ax.axvline(step + 0.5, color=REFERENCE_COLOR, linewidth=0.5, linestyle=":")
        if 1 < len(starts) <= _MAX_NAMED_STAGES:
            # Above the axes, where no curve is.
            above = ax.secondary_xaxis("top")
            names = [self.stages[step] for step in starts]
            above.set_xticks([step + 0.5 for step in starts], names)
            above.tick_params(length=0, labelsize="x-small", labelrotation=30)
            for text in above.get_xticklabels():
                text.set_horizontalalignment("left")
            above.spines["top"].set_visible(False)
