"""The demonstration: known labels are hidden in sets of candidates, and recovered."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from disambig.candidates import LabelSets
from disambig.experiments.comparison import Outcome
from disambig.experiments.labelled_data import LabelledData
from disambig.experiments.neighbor_choice import (
    Neighborhoods,
    chosen_neighbors,
    inner_folds,
    neighborhoods,
)
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["CEILING", "KINDS", "LEVELS", "METHODS", "Demo", "Recovered", "Setting"]

KINDS = ("uniform", "skewed")
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
# The short names of the paper, and what `PartialLabelClassifier` calls them.
METHODS = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
CEILING = "true labels"

N_NEIGHBORS = (5, 10, 20, 40)
N_INNER_FOLDS = 3
TEST_SHARE = 1 / 2


class Setting(NamedTuple):
    """Which sets: how candidates join, how likely, in which split."""

    kind: str
    level: float
    split: int


@dataclass(frozen=True, eq=False)
class Recovered:
    """Training rows of one split with what was seen, what came back, and what was true.

    Attributes
    ----------
    rows : int array (n,)
        Row numbers in the data set.
    sets : LabelSets
    labels, truth : arrays (n,)
    resolved : bool array (n,)
    confidence : float array (n,)
    """

    rows: IntArray
    sets: LabelSets
    labels: AnyArray
    resolved: BoolArray
    confidence: FloatArray
    truth: AnyArray

    def candidates(self) -> list[list[Any]]:
        """The classes of each set, in the order of the classes."""
        classes = self.sets.classes
        return [classes[allowed].tolist() for allowed in self.sets.mask]


@dataclass(frozen=True, eq=False)
class Demo:
    """Compare three methods on candidate sets with one that is told the true labels.

    Each split sets half of the rows aside for testing. In the other half, wrong classes join
    the true one: under "uniform" every wrong class with probability `level`; under "skewed" only
    the most frequent class, with probability `level`. All methods use nearest neighbours, whose
    number each method chooses for itself, among 5, 10, 20 and 40, by three-fold
    cross-validation: the one whose held-out predictions lie inside the sets most often. The truth
    makes the sets, keeps the classes in proportion in each split, and scores; no method but the
    ceiling sees it.

    Parameters
    ----------
    data : LabelledData
    n_splits : int
        At least 2, so that there is a standard error.
    seed : int
        Of the splits, of the folds and of the candidates that join.

    Examples
    --------
    >>> from disambig.experiments import load_labelled_data
    >>> demo = Demo(load_labelled_data("iris"), n_splits=2, seed=0)
    >>> demo.sets("uniform", 0.5, split=0).contains(demo.truth).all().item()
    True
    """

    data: LabelledData
    n_splits: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_splits < 2:
            raise ValueError(
                f"Demo: n_splits={self.n_splits}; expected at least 2, so that results come with "
                "a standard error."
            )

    @property
    def truth(self) -> AnyArray:
        """The true class of every row."""
        return self.data.classes[self.data.labels]

    @property
    def n_outcomes(self) -> int:
        """How many outcomes `run` yields."""
        return self.n_splits * len(KINDS) * len(LEVELS) * (len(METHODS) + 1)

    @property
    def grid(self) -> list[int]:
        """Numbers of neighbours to choose from: those that the rows of an inner fold can give."""
        n_rows = self.splits[0][0].size
        fewest = n_rows - math.ceil(n_rows / N_INNER_FOLDS)
        return [k for k in N_NEIGHBORS if k < fewest]

    @cached_property
    def splits(self) -> list[tuple[IntArray, IntArray]]:
        """Training and test rows of every split; classes in the same proportions in both."""
        cut = StratifiedShuffleSplit(
            self.n_splits, test_size=TEST_SHARE, random_state=self.seed
        ).split(self.data.X, self.data.labels)
        return [(np.sort(rows), np.sort(test)) for rows, test in cut]

    def sets(self, kind: str, level: float, split: int) -> LabelSets:
        """Candidates of all rows of the data; a higher level only adds candidates to them."""
        n, n_classes = len(self.data.labels), len(self.data.classes)
        chance = np.random.default_rng([self.seed, split]).random((n, n_classes))
        joins = chance < level
        if kind == "skewed":
            joins[:, np.arange(n_classes) != self.data.most_frequent] = False
        elif kind != "uniform":
            raise ValueError(f"kind={kind!r} is not known; choose one of {', '.join(KINDS)}.")
        joins[np.arange(n), self.data.labels] = True
        return LabelSets(joins, self.data.classes)

    def run(self) -> Iterator[Outcome]:
        """Every method on every split and level, one outcome at a time.

        The method that knows the true labels does not depend on the level; it is run once a split
        and its outcome repeated at each level.
        """
        certain = LabelSets.from_labels(self.truth, classes=self.data.classes)
        for split in range(self.n_splits):
            # Products of a few thousand numbers: threads would wait for each other more than work.
            with threadpool_limits(limits=1):
                near, folds = self._neighborhoods(split)
                ceiling = self._compare(near, folds, certain, "average")
            for kind in KINDS:
                for level in LEVELS:
                    sets = self.sets(kind, level, split)
                    size = float(sets[self.splits[split][0]].sizes.mean())
                    for name, method in METHODS.items():
                        with threadpool_limits(limits=1):
                            found = self._compare(near, folds, sets, method)
                        yield Outcome(kind, level, split, name, size, *found)
                    yield Outcome(kind, level, split, CEILING, 1.0, *ceiling)

    def recover(self, kind: str, level: float, split: int) -> Recovered:
        """The labels that disambiguation finds for the training rows of one split."""
        with threadpool_limits(limits=1):
            near, folds = self._neighborhoods(split)
            sets = self.sets(kind, level, split)
            chosen = near[chosen_neighbors(folds, sets, METHODS["DF"])]
            model = chosen.fit(sets, METHODS["DF"])
        return Recovered(
            rows=chosen.rows,
            sets=sets[chosen.rows],
            labels=model.labels_,
            resolved=model.resolved_,
            confidence=model.confidence_,
            truth=self.truth[chosen.rows],
        )

    def _neighborhoods(self, split: int) -> tuple[Neighborhoods, list[Neighborhoods]]:
        rows, test = self.splits[split]
        near = neighborhoods(self.data.X, rows, test, self.grid)
        folds = inner_folds(self.data.X, rows, self.grid, n_folds=N_INNER_FOLDS, seed=self.seed)
        return near, folds

    def _compare(
        self, near: Neighborhoods, folds: list[Neighborhoods], sets: LabelSets, method: str
    ) -> tuple[int, float, float]:
        chosen = near[chosen_neighbors(folds, sets, method)]
        model = chosen.fit(sets, method)
        error = float(np.mean(model.predict(chosen.to_rows) != self.truth[chosen.others]))
        return chosen.n_neighbors, error, float(np.mean(model.labels_ == self.truth[chosen.rows]))
