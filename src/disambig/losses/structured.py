"""Faces of an output space whose ties cannot be listed: one vertex a row.

A loss of the user's own: what to give, and how the solvers see it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.votes import Votes


@dataclass(frozen=True, eq=False)
class PointFaces:
    """Single vertices, given as outputs and where they lie; perhaps with the mean of their ties.

    A face here is one vertex or, where the mean of the tied ones can be had without a list of
    them, that mean and one of its vertices. When a step gains nothing the current faces stay,
    which keeps descent and termination.

    Parameters
    ----------
    outputs : array, first axis n
        The vertices in the user's own form; an object array for what is no number.
    embedded : float array (n, p)
        Where the faces lie: the vertices, or the means.
    corners : float array (n, p), optional
        Where `outputs` lie, if `embedded` are means.
    """

    outputs: AnyArray
    embedded: FloatArray
    corners: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.embedded)

    @cached_property
    def is_vertex(self) -> BoolArray:
        if self.corners is None:
            return np.ones(len(self), dtype=np.bool_)
        single: BoolArray = (self.embedded == self.corners).all(axis=1)
        return single

    def first(self) -> "PointFaces":
        return self if self.corners is None else PointFaces(self.outputs, self.corners)

    def take(self, index: Any) -> "PointFaces":
        corners = None if self.corners is None else self.corners[index]
        return PointFaces(self.outputs[index], self.embedded[index], corners)

    def replace(self, rows: IntArray, faces: "PointFaces") -> "PointFaces":
        # The wider type: words would be cut to the length of the current ones.
        outputs = self.outputs.astype(np.result_type(self.outputs, faces.outputs))
        embedded = self.embedded.copy()
        outputs[rows], embedded[rows] = faces.outputs, faces.embedded
        if self.corners is None and faces.corners is None:
            return PointFaces(outputs, embedded)
        corners = self.first().embedded.copy()
        corners[rows] = faces.first().embedded
        return PointFaces(outputs, embedded, corners)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "PointFaces"]:
        """The one vertex that is known of each row."""
        return np.arange(len(rows)), self.take(rows).first()

    def union(self, newer: "PointFaces") -> "PointFaces":
        return self

    def keep_unless_better(
        self, current: "PointFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "PointFaces":
        found, current = self.first(), current.first()
        gain = np.einsum("ip,ip->i", current.embedded - found.embedded, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return found.replace(stays, current.take(stays))

    def differing(self, other: "PointFaces") -> BoolArray:
        return np.asarray((self.embedded != other.embedded).any(axis=1))


class StructuredTask(Protocol):
    """Everything that a structured output owes: candidates, embeddings and two minimisers.

    ``n`` outputs are an array with first axis n, or a list of n objects. All methods take and
    return whole batches. A method may be written as a loop; a batched one is faster.

    Optional methods, each worth writing where it can be had:

    * ``start(candidates, kind)``, ``(n, p)``: starts other than ``"average"``. For
      ``kind="infimum"`` return V such that ``<psi(z), V[j]>`` is the loss from z to the nearest
      candidate, or close to it, up to a constant a row. The average start counts candidates, and
      may favour an output only because many candidates resemble it; this one does not.
    * ``mean_prediction(scores, tolerance)``, ``(q, p)``: the mean of ``psi`` over all outputs
      whose score is within ``tolerance[i]`` of the minimum. Without it a row that has heard
      nothing yet takes the first of its tied outputs, and passes it on as if it were known.
    * ``infimum_prediction(votes, candidates, rtol)``: the q outputs that minimise
      ``sum_j inf_{y in s_j} alpha[i, j] loss(z, y)`` exactly (see `ExactInfimum`).
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


_METHODS = tuple(name for name in vars(StructuredTask) if not name.startswith("_"))


