"""Faces of a finite output space, in two forms.

`LabelFaces` store a mask of the tied vertices, ``(n, V)``. `CodedFaces` store the same faces in one
small integer for each row, for steps in which nearly all faces are single vertices. An `Embedding`
maps weights over vertices to ``R^p``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from disambig.compiled.bits import pack_rows, unpack_rows, words_for
from disambig.compiled.face_sweep import face_codes
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


class Embedding(Protocol):
    """A linear map from weights over V vertices to ``R^p``, and its adjoint."""

    def embed(self, weights: FloatArray) -> FloatArray:
        """``sum_v weights[:, v] e(v)``: ``(n, V)`` to ``(n, p)``."""
        ...

    def costs(self, scores: FloatArray) -> FloatArray:
        """``<e(v), scores[i]>``: ``(n, p)`` to ``(n, V)``."""
        ...


@dataclass(frozen=True)
class IdentityEmbedding:
    """Vertex v is the v-th unit vector."""

    def embed(self, weights: FloatArray) -> FloatArray:
        return weights

    def costs(self, scores: FloatArray) -> FloatArray:
        return scores


@dataclass(frozen=True)
class ComplementEmbedding:
    """Vertex v is one minus the v-th unit vector: the 0-1 loss without its ``K x K`` table."""

    def embed(self, weights: FloatArray) -> FloatArray:
        embedded: FloatArray = weights.sum(axis=1, keepdims=True) - weights
        return embedded

    def costs(self, scores: FloatArray) -> FloatArray:
        costs: FloatArray = scores.sum(axis=1, keepdims=True) - scores
        return costs


@dataclass(frozen=True, eq=False)
class TableEmbedding:
    """Vertex v is row v of a table ``(V, p)``."""

    table: FloatArray

    def embed(self, weights: FloatArray) -> FloatArray:
        embedded: FloatArray = np.asarray(weights @ self.table)
        return embedded

    def costs(self, scores: FloatArray) -> FloatArray:
        costs: FloatArray = np.asarray(scores @ self.table.T)
        return costs


@dataclass(frozen=True, eq=False)
class LabelFaces:
    """``mask[i, v]`` = vertex v ties in row i; every row has at least one vertex.

    Parameters
    ----------
    mask : bool array (n, V)
    embedding : Embedding
        Of the V vertices.
    """

    mask: BoolArray
    embedding: Embedding

    def __len__(self) -> int:
        return len(self.mask)

    @cached_property
    def distribution(self) -> FloatArray:
        """The uniform distribution on the tied vertices, ``(n, V)``."""
        distribution: FloatArray = self.mask / self.mask.sum(axis=1, keepdims=True)
        return distribution

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @cached_property
    def is_vertex(self) -> BoolArray:
        single: BoolArray = self.mask.sum(axis=1) == 1
        return single

    @property
    def outputs(self) -> IntArray:
        index: IntArray = self.mask.argmax(axis=1)
        return index

    def first(self) -> "LabelFaces":
        mask = np.zeros_like(self.mask)
        mask[np.arange(len(mask)), self.outputs] = True
        return LabelFaces(mask, self.embedding)

    def take(self, index: IntArray) -> "LabelFaces":
        return LabelFaces(self.mask[index], self.embedding)

    def replace(self, rows: IntArray, faces: "LabelFaces") -> "LabelFaces":
        mask = self.mask.copy()
        mask[rows] = faces.mask
        return LabelFaces(mask, self.embedding)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "LabelFaces"]:
        owner, vertex = np.nonzero(self.mask[rows])
        mask = np.zeros((owner.size, self.mask.shape[1]), dtype=np.bool_)
        mask[np.arange(owner.size), vertex] = True
        return owner, LabelFaces(mask, self.embedding)

    def union(self, newer: "LabelFaces") -> "LabelFaces":
        return LabelFaces(self.mask | newer.mask, self.embedding)

    def keep_unless_better(
        self, current: "LabelFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "LabelFaces":
        # The mask contains every vertex within the tolerance of the minimum already.
        stays: BoolArray = np.any(self.mask & current.mask, axis=1)
        return LabelFaces(np.where(stays[:, None], current.mask, self.first().mask), self.embedding)

    def cheapest(self, costs: FloatArray) -> "LabelFaces":
        """One tied vertex of each row, of least ``<vertex, costs>``; of equal ones the first."""
        values = self.embedding.costs(costs[None, :])[0]
        # Equal frequencies that are summed in different orders differ by rounding.
        rounding = 4 * len(values) * np.finfo(np.float64).eps * float(np.abs(values).max())
        lowest = np.where(self.mask, values, np.inf).min(axis=1, keepdims=True)
        return LabelFaces(self.mask & (values <= lowest + rounding), self.embedding).first()

    def differing(self, other: "LabelFaces") -> BoolArray:
        return np.asarray((self.mask != other.mask).any(axis=1))


@dataclass(frozen=True, eq=False)
class CodedFaces:
    """One small integer for each row: a vertex, "all vertices tie", or "several tie, see `words`".

    The same faces as `LabelFaces`, which store a mask ``(n, V)``. Here a row takes one byte for up
    to 254 vertices. The form of a face is unique: faces are equal if and only if their codes are
    and, for faces of several vertices, their bits.

    Parameters
    ----------
    codes : unsigned int array (n,)
        ``v < V`` is the vertex v, ``V`` all vertices (for V > 1), ``V + 1`` several.
    words : uint32 array (n, ceil(V / 32))
        Bits of the vertices, in rows with several; arbitrary in other rows.
    size : int
        ``V``.
    embedding : Embedding
        Of the vertices.
    """

    codes: AnyArray
    words: AnyArray
    size: int
    embedding: Embedding

    @classmethod
    def from_words(cls, words: AnyArray, size: int, embedding: Embedding) -> "CodedFaces":
        """Faces from the bits of their vertices, ``(n, ceil(V / 32))``, at least one a row."""
        return cls(face_codes(words, size).astype(_code_type(size)), words, size, embedding)

    @classmethod
    def from_mask(cls, mask: BoolArray, embedding: Embedding) -> "CodedFaces":
        """Faces from a mask of their vertices, ``(n, V)``, at least one a row."""
        return cls.from_words(pack_rows(mask), mask.shape[1], embedding)

    @classmethod
    def from_several(
        cls, codes: AnyArray, several: IntArray, words: AnyArray, size: int, embedding: Embedding
    ) -> "CodedFaces":
        """Faces from codes, and the bits of those that have several vertices (`several_words`)."""
        # Other rows are not read, and memory that is never written is cheap.
        spread = np.empty((codes.size, words_for(size)), dtype=np.uint32)
        spread[several] = words
        return cls(codes, spread, size, embedding)

    @classmethod
    def blank(cls, n: int, size: int, embedding: Embedding) -> "CodedFaces":
        """Faces of n rows to be overwritten; all are the first vertex."""
        words = np.empty((n, words_for(size)), dtype=np.uint32)
        return cls(np.zeros(n, dtype=_code_type(size)), words, size, embedding)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def mask(self) -> BoolArray:
        """``mask[i, v]`` = vertex v ties in row i, ``(n, V)``."""
        mask = np.zeros((len(self), self.size), dtype=np.bool_)
        vertices = np.flatnonzero(self.is_vertex)
        mask[vertices, self.codes[vertices]] = True
        mask[self.codes == self.size] = True
        several = self._several
        mask[several] = unpack_rows(self.words[several], self.size)
        return mask

    @property
    def distribution(self) -> FloatArray:
        """The uniform distribution on the tied vertices, ``(n, V)``."""
        distribution = np.zeros((len(self), self.size))
        vertices = np.flatnonzero(self.is_vertex)
        distribution[vertices, self.codes[vertices]] = 1.0
        distribution[self.codes == self.size] = 1.0 / self.size
        several = self._several
        tied = unpack_rows(self.words[several], self.size)
        distribution[several] = tied / tied.sum(axis=1, keepdims=True)
        return distribution

    @property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @property
    def is_vertex(self) -> BoolArray:
        return np.asarray(self.codes < self.size)

    @property
    def outputs(self) -> IntArray:
        index = self.codes.astype(np.intp)
        index[self.codes == self.size] = 0
        several = self._several
        index[several] = unpack_rows(self.words[several], self.size).argmax(axis=1)
        return index

    def first(self) -> "CodedFaces":
        codes = self.outputs.astype(self.codes.dtype)
        return CodedFaces(codes, np.empty_like(self.words), self.size, self.embedding)

    def copy(self) -> "CodedFaces":
        """The same faces in new arrays."""
        # Only rows with several vertices need their bits. Memory that is never written is cheap.
        words = np.empty_like(self.words)
        several = self._several
        words[several] = self.words[several]
        return CodedFaces(self.codes.copy(), words, self.size, self.embedding)

    def take(self, index: IntArray) -> "CodedFaces":
        return CodedFaces(self.codes[index], self.words[index], self.size, self.embedding)

    def replace(self, rows: IntArray, faces: "CodedFaces") -> "CodedFaces":
        copy = self.copy()
        copy.codes[rows] = faces.codes
        copy.words[rows] = faces.words
        return copy

    def vertices(self, rows: IntArray) -> tuple[IntArray, "CodedFaces"]:
        owner, vertex = np.nonzero(self.take(rows).mask)
        words = np.empty((owner.size, self.words.shape[1]), dtype=np.uint32)
        codes = vertex.astype(self.codes.dtype)
        return owner, CodedFaces(codes, words, self.size, self.embedding)

    def union(self, newer: "CodedFaces") -> "CodedFaces":
        return CodedFaces.from_mask(self.mask | newer.mask, self.embedding)

    def keep_unless_better(
        self, current: "CodedFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "CodedFaces":
        masked = LabelFaces(self.mask, self.embedding)
        chosen = masked.keep_unless_better(
            LabelFaces(current.mask, self.embedding), scores, tolerance
        )
        return CodedFaces.from_mask(chosen.mask, self.embedding)

    def differing(self, other: "CodedFaces") -> BoolArray:
        rows: BoolArray = self.codes != other.codes
        several = self._several
        rows[several] |= (self.words[several] != other.words[several]).any(axis=1)
        return rows

    @property
    def several_words(self) -> tuple[IntArray, AnyArray]:
        """Rows whose face has several vertices, but not all, and the bits of these vertices."""
        several = self._several
        return several, self.words[several]

    @property
    def _several(self) -> IntArray:
        """Rows whose face has several vertices, but not all."""
        return np.flatnonzero(self.codes == self.size + 1)


def _code_type(size: int) -> type[np.unsignedinteger]:
    """The smallest type that represents the largest code, ``size + 1``."""
    for code_type in (np.uint8, np.uint16):
        if size + 1 <= np.iinfo(code_type).max:
            return code_type
    return np.uint32
