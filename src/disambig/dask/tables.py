"""Rows that functions read where they run, as a Dask array, and clients by their address."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from disambig.dask.cluster import require_dask


def array_of_pieces(
    function: Callable[..., Any],
    pieces: Sequence[Any],
    heights: Sequence[int],
    width: int,
    *arguments: Any,
) -> Any:
    """The rows ``function(piece, *arguments)`` of all pieces, as a ``dask.array``.

    Parameters
    ----------
    function : callable
        Importable by its name; it returns a float array ``(height, width)``.
    pieces : sequence
    heights : sequence of int
    width : int
    *arguments
        The same for all pieces.
    """
    require_dask()
    import dask.array as da
    from dask import delayed

    same = [delayed(argument) for argument in arguments]
    return da.concatenate(
        [
            da.from_delayed(delayed(function)(piece, *same), (height, width), np.float64)
            for piece, height in zip(pieces, heights, strict=True)
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

    return Client(address)
