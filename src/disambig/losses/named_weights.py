"""Weights of items, tags and positions as users give them, checked and turned into arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import preview
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_choice

_POSITION_WEIGHTS: dict[str, Callable[[AnyArray], FloatArray]] = {
    "inverse": lambda k: 1.0 / (k + 1.0),
    "log2": lambda k: 1.0 / np.log2(k + 2.0),
}


def named_weights(
    owner: str, parameter: str, thing: str, given: Any, names: AnyArray
) -> FloatArray:
    """One positive weight for each name, ``(m,)``; all 1 if `given` is None.

    Parameters
    ----------
    owner, parameter, thing : str
        For error messages, such as "KendallLoss", "item_weights", "item".
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
        known = set(listed)
        others = [name for name in given.keys() if name not in known]  # noqa: SIM118
        if others:
            raise ValueError(
                f"{owner}: {parameter} names {others[0]!r}, which is not among the {thing}s "
                f"{preview(listed)}. Correct the name, or leave it out."
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
    """Weights ``(m,)`` of the positions of m items, the largest 1; all 1 if `given` is None.

    The last weight has no effect and is set to 0: a pair has the weight of its earlier item, which
    never stands at the last position.

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
        more = "or one number for each position"
        check_choice("KendallLoss", "position_weights", given, _POSITION_WEIGHTS, more)
        return _POSITION_WEIGHTS[given](np.arange(m))
    if callable(given):
        raise TypeError(
            "KendallLoss: position_weights is a function; give its values, one for each position."
        )
    weights = np.asarray(given, dtype=np.float64)
    if weights.ndim == 2:
        raise ValueError(
            f"KendallLoss: position_weights has shape {weights.shape}; expected one weight for "
            f"each of the {m} positions. Weights of pairs of positions are not supported: exact "
            "predictions need weights that depend on the position of the earlier item only."
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
            f"KendallLoss: position_weights[{at}] is {weights[at]}; expected finite numbers >= 0."
        )
    if m > 1 and not weights[:-1].any():
        raise ValueError(
            "KendallLoss: position_weights is 0 at every position but the last, which has no "
            "effect: all orders would have loss 0. Give another position a positive weight."
        )
    if m == 1:
        return np.ones(1)
    # The last weight has no effect, so it must not set the scale either.
    return np.append(weights[:-1] / weights[:-1].max(), 0.0)
