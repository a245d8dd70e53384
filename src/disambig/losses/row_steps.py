"""The contract of half steps that go row by row, for a loss and votes that allow it.

The general way through a half step is a product and a batch of minimisations: ``A @ xi``, ``(n,
p)``, then `Loss.best_prediction`. Where votes are sparse and faces are nearly always single
vertices, most of that is spent on zeros, and on rows where nothing is new. A loss that can do
better offers `row_steps(votes, candidates)`; `Problem.row_steps` asks for it once, and
`RowDescent` is then the process in place of `Descent`. Both go through the same states: the same
faces, the same number of steps, objectives equal up to rounding.
"""

from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from disambig.losses.faces import Faces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes

__all__ = ["OffersRowSteps", "RowSteps", "Sweep"]


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

    def listeners(self, moved: BoolArray) -> BoolArray:
        """Rows whose predictions hear one of the targets that moved."""
        ...

    def speakers(self, moved: BoolArray) -> BoolArray:
        """Rows whose targets hear one of the predictions that moved."""
        ...

    def heard_at(self, rows: IntArray, targets: Any) -> FloatArray:
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
