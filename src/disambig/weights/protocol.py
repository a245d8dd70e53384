"""The contract of a weighting: from inputs to votes.

`Weights` is the contract of all weightings. `InformedWeights` adds a fit in which only informed
rows vote; `informed_rows` checks which rows these are.
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
            f"{owner}: informed must be {n} booleans, one for each row; got shape {mask.shape} of "
            f"{mask.dtype}."
        )
    if not mask.any():
        raise ValueError(
            f"{owner}: none of the {n} rows is informed, so no row can vote. Label at least one."
        )
    return np.flatnonzero(mask)


@runtime_checkable
class Weights(Protocol):
    """A weighting: a scikit-learn ``BaseEstimator`` that turns inputs into votes ``alpha``.

    ``sample_weight`` w means w copies of a row: a column of ``alpha`` holds the votes of all copies
    of its sample. Rows of ``alpha`` are not scaled; code that sums over training rows scales them.
    All sample weights are positive: the caller removes rows of weight zero before ``fit``.

    Rows in parts (`disambig.weights.divided`) reach ``fit`` as they are only if an attribute
    ``undivided`` is an empty text. `training_inputs` joins them for others, if they are few.

    Examples
    --------
    >>> from disambig.weights import NeighborWeights, Weights
    >>> weights = NeighborWeights(n_neighbors=1).fit([[0.0], [1.0]])
    >>> isinstance(weights, Weights), weights.votes([[0.9]]).rows(0, 1).toarray().tolist()
    (True, [[0.0, 1.0]])
    """

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Learn from the training inputs ``(n, d)``.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        sample_weight : float array (n,), optional
            Positive; None: ones.
        """
        ...

    def training_votes(self) -> Votes:
        """``alpha`` at the training inputs, ``(n, n)``.

        With ``leave_one_out=True`` in the constructor, these are `leave_one_out_votes`.
        """
        ...

    def leave_one_out_votes(self) -> Votes:
        """``alpha`` at the training inputs as if each row had been absent, diagonal zero."""
        ...

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs, ``(q, n)``; a row of zeros where no sample has a vote.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        """
        ...


@runtime_checkable
class InformedWeights(Weights, Protocol):
    """A weighting that can be fitted so that only informed rows vote.

    Semi-supervised methods fit the known targets and are smooth elsewhere; an unlabeled row has no
    vote. Estimators call `fit_informed` where targets are used as they were observed
    (``method="average"`` and ``"infimum"``), and ``fit`` where the targets of all rows are
    recovered. `PartialLabelClassifier` calls `fit_informed` in that case, too, if the weighting has
    an attribute ``informed_only`` that is true.

    Examples
    --------
    >>> from disambig.weights import InformedWeights, NeighborWeights, PoissonWeights
    >>> (
    ...     isinstance(PoissonWeights(), InformedWeights),
    ...     isinstance(NeighborWeights(), InformedWeights),
    ... )
    (True, False)
    """

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """Learn from the inputs ``(n, d)``; only the rows in `informed`, bool ``(n,)``, vote.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        sample_weight : float array (n,), optional
            Positive; None: ones.
        informed : bool array (n,), optional
            The rows that vote; None: all.
        """
        ...
