"""Laplacian regularisation on a graph of neighbours: `LaplacianWeights`.

`laplacian_system` is the linear system whose inverse is ``(I + mu L)^{-1}`` on a weighted graph.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import warn
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_jobs, check_number
from disambig.votes.entries import normalize_rows
from disambig.votes.solved import SolvedVotes, probed_diagonal
from disambig.votes.sparse_inverse import SparseInverse
from disambig.weights.graphs.graph import LinkedInputs, check_link_parameters
from disambig.weights.inputs import (
    checked_sample_weight,
    query_inputs,
    small_indices,
    training_inputs,
)

NORMALIZATIONS = ("none", "symmetric", "random_walk")
_NAME = "LaplacianWeights"
# Own vote above which the votes of the others are of the size of rounding errors.
_MAX_OWN_VOTE = 1.0 - 1e-10
# Largest number of inputs whose own votes are computed by one iterative solution each: seconds.
_MAX_EXACT_INPUTS = 2000


@dataclass(frozen=True, eq=False)
class LaplacianSystem:
    """``M f = r y``, with y the mean target of each node and f the values of all nodes.

    Parameters
    ----------
    matrix : csr_array, (N, N)
        M, symmetric and positive definite, with no positive entry off the diagonal.
    strength : float64, (N,), positive
        r.
    degrees : float64, (N,)
        The degree of one copy of each node, before any scaling.
    """

    matrix: sp.csr_array
    strength: FloatArray
    degrees: FloatArray


def laplacian_system(
    graph: sp.csr_array, sample_weight: FloatArray, smoothing: float, normalization: str
) -> LaplacianSystem:
    """``M = diag(r) (I + mu L)`` for nodes that represent `sample_weight` copies each.

    With ``g[i, j]`` the affinity of two copies and w the sample weights,
    ``graph[i, j] = w_i g[i, j] w_j``; the degree of a copy of i is ``d_i = sum_j g[i, j] w_j``. A
    node without links has ``L = 0``.

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
    the targets, and similar along the links B of the graph. On the training inputs alpha is
    symmetric, no vote is negative, and rows sum to one. It is never formed: votes are applied by
    solving a sparse system. Labels spread through the connected parts of the graph, so a few labels
    can serve many unlabeled rows; there are no votes between different parts.

    Parameters
    ----------
    n_neighbors : int, default=10
        k >= 1: every input is linked to the k nearest others. With ``sample_weight``, k is a total
        weight, as in `NeighborWeights`.
    smoothing : float > 0, default=10.0
        mu. The mean degree of the graph is scaled to one, so that the scale of X and k hardly
        matter. The larger, the farther votes reach; the limit is one mean for each connected part.
        With few labels use a large value (100 and more), or `PoissonWeights`.
    normalization : {"none", "symmetric", "random_walk"}, default="none"
        With G the affinities and D their sums: "none" ``L = D - G``. "symmetric"
        ``L = I - D^{-1/2} G D^{-1/2}``: ``alpha = (1 - a) (I - a D^{-1/2} G D^{-1/2})^{-1}`` with
        ``a = mu / (1 + mu)``, the label spreading of Zhou et al. (2004); symmetric, but rows do not
        sum to one. "random_walk" ``L = I - D^{-1} G``: rows sum to one, but alpha is not symmetric.
    affinity : {"gaussian", "binary"}, default="gaussian"
        The weight of a link to a neighbour at distance d: ``exp(-d^2 / (2 h^2))``, or 1. G is the
        mean of the two directions: a link that only one side lists has half of the weight.
    bandwidth : float > 0 or "local", default="local"
        h of the gaussian affinity. "local" gives each input its own, the distance to its farthest
        neighbour over ``sqrt(8)``.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X holds distances, ``(n, n)`` in `fit` and ``(q, n)`` in `votes`, as an array
        or as a sparse graph such as those of `sklearn.neighbors.KNeighborsTransformer` (for any
        metric); a missing entry is no neighbour, and where fewer than k are stored, all of them are
        linked.
    solver : {"auto", "direct", "iterative"}, default="auto"
        Factorise the system, or solve it by preconditioned conjugate gradients, to 1e-12 times the
        largest target in every entry. "auto" factorises up to some 2800 rows, and as long as the
        factor is sparse enough (inputs of few dimensions, separate clusters).
    own_votes : {"auto", "exact", "estimated"}, default="auto"
        How the votes of rows for themselves, which leave-one-out votes need, are computed: exactly,
        from the factor or by one solution for each row, or estimated by 64 solutions. "auto" is
        exact with a factor or up to 2000 rows, and estimated otherwise, with a warning that names
        the standard error.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.
    n_jobs : int, default=None
        Threads of scikit-learn's search for neighbours.

    Attributes
    ----------
    node_ : int, (n,)
        The distinct input (node) of each training row.
    graph_ : csr_array, (N, N)
        The links between distinct inputs.
    components_ : int, (n,)
        The connected part of the graph in which each training row lies.
    inverse_ : SparseInverse
        Of the system on the distinct inputs.
    grants_ : csr_array, (N, n)
        The right-hand side of the system is ``grants_ @ y``.
    links_ : LinkedInputs
        The graph, with the index that finds the neighbours of new inputs.
    degrees_, node_weights_ : float64, (N,)
        Degrees and total sample weights of the distinct inputs.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    Equal inputs are one node of the graph, whose target is the mean of theirs: alpha is a function
    of the input. ``sample_weight`` w means w copies, in targets and in links.

    *New inputs* have the mean of the votes of their k nearest inputs, in proportion to the
    affinities: the value of an unlabeled node there whose links do not affect the others (for
    "symmetric", with degrees). A new input that equals a training row has the votes of that row.

    *Leave-one-out* removes the target of a row and keeps its input in the graph. Without the term
    ``(f_i - y_i)^2`` of the objective the votes are ``alpha[i, j] / (1 - alpha[i, i])`` for j != i
    (Sherman and Morrison), that is, the votes of the others, scaled to sum to one. Removing the
    input too would need another graph for every row. A row that is alone in its part of the graph
    has no votes.

    *Label spreading* with alpha a, as in `sklearn.semi_supervised.LabelSpreading`, is
    ``normalization="symmetric"``, ``smoothing = a / (1 - a)`` and ``method="average"``: the limit
    of the iteration of scikit-learn on the same graph.

    *Poisson learning* (Calder et al., 2020) is the limit of a large mu only on a connected graph
    with equally many labels of each class, and up to a constant for each class. See
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
        # A training row has its share of the coefficient of its node.
        n, share = self.node_.size, self.sample_weight_ / self.node_weights_[self.node_]
        self.grants_ = sp.csr_array(
            (share * system.strength[self.node_], (self.node_, np.arange(n))),
            shape=(self.node_weights_.size, n),
        )
        self.components_ = self.inverse_.parts[self.node_]
        return self

    def training_votes(self) -> SolvedVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return SolvedVotes(self.links_.unit_rows(self.node_), self.inverse_, self.grants_)

    def leave_one_out_votes(self) -> SolvedVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        own, is_estimated = self._own_votes()
        alone = np.bincount(self.components_)[self.components_] == 1
        alone |= own >= _MAX_OWN_VOTE
        factors = np.where(alone, 0.0, 1.0 / np.where(alone, 1.0, 1.0 - own))
        left = self.links_.unit_rows(self.node_)
        votes = SolvedVotes(left, self.inverse_, self.grants_, own, is_estimated)
        return votes.scale_rows(factors)

    def votes(self, X: Any) -> SolvedVotes:
        """``alpha`` at new inputs ``(q, d)``, or from distances ``(q, n)``."""
        X = query_inputs(self, X, square=self._square)
        left = self.links_.joined(X, self._weights_at_queries)
        return SolvedVotes(left, self.inverse_, self.grants_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self._square)
        tags.input_tags.sparse = True
        return tags

    @property
    def _square(self) -> str:
        metric: Any = self.metric
        is_given = isinstance(metric, str) and metric == "precomputed"
        return "distances" if is_given else ""

    def _check_parameters(self) -> None:
        check_link_parameters(self)
        check_number(_NAME, "smoothing", self.smoothing, positive=True)
        check_choice(_NAME, "normalization", self.normalization, NORMALIZATIONS)
        check_choice(_NAME, "own_votes", self.own_votes, ("auto", "exact", "estimated"))
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        check_jobs(_NAME, self.n_jobs)

    def _weights_at_queries(self, affinities: sp.csr_array) -> sp.csr_array:
        """The weights of the nodes at new inputs, from their affinities ``(q, N)``."""
        if self._normalization_ != "symmetric":
            return normalize_rows(affinities.copy())
        degrees = np.asarray(affinities.sum(axis=1)).ravel()
        rows = np.repeat(np.arange(degrees.size), np.diff(affinities.indptr))
        product = degrees[rows] * self.degrees_[affinities.indices]
        positive = product > 0
        data = np.where(positive, affinities.data / np.sqrt(np.where(positive, product, 1.0)), 0.0)
        return sp.csr_array((data, affinities.indices, affinities.indptr), shape=affinities.shape)

    def _own_votes(self) -> tuple[FloatArray, bool]:
        """``alpha[i, i]``, ``(n,)``, and whether these are estimates."""
        strength = (
            self.inverse_.scale[self.node_] * self.sample_weight_ / self.node_weights_[self.node_]
        )
        cheap = self.inverse_.direct or self.node_weights_.size <= _MAX_EXACT_INPUTS
        if self.own_votes == "exact" or (self.own_votes == "auto" and cheap):
            return strength * self.inverse_.diagonal[self.node_], False
        diagonal, error = probed_diagonal(self.inverse_)
        if self.own_votes == "auto":
            size = float(np.sqrt(np.mean((strength * error[self.node_]) ** 2)))
            warn(
                f"{_NAME}: leave-one-out votes of {self.node_.size} rows subtract an estimate of "
                f"each row's own vote, with standard error {size:.1e} (the votes of a row sum to "
                "1). Set own_votes='estimated' to silence this warning, or 'exact' to solve once "
                "for each row.",
                UserWarning,
            )
        return strength * diagonal[self.node_], True
