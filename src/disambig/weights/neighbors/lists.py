"""Lists of neighbours in order: the search for them, and the votes that follow from them.

`nearest_lists` searches any `NeighborIndex` of training rows.
`NeighborLists` serve votes with and without the row itself. `LocalRadius` adapts the number of
neighbours to the density of the rows, and `vote_strength` weighs votes by distance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.compiled.nearest import nearest_in_lists, weights_in_order
from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.inputs import small_indices

# With adaptive=True, an input has at most so many times n_neighbors neighbours, and at least
# n_neighbors divided by this number.
MAX_ADAPTIVE_FACTOR = 2.0
VOTES = ("uniform", "distance", "gaussian")
# Candidates in addition to the wanted ones: enough to decide near ties in the first attempt.
_N_SPARE_CANDIDATES = 8
# A row that its candidates do not decide is searched again with this many times more.
_CANDIDATE_GROWTH = 4
_MAX_ATTEMPTS = 3
# Entries of a block of distances: 32 MiB, and as much for indices.
_ENTRIES_PER_BLOCK = 2**22

Part = tuple[AnyArray, AnyArray, AnyArray, FloatArray]


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """The nearest of n rows to each of q inputs, by (distance, index).

    Parameters
    ----------
    indptr : int64, (q + 1,)
        Input i lists ``indices[indptr[i]:indptr[i + 1]]``.
    indices : int64, (pairs,)
    distances : float64, (pairs,)
        Or an increasing function of the distances.
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> lists = NeighborLists(np.array([0, 3]), np.array([2, 0, 1]), np.array([0.0, 1.0, 4.0]), 3)
    >>> lists.shares(np.ones(3), np.array([2.0]), np.array([-1])).toarray()
    array([[0.5, 0. , 0.5]])
    """

    indptr: IntArray
    indices: IntArray
    distances: FloatArray
    n: int

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.distances):
            array.flags.writeable = False

    @property
    def q(self) -> int:
        """The number of inputs."""
        return self.indptr.size - 1

    def taken(self, sample_weight: FloatArray, wanted: FloatArray, absent: AnyArray) -> FloatArray:
        """The weight that each input takes from its members in order, up to `wanted` ``(q,)``."""
        return weights_in_order(self.indptr, self.indices, sample_weight, wanted, absent)

    def row_sums(self, values: FloatArray) -> FloatArray:
        """Sums ``(q,)`` of `values` ``(pairs,)`` within each list, in order."""
        sums: AnyArray = np.bincount(self.rows(), weights=values, minlength=self.q)
        return sums

    def rows(self) -> IntArray:
        """The input of each pair."""
        return np.repeat(np.arange(self.q), np.diff(self.indptr))

    def shares(
        self, sample_weight: FloatArray, wanted: FloatArray, absent: AnyArray
    ) -> sp.csr_array:
        """The weights taken, divided by their sum; a row of zeros where none was taken."""
        return self.normalized(self.taken(sample_weight, wanted, absent))

    def normalized(self, values: FloatArray) -> sp.csr_array:
        """`values` >= 0 divided by their sum in each list, as a sparse matrix ``(q, n)``."""
        rows, sums = self.rows(), self.row_sums(values)
        kept = values > 0
        data = values[kept] / sums[rows[kept]]
        counts = np.bincount(rows[kept], minlength=self.q)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        matrix = sp.csr_array((data, self.indices[kept], indptr), shape=(self.q, self.n))
        matrix.sort_indices()
        return small_indices(matrix)


@dataclass(frozen=True)
class LocalRadius:
    """``k_i = k (r / r_i)^(4 d / (d + 4))``, no less than k / 2 and no more than 2 k.

    r_i is the distance of input i to its k-th neighbour.

    With the density ``f ~ k / r_i^d`` this is ``k_i ~ f^(4 / (d + 4))``, which balances bias and
    variance of local averages of a smooth function (Cannings, Berrett and Samworth, Annals of
    Statistics 2020): few neighbours in the tails, where they are far, and more where rows are
    dense.

    Parameters
    ----------
    wanted : float
        k.
    radius : float
        r, the median of r_i over the training rows, each counted by its sample weight. Rows with k
        copies, whose r_i is 0, do not count; 0 if there are no others.
    dimension : float
        d, the intrinsic dimension of the inputs. The weight within a radius grows with its power d,
        so ``log(2) / d`` is the median of ``log(r_i / s_i)``, with s_i the distance to the
        (k / 2)-th neighbour.
    """

    wanted: float
    radius: float
    dimension: float

    @classmethod
    def learn(
        cls, lists: NeighborLists, distances: FloatArray, sample_weight: FloatArray, wanted: float
    ) -> "LocalRadius":
        """Estimate r and d from the lists of the training rows, themselves included."""
        no_row = np.full(lists.q, -1, dtype=np.int64)
        far = _farthest(lists, distances, sample_weight, wanted, no_row)
        half = _farthest(lists, distances, sample_weight, wanted / 2.0, no_row)
        apart = (half > 0) & (far > half)
        growth = np.log(far[apart] / half[apart])
        dimension = np.log(2.0) / _median(growth, sample_weight[apart]) if apart.any() else np.inf
        some = far > 0
        radius = _median(far[some], sample_weight[some]) if some.any() else 0.0
        return cls(wanted, radius, float(dimension))

    def wanted_weights(
        self,
        lists: NeighborLists,
        distances: FloatArray,
        sample_weight: FloatArray,
        absent: AnyArray,
    ) -> FloatArray:
        """``k_i`` for each list, ``(q,)``."""
        far = _farthest(lists, distances, sample_weight, self.wanted, absent)
        power = 4.0 / (1.0 + 4.0 / self.dimension)
        ratio = np.full(far.size, MAX_ADAPTIVE_FACTOR)
        some = far > 0
        # Clipped before the power, so that nothing overflows.
        limit = MAX_ADAPTIVE_FACTOR ** (1.0 / power)
        ratio[some] = np.clip(self.radius / far[some], 1.0 / limit, limit) ** power
        if self.radius == 0:
            ratio[~some] = 1.0
        return self.wanted * ratio


def _farthest(
    lists: NeighborLists,
    distances: FloatArray,
    sample_weight: FloatArray,
    wanted: float,
    absent: AnyArray,
) -> FloatArray:
    """The distance at which the weight in each list reaches `wanted`, ``(q,)``."""
    taken = lists.taken(sample_weight, np.full(lists.q, wanted), absent) > 0
    far = np.zeros(lists.q)
    np.maximum.at(far, lists.rows()[taken], distances[taken])
    return far


def _median(values: FloatArray, sample_weight: FloatArray) -> float:
    order = np.argsort(values, kind="stable")
    below = np.cumsum(sample_weight[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2.0)])


def vote_strength(
    vote: Any, lists: NeighborLists, distances: FloatArray, taken: FloatArray
) -> FloatArray:
    """The weights `taken` times the factor of each distance, up to a constant for each list.

    Parameters
    ----------
    vote : {"uniform", "distance", "gaussian"} or callable
    lists : NeighborLists
    distances, taken : float64, (pairs,)
        The weight taken is 0 for a member that does not vote.

    Returns
    -------
    float64, (pairs,)

    Examples
    --------
    >>> import numpy as np
    >>> far = np.array([1.0, 2.0])
    >>> lists = NeighborLists(np.array([0, 2]), np.array([1, 0]), far, 2)
    >>> vote_strength("distance", lists, far, np.ones(2))
    array([1. , 0.5])
    """
    if isinstance(vote, str) and vote == "uniform":
        return taken
    if callable(vote):
        return _strength_by_function(vote, distances, taken)
    rows, voting = lists.rows(), taken > 0
    if vote == "distance":
        nearest = np.full(lists.q, np.inf)
        np.minimum.at(nearest, rows[voting], distances[voting])
        return _ratios(nearest[rows], distances) * taken
    farthest = np.zeros(lists.q)
    np.maximum.at(farthest, rows[voting], distances[voting])
    near = np.where(voting, distances, 0.0)
    strength: FloatArray = np.exp(-4.0 * _ratios(near, farthest[rows]) ** 2) * taken
    return strength


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """``above / below``, 1 for 0 / 0. Values of members that do not vote do not matter."""
    is_finite = (below > 0) & np.isfinite(above)
    return np.where(is_finite, above / np.where(is_finite, below, 1.0), 1.0)


def _strength_by_function(vote: Any, distances: FloatArray, taken: FloatArray) -> FloatArray:
    voting = taken > 0
    found = np.asarray(vote(distances[voting]))
    expected = (int(voting.sum()),)
    if found.shape != expected:
        raise VotesError(
            f"NeighborWeights: vote must return an array of the shape that it is given, "
            f"{expected}; got shape {found.shape}."
        )
    if found.dtype.kind not in "buif":
        raise VotesError(
            f"NeighborWeights: vote must return an array of real numbers; got dtype {found.dtype}."
        )
    # Written so that NaN counts as bad.
    bad = ~((found >= 0) & np.isfinite(found))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise VotesError(
            f"NeighborWeights: vote must return finite numbers >= 0; it returned {found[place]} at "
            f"distance {distances[voting][place]:g} ({int(bad.sum())} such pairs)."
        )
    strength = np.zeros(taken.size)
    strength[voting] = taken[voting] * found
    return strength


class NeighborIndex(Protocol):
    """An index of training rows. Its distances may be any increasing function of the true ones."""

    @property
    def X(self) -> Any:
        """The rows, (n, d)."""
        ...

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """At least `width` rows near each query, and a lower bound of the distances of all others.

        An index that may miss rows adds the row that is the query itself, if ``own[i] >= 0``.
        """
        ...

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns the same as `nearest_in_lists`."""
        ...


