"""The contract `NumberLoss` of a loss between real numbers."""

from typing import Protocol, runtime_checkable

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.notation import FloatArray
from disambig.votes import Votes


@runtime_checkable
class NumberLoss(Protocol):
    """A loss between real numbers, with exact minimisers for votes of any sign.

    Targets ``y`` have shape ``(n, d)`` and predictions ``z`` shape ``(q, d)``, always with two
    axes. Losses add up over the d columns, so each column is a separate problem with the same
    votes. The absolute and the pinball loss have no finite embedding and cannot be a
    `disambig.losses.Loss`; this is the contract for them.

    `span` ``(d, 2)`` is the range of each column. With negative votes there may be no minimum on
    the whole line: then the minimum within the span is returned. A negative vote also takes the
    worst member of a set within the span. A minimum on the whole line counts even outside it.

    Several points can be optimal: the objective is flat, a row has no votes, or minima are equal.
    Then the one nearest to `current` is returned, the lower of two equally near. Without `current`,
    or where it is NaN, it is the middle of the lowest interval of minimisers. A slope counts as
    zero up to a share of ``1e-10`` (for votes in float32 ``1e-5``) of the steepest one that votes
    of this size can give. Two points tie if the mean slope between them counts as zero.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.losses import AbsoluteLoss, NumberLoss
    >>> from disambig.votes import as_votes
    >>> loss = AbsoluteLoss()
    >>> isinstance(loss, NumberLoss), tuple(loss.slopes)
    (True, (1.0, 1.0))
    >>> y, span = np.array([[0.0], [1.0], [5.0]]), np.array([[0.0, 5.0]])
    >>> loss.best_prediction(as_votes([[1.0, 1.0, 1.0]]), y, span).tolist()
    [[1.0]]
    """

    @property
    def is_quadratic(self) -> bool:
        """Whether this is the squared loss, times a constant."""
        ...

    @property
    def slopes(self) -> tuple[float, float] | None:
        """The loss per unit by which a prediction is below, and above, its target.

        None if the loss is not linear on both sides of the target.
        """
        ...

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        """``loss(z, y)`` element by element, for arrays that broadcast.

        Parameters
        ----------
        predictions, targets : float arrays (n, d)
            Or others that broadcast.
        """
        ...

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        """``sum_ij alpha[i, j] loss(z_i, y_j)``, summed over columns.

        Parameters
        ----------
        votes : Votes (q, n)
        predictions : float array (q, d)
        targets : float array (n, d)
        """
        ...

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        """``argmin over z of sum_j alpha[i, j] loss(z, y_j)``, shape ``(q, d)``.

        Parameters
        ----------
        votes : Votes (q, n)
        targets : float array (n, d)
        span : float array (d, 2)
            What infinite ends are replaced by.
        current : float array (q, d), optional
            Of several minimisers the nearest to it is taken.
        """
        ...

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        """``argmin over y in s_j of sum_i alpha[i, j] loss(z_i, y)``, shape ``(n, d)``.

        `transposed` is ``alpha.T`` of shape ``(n, q)``; infinite ends of the sets are replaced by
        the ends of the span.

        Parameters
        ----------
        transposed : Votes (n, q)
        predictions : float array (q, d)
        sets : NumberSets, n rows
        span : float array (d, 2)
            What infinite ends are replaced by.
        current : float array (n, d), optional
            Of several minimisers the nearest to it is taken.
        """
        ...

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        """``argmin over z of sum_j inf_{y in s_j} alpha[i, j] loss(z, y)``, ``(q, d)``.

        A negative vote takes the worst member of the set, whose infinite ends are replaced by the
        ends of the span.

        Parameters
        ----------
        votes : Votes (q, n)
        sets : NumberSets, n rows
        span : float array (d, 2)
            What infinite ends are replaced by.
        """
        ...

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        """``argmin over z of sum_j alpha[i, j] mean_{y in s_j} loss(z, y)``, ``(q, d)``.

        y is uniform on a bounded set. A half-line is replaced by its finite end, and a vote for the
        whole line does not count.

        Parameters
        ----------
        votes : Votes (q, n)
        sets : NumberSets, n rows
        span : float array (d, 2)
            What infinite ends are replaced by.
        """
        ...
