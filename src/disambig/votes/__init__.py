"""Votes: the matrix ``alpha`` of a weighting, as an operator.

Dense, sparse, a product of factors, by the leaves of trees, through a linear system, mixtures, or
an operator of the user. The contract is `Votes`; `as_votes` wraps arrays and matrices.
"""

from disambig.votes.blocks import entry_blocks, row_blocks
from disambig.votes.coercion import as_votes
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes
from disambig.votes.iterated import IteratedVotes
from disambig.votes.mixture import MixtureVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.partition import PartitionVotes
from disambig.votes.product import ProductVotes
from disambig.votes.protocol import Votes
from disambig.votes.repeated import RepeatedVotes
from disambig.votes.solved import SolvedVotes
from disambig.votes.sparse import SparseVotes

__all__ = [
    "DeletedVotes",
    "DenseVotes",
    "IteratedVotes",
    "MixtureVotes",
    "OperatorVotes",
    "PartitionVotes",
    "ProductVotes",
    "RepeatedVotes",
    "SolvedVotes",
    "SparseVotes",
    "Votes",
    "as_votes",
    "entry_blocks",
    "row_blocks",
]
