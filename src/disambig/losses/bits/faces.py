"""Faces of the cube of bits: some bits are decided, the others may be 0 or 1."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.losses.embeddings import SignEmbedding
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Faces with at most this many open bits have all their vertices listed, at most 2 ** 6 = 64.
_MAX_LISTED_BITS = 6
# Shifting an int64 by more than 63 is undefined. Open bits beyond this one share its vertex.
_MAX_SHIFT = 62


@dataclass(frozen=True, eq=False)
class BitFaces:
    """``bits[i, t]`` = 1 or 0 if bit t of row i is decided, -1 if both values tie (it is open).

    Bits tie independently. So a face is a product, and its barycentre has sign 0 at open bits.

    Parameters
    ----------
    bits : int8 array (n, m)
    embedding : SignEmbedding
    """

    bits: AnyArray
    embedding: SignEmbedding

    def __len__(self) -> int:
        return len(self.bits)

    @cached_property
    def undecided(self) -> BoolArray:
        """Open bits, ``(n, m)``."""
        open_bits: BoolArray = self.bits < 0
        return open_bits

    @cached_property
    def embedded(self) -> FloatArray:
        signs = np.where(self.undecided, 0.0, 2.0 * self.bits - 1.0)
        return self.embedding.embed(signs)

    @cached_property
    def is_vertex(self) -> BoolArray:
        return np.asarray(~self.undecided.any(axis=1))

    @property
    def outputs(self) -> AnyArray:
        """Bits ``(n, m)`` of int8; open ones are 0."""
        return np.maximum(self.bits, 0)

    def first(self) -> "BitFaces":
        return BitFaces(self.outputs, self.embedding)

    def take(self, index: Any) -> "BitFaces":
        return BitFaces(self.bits[index], self.embedding)

    def replace(self, rows: IntArray, faces: "BitFaces") -> "BitFaces":
        bits = self.bits.copy()
        bits[rows] = faces.bits
        return BitFaces(bits, self.embedding)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "BitFaces"]:
        """All vertices of rows with at most six open bits.

        Of other rows: the first vertex, and those in which one open bit is 1 and the others 0.
        """
        bits, undecided = self.bits[rows], self.undecided[rows]
        n_open = undecided.sum(axis=1)
        listed = n_open <= _MAX_LISTED_BITS
        counts = np.where(listed, 1 << np.minimum(n_open, _MAX_LISTED_BITS), n_open + 1)
        owner = np.repeat(np.arange(len(rows)), counts)
        # The number of a vertex in its row; binary digit `place` of it is the value of an open bit.
        number = np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)
        place = np.minimum(np.cumsum(undecided, axis=1) - 1, _MAX_SHIFT)[owner]
        on = np.where(
            listed[owner, None],
            number[:, None] >> np.maximum(place, 0) & 1,
            number[:, None] == place + 1,
        )
        found = np.where(undecided[owner], on, bits[owner]).astype(np.int8)
        return owner, BitFaces(found, self.embedding)

    def union(self, newer: "BitFaces") -> "BitFaces":
        # The smallest product that contains both faces.
        bits = np.where(self.bits == newer.bits, self.bits, -1).astype(np.int8)
        return BitFaces(bits, self.embedding)

    def keep_unless_better(
        self, current: "BitFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "BitFaces":
        # An open bit is one of which neither value is better by the tolerance.
        bits = np.where(self.undecided, current.outputs, self.bits).astype(np.int8)
        return BitFaces(bits, self.embedding)

    def cheapest(self, costs: FloatArray) -> "BitFaces":
        """One vertex of each row, of least ``<vertex, costs>``; bits that still tie are 0."""
        gains = -self.embedding.factors * costs[:-1]
        # Equal frequencies that are summed in different orders differ by rounding.
        cheaper_as_one = gains > 4 * np.finfo(np.float64).eps * np.abs(self.embedding.factors)
        bits = np.where(self.undecided, cheaper_as_one, self.bits).astype(np.int8)
        return BitFaces(bits, self.embedding)

    def differing(self, other: "BitFaces") -> BoolArray:
        return np.asarray((self.bits != other.bits).any(axis=1))
