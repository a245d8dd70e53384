"""Candidates that join the truth independently of each other."""

from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import Truth
from disambig.notation import FloatArray

__all__ = ["draw_sets"]


def draw_sets(truth: Truth, probabilities: FloatArray, random_state: Any) -> LabelSets:
    """``S_j = {k : u[j, k] < P[j, k]} + {y_j}`` with u uniform in [0, 1), ``(n, K)``.

    What is drawn does not depend on P, so that sets of one seed grow with P.
    """
    draws = np.random.default_rng(random_state).random(probabilities.shape)
    mask = draws < probabilities
    mask[np.arange(len(mask)), truth.codes] = True
    return LabelSets(mask, truth.classes)
