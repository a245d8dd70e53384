"""Real targets: ``alpha`` + a loss on the line + intervals, in the two forms of the problem.

The absolute and the pinball loss have no finite embedding, and where targets are real the optimum
is often within reach: a problem here offers its half steps, as `disambig.problem` does for finite
outputs, and beyond them the convex program that it is.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from disambig.candidates import NumberSets
from disambig.losses import NumberLoss, SquaredLoss
from disambig.notation import BoolArray, FloatArray
from disambig.quadratic_forms import QuadraticForm, has_negative, residual_form, voted_form
from disambig.votes import Votes


class NumberProblem(Protocol):
    """What a solver for real targets asks of a problem; targets and predictions are ``(n, d)``."""

    @property
    def loss(self) -> NumberLoss:
        """What is paid."""
        ...

    @property
    def sets(self) -> NumberSets:
        """What was observed."""
        ...

    @property
    def span(self) -> FloatArray:
        """The smallest and the largest finite end of every column, ``(d, 2)``."""
        ...

    def first_targets(self, start: str) -> FloatArray:
        """Targets to begin with: ``"average"`` or ``"infimum"``, inside their sets."""
        ...

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        """The predictions that suit the targets best; of several the nearest to `current`."""
        ...

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        """The candidates that suit the predictions best; of several the nearest to `current`."""
        ...

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        """What targets cost with the predictions that suit them best."""
        ...

    @property
    def quadratic(self) -> QuadraticForm | None:
        """``Q`` with objective ``y' Q y``, or None: not a quadratic function of the targets."""
        ...

    @property
    def is_convex(self) -> bool:
        """Is the objective convex in the targets, so that a local optimum is a global one?"""
        ...

    @property
    def has_votes(self) -> BoolArray:
        """Rows whose target makes a difference, ``(n,)``; any other could be any number."""
        ...

    def with_sets(self, sets: NumberSets) -> Self:
        """The same problem with other sets, on the same span."""
        ...


@dataclass(frozen=True, eq=False)
class VotedProblem:
    """The paper's objective: ``sum_ij A[i, j] loss(z_i, y_j)`` over targets y and predictions z.

    Parameters
    ----------
    votes : Votes (n, n)
    loss : NumberLoss
    sets : NumberSets
    span : float array (d, 2)
        Where outputs lie: the paper assumes that they are bounded, and votes of either sign can
        send them to infinity. Where the problem is convex nothing needs to be held back.
    """

    votes: Votes
    loss: NumberLoss
    sets: NumberSets
    span: FloatArray

    @cached_property
    def transposed(self) -> Votes:
        """``A.T``, asked for once."""
        return self.votes.T

    @cached_property
    def _held(self) -> NumberSets:
        # Each half step may have a lowest point and both together none: targets and predictions
        # would drive each other away for ever.
        return self.sets if self.is_convex else self.sets.within(self.span)

    def first_targets(self, start: str) -> FloatArray:
        if start == "infimum":
            first = self.loss.infimum_prediction(self.votes, self.sets, self.span)
        else:
            first = self.loss.average_prediction(self.votes, self.sets, self.span)
        return self.targets(first)

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.loss.best_prediction(self.votes, targets, self.span, current)

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.loss.best_target(self.transposed, predictions, self._held, self.span, current)

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        return self.loss.total(self.votes, predictions, targets)

    @cached_property
    def quadratic(self) -> QuadraticForm | None:
        return voted_form(self.votes) if isinstance(self.loss, SquaredLoss) else None

    @cached_property
    def is_convex(self) -> bool:
        if isinstance(self.loss, SquaredLoss):
            return self.quadratic is not None and self.quadratic.is_convex
        # A sum of convex functions of (z_i, y_j), and so is its minimum over z.
        return not has_negative(self.votes)

    @property
    def has_votes(self) -> BoolArray:
        own = np.abs(self.votes.diagonal())
        by_others = self.transposed.absolute_row_sums() > own
        # Who listens to nobody else agrees with any target of its own.
        beside_others = self.votes.absolute_row_sums() > own
        return np.asarray(by_others | ((own > 0) & beside_others))

    def with_sets(self, sets: NumberSets) -> Self:
        # `replace` forgets what was computed; votes and their form are the same.
        other = replace(self, sets=sets)
        for name in ("transposed", "quadratic", "is_convex"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other


@dataclass(frozen=True, eq=False)
class RiskProblem:
    """The empirical risk: ``min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2`` over targets y.

    With the minimiser f of kernel ridge regression this is ``y' R y``, always convex. Minimised
    over y first, it is kernel ridge regression on the squared distances to the sets: in this form
    disambiguation and the infimum loss are one method.

    Parameters
    ----------
    votes : Votes (n, n)
        Those of kernel ridge: ``votes @ y`` is f at the training rows.
    form : float array or Votes (n, n)
        ``R``.
    shift_invariant : bool
        Has f an intercept that costs nothing?
    sets : NumberSets
    span : float array (d, 2)
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

    def first_targets(self, start: str) -> FloatArray:
        if start == "infimum":
            return self.targets(self.loss.infimum_prediction(self.votes, self.sets, self.span))
        centers = self.sets.centers
        # A row that says nothing begins in the middle of the others.
        known = np.isfinite(centers)
        total = np.where(known, centers, 0.0).sum(axis=0)
        middle = total / np.maximum(known.sum(axis=0), 1)
        return self.sets.nearest(np.where(known, centers, middle))

    def predictions(self, targets: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.votes @ targets

    def targets(self, predictions: FloatArray, current: FloatArray | None = None) -> FloatArray:
        return self.sets.nearest(predictions)

    def objective(self, targets: FloatArray, predictions: FloatArray) -> float:
        # A constant that costs nothing would cost digits.
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
        # With an intercept a single row costs nothing wherever it is.
        return np.asarray(self.quadratic.diagonal() > 0)

    def with_sets(self, sets: NumberSets) -> Self:
        other = replace(self, sets=sets)
        if "quadratic" in self.__dict__:
            other.__dict__["quadratic"] = self.__dict__["quadratic"]
        return other
