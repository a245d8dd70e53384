"""Structured outputs: a loss that the user defines by a `StructuredTask`.

`StructuredLoss` adapts the task to the contract of `Loss` and checks what the task returns. Its
faces are `PointFaces`, one vertex for each row: the ties of a structured output space cannot be
listed.
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
    """Faces of one known vertex each, optionally with the mean of the tied vertices.

    A face is one vertex. If the mean of the tied vertices can be computed without listing them, a
    face is that mean and one of its vertices. `union` keeps the current face: a step without a
    gain changes no face, so the objective still decreases and runs end.

    Parameters
    ----------
    outputs : array, first axis n
        The vertices as outputs of the user; an object array unless they are numbers.
    embedded : float array (n, p)
        Embeddings of the vertices, or of the means of ties.
    embedded_outputs : float array (n, p), optional
        Embeddings of `outputs`, if `embedded` are means.
    """

    outputs: AnyArray
    embedded: FloatArray
    embedded_outputs: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.embedded)

    @cached_property
    def is_vertex(self) -> BoolArray:
        if self.embedded_outputs is None:
            return np.ones(len(self), dtype=np.bool_)
        single: BoolArray = (self.embedded == self.embedded_outputs).all(axis=1)
        return single

    def first(self) -> "PointFaces":
        if self.embedded_outputs is None:
            return self
        return PointFaces(self.outputs, self.embedded_outputs)

    def take(self, index: Any) -> "PointFaces":
        embedded_outputs = None if self.embedded_outputs is None else self.embedded_outputs[index]
        return PointFaces(self.outputs[index], self.embedded[index], embedded_outputs)

    def replace(self, rows: IntArray, faces: "PointFaces") -> "PointFaces":
        # The wider type: longer strings would be cut to the length of the current ones.
        outputs = self.outputs.astype(np.result_type(self.outputs, faces.outputs))
        embedded = self.embedded.copy()
        outputs[rows], embedded[rows] = faces.outputs, faces.embedded
        if self.embedded_outputs is None and faces.embedded_outputs is None:
            return PointFaces(outputs, embedded)
        embedded_outputs = self.first().embedded.copy()
        embedded_outputs[rows] = faces.first().embedded
        return PointFaces(outputs, embedded, embedded_outputs)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "PointFaces"]:
        """The known vertex of each row."""
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
    """What a user defines for a structured output: candidates, embeddings and two minimisers.

    ``n`` outputs are an array with first axis n, or a list of n objects. All methods take and
    return whole batches. A method may loop over the rows; vectorised code is faster.

    Optional methods, each of which improves the solution:

    * ``start(candidates, kind)``, ``(n, p)``: starts other than ``"average"``. For
      ``kind="infimum"`` return V such that ``<psi(z), V[j]>`` is the loss from z to the nearest
      candidate, or close to it, up to a constant for each row. The average start may favour an
      output only because many candidates resemble it; this start does not.
    * ``mean_prediction(scores, tolerance)``, ``(q, p)``: the mean of ``psi`` over all outputs
      whose score is within ``tolerance[i]`` of the minimum. Without it a row without informative
      votes takes the first of its tied outputs, and other rows treat that as known.
    * ``infimum_prediction(votes, candidates, rtol)``: the q outputs that minimise
      ``sum_j inf_{y in s_j} alpha[i, j] loss(z, y)`` exactly (see `ExactInfimum`).

    Examples
    --------
    An object that lacks a method is refused by name; `disambig.checks.check_structured_task` has a
    complete task.

    >>> from disambig import StructuredPredictor
    >>> class Unfinished:
    ...     def candidates(self, y):
    ...         return y
    >>> StructuredPredictor(Unfinished()).fit([[0.0], [1.0]], [0, 1])
    Traceback (most recent call last):
    TypeError: loss: Unfinished lacks embed_target, embed_prediction, best_prediction, ...
    """

    def candidates(self, y: Any) -> Any:
        """Check the observations; return an object with ``len`` that an index array can index.

        Parameters
        ----------
        y : object, n rows
            As it was given to ``fit``.
        """
        ...

    def embed_target(self, outputs: Any) -> FloatArray:
        """``phi``: ``(n, p)``.

        Parameters
        ----------
        outputs : n outputs
            In the form of `best_candidate`.
        """
        ...

    def embed_prediction(self, outputs: Any) -> FloatArray:
        """``psi``: ``(n, p)``, with ``loss(z, y) = <psi(z), phi(y)>``.

        Parameters
        ----------
        outputs : n outputs
            In the form of `best_prediction`.
        """
        ...

    def best_prediction(self, scores: FloatArray) -> Any:
        """For each row of ``(q, p)`` the output z that minimises ``<psi(z), scores[i]>``.

        Parameters
        ----------
        scores : float array (q, p)
        """
        ...

    def best_candidate(self, scores: FloatArray, candidates: Any) -> Any:
        """For each row of ``(n, p)`` the ``y in s[j]`` that minimises ``<phi(y), scores[j]>``.

        Parameters
        ----------
        scores : float array (n, p)
        candidates : object, n rows
            What `candidates` returned.
        """
        ...

    def average(self, candidates: Any) -> FloatArray:
        """The mean of ``phi`` over each set, ``(n, p)``.

        Parameters
        ----------
        candidates : object, n rows
            What `candidates` returned.
        """
        ...

    def largest_loss(self, candidates: Any) -> float:
        """The largest ``|loss(z, y)|``.

        Parameters
        ----------
        candidates : object, n rows
            What `candidates` returned.
        """
        ...


_REQUIRED_METHODS = tuple(name for name in vars(StructuredTask) if not name.startswith("_"))


@dataclass(frozen=True, eq=False)
class StructuredLoss:
    """A `StructuredTask` as a `Loss`; everything that the task returns is checked.

    It fulfils `ExactInfimum` if and only if the task has ``infimum_prediction``.
    """

    task: StructuredTask
    # None: `isinstance` with the runtime protocol `ExactInfimum` is then False.
    infimum_prediction: Callable[[Votes, Any, float], PointFaces] | None = field(
        init=False, default=None, repr=False
    )

    def __post_init__(self) -> None:
        _check_methods(self.task)
        if hasattr(self.task, "infimum_prediction"):
            object.__setattr__(self, "infimum_prediction", self._infimum_prediction)

    def candidates(self, y: Any) -> Any:
        """The candidate sets of the task; a list of them becomes an array of objects."""
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
                "number >= 0."
            )
        return largest

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> PointFaces:
        q, p = scores.shape
        faces = self._predictions(self.task.best_prediction(scores), q, p, "best_prediction")
        if not hasattr(self.task, "mean_prediction"):
            return faces
        means = _matrix(self.task.mean_prediction(scores, tolerance), q, p, "mean_prediction")
        return PointFaces(faces.outputs, means, embedded_outputs=faces.embedded)

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
            f"loss: got the class {task.__name__}; pass an instance, {task.__name__}(...)."
        )
    missing = [name for name in _REQUIRED_METHODS if not callable(getattr(task, name, None))]
    if missing:
        raise TypeError(
            f"loss: {type(task).__name__} lacks {', '.join(missing)}; expected the methods of "
            f"disambig.losses.StructuredTask: {', '.join(_REQUIRED_METHODS)}."
        )


def _objects(items: Any) -> AnyArray:
    """An array of one object for each row; `np.array` would split lists of equal length."""
    array = np.empty(len(items), dtype=object)
    for row, item in enumerate(items):
        array[row] = item
    return array


def _rows(outputs: Any, n: int, method: str) -> AnyArray:
    array = outputs if isinstance(outputs, np.ndarray) else _objects(outputs)
    if array.ndim == 0 or len(array) != n:
        found = len(array) if array.ndim else "a scalar instead of"
        raise ValueError(f"{method} returned {found} outputs; expected {n}, one for each row.")
    return array


def _matrix(embedded: Any, n: int, p: int | None, method: str) -> FloatArray:
    array = np.asarray(embedded, dtype=np.float64)
    if array.ndim != 2 or len(array) != n or p not in (None, array.shape[1]):
        raise ValueError(
            f"{method} returned an array of shape {array.shape}; expected ({n}, {p or 'p'}), one "
            "row for each output and one column for each dimension of the embedding."
        )
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(
            f"{method} returned NaN or infinity, first in row {row}; expected finite numbers."
        )
    return array
