"""Our solution of the regression problem for all seeds of a ridge in one call."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.notation import FloatArray, IntArray
from reproduce.batch.numbers import JointRegression, regress_together, voted_forms

__all__ = ["VoteStack"]

_N_REPEATS = 20


@dataclass(frozen=True, eq=False)
class VoteStack:
    """The votes and intervals of several problems at one ridge.

    Attributes
    ----------
    votes, normalized_votes, risk_forms : float array (problems, n, n)
        Votes as they are, votes that sum to one, and the forms of the empirical risk.
    sets : sequence of Intervals
    """

    votes: FloatArray
    normalized_votes: FloatArray
    risk_forms: FloatArray
    sets: Sequence[Intervals]

    def solved(self, name: str) -> tuple[JointRegression, IntArray]:
        """The optima of a program, computed from the votes, and the indices of their problems."""
        if name == "votes":
            forms, convex = voted_forms(self.normalized_votes)
            convex_problems = np.flatnonzero(convex)
            sets = [self.sets[t] for t in convex_problems]
            return regress_together(
                forms[convex_problems], sets, known_convex=True
            ), convex_problems
        all_problems = np.arange(len(self.sets))
        if name == "risk":
            # These forms are positive definite by construction.
            return regress_together(self.risk_forms, self.sets, known_convex=True), all_problems
        square = self.votes @ self.votes
        forms = np.eye(square.shape[1]) - (square + square.transpose(0, 2, 1)) / 2
        return regress_together(forms, self.sets), all_problems

    def seconds(self, name: str) -> float:
        """Mean CPU seconds of a call that solves all problems."""
        begun = time.process_time()
        for _ in range(_N_REPEATS):
            self.solved(name)
        return (time.process_time() - begun) / _N_REPEATS
