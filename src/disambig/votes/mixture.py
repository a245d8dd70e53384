"""A weighted sum of several votes of the same shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.blocks import row_blocks, strongest_by_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.protocol import Votes
from disambig.votes.sparse import SparseVotes


@dataclass(frozen=True, eq=False)
class MixtureVotes:
    """``alpha = sum_k shares[k] * parts[k]``; products are computed part by part.

    Parameters
    ----------
    parts : tuple of Votes, all of the same shape (q, n)
    shares : tuple of float
        Not negative.

    Examples
    --------
    >>> import numpy as np
    >>> near = DenseVotes(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> far = DenseVotes(np.array([[0.5, 0.5], [0.5, 0.5]]))
    >>> MixtureVotes((near, far), (0.8, 0.2)) @ np.array([1.0, 0.0])
    array([0.9, 0.1])
    """

    parts: tuple[Votes, ...]
    shares: tuple[float, ...]

    entries = None
    compressed = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape

    @property
    def is_nonnegative(self) -> bool:
        return all(part.is_nonnegative for part in self.parts)

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part in self.parts)

    @property
    def absolute_sums_are_bounds(self) -> bool:
        return all(part.absolute_sums_are_bounds for part in self.parts)

    @property
    def T(self) -> "MixtureVotes":
        return MixtureVotes(tuple(part.T for part in self.parts), self.shares)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        return self._sum(lambda part: part @ values)

    def row_sums(self) -> FloatArray:
        return self._sum(lambda part: part.row_sums())

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # An upper bound: parts of opposite signs can cancel.
        return self._sum(lambda part: part.absolute_row_sums(scales))

    def diagonal(self) -> FloatArray:
        return self._sum(lambda part: part.diagonal())

    def split(self) -> tuple[Votes, Votes]:
        """Forms the sum, whose entries the signs are about."""
        blocks = [block for _, block in row_blocks(self)]
        if blocks and all(sp.issparse(block) for block in blocks):
            return SparseVotes(sp.csr_array(sp.vstack(blocks, format="csr"))).split()
        q, n = self.shape
        require_bytes(
            24.0 * q * n,
            f"The sign of each vote needs the {q} x {n} votes as an array, which",
            "Predict fewer queries at a time, or use sparse votes (NeighborWeights).",
        )
        return DenseVotes(np.concatenate([np.zeros((0, n)), *blocks])).split()

    def rows(self, start: int, stop: int) -> Any:
        blocks = [part.rows(start, stop) for part in self.parts]
        if not all(sp.issparse(block) for block in blocks):
            blocks = [b.toarray() if sp.issparse(b) else b for b in blocks]
        scaled = [share * block for share, block in zip(self.shares, blocks, strict=True)]
        return reduce(lambda one, other: one + other, scaled)

    def scale_rows(self, factors: FloatArray) -> "MixtureVotes":
        return MixtureVotes(tuple(part.scale_rows(factors) for part in self.parts), self.shares)

    def without_own(self) -> "MixtureVotes | None":
        found = [part.without_own() for part in self.parts]
        parts = tuple(part for part in found if part is not None)
        return MixtureVotes(parts, self.shares) if len(parts) == len(found) else None

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        found = [part.column_entries(columns) for part in self.parts]
        values = [share * part[2] for share, part in zip(self.shares, found, strict=True)]
        places = (
            np.concatenate([part[0] for part in found]),
            np.concatenate([part[1] for part in found]),
        )
        # Entries of several parts at one place are summed.
        shape = (self.shape[0], len(columns))
        table = sp.coo_array((np.concatenate(values), places), shape=shape).tocsc()
        table.eliminate_zeros()
        table = table.tocoo()
        return table.row.astype(np.intp), table.col.astype(np.intp), table.data

    def links(self, rows: IntArray) -> Any:
        found = [part.links(rows) for part in self.parts]
        if any(part is None for part in found):
            return None
        # Absolute values: links of opposite signs must not cancel.
        return reduce(lambda one, other: one + other, [abs(sp.csr_array(part)) for part in found])

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)

    def _sum(self, compute: Callable[[Votes], FloatArray]) -> FloatArray:
        terms = [share * compute(part) for share, part in zip(self.shares, self.parts, strict=True)]
        total: FloatArray = reduce(np.add, terms)
        return total


def mixture_of(parts: Sequence[Votes], shares: Sequence[float]) -> Votes:
    """``sum_k shares[k] * parts[k]``; parts whose entries are known are added up.

    A product then takes no longer than with a single part.

    Examples
    --------
    >>> import numpy as np
    >>> near = DenseVotes(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> far = DenseVotes(np.array([[0.5, 0.5], [0.5, 0.5]]))
    >>> mixture_of([near, far], [0.8, 0.2]).rows(0, 2)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    pairs = list(zip(parts, shares, strict=True))
    known = [(part.entries, share) for part, share in pairs if part.entries is not None]
    rest = [(part, share) for part, share in pairs if part.entries is None]
    if known:
        scaled = [share * entries for entries, share in known]
        if not all(sp.issparse(one) for one in scaled):
            scaled = [one.toarray() if sp.issparse(one) else one for one in scaled]
        total = reduce(lambda one, other: one + other, scaled)
        added: Votes = SparseVotes(sp.csr_array(total)) if sp.issparse(total) else DenseVotes(total)
        if not rest:
            return added
        rest.append((added, 1.0))
    return MixtureVotes(tuple(part for part, _ in rest), tuple(share for _, share in rest))
