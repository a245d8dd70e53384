"""WHO IS HEARD: ``alpha`` as an operator, dense, sparse, factored, by leaves, or the user's own."""

from disambig.votes.blocks import row_blocks
from disambig.votes.coercion import as_votes
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes
from disambig.votes.iterated import IteratedVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.partition import PartitionVotes
from disambig.votes.product import ProductVotes
from disambig.votes.protocol import Votes
from disambig.votes.running import RunningProduct
from disambig.votes.solved import SolvedVotes
from disambig.votes.sparse import SparseVotes

__all__ = [
    "DeletedVotes",
    "DenseVotes",
    "IteratedVotes",
    "OperatorVotes",
    "PartitionVotes",
    "ProductVotes",
    "RunningProduct",
    "SolvedVotes",
    "SparseVotes",
    "Votes",
    "as_votes",
    "row_blocks",
]
