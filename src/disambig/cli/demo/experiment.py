"""The experiment of ``disambig demo``: hide known labels in candidate sets, and recover them.

Data come with scikit-learn. Each method selects its number of neighbours by cross-validation on the
sets, without true labels.
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
from disambig.parameters import check_choice, check_integer
from disambig.weights import NeighborWeights

DATASETS = ("digits", "wine", "iris")
KINDS = ("uniform", "skewed")
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
# The short names of the paper, and the names of `PartialLabelClassifier`.
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
        Shape of the image, if rows are images.
    """

    name: str
    X: FloatArray
    labels: IntArray
    classes: AnyArray
    picture: tuple[int, int] | None = None

    @property
    def most_frequent(self) -> int:
        """Position of the most frequent class; of ties the first."""
        counts = [int((self.labels == k).sum()) for k in range(len(self.classes))]
        return counts.index(max(counts))


def load_labelled_data(name: str) -> LabelledData:
    """A data set that is part of scikit-learn: "digits", "wine" or "iris".

    Examples
    --------
    >>> load_labelled_data("iris").classes.tolist()
    ['setosa', 'versicolor', 'virginica']
    """
    check_choice("Demo", "dataset", name, DATASETS)
    found = getattr(datasets, f"load_{name}")()
    if name == "digits":
        return LabelledData(name, found.data / 16.0, found.target, found.target_names, (8, 8))
    # The columns have different units. Scaling uses inputs alone, not labels.
    X = StandardScaler().fit_transform(found.data)
    return LabelledData(name, X, found.target, found.target_names)


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """Distances to the nearest training rows, computed once for all methods.

    Attributes
    ----------
    rows, others : int arrays (n,), (q,)
        Training rows, and rows to predict.
    among_rows : sparse (n, n)
        Distances from each training row to itself and its nearest training rows.
    to_rows : sparse (q, n)
        Distances from the other rows to their nearest training rows.
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
    """Find the neighbours of all rows, for each k of the grid."""
    found = {}
    for k in grid:
        search = KNeighborsTransformer(mode="distance", n_neighbors=k)
        among_rows, to_rows = search.fit_transform(X[rows]), search.transform(X[others])
        # Columns are in the order of distances; otherwise every fit would sort them again.
        among_rows.sort_indices()
        to_rows.sort_indices()
        found[k] = Neighborhood(rows, others, among_rows, to_rows, k)
    return found


def inner_folds(
    X: FloatArray, rows: IntArray, grid: Sequence[int], *, n_folds: int, seed: int
) -> list[Neighborhoods]:
    """Neighbours for every fold of the training rows, with the fold held out."""
    split = KFold(n_folds, shuffle=True, random_state=seed).split(rows)
    return [neighborhoods(X, rows[kept], rows[held], grid) for kept, held in split]


def select_n_neighbors(folds: Sequence[Neighborhoods], sets: LabelSets, method: str) -> int:
    """The k whose held-out predictions are in the observed sets most often; of ties the smallest.

    True labels are not used.
    """
    scores: dict[int, float] = {}
    for k in sorted(folds[0]):
        near = [fold[k] for fold in folds]
        held = np.concatenate([fold.others for fold in near])
        predictions = [fold.fit(sets, method).predict(fold.to_rows) for fold in near]
        # One score over all held-out rows: a small fold may have no informative row.
        scores[k] = covering_accuracy(sets[held], np.concatenate(predictions))
    return max(scores, key=lambda k: scores[k])


class Setting(NamedTuple):
    """The settings of candidate sets: kind and level of ambiguity, and split."""

    kind: str
    level: float
    split: int


@dataclass(frozen=True, eq=False)
class Recovered:
    """Training rows of one split with their sets, recovered labels and true labels.

    Attributes
    ----------
    rows : int array (n,)
        Row numbers in the data set.
    sets : LabelSets
    labels, truth : arrays (n,)
    decided, resolved : bool arrays (n,)
    confidence : float array (n,)
    """

    rows: IntArray
    sets: LabelSets
    labels: AnyArray
    decided: BoolArray
    resolved: BoolArray
    confidence: FloatArray
    truth: AnyArray

    def candidates(self) -> list[list[Any]]:
        """The classes of each set, in the order of the classes."""
        classes = self.sets.classes
        return [classes[allowed].tolist() for allowed in self.sets.mask]


@dataclass(frozen=True, eq=False)
class Demo:
    """Compare three methods on candidate sets with one that is trained on the true labels.

    Each split holds half of the rows out for testing. In the other half, wrong classes are added
    to the true one: for "uniform" every wrong class with probability `level`; for "skewed" only
    the most frequent class, with probability `level`. All methods use nearest neighbours. Each
    method selects their number among 5, 10, 20 and 40 by three-fold cross-validation: the one whose
    held-out predictions are in the sets most often. True labels are used to make the sets, to
    stratify the splits, and to score; only the ceiling is trained on them.

    Parameters
    ----------
    data : LabelledData
    n_splits : int
        At least 2, so that there is a standard error.
    seed : int
        Of the splits, of the folds and of the added candidates.

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
        # Results come with a standard error.
        check_integer("Demo", "n_splits", self.n_splits, least=2)

    @property
    def truth(self) -> AnyArray:
        """The true class of every row."""
        return self.data.classes[self.data.labels]

    @property
    def n_outcomes(self) -> int:
        """The number of outcomes that `run` yields."""
        return self.n_splits * len(KINDS) * len(LEVELS) * (len(METHODS) + 1)

    @property
    def grid(self) -> list[int]:
        """Numbers of neighbours to select from: those below the rows of an inner training part."""
        n_rows = self.splits[0][0].size
        n_inner = n_rows - math.ceil(n_rows / N_INNER_FOLDS)
        return [k for k in N_NEIGHBORS if k < n_inner]

    @cached_property
    def splits(self) -> list[tuple[IntArray, IntArray]]:
        """Training and test rows of every split; classes in the same proportions in both."""
        splits = StratifiedShuffleSplit(
            self.n_splits, test_size=TEST_SHARE, random_state=self.seed
        ).split(self.data.X, self.data.labels)
        return [(np.sort(rows), np.sort(test)) for rows, test in splits]

    def sets(self, kind: str, level: float, split: int) -> LabelSets:
        """Candidates of all rows of the data; a higher level only adds candidates."""
        check_choice("Demo", "kind", kind, KINDS)
        n, n_classes = len(self.data.labels), len(self.data.classes)
        draws = np.random.default_rng([self.seed, split]).random((n, n_classes))
        mask = draws < level
        if kind == "skewed":
            mask[:, np.arange(n_classes) != self.data.most_frequent] = False
        mask[np.arange(n), self.data.labels] = True
        return LabelSets(mask, self.data.classes)

    def run(self) -> Iterator[Outcome]:
        """Every method on every split and level, one outcome at a time.

        The method that is trained on the true labels does not depend on the level: it is run once
        for each split, and its outcome is repeated at each level.
        """
        true_sets = LabelSets.from_labels(self.truth, classes=self.data.classes)
        for split in range(self.n_splits):
            # The products are small: threads would spend more time waiting than computing.
            with threadpool_limits(limits=1):
                near, folds = self._neighborhoods(split)
                ceiling = self._compare(near, folds, true_sets, "average")
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
        """The labels that disambiguation recovers for the training rows of one split."""
        with threadpool_limits(limits=1):
            near, folds = self._neighborhoods(split)
            sets = self.sets(kind, level, split)
            selected = near[select_n_neighbors(folds, sets, METHODS["DF"])]
            model = selected.fit(sets, METHODS["DF"])
        return Recovered(
            rows=selected.rows,
            sets=sets[selected.rows],
            labels=model.labels_,
            decided=model.decided_,
            resolved=model.resolved_,
            confidence=model.confidence_,
            truth=self.truth[selected.rows],
        )

    def _neighborhoods(self, split: int) -> tuple[Neighborhoods, list[Neighborhoods]]:
        rows, test = self.splits[split]
        near = neighborhoods(self.data.X, rows, test, self.grid)
        folds = inner_folds(self.data.X, rows, self.grid, n_folds=N_INNER_FOLDS, seed=self.seed)
        return near, folds

    def _compare(
        self, near: Neighborhoods, folds: list[Neighborhoods], sets: LabelSets, method: str
    ) -> tuple[int, float, float]:
        selected = near[select_n_neighbors(folds, sets, method)]
        model = selected.fit(sets, method)
        error = float(np.mean(model.predict(selected.to_rows) != self.truth[selected.others]))
        return (
            selected.n_neighbors,
            error,
            float(np.mean(model.labels_ == self.truth[selected.rows])),
        )
