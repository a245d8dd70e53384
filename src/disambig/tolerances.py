"""The relative tolerance below which two sums of votes count as equal."""

from typing import Any

import numpy as np
import numpy.typing as npt


def tie_tolerance(dtype: npt.DTypeLike | Any) -> float:
    """Relative difference below which two sums of votes tie: 1e-5 in float32, 1e-10 otherwise.

    A sum of up to n votes is exact to a few units of rounding. The tolerance is far above that
    error and far below the effect of one vote.

    Parameters
    ----------
    dtype : data type
        The type of the votes.

    Examples
    --------
    >>> tie_tolerance(np.float64)
    1e-10
    """
    return 1e-5 if np.dtype(dtype) == np.float32 else 1e-10
