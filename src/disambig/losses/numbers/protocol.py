"""The contract of a loss between real numbers, as solvers see it."""

from typing import Protocol, runtime_checkable

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.notation import FloatArray
from disambig.votes import Votes


@runtime_checkable
class NumberLoss(Protocol):
    """What is paid where targets are real: exact minimisers on the line, for votes of any sign.

    Targets ``y`` have shape ``(n, d)`` and predictions ``z`` shape ``(q, d)``, always with two
    axes; losses add up over the d columns, so every column is a problem of its own with the same
    votes. The absolute and the pinball loss have no finite embedding, hence this contract beside
    `disambig.losses.Loss`.

    `span` ``(d, 2)`` holds the ends of the range in which a minimum is sought where none exists on
    the whole line, as it happens with negative votes. Negative votes also take the worst member of
    a set there. A minimum on the whole line counts wherever it lies.

    Where several points are optimal (flat pieces, rows without votes, equal minima), the one
    nearest to `current` is returned, the lower of two equally near; a row of `current` that is NaN
    has no wish. Without a wish it is the middle of the flat piece, of the lowest if there are
    several. A slope counts as none within ``1e-10`` (votes in float32: ``1e-5``) of the steepest
    that votes of this size can give, and two points as equally good if the mean slope between
    them is none.
    """

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        """``loss(z, y)`` element by element, for arrays that broadcast."""
        ...

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        """``sum_ij alpha[i, j] loss(z_i, y_j)``, summed over columns."""
        ...

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        """``argmin over z of sum_j alpha[i, j] loss(z, y_j)``, shape ``(q, d)``."""
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
        those of the span.
        """
        ...

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        """``argmin over z of sum_j inf_{y in s_j} alpha[i, j] loss(z, y)``, ``(q, d)``.

        A negative vote takes the worst member of the set, its infinite ends replaced by those of
        the span.
        """
        ...

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        """``argmin over z of sum_j alpha[i, j] mean_{y in s_j} loss(z, y)``, ``(q, d)``.

        y is uniform on a bounded set; a half-line stands for its finite end, and the whole line
        has no vote.
        """
        ...
