"""What estimators make of a solution: labels of the rows, predictions and probabilities.

One rule of prediction for every kind of target: the output of least expected loss under the votes;
of tied outputs the one of least expected loss under the frequencies of the recovered targets; of
these the first. An input without votes is predicted from the frequencies alone. (For numbers, the
middle of the lowest interval of tied ones.)

The scores ``alpha @ distribution``, ``(q, K)``, are the votes for each class. Votes that are never
negative become probabilities when they are divided by their sum; signed votes go through a softmax.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import softmax

from disambig.candidates import LabelSets
from disambig.estimators.fitting import Fit
from disambig.losses import Loss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import Faces, ListedFaces
from disambig.losses.structured import PointFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import Solution
from disambig.solvers.baselines import NUDGED_TOLERANCE_SHARE, infimum_prediction, nudged
from disambig.solvers.numbers.baselines import NumberRule
from disambig.votes import Votes
from disambig.votes.dense import DenseVotes
from disambig.votes.protocol import has_votes

# Units of rounding in which two sums of votes may differ that are equal in exact arithmetic.
_ROUNDING_UNITS = 4
# Equal frequencies that are summed in different orders differ by rounding.
_FREQUENCY_ROUNDING = 1e-12
# If the sums of votes and of their absolute values differ by less than this share, no vote is
# negative.
_ROUNDING = 1e-9
# With it, four fifths of the votes against one fifth are odds of exp(0.6 / 0.2) = 20 to one.
_TEMPERATURE = 0.2


class Scores(NamedTuple):
    """What a prediction minimises, ``(q, p)``, its size for the tolerance, ``(q,)``, has votes."""

    values: FloatArray
    scale: FloatArray
    has_votes: BoolArray


@dataclass(frozen=True, eq=False)
class Predictor:
    """Prediction of labels, bits, orders and structures.

    Parameters
    ----------
    xi : float array (n, p)
        The embedded targets that prediction learns from.
    prior : float array (p,)
        Their weighted mean over the decided rows.
    loss, candidates, method : those that the targets were computed with
    tie_tolerance : float
        Relative difference below which two scores tie, as in the fit.
    rounding : float
        Relative rounding error of a vote, that of the precision of the votes.
    prices : float array (p,) or None
        Added to the scores of inputs with votes; see `class_prices`.
    """

    xi: FloatArray
    prior: FloatArray
    loss: Loss
    candidates: Any
    method: str
    tie_tolerance: float
    rounding: float
    prices: FloatArray | None = None

    # What predicts inputs without votes.
    without_votes: ClassVar[str] = "the frequencies of the recovered targets"

    def predict(self, votes: Votes) -> Faces:
        """One output at each query."""
        return self.predicted(votes)[0]

    def predicted(self, votes: Votes) -> tuple[Faces, BoolArray]:
        """One output at each query, and the queries that have votes, ``(q,)``."""
        if self.method != "infimum" or isinstance(self.loss, FiniteLoss):
            found = self.scores(votes)
            return self.best(found.values, found.scale), found.has_votes
        return self._infimum(votes)

    def _infimum(self, votes: Votes) -> tuple[Faces, BoolArray]:
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
        reached = has_votes(votes)
        without = np.flatnonzero(~reached)
        if without.size:
            scores = np.tile(self.prior, (without.size, 1))
            faces = faces.replace(without, self.best(scores, np.abs(scores).max(axis=1)))
        return faces, reached

    def scores(self, votes: Votes) -> Scores:
        """What a prediction minimises; at queries without votes that is the prior."""
        if self.method == "infimum":
            assert isinstance(self.loss, FiniteLoss)
            scores, scale = self.loss.infimum_scores(votes, self.candidates)
            reached = has_votes(votes)
        else:
            scores = votes @ self.xi
            # A bound on |alpha| can be far larger than the scores.
            scale = np.abs(scores).max(axis=1, initial=0.0)
            reached = has_votes(votes, scores)
            if self.prices is not None:
                scores = scores + self.prices
        scores[~reached], scale[~reached] = self.prior, np.abs(self.prior).max(initial=0.0)
        return Scores(scores, scale, reached)

    def best(self, scores: FloatArray, scale: FloatArray) -> Faces:
        """The outputs that minimise scores ``(q, p)`` of sizes ``(q,)``; the prior breaks ties."""
        tolerance = self.tie_tolerance * scale
        faces = self.loss.best_prediction(scores, tolerance)
        if isinstance(faces, ListedFaces):
            chosen: Faces = faces.cheapest(self.prior)
            return chosen
        # A structured task need not tell which rows tie.
        hidden = isinstance(faces, PointFaces)
        rows = np.arange(len(faces)) if hidden else np.flatnonzero(~faces.is_vertex)
        if not rows.size:
            return faces.first()
        # Ties cannot be listed: the prior is added, so small that no other output overtakes.
        largest = self.loss.magnitude(self.candidates)
        scores = nudged(scores[rows], self.prior, tolerance[rows], largest)
        # Frequencies that differ by less than the rounding of votes cannot decide.
        share = max(NUDGED_TOLERANCE_SHARE * self.tie_tolerance, _ROUNDING_UNITS * self.rounding)
        decided = self.loss.best_prediction(scores, share * scale[rows]).first()
        return decided if hidden else faces.first().replace(rows, decided)

    def nearest(self, predictions: Faces, candidates: Any) -> Faces:
        """For each prediction the nearest members of its candidate set, with ties."""
        unit = self.tie_tolerance * self.loss.magnitude(candidates)
        tolerance = np.full(len(predictions), unit)
        return self.loss.best_candidate(predictions.first().embedded, candidates, tolerance)


def predictor_of(
    problem: Problem, solution: Solution, method: str, sample_weight: FloatArray
) -> Predictor:
    """The predictor that learns from a solution.

    Parameters
    ----------
    problem : Problem
    solution : Solution
    method, sample_weight
    """
    if method == "average":
        xi = problem.loss.start(problem.candidates, "average")
    else:
        xi = (solution.decoded if method == "infimum" else solution.targets).embedded
    trusted = solution.decided if solution.decided.any() else np.ones(len(xi), np.bool_)
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

    @property
    def without_votes(self) -> str | None:
        """What predicts inputs without votes; a function that was fitted predicts everywhere."""
        return None if self.rule.linear else "the best constant"

    def predict(self, votes: Votes) -> FloatArray:
        """Numbers ``(q, d)``."""
        return self.predicted(votes)[0]

    def predicted(self, votes: Votes) -> tuple[FloatArray, BoolArray]:
        """Numbers ``(q, d)``, and the queries at which votes predict, ``(q,)``."""
        predictions = self.rule.predict(votes)
        if self.rule.linear:
            return predictions, np.ones(len(predictions), np.bool_)
        reached = has_votes(votes)
        predictions[~reached] = self.constant
        return predictions, reached


def number_predictor_of(rule: NumberRule, sample_weight: FloatArray) -> NumberPredictor:
    """The predictor of a rule."""
    shares = DenseVotes(sample_weight[None, :] / sample_weight.sum())
    return NumberPredictor(rule, rule.predict(shares)[0])


def shares(votes: FloatArray, fallback: FloatArray) -> FloatArray:
    """Votes ``(q, K)`` as probabilities: the positive part, divided by its sum.

    A class with negative votes gets probability zero. Rows without a positive vote get `fallback`,
    ``(K,)`` or ``(q, K)``.
    """
    positive = np.maximum(votes, 0.0)
    total = positive.sum(axis=1, keepdims=True)
    has_votes = total > 0
    return np.where(has_votes, positive / np.where(has_votes, total, 1.0), fallback)


def candidate_shares(votes: FloatArray, mask: BoolArray, fallback: FloatArray) -> FloatArray:
    """Votes restricted to each row's candidates, as probabilities ``(n, K)``."""
    return shares(np.where(mask, votes, 0.0), fallback)


