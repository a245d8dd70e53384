"""Full labels as columns of a table of classes, before anything is hidden."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.classes import listed, positions, preview
from disambig.notation import AnyArray, IntArray

__all__ = ["Truth", "column_of", "read_truth", "shuffled_by_class"]


class Truth(NamedTuple):
    """``y[j] = classes[codes[j]]``.

    Attributes
    ----------
    codes : (n,) of int
    classes : (K,)
    """

    codes: IntArray
    classes: AnyArray

    @property
    def n_classes(self) -> int:
        """``K``."""
        return len(self.classes)

    @property
    def counts(self) -> IntArray:
        """Rows of each class, ``(K,)``."""
        return np.bincount(self.codes, minlength=self.n_classes)


def read_truth(y: Any, classes: Any = None) -> Truth:
    """One label a row, read as by `LabelSets.from_labels`: the classes are sorted unless named.

    Examples
    --------
    >>> read_truth(["b", "a", "b"]).codes.tolist()
    [1, 0, 1]
    """
    sets = LabelSets.from_labels(y, classes)
    return Truth(sets.mask.argmax(axis=1), sets.classes)


def column_of(owner: str, name: str, label: Any, classes: AnyArray) -> int:
    """Where `label` stands among the classes; raises for `owner` if it does not."""
    place = positions(classes).get(label)
    if place is None:
        raise ValueError(
            f"{owner}: {name} names {label!r}, which is not among the classes "
            f"{preview(listed(classes))}. Correct it, or add it to classes=."
        )
    return place


def shuffled_by_class(codes: IntArray, rng: np.random.Generator) -> IntArray:
    """The rows of class 0 in random order, then those of class 1, and so on, ``(n,)``."""
    shuffled = rng.permutation(len(codes))
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])
