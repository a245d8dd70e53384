"""What was tried, in one line for people."""

import re
from typing import Any

from disambig.estimators.mixture import Mixture
from disambig.weights import ScaledWeights

_MAX_TEXT = 200
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}(e[+-]?\d+)?")


def weights_text(weights: Any) -> str:
    """A weighting or a mixture in one line, without its arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.weights import NeighborWeights, ScaledWeights
    >>> weights_text(ScaledWeights(NeighborWeights(7), np.ones(3)))
    'NeighborWeights(n_neighbors=7) on scaled features'
    """
    if isinstance(weights, Mixture):
        members, shares = weights.checked()
        parts = [
            f"{weights_text(member)} ({share:.2f})"
            for member, share in zip(members, shares, strict=True)
            if share > 0
        ]
        return "mixture of " + ", ".join(parts)
    if isinstance(weights, ScaledWeights):
        return f"{weights_text(weights.weights)} on scaled features"
    inner = getattr(weights, "weights", None)
    if hasattr(weights, "fit") and hasattr(inner, "fit"):
        # A member that is an estimator with a weighting of its own.
        return f"{type(weights).__name__} with {weights_text(inner)}"
    text = " ".join(repr(weights).split())
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"


def trial_text(trial: Any) -> str:
    """The weights of a trial, and how missing cells were completed.

    Examples
    --------
    >>> from disambig.estimators.selection.protocol import Trial
    >>> from disambig.weights import NeighborWeights
    >>> trial_text(Trial(NeighborWeights(7), None, 0.1, 0.1, "conditional"))
    'NeighborWeights(n_neighbors=7), missing cells: conditional'
    """
    text = weights_text(trial.weights)
    return f"{text}, missing cells: {trial.completion}" if trial.completion else text


def short_numbers(text: str) -> str:
    """A text in which numbers have three digits.

    Examples
    --------
    >>> short_numbers("KernelRidgeWeights(bandwidth=2.8645727510329)")
    'KernelRidgeWeights(bandwidth=2.86)'
    """
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.3g}", text)
