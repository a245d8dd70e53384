"""The rows whose targets say something, for weightings in which only they vote."""

from typing import Any

import numpy as np

from disambig.notation import IntArray

__all__ = ["informed_rows"]


def informed_rows(owner: str, informed: Any, n: int) -> IntArray:
    """The indices of the informed rows, ascending; all n if `informed` is None.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    informed : bool, (n,), or None
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> informed_rows("PoissonWeights", np.array([False, True, True]), 3)
    array([1, 2])
    """
    if informed is None:
        return np.arange(n)
    mask = np.asarray(informed)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise ValueError(
            f"{owner}: informed must be {n} booleans, one a row; got shape {mask.shape} of "
            f"{mask.dtype}."
        )
    if not mask.any():
        raise ValueError(
            f"{owner}: none of the {n} rows is informed, so that nobody votes. Label at least one."
        )
    return np.flatnonzero(mask)
