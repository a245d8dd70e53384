"""Synthetic problems of the paper: concentric circles, separated clusters, and ranking lines.

`make_concentric_circles` is the semi-supervised problem: four circles with one labelled point each.
`make_separated_clusters` has sets of known ambiguity, as the paper's theorem on exponential rates
assumes. `make_ranking_lines` is the ranking problem: items whose order changes with the input.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from disambig.candidates import LabelSets
from disambig.datasets.corruptions import UniformCorruption
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_integer, check_number

_RADII = np.array([1, 2, 3, 4])
# The labelled points of the paper and their labels, the radii.
_LABELLED_POINTS = np.array(
    [[-2 * np.sqrt(3), 2.0], [1.0, -2 * np.sqrt(2)], [-np.sqrt(3), -1.0], [-1.0, 0.0]]
)
_LABELS = np.array([4, 3, 2, 1])
_DESIGNS = ("uniform", "grid")


class ConcentricCircles(NamedTuple):
    """Points, their candidate sets, and the truth; the last four points are the labelled ones.

    Attributes
    ----------
    X : float array (n + 4, 2)
    candidates : bool array (n + 4, 4)
        Column c is the label c + 1. The first n rows are unlabeled.
    labels : int array (n + 4,)
        The radius of the circle that each point lies on, 1 to 4.
    """

    X: FloatArray
    candidates: BoolArray
    labels: IntArray


def make_concentric_circles(
    n_samples: int = 2000, *, random_state: Any = None
) -> ConcentricCircles:
    r"""``x = r (cos t, sin t)``, r uniform in {1, 2, 3, 4}, t uniform; four points are labelled.

    The semi-supervised problem of Cabannes, Bach and Rudi (2021), appendix D.3. The label of a
    point is ``sqrt(x1^2 + x2^2)``; the paper prints it without the root. The paper uses the 20
    nearest neighbours, which at n = 2000 lie on the circle of the point; with far fewer points they
    do not.

    Parameters
    ----------
    n_samples : int, default 2000
        Unlabeled points; four labelled ones are added, in the paper's order.
    random_state : int, numpy Generator or None, default None
        The argument of `numpy.random.default_rng`.

    Examples
    --------
    >>> from disambig.datasets import make_concentric_circles
    >>> X, candidates, labels = make_concentric_circles(6, random_state=0)
    >>> candidates.sum(axis=1).tolist()
    [4, 4, 4, 4, 4, 4, 1, 1, 1, 1]
    >>> labels[-4:].tolist()
    [4, 3, 2, 1]
    """
    check_integer("make_concentric_circles", "n_samples", n_samples, least=0)
    rng = np.random.default_rng(random_state)
    angles = 2 * np.pi * rng.random(n_samples)
    radii = rng.choice(_RADII, size=n_samples)
    points = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    labels = np.concatenate([radii, _LABELS]).astype(np.intp)
    candidates = np.ones((n_samples + 4, 4), dtype=np.bool_)
    candidates[n_samples:] = _LABELS[:, None] == _RADII
    return ConcentricCircles(np.vstack([points, _LABELLED_POINTS]), candidates, labels)


class SeparatedClusters(NamedTuple):
    """Points, their candidate sets, and the truth.

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
        The probability that a wrong class is a candidate.
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

    All clusters are equally likely, and points are independent. The centres are on a fixed grid of
    spacing ``1 + separation``: another `random_state` gives other points of the same distribution.
    The label of cluster c is ``c mod K``. Each wrong class is a candidate with probability exactly
    `eta`, independently. So the three assumptions hold under which Cabannes, Bach and Rudi (2021)
    prove exponential rates: the probability of a ball around a point of the support is bounded
    below, sets are non-ambiguous with parameter `eta`, and the label is constant on each cluster.
    From a separation of 1 on, any two points of a cluster are nearer to each other than to any
    other cluster.

    Parameters
    ----------
    n_samples : int, default 200
    n_clusters : int, default 4
    n_classes : int, default None
        At least 1 and at most `n_clusters`, which is the default.
    n_features : int, default 2
    separation : float > 0, default 1.0
        The smallest distance between points of different clusters.
    eta : float in [0, 1), default 0.5
        With the same integer `random_state`, candidates at one eta are candidates at a larger one.
    random_state : int, numpy Generator or None, default None
        The argument of `numpy.random.default_rng`.

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
    """The first m points of the smallest cube of integer points with at least m, ``(m, d)``."""
    side = 1
    while side**dimension < n_points:
        side += 1
    # In all further axes every coordinate is 0; ``side ** dimension`` may not fit an integer.
    axes = 1
    while side**axes < n_points:
        axes += 1
    points = np.zeros((n_points, dimension))
    points[:, :axes] = np.column_stack(np.unravel_index(np.arange(n_points), (side,) * axes))
    return points


