"""Real candidate sets in MATLAB files, the usual format of partial-label data."""

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse as sp

from disambig.candidates.labels.label_sets import LabelSets
from disambig.datasets.loaders.tables import read_only
from disambig.exceptions import CandidateError, DatasetError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

_KEYS = ("data", "partial_target", "target")


@dataclass(frozen=True, eq=False)
class PartialLabelData:
    """Inputs, candidate sets and true classes; the arrays are read-only.

    Attributes
    ----------
    X : float array (n, d)
    sets : LabelSets
        n sets over the classes 0 to K - 1.
    labels : int array (n,)
        The true classes, inside the sets.
    name : str
    """

    X: FloatArray
    sets: LabelSets
    labels: IntArray
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "labels", read_only(self.labels))


def load_partial_label_mat(path: str | os.PathLike[str]) -> PartialLabelData:
    """Read ``data`` (n, d), ``partial_target`` (K, n) and ``target`` (K, n) from a ``.mat`` file.

    Parameters
    ----------
    path : path
        Up to version 7.2 of the format of MATLAB. The targets are matrices of 0 and 1, dense or
        sparse, with a column for each sample: its candidates, and its one true class. The file is
        read by `scipy.io.loadmat`, which a malicious file can crash: read files from sources that
        you trust.

    Returns
    -------
    PartialLabelData

    Raises
    ------
    DatasetError
        A matrix is missing or has the wrong shape; a sample has no candidate, not exactly one true
        class, or a true class that is not among its candidates.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import scipy.io
    >>> from disambig.datasets import load_partial_label_mat
    >>> truth, candidates = [[1, 0], [0, 1]], [[1, 1], [0, 1]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.mat"
    ...     content = {"data": [[0.5], [2.0]], "partial_target": candidates, "target": truth}
    ...     scipy.io.savemat(path, content)
    ...     data = load_partial_label_mat(path)
    >>> data.sets.to_sets() == [{0}, {0, 1}]
    True
    >>> data.labels
    array([0, 1])
    """
    path = Path(path)
    matrices = _read(path)
    X = _dense(path, "data", matrices["data"]).astype(np.float64)
    candidates = _bits(path, "partial_target", matrices["partial_target"], len(X))
    truth = _bits(path, "target", matrices["target"], len(X))
    if candidates.shape != truth.shape:
        raise DatasetError(
            f"{path}: partial_target has {candidates.shape[1]} classes and target "
            f"{truth.shape[1]}; expected the same."
        )
    _require(path, np.asarray(truth.sum(axis=1) == 1), "has not exactly one true class")
    _require(
        path,
        np.asarray((truth & candidates).any(axis=1)),
        "has a true class outside its candidates",
    )
    try:
        sets = LabelSets(candidates, np.arange(candidates.shape[1]))
    except CandidateError as error:
        raise DatasetError(f"{path}: {error}") from error
    return PartialLabelData(X, sets, truth.argmax(axis=1).astype(np.intp), path.stem)


def _read(path: Path) -> Mapping[str, Any]:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with path.open("rb") as stream:
        try:
            content: Mapping[str, Any] = loadmat(stream, variable_names=_KEYS)
        except (
            MatReadError,
            NotImplementedError,  # version 7.3 is HDF5
            OSError,  # a truncated file
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            OverflowError,
            zlib.error,
        ) as error:
            raise DatasetError(
                f"{path}: not a complete MATLAB file up to version 7.2 of the format ({error}). In "
                "MATLAB, save it with -v7."
            ) from error
    missing = [key for key in _KEYS if key not in content]
    if missing:
        raise DatasetError(f"{path}: has no {' and no '.join(missing)}; expected {list(_KEYS)}.")
    return content


def _dense(path: Path, key: str, matrix: Any) -> AnyArray:
    if sp.issparse(matrix):
        try:
            # The reader does not check indices, and `toarray` would write outside of the array.
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise DatasetError(f"{path}: {key} is a broken sparse matrix ({error}).") from error
        matrix = matrix.toarray()
    array: AnyArray = np.asarray(matrix)
    if array.ndim != 2 or array.dtype.kind not in "buif":
        raise DatasetError(
            f"{path}: {key} is {array.dtype} of shape {array.shape}; expected a matrix of numbers."
        )
    return array


def _bits(path: Path, key: str, matrix: Any, n_rows: int) -> BoolArray:
    array = _dense(path, key, matrix)
    if array.shape[1] != n_rows:
        raise DatasetError(
            f"{path}: {key} has shape {array.shape}; expected a column for each of the {n_rows} "
            "rows of data."
        )
    if not np.isin(array, (0, 1)).all():
        raise DatasetError(f"{path}: {key} holds other values than 0 and 1.")
    return np.asarray(array.T == 1)


def _require(path: Path, holds: BoolArray, problem: str) -> None:
    if not holds.all():
        raise DatasetError(
            f"{path}: sample {int(np.argmin(holds))} {problem} ({np.count_nonzero(~holds)} such "
            "samples)."
        )
