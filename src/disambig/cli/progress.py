"""A bar on standard error for commands that take their time."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from disambig.cli.commands import is_installed

if TYPE_CHECKING:
    from disambig.solvers.loop import Progress

# Phases in which others run.
_AROUND = ("members", "judgement", "tolerance", "calibration", "cross-examination")


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Callable[["Progress"], None]]:
    """A callback that drives a bar for each phase, which disappears at the end of the block.

    A bar shows the phase and its stage, the steps that are done of all, the objective, rows that
    are undecided, and the time that is left. Only on a terminal, and only if rich is installed
    (extra `cli`); otherwise the callback does nothing.

    Parameters
    ----------
    quiet : bool, default False
        Whether nothing is shown.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> with progress_bar() as callback:
    ...     model = PartialLabelClassifier("nadaraya_watson", callback=callback)
    ...     _ = model.fit([[0.0], [1.0], [2.0]], [{"a"}, {"a", "b"}, {"b"}])

    Parts of a command that are no fit report by `disambig.estimators.progress.reporting`:

    >>> from disambig.estimators.progress.reporting import Phase, reporting
    >>> with progress_bar() as callback, reporting("predict", callback):
    ...     labels = [model.predict([[x]])[0] for x in Phase("prediction", 2).over([0.1, 1.9])]
    """
    if quiet or not is_installed("rich"):
        yield _ignored
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _ignored
        return
    bars = _bars(console)
    with bars:
        yield _Phases(bars)


def _ignored(progress: "Progress") -> None:
    """Show nothing."""


def _bars(console: Any) -> Any:
    """An empty display of bars."""
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[steps]}"),
        TextColumn("{task.fields[state]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


class _Phases:
    """One bar a phase. Phases can be inside of each other, such as the fit of a member.

    Parameters
    ----------
    bars : rich.progress.Progress
    """

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._tasks: dict[str, Any] = {}
        self._last: dict[str, Progress] = {}

    def __call__(self, progress: "Progress") -> None:
        phase = progress.phase
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, total=None, steps="", state="")
        last = self._last.get(phase)
        if last is not None and _begins_again(progress, last):
            # The time that is left is estimated from the steps of this stage alone.
            self._bars.reset(self._tasks[phase])
        self._last[phase] = progress
        self._bars.update(
            self._tasks[phase],
            total=progress.total,
            completed=progress.iteration,
            description=f"{phase}: {progress.stage}" if progress.stage else phase,
            steps=steps_text(progress),
            state=state_text(progress),
            visible=True,
        )
        for other, report in self._last.items():
            # What may be over is hidden; if it is not, it comes back with its next step.
            goes_on = other in _AROUND and report.left != 0
            if other != phase and not goes_on:
                self._bars.update(self._tasks[other], visible=False)


def _begins_again(progress: "Progress", last: "Progress") -> bool:
    """Whether the steps of a phase are counted anew."""
    is_new = progress.total != last.total or progress.iteration < last.iteration
    return is_new and progress.total is not None


def steps_text(progress: "Progress") -> str:
    """The steps that are done, of all if that is known.

    Examples
    --------
    >>> from disambig.solvers import Progress
    >>> steps_text(Progress("", 3, 0.5, 2)), steps_text(Progress("", 3, 0.5, 0, "members", 4))
    ('3', '3/4')
    """
    total = progress.total
    return f"{progress.iteration}" if total is None else f"{progress.iteration}/{total}"


def state_text(progress: "Progress") -> str:
    """The objective and the undecided rows, if there are any.

    Examples
    --------
    >>> from disambig.solvers import Progress
    >>> state_text(Progress("", 3, 0.5, 2)), state_text(Progress("", 3, 0.5, 0, "selection", 4))
    ('objective 0.5, 2 undecided', 'objective 0.5')
    """
    parts = []
    if math.isfinite(progress.objective):
        parts.append(f"objective {progress.objective:.4g}")
    if progress.undecided:
        parts.append(f"{progress.undecided} undecided")
    return ", ".join(parts)
