"""Faces of bits under rules: one of the tied bit vectors, and the mean of all."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.bits.rules import TiedBits
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MeanEmbedding:
    """Maps (means of) bits, ``(n, m)``, to ``(factors * bits + shift, constant)``.

    Parameters
    ----------
    factors : float array (m,)
    shift : float array (m,)
    constant : float
    """

    factors: FloatArray
    shift: FloatArray
    constant: float

    def embed(self, means: FloatArray) -> FloatArray:
        """``(n, m)`` to ``(n, m + 1)``."""
        embedded = np.full((len(means), means.shape[1] + 1), self.constant)
        embedded[:, :-1] = self.factors * means + self.shift
        return embedded


@dataclass(frozen=True, eq=False)
class MeanBitFaces:
    """The tied bit vectors of each row; rules join their bits, so that a face is no product.

    Parameters
    ----------
    bits : int8 array (n, m)
        One of them.
    other : int8 array (n, m)
        Another one, if there are several.
    means : float array (n, m)
        The mean of all.
    embedding : MeanEmbedding
    """

    bits: AnyArray
    other: AnyArray
    means: FloatArray
    embedding: MeanEmbedding

    @classmethod
    def of(cls, found: TiedBits, embedding: MeanEmbedding) -> "MeanBitFaces":
        """The faces of the cheapest bits."""
        return cls(found.first, found.last, found.means, embedding)

    def __len__(self) -> int:
        return len(self.bits)

    @cached_property
    def undecided(self) -> BoolArray:
        """Bits that are not the same in all tied vectors, ``(n, m)``."""
        return np.asarray(self.means != self.bits)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.means)

    @cached_property
    def is_vertex(self) -> BoolArray:
        return np.asarray(~self.undecided.any(axis=1))

    @property
    def outputs(self) -> AnyArray:
        """One of the tied bit vectors, ``(n, m)`` of int8."""
        return self.bits

    def _single(self, bits: AnyArray) -> "MeanBitFaces":
        return MeanBitFaces(bits, bits, bits.astype(np.float64), self.embedding)

    def first(self) -> "MeanBitFaces":
        return self._single(self.bits)

    def take(self, index: Any) -> "MeanBitFaces":
        return MeanBitFaces(self.bits[index], self.other[index], self.means[index], self.embedding)

    def replace(self, rows: IntArray, faces: "MeanBitFaces") -> "MeanBitFaces":
        bits, other, means = self.bits.copy(), self.other.copy(), self.means.copy()
        bits[rows], other[rows], means[rows] = faces.bits, faces.other, faces.means
        return MeanBitFaces(bits, other, means, self.embedding)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "MeanBitFaces"]:
        """Two tied vectors of a row that has several: decoding needs a choice, not a list."""
        open_rows = np.flatnonzero(~self.is_vertex[rows])
        owner = np.concatenate([np.arange(len(rows)), open_rows])
        both = np.concatenate([self.bits[rows], self.other[rows][open_rows]])
        order = np.argsort(owner, kind="stable")
        return owner[order], self._single(both[order])

    def union(self, newer: "MeanBitFaces") -> "MeanBitFaces":
        # In exact arithmetic the newer face contains this one. If rounding makes it exclude a bit
        # that occurs here, the row keeps its face.
        misses = ((newer.means == newer.bits) & (self.means != newer.means)).any(axis=1)
        rows = np.flatnonzero(misses)
        return newer.replace(rows, self.take(rows))

    def keep_unless_better(
        self, current: "MeanBitFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "MeanBitFaces":
        found, present = self.first(), current.first()
        gain = np.einsum("ip,ip->i", present.embedded - found.embedded, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return found.replace(stays, present.take(stays))

    def differing(self, other: "MeanBitFaces") -> BoolArray:
        return np.asarray((self.means != other.means).any(axis=1))
