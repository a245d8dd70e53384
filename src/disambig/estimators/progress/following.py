"""Fits that can be followed: by `callback`, by the log, and by the callbacks of scikit-learn.

scikit-learn has callbacks since version 1.9 (`sklearn.callback`): ``set_callbacks(ProgressBar())``.
They see a fit as a tree of tasks: the fit, its phases, and their steps. Before 1.9 `FollowedMixin`
is empty.
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

from sklearn.base import BaseEstimator

from disambig.estimators.mixture import is_judged
from disambig.estimators.progress.reporting import reporting
from disambig.solvers.loop import Progress

_CALLBACKS: Any = import_module("sklearn.callback") if find_spec("sklearn.callback") else None
_Support: Any = object if _CALLBACKS is None else _CALLBACKS.CallbackSupportMixin
P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E", bound=BaseEstimator)


class FollowedMixin(_Support):
    """The method ``set_callbacks`` of scikit-learn, where it exists."""


def followed(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate ``fit``: its phases are reported to all who follow the estimator.

    These are its `callback`, the log if it is `verbose`, the callbacks of scikit-learn, and those
    who follow a fit around it.
    """

    @wraps(fit)
    def reported(*args: P.args, **kwargs: P.kwargs) -> R:
        estimator: Any = args[0]
        with reporting(type(estimator).__name__, estimator.callback, estimator.verbose):
            return fit(*args, **kwargs)

    @wraps(fit)
    def tasked(*args: P.args, **kwargs: P.kwargs) -> R:
        estimator: Any = args[0]
        if not _has_tasks(estimator):
            return reported(*args, **kwargs)
        # Ends the callbacks whatever happens.
        found: R = _CALLBACKS.with_callbacks(_run_tasks)(estimator, reported, args[1:], kwargs)
        return found

    return tasked


def _has_tasks(estimator: Any) -> bool:
    """Whether callbacks of scikit-learn follow this fit.

    Clones have the callbacks of their original. As members and models of folds they are part of one
    of its steps, unless a meta-estimator has given them the callbacks.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        return False
    return hasattr(estimator, "_parent_callback_ctx") or is_judged()


def unfollowed(estimator: E) -> E:
    """The same estimator without callbacks, for a clone that a fitted estimator keeps.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> unfollowed(PartialLabelClassifier(callback=print)).callback is None
    True
    """
    estimator.set_params(callback=None, verbose=0)
    vars(estimator).pop("_skl_callbacks", None)
    return estimator


def _run_tasks(estimator: Any, fit: Callable[..., R], args: Any, kwargs: Any) -> R:
    """``fit(estimator, *args, **kwargs)`` as a tree of tasks."""
    data = dict(zip(("X", "y", "sample_weight"), args, strict=False)) | kwargs
    tasks = _Tasks(estimator, data)
    with reporting(type(estimator).__name__, tasks.report):
        found = fit(estimator, *args, **kwargs)
    tasks.end()
    return found


class _Tasks:
    """The tasks of a fit: each phase is one of the fit, and each step one of its phase.

    A step is reported when it is done, so that its task begins and ends there. Phases may be
    inside of each other, such as the fit of a member; as tasks they are side by side.
    """

    def __init__(self, estimator: Any, data: dict[str, Any]) -> None:
        self._estimator = estimator
        weights = data.get("sample_weight")
        self._data: dict[str, Any] = {
            "X": data.get("X"),
            "y": data.get("y"),
            "metadata": None if weights is None else {"sample_weight": weights},
        }
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._begin(self._root)
        # For each phase that has begun its task, and its last report.
        self._open: dict[str, tuple[Any, Progress]] = {}

    def report(self, progress: Progress) -> bool:
        """Begin and end the task of a step; True if one of the callbacks ends the phase."""
        task = self._phase(progress)
        self._open[progress.phase] = task, progress
        stops = False
        if progress.iteration > 0:
            step = task.subcontext(task_name=progress.stage)
            self._begin(step)
            stops = self._end(step)
        if progress.left == 0:
            self._close(progress.phase)
        return stops

    def end(self) -> None:
        """End the tasks of all phases, and the fit."""
        for phase in list(self._open):
            self._close(phase)
        # No attribute is missing: the estimator is fitted.
        self._root.call_on_fit_task_end(
            estimator=self._estimator, reconstruction_attributes={}, **self._data
        )

    def _phase(self, progress: Progress) -> Any:
        """The task of a phase; a new one if there is none, or if its steps are counted anew."""
        task, last = self._open.get(progress.phase, (None, progress))
        begins_again = progress.total is not None and (
            progress.iteration <= last.iteration or progress.total != last.total
        )
        if task is not None and not begins_again:
            return task
        self._close(progress.phase)
        # The rounds of a selection are tasks of their own.
        is_selection = progress.phase == "selection"
        name = f"{progress.phase}: {progress.stage}" if is_selection else progress.phase
        task = self._root.subcontext(task_name=name, max_subtasks=progress.total)
        self._begin(task)
        return task

    def _close(self, phase: str) -> None:
        if phase in self._open:
            self._end(self._open.pop(phase)[0])

    def _begin(self, task: Any) -> None:
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def _end(self, task: Any) -> bool:
        return bool(task.call_on_fit_task_end(estimator=self._estimator, **self._data))
