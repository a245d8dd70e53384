"""Disambiguation problems whose targets are real numbers.

A `NumberProblem` joins a loss with candidate sets. There are two objectives: `VotedProblem` is the
paper's sum over pairs of samples, `RiskProblem` the empirical risk of kernel ridge regression.

The absolute and the pinball loss have no finite embedding, so `disambig.problem` does not apply.
As there, a problem offers two half steps: the best predictions for given targets and the best
targets for given predictions. It also offers its quadratic form, if it has one, and says whether
it is convex: solvers then find a global optimum.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self, runtime_checkable

import numpy as np

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.losses import NumberLoss, SquaredLoss
from disambig.losses.numbers.points import Points
from disambig.notation import BoolArray, FloatArray
from disambig.problem import HalfStep, Scores
from disambig.quadratic_forms import QuadraticForm, has_negative, residual_form, voted_form
from disambig.votes import Votes


@runtime_checkable
class NumberProblem(Protocol):
    """What a solver needs of a problem with real targets.

    Targets and predictions have shape ``(n, d)``.
    """

    @property
    def votes(self) -> Votes:
        """``A``, ``(n, n)``."""
        ...

    @property
    def loss(self) -> NumberLoss:
        """The loss between predictions and targets."""
        ...

    @property
    def sets(self) -> NumberSets:
        """The candidate sets."""
        ...

    @property
    def span(self) -> FloatArray:
        """The smallest and the largest finite end of every column, ``(d, 2)``."""
        ...

    def first_predictions(self, start: str) -> FloatArray:
        """Initial predictions; `start` is ``"average"`` or ``"infimum"``.

        Parameters
        ----------
        start : {"average", "infimum"}
        """
        ...

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        """The best predictions for the targets; of several the nearest to `current`.

        Parameters
        ----------
        targets : float array (n, d)
        current : float array (n, d), optional
        """
        ...

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        """The best candidates for the predictions; of several the nearest to `current`.

        Parameters
        ----------
        predictions : float array (n, d)
        current : float array (n, d), optional
        """
        ...

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        """The objective at targets and at the best predictions for them.

        Parameters
        ----------
        targets, predictions : float arrays (n, d)
        """
        ...

    @property
    def quadratic(self) -> QuadraticForm | None:
        """``Q`` with objective ``y' Q y``; None if the objective is not known to be quadratic."""
        ...

    @property
    def is_convex(self) -> bool:
        """Is the objective convex in the targets, so that a local optimum is a global one?"""
        ...

    @property
    def has_votes(self) -> BoolArray:
        """Rows whose target changes the objective, ``(n,)``; other targets are arbitrary."""
        ...

    def with_sets(self, sets: NumberSets) -> Self:
        """The same problem with other sets and the same span.

        Parameters
        ----------
        sets : NumberSets, n rows
        """
        ...


def first_targets(problem: NumberProblem, start: str) -> FloatArray:
    """Initial targets ``(n, d)``, inside their sets: the best ones for the first predictions."""
    return problem.targets(problem.first_predictions(start))


@dataclass(frozen=True, eq=False)
class NumberSteps:
    """The half steps of a problem with real targets, for `disambig.solvers.alternating.descent`.

    Of several optimal numbers the nearest to the older one is taken.
    """

    problem: NumberProblem

    def points(self, values: FloatArray) -> Points:
        """Numbers ``(n, d)`` in the span of the problem."""
        return Points(values, self._width)

    @cached_property
    def _width(self) -> FloatArray:
        low, high = self.problem.span.T
        # Half-lines with a common end have a span of zero width, but kernel ridge can still move
        # their targets.
        return np.asarray(np.where(high > low, high - low, np.abs(high)))

    def improve_predictions(
        self, targets: Points, older: Points, older_scores: Scores | None = None
    ) -> tuple[Points, None]:
        predictions = targets.predictions
        if predictions is None:
            predictions = self.problem.predictions(targets.values, older.values)
        return self.points(predictions), None

    def improve_targets(self, predictions: Points, older: Points | None = None) -> HalfStep[Points]:
        """The targets, with the objective at the best predictions for them.

        The first predictions of a run may be outside the span, where the objective is lower than
        any other.
        """
        if older is None:
            targets = self.problem.targets(predictions.values)
            best = self.problem.predictions(targets)
        else:
            targets = self.problem.targets(predictions.values, older.values)
            best = self.problem.predictions(targets, predictions.values)
        points = Points(targets, self._width, predictions=best)
        return HalfStep(points, self.problem.objective(targets, best))


