"""Data sets with which the default was designed, with corrupted labels."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.accuracy.problems import KINDS, Split
from disambig.datasets import load_label_ranking
from disambig.datasets.corruptions.instance import out_of_fold_scores
from disambig.datasets.corruptions.registry import CORRUPTIONS

__all__ = ["DATA", "LEVELS", "SEED", "Corrupted", "problems"]

LEVELS = (0.3, 0.7, 0.9)
DATA = ("iris", "wine", "5 classes", "10 classes", "authorship")
MAX_TRAINING_ROWS, MAX_TRAINING_SHARE, MAX_TEST_ROWS = 400, 0.7, 600
SEED = 0


@dataclass(frozen=True)
class Corrupted:
    data: str
    kind: str
    level: float

    @property
    def name(self) -> str:
        return f"{self.data}, {self.kind}, {self.level:g}"

    def split(self) -> Split:
        X, y = load(self.data)
        trained = min(MAX_TRAINING_ROWS, int(MAX_TRAINING_SHARE * len(X)))
        tested = min(MAX_TEST_ROWS, len(X) - trained)
        splitter = StratifiedShuffleSplit(
            1, train_size=trained, test_size=tested, random_state=SEED
        )
        train, test = next(splitter.split(X, y))
        classes = np.unique(y)
        arguments: list[Any] = [self.level]
        if self.kind == "instance":
            arguments.append(
                out_of_fold_scores(X[train], y[train], classes=classes, random_state=SEED)
            )
        corruption = CORRUPTIONS[self.kind](*arguments)
        sets = corruption(y[train], classes=classes, random_state=SEED)
        return Split((X[train], sets.mask, y[train]), (X[test], y[test]))


@cache
def load(name: str) -> Any:
    """Inputs (n, d) and classes 0, 1, ... (n,)."""
    if name == "iris":
        return load_iris(return_X_y=True)
    if name == "wine":
        return load_wine(return_X_y=True)
    if name == "authorship":
        data = load_label_ranking(_authorship())
        return data.X, np.unique(data.ranks.argmin(axis=1), return_inverse=True)[1]
    n, d, n_classes, separation = (500, 10, 5, 1.2) if name == "5 classes" else (600, 20, 10, 2.0)
    return make_classification(
        n, d, n_informative=d // 2, n_classes=n_classes, class_sep=separation, random_state=SEED
    )


def _authorship() -> Path:
    return Path(os.environ.get("DISAMBIG_DATA", "data")) / "labelranking" / "authorship.txt"


def problems() -> list[Corrupted]:
    names = [name for name in DATA if name != "authorship" or _authorship().exists()]
    return [Corrupted(n, kind, level) for level in LEVELS for n in names for kind in KINDS]
