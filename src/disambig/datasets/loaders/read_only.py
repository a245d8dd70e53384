"""Arrays that cannot be changed by accident."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["read_only"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """A view of `array` through which nothing can be written; `array` itself stays as it is."""
    view: npt.NDArray[Any] = array.view()
    view.setflags(write=False)
    return view
