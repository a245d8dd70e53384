"""Our side of the regression problem, all seeds of a ridge in one call."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.notation import FloatArray, IntArray
from reproduce.batch.numbers import JointRegression, regress_together, voted_forms

__all__ = ["VoteStack"]

_REPEATS = 20


@dataclass(frozen=True, eq=False)
class VoteStack:
    """Several problems at one ridge.

    Attributes
    ----------
    votes, summing, risk_forms : float array (problems, n, n)
        Votes as they are, votes that sum to one, and the forms of the empirical risk.
    sets : sequence of Intervals
    """

    votes: FloatArray
    summing: FloatArray
    risk_forms: FloatArray
    sets: Sequence[Intervals]

    def solved(self, name: str) -> tuple[JointRegression, IntArray]:
        """The optima of a program, from the votes on, and the problems that they are of."""
        if name == "votes":
            forms, convex = voted_forms(self.summing)
            claimed = np.flatnonzero(convex)
            sets = [self.sets[t] for t in claimed]
            return regress_together(forms[claimed], sets, known_convex=True), claimed
        everyone = np.arange(len(self.sets))
        if name == "risk":
            # Positive definite by construction, as for one problem.
            return regress_together(self.risk_forms, self.sets, known_convex=True), everyone
        square = self.votes @ self.votes
        forms = np.eye(square.shape[1]) - (square + square.transpose(0, 2, 1)) / 2
        return regress_together(forms, self.sets), everyone

    def seconds(self, name: str) -> float:
        """CPU seconds of all problems, the mean of several runs."""
        begun = time.process_time()
        for _ in range(_REPEATS):
            self.solved(name)
        return (time.process_time() - begun) / _REPEATS
