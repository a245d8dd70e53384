"""The contracts between losses and solvers: `Faces`, `Loss`, and the optional `RowSteps`.

`Faces` are what a half step returns: for each row the vertices that tie for the minimum. A linear
function over a polytope is minimal on a face. If several vertices tie, every point of the face is
optimal, and the **barycentre** of the tied vertices stands for "still undecided". Choosing the
first vertex instead would give class 0 to every row without information, and the error would
spread.

`Loss` is what every solver needs: a start and two exact batched minimisers.

`RowSteps` are half steps row by row, for losses and votes that allow them. The general half step is
a product and a batch of minimisations: ``A @ xi``, ``(n, p)``, then `Loss.best_prediction`. If
votes are sparse and nearly all faces are single vertices, most of that time goes to zeros and to
rows whose scores did not change. A loss that avoids this offers ``row_steps(votes, candidates)``.
`Problem.row_steps` calls it once, and `RowDescent` then replaces `Descent`. Both visit the same
states: the same faces, the same number of steps, objectives equal up to rounding.
"""

from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.votes import Votes


class Faces(Protocol):
    """One face for each of ``n`` rows, in an embedding of dimension ``p``."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """Barycentres of the faces, ``(n, p)``."""
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows whose face is a single vertex, ``(n,)``."""
        ...

    def first(self) -> Self:
        """The first vertex of each face, a deterministic choice."""
        ...

    def take(self, index: IntArray) -> Self:
        """The faces of some rows."""
        ...

    def replace(self, rows: IntArray, faces: Self) -> Self:
        """A copy in which row ``rows[k]`` has the k-th face of `faces`."""
        ...

    def vertices(self, rows: IntArray) -> tuple[IntArray, Self]:
        """All vertices of some rows: ``(position in rows, faces of one vertex each)``."""
        ...

    def union(self, newer: Self) -> Self:
        """Faces that contain both. Solvers call it for rows that a step did not improve.

        In exact arithmetic `newer` contains this face already. The union prevents cycles caused by
        rounding. A kind of face without barycentres keeps its current vertex.
        """
        ...

    def keep_unless_better(self, current: Self, scores: FloatArray, tolerance: FloatArray) -> Self:
        """Single vertices: the `current` one unless this face is better by over `tolerance`."""
        ...

    def differing(self, other: Self) -> BoolArray:
        """Rows whose faces differ, ``(n,)``."""
        ...

    @property
    def outputs(self) -> Any:
        """The first vertex of each face as an output: class numbers, or a type of the user."""
        ...


@runtime_checkable
class ListedFaces(Protocol):
    """Faces whose vertices can be listed, so that a second cost can choose among them."""

    def cheapest(self, costs: FloatArray) -> Any:
        """One vertex of each face, of least ``<vertex, costs>`` for costs ``(p,)``; the first."""
        ...


class Loss(Protocol):
    """``loss(z, y) = <psi(z), phi(y)>``, given by a start and two exact batched minimisers.

    Rows are separate problems. Candidates that couple rows say so (``couples_rows``), and solvers
    that need separate rows refuse them.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.losses import ZeroOneLoss
    >>> loss = ZeroOneLoss().bind(np.array(["a", "b", "c"]))
    >>> faces = loss.best_prediction(np.array([[0.3, 0.1, 0.1]]), np.zeros(1))
    >>> faces.outputs.tolist(), faces.is_vertex.tolist(), faces.embedded.tolist()
    ([1], [False], [[0.0, 0.5, 0.5]])
    """

    def start(self, candidates: Any, kind: str) -> FloatArray:
        """The initial targets: ``V`` of shape ``(n, p)``, in the space of ``xi``.

        They need not lie in the convex hulls. The first predictions minimise
        ``<psi(z), (A @ V)[i]>``. ``"average"`` is the mean of ``phi`` over each set. Every loss
        must offer it, because the average-candidates method uses it, too. ``"infimum"`` is the loss
        to the nearest candidate.

        Parameters
        ----------
        candidates : Candidates, n rows
        kind : {"average", "infimum"}
        """
        ...

    def magnitude(self, candidates: Any) -> float:
        """The largest ``|loss(z, y)|``; tolerances of ties are relative to it.

        Parameters
        ----------
        candidates : Candidates, n rows
        """
        ...

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> Faces:
        """For each row the predictions z that minimise ``<psi(z), scores[i]>``.

        Parameters
        ----------
        scores : (q, p)
        tolerance : (q,)
            Vertices within it of the minimum tie.
        """
        ...

    def best_candidate(self, scores: FloatArray, candidates: Any, tolerance: FloatArray) -> Faces:
        """For each row the targets ``y in s[j]`` that minimise ``<phi(y), scores[j]>``.

        With ``scores = psi(z)``, ``(n, p)``, this is the candidate nearest to a prediction.

        Parameters
        ----------
        scores : (n, p)
        candidates : Candidates, n rows
        tolerance : (n,)
            Vertices within it of the minimum tie.
        """
        ...