@dataclass(frozen=True, eq=False)
class StructuredLoss:
    """A `StructuredTask` under the contract of `Loss`; what the task returns is checked.

    It fulfils `ExactInfimum` if and only if the task has ``infimum_prediction``.
    """

    task: StructuredTask
    # A method that is None is no method to a runtime protocol.
    infimum_prediction: Callable[[Votes, Any, float], PointFaces] | None = field(
        init=False, default=None, repr=False
    )

    def __post_init__(self) -> None:
        _check_methods(self.task)
        if hasattr(self.task, "infimum_prediction"):
            object.__setattr__(self, "infimum_prediction", self._infimum_prediction)

    def candidates(self, y: Any) -> Any:
        """The sets that the task reads in y; a list of them becomes an array of objects."""
        candidates = self.task.candidates(y)
        if isinstance(candidates, (list, tuple)):
            return _objects(candidates)
        return candidates

    def start(self, candidates: Any, kind: str) -> FloatArray:
        if kind == "average":
            return _matrix(self.task.average(candidates), len(candidates), None, "average")
        if hasattr(self.task, "start"):
            return _matrix(self.task.start(candidates, kind), len(candidates), None, "start")
        raise MissingOracleError(
            f"start={kind!r} needs a method start(candidates, kind) of "
            f"{type(self.task).__name__}, which has none. Add it, or use start='average'."
        )

    def psi(self, outputs: Any) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        return _matrix(self.task.embed_prediction(outputs), len(outputs), None, "embed_prediction")

    def magnitude(self, candidates: Any) -> float:
        largest = float(self.task.largest_loss(candidates))
        if not (np.isfinite(largest) and largest >= 0):
            raise ValueError(
                f"largest_loss returned {largest}; expected the largest |loss(z, y)|, a finite "
                "number that is not negative."
            )
        return largest

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> PointFaces:
        q, p = scores.shape
        faces = self._predictions(self.task.best_prediction(scores), q, p, "best_prediction")
        if not hasattr(self.task, "mean_prediction"):
            return faces
        means = _matrix(self.task.mean_prediction(scores, tolerance), q, p, "mean_prediction")
        return PointFaces(faces.outputs, means, corners=faces.embedded)

    def best_candidate(
        self, scores: FloatArray, candidates: Any, tolerance: FloatArray
    ) -> PointFaces:
        n, p = scores.shape
        outputs = _rows(self.task.best_candidate(scores, candidates), n, "best_candidate")
        return PointFaces(outputs, _matrix(self.task.embed_target(outputs), n, p, "embed_target"))

    def _predictions(self, outputs: Any, n: int, p: int | None, method: str) -> PointFaces:
        outputs = _rows(outputs, n, method)
        return PointFaces(
            outputs, _matrix(self.task.embed_prediction(outputs), n, p, "embed_prediction")
        )

    def _infimum_prediction(self, votes: Votes, candidates: Any, rtol: float) -> PointFaces:
        outputs = self.task.infimum_prediction(  # type: ignore[attr-defined]
            votes, candidates, rtol
        )
        return self._predictions(outputs, votes.shape[0], None, "infimum_prediction")


def _check_methods(task: Any) -> None:
    if isinstance(task, type):
        raise TypeError(
            f"task: got the class {task.__name__}; pass an instance, {task.__name__}(...)."
        )
    missing = [name for name in _METHODS if not callable(getattr(task, name, None))]
    if missing:
        raise TypeError(
            f"task: {type(task).__name__} lacks {', '.join(missing)}; expected the methods of "
            f"disambig.losses.StructuredTask: {', '.join(_METHODS)}."
        )


def _objects(items: Any) -> AnyArray:
    """One object a row, whatever it is: numpy would make columns of lists of equal length."""
    array = np.empty(len(items), dtype=object)
    for row, item in enumerate(items):
        array[row] = item
    return array


def _rows(outputs: Any, n: int, method: str) -> AnyArray:
    array = outputs if isinstance(outputs, np.ndarray) else _objects(outputs)
    if array.ndim == 0 or len(array) != n:
        found = len(array) if array.ndim else "a scalar instead of"
        raise ValueError(f"{method} returned {found} outputs; expected {n}, one a row.")
    return array


def _matrix(embedded: Any, n: int, p: int | None, method: str) -> FloatArray:
    array = np.asarray(embedded, dtype=np.float64)
    if array.ndim != 2 or len(array) != n or p not in (None, array.shape[1]):
        raise ValueError(
            f"{method} returned an array of shape {array.shape}; expected ({n}, {p or 'p'}), one "
            "row an output, one column a dimension that phi and psi share."
        )
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(
            f"{method} returned NaN or infinity, first in row {row}; expected finite numbers."
        )
    return array
