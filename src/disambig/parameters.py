"""Checks of constructor parameters.

All errors have the same form: owner, parameter, what was expected, what was given.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from disambig.notation import AnyArray

# More processors than any machine has.
_MAX_JOBS = 100_000


def check_integer(owner: str, name: str, value: Any, *, least: int) -> int:
    """Return `value` as an int that is at least `least`, or raise."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{owner}: {name} must be an integer >= {least}; got {value!r}.")
    return int(value)


def check_number(
    owner: str,
    name: str,
    value: Any,
    *,
    positive: bool = False,
    least: float = 0.0,
    most: float = np.inf,
    below: float = np.inf,
    advice: str = "",
) -> float:
    """Return `value` as a finite float within the bounds, or raise.

    Parameters
    ----------
    owner, name : str
    value : number
    positive : bool
        Whether it must be > 0; otherwise it must be >= `least`.
    least, most, below : float
        Bounds; `below` is not reached.
    advice : str
        A sentence for the end of the message.

    Examples
    --------
    >>> check_number("PinballLoss", "quantile", 0.5, positive=True, below=1)
    0.5
    """
    number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    low = number > 0 if positive else number >= least
    if np.isfinite(number) and low and number <= most and number < below:
        return number
    bounds = ["> 0"] if positive else [f">= {least:g}"] if least > -np.inf else []
    bounds += [f"<= {most:g}"] if most < np.inf else []
    bounds += [f"< {below:g}"] if below < np.inf else []
    kind = f"a finite number {' and '.join(bounds)}".rstrip()
    if not positive and -np.inf < least < most < np.inf:
        kind = f"a number from {least:g} to {most:g}"
    advice = f" {advice}" if advice else ""
    raise ValueError(f"{owner}: {name} must be {kind}; got {value!r}.{advice}")


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise. Strings are refused: ``bool("False")`` is True."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{owner}: {name} must be True or False; got {value!r}.")
    return bool(value)


def as_array(value: Any) -> AnyArray:
    """`value` as an array; of rows that differ in length, one of objects instead of an error.

    So that the check of shape and type that follows says what was expected.

    Examples
    --------
    >>> as_array([[1, 2], [3]]).shape
    (2,)
    """
    try:
        return np.asarray(value)
    except ValueError:
        rows = list(value)
        array = np.empty(len(rows), dtype=object)
        array[:] = rows
        return array


def refuse_collection(name: str, data: Any) -> None:
    """Raise a TypeError for a Dask collection, of which numpy would gather all rows silently.

    Parameters
    ----------
    name : str
        Of the argument.
    data : object

    Examples
    --------
    >>> refuse_collection("X", [[0.0], [1.0]])
    """
    if not hasattr(data, "__dask_graph__"):
        return
    kind = type(data).__module__.split(".")[:2]
    raise TypeError(
        f"{name} is a {'.'.join(kind)} collection, which is not gathered silently. If its rows fit "
        f"in memory, pass {name}.compute(). Estimators learn from collections by "
        "disambig.dask.DaskEstimator; a model in memory predicts X.map_blocks(model.predict)."
    )


def check_jobs(owner: str, n_jobs: Any) -> None:
    """Raise unless `n_jobs` is None or an integer other than 0, as in joblib.

    Examples
    --------
    >>> check_jobs("NeighborWeights", -1)
    """
    is_integer = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_integer or n_jobs == 0 or abs(n_jobs) > _MAX_JOBS):
        raise ValueError(
            f"{owner}: n_jobs must be None or an integer other than 0 (-1: all processors), at "
            f"most {_MAX_JOBS} in size; got {n_jobs!r:.80}."
        )


def check_list(owner: str, name: str, value: Any) -> list[Any]:
    """Return `value` as a list, or raise. A single text is refused: its letters are no entries.

    Examples
    --------
    >>> check_list("plan_features", "drop", ("a", "b"))
    ['a', 'b']
    """
    is_single = isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__")
    if is_single or (isinstance(value, np.ndarray) and value.ndim == 0):
        raise ValueError(f"{owner}: {name} must be a list; got {value!r:.80}.")
    return list(value)


def check_mapping(owner: str, name: str, value: Any) -> dict[Any, Any]:
    """Return `value` as a dict, or raise.

    Examples
    --------
    >>> check_mapping("plan_features", "types", {"size": "number"})
    {'size': 'number'}
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{owner}: {name} must be a dict; got {value!r:.80}.")
    return dict(value)


def check_choice(owner: str, name: str, value: Any, choices: Iterable[str], more: str = "") -> None:
    """Raise unless `value` is one of `choices`; `more` names other valid values."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise ValueError(choice_message(owner, name, value, known, more))


def choice_message(
    owner: str, name: str, value: Any, choices: Iterable[str], more: str = ""
) -> str:
    """The message for a value that is not one of `choices`; `owner` may be empty.

    A class is named: pass the type of a value if that is what is wrong.

    Examples
    --------
    >>> choice_message("", "loss", "l2", ("squared", "absolute"), "or a loss object")
    "loss must be one of 'squared', 'absolute' or a loss object; got 'l2'."
    """
    listed = ", ".join(repr(choice) for choice in choices)
    owner, more = f"{owner}: " if owner else "", f" {more}" if more else ""
    got = value.__name__ if isinstance(value, type) else repr(value)
    return f"{owner}{name} must be one of {listed}{more}; got {got}."


def check_callback(owner: str, value: Any) -> None:
    """Raise unless `value` is None or can be called with the progress of a run.

    Examples
    --------
    >>> check_callback("PartialLabelClassifier", print)
    """
    if value is not None and not callable(value):
        raise ValueError(
            f"{owner}: callback must be None or a function, which is called with a Progress after "
            f"every iteration; got {value!r}."
        )
