"""Annealing in two blocks: the paper's objective at a temperature."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from disambig.losses.embeddings import Embedding
from disambig.losses.soft_faces import SoftFaces
from disambig.notation import FloatArray
from disambig.problem import Problem, inner
from disambig.solvers.gibbs import gibbs, relative_entropies

__all__ = ["TwoBlocks", "TwoBlocksState"]


@dataclass(frozen=True, eq=False)
class TwoBlocksState:
    """Laws of the targets, and the objective at the predictions that answered the last ones.

    Parameters
    ----------
    targets : SoftFaces
    objective : float
        ``G_T``.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftFaces
    objective: float
    moved: float

    @property
    def undecided(self) -> int:
        """Rows in which several classes have the most."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class TwoBlocks:
    """``G_T = sum A_ij p_i' L q_j + T sum r_i KL(p_i | u) + T sum d_j KL(q_j | base_j)``.

    With ``r = |A| 1`` and ``d = |A|' 1``. Each half step is the exact minimum over its block, for
    votes of any sign and any finite loss, so that the objective never rises. At temperature zero
    it is the paper's step, with barycentres where several vertices tie.

    Parameters
    ----------
    problem : Problem
        Its loss is a `FiniteLoss`.
    embedding : Embedding
        Where the classes lie.
    base : float array (n, K)
        The law of each row at infinite temperature; zero outside of its set.
    temperature : float
    tol : float
        Converged when no probability moves by more.
    """

    problem: Problem
    embedding: Embedding
    base: FloatArray
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

    def begin(self, law: FloatArray) -> TwoBlocksState:
        """The state of given laws."""
        targets = SoftFaces(law, self.embedding)
        predictions, value = self._predictions(targets)
        scores = self.problem.scores_of_targets(predictions)
        spread = float(self._sizes[1] @ relative_entropies(law, self.base))
        objective = inner(targets.embedded, scores) + value + self.temperature * spread
        return TwoBlocksState(targets, objective, np.inf)

    def step(self, state: TwoBlocksState) -> TwoBlocksState:
        """One prediction step, then one target step."""
        predictions, value = self._predictions(state.targets)
        scores = self.problem.scores_of_targets(predictions)
        law = gibbs(self.embedding.costs(scores), self.temperature * self._sizes[1], self.base)
        targets = SoftFaces(law, self.embedding)
        spread = float(self._sizes[1] @ relative_entropies(law, self.base))
        objective = inner(targets.embedded, scores) + value + self.temperature * spread
        moved = float(np.abs(law - state.targets.distribution).max(initial=0.0))
        return TwoBlocksState(targets, objective, moved)

    def has_converged(self, before: TwoBlocksState, after: TwoBlocksState) -> bool:
        """Did no probability move?"""
        return after.moved <= self.tol

    def _predictions(self, targets: SoftFaces) -> tuple[FloatArray, float]:
        """Laws of the predictions ``(n, P)``, and what their entropy costs."""
        scores = self.problem.scores_of_predictions(targets.embedded)
        uniform = np.full(scores.shape, 1.0 / scores.shape[1])
        law = gibbs(scores, self.temperature * self._sizes[0], uniform)
        spread = float(self._sizes[0] @ relative_entropies(law, uniform))
        return law, self.temperature * spread
