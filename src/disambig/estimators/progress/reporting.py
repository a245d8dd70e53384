"""Where the phases of a fit report: one context instead of a parameter of every function.

A fit puts its callback and its log into the context (`reporting`), phases report to it (`Phase`,
`current_callback`), and fits inside of a fit inherit it. Without a callback nothing is called.
"""

import logging
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

from disambig.solvers.loop import Callback, Progress

_LOGGER = logging.getLogger("disambig")
Item = TypeVar("Item")


class _Followers(NamedTuple):
    """Who follows the fits of this thread.

    Attributes
    ----------
    callback : callable or None
        That of all who follow.
    is_logged : bool
        Whether one of them is the log.
    """

    callback: Callback | None = None
    is_logged: bool = False


_NOBODY = _Followers()
_FOLLOWERS: ContextVar[_Followers] = ContextVar("_FOLLOWERS", default=_NOBODY)


def current_callback() -> Callback | None:
    """What must be called after every step; None if nobody follows."""
    return _FOLLOWERS.get().callback


@contextmanager
def reporting(owner: str, callback: Callback | None, verbose: int = 0) -> Iterator[None]:
    """Report the phases of the block to a callback, and to the log if `verbose`.

    Whoever followed before follows on. All are called, and one of them can end a phase.

    Parameters
    ----------
    owner : str
        What runs, for the log.
    callback : callable or None
    verbose : int

    Examples
    --------
    >>> seen = []
    >>> with reporting("example", seen.append):
    ...     rows = [row for row in Phase("prediction", 2).over("ab")]
    >>> [(progress.iteration, progress.total) for progress in seen]
    [(0, 2), (1, 2), (2, 2)]
    """
    outer = _FOLLOWERS.get()
    # What is logged by the outer one need not be logged again.
    logs = bool(verbose) and not outer.is_logged
    given = (_log_of(owner) if logs else None, callback, outer.callback)
    callbacks = [one for one in given if one is not None]
    token = _FOLLOWERS.set(_Followers(_joined(callbacks), outer.is_logged or logs))
    try:
        yield
    finally:
        _FOLLOWERS.reset(token)


@contextmanager
def unreported() -> Iterator[None]:
    """Report nothing of the block, except to the callbacks of estimators that are fitted inside."""
    token = _FOLLOWERS.set(_NOBODY)
    try:
        yield
    finally:
        _FOLLOWERS.reset(token)


class Phase:
    """The steps of one stage of a phase.

    Parameters
    ----------
    name : str
        See `Progress`.
    total : int, optional
        Steps, at most.
    stage : str

    Attributes
    ----------
    stopped : bool
        Whether a callback has ended the phase, at its last step or before.
    count : int
        Steps that are done.

    Examples
    --------
    >>> phase = Phase("judgement", 3)
    >>> list(phase.over("abc")), phase.stopped
    (['a', 'b', 'c'], False)
    >>> with reporting("example", lambda progress: progress.iteration == 2):
    ...     phase = Phase("judgement", 3)
    ...     list(phase.over("abc")), phase.stopped
    (['a', 'b'], True)
    """

    def __init__(self, name: str, total: int | None = None, stage: str = "") -> None:
        self.stopped = False
        self._callback = current_callback()
        self._name, self._total, self._stage = name, total, stage
        self.count = 0
        self._report(stage, math.nan)

    def done(self, stage: str | None = None, objective: float = math.nan) -> bool:
        """Report one more step; True if it was the last, because a callback has said so.

        Parameters
        ----------
        stage : str, optional
            By default that of the phase.
        objective : float
        """
        self.count += 1
        return self._report(self._stage if stage is None else stage, objective)

    def over(
        self, items: Iterable[Item], stage_of: Callable[[Item], str] | None = None
    ) -> Iterator[Item]:
        """The items, each reported when the next one is asked for; the first in any case.

        Parameters
        ----------
        items : iterable
        stage_of : callable, optional
            What an item is called in its report.
        """
        if self._callback is None:
            yield from items
            return
        for item in items:
            yield item
            if self.done(None if stage_of is None else stage_of(item)):
                return

    @property
    def is_cut(self) -> bool:
        """Whether a callback has ended the phase, and steps are missing."""
        return self.stopped and (self._total is None or self.count < self._total)

    def finish(self, objective: float = math.nan) -> bool:
        """Report the last step, unless it was reported, or a callback has ended the phase.

        For phases that can end by themselves, or that have steps without a result.
        """
        if not self.stopped and self._total is not None and self.count < self._total:
            self.count = self._total
            self._report(self._stage, objective)
        return self.stopped

    def _report(self, stage: str, objective: float) -> bool:
        if self._callback is not None:
            progress = Progress(stage, self.count, objective, 0, self._name, self._total)
            self.stopped = bool(self._callback(progress)) or self.stopped
        return self.stopped


def _joined(callbacks: list[Callback]) -> Callback | None:
    """One callback that calls all; True if one of them returns True."""
    if len(callbacks) <= 1:
        return callbacks[0] if callbacks else None

    def joined(progress: Progress) -> bool:
        # A list: all are called, whatever the first returns.
        answers = [bool(callback(progress)) for callback in callbacks]
        return any(answers)

    return joined


def _log_of(owner: str) -> Callback:
    def log(progress: Progress) -> None:
        if not _LOGGER.hasHandlers():
            # Nobody has configured logging: whoever asks for messages must see them.
            _LOGGER.addHandler(logging.StreamHandler(sys.stderr))
        _LOGGER.setLevel(min(_LOGGER.getEffectiveLevel(), logging.INFO))
        _LOGGER.info("%s: %s", owner, message(progress))

    return log


def message(progress: Progress) -> str:
    """A report in words.

    Examples
    --------
    >>> message(Progress("average", 3, 1.5, 2))
    'average, iteration 3, objective 1.5, 2 undecided'
    >>> message(Progress("screen", 30, 0.125, 0, "selection", 40))
    'selection (screen), step 30 of 40, objective 0.125'
    >>> message(Progress("", 0, math.nan, 0, "judgement", 10))
    'judgement begins, 10 steps'
    """
    if progress.phase in ("fit", "alternation"):
        return (
            f"{progress.stage}, iteration {progress.iteration}, objective "
            f"{progress.objective:.6g}, {progress.undecided} undecided"
        )
    text = f"{progress.phase} ({progress.stage})" if progress.stage else progress.phase
    total = progress.total
    if progress.iteration == 0:
        steps = "" if total is None else f", {total} step{'' if total == 1 else 's'}"
        return f"{text} begins{steps}"
    text += f", step {progress.iteration}" + ("" if total is None else f" of {total}")
    return text if math.isnan(progress.objective) else f"{text}, objective {progress.objective:.6g}"