def _in_ball(n_points: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """Points that are uniform in the ball of radius 1/2 around 0, ``(n, d)``."""
    directions = rng.normal(size=(n_points, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(0.5 * rng.random((n_points, 1)) ** (1 / dimension) * directions)


def _check(sizes: dict[str, int], separation: float, eta: float) -> None:
    owner = "make_separated_clusters"
    for name, size in sizes.items():
        check_integer(owner, name, size, least=1)
    if sizes["n_classes"] > sizes["n_clusters"]:
        raise ValueError(
            f"make_separated_clusters: n_classes={sizes['n_classes']} with "
            f"n_clusters={sizes['n_clusters']}; every class needs a cluster. Give more clusters."
        )
    check_number(owner, "separation", separation, positive=True)
    check_number(owner, "eta", eta, below=1, advice="At 1 no set excludes a class.")


class RankingLines(NamedTuple):
    """Inputs, the scores of all items, and the ranking by score.

    Attributes
    ----------
    X : float array (n, 1)
        In [-1, 1].
    scores : float array (n, m)
        ``scores[j, i] = slope[i] * X[j] + intercept[i]``.
    ranks : int array (n, m)
        ``ranks[j, i]`` is the position of item i, from 0 on. The highest score comes first; of
        equal scores, the item with the smaller index.
    """

    X: FloatArray
    scores: FloatArray
    ranks: IntArray


def make_ranking_lines(
    n_samples: int = 20,
    n_items: int = 10,
    *,
    design: Literal["uniform", "grid"] = "uniform",
    lines: npt.ArrayLike | None = None,
    random_state: Any = None,
) -> RankingLines:
    """``score_i(x) = a_i x + b_i``, all a_i and b_i standard normal, x uniform in [-1, 1].

    The ranking problem of Cabannes, Bach and Rudi (2021), appendix D.4: m random lines, and at
    every input the items in the order of their lines. The distributions are those of the authors'
    program, as the paper does not print them. Its figure of errors has 10 items, 20 such inputs for
    training and a grid of 50 for testing, with the same lines.

    Parameters
    ----------
    n_samples : int, default 20
    n_items : int, default 10
    design : {"uniform", "grid"}, default "uniform"
        Independent inputs, or equally spaced ones from -1 to 1, both ends included.
    lines : array-like (m, 2), default None
        Slope and intercept of every item, instead of random ones. The authors' figure of four items
        has ``[[0.5, 0.75], [0, 0.5], [1, 0.5], [-0.75, 0.75]]``.
    random_state : int, numpy Generator or None, default None
        The argument of `numpy.random.default_rng`. The lines are drawn first: with the same
        integer, more samples or another design have the same lines.

    See Also
    --------
    disambig.datasets.corruptions.ORDER_CORRUPTIONS : Ways to hide a part of the ranking.

    Examples
    --------
    >>> from disambig.datasets import make_ranking_lines
    >>> lines = [[0.5, 0.75], [0, 0.5], [1, 0.5], [-0.75, 0.75]]
    >>> data = make_ranking_lines(3, 4, design="grid", lines=lines)
    >>> data.X.ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> data.ranks.tolist()
    [[2, 1, 3, 0], [0, 2, 3, 1], [1, 2, 0, 3]]
    """
    for name, size in (("n_samples", n_samples), ("n_items", n_items)):
        check_integer("make_ranking_lines", name, size, least=1)
    check_choice("make_ranking_lines", "design", design, _DESIGNS)
    rng = np.random.default_rng(random_state)
    slopes, intercepts = rng.normal(size=(2, n_items))
    if lines is not None:
        slopes, intercepts = _checked_lines(lines, n_items)
    if design == "grid":
        X = np.linspace(-1.0, 1.0, n_samples)[:, np.newaxis]
    else:
        X = rng.uniform(-1.0, 1.0, size=(n_samples, 1))
    scores = slopes * X + intercepts
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(scores.shape, dtype=np.intp)
    np.put_along_axis(ranks, order, np.arange(n_items)[np.newaxis], axis=1)
    return RankingLines(X, scores, ranks)


def _checked_lines(lines: npt.ArrayLike, n_items: int) -> FloatArray:
    """Slopes and intercepts, ``(2, m)``."""
    given = np.asarray(lines, dtype=np.float64)
    if given.shape != (n_items, 2):
        raise ValueError(
            f"make_ranking_lines: lines has shape {given.shape}; expected ({n_items}, 2), slope "
            f"and intercept of each of n_items={n_items} items."
        )
    if not np.isfinite(given).all():
        row = int(np.argmin(np.isfinite(given).all(axis=1)))
        raise ValueError(
            f"make_ranking_lines: lines[{row}] is {given[row].tolist()}; expected finite numbers."
        )
    return given.T
