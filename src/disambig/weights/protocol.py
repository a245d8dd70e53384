"""The rows whose targets say something, for weightings in which only they vote.

The contract of a weighting: from inputs to votes.
"""

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes


def informed_rows(owner: str, informed: Any, n: int) -> IntArray:
    """The indices of the informed rows, ascending; all n if `informed` is None.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    informed : bool, (n,), or None
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> informed_rows("PoissonWeights", np.array([False, True, True]), 3)
    array([1, 2])
    """
    if informed is None:
        return np.arange(n)
    mask = np.asarray(informed)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise ValueError(
            f"{owner}: informed must be {n} booleans, one a row; got shape {mask.shape} of "
            f"{mask.dtype}."
        )
    if not mask.any():
        raise ValueError(
            f"{owner}: none of the {n} rows is informed, so that nobody votes. Label at least one."
        )
    return np.flatnonzero(mask)


@runtime_checkable
class Weights(Protocol):
    """Who votes: a scikit-learn ``BaseEstimator`` that turns inputs into ``alpha``.

    ``sample_weight`` w means w copies of a row: a column of ``alpha`` carries the votes of all
    copies of its sample. Rows are left alone; whoever sums over training rows scales them.
    Every weight given here is positive: rows of weight zero leave before ``fit``.
    """

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Learn from the training inputs ``(n, d)``."""
        ...

    def training_votes(self) -> Votes:
        """``alpha`` at the training inputs, ``(n, n)``.

        Those of `leave_one_out_votes` if the weighting was made with ``leave_one_out=True``.
        """
        ...

    def leave_one_out_votes(self) -> Votes:
        """``alpha`` at the training inputs as if each row had been absent, diagonal zero."""
        ...

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs, ``(q, n)``; a row of zeros where nobody is in reach."""
        ...


@runtime_checkable
class InformedWeights(Weights, Protocol):
    """A weighting in which only rows vote whose targets say something, once it knows them.

    Semi-supervised methods fit what is known and are smooth elsewhere; a row without a label then
    has no vote at all. Estimators call `fit_informed` where targets are used as they were observed
    (``method="average"`` and ``"infimum"``), and ``fit`` where those of all rows are recovered.
    """

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """Learn from the inputs ``(n, d)`` of which those of `informed`, bool ``(n,)``, vote."""
        ...
