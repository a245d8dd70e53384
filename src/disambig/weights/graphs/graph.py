"""A graph of nearest neighbours among the training inputs, and how new inputs join it."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_choice, check_integer, check_number
from disambig.weights.graphs.nodes import (
    DistinctDistances,
    DistinctFeatures,
    affinities,
    symmetric_graph,
)


def check_link_parameters(piece: Any) -> None:
    """Check n_neighbors, affinity, bandwidth, metric and solver of a weighting on a graph."""
    owner = type(piece).__name__
    check_integer(owner, "n_neighbors", piece.n_neighbors, least=1)
    check_choice(owner, "affinity", piece.affinity, ("gaussian", "binary"))
    check_choice(
        owner,
        "metric",
        piece.metric,
        ("euclidean", "precomputed"),
        "(distances of any other metric, as a matrix or a graph)",
    )
    check_choice(owner, "solver", piece.solver, ("auto", "direct", "iterative"))
    if isinstance(piece.bandwidth, str) and piece.bandwidth == "local":
        return
    check_number(owner, "bandwidth", piece.bandwidth, positive=True, advice="Or use 'local'.")
    if piece.affinity == "binary":
        raise ValueError(
            f"{owner}: affinity='binary' has no bandwidth; got {piece.bandwidth!r}. Leave it at "
            "'local', or use affinity='gaussian'."
        )


@dataclass(frozen=True, eq=False)
class LinkedInputs:
    """The N distinct training inputs as nodes, linked to their nearest others.

    Parameters
    ----------
    search : DistinctFeatures or DistinctDistances
        What finds the neighbours of an input, and which node an input is.
    masses : float64, (N,)
        What the rows of each node weigh together.
    graph : csr_array, (N, N)
        ``w_i g[i, j] w_j``: symmetric, not negative, no diagonal.
    wanted : float
        The mass that a node is linked to.
    scale : float, "local" or None
        The bandwidth of the affinities; None for links of equal weight.
    """

    search: DistinctFeatures | DistinctDistances
    sample_weight: FloatArray
    graph: sp.csr_array
    wanted: float
    scale: float | str | None

    @classmethod
    def build(cls, piece: Any, X: Any, checked_sample_weight: FloatArray) -> "LinkedInputs":
        """Link the rows of X as the parameters of a weighting say; they must have been checked."""
        owner = type(piece).__name__
        search: DistinctFeatures | DistinctDistances
        if piece.metric == "precomputed":
            search = DistinctDistances.build(X, owner)
        else:
            search = DistinctFeatures.build(X, n_jobs=piece.n_jobs)
        sample_weight = np.bincount(search.node, weights=checked_sample_weight).astype(
            np.float64, copy=False
        )
        # A graph that is given lists whom it lists.
        if not (sp.issparse(X) and piece.metric == "precomputed"):
            _warn_if_too_many(owner, piece.n_neighbors, sample_weight)
        wanted = float(piece.n_neighbors)
        scale = None if piece.affinity == "binary" else piece.bandwidth
        directed = affinities(search.among_themselves(sample_weight, wanted), scale)
        return cls(search, sample_weight, symmetric_graph(directed, sample_weight), wanted, scale)

    @property
    def node(self) -> IntArray:
        """Which node each training row is, ``(n,)``."""
        return self.search.node

    def known(self, node: IntArray) -> sp.csr_array:
        """Rows that hear what a node hears, ``(q, N)``; a row of zeros for node -1."""
        rows = np.flatnonzero(node >= 0)
        shape = (node.size, self.sample_weight.size)
        return sp.csr_array((np.ones(rows.size), (rows, node[rows])), shape=shape)

    def joined(self, X: Any, listening: Callable[[sp.csr_array], sp.csr_array]) -> sp.csr_array:
        """What queries hear of the nodes, ``(q, N)``.

        A query that equals a training input hears its node. `listening` turns what the others
        grant the nodes nearest to them, ``(r, N)``, into what they hear.
        """
        node = self.search.find(X)
        new = np.flatnonzero(node < 0)
        known = self.known(node)
        if not new.size:
            return known
        listing = self.search.from_queries(X[new], self.sample_weight, self.wanted)
        heard = listening(affinities(listing, self.scale)).tocoo()
        entries = (heard.data, (new[heard.row], heard.col))
        return sp.csr_array(known + sp.csr_array(entries, shape=known.shape))


def _warn_if_too_many(owner: str, n_neighbors: int, sample_weight: FloatArray) -> None:
    others = float(sample_weight.sum() - sample_weight.max())
    # Sums of fractions are rounded.
    if n_neighbors > others * (1.0 + 1e-9):
        warnings.warn(
            f"{owner}: n_neighbors={n_neighbors} is more than the other inputs can give "
            f"({sample_weight.size} distinct ones of total weight {sample_weight.sum():g}): every "
            "input is linked to all others.",
            UserWarning,
            stacklevel=4,
        )
