"""When two sums of votes are the same number."""

from typing import Any

import numpy as np
import numpy.typing as npt


def tie_tolerance(dtype: npt.DTypeLike | Any) -> float:
    """The part of the size of a sum below which a difference is rounding, by the type of the votes.

    Sums of up to n votes are exact to a few units of rounding; a tie is judged far above that and
    far below one vote.

    Examples
    --------
    >>> tie_tolerance(np.float64)
    1e-10
    """
    return 1e-5 if np.dtype(dtype) == np.float32 else 1e-10
