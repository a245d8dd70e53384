"""The two annealed objectives at a temperature, each as a `Process` of the loop.

Targets are distributions ``q_i`` on the candidates of each row. `OneBlock` minimises a quadratic
energy over them: each row receives the votes of the other rows, never its own; of a row with sample
weight w each of the w copies leaves its own vote out. `TwoBlocks`
minimises the paper's objective with distributions of predictions ``p_i`` as well. Relative
entropies to the prior, times the temperature, keep the distributions soft; a `ClassBalance` adds
that of the class shares. Neither objective ever rises.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from disambig.losses.labels.soft import SoftFaces
from disambig.losses.softening import Softening, SoftTargets
from disambig.notation import FloatArray
from disambig.problem import Problem, inner
from disambig.solvers.annealing.balance import ClassBalance

# Lower bound on the degree of a row, relative to the sum of its absolute votes. Signed votes that
# nearly cancel would otherwise give a tiny degree, and the distribution would be far too sharp.
_MIN_DEGREE_RATIO = 0.02
# If the absolute votes of the other rows are below this part of a row's own vote, they are
# rounding, and the row counts as one without votes of others.
_ROUNDING_RATIO = 1e-12
# A shorter step gains less than rounding.
_MIN_STEP_SIZE = 2.0**-20


@dataclass(frozen=True, eq=False)
class OneBlockState:
    """Distributions of the targets, their scores, and the energy.

    Parameters
    ----------
    targets : SoftTargets
    scores : float array (n, p)
        ``S xi``: the mean targets of the other rows, weighted by their votes. Row i gives the
        expected loss of every output at row i, times the sum of the votes.
    objective : float
        ``J_T``.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftTargets
    scores: FloatArray
    objective: float
    moved: float

    @cached_property
    def undecided(self) -> int:
        """The number of rows in which several outputs are most likely."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class OneBlock:
    """``J_T = 1/2 sum_ij S_ij loss(q_i, q_j) + T sum_i d_i KL(q_i | prior_i)``, which never rises.

    S is the symmetric part of the votes without its diagonal, ``d = S 1`` are the degrees, the loss
    is symmetric, and its value at distributions is the expected one.

    A row of sample weight w is w copies, which vote for each other. Each of the ``w^2`` pairs of
    them has the same part of ``A_ii``, and w pairs are a copy with itself: ``A_ii / w`` is left
    out, and the energy is that of the copies. A row of weight below one has no copies, and its
    whole vote is left out.

    A step moves all rows at once towards the distributions that minimise the energy for the scores
    of the other rows. A full step can raise the energy; the step size is then halved until the
    energy does not rise. Some step size always works, because the direction is one of descent and
    the entropies are convex. (If the entropy of a mixture of two distributions cannot be computed,
    its upper bound by convexity takes its place; the argument still holds.)

    For kernel ridge votes ``S xi / d`` is the leave-one-out prediction.

    Parameters
    ----------
    problem : Problem
    softening : Softening
        Of its loss, which is symmetric, on its candidates.
    temperature : float
    tol : float
        Converged when no probability changes by more.
    balance : ClassBalance or None
        Of labels: class shares that the distributions are held near, at a cost in the objective.
    """

    problem: Problem
    softening: Softening
    temperature: float
    tol: float
    balance: ClassBalance | None = None

    @cached_property
    def _own_votes(self) -> FloatArray:
        """The votes of copies for themselves, summed over the copies of each row, ``(n, 1)``."""
        diagonal, copies = self.problem.votes.diagonal(), self.problem.sample_weight
        own: FloatArray = diagonal if copies is None else diagonal / np.maximum(copies, 1.0)
        return own[:, None]

    @cached_property
    def degrees(self) -> FloatArray:
        """``d``, positive wherever another row votes, ``(n,)``; see `_without_zeros`."""
        own = self._own_votes[:, 0]
        votes, transposed = self.problem.votes, self.problem.transposed
        sums = (votes.row_sums() + transposed.row_sums()) / 2 - own
        sizes = (votes.absolute_row_sums() + transposed.absolute_row_sums()) / 2 - np.abs(own)
        has_votes = sizes > _ROUNDING_RATIO * np.abs(own)
        degrees = np.where(has_votes, np.maximum(sums, _MIN_DEGREE_RATIO * sizes), 0.0)
        return _without_zeros(self.problem, degrees)

    def at_temperature(self, temperature: float) -> "OneBlock":
        """The same process at another temperature."""
        other = replace(self, temperature=temperature)
        # What is cached does not depend on the temperature.
        other.__dict__["degrees"] = self.degrees
        other.__dict__["_own_votes"] = self._own_votes
        return other

    def begin(self, targets: SoftTargets) -> OneBlockState:
        """The state of given distributions."""
        scores = self._scores_of_others(targets.embedded)
        return OneBlockState(targets, scores, self._energy(targets, scores), np.inf)

    def targets_for(self, embedded: FloatArray) -> SoftTargets:
        """The best distributions for mean targets ``(n, p)`` of the other rows."""
        return self._best_targets(self._scores_of_others(embedded))

    def resume(self, state: OneBlockState) -> OneBlockState:
        """A state from another temperature; its scores stay valid, its energy changes."""
        targets, scores = state.targets, state.scores
        return OneBlockState(targets, scores, self._energy(targets, scores), np.inf)

    def step(self, state: OneBlockState) -> OneBlockState:
        """Move towards the best distributions for the scores, by a step that does not raise J_T."""
        best = self._best_targets(state.scores)
        change = self._scores_of_others(state.targets.direction_to(best))
        step_size = 1.0
        while step_size >= _MIN_STEP_SIZE:
            targets = state.targets.interpolate(best, step_size)
            scores = state.scores + step_size * change
            energy = self._energy(targets, scores)
            if energy <= state.objective:
                moved = step_size * state.targets.distance(best)
                return OneBlockState(targets, scores, energy, moved)
            step_size /= 2
        return OneBlockState(state.targets, state.scores, state.objective, 0.0)

    def has_converged(self, before: OneBlockState, after: OneBlockState) -> bool:
        """Did every probability change by at most `tol`?"""
        return after.moved <= self.tol

    def _scores_of_others(self, embedded: FloatArray) -> FloatArray:
        """``S @ embedded``: the symmetric product without each row's own vote, ``(n, p)``."""
        votes, transposed = self.problem.votes, self.problem.transposed
        scores = votes @ embedded
        if transposed is not votes:
            scores = (scores + transposed @ embedded) / 2
        without_own: FloatArray = scores - self._own_votes * embedded
        return without_own

    def _best_targets(self, scores: FloatArray) -> SoftTargets:
        scales = self.temperature * self.degrees
        return _held(self.balance, self.softening.targets_as_predictions(scores, scales), scales)

    def _energy(self, targets: SoftTargets, scores: FloatArray) -> float:
        divergence = float(self.degrees @ targets.divergences)
        divergence += _share_divergence(self.balance, targets, self.degrees)
        return inner(targets.as_predictions, scores) / 2 + self.temperature * divergence


