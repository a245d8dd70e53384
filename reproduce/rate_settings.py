"""Distributions of labels and sets for which the theory predicts the error as rows are added."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ClusterDistribution:
    """``Pr(label = labels[t], set = sets[t]) = probabilities[t]`` in one cluster of inputs.

    Attributes
    ----------
    labels : int array (T,)
        The true labels, which full supervision learns from.
    sets : bool array (T, K)
    probabilities : float array (T,)
    best : int
        The prediction of least expected loss.
    """

    labels: IntArray
    sets: BoolArray
    probabilities: FloatArray
    best: int

    def __post_init__(self) -> None:
        if not self.sets[np.arange(len(self.labels)), self.labels].all():
            raise ValueError(
                "ClusterDistribution: a set does not contain its label. Every set must contain it."
            )
        if abs(self.probabilities.sum() - 1.0) > 1e-12 or (self.probabilities < 0).any():
            raise ValueError("ClusterDistribution: probabilities must be >= 0 and sum to 1.")

    @property
    def eta(self) -> float:
        """The largest probability with which another class than `best` is a candidate."""
        return float(np.delete(self.probabilities @ self.sets, self.best).max())


@dataclass(frozen=True, eq=False)
class RateSetting:
    """Equally likely clusters with gaps between them, and ``k = k0 n`` neighbours.

    Attributes
    ----------
    name : str
    distributions : tuple of ClusterDistribution
        One for each cluster, over the same classes.
    k0 : float
    loss : str
        A name of `disambig.losses.registry.resolve_loss`.
    """

    name: str
    distributions: tuple[ClusterDistribution, ...]
    k0: float
    loss: str = "zero_one"

    @property
    def n_classes(self) -> int:
        """``K``."""
        return int(self.distributions[0].sets.shape[1])

    @property
    def slope(self) -> float:
        """``k0 log eta``: the upper bound of the theorem on the slope of the log error."""
        return self.k0 * float(np.log(max(distribution.eta for distribution in self.distributions)))

    def n_neighbors(self, n: int) -> int:
        """``k0 n`` as an integer, at least 1."""
        return max(1, round(self.k0 * n))


def separated_clusters(eta: float = 0.8, *, n_clusters: int = 4, k0: float = 0.02) -> RateSetting:
    """One class per cluster; every other class joins a set with probability `eta`, independently.

    Examples
    --------
    >>> setting = separated_clusters(0.8, k0=0.02)
    >>> (
    ...     [round(distribution.eta, 12) for distribution in setting.distributions],
    ...     round(setting.slope, 5),
    ... )
    ([0.8, 0.8, 0.8, 0.8], -0.00446)
    """
    distributions = tuple(_independent_companions(c, n_clusters, eta) for c in range(n_clusters))
    return RateSetting("separated clusters", distributions, k0)


def always_together(eta: float = 0.8, *, n_clusters: int = 4, k0: float = 0.02) -> RateSetting:
    """Separated clusters, but class 1 is in every set of the first one, so that it is ambiguous.

    Examples
    --------
    >>> [distribution.eta for distribution in always_together(0.5).distributions]
    [1.0, 0.5, 0.5, 0.5]
    """
    first, *others = separated_clusters(eta, n_clusters=n_clusters, k0=k0).distributions
    has_both = first.sets[:, 1]
    ambiguous = ClusterDistribution(
        first.labels[has_both],
        first.sets[has_both],
        first.probabilities[has_both] / eta,
        first.best,
    )
    return RateSetting("always together", (ambiguous, *others), k0)


def label_noise(n_classes: int = 10, *, share: float = 0.6, k0: float = 0.2) -> RateSetting:
    """Class 1 with probability `share` in a set with a random other class; else class 0 alone.

    One cluster. The average of candidates gives class 1 half a vote and class 0 a whole one, so it
    prefers the rarer class for any number of rows. The infimum loss counts sets.

    Examples
    --------
    >>> label_noise().distributions[0].best
    1
    """
    others = np.delete(np.arange(n_classes), 1)
    sets = np.zeros((n_classes, n_classes), dtype=np.bool_)
    sets[:-1, 1] = True
    sets[np.arange(n_classes - 1), others] = True
    sets[-1, 0] = True
    labels = np.append(np.ones(n_classes - 1, dtype=np.intp), 0)
    probabilities = np.append(np.full(n_classes - 1, share / (n_classes - 1)), 1.0 - share)
    return RateSetting("label noise", (ClusterDistribution(labels, sets, probabilities, 1),), k0)


def ordinal_pairs(eta: float = 0.9, *, k0: float = 0.1) -> RateSetting:
    """Squared loss on 0, 1, 2; the label is 0, the set {0, 2} with probability `eta`, else {0}.

    One cluster. The mean of the losses to 0 and to 2 is least at 1, which is never a candidate.

    Examples
    --------
    >>> ordinal_pairs().distributions[0].sets.astype(int).tolist()
    [[1, 0, 1], [1, 0, 0]]
    """
    sets = np.array([[True, False, True], [True, False, False]])
    distribution = ClusterDistribution(
        np.zeros(2, dtype=np.intp), sets, np.array([eta, 1.0 - eta]), 0
    )
    return RateSetting("ordinal pairs", (distribution,), k0, "squared")


def _independent_companions(label: int, n_classes: int, eta: float) -> ClusterDistribution:
    """All sets that contain the label; other classes join independently."""
    codes = np.arange(2**n_classes)
    sets = (codes[:, None] >> np.arange(n_classes)) % 2 == 1
    sets = sets[sets[:, label]]
    companions = sets.sum(axis=1) - 1
    probabilities = eta**companions * (1.0 - eta) ** (n_classes - 1 - companions)
    return ClusterDistribution(np.full(len(sets), label), sets, probabilities, label)
