"""Inputs with known labels, from scikit-learn: nothing is downloaded.

How many neighbours vote, chosen without the truth.

The demonstration: known labels are hidden in sets of candidates, and recovered.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsTransformer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from disambig.candidates import LabelSets
from disambig.cli.demo.comparison import Outcome
from disambig.estimators import PartialLabelClassifier
from disambig.metrics import covering_accuracy
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.weights import NeighborWeights

DATASETS = ("digits", "wine", "iris")
KINDS = ("uniform", "skewed")
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
# The short names of the paper, and what `PartialLabelClassifier` calls them.
METHODS = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
CEILING = "true labels"
N_NEIGHBORS = (5, 10, 20, 40)
N_INNER_FOLDS = 3
TEST_SHARE = 1 / 2


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Inputs with known labels.

    Attributes
    ----------
    name : str
    X : float array (n, d)
    labels : int array (n,)
        Positions in `classes`.
    classes : array (K,)
    picture : (int, int) or None
        Shape of the picture that a row is, if it is one.
    """

    name: str
    X: FloatArray
    labels: IntArray
    classes: AnyArray
    picture: tuple[int, int] | None = None

    @property
    def most_frequent(self) -> int:
        """Position of the most frequent class; the first of several."""
        counts = [int((self.labels == k).sum()) for k in range(len(self.classes))]
        return counts.index(max(counts))


def load_labelled_data(name: str) -> LabelledData:
    """A data set that ships with scikit-learn: "digits", "wine" or "iris".

    Examples
    --------
    >>> load_labelled_data("iris").classes.tolist()
    ['setosa', 'versicolor', 'virginica']
    """
    if name not in DATASETS:
        raise ValueError(f"dataset {name!r} is not known; choose one of {', '.join(DATASETS)}.")
    found = getattr(datasets, f"load_{name}")()
    if name == "digits":
        return LabelledData(name, found.data / 16.0, found.target, found.target_names, (8, 8))
    # The columns come in different units. Scaling looks at inputs alone, never at labels.
    X = StandardScaler().fit_transform(found.data)
    return LabelledData(name, X, found.target, found.target_names)


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """Distances to the nearest training rows: searched once, they serve every method.

    Attributes
    ----------
    rows, others : int arrays (n,), (q,)
        Rows that are trained on, and rows that are predicted.
    among_rows : sparse (n, n)
        Distances from each training row to itself and its nearest.
    to_rows : sparse (q, n)
        Distances from the others to their nearest.
    n_neighbors : int
    """

    rows: IntArray
    others: IntArray
    among_rows: sp.csr_array
    to_rows: sp.csr_array
    n_neighbors: int

    def fit(self, sets: LabelSets, method: str) -> PartialLabelClassifier:
        """Train on the sets of `rows`; `sets` are those of all rows."""
        weights = NeighborWeights(self.n_neighbors, metric="precomputed")
        model = PartialLabelClassifier(weights, method=method)
        return model.fit(self.among_rows, sets[self.rows])


Neighborhoods: TypeAlias = Mapping[int, Neighborhood]
"""The same rows for several numbers of neighbours."""


def neighborhoods(
    X: FloatArray, rows: IntArray, others: IntArray, grid: Sequence[int]
) -> Neighborhoods:
    """Search the neighbours of all rows, for each k of the grid."""
    found = {}
    for k in grid:
        search = KNeighborsTransformer(mode="distance", n_neighbors=k)
        among_rows, to_rows = search.fit_transform(X[rows]), search.transform(X[others])
        # They come in the order of the distances; every fit would sort them anew.
        among_rows.sort_indices()
        to_rows.sort_indices()
        found[k] = Neighborhood(rows, others, among_rows, to_rows, k)
    return found


def inner_folds(
    X: FloatArray, rows: IntArray, grid: Sequence[int], *, n_folds: int, seed: int
) -> list[Neighborhoods]:
    """Training rows cut into folds; each is held out once."""
    cut = KFold(n_folds, shuffle=True, random_state=seed).split(rows)
    return [neighborhoods(X, rows[kept], rows[held], grid) for kept, held in cut]


def chosen_neighbors(folds: Sequence[Neighborhoods], sets: LabelSets, method: str) -> int:
    """The k whose held-out predictions lie inside the observed sets most often.

    The sets are all it looks at, never the true labels. The smallest k wins a tie.
    """
    scores: dict[int, float] = {}
    for k in sorted(folds[0]):
        near = [fold[k] for fold in folds]
        held = np.concatenate([fold.others for fold in near])
        predictions = [fold.fit(sets, method).predict(fold.to_rows) for fold in near]
        # One score over all held-out rows: a small fold may hold nothing but uninformative sets.
        scores[k] = covering_accuracy(sets[held], np.concatenate(predictions))
    return max(scores, key=lambda k: scores[k])


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
    >>> from disambig.cli.demo.experiment import load_labelled_data
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
