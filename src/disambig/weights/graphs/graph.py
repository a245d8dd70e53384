"""A graph of nearest neighbours among the training inputs, and how new inputs join it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import warn
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_choice, check_integer, check_number
from disambig.weights.graphs.nodes import (
    DistinctDistances,
    DistinctFeatures,
    affinities,
    symmetric_graph,
)
from disambig.weights.inputs import weight_advice


def check_link_parameters(weighting: Any) -> None:
    """Check n_neighbors, affinity, bandwidth, metric and solver of a weighting on a graph."""
    owner = type(weighting).__name__
    check_integer(owner, "n_neighbors", weighting.n_neighbors, least=1)
    check_choice(owner, "affinity", weighting.affinity, ("gaussian", "binary"))
    check_choice(
        owner,
        "metric",
        weighting.metric,
        ("euclidean", "precomputed"),
        "(distances of any other metric, as a matrix or a graph)",
    )
    check_choice(owner, "solver", weighting.solver, ("auto", "direct", "iterative"))
    if isinstance(weighting.bandwidth, str) and weighting.bandwidth == "local":
        return
    check_number(owner, "bandwidth", weighting.bandwidth, positive=True, advice="Or use 'local'.")
    if weighting.affinity == "binary":
        raise ValueError(
            f"{owner}: affinity='binary' has no bandwidth; got {weighting.bandwidth!r}. Leave it "
            "at 'local', or use affinity='gaussian'."
        )


@dataclass(frozen=True, eq=False)
class LinkedInputs:
    """The N distinct training inputs as nodes, linked to their nearest others.

    Parameters
    ----------
    search : DistinctFeatures or DistinctDistances
        Finds the neighbours of an input, and the node that an input equals.
    sample_weight : float64, (N,)
        The sum of the sample weights of the rows of each node.
    graph : csr_array, (N, N)
        ``w_i g[i, j] w_j``: symmetric, not negative, no diagonal.
    wanted : float
        The total weight of the neighbours that a node is linked to.
    scale : float, "local" or None
        The bandwidth of the affinities; None for links of equal weight.
    """

    search: DistinctFeatures | DistinctDistances
    sample_weight: FloatArray
    graph: sp.csr_array
    wanted: float
    scale: float | str | None

    @classmethod
    def build(cls, weighting: Any, X: Any, checked_sample_weight: FloatArray) -> "LinkedInputs":
        """Link the rows of X according to the checked parameters of a weighting."""
        owner = type(weighting).__name__
        search: DistinctFeatures | DistinctDistances
        if weighting.metric == "precomputed":
            search = DistinctDistances.build(X, owner)
        else:
            search = DistinctFeatures.build(X, n_jobs=weighting.n_jobs)
        sample_weight = np.bincount(search.node, weights=checked_sample_weight).astype(
            np.float64, copy=False
        )
        # A sparse graph of distances need not store all neighbours.
        if not (sp.issparse(X) and weighting.metric == "precomputed"):
            warn_if_too_many(owner, weighting.n_neighbors, sample_weight)
        wanted = float(weighting.n_neighbors)
        scale = None if weighting.affinity == "binary" else weighting.bandwidth
        directed = affinities(search.among_themselves(sample_weight, wanted), scale)
        return cls(search, sample_weight, symmetric_graph(directed, sample_weight), wanted, scale)

    @property
    def node(self) -> IntArray:
        """The node of each training row, ``(n,)``."""
        return self.search.node

    def unit_rows(self, node: IntArray) -> sp.csr_array:
        """The unit vector of each node as a row, ``(q, N)``; a row of zeros for node -1."""
        rows = np.flatnonzero(node >= 0)
        shape = (node.size, self.sample_weight.size)
        return sp.csr_array((np.ones(rows.size), (rows, node[rows])), shape=shape)

    def joined(self, X: Any, to_weights: Callable[[sp.csr_array], sp.csr_array]) -> sp.csr_array:
        """The weights of the nodes at queries, ``(q, N)``.

        A query that equals a training input has the unit vector of its node. For the others,
        `to_weights` turns their affinities to the nearest nodes, ``(r, N)``, into weights.
        """
        node = self.search.find(X)
        new = np.flatnonzero(node < 0)
        known = self.unit_rows(node)
        if not new.size:
            return known
        listing = self.search.from_queries(X[new], self.sample_weight, self.wanted)
        weights = to_weights(affinities(listing, self.scale)).tocoo()
        entries = (weights.data, (new[weights.row], weights.col))
        return sp.csr_array(known + sp.csr_array(entries, shape=known.shape))


def warn_if_too_many(owner: str, n_neighbors: int, sample_weight: FloatArray) -> None:
    """Warn if every input is linked to all others; `sample_weight` are those of the nodes."""
    total = float(sample_weight.sum())
    others = total - float(sample_weight.max())
    # Sums of fractional weights have rounding errors.
    if n_neighbors > others * (1.0 + 1e-9):
        warn(
            f"{owner}: n_neighbors={n_neighbors} is more than the total weight of the other inputs "
            f"({sample_weight.size} distinct inputs, total weight {total:g}): every "
            f"input is linked to all others.{weight_advice(total, sample_weight.size)}",
            UserWarning,
        )
