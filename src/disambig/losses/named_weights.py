"""Weights of named things, as users give them.

Weights of positions: from what a user writes to one number a position.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray

_NAMES: dict[str, Callable[[AnyArray], FloatArray]] = {
    "inverse": lambda k: 1.0 / (k + 1.0),
    "log2": lambda k: 1.0 / np.log2(k + 2.0),
}


def named_weights(
    owner: str, parameter: str, thing: str, given: Any, names: AnyArray
) -> FloatArray:
    """One positive weight for each name, ``(m,)``; ones if None is given.

    Parameters
    ----------
    owner, parameter, thing : str
        For errors: "KendallLoss", "item_weights", "item".
    given : None, array-like (m,), or mapping from name to weight
    names : array (m,)

    Examples
    --------
    >>> import numpy as np
    >>> named_weights("KendallLoss", "item_weights", "item", {"a": 2, "b": 1}, np.array(["a", "b"]))
    array([2., 1.])
    """
    listed = names.tolist()
    if given is None:
        return np.ones(len(listed))
    if hasattr(given, "keys"):
        missing = [name for name in listed if name not in given]
        if missing:
            raise ValueError(
                f"{owner}: {parameter} has no weight for the {thing} {missing[0]!r}. Give one for "
                f"each {thing}."
            )
        given = [given[name] for name in listed]
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (len(listed),):
        raise ValueError(
            f"{owner}: {parameter} has shape {weights.shape}; expected one weight for each of the "
            f"{len(listed)} {thing}s."
        )
    bad = ~(np.isfinite(weights) & (weights > 0))
    if bad.any():
        raise ValueError(
            f"{owner}: the weight of {thing} {listed[int(bad.argmax())]!r} is "
            f"{weights[bad.argmax()]}; expected positive numbers."
        )
    return weights


def weights_of_positions(given: Any, m: int) -> FloatArray:
    """Weights ``(m,)`` of the positions of m items, the largest 1; all 1 if none were given.

    No pair pays the last one, since its earlier item stands before another.

    Parameters
    ----------
    given : "inverse", "log2", array-like (m,) or None
        As `KendallLoss` takes them.
    m : int

    Examples
    --------
    >>> weights_of_positions([4, 2, 2, 1], 4)
    array([1. , 0.5, 0.5, 0. ])
    """
    if given is None:
        return np.ones(m)
    if isinstance(given, str):
        if given not in _NAMES:
            raise ValueError(
                f"KendallLoss: position_weights={given!r} is not known; choose one of "
                f"{list(_NAMES)}, or give one number a position."
            )
        return _NAMES[given](np.arange(m))
    if callable(given):
        raise TypeError(
            "KendallLoss: position_weights is a function; give its values, one number a position."
        )
    weights = np.asarray(given, dtype=np.float64)
    if weights.ndim == 2:
        raise ValueError(
            f"KendallLoss: position_weights has shape {weights.shape}. Predictions are found "
            "exactly only if a pair weighs by one position, that of its earlier item in the "
            f"prediction: give one weight for each of the {m} positions."
        )
    if weights.shape != (m,):
        raise ValueError(
            f"KendallLoss: position_weights has shape {weights.shape}; expected one weight for "
            f"each of the {m} positions."
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"KendallLoss: position_weights[{at}] is {weights[at]}; expected finite numbers, "
            "not negative."
        )
    if m > 1 and not weights[:-1].any():
        raise ValueError(
            "KendallLoss: position_weights is 0 at every position but the last, which no pair "
            "pays: all orders would be equal. Give at least one other positive weight."
        )
    if m == 1:
        return np.ones(1)
    # Whatever the last one is, it must not take part.
    return np.append(weights[:-1] / weights[:-1].max(), 0.0)
