"""Votes of kernels of compact support for rows in parts: each part is searched by each other one.

Entries are those in memory, bit for bit: a distance depends on its two rows alone, the columns of
the parts are joined in their order, and the sum of a row is taken over all of its entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, FloatArray
from disambig.votes.entries import normalize_rows, remove_diagonal
from disambig.votes.row_block import RowBlock
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.weights.divided.neighbors import with_transpose
from disambig.weights.divided.rows import DividedRows
from disambig.weights.inputs import scale_columns
from disambig.weights.kernels.compact import near_similarities
from disambig.weights.kernels.similarity import Similarity
from disambig.weights.neighbors.euclidean import EuclideanIndex

_NAME = "NadarayaWatsonWeights"


class WeightedRows(NamedTuple):
    """The rows of one part, indexed, and their sample weights; None for no rows, or for ones."""

    near: EuclideanIndex | None
    sample_weight: FloatArray | None


@dataclass(frozen=True, eq=False)
class DividedKernel:
    """A kernel of compact support on rows in parts.

    Parameters
    ----------
    rows : DividedRows
    indices : sequence
        Blocks that the executor turns into `WeightedRows`.
    similarity : Similarity
    normalize : bool
    """

    rows: DividedRows
    indices: Sequence[Any]
    similarity: Similarity
    normalize: bool

    @classmethod
    def build(
        cls, rows: DividedRows, sample_weight: FloatArray, similarity: Similarity, normalize: bool
    ) -> "DividedKernel":
        """Index all parts.

        Parameters
        ----------
        rows : DividedRows
        sample_weight : float64, (n,)
        similarity : Similarity
        normalize : bool
        """
        own = rows.slices(sample_weight)
        plain = bool((sample_weight == 1).all())
        indices = tuple(
            rows.executor.submit(_indexed, part, None if plain else own[b])
            for b, part in enumerate(rows.parts)
        )
        return cls(rows, indices, similarity, normalize)

    def training_votes(self, leave_one_out: bool) -> RowBlocks:
        """The votes at the rows, ``(n, n)``, and their transpose, in blocks."""
        submit, blocks = self.rows.executor.submit, []
        for part, first in zip(self.rows.parts, self.rows.bounds.tolist(), strict=False):
            found = [submit(_near_rows, index, part, self.similarity) for index in self.indices]
            own = first if leave_one_out else None
            blocks.append(submit(_votes_block, found, own, self.normalize))
        return with_transpose(self.rows, blocks)

    def votes(self, X: AnyArray) -> SparseVotes:
        """The votes at new inputs ``(q, d)`` in memory, ``(q, n)``."""
        found = self.rows.executor.map(
            _near_rows, self.indices, np.ascontiguousarray(X), self.similarity
        )
        return SparseVotes(_joined(found, None, self.normalize))


# ------------------------------------------------------------------ functions of blocks


def _indexed(part: AnyArray, sample_weight: FloatArray | None) -> WeightedRows:
    X = np.ascontiguousarray(part, dtype=np.float64)
    return WeightedRows(EuclideanIndex.build(X, n_jobs=1) if len(X) else None, sample_weight)


def _near_rows(rows: WeightedRows, queries: AnyArray, similarity: Similarity) -> sp.csr_array:
    """``w_j k(x, x_j)`` for the rows of one part, ``(q, m)``."""
    if rows.near is None:
        return sp.csr_array((queries.shape[0], 0))
    X = queries.astype(np.float64, copy=False)
    found = near_similarities(_NAME, rows.near, X, similarity)
    return found if rows.sample_weight is None else scale_columns(found, rows.sample_weight)


def _votes_block(found: list[sp.csr_array], own: int | None, normalize: bool) -> RowBlock:
    """The rows of the votes of one part, from what was found in all parts."""
    return RowBlock.of(_joined(found, own, normalize))


def _joined(found: list[sp.csr_array], own: int | None, normalize: bool) -> Any:
    """Similarities side by side as votes ``(q, n)``; without row ``own + i`` at query i."""
    alpha: Any = sp.csr_array(sp.hstack(found, format="csr"))
    if own is not None:
        alpha = remove_diagonal(alpha, own)
    return normalize_rows(alpha) if normalize else alpha
