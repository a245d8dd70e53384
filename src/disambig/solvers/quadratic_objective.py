"""The quadratic objective of a labelling, and what is proven about it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import EmbedsPredictions, Faces
from disambig.notation import FloatArray
from disambig.problem import Problem, inner

if TYPE_CHECKING:
    from disambig.solvers.solution import Targets


@dataclass(frozen=True, eq=False)
class QuadraticBound:
    """``E(y) = sum_ij A[i, j] loss(y_i, y_j)``: on the decoded labels, relaxed, and from below.

    Attributes
    ----------
    objective : float
        ``E`` of the decoded labels.
    relaxed_objective : float
        The convex function that was minimised, at the relaxed targets. It is ``E`` wherever all
        rows are settled.
    bound : float
        No labels of the sets have a lower ``E``.
    relaxed : Targets
        The relaxed targets. How soft they are says how much the function was bent to be convex,
        not how sure the labels are.
    """

    objective: float
    relaxed_objective: float
    bound: float
    relaxed: "Targets"

    @property
    def gap(self) -> float:
        """The relaxed targets are so near to the minimum of the convex function, at least."""
        return self.relaxed_objective - self.bound


def quadratic_objective(problem: Problem, decoded: Faces) -> float:
    """``sum_ij A[i, j] loss(y_i, y_j)`` for one vertex a row.

    The paper's own objective has predictions beside the labels,
    ``min_z sum_ij A[i, j] loss(z_i, y_j)``, and is never higher.

    Examples
    --------
    >>> from disambig.candidates import LabelSets
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.solvers import AlternatingMinimization
    >>> from disambig.votes import as_votes
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}, {"b"}])
    >>> votes = as_votes([[0.5, 0.5, 0], [0.4, 0.4, 0.2], [0, 0, 1]])
    >>> problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    >>> solution = AlternatingMinimization().solve(problem)
    >>> quadratic_objective(problem, solution.decoded)
    0.2
    """
    heard = problem.votes @ decoded.embedded
    return inner(_as_predictions(problem, decoded), heard)


def _as_predictions(problem: Problem, decoded: Faces) -> FloatArray:
    """``psi(y)`` of the labels themselves."""
    loss = problem.loss
    if isinstance(loss, FiniteLoss):
        return _unit_vectors(loss, decoded)
    if isinstance(loss, EmbedsPredictions):
        return loss.psi(decoded.outputs)
    raise MissingOracleError(
        f"The quadratic objective needs psi(outputs), which {type(loss).__name__} has not. Add it "
        "to the loss, or compare solvers by the paper's objective."
    )


def _unit_vectors(loss: FiniteLoss, decoded: Faces) -> FloatArray:
    """Row i is the unit vector of the prediction that is called like the label of row i."""
    place = {name: z for z, name in enumerate(loss.predictions.tolist())}
    rows = [place.get(name, -1) for name in loss.classes.tolist()]
    missing = [name for name, z in zip(loss.classes.tolist(), rows, strict=True) if z < 0]
    if missing:
        raise ValueError(
            f"quadratic_objective: the loss has no prediction {missing[0]!r}; expected a loss "
            "between the same predictions and classes."
        )
    units: FloatArray = np.eye(len(loss.predictions))[np.asarray(rows)[decoded.outputs]]
    return units
