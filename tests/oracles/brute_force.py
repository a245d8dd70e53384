"""The objective and its minimum by enumeration of all labels: slow and simple."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import LabelSets
from disambig.notation import AnyArray, FloatArray

__all__ = ["Optimum", "double_loop_objective", "global_optimum", "labellings"]


@dataclass(frozen=True)
class Optimum:
    """The lowest objective over all labels in the sets, and values for comparison.

    Attributes
    ----------
    objective : float
        The lowest objective.
    mean : float
        The mean over all labels: the expected objective of labels drawn uniformly from the sets.
    labels : int array (number of optimal choices, n)
        All labels that are optimal up to rounding.
    rounding : float
        Differences below this are rounding.
    """

    objective: float
    mean: float
    labels: AnyArray
    rounding: float

    @property
    def matters(self) -> bool:
        """Do the objectives of labels differ?"""
        return self.mean > self.objective + self.rounding


def labellings(sets: LabelSets) -> AnyArray:
    """Every choice of one class per row inside its set, ``(number of choices, n)``."""
    members = [np.flatnonzero(row) for row in sets.mask]
    grid = np.meshgrid(*members, indexing="ij")
    return np.stack([axis.ravel() for axis in grid], axis=1)


def global_optimum(A: FloatArray, matrix: FloatArray, sets: LabelSets) -> Optimum:
    """``min_y sum_i min_z sum_j A[i, j] matrix[z, y_j]`` over all labels y in the sets.

    The minimum over relaxed targets is the same number: for fixed predictions the objective is
    linear in the targets, so that its minimum over predictions is concave in them, and a concave
    function on a product of polytopes is minimal at a vertex.
    """
    choices = labellings(sets)
    expected = np.einsum("ij,zbj->biz", A, matrix[:, choices])
    values = expected.min(axis=2).sum(axis=1)
    lowest = float(values.min())
    rounding = 1e-11 * float(np.abs(A).sum()) * float(np.abs(matrix).max())
    return Optimum(lowest, float(values.mean()), choices[values <= lowest + rounding], rounding)


def double_loop_objective(A: FloatArray, targets: FloatArray, predictions: FloatArray) -> float:
    """``sum_ij A[i, j] <predictions[i], targets[j]>``, term by term."""
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            inner = 0.0
            for c in range(targets.shape[1]):
                inner += float(predictions[i, c]) * float(targets[j, c])
            total += float(A[i, j]) * inner
    return total
