"""Votes at new inputs, kept while the same inputs are asked for several things.

Classes, probabilities and prediction sets follow from the same votes, and finding these takes
most of the time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from disambig.estimators.fitting import FittedWeightings
from disambig.votes import Votes


class _Kept(NamedTuple):
    weightings: FittedWeightings
    X: Any
    votes: Votes


_KEPT: ContextVar[list[_Kept] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def kept_votes() -> Iterator[None]:
    """In the block, votes at equal inputs are computed once if these calls follow each other.

    Inputs must not be changed in place in the block.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> model = PartialLabelClassifier("kernel_ridge").fit(X, y)
    >>> with kept_votes():
    ...     model.predict([[0.05]]).tolist(), model.predict_proba([[0.05]]).round().tolist()
    (['a'], [[1.0, 0.0, 0.0]])
    """
    token = _KEPT.set([])
    try:
        yield
    finally:
        _KEPT.reset(token)


def votes_at(weightings: FittedWeightings, X: Any) -> Votes:
    """Votes at checked inputs, those that were kept if they are at the same inputs."""
    kept = _KEPT.get()
    if kept is None:
        return weightings.votes(X)
    if not (kept and kept[0].weightings is weightings and _are_equal(kept[0].X, X)):
        # The old ones leave memory before the new ones are computed.
        kept.clear()
        kept.append(_Kept(weightings, X, weightings.votes(X)))
    return kept[0].votes


def _are_equal(left: Any, right: Any) -> bool:
    if left is right:
        return True
    dense = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
    return dense and np.array_equal(left, right, equal_nan=True)
