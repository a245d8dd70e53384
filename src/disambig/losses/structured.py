"""A loss of the user's own: what to give, and how the solvers see it."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.losses.point_faces import PointFaces
from disambig.notation import AnyArray, FloatArray

__all__ = ["StructuredLoss", "StructuredTask"]


class StructuredTask(Protocol):
    """Everything that a structured output owes: candidates, embeddings and two minimisers.

    ``n`` outputs are an array with first axis n, or a list of n objects. All methods take and
    return whole batches. A method may be written as a loop; a batched one is faster.

    Optional methods: ``start(candidates, kind)`` for starts other than ``"average"``, and
    ``infimum_prediction(votes, candidates, rtol)`` (see `ExactInfimum`) for an exact infimum loss.
    """

    def candidates(self, y: Any) -> Any:
        """Check what the user observed; return an object with ``len`` and ``[index array]``."""
        ...

    def embed_target(self, outputs: Any) -> FloatArray:
        """``phi``: ``(n, p)``."""
        ...

    def embed_prediction(self, outputs: Any) -> FloatArray:
        """``psi``: ``(n, p)``, with ``loss(z, y) = <psi(z), phi(y)>``."""
        ...

    def best_prediction(self, scores: FloatArray) -> Any:
        """For each row of ``(q, p)`` the output z that minimises ``<psi(z), scores[i]>``."""
        ...

    def best_candidate(self, scores: FloatArray, candidates: Any) -> Any:
        """For each row of ``(n, p)`` the ``y in s[j]`` that minimises ``<phi(y), scores[j]>``."""
        ...

    def average(self, candidates: Any) -> FloatArray:
        """The mean of ``phi`` over each set, ``(n, p)``."""
        ...

    def largest_loss(self, candidates: Any) -> float:
        """The largest ``|loss(z, y)|``."""
        ...


@dataclass(frozen=True, eq=False)
class StructuredLoss:
    """A `StructuredTask` under the contract of `Loss`."""

    task: StructuredTask

    def start(self, candidates: Any, kind: str) -> FloatArray:
        if kind == "average":
            return _checked(self.task.average(candidates), len(candidates), "average")
        if hasattr(self.task, "start"):
            return _checked(self.task.start(candidates, kind), len(candidates), "start")
        raise MissingOracleError(
            f"start={kind!r} needs a method start(candidates, kind) of "
            f"{type(self.task).__name__}, which has none. Add it, or use start='average'."
        )

    def magnitude(self, candidates: Any) -> float:
        return float(self.task.largest_loss(candidates))

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> PointFaces:
        outputs = _rows(self.task.best_prediction(scores), len(scores), "best_prediction")
        embedded = _checked(self.task.embed_prediction(outputs), len(scores), "embed_prediction")
        return PointFaces(outputs, embedded)

    def best_candidate(
        self, scores: FloatArray, candidates: Any, tolerance: FloatArray
    ) -> PointFaces:
        outputs = _rows(self.task.best_candidate(scores, candidates), len(scores), "best_candidate")
        return PointFaces(
            outputs, _checked(self.task.embed_target(outputs), len(scores), "embed_target")
        )


def _rows(outputs: Any, n: int, method: str) -> AnyArray:
    if isinstance(outputs, np.ndarray):
        array = outputs
    else:
        array = np.empty(len(outputs), dtype=object)
        array[:] = outputs
    if len(array) != n:
        raise ValueError(f"{method} returned {len(array)} outputs; expected {n}, one a row.")
    return array


def _checked(embedded: Any, n: int, method: str) -> FloatArray:
    array = np.asarray(embedded, dtype=np.float64)
    if array.ndim != 2 or len(array) != n:
        raise ValueError(
            f"{method} returned an array of shape {array.shape}; expected ({n}, p), one row an "
            "output."
        )
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(f"{method} returned NaN or infinity, first in row {row}.")
    return array
