"""Prediction at new inputs, for every kind of target.

One rule everywhere: the output of least expected loss under the votes; of tied outputs the one of
least expected loss under the frequencies of the recovered targets; of these the first. An input
without votes is predicted from the frequencies alone. (For numbers, the middle of the lowest
interval of tied ones.)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.exceptions import warn
from disambig.losses import Loss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import Faces, ListedFaces
from disambig.notation import BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers import Solution
from disambig.solvers.baselines import NUDGED_TOLERANCE_SHARE, infimum_prediction, nudged
from disambig.solvers.numbers.baselines import NumberRule
from disambig.votes import Votes
from disambig.votes.dense import DenseVotes

# Units of rounding in which two sums of votes may differ that are equal in exact arithmetic.
_ROUNDING_UNITS = 4


def warn_of_rows_without_votes(votes: Votes, instead: str) -> None:
    """Warn of queries without votes: how many they are and what predicts them."""
    without: BoolArray = votes.absolute_row_sums() == 0
    if without.any():
        warn(
            f"{np.count_nonzero(without)} of {len(without)} inputs get no vote from any training "
            f"row; they are predicted by {instead}.",
            UserWarning,
        )


@dataclass(frozen=True, eq=False)
class Predictor:
    """Prediction of labels, bits, orders and structures.

    Parameters
    ----------
    xi : float array (n, p)
        The embedded targets that prediction learns from.
    prior : float array (p,)
        Their weighted mean over the resolved rows.
    loss, candidates, method
        Those that the targets were computed with.
    tie_tolerance : float
        Relative difference below which two scores tie, as in the fit.
    rounding : float
        Relative rounding error of a vote, that of the precision of the votes.
    """

    xi: FloatArray
    prior: FloatArray
    loss: Loss
    candidates: Any
    method: str
    tie_tolerance: float
    rounding: float

    def predict(self, votes: Votes) -> Faces:
        """One output at each query."""
        self._warn_of_rows_without(votes)
        return self.predict_quietly(votes)

    def predict_quietly(self, votes: Votes) -> Faces:
        """The same without a warning for inputs without votes."""
        if self.method != "infimum" or isinstance(self.loss, FiniteLoss):
            return self.best(*self._scores(votes))
        found = infimum_prediction(
            self.loss, votes, self.candidates, rtol=self.tie_tolerance, prior=self.prior
        )
        faces = found.predictions
        if isinstance(faces, ListedFaces):
            faces = faces.cheapest(self.prior)
        elif found.scores is None:
            # A task that minimises the infimum loss itself returns one of the tied outputs.
            faces = faces.first()
        else:
            faces = self.best(found.scores, np.abs(found.scores).max(axis=1, initial=0.0))
        without = np.flatnonzero(votes.absolute_row_sums() == 0)
        if without.size:
            scores = np.tile(self.prior, (without.size, 1))
            faces = faces.replace(without, self.best(scores, np.abs(scores).max(axis=1)))
        return faces

    def scores(self, votes: Votes) -> tuple[FloatArray, FloatArray]:
        """What a prediction minimises, ``(q, p)``, and its size for the tolerance, ``(q,)``."""
        self._warn_of_rows_without(votes)
        return self._scores(votes)

    def _scores(self, votes: Votes) -> tuple[FloatArray, FloatArray]:
        if self.method == "infimum":
            assert isinstance(self.loss, FiniteLoss)
            scores, scale = self.loss.infimum_scores(votes, self.candidates)
        else:
            scores = votes @ self.xi
            # A bound on |alpha| can be far larger than the scores.
            scale = np.abs(scores).max(axis=1, initial=0.0)
        scores[votes.absolute_row_sums() == 0] = self.prior
        return scores, scale

    def best(self, scores: FloatArray, scale: FloatArray) -> Faces:
        """The outputs that minimise scores ``(q, p)`` of sizes ``(q,)``; the prior breaks ties."""
        tolerance = self.tie_tolerance * scale
        faces = self.loss.best_prediction(scores, tolerance)
        if isinstance(faces, ListedFaces):
            chosen: Faces = faces.cheapest(self.prior)
            return chosen
        # Ties cannot be listed: the prior is added, so small that no other output overtakes.
        scores = nudged(scores, self.prior, tolerance, self.loss.magnitude(self.candidates))
        # Frequencies that differ by less than the rounding of votes cannot decide.
        share = max(NUDGED_TOLERANCE_SHARE * self.tie_tolerance, _ROUNDING_UNITS * self.rounding)
        return self.loss.best_prediction(scores, share * scale).first()

    def nearest(self, predictions: Faces, candidates: Any) -> Faces:
        """For each prediction the nearest members of its candidate set, with ties."""
        unit = self.tie_tolerance * self.loss.magnitude(candidates)
        tolerance = np.full(len(predictions), unit)
        return self.loss.best_candidate(predictions.first().embedded, candidates, tolerance)

    @staticmethod
    def _warn_of_rows_without(votes: Votes) -> None:
        warn_of_rows_without_votes(
            votes, "the frequencies of the recovered targets (is_reached(X) tells which)"
        )


def predictor_of(
    problem: Problem, solution: Solution, method: str, sample_weight: FloatArray
) -> Predictor:
    """The predictor that learns from a solution.

    Parameters
    ----------
    problem : Problem
    solution : Solution
    method : {"disambiguation", "infimum", "average"}
    sample_weight : float array (n,)
    """
    if method == "average":
        xi = problem.loss.start(problem.candidates, "average")
    else:
        xi = (solution.decoded if method == "infimum" else solution.targets).embedded
    trusted = solution.resolved if solution.resolved.any() else np.ones(len(xi), np.bool_)
    weights = sample_weight * trusted
    prior = weights @ xi / weights.sum()
    return Predictor(
        xi=xi,
        prior=prior,
        loss=problem.loss,
        candidates=problem.candidates,
        method=method,
        tie_tolerance=solution.tie_tolerance,
        rounding=float(np.finfo(problem.prediction_scale.dtype).eps),
    )


@dataclass(frozen=True, eq=False)
class NumberPredictor:
    """Prediction of numbers.

    Parameters
    ----------
    rule : NumberRule
    constant : float array (d,)
        The best single output for all inputs: the prediction of inputs without votes.
    """

    rule: NumberRule
    constant: FloatArray

    def predict(self, votes: Votes) -> FloatArray:
        """Numbers ``(q, d)``; a function that was fitted (``linear``) has a value everywhere."""
        if not self.rule.linear:
            warn_of_rows_without_votes(votes, "the best constant")
        return self.predict_quietly(votes)

    def predict_quietly(self, votes: Votes) -> FloatArray:
        """The same without a warning for inputs without votes."""
        predictions = self.rule.predict(votes)
        if not self.rule.linear:
            predictions[votes.absolute_row_sums() == 0] = self.constant
        return predictions


def number_predictor_of(rule: NumberRule, sample_weight: FloatArray) -> NumberPredictor:
    """The predictor of a rule."""
    shares = DenseVotes(sample_weight[None, :] / sample_weight.sum())
    return NumberPredictor(rule, rule.predict(shares)[0])
