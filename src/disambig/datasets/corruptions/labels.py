"""Corruptions of labels whose wrong candidates depend on the true class only.

`UniformCorruption`: all wrong classes are equally likely. `ConfusionCorruption`: each class is
confused with particular others. `MajorityPairCorruption`: the majority class is added to the other
classes, as in the paper's text. `MajorityRowCorruption`: other classes are added to the majority
class, as in the authors' programs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import (
    Truth,
    column_of,
    draw_sets,
    read_truth,
)
from disambig.notation import FloatArray
from disambig.parameters import check_number


@dataclass(frozen=True, eq=False)
class ConfusionCorruption:
    """``Pr(z in S | y) = level * C[y, z]``, independently; by default each class has one partner.

    Non-ambiguity holds with ``eta = level * max(C[y, z] : z != y)`` for class y: `level` for a
    class with a partner, 0 for a class without. If partners are not mutual, a pair determines its
    truth: the member whose partner is the other one (`possible_truths`).

    Parameters
    ----------
    level : float in [0, 1]
    confusion : mapping, array-like (K, K) or None, default None
        None: the partner of a class is the next one; that of the last is the first. A mapping gives
        the partner of each class, ``{"seven": "one"}``; a class that it leaves out, or maps to
        itself, is never confused. An array is C, with entries in [0, 1], rows and columns in the
        order of the classes; its diagonal is ignored.

    Examples
    --------
    >>> from disambig.datasets import ConfusionCorruption
    >>> sets = ConfusionCorruption(1.0)([0, 1, 2])
    >>> [sorted(s) for s in sets]
    [[0, 1], [1, 2], [0, 2]]
    >>> corruption = ConfusionCorruption(0.5, {"seven": "one"})
    >>> corruption.inclusion(["one", "seven"]).tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """

    level: float
    confusion: Any = None

    def __post_init__(self) -> None:
        level = check_number("ConfusionCorruption", "level", self.level, most=1)
        object.__setattr__(self, "level", level)
        if isinstance(self.confusion, Mapping):
            object.__setattr__(self, "confusion", dict(self.confusion))
        elif self.confusion is not None:
            object.__setattr__(self, "confusion", _checked_confusion(self.confusion))

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = self.level * self._strength(truth)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion

    def _strength(self, truth: Truth) -> FloatArray:
        size = truth.n_classes
        if self.confusion is None:
            return np.roll(np.eye(size), 1, axis=1)
        if isinstance(self.confusion, Mapping):
            strength = np.zeros((size, size))
            for pair in self.confusion.items():
                a, b = (
                    column_of("ConfusionCorruption", "confusion", label, truth.classes)
                    for label in pair
                )
                strength[a, b] = 1.0
            return strength
        if len(self.confusion) != size:
            raise ValueError(
                f"ConfusionCorruption: confusion has shape {self.confusion.shape} and y has "
                f"{size} classes. Give one row and one column for each class; classes= names all "
                f"classes."
            )
        return np.asarray(self.confusion)


def _checked_confusion(confusion: Any) -> FloatArray:
    strength = np.array(confusion, dtype=np.float64)
    if strength.ndim != 2 or strength.shape[0] != strength.shape[1]:
        raise ValueError(
            f"ConfusionCorruption: confusion must be a mapping of classes or an array of shape "
            f"(K, K); got shape {strength.shape}."
        )
    if not ((strength >= 0) & (strength <= 1)).all():
        row, column = np.argwhere(~((strength >= 0) & (strength <= 1)))[0].tolist()
        raise ValueError(
            f"ConfusionCorruption: confusion[{row}, {column}] is {float(strength[row, column])!r}; "
            f"expected numbers from 0 to 1."
        )
    strength.setflags(write=False)
    return strength


def majority_column(owner: str, majority: Any, truth: Truth) -> int:
    """Column of the class `majority`; if None, of the most frequent class, the first of ties."""
    if majority is None:
        return int(np.argmax(truth.counts))
    return column_of(owner, "majority", majority, truth.classes)


@dataclass(frozen=True)
class MajorityPairCorruption:
    """``S = {y, majority}`` with probability `level`, else ``{y}``.

    The skewed corruption in the text of Cabannes, Bach and Rudi (2021), appendix D.2. In their
    printed formula gamma is the probability of the singleton; here, as on the axis of their figure,
    the level is the probability of the pair. Only rows of minority classes become ambiguous: the
    truth of a set of two is the class that is not the majority.

    Non-ambiguity holds with ``eta = level`` for the minority classes and 0 for the majority. At
    level 1 every minority row is a pair.

    Parameters
    ----------
    level : float in [0, 1]
    majority : label, default None
        The class that is added. None: the most frequent in `y`, of ties the first in the order of
        the classes.

    See Also
    --------
    MajorityRowCorruption : The corruption in the authors' programs.

    Examples
    --------
    >>> from disambig.datasets import MajorityPairCorruption
    >>> sets = MajorityPairCorruption(1.0)(["a", "b", "b", "c"])
    >>> [sorted(s) for s in sets]
    [['a', 'b'], ['b'], ['b'], ['b', 'c']]
    """

    level: float
    majority: Any = None

    def __post_init__(self) -> None:
        level = check_number("MajorityPairCorruption", "level", self.level, most=1)
        object.__setattr__(self, "level", level)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = np.eye(truth.n_classes)
        inclusion[:, majority_column("MajorityPairCorruption", self.majority, truth)] = self.level
        np.fill_diagonal(inclusion, 1.0)
        return inclusion


@dataclass(frozen=True)
class MajorityRowCorruption:
    """``Pr(z in S | y = majority) = level`` for every other z, independently; else ``S = {y}``.

    The corruption in the programs of Cabannes, Bach and Rudi (2021), nearly the opposite of the
    one in their text. The truth of every set of two or more is the majority class.

    Non-ambiguity holds with ``eta = level`` for the majority class and 0 for the others. At level
    1 every majority row has all classes. (In their comparison *every* row has all classes at
    exactly 1, where differences between methods are chance; here the distribution is continuous in
    the level.)

    Parameters
    ----------
    level : float in [0, 1]
    majority : label, default None
        The class whose rows are corrupted. None: the most frequent in `y`, of ties the first in the
        order of the classes.

    See Also
    --------
    MajorityPairCorruption : The corruption in the paper's text.

    Examples
    --------
    >>> from disambig.datasets import MajorityRowCorruption
    >>> sets = MajorityRowCorruption(1.0)(["a", "b", "b", "c"])
    >>> [sorted(s) for s in sets]
    [['a'], ['a', 'b', 'c'], ['a', 'b', 'c'], ['c']]
    """

    level: float
    majority: Any = None

    def __post_init__(self) -> None:
        level = check_number("MajorityRowCorruption", "level", self.level, most=1)
        object.__setattr__(self, "level", level)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = np.eye(truth.n_classes)
        inclusion[majority_column("MajorityRowCorruption", self.majority, truth)] = self.level
        np.fill_diagonal(inclusion, 1.0)
        return inclusion


@dataclass(frozen=True)
class UniformCorruption:
    """``Pr(z in S | y) = level`` for every z other than y, independently.

    Non-ambiguity (Assumption 2 of the paper) holds with ``eta = level`` for every class. At level
    1 every set has all classes and nothing can be learned.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> from disambig.datasets import UniformCorruption
    >>> corruption = UniformCorruption(0.5)
    >>> [sorted(s) for s in corruption(["a", "b", "c"], random_state=1)]
    [['a', 'c'], ['b', 'c'], ['b', 'c']]
    >>> corruption.inclusion(["a", "b"]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "level", check_number("UniformCorruption", "level", self.level, most=1)
        )

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = np.full((truth.n_classes, truth.n_classes), self.level)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