@dataclass(frozen=True, eq=False)
class Probabilities:
    """The map from votes for classes ``(q, K)`` to probabilities.

    Parameters
    ----------
    prior : float array (K,)
        Frequencies of the recovered labels, for inputs without votes.
    possible : bool array (K,)
        Classes that are a candidate of some row.
    temperature : float or None
        Of the softmax. None: votes are divided by their sum.
    prices : float array (K,) or None
        Subtracted from the votes; see `class_prices`.

    Examples
    --------
    >>> import numpy as np
    >>> found = Probabilities(np.array([0.5, 0.5]), np.array([True, True]), 0.2)
    >>> found(np.array([[0.8, 0.2], [1.2, -0.2]])).round(3)
    array([[0.953, 0.047],
           [0.999, 0.001]])
    """

    prior: FloatArray
    possible: BoolArray
    temperature: float | None
    prices: FloatArray | None = None

    def __call__(self, votes: FloatArray) -> FloatArray:
        if self.prices is not None:
            votes = np.where((votes != 0).any(axis=1, keepdims=True), votes - self.prices, votes)
        if self.temperature is None:
            return shares(votes, self.prior)
        logits = np.where(self.possible, votes / self.temperature, -np.inf)
        has_votes = (votes != 0).any(axis=1, keepdims=True)
        return np.where(has_votes, softmax(logits, axis=1), self.prior)


