"""What a case may end in: a correct result, or an error of our own kind.

An error is of our own kind if all of this holds; everything else is a defect:

1. Its class is ValueError, TypeError, FileExistsError (of `save_model`), NotFittedError or
   InvalidParameterError of scikit-learn, or one of `disambig.exceptions`. Another subclass is
   foreign: UnicodeDecodeError and LinAlgError are ValueErrors too.
2. It has a message.
3. It was raised by a ``raise`` statement in `disambig`, or in the input checks of scikit-learn
   (`_CHECKS`), whose messages users know; what these call in C counts as theirs.
   ``float("x")`` in our code is no raise statement: its message says nothing about rows.

A warning is of our own kind if `disambig` issued it, and it is no RuntimeWarning, FutureWarning or
DeprecationWarning; or if scikit-learn did, with the same exceptions: about names of features, or a
model of the user that does not converge.
"""

import dis
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

import disambig
from disambig import exceptions

_OURS = str(Path(disambig.__file__).parent)
_CHECKS = (
    "sklearn/utils/validation.py",
    "sklearn/utils/_array_api.py",
    "sklearn/utils/_param_validation.py",
    "sklearn/utils/multiclass.py",
    "sklearn/model_selection/_split.py",
    "sklearn/base.py",
)
_CLASSES = {ValueError, TypeError, FileExistsError, NotFittedError, InvalidParameterError} | {
    found
    for found in vars(exceptions).values()
    if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, Warning)
}
_FOREIGN_WARNINGS = (RuntimeWarning, FutureWarning, DeprecationWarning, PendingDeprecationWarning)
_RAISES = {dis.opmap["RAISE_VARARGS"]}


class OwnError(Exception):
    """An error of our own kind: the case ends well."""


class DefectError(Exception):
    """What must not happen, with the place and the message by which defects are grouped."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place, self.message = place, message


class Hang(BaseException):
    """A case that takes too long; no handler of ours may catch it."""


def expect(condition: Any, message: str) -> None:
    """Raise a defect unless a condition about a result holds."""
    if not condition:
        raise DefectError("wrong result", message)


def attempt(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result of a call; raises `OwnError` for an error of ours, `DefectError` for others."""
    try:
        with _watched_warnings():
            return call(*args, **options)
    except (OwnError, DefectError):
        raise
    except Exception as error:
        reason = foreign(error)
        if reason is None:
            raise OwnError(f"{type(error).__name__}: {error}") from error
        message = " ".join(str(error).split())[:160]
        raise DefectError(
            _innermost_of_ours(error), f"{type(error).__name__} {reason}: {message}"
        ) from (error)


def foreign(error: Exception) -> str | None:
    """Why an error is not of our own kind; None if it is."""
    if type(error) not in _CLASSES:
        return "is foreign"
    if not str(error).strip():
        return "has no message"
    last = _last(error.__traceback__)
    if last is None:
        return "comes from nowhere"
    name = last.tb_frame.f_code.co_filename
    if name.endswith(_CHECKS):
        return None
    if not name.startswith(_OURS):
        return f"comes from {_short(name)}"
    is_raised = last.tb_frame.f_code.co_code[last.tb_lasti] in _RAISES
    return None if is_raised else "was not raised by a statement of ours"


def _last(found: TracebackType | None) -> TracebackType | None:
    """The innermost frame of Python code: compiled modules of numpy add frames of their own."""
    last = None
    while found is not None:
        if not found.tb_frame.f_code.co_filename.endswith((".pyx", ".pxi")):
            last = found
        found = found.tb_next
    return last


def _innermost_of_ours(error: BaseException) -> str:
    """File, line and function of the innermost frame in `disambig`."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(_OURS)] or list(frames)
    return f"{_short(ours[-1].filename)}:{ours[-1].lineno} {ours[-1].name}"


def _short(name: str) -> str:
    for root in (str(Path(_OURS).parent), *sorted(sys.path, key=len, reverse=True)):
        if root and name.startswith(root):
            return name[len(root) :].lstrip("/")
    return name


@contextmanager
def _watched_warnings() -> Iterator[None]:
    """Raise a defect at the end if a foreign warning came; nothing is shown."""
    found: list[DefectError] = []

    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        place = _warned_at(sys._getframe(1))
        if not _is_own_warning(category, place):
            text = " ".join(str(message).split())[:160]
            found.append(DefectError(place[0], f"{category.__name__}: {text}"))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
    if found:
        raise found[0]


def _is_own_warning(category: type[Warning], place: tuple[str, bool]) -> bool:
    if issubclass(category, ConvergenceWarning | DataConversionWarning):
        return True
    return place[1] and not issubclass(category, _FOREIGN_WARNINGS)


def _warned_at(frame: FrameType | None) -> tuple[str, bool]:
    """The innermost frame of ours below a warning, and whether it issued the warning itself."""
    innermost = True
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OURS):
            if name.endswith("exceptions.py") and frame.f_back is not None:
                frame = frame.f_back
                name = frame.f_code.co_filename
            return f"{_short(name)}:{frame.f_lineno} {frame.f_code.co_name}", innermost
        if not name.endswith("/warnings.py") and "/sklearn/" not in name:
            innermost = False
        frame = frame.f_back
    return "outside of disambig", False
