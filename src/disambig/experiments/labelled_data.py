"""Inputs with known labels, from scikit-learn: nothing is downloaded."""

from dataclasses import dataclass

from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["DATASETS", "LabelledData", "load_labelled_data"]

DATASETS = ("digits", "wine", "iris")


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Inputs with known labels.

    Attributes
    ----------
    name : str
    X : float array (n, d)
    labels : int array (n,)
        Positions in `classes`.
    classes : array (K,)
    picture : (int, int) or None
        Shape of the picture that a row is, if it is one.
    """

    name: str
    X: FloatArray
    labels: IntArray
    classes: AnyArray
    picture: tuple[int, int] | None = None

    @property
    def most_frequent(self) -> int:
        """Position of the most frequent class; the first of several."""
        counts = [int((self.labels == k).sum()) for k in range(len(self.classes))]
        return counts.index(max(counts))


def load_labelled_data(name: str) -> LabelledData:
    """A data set that ships with scikit-learn: "digits", "wine" or "iris".

    Examples
    --------
    >>> load_labelled_data("iris").classes.tolist()
    ['setosa', 'versicolor', 'virginica']
    """
    if name not in DATASETS:
        raise ValueError(f"dataset {name!r} is not known; choose one of {', '.join(DATASETS)}.")
    found = getattr(datasets, f"load_{name}")()
    if name == "digits":
        return LabelledData(name, found.data / 16.0, found.target, found.target_names, (8, 8))
    # The columns come in different units. Scaling looks at inputs alone, never at labels.
    X = StandardScaler().fit_transform(found.data)
    return LabelledData(name, X, found.target, found.target_names)
