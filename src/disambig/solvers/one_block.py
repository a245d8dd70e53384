"""Annealing in one block: rows listen to each other, never to themselves."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from disambig.losses.embeddings import Embedding
from disambig.losses.soft_faces import SoftFaces
from disambig.notation import FloatArray
from disambig.problem import Problem, inner
from disambig.solvers.gibbs import gibbs, relative_entropies

__all__ = ["OneBlock", "OneBlockState"]

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
    targets : SoftFaces
    heard : float array (n, K)
        ``S q L``: the expected loss of every class by the votes of the other rows, times their
        mass.
    objective : float
        ``J_T``.
    moved : float
        The largest change of a probability in the step that led here.
    """

    targets: SoftFaces
    heard: FloatArray
    objective: float
    moved: float

    @property
    def undecided(self) -> int:
        """Rows in which several classes have the most."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class OneBlock:
    """``J_T = 1/2 sum_ij S_ij q_i' L q_j + T sum_i d_i KL(q_i | base_i)``, which never rises.

    S is the symmetric part of the votes without its diagonal, L a symmetric loss and ``d = S 1``.
    The energy falls towards the laws that the others' votes call for; all rows move at once, and
    as far as the energy falls: a full step of all rows can raise it, half of one that still raises
    it is halved again, and some part of it always lowers it, as the entropies are convex and the
    step descends.

    For kernel ridge votes ``S q / d`` is the leave-one-out prediction.

    Parameters
    ----------
    problem : Problem
        Its loss is a `FiniteLoss` with a symmetric matrix.
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

    def begin(self, law: FloatArray) -> OneBlockState:
        """The state of given laws."""
        targets = SoftFaces(law, self.embedding)
        heard = self._listen(targets.embedded)
        return OneBlockState(targets, heard, self._energy(law, heard), np.inf)

    def step(self, state: OneBlockState) -> OneBlockState:
        """Towards the laws that the others call for."""
        law = state.targets.distribution
        wanted = gibbs(state.heard, self.temperature * self.masses, self.base)
        direction = wanted - law
        change = self._listen(self.embedding.embed(direction))
        part = 1.0
        while part >= _SHORTEST:
            nearer, heard = law + part * direction, state.heard + part * change
            energy = self._energy(nearer, heard)
            if energy <= state.objective:
                moved = part * float(np.abs(direction).max(initial=0.0))
                targets = SoftFaces(nearer, self.embedding)
                return OneBlockState(targets, heard, energy, moved)
            part /= 2
        return OneBlockState(state.targets, state.heard, state.objective, 0.0)

    def has_converged(self, before: OneBlockState, after: OneBlockState) -> bool:
        """Did no probability move?"""
        return after.moved <= self.tol

    def _listen(self, embedded: FloatArray) -> FloatArray:
        votes, transposed = self.problem.votes, self.problem.transposed
        heard: FloatArray = (votes @ embedded + transposed @ embedded) / 2 - self._own * embedded
        return heard

    def _energy(self, law: FloatArray, heard: FloatArray) -> float:
        spread = float(self.masses @ relative_entropies(law, self.base))
        return inner(law, heard) / 2 + self.temperature * spread
