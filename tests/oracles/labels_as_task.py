"""A finite loss as a structured task: the general code must give the results of the finite one."""

from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, FloatArray

__all__ = ["LabelTask", "MeanLabelTask"]


class LabelTask:
    """Outputs are class numbers; of tied minima the minimisers return the first."""

    def __init__(self, loss: FiniteLoss) -> None:
        self.loss = loss

    def candidates(self, y: Any) -> LabelSets:
        return LabelSets.from_any(y, classes=self.loss.classes)

    def embed_target(self, outputs: AnyArray) -> FloatArray:
        return self.loss.matrix.T[outputs]

    def embed_prediction(self, outputs: AnyArray) -> FloatArray:
        return np.eye(len(self.loss.matrix))[outputs]

    def best_prediction(self, scores: FloatArray) -> AnyArray:
        return scores.argmin(axis=1)

    def best_candidate(self, scores: FloatArray, candidates: LabelSets) -> AnyArray:
        return np.where(candidates.mask, scores @ self.loss.matrix, np.inf).argmin(axis=1)

    def average(self, candidates: LabelSets) -> FloatArray:
        return candidates.distribution() @ self.loss.matrix.T

    def largest_loss(self, candidates: LabelSets) -> float:
        return float(np.abs(self.loss.matrix).max())


class MeanLabelTask(LabelTask):
    """The same task with optional methods: means of tied predictions, and other starts."""

    def mean_prediction(self, scores: FloatArray, tolerance: FloatArray) -> FloatArray:
        return self.loss.best_prediction(scores, tolerance).embedded

    def start(self, candidates: LabelSets, kind: str) -> FloatArray:
        return self.loss.start(candidates, kind)
