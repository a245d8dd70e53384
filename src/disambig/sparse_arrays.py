"""Whether the indices of a sparse array are inside of its shape: compiled code follows them."""

from typing import Any

import numpy as np

from disambig.notation import AnyArray


def sparse_error(matrix: Any) -> str | None:
    """What is wrong with the indices of a sparse array or matrix; None if nothing is.

    scipy does not check arrays that are assigned to, or read from a file; a product then reads
    outside of its memory. Formats without such arrays (lists, dictionaries, diagonals) are not
    looked at.

    Parameters
    ----------
    matrix : sparse array or matrix

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> matrix = sp.csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> matrix.indices[1] = 5
    >>> sparse_error(matrix)
    'an index is 5, where 0 to 1 are possible'
    """
    if matrix.format == "coo":
        for index, size in zip(_coordinates(matrix), matrix.shape, strict=True):
            error = _outside(index, size)
            if error is not None:
                return error
        return None
    if matrix.format not in ("csr", "csc", "bsr") or len(matrix.shape) != 2:
        return None
    rows, columns = matrix.shape if matrix.format != "csc" else matrix.shape[::-1]
    if matrix.format == "bsr":
        rows, columns = rows // matrix.blocksize[0], columns // matrix.blocksize[1]
    pointer = np.asarray(matrix.indptr)
    if len(pointer) != rows + 1 or pointer[0] != 0 or (np.diff(pointer) < 0).any():
        return f"its row pointer must ascend from 0 with {rows + 1} entries"
    used = int(pointer[-1])
    if used > min(len(matrix.indices), len(matrix.data)):
        return f"its row pointer ends at {used}, and there are {len(matrix.indices)} entries"
    return _outside(np.asarray(matrix.indices)[:used], columns)


def check_sparse(name: str, matrix: Any, kind: type[ValueError] = ValueError) -> None:
    """Raise an error of this kind if indices of a sparse array are outside of its shape.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> check_sparse("X", sp.eye_array(3, format="csc"))
    """
    error = sparse_error(matrix)
    if error is not None:
        raise kind(
            f"{name} is a damaged sparse {matrix.format} array: {error}. Build it anew from its "
            "rows, columns and values."
        )


def _coordinates(matrix: Any) -> tuple[AnyArray, ...]:
    return tuple(getattr(matrix, "coords", None) or (matrix.row, matrix.col))


def _outside(index: AnyArray, size: int) -> str | None:
    if not len(index) or (index.min() >= 0 and index.max() < size):
        return None
    bad = index[(index < 0) | (index >= size)][0]
    return f"an index is {bad}, where 0 to {size - 1} are possible"
