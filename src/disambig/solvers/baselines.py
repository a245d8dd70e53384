"""The two baselines as solutions: infimum loss (IL) and average candidates (AC)."""

import numpy as np

from disambig.losses.faces import Faces
from disambig.problem import Problem
from disambig.solvers.infimum import infimum_prediction
from disambig.solvers.loop import Progress, Status
from disambig.solvers.solution import Solution

__all__ = ["average_candidates", "infimum_loss"]

# Own prediction first, everybody's second: small enough never to overrule, large enough to choose.
_SECOND_OPINION = 1e-6


def average_candidates(problem: Problem) -> Solution:
    """Learn from the mean of each set; label each row by the member nearest to its prediction."""
    xi = problem.loss.start(problem.candidates, "average")
    predictions = problem.best_predictions(xi).faces
    return _solution(problem, predictions, "average")


def infimum_loss(problem: Problem) -> tuple[Solution, bool]:
    """Predict by the infimum loss; label each row by the member nearest to its prediction.

    Returns
    -------
    (Solution, bool)
        And whether the predictions minimise the infimum loss exactly.
    """
    found = infimum_prediction(problem.loss, problem.votes, problem.candidates, rtol=problem.rtol)
    return _solution(problem, found.predictions, "infimum"), found.exact


def _solution(problem: Problem, predictions: Faces, name: str) -> Solution:
    n = len(predictions)
    tolerance = np.full(n, problem.rtol * problem.loss.magnitude(problem.candidates))
    own = problem.loss.best_candidate(predictions.embedded, problem.candidates, tolerance)
    # A prediction outside the set leaves all members equally near under many losses: then those
    # that the other rows' predictions favour are taken.
    others = problem.scores_of_targets(predictions.embedded)
    size = _SECOND_OPINION * float(np.abs(predictions.embedded).max(initial=0.0))
    # Row by row: beside a row that many listen to, the others' would be too faint to choose.
    heard = np.abs(others).max(axis=1, initial=0.0, keepdims=True)
    others = np.where(heard > 0, others / np.where(heard > 0, heard, 1.0), 0.0) * size
    decoded = problem.loss.best_candidate(
        predictions.embedded + others, problem.candidates, tolerance
    ).first()
    objective = problem.objective(decoded.embedded)
    return Solution(
        targets=own,
        decoded=decoded,
        relaxed_objective=problem.objective(own.embedded),
        objective=objective,
        start=name,
        status=Status.CONVERGED,
        n_iter=1,
        trace=(Progress(name, 1, objective, int(n - np.count_nonzero(own.is_vertex))),),
    )
