"""Hard rows are more ambiguous: a class is a candidate as often as it is plausible."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.drawing import draw_sets
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.corruptions.proportional import capped_shares
from disambig.datasets.corruptions.truth import Truth, read_truth
from disambig.notation import BoolArray, FloatArray

__all__ = ["InstanceCorruption"]


@dataclass(frozen=True, eq=False)
class InstanceCorruption:
    """``Pr(z in S_j) = min(cap, c * scores[j, z])`` for z other than y_j, independently.

    The factor c is the one for which these probabilities have mean `level`, over all rows and all
    wrong classes. Given class probabilities as scores, rows whose truth is beyond doubt keep small
    sets and rows between two classes show both.

    The probability varies by row (`probabilities`); non-ambiguity holds with eta the largest of
    them (`ambiguity_degree`), at most `cap`. At level 1 every set is whole.

    Parameters
    ----------
    level : float in [0, 1]
        Mean probability of a wrong class.
    scores : array-like (n, K)
        How plausible each class is for each row: non-negative and comparable between rows, columns
        in the order of the classes. `out_of_fold_scores` gets them from inputs. A class of score 0
        is never added.
    cap : float in [level, 1], default None
        No wrong class is more probable than this. None: ``(1 + level) / 2``, which leaves the truth
        in sight at every level below 1.

    Examples
    --------
    >>> from disambig.datasets import InstanceCorruption
    >>> corruption = InstanceCorruption(0.3, [[0.9, 0.1], [0.5, 0.5]])
    >>> corruption.probabilities([0, 1]).round(3).tolist()
    [[1.0, 0.1], [0.5, 1.0]]
    """

    level: float
    scores: Any
    cap: float | None = None

    def __post_init__(self) -> None:
        level = checked_share("InstanceCorruption", "level", self.level)
        object.__setattr__(self, "level", level)
        object.__setattr__(self, "scores", _checked_scores(self.scores))
        if self.cap is not None:
            cap = checked_share("InstanceCorruption", "cap", self.cap)
            if cap < level:
                raise ValueError(
                    f"InstanceCorruption: cap={cap!r} is below level={level!r}, the mean that "
                    f"probabilities under the cap must have. Raise cap or lower level."
                )
            object.__setattr__(self, "cap", cap)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b]``: mean of ``Pr(classes[b] in S_j)`` over the rows of class a, ``(K, K)``.

        A class without rows has nothing to hide: its row is that of the identity.
        """
        truth = read_truth(y, classes)
        by_class = _one_hot(truth).T.astype(np.float64)
        means = by_class @ self._probabilities(truth) / np.maximum(truth.counts, 1)[:, np.newaxis]
        np.fill_diagonal(means, 1.0)
        return np.asarray(means)

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._probabilities(read_truth(y, classes))

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._probabilities(truth), random_state)

    def _probabilities(self, truth: Truth) -> FloatArray:
        is_truth = _one_hot(truth)
        if self.scores.shape != is_truth.shape:
            raise ValueError(
                f"InstanceCorruption: scores have shape {self.scores.shape}; y has "
                f"{is_truth.shape[0]} rows and {is_truth.shape[1]} classes. Give one row of scores "
                f"a sample and one column a class; classes= names those that do not occur."
            )
        cap = (1 + self.level) / 2 if self.cap is None else self.cap
        probabilities = np.ones(is_truth.shape)
        probabilities[~is_truth] = capped_shares(self.scores[~is_truth], self.level, cap)
        return probabilities


def _one_hot(truth: Truth) -> BoolArray:
    return np.asarray(truth.codes[:, np.newaxis] == np.arange(truth.n_classes))


def _checked_scores(scores: Any) -> FloatArray:
    array = np.array(scores, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(
            f"InstanceCorruption: scores must have shape (n, K), one column a class; got shape "
            f"{array.shape}."
        )
    sound = np.isfinite(array) & (array >= 0)
    if not sound.all():
        row, column = np.argwhere(~sound)[0].tolist()
        raise ValueError(
            f"InstanceCorruption: scores[{row}, {column}] is {float(array[row, column])!r}. Give "
            f"finite scores >= 0, such as class probabilities."
        )
    array.setflags(write=False)
    return array
