"""Rows that functions read where they run, as a Dask array, and clients by their address."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from disambig.dask.cluster import require_dask

# Seconds to wait for a scheduler.
_CONNECT = 10


def array_of_parts(
    function: Callable[..., Any],
    parts: Sequence[Any],
    heights: Sequence[int],
    width: int,
    *arguments: Any,
) -> Any:
    """The rows ``function(part, *arguments)`` of all parts, as a ``dask.array``.

    Parameters
    ----------
    function : callable
        Importable by its name; it returns a float array ``(height, width)``.
    parts : sequence
    heights : sequence of int
    width : int
    *arguments
        The same for all parts.
    """
    require_dask()
    import dask.array as da
    from dask import delayed

    same = [delayed(argument) for argument in arguments]
    return da.concatenate(
        [
            da.from_delayed(delayed(function)(part, *same), (height, width), np.float64)
            for part, height in zip(parts, heights, strict=True)
        ]
    )


def client_at(address: str) -> Any:
    """A client of the scheduler at an address, such as ``tcp://10.0.0.1:8786``.

    Parameters
    ----------
    address : str
    """
    require_dask()
    from distributed import Client

    return Client(address, timeout=_CONNECT)
