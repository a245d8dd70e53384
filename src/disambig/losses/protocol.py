"""The contract of a loss, as solvers see it."""

from typing import Any, Protocol, runtime_checkable

from disambig.losses.faces import Faces
from disambig.notation import FloatArray
from disambig.votes import Votes

__all__ = ["EmbedsPredictions", "ExactInfimum", "Loss"]


class Loss(Protocol):
    """What is paid: ``loss(z, y) = <psi(z), phi(y)>`` through two exact batched minimisers.

    A loss owes the solvers a start and the two minimisers. Both see all rows at once, so that a
    loss whose candidates couple rows (class proportions, say) fits the same contract.
    """

    def start(self, candidates: Any, kind: str) -> FloatArray:
        """Where to begin: ``V`` of shape ``(n, p)``, in the space of ``xi``.

        It need not lie in the hulls; the first predictions are those that ``A @ V`` calls for.
        ``"average"`` is the mean of ``phi`` over each set and must be offered: it is also what the
        average-candidates baseline learns from. ``"infimum"`` is the loss to the nearest
        candidate.
        """
        ...

    def magnitude(self, candidates: Any) -> float:
        """The largest ``|loss(z, y)|``: the unit in which ties are judged."""
        ...

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> Faces:
        """Per row the predictions z that minimise ``<psi(z), scores[i]>``.

        Parameters
        ----------
        scores : (q, p)
        tolerance : (q,)
            Vertices within it of the minimum tie.
        """
        ...

    def best_candidate(self, scores: FloatArray, candidates: Any, tolerance: FloatArray) -> Faces:
        """Per row the targets ``y in s[j]`` that minimise ``<phi(y), scores[j]>``; ``(n, p)``.

        With ``scores = psi(z)`` this is the candidate nearest to a prediction.
        """
        ...


@runtime_checkable
class ExactInfimum(Protocol):
    """A loss that can minimise the infimum loss at a query exactly, negative votes included."""

    def infimum_prediction(self, votes: Votes, candidates: Any, rtol: float) -> Faces:
        """``argmin_z sum_j inf_{y in s_j} alpha[i, j] loss(z, y)`` for every query i.

        Where a vote is negative the infimum takes the *worst* member of the set.
        """
        ...


@runtime_checkable
class EmbedsPredictions(Protocol):
    """A loss that says where outputs lie as predictions."""

    def psi(self, outputs: Any) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        ...
