"""How ambiguous the sets of a corruption are: the eta of Assumption 2."""

from typing import Any

import numpy as np

from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.truth import read_truth

__all__ = ["ambiguity_degree"]


def ambiguity_degree(corruption: Corruption, y: Any, *, classes: Any = None) -> float:
    """``eta = max Pr(z in S_j)`` over the rows j of `y` and the wrong classes ``z != y_j``.

    Where labels are a function of the inputs, sets that the corruption draws satisfy the
    non-ambiguity of Cabannes, Bach and Rudi (2021), Assumption 2, with this eta, and with no
    smaller one; below 1 the truth is the one class that every set at an input contains.

    Parameters
    ----------
    corruption : Corruption
    y : (n,)
        The labels.
    classes : (K,), default None
        The classes in order; by default the sorted labels that occur.

    Examples
    --------
    >>> from disambig.datasets import MajorityPairCorruption, ambiguity_degree
    >>> ambiguity_degree(MajorityPairCorruption(0.3), ["a", "b", "b"])
    0.3
    >>> ambiguity_degree(MajorityPairCorruption(0.3), ["b", "b"])
    0.0
    """
    truth = read_truth(y, classes)
    wrong = np.array(corruption.probabilities(y, classes=classes))
    wrong[np.arange(len(wrong)), truth.codes] = 0.0
    return float(wrong.max())
