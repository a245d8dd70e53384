"""What corruptions of labels share: reading true labels, drawing sets, and checking levels."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import listed, positions, preview
from disambig.notation import AnyArray, FloatArray, IntArray


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
    """Read one label for each row as `LabelSets.from_labels` does; by default classes are sorted.

    Examples
    --------
    >>> read_truth(["b", "a", "b"]).codes.tolist()
    [1, 0, 1]
    """
    sets = LabelSets.from_labels(y, classes)
    return Truth(sets.mask.argmax(axis=1), sets.classes)


def column_of(owner: str, name: str, label: Any, classes: AnyArray) -> int:
    """The position of `label` among the classes; errors name `owner`."""
    column = positions(classes).get(label)
    if column is None:
        raise ValueError(
            f"{owner}: {name} names {label!r}, which is not among the classes "
            f"{preview(listed(classes))}. Correct it, or add it to classes=."
        )
    return column


def shuffled_by_class(codes: IntArray, rng: np.random.Generator) -> IntArray:
    """The rows of class 0 in random order, then those of class 1, and so on, ``(n,)``."""
    shuffled = rng.permutation(len(codes))
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])


def draw_sets(truth: Truth, probabilities: FloatArray, random_state: Any) -> LabelSets:
    """``S_j``: y_j and all k with ``u[j, k] < P[j, k]``, where u is uniform in [0, 1), ``(n, K)``.

    u does not depend on P, so that sets of one seed grow with P.
    """
    draws = np.random.default_rng(random_state).random(probabilities.shape)
    mask = draws < probabilities
    mask[np.arange(len(mask)), truth.codes] = True
    return LabelSets(mask, truth.classes)
