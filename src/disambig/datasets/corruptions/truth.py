"""Full labels as columns of a table of classes, before anything is hidden.

Candidates that join the truth independently of each other.

The one number that every corruption has: how much it hides, from 0 to 1.
"""

from numbers import Real
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


def draw_sets(truth: Truth, probabilities: FloatArray, random_state: Any) -> LabelSets:
    """``S_j = {k : u[j, k] < P[j, k]} + {y_j}`` with u uniform in [0, 1), ``(n, K)``.

    What is drawn does not depend on P, so that sets of one seed grow with P.
    """
    draws = np.random.default_rng(random_state).random(probabilities.shape)
    mask = draws < probabilities
    mask[np.arange(len(mask)), truth.codes] = True
    return LabelSets(mask, truth.classes)


def checked_share(owner: str, name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1], or raise.

    Examples
    --------
    >>> checked_share("UniformCorruption", "level", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{owner}: {name} must be a number from 0 to 1; got {value!r}.")
    return float(value)
