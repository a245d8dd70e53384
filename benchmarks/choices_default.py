"""The default on one problem, fitted once for all variants that start from it."""

import hashlib

import numpy as np

from benchmarks.accuracy.method import Fitted
from benchmarks.accuracy.shared_work import WORK
from disambig import LabelSets, PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray

__all__ = ["default_of", "fitted", "sets_of"]


def default_of(X: FloatArray, mask: BoolArray) -> PartialLabelClassifier:
    """The default, fitted once for each problem; its time counts for every variant that uses it."""
    what = f"default, sets {hashlib.sha256(mask.tobytes()).hexdigest()}"
    return WORK.get(what, X, lambda: PartialLabelClassifier().fit(X, sets_of(mask)))


def fitted(model: PartialLabelClassifier) -> Fitted:
    return Fitted(model.predict, model.labels_)


def sets_of(mask: BoolArray) -> LabelSets:
    return LabelSets(mask, np.arange(mask.shape[1]))
