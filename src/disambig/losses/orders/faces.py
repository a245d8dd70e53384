"""Faces of the polytope of orders: the orders that tie for the minimum.

They are too many to list. `OrderFaces` stores one of them and the mean of all. `sign_faces` finds
both for costs that are a sum over pairs of items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.signs import pairs_of_signs, signs_of_ranks, tied_signs


@dataclass(frozen=True, eq=False)
class OrderFaces:
    """The tied orders of each row: one of them, and the mean of all in the embedding.

    Parameters
    ----------
    ranks : int array (n, m)
        One of the tied orders, chosen deterministically.
    embedded_outputs : float array (n, p)
        Embeddings of `ranks`.
    embedded : float array (n, p)
        The mean of the tied orders; the same as `embedded_outputs` if it cannot be computed.
    tied_signs : float array (n, m (m - 1) / 2), optional
        Share of the tied orders in which i stands before j, minus the share in which j stands
        before i, for i < j; 1 or -1 if and only if all agree. None if `ranks` are the only ones.
    another : callable, optional
        Maps rows to faces of one tied order each: those found with ties broken the other way.
    """

    ranks: IntArray
    embedded_outputs: FloatArray
    embedded: FloatArray
    tied_signs: FloatArray | None = None
    another: Callable[[IntArray], "OrderFaces"] | None = None

    def __len__(self) -> int:
        return len(self.ranks)

    def __getstate__(self) -> dict[str, Any]:
        # A function inside a function cannot be pickled. Decoding, which needs it, is over when a
        # solution is stored.
        return {**self.__dict__, "another": None}

    @cached_property
    def signs(self) -> FloatArray:
        """Mean signs of the pairs i < j over the tied orders, ``(n, m (m - 1) / 2)``."""
        return signs_of_ranks(self.ranks) if self.tied_signs is None else self.tied_signs

    @property
    def pairs(self) -> FloatArray:
        """Share of the tied orders in which i stands before j, ``(n, m, m)``; diagonal 0."""
        return pairs_of_signs(self.signs, self.ranks.shape[1])

    @property
    def undecided(self) -> BoolArray:
        """Pairs that occur in both directions among the tied orders, ``(n, m, m)``."""
        n, m = self.ranks.shape
        i, j = np.triu_indices(m, 1)
        both = np.zeros((n, m, m), dtype=np.bool_)
        both[:, i, j] = both[:, j, i] = np.abs(self.signs) < 1.0
        return both

    @cached_property
    def is_vertex(self) -> BoolArray:
        # Orders with equal embeddings are one vertex: the loss does not distinguish them.
        single: BoolArray = (self.embedded == self.embedded_outputs).all(axis=1)
        return single

    @property
    def outputs(self) -> IntArray:
        return self.ranks

    def first(self) -> "OrderFaces":
        return OrderFaces(self.ranks, self.embedded_outputs, self.embedded_outputs)

    def take(self, index: Any) -> "OrderFaces":
        signs = None if self.tied_signs is None else self.tied_signs[index]
        embedded = self.embedded[index]
        embedded_outputs = (
            embedded if self.embedded_outputs is self.embedded else self.embedded_outputs[index]
        )
        return OrderFaces(self.ranks[index], embedded_outputs, embedded, signs)

    def replace(self, rows: IntArray, faces: "OrderFaces") -> "OrderFaces":
        ranks, embedded = self.ranks.copy(), self.embedded.copy()
        ranks[rows], embedded[rows] = faces.ranks, faces.embedded
        embedded_outputs = embedded
        if (
            self.embedded_outputs is not self.embedded
            or faces.embedded_outputs is not faces.embedded
        ):
            embedded_outputs = self.embedded_outputs.copy()
            embedded_outputs[rows] = faces.embedded_outputs
        signs = None
        if self.tied_signs is not None or faces.tied_signs is not None:
            signs = self.signs.copy()
            signs[rows] = faces.signs
        return OrderFaces(ranks, embedded_outputs, embedded, signs, self.another)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "OrderFaces"]:
        """Two tied orders of a row that has several: decoding needs a choice, not a list."""
        chosen = self.take(rows).first()
        open_rows = np.flatnonzero(~self.is_vertex[rows])
        if self.another is None or not open_rows.size:
            return np.arange(len(rows)), chosen
        other = self.another(rows[open_rows])
        owner = np.concatenate([np.arange(len(rows)), open_rows])
        order = np.argsort(owner, kind="stable")
        both = OrderFaces(
            np.concatenate([chosen.ranks, other.ranks]),
            np.concatenate([chosen.embedded_outputs, other.embedded_outputs]),
            np.concatenate([chosen.embedded_outputs, other.embedded_outputs]),
        )
        return owner[order], both.take(order)

    def union(self, newer: "OrderFaces") -> "OrderFaces":
        # The mean of a union cannot be computed. In exact arithmetic the newer face contains this
        # one. If rounding makes it exclude a direction of a pair that occurs here, the row keeps
        # its face.
        contains = ~((np.abs(newer.signs) == 1.0) & (self.signs != newer.signs)).any(axis=1)
        return newer.replace(np.flatnonzero(~contains), self.take(~contains))

    def keep_unless_better(
        self, current: "OrderFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "OrderFaces":
        gain = np.einsum("ip,ip->i", current.embedded_outputs - self.embedded_outputs, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return self.first().replace(stays, current.take(stays).first())

    def differing(self, other: "OrderFaces") -> BoolArray:
        return np.asarray((self.embedded != other.embedded).any(axis=1))


def sign_faces(
    scores: FloatArray,
    m: int,
    before: AnyArray | None,
    *,
    windows: AnyArray | None = None,
    tolerance: FloatArray,
    decoder: OrderDecoder,
    embed: Callable[[FloatArray], FloatArray],
) -> OrderFaces:
    """The orders that minimise ``sum_{i<j} scores_ij sign_ij``; a sign is 1 if i stands before j.

    Parameters
    ----------
    scores : float array (n, at least m (m - 1) / 2)
        Pairs as in ``np.triu_indices(m, 1)``; further columns are ignored.
    m : int
    before : bool array (n, m, m), optional
        ``before[r, i, j]``: i must stand before j.
    windows : int array (n, m, 2), optional
        The first and the last place of each item.
    tolerance : float array (n,)
    decoder : OrderDecoder
        For problems that are too large for dynamic programming.
    embed : callable
        Affine map from (means of) signs, ``(n, m (m - 1) / 2)``, to the embedding, ``(n, p)``.

    Examples
    --------
    >>> faces = sign_faces(
    ...     np.array([[-1.0, 0.0, 0.0]]),
    ...     3,
    ...     None,
    ...     tolerance=np.zeros(1),
    ...     decoder=OrderDecoder(),
    ...     embed=np.copy,
    ... )
    >>> faces.outputs, faces.embedded.round(2), faces.is_vertex
    (array([[0, 1, 2]]), array([[ 1.  ,  0.33, -0.33]]), array([False]))
    """
    found = tied_signs(scores, m, before, windows=windows, tolerance=tolerance, decoder=decoder)
    means = embed(found.signs)
    embedded_outputs = means
    tied = np.flatnonzero(~found.single)
    if tied.size:
        embedded_outputs = means.copy()
        embedded_outputs[tied] = embed(signs_of_ranks(found.ranks[tied]))

    def another(rows: IntArray) -> OrderFaces:
        # The same problems with the items in reverse order: ties are broken the other way.
        other = tied_signs(
            -scores[np.ix_(rows, _reversed_pairs(m))],
            m,
            None if before is None else before[rows][:, ::-1, ::-1],
            windows=None if windows is None else windows[rows][:, ::-1],
            tolerance=tolerance[rows],
            decoder=decoder,
        )
        ranks = np.ascontiguousarray(other.ranks[:, ::-1])
        embedded = embed(signs_of_ranks(ranks))
        return OrderFaces(ranks, embedded, embedded)

    return OrderFaces(found.ranks, embedded_outputs, means, found.signs, another)


def _reversed_pairs(m: int) -> IntArray:
    """For each pair i < j the number of the pair that it becomes if the items are reversed."""
    number = np.zeros((m, m), dtype=np.intp)
    i, j = np.triu_indices(m, 1)
    number[i, j] = np.arange(i.size)
    return np.asarray(number[m - 1 - j, m - 1 - i])
