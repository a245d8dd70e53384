"""The result of `ambiguity`: ``eta`` by region, with intervals and a summary in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.theory.requirements import Requirement, theorem_requirement
from disambig.theory.shares import Shares, require_confidence
from disambig.theory.verdicts import RegionFacts, Status, in_words, status_of


class ClassPair(NamedTuple):
    """How often `other` is a candidate in a region whose label is `label`.

    Attributes
    ----------
    region, label, other : objects
    share, low, high : float
        An unbiased estimate, and its interval.
    n_rows : int
        Sets that were counted.
    """

    region: Any
    label: Any
    other: Any
    share: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True, eq=False, repr=False)
class Ambiguity:
    """``eta = max over z != label of Pr(z in S)``, region by region.

    Labels and runner-ups were selected on one half of the rows, and counts come from the other
    half. The counts are binomial, so that shares are unbiased and intervals exact. (The second
    largest frequency of the same rows would be too large, because it is a maximum.)

    Attributes
    ----------
    classes : array (K,)
    regions : tuple of R names
    of_labels : bool
        Whether a region is where one class was recovered; otherwise regions were given.
    codes : int array (n,)
        The region of each row, by its place in `regions`.
    labels, runner_ups : int array (R,)
        The class of each region, and the other class that is a candidate most often, as columns.
    n_chosen, n_counted : int array (R,)
        Rows of the half that selects, and of the half that counts.
    chosen, counts : int array (R, K)
        Sets of either half that contain each class.
    confidence : float in (0, 1)

    Examples
    --------
    >>> from disambig.datasets import make_separated_clusters
    >>> from disambig.theory import ambiguity
    >>> data = make_separated_clusters(400, eta=0.3, random_state=0)
    >>> report = ambiguity(data.X, data.candidates)
    >>> bool((report.eta.high < 1).all())  # no class is in all sets of another
    True
    """

    classes: AnyArray
    regions: tuple[Any, ...]
    of_labels: bool
    codes: IntArray
    labels: IntArray
    runner_ups: IntArray
    n_chosen: IntArray
    n_counted: IntArray
    chosen: IntArray
    counts: IntArray
    confidence: float

    def __post_init__(self) -> None:
        require_confidence(type(self).__name__, self.confidence)
        arrays = ("codes", "labels", "runner_ups", "n_chosen", "n_counted", "chosen", "counts")
        for name in arrays:
            array = getattr(self, name).copy()
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return (
            f"Ambiguity({len(self.regions)} regions, {len(self.classes)} classes, "
            f"{int((self.n_chosen + self.n_counted).sum())} rows)"
        )

    def __str__(self) -> str:
        return self.summary()

    @property
    def is_judged(self) -> BoolArray:
        """Regions with rows in both halves, ``(R,)``; the others cannot be judged."""
        return np.asarray((self.n_chosen > 0) & (self.n_counted > 0))

    @cached_property
    def shares(self) -> Shares:
        """How often each class is a candidate in each region, ``(R, K)``."""
        return Shares(self.counts, self.n_counted[:, None], self.confidence)

    @cached_property
    def eta(self) -> Shares:
        """How often the runner-up is a candidate, ``(R,)``."""
        return Shares(self.counts[self._rows, self.runner_ups], self.n_counted, self.confidence)

    @cached_property
    def covered(self) -> Shares:
        """How often the label itself is a candidate, ``(R,)``: 1 if sets contain the truth."""
        return Shares(self.counts[self._rows, self.labels], self.n_counted, self.confidence)

    @cached_property
    def eta_bound(self) -> FloatArray:
        """Upper bound on how often any wrong class is a candidate, ``(R,)``.

        All bounds hold together with probability `confidence` at least. A bound is 1 if a class was
        in every set: no number of such sets proves that it can be absent.
        """
        n_bounds = max(1, len(self.regions) * (len(self.classes) - 1))
        bounds = self.shares.upper((1.0 - self.confidence) / n_bounds)
        bounds[self._rows, self.labels] = 0.0
        return np.asarray(bounds.max(axis=1))

    @property
    def is_certified(self) -> BoolArray:
        """Regions where ``eta < 1`` with the given confidence, ``(R,)``."""
        return np.asarray((self.eta_bound < 1.0) & self.is_judged)

    def pairs(self, least: float = 0.0) -> list[ClassPair]:
        """Wrong classes in at least the share `least` of the sets of a region, largest first.

        Parameters
        ----------
        least : float, default 0
            From 0 to 1.
        """
        share, low, high = self.shares.estimate, self.shares.low, self.shares.high
        wanted = self.is_judged[:, None] & (np.nan_to_num(share) >= least)
        wanted[self._rows, self.labels] = False
        rows, columns = np.nonzero(wanted)
        order = np.argsort(-share[rows, columns], kind="stable")
        names = listed(self.classes)
        return [
            ClassPair(
                self.regions[r],
                names[self.labels[r]],
                names[c],
                float(share[r, c]),
                float(low[r, c]),
                float(high[r, c]),
                int(self.n_counted[r]),
            )
            for r, c in zip(rows[order].tolist(), columns[order].tolist(), strict=True)
        ]

    def requirement(
        self,
        error: float = 0.05,
        *,
        eta: float | None = None,
        mass: float | None = None,
        c_phi: float = 1.0,
        c_psi: float = 1.0,
    ) -> Requirement:
        """What the theorem requires of all regions that are judged.

        Parameters
        ----------
        error : float
            The excess risk to be reached.
        eta : float, optional
            By default the largest `eta_bound`. With an estimate the theorem promises nothing for
            sure, and requires less.
        mass : float, optional
            p of the theorem; by default the share of the smallest region, which is right if every
            region is one small cluster.
        c_phi, c_psi : float
            See `theorem_requirement`.
        """
        rows = (self.n_chosen + self.n_counted)[self.is_judged]
        if mass is None:
            mass = float(rows.min() / rows.sum()) if rows.size else 1.0
        if eta is None:
            eta = float(self.eta_bound[self.is_judged].max()) if rows.size else 1.0
        return theorem_requirement(
            eta,
            n_classes=len(self.classes),
            mass=mass,
            error=error,
            c_phi=c_phi,
            c_psi=c_psi,
        )

    def neighbors(self, error: float = 0.05) -> list[int | None]:
        """Neighbours that suffice by the theorem at the estimated `eta` of each region.

        None where no number does, or where no set was counted.

        Parameters
        ----------
        error : float, default 0.05
            The excess risk to be reached.
        """
        return [facts.neighbors(error) for facts in self._facts()]

    def statuses(self, error: float = 0.05) -> list[Status]:
        """The status of each region.

        Parameters
        ----------
        error : float, default 0.05
            The excess risk to be reached.
        """
        return [status_of(facts, error) for facts in self._facts()]

    def summary(self, error: float = 0.05) -> str:
        """The result in words, for an excess risk of `error`.

        Parameters
        ----------
        error : float, default 0.05
            The excess risk to be reached.
        """
        return in_words(self._facts(), self.requirement(error), self.confidence, self.of_labels)

    def _facts(self) -> list[RegionFacts]:
        names = listed(self.classes)
        always = self.chosen + self.counts == (self.n_chosen + self.n_counted)[:, None]
        always[self._rows, self.labels] = False
        lows = Shares(self.n_counted, self.n_counted, self.confidence).low
        return [
            RegionFacts(
                region=self.regions[r],
                label=names[self.labels[r]],
                runner_up=names[self.runner_ups[r]],
                always=tuple(names[c] for c in np.flatnonzero(always[r])),
                always_low=float(lows[r]),
                n_rows=int(self.n_chosen[r] + self.n_counted[r]),
                n_counted=int(self.n_counted[r]) if self.is_judged[r] else 0,
                n_classes=len(names),
                covered=float(self.covered.estimate[r]),
                eta=float(self.eta.estimate[r]),
                low=float(self.eta.low[r]),
                high=float(self.eta.high[r]),
            )
            for r in range(len(self.regions))
        ]

    @property
    def _rows(self) -> IntArray:
        return np.arange(len(self.regions))
