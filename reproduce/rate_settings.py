"""Laws of labels and sets for which the theory says what happens as rows are added."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ClusterDistribution:
    """``Pr(label = labels[t], set = sets[t]) = probabilities[t]`` in one cluster of inputs.

    Attributes
    ----------
    labels : int array (T,)
        What full supervision is told.
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
                "ClusterDistribution: a set lacks its label; the truth is always a candidate."
            )
        if abs(self.probabilities.sum() - 1.0) > 1e-12 or (self.probabilities < 0).any():
            raise ValueError("ClusterDistribution: probabilities must be >= 0 and sum to 1.")

    @property
    def eta(self) -> float:
        """The largest probability with which another class than `best` is a candidate."""
        return float(np.delete(self.probabilities @ self.sets, self.best).max())


@dataclass(frozen=True, eq=False)
class RateSetting:
    """Equally likely clusters that are truly apart, and ``k = k0 n`` neighbours.

    Attributes
    ----------
    name : str
    laws : tuple of ClusterDistribution
        One for each cluster, over the same classes.
    k0 : float
    loss : str
        A name of `disambig.losses.resolve_loss`.
    """

    name: str
    laws: tuple[ClusterDistribution, ...]
    k0: float
    loss: str = "zero_one"

    @property
    def n_classes(self) -> int:
        """``K``."""
        return int(self.laws[0].sets.shape[1])

    @property
    def slope(self) -> float:
        """``k0 log eta``: the theorem bounds the slope of the log error by it, from above."""
        return self.k0 * float(np.log(max(law.eta for law in self.laws)))

    def n_neighbors(self, n: int) -> int:
        """``k0 n`` as an integer, at least 1."""
        return max(1, round(self.k0 * n))


def separated_clusters(eta: float = 0.8, *, n_clusters: int = 4, k0: float = 0.02) -> RateSetting:
    """One class a cluster; every other class joins a set with probability `eta`, independently.

    Examples
    --------
    >>> setting = separated_clusters(0.8, k0=0.02)
    >>> [round(law.eta, 12) for law in setting.laws], round(setting.slope, 5)
    ([0.8, 0.8, 0.8, 0.8], -0.00446)
    """
    laws = tuple(_uniform_law(c, n_clusters, eta) for c in range(n_clusters))
    return RateSetting("separated clusters", laws, k0)


def always_together(eta: float = 0.8, *, n_clusters: int = 4, k0: float = 0.02) -> RateSetting:
    """The same, but class 1 is in every set of the first cluster: there non-ambiguity fails.

    Examples
    --------
    >>> [law.eta for law in always_together(0.5).laws]
    [1.0, 0.5, 0.5, 0.5]
    """
    first, *others = separated_clusters(eta, n_clusters=n_clusters, k0=k0).laws
    held = first.sets[:, 1]
    spoilt = ClusterDistribution(
        first.labels[held], first.sets[held], first.probabilities[held] / eta, first.best
    )
    return RateSetting("always together", (spoilt, *others), k0)


def label_noise(n_classes: int = 10, *, share: float = 0.6, k0: float = 0.2) -> RateSetting:
    """Class 1 with probability `share`, seen with a random other; else class 0, seen alone.

    One cluster. The average of candidates gives class 1 half a vote and class 0 a whole one, and
    so prefers the rarer class however many rows there are. The infimum loss counts sets.

    Examples
    --------
    >>> label_noise().laws[0].best
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
    """Levels 0, 1, 2 with squared loss; always 0, seen as {0, 2} with probability `eta`, else {0}.

    One cluster. The mean of the losses to 0 and to 2 is least at 1, which is never a candidate.

    Examples
    --------
    >>> ordinal_pairs().laws[0].sets.astype(int).tolist()
    [[1, 0, 1], [1, 0, 0]]
    """
    sets = np.array([[True, False, True], [True, False, False]])
    law = ClusterDistribution(np.zeros(2, dtype=np.intp), sets, np.array([eta, 1.0 - eta]), 0)
    return RateSetting("ordinal pairs", (law,), k0, "squared")


def _uniform_law(label: int, n_classes: int, eta: float) -> ClusterDistribution:
    """All sets that hold the label, with the probability of independent companions."""
    codes = np.arange(2**n_classes)
    sets = (codes[:, None] >> np.arange(n_classes)) % 2 == 1
    sets = sets[sets[:, label]]
    companions = sets.sum(axis=1) - 1
    probabilities = eta**companions * (1.0 - eta) ** (n_classes - 1 - companions)
    return ClusterDistribution(np.full(len(sets), label), sets, probabilities, label)
