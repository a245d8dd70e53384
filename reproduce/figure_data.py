"""The data sets of the classification figure, or replacements that ship with scikit-learn."""

import os
from dataclasses import dataclass

import numpy as np
from sklearn import datasets

from disambig.datasets import fetch_libsvm
from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, FloatArray

# Replacements of roughly similar size.
_REPLACEMENTS = {"dna": "digits", "svmguide2": "wine"}


@dataclass(frozen=True, eq=False)
class FigureData:
    """Inputs with known classes.

    Attributes
    ----------
    name : str
    X : float array (n, d)
        Columns of mean 0 and variance 1.
    y : array (n,)
    stands_for : str
        The data set of the paper that it replaces; empty if it is one of the paper.
    reason : str
        Why the data set of the paper is missing.
    """

    name: str
    X: FloatArray
    y: AnyArray
    stands_for: str = ""
    reason: str = ""

    @property
    def title(self) -> str:
        """The name, with the data set that it replaces."""
        return f"{self.name} (in place of {self.stands_for})" if self.stands_for else self.name

    @property
    def notice(self) -> str:
        """A warning if this data set replaces another; else empty.

        Examples
        --------
        >>> FigureData("dna", np.zeros((1, 1)), np.zeros(1)).notice
        ''
        """
        if not self.stands_for:
            return ""
        return (
            f"{self.stands_for} is missing; {self.name}, which ships with scikit-learn, replaces "
            "it. Its panels cannot be compared with the paper."
        )


def figure_data(
    name: str, folder: str | os.PathLike[str] | None = None, *, download: bool = True
) -> FigureData:
    """A data set of the paper, "dna" or "svmguide2"; if it is missing, "digits" or "wine".

    Parameters
    ----------
    name : str
    folder : path, optional
        Where to look first; see `disambig.datasets.fetch_libsvm`.
    download : bool, default True
        False: use only files that are on this machine.
    """
    try:
        found = fetch_libsvm(name, folder=folder, download=download)
    except DatasetError as error:
        other = _REPLACEMENTS[name]
        data = getattr(datasets, f"load_{other}")()
        classes = np.asarray(data.target_names)[data.target]
        return FigureData(other, standardized(data.data), classes, name, str(error))
    return FigureData(name, standardized(found.X), found.y)


def standardized(X: FloatArray) -> FloatArray:
    """Columns of mean 0 and variance 1 over all rows, constant columns 0, as the authors do it.

    Examples
    --------
    >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    centred = X - X.mean(axis=0)
    scale = centred.std(axis=0)
    scaled: FloatArray = centred / np.where(scale == 0, 1.0, scale)
    return scaled
