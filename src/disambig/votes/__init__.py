"""Votes: the matrix ``alpha`` of a weighting, as an operator.

Dense, sparse, a product of factors, by the leaves of trees, through a linear system, mixtures, or
an operator of the user. The contract is `Votes`; `as_votes` wraps arrays and matrices.
"""

from disambig.votes.coercion import as_votes
from disambig.votes.protocol import Votes

__all__ = [
    "Votes",
    "as_votes",
]
