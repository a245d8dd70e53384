"""Errors and warnings of the package.

Each error derives from the built-in error that a caller would expect, so that, for example,
``except ValueError`` catches a `CandidateError`.
"""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "CandidateError",
    "ConvergenceWarning",
    "DatasetError",
    "IllBehavedWarning",
    "InputShiftWarning",
    "LookAlikeWarning",
    "MemoryBudgetError",
    "MissingColumnWarning",
    "MissingOracleError",
    "ModelFileError",
    "NoInformationError",
    "NoVotesWarning",
    "StoppedError",
    "TableError",
    "UnusedClassWarning",
    "VotesError",
]


class CandidateError(ValueError):
    """An invalid candidate set: empty, contradictory, with an unknown label or a wrong shape.

    Attributes
    ----------
    row : int or None
        The first invalid row, if the error is about rows.
    detail : str
        What is wrong with that row and what to do, without the row itself.
    """

    row: int | None = None
    detail: str = ""


class NoInformationError(CandidateError):
    """No row is informative: every candidate set allows every target."""


class VotesError(ValueError):
    """A weighting that cannot be used: wrong shape, not finite, or of another training set."""


class DatasetError(RuntimeError):
    """A data set that cannot be fetched or read: not found, incomplete, unexpected or malformed."""


class TableError(ValueError):
    """A file or a frame that cannot be read, or that may be read in several ways; one line.

    Attributes
    ----------
    file : str or None
        The name of the file; None for a frame.
    line : int or None
        The line of the file, from 1 on; in a frame, and in a file without lines, the row, from 0
        on.
    column : str or None
        The name of the column.
    """

    file: str | None = None
    line: int | None = None
    column: str | None = None


class MissingOracleError(TypeError):
    """An exact computation was requested of a component that does not offer it."""


class MemoryBudgetError(MemoryError):
    """An array does not fit in the free memory; the message names an alternative."""


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a model that can be loaded safely."""


class StoppedError(RuntimeError):
    """A callback ended a phase that has no result without its last step."""


class UnusedClassWarning(UserWarning):
    """A class is never a candidate. It stays in ``classes_`` with probability zero."""


class IllBehavedWarning(UserWarning):
    """The problem is not well-behaved: a candidate set has no signed measure."""


class InputShiftWarning(UserWarning):
    """New inputs have drifted away from the training inputs; ``input_shift(X)`` says how."""


class MissingColumnWarning(UserWarning):
    """A column of X has no value in any training row; it is dropped, also at predict."""


class NoVotesWarning(UserWarning):
    """No training row votes at some new inputs; ``is_reached(X)`` says at which ones it does."""


class LookAlikeWarning(UserWarning):
    """Classes, items or tags that may be a slip: two that look alike, a set or a missing mark.

    "Cat" beside "cat" and "1" beside 1 are different classes, "a|b" is one class, and so is
    "unknown". The warning names them and says what to do; it does not come if the user names the
    classes by ``classes=`` (items by ``items=``, tags by ``tags=``).
    """


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside this package that called it, however deep the call was.

    Python shows a warning once a line. At a line of ours, the warning of one fit would hide that of
    the next.
    """
    inside = __name__.partition(".")[0] + "."
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
