"""Candidate sets that miss the truth: the true label is removed from some of them."""

from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import read_truth
from disambig.notation import BoolArray
from disambig.parameters import check_number


def remove_truths(
    sets: Any, y: Any, share: float, *, random_state: Any = None
) -> tuple[LabelSets, BoolArray]:
    """Remove the true label from a share of the sets, drawn at random.

    A set that would be empty gets another class, drawn at random. A corruption cannot do this: its
    sets contain the truth. With the same integer `random_state`, sets that are wrong at one share
    are wrong at every larger one.

    Parameters
    ----------
    sets : LabelSets, n rows
        Real sets, or those of a corruption, of at least two classes; each contains its truth.
    y : array-like (n,)
        The true labels.
    share : float in [0, 1]
        ``round(share * n)`` sets become wrong.
    random_state : int, Generator or None, default None
        The argument of `numpy.random.default_rng`.

    Returns
    -------
    sets : LabelSets
    is_wrong : bool array (n,)

    Examples
    --------
    >>> from disambig.datasets import UniformCorruption, remove_truths
    >>> truth = ["a", "b", "c", "a"]
    >>> sets = UniformCorruption(0.5)(truth, random_state=0)
    >>> wrong, is_wrong = remove_truths(sets, truth, 0.25, random_state=1)
    >>> is_wrong.sum(), [label in s for label, s in zip(truth, wrong)] == (~is_wrong).tolist()
    (np.int64(1), True)
    """
    share = check_number("remove_truths", "share", share, most=1)
    if not isinstance(sets, LabelSets):
        raise TypeError(
            f"remove_truths: sets must be LabelSets; got {type(sets).__name__}. Read them by "
            "LabelSets.from_any first."
        )
    if sets.weights is not None:
        raise ValueError(
            "remove_truths: sets with soft weights would need new weights. Give sets without them."
        )
    codes = read_truth(y, sets.classes).codes
    n, n_classes = sets.mask.shape
    if len(codes) != n:
        raise ValueError(f"remove_truths: there are {n} sets and {len(codes)} true labels.")
    rows = np.arange(n)
    missed = ~sets.mask[rows, codes]
    if missed.any():
        raise ValueError(
            f"remove_truths: the set of row {int(np.argmax(missed))} misses its true label "
            f"already ({int(missed.sum())} such rows). Leave these rows out."
        )
    if n_classes < 2:
        raise ValueError("remove_truths: there is one class only; a set without it is empty.")
    rng = np.random.default_rng(random_state)
    is_wrong = np.zeros(n, dtype=np.bool_)
    is_wrong[rng.permutation(n)[: round(share * n)]] = True
    # Drawn for every row, so that other shares have the same classes.
    other = (codes + rng.integers(1, n_classes, size=n)) % n_classes
    mask = sets.mask.copy()
    mask[is_wrong, codes[is_wrong]] = False
    empty = ~mask.any(axis=1)
    mask[empty, other[empty]] = True
    return LabelSets(mask, sets.classes), is_wrong