def probabilities_of(
    votes: Votes,
    distribution: FloatArray,
    sample_weight: FloatArray,
    prior: FloatArray,
    possible: BoolArray,
    temperature: float | None = None,
) -> Probabilities:
    """The map for one weighting, from its votes at the training rows.

    With the temperature of hidden sets it is a softmax. Otherwise votes that are never negative are
    divided by their sum. Votes of a kernel ridge can be negative for some classes, and those for
    the others then sum to more than one. Setting negative votes to zero would make ties of
    different scores; the softmax keeps their order. Its temperature is a fifth of the mean over
    rows of the largest vote.

    `temperature` is that at which hidden sets are predicted best, `distribution` has the recovered
    labels ``(n, K)``; the others are those of `Probabilities`.
    """
    if temperature is not None:
        return Probabilities(prior, possible, temperature)
    if votes.is_nonnegative or _sums_are_nonnegative(votes):
        return Probabilities(prior, possible, None)
    largest = np.abs(votes @ distribution).max(axis=1)
    unit = float(np.average(largest, weights=sample_weight))
    return Probabilities(prior, possible, _TEMPERATURE * unit if unit > 0.0 else 1.0)


def _sums_are_nonnegative(votes: Votes) -> bool:
    """Whether sums of votes show that none is negative, for votes that do not declare it."""
    if not votes.absolute_sums_are_bounds:
        return False
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    return not (sizes > sums + _ROUNDING * sizes).any()


def label_distribution(sets: LabelSets, solution: Solution, method: str) -> FloatArray:
    """The distributions of the labels that prediction learns from, ``(n, K)``."""
    if method == "average":
        return sets.distribution()
    faces = solution.decoded if method == "infimum" else solution.targets
    distribution: FloatArray = faces.distribution  # type: ignore[union-attr]
    return distribution


def label_frequencies(
    solution: Solution, distribution: FloatArray, sample_weight: FloatArray
) -> FloatArray:
    """The share of each class among the labels of decided rows, ``(K,)``; of all if none is."""
    trusted = solution.decided if solution.decided.any() else np.ones(len(distribution), np.bool_)
    counts = sample_weight[trusted] @ distribution[trusted]
    return np.asarray(counts / counts.sum())


class RowLabels(NamedTuple):
    """Labels of all rows.

    Attributes
    ----------
    codes : int array (n,)
        Positions among the classes.
    decided : bool array (n,)
    shares : float array (n, K)
        Distributions within each set: positive votes of the other rows, divided by their sum, or
        those of rows that never saw the set.
    """

    codes: IntArray
    decided: BoolArray
    shares: FloatArray

    @property
    def confidence(self) -> FloatArray:
        """The share of each label, ``(n,)``."""
        confidence: FloatArray = self.shares[np.arange(len(self.codes)), self.codes]
        return confidence


def row_labels(
    fit: Fit, distribution: FloatArray, predictor: Predictor, *, with_shares: bool = True
) -> RowLabels:
    """Labels of all rows of a fit.

    A row of weight zero has the candidate nearest to its prediction; of several the one with the
    most votes of the others, of these the most frequent.

    Parameters
    ----------
    fit, predictor
    distribution : float array (n, K)
        What prediction learns from.
    with_shares : bool
        Whether leave-one-out votes give the shares; else those of all candidates are equal.
    """
    solution, taken, shares = fit.solution, fit.taken, fit.taken.distribution()
    if with_shares:
        shares = candidate_shares(fit.weightings.leave_one_out(distribution), taken.mask, shares)
    codes, decided = solution.decoded.outputs, solution.decided
    if fit.kept.all_rows:
        return RowLabels(codes, decided, shares)
    rest, rest_votes = fit.candidates[fit.rest], fit.rest_votes()
    votes = rest_votes @ distribution
    other = candidate_shares(votes, rest.mask, rest.distribution())
    # Shares that differ by rounding only are tied.
    tied = _largest(other, np.ones(other.shape, np.bool_), solution.tie_tolerance)
    nearest = predictor.nearest(predictor.predict(rest_votes), rest)
    best = _largest(other, nearest.mask, solution.tie_tolerance)  # type: ignore[attr-defined]
    frequencies = label_frequencies(solution, distribution, fit.kept.sample_weight)
    chosen = _largest(np.tile(frequencies, (len(rest), 1)), best, _FREQUENCY_ROUNDING)
    return RowLabels(
        fit.scatter(codes, chosen.argmax(axis=1)),
        fit.scatter(decided, tied.sum(axis=1) == 1),
        fit.scatter(shares, other),
    )


def _largest(values: FloatArray, among: BoolArray, tolerance: float) -> BoolArray:
    """The largest values of each row among some, and those that tie with them, ``(n, K)``."""
    inside = np.where(among, values, -1.0)
    largest: BoolArray = inside >= inside.max(axis=1, keepdims=True) * (1.0 - tolerance)
    return largest & among
