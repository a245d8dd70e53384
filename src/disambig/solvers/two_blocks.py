"""Annealing in two blocks: the paper's objective at a temperature."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from disambig.losses.softening import Softening, SoftTargets
from disambig.notation import FloatArray
from disambig.problem import Problem, inner

__all__ = ["TwoBlocks", "TwoBlocksState"]


@dataclass(frozen=True, eq=False)
class TwoBlocksState:
    """Laws of the targets, and the objective at the predictions that answered the last ones.

    Parameters
    ----------
    targets : SoftTargets
    objective : float
        ``G_T``.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftTargets
    objective: float
    moved: float

    @cached_property
    def undecided(self) -> int:
        """Rows in which several outputs have the most."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class TwoBlocks:
    """``G_T = sum A_ij loss(p_i, q_j) + T sum r_i KL(p_i | u) + T sum d_j KL(q_j | base_j)``.

    With ``r = |A| 1`` and ``d = |A|' 1``, and the expected loss at laws. Each half step is the
    exact minimum over its block, for votes of any sign and any loss, so that the objective never
    rises. At temperature zero it is the paper's step, with barycentres where several vertices tie.

    Parameters
    ----------
    problem : Problem
    softening : Softening
        Of its loss on its candidates.
    temperature : float
    tol : float
        Converged when no probability moves by more.
    """

    problem: Problem
    softening: Softening
    temperature: float
    tol: float

    def cooled(self, temperature: float) -> "TwoBlocks":
        """The same at another temperature."""
        other = replace(self, temperature=temperature)
        other.__dict__["_sizes"] = self._sizes
        return other

    @cached_property
    def _sizes(self) -> tuple[FloatArray, FloatArray]:
        votes, transposed = self.problem.votes, self.problem.transposed
        return votes.absolute_row_sums(), transposed.absolute_row_sums()

    def begin(self, targets: SoftTargets) -> TwoBlocksState:
        """The state of given laws."""
        scores, value = self._answered(targets)
        return TwoBlocksState(targets, self._objective(targets, scores, value), np.inf)

    def go_on(self, state: TwoBlocksState) -> TwoBlocksState:
        """A state of another temperature at this one."""
        return self.begin(state.targets)

    def step(self, state: TwoBlocksState) -> TwoBlocksState:
        """One prediction step, then one target step."""
        scores, value = self._answered(state.targets)
        targets = self.softening.targets(scores, self.temperature * self._sizes[1])
        moved = state.targets.distance(targets)
        return TwoBlocksState(targets, self._objective(targets, scores, value), moved)

    def has_converged(self, before: TwoBlocksState, after: TwoBlocksState) -> bool:
        """Did no probability move?"""
        return after.moved <= self.tol

    def _answered(self, targets: SoftTargets) -> tuple[FloatArray, float]:
        """What the best predictions say of the targets, and what their entropy costs."""
        scores = self.problem.scores_of_predictions(targets.embedded)
        best = self.softening.predictions(scores, self.temperature * self._sizes[0])
        value = self.temperature * float(self._sizes[0] @ best.divergences)
        return self.problem.scores_of_targets(best.embedded), value

    def _objective(self, targets: SoftTargets, scores: FloatArray, value: float) -> float:
        spread = float(self._sizes[1] @ targets.divergences)
        return inner(targets.embedded, scores) + value + self.temperature * spread
