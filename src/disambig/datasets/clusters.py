"""Clusters that are truly apart, with sets of known ambiguity: the setting of the paper's rates."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions import UniformCorruption
from disambig.notation import FloatArray, IntArray

__all__ = ["SeparatedClusters", "make_separated_clusters"]


class SeparatedClusters(NamedTuple):
    """Points, what is known of them, and the truth.

    Attributes
    ----------
    X : float array (n, d)
    candidates : LabelSets
        Over the classes 0 to K - 1.
    labels : int array (n,)
        The truth.
    clusters : int array (n,)
        The cluster of each point; points of a cluster share their label.
    eta : float
        Probability with which each wrong class is a candidate.
    """

    X: FloatArray
    candidates: LabelSets
    labels: IntArray
    clusters: IntArray
    eta: float


def make_separated_clusters(
    n_samples: int = 200,
    *,
    n_clusters: int = 4,
    n_classes: int | None = None,
    n_features: int = 2,
    separation: float = 1.0,
    eta: float = 0.5,
    random_state: Any = None,
) -> SeparatedClusters:
    """``x`` uniform in one of m balls of diameter 1, `separation` apart; ``Pr(z in S) = eta``.

    All clusters are equally likely, and points are independent. The centres stand on a fixed grid
    of spacing ``1 + separation``: another `random_state` gives further points of the same law. The
    label of cluster c is ``c mod K``. Each wrong class is a candidate with probability exactly
    `eta`, independently. So the three assumptions hold under which Cabannes, Bach and Rudi (2021)
    prove exponential rates: the mass near every point of the support is bounded below, sets are
    non-ambiguous with parameter `eta`, and the label is constant on each cluster. From a separation
    of 1 on, any two points of a cluster are nearer to each other than to any other cluster.

    Parameters
    ----------
    n_samples : int, default 200
    n_clusters : int, default 4
    n_classes : int, default None
        At least 1 and at most `n_clusters`, which is the default.
    n_features : int, default 2
    separation : float > 0, default 1.0
        Least distance between points of different clusters.
    eta : float in [0, 1), default 0.5
        With the same integer `random_state`, candidates at one eta remain so at a larger one.
    random_state : int, numpy Generator or None, default None
        What `numpy.random.default_rng` takes.

    Examples
    --------
    >>> from disambig.datasets import make_separated_clusters
    >>> data = make_separated_clusters(100, eta=0.8, random_state=0)
    >>> data.X.shape, data.candidates.shape, data.eta
    ((100, 2), (100, 4), 0.8)
    >>> bool(data.candidates.contains(data.labels).all())
    True
    """
    n_classes = n_clusters if n_classes is None else n_classes
    sizes = {
        "n_samples": n_samples,
        "n_clusters": n_clusters,
        "n_classes": n_classes,
        "n_features": n_features,
    }
    _check(sizes, separation, eta)
    rng = np.random.default_rng(random_state)
    clusters = rng.integers(n_clusters, size=n_samples)
    X = (1 + separation) * _grid(n_clusters, n_features)[clusters]
    X += _in_ball(n_samples, n_features, rng)
    labels = clusters % n_classes
    corrupt = UniformCorruption(eta)
    candidates = corrupt(labels, classes=np.arange(n_classes), random_state=rng)
    return SeparatedClusters(X, candidates, labels, clusters, float(eta))


def _grid(n_points: int, dimension: int) -> FloatArray:
    """The first points of the smallest cube of integers that has enough, ``(m, d)``."""
    side = 1
    while side**dimension < n_points:
        side += 1
    # Beyond these axes every coordinate is 0; the powers of a long cube would not fit an integer.
    axes = 1
    while side**axes < n_points:
        axes += 1
    points = np.zeros((n_points, dimension))
    points[:, :axes] = np.column_stack(np.unravel_index(np.arange(n_points), (side,) * axes))
    return points


def _in_ball(n_points: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """Uniform in the ball of radius 1/2 around 0, ``(n, d)``."""
    directions = rng.normal(size=(n_points, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(0.5 * rng.random((n_points, 1)) ** (1 / dimension) * directions)


def _check(sizes: dict[str, int], separation: float, eta: float) -> None:
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(
                f"make_separated_clusters: {name} must be an integer >= 1; got {size!r}."
            )
    if sizes["n_classes"] > sizes["n_clusters"]:
        raise ValueError(
            f"make_separated_clusters: n_classes={sizes['n_classes']} with "
            f"n_clusters={sizes['n_clusters']}; every class needs a cluster. Give more clusters."
        )
    if not isinstance(separation, Real) or not 0 < separation < np.inf:
        raise ValueError(
            f"make_separated_clusters: separation must be a finite number > 0; got {separation!r}."
        )
    if isinstance(eta, bool) or not isinstance(eta, Real) or not 0 <= eta < 1:
        raise ValueError(
            f"make_separated_clusters: eta must be a number >= 0 and < 1; got {eta!r}. At 1 the "
            f"sets say nothing."
        )
