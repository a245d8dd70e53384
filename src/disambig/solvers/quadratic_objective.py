"""The quadratic objective ``E(y) = sum_ij A[i, j] loss(y_i, y_j)`` of labels."""

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import EmbedsPredictions, Faces
from disambig.notation import FloatArray
from disambig.problem import Problem, inner


def quadratic_objective(problem: Problem, decoded: Faces) -> float:
    """``sum_ij A[i, j] loss(y_i, y_j)`` for one vertex per row.

    The paper's objective also has predictions, ``min_z sum_ij A[i, j] loss(z_i, y_j)``, and is
    never higher.

    Parameters
    ----------
    problem : Problem
    decoded : Faces
        One vertex for each of the n rows, such as ``solution.decoded``.

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
    scores = problem.votes @ decoded.embedded
    return inner(_embedded_as_predictions(problem, decoded), scores)


def _embedded_as_predictions(problem: Problem, decoded: Faces) -> FloatArray:
    """``psi(y)``: the embedding of the labels as predictions."""
    loss = problem.loss
    if isinstance(loss, FiniteLoss):
        return _unit_vectors(loss, decoded)
    if isinstance(loss, EmbedsPredictions):
        return loss.psi(decoded.outputs)
    raise MissingOracleError(
        f"The quadratic objective needs psi(outputs), which {type(loss).__name__} does not have. "
        "Add psi to the loss, or compare solvers by the paper's objective."
    )


def _unit_vectors(loss: FiniteLoss, decoded: Faces) -> FloatArray:
    """Row i is the unit vector of the prediction that has the name of the label of row i."""
    index_of_prediction = {name: z for z, name in enumerate(loss.predictions.tolist())}
    indices = [index_of_prediction.get(name, -1) for name in loss.classes.tolist()]
    missing = [name for name, z in zip(loss.classes.tolist(), indices, strict=True) if z < 0]
    if missing:
        raise ValueError(
            f"quadratic_objective: the loss has no prediction {missing[0]!r}; expected a loss "
            "whose predictions include all classes."
        )
    units: FloatArray = np.eye(len(loss.predictions))[np.asarray(indices)[decoded.outputs]]
    return units
