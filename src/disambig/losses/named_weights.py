"""Weights of named things, as users give them."""

from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray

__all__ = ["named_weights"]


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
