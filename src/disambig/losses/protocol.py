"""What a half step returns: for each row the vertices that tie for the minimum.

A linear function over a polytope is minimal on a face. Where several vertices tie, every point of
the face is optimal, and the **barycentre** of the tied vertices says "still undecided": picking
the first vertex instead would hand every uninformed row to class 0, and the error would spread.

The contract of a loss, as solvers see it.

The contract of half steps that go row by row, for a loss and votes that allow it.

The general way through a half step is a product and a batch of minimisations: ``A @ xi``, ``(n,
p)``, then `Loss.best_prediction`. Where votes are sparse and faces are nearly always single
vertices, most of that is spent on zeros, and on rows where nothing is new. A loss that can do
better offers `row_steps(votes, candidates)`; `Problem.row_steps` asks for it once, and
`RowDescent` is then the process in place of `Descent`. Both go through the same states: the same
faces, the same number of steps, objectives equal up to rounding.
"""

from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes


class Faces(Protocol):
    """One face a row, ``n`` rows, in an embedding of dimension ``p``."""

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
        """The first vertex of each face: the deterministic choice."""
        ...

    def take(self, index: IntArray) -> Self:
        """The faces of some rows."""
        ...

    def replace(self, rows: IntArray, faces: Self) -> Self:
        """A copy in which ``rows[k]`` has the k-th of `faces`."""
        ...

    def vertices(self, rows: IntArray) -> tuple[IntArray, Self]:
        """All vertices of some rows: ``(position in rows, faces of one vertex each)``."""
        ...

    def union(self, newer: Self) -> Self:
        """Faces that hold both. Called for rows to which a step brought no gain.

        In exact arithmetic `newer` then holds this one already; the union keeps rounding from
        making a run cycle. A kind of face that cannot form means keeps its current vertex.
        """
        ...

    def keep_unless_better(self, current: Self, scores: FloatArray, tolerance: FloatArray) -> Self:
        """Single vertices: the `current` one unless these faces are better by `tolerance`."""
        ...

    def differing(self, other: Self) -> BoolArray:
        """Rows whose faces are not the same, ``(n,)``."""
        ...

    @property
    def outputs(self) -> Any:
        """The first vertex of each face as an output: class numbers, or the user's own type."""
        ...


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


F = TypeVar("F", bound=Faces)


class Sweep(NamedTuple, Generic[F]):
    """What a half step over some rows found.

    Attributes
    ----------
    faces : Faces
        Of all rows.
    paid : float array (n,)
        What every row pays: the objective is the sum.
    moved : bool array (n,)
        Rows whose face changed.
    """

    faces: F
    paid: FloatArray
    moved: BoolArray


class RowSteps(Protocol):
    """Both half steps, over the rows that have heard news."""

    def coded(self, predictions: Faces) -> Any:
        """Predictions of the loss in the form that these steps work on."""
        ...

    def first_predictions(self, kind: str, rtol: float) -> Any:
        """The predictions that a named start calls for, or None: ask the loss for the start."""
        ...

    def rows_affected_by_targets(self, moved: BoolArray) -> BoolArray:
        """Rows whose predictions hear one of the targets that moved."""
        ...

    def rows_affected_by_predictions(self, moved: BoolArray) -> BoolArray:
        """Rows whose targets hear one of the predictions that moved."""
        ...

    def scores_at(self, rows: IntArray, targets: Any) -> FloatArray:
        """``(A @ xi)[rows]``, the scores that predictions at some rows minimise."""
        ...

    def best_predictions(self, targets: Any, tolerance: FloatArray) -> Sweep[Any]:
        """The first half step, over all rows and from nothing."""
        ...

    def best_targets(self, predictions: Any, tolerance: FloatArray) -> Sweep[Any]:
        """The second half step, over all rows and from nothing."""
        ...

    def move_predictions(
        self, targets: Any, older: Any, tolerance: FloatArray, visited: BoolArray
    ) -> Sweep[Any]:
        """Visited rows take the best faces, joined to the older ones where these cost no more."""
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
        """The same of targets. Rows in `kept` stay, and it is only counted what they pay.

        At vertices a row keeps its vertex unless another is better.
        """
        ...


@runtime_checkable
class OffersRowSteps(Protocol):
    """A loss that has row steps for some votes and candidates."""

    def row_steps(self, votes: Votes, candidates: Any) -> RowSteps | None:
        """Row steps for these votes and candidates, or None where there are none."""
        ...
