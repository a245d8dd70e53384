"""The linear system whose inverse is ``(I + mu L)^{-1}`` on a weighted graph.

Votes that flow along a graph of neighbours.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_number
from disambig.votes import SolvedVotes
from disambig.votes.solved import probed_diagonal
from disambig.votes.sparse_inverse import SparseInverse
from disambig.weights.graphs.graph import LinkedInputs, check_link_parameters
from disambig.weights.inputs import (
    checked_sample_weight,
    query_inputs,
    small_indices,
    training_inputs,
)
from disambig.weights.normalization import normalize_rows

NORMALIZATIONS = ("none", "symmetric", "random_walk")
_NAME = "LaplacianWeights"
# A row whose own vote is larger hears others no louder than rounding.
_LARGEST_OWN = 1.0 - 1e-10
# So many solutions by iteration take seconds.
_FEW_INPUTS = 2000


@dataclass(frozen=True, eq=False)
class LaplacianSystem:
    """``M f = r y``: what the mean target y of each node makes of all nodes.

    Parameters
    ----------
    matrix : csr_array, (N, N)
        M, symmetric and positive definite, nothing positive off the diagonal.
    strength : float64, (N,), positive
        r.
    degrees : float64, (N,)
        Of one copy of each node, before any scaling.
    """

    matrix: sp.csr_array
    strength: FloatArray
    degrees: FloatArray


def laplacian_system(
    graph: sp.csr_array, sample_weight: FloatArray, smoothing: float, normalization: str
) -> LaplacianSystem:
    """``M = diag(r) (I + mu L)`` for nodes that stand for `sample_weight` copies each.

    With ``g[i, j]`` the affinity of two copies and w the masses, ``graph[i, j] = w_i g[i, j] w_j``;
    the degree of a copy of i is ``d_i = sum_j g[i, j] w_j``. A node without links has
    ``L = 0``.

    ================  ===========================================  ==============
    normalization     ``(L f)_i``                                  ``r_i``
    ================  ===========================================  ==============
    ``none``          ``sum_j g_ij w_j (f_i - f_j) / mean(d)``     ``w_i``
    ``symmetric``     ``f_i - sum_j g_ij w_j f_j / sqrt(d_i d_j)`` ``w_i``
    ``random_walk``   ``f_i - sum_j g_ij w_j f_j / d_i``           ``w_i d_i``
    ================  ===========================================  ==============
    """
    sums = np.asarray(graph.sum(axis=1)).ravel()
    linked = sums > 0
    degrees = sums / sample_weight
    strength = sample_weight
    weight = graph.data
    rows = np.repeat(np.arange(sample_weight.size), np.diff(graph.indptr))
    if normalization == "none":
        mean = sums.sum() / sample_weight.sum()
        factor = smoothing / mean if mean > 0 else 0.0
        diagonal, weight = sample_weight + factor * sums, factor * weight
    elif normalization == "symmetric":
        root = np.sqrt(degrees)
        diagonal = np.where(linked, 1.0 + smoothing, 1.0) * sample_weight
        weight = smoothing * weight / root[rows] / root[graph.indices]
    else:
        strength = np.where(linked, sums, sample_weight)
        diagonal = np.where(linked, 1.0 + smoothing, 1.0) * strength
        weight = smoothing * weight
    places = np.arange(sample_weight.size)
    matrix = sp.csr_array(
        (
            np.concatenate([diagonal, -weight]),
            (np.concatenate([places, rows]), np.concatenate([places, graph.indices])),
        ),
        shape=graph.shape,
    )
    return LaplacianSystem(small_indices(matrix), strength, degrees)


class LaplacianWeights(BaseEstimator):
    """``alpha = (I + mu L)^{-1}``, with L the Laplacian of a graph of nearest neighbours.

    ``f = alpha @ y`` minimises ``sum_i (f_i - y_i)^2 + mu sum_ij B_ij (f_i - f_j)^2 / 2``: close to
    the targets, and alike along the links B of the graph. On the training inputs alpha is
    symmetric, no vote is negative, and rows sum to one. It is never formed: votes are applied by
    solving a sparse system. Labels travel as far as the graph goes, so that a handful of them can
    serve many unlabelled rows; between parts of the graph that no link connects, nobody votes.

    Parameters
    ----------
    n_neighbors : int, default=10
        k >= 1: every input is linked to the k nearest others. With ``sample_weight``, k counts
        mass, as in `NeighborWeights`.
    smoothing : float > 0, default=10.0
        mu. The mean degree of the graph is scaled to one, so that the scale of X and k hardly
        matter. The larger, the farther votes reach; the limit is one mean for each connected part.
        With a handful of labels take a large one (100 and more), or `PoissonWeights`.
    normalization : {"none", "symmetric", "random_walk"}, default="none"
        With G the affinities and D their sums: "none" ``L = D - G``. "symmetric"
        ``L = I - D^{-1/2} G D^{-1/2}``: ``alpha = (1 - a) (I - a D^{-1/2} G D^{-1/2})^{-1}`` with
        ``a = mu / (1 + mu)``, the label spreading of Zhou et al. (2004); symmetric, but rows do not
        sum to one. "random_walk" ``L = I - D^{-1} G``: rows sum to one, but alpha is not symmetric.
    affinity : {"gaussian", "binary"}, default="gaussian"
        What a link to a neighbour at distance d weighs: ``exp(-d^2 / (2 h^2))``, or 1. G is the
        mean of the two directions: a link that only one side lists weighs half.
    bandwidth : float > 0 or "local", default="local"
        h of the gaussian affinity. "local" gives each input its own, the distance to its farthest
        neighbour over ``sqrt(8)``.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X holds distances, ``(n, n)`` in `fit` and ``(q, n)`` in `votes`, as an array
        or as a sparse graph such as those of `sklearn.neighbors.KNeighborsTransformer` (for any
        metric) or one that is given by nature; a missing entry is no neighbour, and where fewer
        than k are stored, all of them are linked.
    solver : {"auto", "direct", "iterative"}, default="auto"
        Factorise the system, or solve it by preconditioned conjugate gradients, to 1e-12 times the
        largest target in every entry. "auto" factorises up to some 2800 rows, and as long as the
        graph is thin enough (inputs of few dimensions, separate clusters).
    own_votes : {"auto", "exact", "estimated"}, default="auto"
        How the votes of rows for themselves, which leave-one-out votes need, are found: exactly, as
        part of the factor or else by one solution a row, or estimated by 64. "auto" is exact with a
        factor or up to 2000 rows, and estimated otherwise, with a warning that names the standard
        error.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.
    n_jobs : int, default=None
        Threads of scikit-learn's search for neighbours.

    Attributes
    ----------
    node_ : int, (n,)
        Which distinct input each training row is.
    graph_ : csr_array, (N, N)
        The links between distinct inputs.
    components_ : int, (n,)
        The connected part of the graph in which each training row lies.
    inverse_ : SparseInverse
        Of the system on the distinct inputs.
    grants_ : csr_array, (N, n)
        What the target of each row adds to the right-hand side.
    links_ : LinkedInputs
        The graph as a whole, with what finds the neighbours of new inputs.
    degrees_, node_weights_ : float64, (N,)
        Of the distinct inputs.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    Equal inputs are one node of the graph, whose target is the mean of theirs: alpha is a function
    of the input. ``sample_weight`` w means w copies, in targets and links alike.

    *New inputs* hear what their k nearest inputs hear, in proportion to the affinities: the value
    that an unlabelled node there would take if nobody listened to it (for "symmetric", the same
    with degrees). A new input that equals a training row gets the votes of that row.

    *Leave-one-out* removes the target of a row and keeps its input in the graph. Taking the term
    ``(f_i - y_i)^2`` out of the minimum leaves ``alpha[i, j] / (1 - alpha[i, i])`` for j != i
    (Sherman and Morrison), that is, the votes of the others, scaled to sum one. Removing the input
    too would be another graph for every row. A row alone in its part of the graph hears nobody.

    *Label spreading* with alpha a, as in `sklearn.semi_supervised.LabelSpreading`, is
    ``normalization="symmetric"``, ``smoothing = a / (1 - a)`` and ``method="average"``: the point
    to which the iteration of scikit-learn converges, on the same graph.

    *Poisson learning* (Calder et al., 2020) is the limit of a large mu only in part: for as many
    labels of each class on a connected graph, and up to a constant for each class. See
    `PoissonWeights`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    >>> weights = LaplacianWeights(1, smoothing=1.0, affinity="binary").fit(X)
    >>> weights.training_votes().rows(0, 5).round(2)
    array([[0.64, 0.27, 0.09, 0.  , 0.  ],
           [0.27, 0.55, 0.18, 0.  , 0.  ],
           [0.09, 0.18, 0.73, 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.67, 0.33],
           [0.  , 0.  , 0.  , 0.33, 0.67]])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothing: float = 10.0,
        normalization: str = "none",
        affinity: str = "gaussian",
        bandwidth: float | str = "local",
        metric: str = "euclidean",
        solver: str = "auto",
        own_votes: str = "auto",
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.normalization = normalization
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.metric = metric
        self.solver = solver
        self.own_votes = own_votes
        self.leave_one_out = leave_one_out
        self.n_jobs = n_jobs

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Link the training inputs ``(n, d)``, or those whose distances ``(n, n)`` are given."""
        self._check_parameters()
        X = training_inputs(self, X, square=self._square)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = X
        self.links_ = LinkedInputs.build(self, X, self.sample_weight_)
        self.node_, self.node_weights_ = self.links_.node, self.links_.sample_weight
        self.graph_ = self.links_.graph
        system = laplacian_system(
            self.graph_, self.node_weights_, float(self.smoothing), self.normalization
        )
        self.degrees_, self._normalization_ = system.degrees, self.normalization
        self.inverse_ = SparseInverse.build(system.matrix, system.strength, self.solver)
        # A training row holds its part of what its node grants to targets.
        n, share = self.node_.size, self.sample_weight_ / self.node_weights_[self.node_]
        self.grants_ = sp.csr_array(
            (share * system.strength[self.node_], (self.node_, np.arange(n))),
            shape=(self.node_weights_.size, n),
        )
        self.components_ = self.inverse_.parts[self.node_]
        return self

    def training_votes(self) -> SolvedVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return SolvedVotes(self.links_.known(self.node_), self.inverse_, self.grants_)

    def leave_one_out_votes(self) -> SolvedVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        own = self._own_votes()
        alone = np.bincount(self.components_)[self.components_] == 1
        alone |= own >= _LARGEST_OWN
        factors = np.where(alone, 0.0, 1.0 / np.where(alone, 1.0, 1.0 - own))
        every = SolvedVotes(self.links_.known(self.node_), self.inverse_, self.grants_, own)
        return every.scale_rows(factors)

    def votes(self, X: Any) -> SolvedVotes:
        """``alpha`` at new inputs ``(q, d)``, or from distances ``(q, n)``."""
        X = query_inputs(self, X, square=self._square)
        left = self.links_.joined(X, self._extended)
        return SolvedVotes(left, self.inverse_, self.grants_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self._square)
        tags.input_tags.sparse = True
        return tags

    @property
    def _square(self) -> str:
        return "distances" if self.metric == "precomputed" else ""

    def _check_parameters(self) -> None:
        check_link_parameters(self)
        check_number(_NAME, "smoothing", self.smoothing, positive=True)
        check_choice(_NAME, "normalization", self.normalization, NORMALIZATIONS)
        check_choice(_NAME, "own_votes", self.own_votes, ("auto", "exact", "estimated"))
        check_flag(_NAME, "leave_one_out", self.leave_one_out)

    def _extended(self, granted: sp.csr_array) -> sp.csr_array:
        """What new inputs hear of the nodes, from their affinities to them."""
        if self._normalization_ != "symmetric":
            return normalize_rows(granted.copy())
        degrees = np.asarray(granted.sum(axis=1)).ravel()
        rows = np.repeat(np.arange(degrees.size), np.diff(granted.indptr))
        product = degrees[rows] * self.degrees_[granted.indices]
        heard = product > 0
        data = np.where(heard, granted.data / np.sqrt(np.where(heard, product, 1.0)), 0.0)
        return sp.csr_array((data, granted.indices, granted.indptr), shape=granted.shape)

    def _own_votes(self) -> FloatArray:
        """``alpha[i, i]``, ``(n,)``."""
        strength = (
            self.inverse_.scale[self.node_] * self.sample_weight_ / self.node_weights_[self.node_]
        )
        cheap = self.inverse_.direct or self.node_weights_.size <= _FEW_INPUTS
        if self.own_votes == "exact" or (self.own_votes == "auto" and cheap):
            return strength * self.inverse_.diagonal[self.node_]
        diagonal, error = probed_diagonal(self.inverse_)
        if self.own_votes == "auto":
            size = float(np.sqrt(np.mean((strength * error[self.node_]) ** 2)))
            warnings.warn(
                f"{_NAME}: leave-one-out votes of {self.node_.size} rows remove an estimate of "
                f"each row's own vote, of standard error {size:.1e} (votes of a row sum to 1). Set "
                "own_votes='estimated' to agree, 'exact' for one solution a row.",
                UserWarning,
                stacklevel=3,
            )
        return strength * diagonal[self.node_]