def nearest_lists(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> NeighborLists:
    """The nearest rows of each query until the weight of the others is `wanted`.

    The result is that of sorting all rows by (distance, index). The index finds a few more
    candidates than are needed. The list of a query is final if its members are strictly nearer than
    every row that is not a candidate. The other queries are searched again with more candidates,
    and at last compared with all rows: they have too many ties.

    Parameters
    ----------
    index : NeighborIndex of n rows
    queries : (q, d)
    sample_weight : (n,)
    wanted : float
    own : int64, (q,)
        The row that is the query itself; -1 for none. It is taken if it is nearer than the last of
        the others, and not counted.
    """
    n = index.X.shape[0]
    width = int(np.ceil(min(wanted / sample_weight.mean(), n))) + _N_SPARE_CANDIDATES + 1
    undecided_rows = np.arange(queries.shape[0])
    parts: list[Part] = []
    for _ in range(_MAX_ATTEMPTS):
        # With more than half of the rows as candidates, comparing with all rows is as fast.
        if 2 * width > n:
            break
        undecided = [np.zeros(0, dtype=np.intp)]
        for rows in _blocks(undecided_rows, width):
            indptr, indices, distances, floor = index.candidates(queries[rows], width, own[rows])
            starts, members, found, farthest, filled = nearest_in_lists(
                indptr, indices, distances, sample_weight, wanted, own[rows]
            )
            is_final = filled & (farthest < floor)
            parts.append(_part(rows, is_final, starts, members, found))
            undecided.append(rows[~is_final])
        undecided_rows = np.concatenate(undecided)
        width *= _CANDIDATE_GROWTH
    for rows in _blocks(undecided_rows, n):
        starts, members, found, _, _ = index.exhaust(
            queries[rows], sample_weight, wanted, own[rows]
        )
        all_final = np.ones(rows.size, dtype=np.bool_)
        parts.append(_part(rows, all_final, starts, members, found))
    return _joined(parts, queries.shape[0], n)


def nearest_shares(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> sp.csr_array:
    """The nearest *others* until their weight is `wanted`, as shares of the weight taken.

    Parameters as in `nearest_lists`; returns a matrix ``(q, n)``.
    """
    lists = nearest_lists(index, queries, sample_weight, wanted, own)
    return lists.shares(sample_weight, np.full(lists.q, wanted), own)


def _blocks(rows: AnyArray, width: int) -> Iterator[AnyArray]:
    step = max(1, _ENTRIES_PER_BLOCK // width)
    for start in range(0, rows.size, step):
        yield rows[start : start + step]


def _part(
    rows: AnyArray, is_final: AnyArray, indptr: AnyArray, indices: AnyArray, distances: FloatArray
) -> Part:
    counts = np.diff(indptr)
    kept = np.repeat(is_final, counts)
    return rows[is_final], counts[is_final], indices[kept], distances[kept]


def _joined(parts: list[Part], q: int, n: int) -> NeighborLists:
    """The lists of all queries in their order, from parts with some of the queries each."""
    empty = np.zeros(0, dtype=np.int64)
    parts = [(empty, empty, empty, np.zeros(0)), *parts]
    rows, counts, indices, distances = (
        np.concatenate(arrays) for arrays in zip(*parts, strict=True)
    )
    lengths = np.zeros(q, dtype=np.int64)
    lengths[rows] = counts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # The place of a pair: the start of its row's list plus its position in the list.
    within = np.arange(indices.size) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(indptr[rows], counts) + within
    ordered, ordered_distances = np.empty_like(indices), np.empty_like(distances)
    ordered[places] = indices
    ordered_distances[places] = distances
    return NeighborLists(indptr, ordered, ordered_distances, n)