@runtime_checkable
class ExactInfimum(Protocol):
    """A loss that minimises the infimum loss at a query exactly, also for negative votes."""

    def infimum_prediction(self, votes: Votes, candidates: Any, rtol: float) -> Faces:
        """``argmin_z sum_j inf_{y in s_j} alpha[i, j] loss(z, y)`` for every query i.

        For a negative vote the infimum is attained at the *worst* member of the set.
        """
        ...


@runtime_checkable
class EmbedsPredictions(Protocol):
    """A loss with an explicit embedding of predictions."""

    def psi(self, outputs: Any) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        ...


F = TypeVar("F", bound=Faces)


class Sweep(NamedTuple, Generic[F]):
    """The result of a half step over some of the rows.

    Attributes
    ----------
    faces : Faces
        Of all rows.
    costs : float array (n,)
        Cost of each row; the objective is their sum.
    moved : bool array (n,)
        Rows whose face changed.
    """

    faces: F
    costs: FloatArray
    moved: BoolArray


class RowSteps(Protocol):
    """Both half steps, restricted to rows whose scores may have changed."""

    def coded(self, predictions: Faces) -> Any:
        """Predictions of the loss in the form that these steps use."""
        ...

    def first_predictions(self, kind: str, rtol: float) -> Any:
        """The predictions of a named start; None if they must come from `Loss.start`."""
        ...

    def rows_affected_by_targets(self, moved: BoolArray) -> BoolArray:
        """Rows whose prediction has scores that depend on a target in `moved`."""
        ...

    def rows_affected_by_predictions(self, moved: BoolArray) -> BoolArray:
        """Rows whose target has scores that depend on a prediction in `moved`."""
        ...

    def scores_at(self, rows: IntArray, targets: Any) -> FloatArray:
        """``(A @ xi)[rows]``: the scores of the predictions at some rows."""
        ...

    def best_predictions(self, targets: Any, tolerance: FloatArray) -> Sweep[Any]:
        """The prediction step over all rows, without earlier predictions."""
        ...

    def best_targets(self, predictions: Any, tolerance: FloatArray) -> Sweep[Any]:
        """The target step over all rows, without earlier targets."""
        ...

    def move_predictions(
        self, targets: Any, older: Any, tolerance: FloatArray, visited: BoolArray
    ) -> Sweep[Any]:
        """Visited rows take the best face, in union with the older one if that costs no more."""
        ...

    def move_targets(
        self,
        predictions: Any,
        older: Sweep[Any],
        tolerance: FloatArray,
        visited: BoolArray,
        *,
        kept: BoolArray | None = None,
        at_vertices: bool = False,
    ) -> Sweep[Any]:
        """The same for targets. Rows in `kept` keep their face; only their cost is computed.

        With `at_vertices` a row keeps its vertex unless another one is better.
        """
        ...

    def packed(self, faces: Any) -> dict[str, AnyArray]:
        """Targets or predictions as arrays, for a checkpoint."""
        ...

    def unpacked(
        self, targets: dict[str, AnyArray], predictions: dict[str, AnyArray]
    ) -> tuple[Any, Any]:
        """Targets and predictions of such arrays."""
        ...


@runtime_checkable
class OffersRowSteps(Protocol):
    """A loss that may have row steps."""

    def row_steps(self, votes: Votes, candidates: Any) -> RowSteps | None:
        """Row steps for these votes and candidates, or None if there are none."""
        ...
