"""The ambiguity of a corruption, and the candidates that can be the truth under it."""

from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.truth import read_truth
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray


def ambiguity_degree(corruption: Corruption, y: Any, *, classes: Any = None) -> float:
    """``eta = max Pr(z in S_j)`` over the rows j of `y` and the wrong classes ``z != y_j``.

    If labels are a function of the inputs, the sets satisfy the non-ambiguity of Cabannes, Bach and
    Rudi (2021), Assumption 2, with this eta and no smaller one. If eta is below 1, the truth is the
    only class that every set at an input contains.

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


def possible_truths(sets: LabelSets, inclusion: Any) -> LabelSets:
    """The candidates y of each row with ``Pr(S | y) > 0``.

    For sets whose members are independent given the truth. Then y is impossible if the set has a
    member z with ``P[y, z] = 0``, or does not have some z with ``P[y, z] = 1``. Rows with a single
    possible candidate are decided without inputs.

    Parameters
    ----------
    sets : LabelSets over K classes
    inclusion : array-like (K, K)
        ``P[a, b] = Pr(classes[b] in S | y = classes[a])``, as by `Corruption.inclusion`.

    Returns
    -------
    LabelSets
        Subsets of `sets`, over the same classes.

    Examples
    --------
    >>> from disambig.datasets import MajorityPairCorruption
    >>> from disambig.datasets.corruptions.ambiguity import possible_truths
    >>> corruption, y = MajorityPairCorruption(0.5), ["a", "b", "b", "c"]
    >>> sets = corruption(y, random_state=0)
    >>> possible_truths(sets, corruption.inclusion(y)).first_labels().tolist()
    ['a', 'b', 'b', 'c']
    """
    probabilities = _checked_inclusion(inclusion, sets.n_classes)
    if sets.weights is not None:
        raise CandidateError(
            "possible_truths: these sets have soft weights; expected sets without. Use "
            "LabelSets(sets.mask, sets.classes)."
        )
    # Counts in floating point, because numpy multiplies bools without BLAS.
    member = sets.mask.astype(np.float64)
    contradictions = member @ (probabilities == 0).T + (1 - member) @ (probabilities == 1).T
    possible = sets.mask & (contradictions == 0)
    impossible = ~possible.any(axis=1)
    if impossible.any():
        raise CandidateError(
            f"possible_truths: row {int(np.argmax(impossible))} cannot come from this corruption, "
            f"whatever its truth ({np.count_nonzero(impossible)} such rows). Check the inclusion "
            f"probabilities and the order of the classes."
        )
    return LabelSets(possible, sets.classes)


def _checked_inclusion(inclusion: Any, n_classes: int) -> FloatArray:
    probabilities = np.array(inclusion, dtype=np.float64)
    if probabilities.shape != (n_classes, n_classes):
        raise ValueError(
            f"possible_truths: inclusion has shape {probabilities.shape}; expected ({n_classes}, "
            f"{n_classes}), rows for the truth and columns for the members."
        )
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError("possible_truths: inclusion must hold probabilities, from 0 to 1.")
    np.fill_diagonal(probabilities, 1.0)
    return probabilities
