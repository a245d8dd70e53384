"""Multiclass data in the format of LIBSVM: lines of a label and ``index:value`` pairs."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse as sp

from disambig.datasets.loaders.fetching import Progress, fetched
from disambig.datasets.loaders.registry import LIBSVM_FEATURES, LIBSVM_FILES, chosen
from disambig.datasets.loaders.tables import read_only
from disambig.exceptions import DatasetError
from disambig.notation import IntArray


@dataclass(frozen=True, eq=False)
class MulticlassData:
    """Inputs with one class each.

    Attributes
    ----------
    X : float array (n, d), or scipy.sparse.csr_array
        A dense array is read-only.
    y : int array (n,)
        The labels in the file, read-only.
    name : str
    """

    X: Any
    y: IntArray
    name: str

    def __post_init__(self) -> None:
        if not sp.issparse(self.X):
            object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "y", read_only(self.y))


def fetch_libsvm(
    name: str,
    *,
    part: Literal["train", "test"] = "train",
    sparse: bool = False,
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> MulticlassData:
    """A multiclass set of the LIBSVM collection, from this machine or from its web site.

    =========  ====  ===  =======  =======================================
    name          n    d  classes  values
    =========  ====  ===  =======  =======================================
    dna        2000  180        3  0 and 1; the part "test" has 1186 rows
    glass       214    9        6  scaled to [-1, 1]
    satimage   4435   36        6  scaled to [-1, 1]
    segment    2310   19        7  scaled to [-1, 1]
    svmguide2   391   20        3  as measured
    vehicle     846   18        4  scaled to [-1, 1]
    vowel       528   10       11  scaled to [-1, 1]
    =========  ====  ===  =======  =======================================

    The file is searched for in `folder`, in the folder that the environment variable DISAMBIG_DATA
    names, in ``./data`` (in each as ``libsvm/dna.scale``), and in the cache, which DISAMBIG_CACHE
    can name. If it is in none of these, it is downloaded to the cache. Its checksum is verified in
    every case.

    Parameters
    ----------
    name : str
        A name of the table.
    part : {"train", "test"}, default "train"
        The main file, or the test file, which most sets do not have.
    sparse : bool, default False
        Return X as a `scipy.sparse.csr_array`.
    folder : path, optional
        The first folder to search.
    download : bool, default True
        False: raise an error if the file is not on this machine.
    progress : callable, optional
        ``progress(done, total)``, in bytes, while downloading; total may be None.

    Returns
    -------
    MulticlassData

    Raises
    ------
    DatasetError
        The file was not found, could not be downloaded, or is not the known one.

    Examples
    --------
    >>> from disambig.datasets import fetch_libsvm
    >>> data = fetch_libsvm("dna")  # doctest: +SKIP
    >>> data.X.shape, data.y[:4]  # doctest: +SKIP
    ((2000, 180), array([3, 3, 3, 1]))
    """
    file = chosen("fetch_libsvm", LIBSVM_FILES, name, part)
    path = fetched(file, folder=folder, download=download, progress=progress)
    data = load_libsvm(path, n_features=LIBSVM_FEATURES[name], sparse=sparse)
    return MulticlassData(data.X, data.y, name)


def load_libsvm(
    path: str | os.PathLike[str], *, n_features: int | None = None, sparse: bool = False
) -> MulticlassData:
    r"""Read a file in the format of LIBSVM whose labels are integers.

    Parameters
    ----------
    path : path
        Lines ``label index:value index:value ...``; indices start at 1.
    n_features : int, optional
        Columns of X. The format leaves out zeros, so that a file may not contain the index of its
        last feature. By default the largest index.
    sparse : bool, default False
        Return X as a `scipy.sparse.csr_array`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.datasets import load_libsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy"
    ...     _ = path.write_text("2 1:0.5 3:1\n1 2:-1\n")
    ...     data = load_libsvm(path)
    >>> data.X
    array([[ 0.5,  0. ,  1. ],
           [ 0. , -1. ,  0. ]])
    >>> data.y
    array([2, 1])
    """
    # The import takes longer than reading most files.
    from sklearn.datasets import load_svmlight_file

    path = Path(path)
    try:
        X, labels = load_svmlight_file(str(path), n_features=n_features, zero_based=False)
    except (ValueError, IndexError, OverflowError) as error:
        raise DatasetError(
            f"{path}: not in the format of LIBSVM ({error}). Expected lines 'label index:value "
            "...' with one label and indices from 1."
        ) from error
    is_integer = (np.abs(labels) < 2**31) & (labels == np.rint(labels))
    if not is_integer.all():
        row = int(np.argmin(is_integer))
        raise DatasetError(
            f"{path}: the label of row {row} is {labels[row]}; expected an integer. A file "
            "for regression has no classes."
        )
    y = labels.astype(np.intp)
    return MulticlassData(sp.csr_array(X) if sparse else X.toarray(), y, path.stem)
