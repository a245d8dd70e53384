"""How many neighbours vote, chosen without the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsTransformer

from disambig.candidates import LabelSets
from disambig.estimators import PartialLabelClassifier
from disambig.metrics import covering_accuracy
from disambig.notation import FloatArray, IntArray
from disambig.weights import NeighborWeights

__all__ = ["Neighborhood", "Neighborhoods", "chosen_neighbors", "inner_folds", "neighborhoods"]


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
