"""Exact search for near rows in a tree of boxes, for few features.

The tree is that of scikit-learn, with small leaves; the search is compiled. Every distance is the
sum of squared differences that all searches of this package use, and nothing is left out that could
be nearer, so that results are equal bit for bit.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KDTree

from disambig.compiled.neighbors.boxes import box_distances, leaves_of, nearest_in_boxes
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.threads import run_in_threads, thread_count

# Rows of a leaf, at least; twice as many at most. Measured for d = 8: 6 and 12 are as fast, 25
# takes a tenth longer on noise.
_LEAF_ROWS = 10
# Queries that one thread searches without a break.
_QUERIES_PER_TASK = 8192


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Rows in a binary tree of tight boxes, searched by squared euclidean distance.

    Parameters
    ----------
    lower, upper : float64, (nodes, d)
        Box of each node; the children of node i are 2 i + 1 and 2 i + 2.
    starts, stops : int64, (nodes,)
        A node has ``rows[start:stop]``.
    least : int64, (nodes,)
        Its smallest row.
    values : float64, (n * d,)
        The inputs, leaf after leaf, and in each leaf column after column.
    rows : int64, (n,)

    Examples
    --------
    >>> import numpy as np
    >>> tree = BoxTree.build(np.array([[0.0], [1.0], [3.0]]))
    >>> distances, rows = tree.search(np.array([[2.9]]), 2)
    >>> rows.tolist()
    [[2, 1]]
    """

    lower: FloatArray
    upper: FloatArray
    starts: IntArray
    stops: IntArray
    least: IntArray
    values: FloatArray
    rows: IntArray

    @classmethod
    def build(cls, X: AnyArray) -> "BoxTree":
        """Put the rows of a dense X, at least one and all finite, into boxes."""
        n, d = X.shape
        _, order, nodes, bounds = KDTree(X, leaf_size=_LEAF_ROWS).get_arrays()
        rows = np.array(order, dtype=np.int64)
        nodes = np.asarray(nodes)
        starts, stops = (nodes[name].astype(np.int64) for name in ("idx_start", "idx_end"))
        first_leaf = starts.size // 2
        least = np.empty(starts.size, dtype=np.int64)
        least[first_leaf:] = np.minimum.reduceat(rows, starts[first_leaf:])
        end = starts.size
        while end > 1:
            begin = end // 2
            least[begin // 2 : begin] = np.minimum(least[begin:end:2], least[begin + 1 : end : 2])
            end = begin
        lower, upper = (np.array(bound, dtype=np.float64, order="C") for bound in bounds)
        values = np.empty(n * d)
        for start, stop in zip(starts[first_leaf:], stops[first_leaf:], strict=True):
            values[start * d : stop * d] = X[rows[start:stop]].T.ravel()
        return cls(lower, upper, starts, stops, least, values, rows)

    def search(
        self,
        queries: AnyArray,
        width: int,
        *,
        limits: FloatArray | None = None,
        n_jobs: int | None = None,
    ) -> tuple[FloatArray, IntArray]:
        """The `width` nearest rows of each query by (squared distance, row).

        Parameters
        ----------
        queries : float64 or float32, (q, d)
        width : int
        limits : float64, (q,), optional
            Squared distances; rows that are farther may be left out.
        n_jobs : int or None

        Returns
        -------
        distances, rows : float64 and int64, (q, width)
            Infinity and -1 where there are too few.
        """
        queries = np.ascontiguousarray(queries, dtype=np.float64)
        q = queries.shape[0]
        if limits is None:
            limits = np.full(q, np.inf)
        distances = np.full((q, width), np.inf)
        found = np.full((q, width), self.rows.size, dtype=np.int64)
        leaves = np.empty(q, dtype=np.int64)
        leaves_of(queries, self.lower, self.upper, leaves)
        order = np.argsort(leaves, kind="stable")

        def work(start: int) -> None:
            nearest_in_boxes(
                queries,
                order[start : start + _QUERIES_PER_TASK],
                limits,
                self.lower,
                self.upper,
                self.starts,
                self.stops,
                self.least,
                self.values,
                self.rows,
                distances,
                found,
            )

        run_in_threads(work, range(0, q, _QUERIES_PER_TASK), thread_count(n_jobs))
        found[found == self.rows.size] = -1
        return distances, found


def distances_to_box(queries: AnyArray, lower: Any, upper: Any) -> FloatArray:
    """Squared distances ``(q,)`` to a box; no computed distance to a row in it is smaller.

    Examples
    --------
    >>> import numpy as np
    >>> distances_to_box(np.array([[0.0, 5.0]]), np.zeros(2), np.ones(2)).tolist()
    [16.0]
    """
    out = np.empty(queries.shape[0])
    box_distances(
        np.ascontiguousarray(queries, dtype=np.float64),
        np.ascontiguousarray(lower, dtype=np.float64)[None],
        np.ascontiguousarray(upper, dtype=np.float64)[None],
        out,
    )
    return out