@dataclass(frozen=True, eq=False)
class TwoBlocksState:
    """Distributions of the targets, and the objective there.

    Parameters
    ----------
    targets : SoftTargets
    objective : float
        ``G_T`` at these targets, with the best predictions for the targets of the step before.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftTargets
    objective: float
    moved: float

    @cached_property
    def undecided(self) -> int:
        """The number of rows in which several outputs are most likely."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class TwoBlocks:
    """``G_T = sum A_ij loss(p_i, q_j) + T sum r_i KL(p_i | u) + T sum d_j KL(q_j | prior_j)``.

    Here ``r = |A| 1`` and ``d = |A|' 1``, u is the uniform distribution on all predictions, and the
    loss at distributions is the expected one. Each half step is the exact minimum over its block,
    for votes of any sign and any loss, so that the objective never rises. At temperature zero it is
    the paper's step, with barycentres where several vertices tie.

    Parameters
    ----------
    problem : Problem
    softening : Softening
        Of its loss on its candidates.
    temperature : float
    tol : float
        Converged when no probability changes by more.
    balance : ClassBalance or None
        Of labels: class shares that the distributions are held near, at a cost in the objective.
    """

    problem: Problem
    softening: Softening
    temperature: float
    tol: float
    balance: ClassBalance | None = None

    def at_temperature(self, temperature: float) -> "TwoBlocks":
        """The same process at another temperature."""
        other = replace(self, temperature=temperature)
        # What is cached does not depend on the temperature.
        other.__dict__["_absolute_sums"] = self._absolute_sums
        return other

    @cached_property
    def _absolute_sums(self) -> tuple[FloatArray, FloatArray]:
        """``r`` and ``d``."""
        votes, transposed = self.problem.votes, self.problem.transposed
        sums = transposed.absolute_row_sums()
        return votes.absolute_row_sums(), _without_zeros(self.problem, sums)

    def begin(self, targets: SoftTargets) -> TwoBlocksState:
        """The state of given distributions."""
        scores, entropy = self._best_predictions(targets.embedded)
        return TwoBlocksState(targets, self._objective(targets, scores, entropy), np.inf)

    def targets_for(self, embedded: FloatArray) -> SoftTargets:
        """The best distributions for the predictions that suit mean targets ``(n, p)``."""
        return self._best_targets(self._best_predictions(embedded)[0])

    def resume(self, state: TwoBlocksState) -> TwoBlocksState:
        """A state from another temperature."""
        return self.begin(state.targets)

    def step(self, state: TwoBlocksState) -> TwoBlocksState:
        """One prediction step, then one target step."""
        scores, entropy = self._best_predictions(state.targets.embedded)
        targets = self._best_targets(scores)
        moved = state.targets.distance(targets)
        return TwoBlocksState(targets, self._objective(targets, scores, entropy), moved)

    def has_converged(self, before: TwoBlocksState, after: TwoBlocksState) -> bool:
        """Did every probability change by at most `tol`?"""
        return after.moved <= self.tol

    def _best_predictions(self, embedded: FloatArray) -> tuple[FloatArray, float]:
        """Scores of the targets under the best predictions, and the entropy term of the latter."""
        scores = self.problem.scores_of_predictions(embedded)
        best = self.softening.predictions(scores, self.temperature * self._absolute_sums[0])
        entropy = self.temperature * float(self._absolute_sums[0] @ best.divergences)
        return self.problem.scores_of_targets(best.embedded), entropy

    def _best_targets(self, scores: FloatArray) -> SoftTargets:
        scales = self.temperature * self._absolute_sums[1]
        return _held(self.balance, self.softening.targets(scores, scales), scales)

    def _objective(self, targets: SoftTargets, scores: FloatArray, entropy: float) -> float:
        divergence = float(self._absolute_sums[1] @ targets.divergences)
        divergence += _share_divergence(self.balance, targets, self._absolute_sums[1])
        return inner(targets.embedded, scores) + entropy + self.temperature * divergence


def _without_zeros(problem: Problem, degrees: FloatArray) -> FloatArray:
    """Degrees; with class counts, the mean degree for rows without votes.

    Alone, a row without votes keeps its prior. With class counts it could take whatever class the
    others leave, at no cost; its relative entropy then counts as much as that of a mean row.
    """
    if not problem.candidates.couples_rows:
        return degrees
    positive = degrees > 0
    mean = float(degrees[positive].mean()) if positive.any() else 1.0
    return np.where(positive, degrees, mean)


def _held(balance: ClassBalance | None, targets: SoftTargets, degrees: FloatArray) -> SoftTargets:
    """The targets with class shares near those of the balance, which only labels have."""
    return targets if balance is None else balance.held(cast(SoftFaces, targets), degrees)


def _share_divergence(
    balance: ClassBalance | None, targets: SoftTargets, degrees: FloatArray
) -> float:
    """What the class shares add to the divergences."""
    return 0.0 if balance is None else balance.penalty(cast(SoftFaces, targets), degrees)
