"""Annealing in one block: rows listen to each other, never to themselves.

Annealing in two blocks: the paper's objective at a temperature.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from disambig.losses.softening import Softening, SoftTargets
from disambig.notation import FloatArray
from disambig.problem import Problem, inner

# A row whose votes nearly cancel would be heard at an enormous pitch: its mass is held above this
# part of the sum of their absolute values.
_LEAST_MASS = 0.02
# What is left of the votes of a row without its own is rounding below this part of its own: then
# nobody else is heard there.
_ROUNDING = 1e-12
# A shorter step than this gains nothing that rounding would not hide.
_SHORTEST = 2.0**-20


@dataclass(frozen=True, eq=False)
class OneBlockState:
    """Laws of the targets, what the others say about them, and the energy.

    Parameters
    ----------
    targets : SoftTargets
    heard : float array (n, p)
        ``S xi``: the mean targets of the other rows by their votes, which say what every output
        is expected to lose, times the mass of the votes.
    objective : float
        ``J_T``.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftTargets
    heard: FloatArray
    objective: float
    moved: float

    @cached_property
    def undecided(self) -> int:
        """Rows in which several outputs have the most."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class OneBlock:
    """``J_T = 1/2 sum_ij S_ij loss(q_i, q_j) + T sum_i d_i KL(q_i | base_i)``, which never rises.

    S is the symmetric part of the votes without its diagonal, the loss is symmetric, its value at
    laws is the expected one, and ``d = S 1``. The energy falls towards the laws that the others'
    votes call for; all rows move at once, and as far as the energy falls: a full step of all rows
    can raise it, half of one that still raises it is halved again, and some part of it always
    lowers it, as the entropies are convex and the step descends. (Where the entropy of a mean of
    two laws is not to be had, its bound by convexity stands for it, and all of this holds.)

    For kernel ridge votes ``S xi / d`` is the leave-one-out prediction.

    Parameters
    ----------
    problem : Problem
    softening : Softening
        Of its loss, which is symmetric, on its candidates.
    temperature : float
    tol : float
        Converged when no probability moves by more.
    """

    problem: Problem
    softening: Softening
    temperature: float
    tol: float

    @cached_property
    def _own(self) -> FloatArray:
        return self.problem.votes.diagonal()[:, None]

    @cached_property
    def masses(self) -> FloatArray:
        """``d``, positive wherever anybody else votes, ``(n,)``."""
        own = self._own[:, 0]
        votes, transposed = self.problem.votes, self.problem.transposed
        sums = (votes.row_sums() + transposed.row_sums()) / 2 - own
        sizes = (votes.absolute_row_sums() + transposed.absolute_row_sums()) / 2 - np.abs(own)
        heard = sizes > _ROUNDING * np.abs(own)
        return np.where(heard, np.maximum(sums, _LEAST_MASS * sizes), 0.0)

    def cooled(self, temperature: float) -> "OneBlock":
        """The same at another temperature."""
        other = replace(self, temperature=temperature)
        other.__dict__["masses"] = self.masses
        other.__dict__["_own"] = self._own
        return other

    def begin(self, targets: SoftTargets) -> OneBlockState:
        """The state of given laws."""
        heard = self._listen(targets.embedded)
        return OneBlockState(targets, heard, self._energy(targets, heard), np.inf)

    def go_on(self, state: OneBlockState) -> OneBlockState:
        """A state of another temperature at this one; what was heard is the same."""
        targets, heard = state.targets, state.heard
        return OneBlockState(targets, heard, self._energy(targets, heard), np.inf)

    def step(self, state: OneBlockState) -> OneBlockState:
        """Towards the laws that the others call for."""
        wanted = self.softening.members(state.heard, self.temperature * self.masses)
        change = self._listen(state.targets.direction_to(wanted))
        part = 1.0
        while part >= _SHORTEST:
            nearer, heard = state.targets.interpolate(wanted, part), state.heard + part * change
            energy = self._energy(nearer, heard)
            if energy <= state.objective:
                moved = part * state.targets.distance(wanted)
                return OneBlockState(nearer, heard, energy, moved)
            part /= 2
        return OneBlockState(state.targets, state.heard, state.objective, 0.0)

    def has_converged(self, before: OneBlockState, after: OneBlockState) -> bool:
        """Did no probability move?"""
        return after.moved <= self.tol

    def _listen(self, embedded: FloatArray) -> FloatArray:
        votes, transposed = self.problem.votes, self.problem.transposed
        heard = votes @ embedded
        if transposed is not votes:
            heard = (heard + transposed @ embedded) / 2
        own_left_out: FloatArray = heard - self._own * embedded
        return own_left_out

    def _energy(self, targets: SoftTargets, heard: FloatArray) -> float:
        spread = float(self.masses @ targets.divergences)
        return inner(targets.as_predictions, heard) / 2 + self.temperature * spread


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