@dataclass(frozen=True, eq=False)
class VotedProblem:
    """The paper's objective: ``sum_ij A[i, j] loss(z_i, y_j)`` over targets y and predictions z.

    Parameters
    ----------
    votes : Votes (n, n)
    loss : NumberLoss
    sets : NumberSets
    span : float array (d, 2)
        The range of outputs. The paper assumes that it is bounded: with negative votes the
        objective may have no minimum on the whole line. A convex problem does not need it.

    Examples
    --------
    >>> from disambig.candidates import Intervals
    >>> from disambig.solvers import NewtonRegression
    >>> from disambig.votes import as_votes
    >>> sets = Intervals.from_any([(0, 1), (2, 5)])
    >>> votes = as_votes([[0.5, 0.5], [0.5, 0.5]])
    >>> found = NewtonRegression().solve(VotedProblem(votes, SquaredLoss(), sets, sets.span))
    >>> found.decoded.outputs[:, 0].tolist(), found.certified
    ([1.0, 2.0], True)
    """

    votes: Votes
    loss: NumberLoss
    sets: NumberSets
    span: FloatArray

    @cached_property
    def transposed(self) -> Votes:
        """``A.T``, computed once."""
        return self.votes.T

    @cached_property
    def _bounded_sets(self) -> NumberSets:
        # Without convexity each half step can have a minimum although the joint problem has none.
        # Targets and predictions would then diverge together.
        return self.sets if self.is_convex else self.sets.within(self.span)

    def first_predictions(self, start: str) -> FloatArray:
        if start == "infimum":
            return self.loss.infimum_prediction(self.votes, self.sets, self.span)
        return self.loss.average_prediction(self.votes, self.sets, self.span)

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.loss.best_prediction(self.votes, targets, self.span, current)

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.loss.best_target(
            self.transposed, predictions, self._bounded_sets, self.span, current
        )

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        return self.loss.total(self.votes, predictions, targets)

    @cached_property
    def quadratic(self) -> QuadraticForm | None:
        return voted_form(self.votes) if self.loss.is_quadratic else None

    @cached_property
    def is_convex(self) -> bool:
        if self.loss.is_quadratic:
            return self.quadratic is not None and self.quadratic.is_convex
        # Non-negative votes: a sum of jointly convex functions of (z_i, y_j) is jointly convex, and
        # its minimum over z is convex in y.
        return not has_negative(self.votes)

    @property
    def has_votes(self) -> BoolArray:
        own = np.abs(self.votes.diagonal())
        by_others = self.transposed.absolute_row_sums() > own
        # A row without votes for others predicts its own target exactly, whatever it is.
        beside_others = self.votes.absolute_row_sums() > own
        return np.asarray(by_others | ((own > 0) & beside_others))

    def with_sets(self, sets: NumberSets) -> Self:
        # `replace` drops cached properties. These depend on the votes alone, which are the same.
        other = replace(self, sets=sets)
        for name in ("transposed", "quadratic", "is_convex"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other


@dataclass(frozen=True, eq=False)
class RiskProblem:
    """The empirical risk: ``min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2`` over targets y.

    With the minimiser f of kernel ridge regression this is ``y' R y``, which is always convex. If
    the minimum over y is taken first, it is kernel ridge regression on the squared distances to the
    sets. Disambiguation and the infimum loss are therefore the same method here.

    Parameters
    ----------
    votes : Votes (n, n)
        The votes of kernel ridge regression: ``votes @ y`` is f at the training rows.
    form : float array or Votes (n, n)
        ``R``.
    shift_invariant : bool
        Has f an unpenalised intercept?
    sets : NumberSets
    span : float array (d, 2)

    Examples
    --------
    >>> from disambig.candidates import Intervals
    >>> from disambig.solvers import NewtonRegression
    >>> from disambig.weights import KernelRidgeWeights
    >>> sets = Intervals.from_any([(0, 1), (2, 5)])
    >>> ridge = KernelRidgeWeights("linear", intercept=True).fit([[0.0], [1.0]])
    >>> votes = ridge.training_votes()
    >>> problem = RiskProblem(votes, ridge.residual_form(), True, sets, sets.span)
    >>> NewtonRegression().solve(problem).decoded.outputs[:, 0].round(6).tolist()
    [1.0, 2.0]
    """

    votes: Votes
    form: FloatArray | Votes
    shift_invariant: bool
    sets: NumberSets
    span: FloatArray

    @property
    def loss(self) -> NumberLoss:
        """The squared loss."""
        return SquaredLoss()

    def first_predictions(self, start: str) -> FloatArray:
        if start == "infimum":
            return self.loss.infimum_prediction(self.votes, self.sets, self.span)
        centers = self.sets.centers
        # A set without a centre (the whole line) starts at the mean of the other centres.
        known = np.isfinite(centers)
        total = np.where(known, centers, 0.0).sum(axis=0)
        middle = total / np.maximum(known.sum(axis=0), 1)
        return np.where(known, centers, middle)

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.votes @ targets

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.sets.nearest(predictions)

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        # Subtracting a constant does not change the value, and avoids cancellation.
        middle = self.span.mean(axis=1) if self.shift_invariant else 0.0
        centered = targets - middle
        return float(np.einsum("ij,ij->", centered, self.quadratic @ centered))

    @cached_property
    def quadratic(self) -> QuadraticForm:
        return residual_form(self.form, shift_invariant=self.shift_invariant)

    @property
    def is_convex(self) -> bool:
        """Always."""
        return True

    @property
    def has_votes(self) -> BoolArray:
        # With an intercept, a single row has zero risk at every target.
        return np.asarray(self.quadratic.diagonal() > 0)

    def with_sets(self, sets: NumberSets) -> Self:
        other = replace(self, sets=sets)
        if "quadratic" in self.__dict__:
            other.__dict__["quadratic"] = self.__dict__["quadratic"]
        return other
