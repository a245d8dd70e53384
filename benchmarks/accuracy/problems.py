"""Problems of the comparison: real candidate sets, and corrupted labels.

The truth is used for splits and scores only.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit

from disambig.datasets import fetch_libsvm, load_partial_label_mat
from disambig.datasets.corruptions.instance import out_of_fold_scores
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["CORRUPTED", "KINDS", "LEVELS", "REAL", "Problem", "Split", "forget", "problems_of"]

REAL = ("lost", "MSRCv2")
CORRUPTED = ("dna", "svmguide2", "vehicle", "segment", "glass", "vowel", "satimage", "digits")
KINDS = ("uniform", "skewed_text", "skewed_code", "pairwise", "instance")
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


class Data(NamedTuple):
    """A data set; `mask` is None if the sets are drawn by a corruption."""

    X: FloatArray
    truth: IntArray
    n_classes: int
    mask: BoolArray | None


class Split(NamedTuple):
    """Arguments of `selection.run`: (X, mask, truth) for training, (X, truth) for testing."""

    train: tuple[FloatArray, BoolArray, IntArray]
    test: tuple[FloatArray, IntArray]


@dataclass(frozen=True)
class Problem:
    """A data set with real or drawn sets; at most `max_rows` rows, which are drawn with seed 0."""

    data: str
    kind: str | None = None
    level: float = 0.0
    max_rows: int | None = None

    @property
    def name(self) -> str:
        parts = [self.data]
        if self.kind is not None:
            parts += [self.kind, f"{self.level:g}"]
        if self.max_rows is not None:
            parts.append(f"{self.max_rows} rows")
        return ", ".join(parts)

    def split(self, seed: int) -> Split:
        """A stratified fifth of the rows is for testing; labels of the others are corrupted.

        The rows depend on the seed only. At a higher level each set contains that of a lower level.
        """
        X, truth, n_classes, mask = _load(self.data, self.max_rows)
        train, test = _rows(self.data, self.max_rows, seed)
        if self.kind is None:
            assert mask is not None
            seen = mask[train]
        else:
            arguments: list[Any] = [self.level]
            if self.kind == "instance":
                arguments.append(_scores(self.data, self.max_rows, seed))
            corruption = CORRUPTIONS[self.kind](*arguments)
            drawn = corruption(truth[train], classes=np.arange(n_classes), random_state=seed)
            seen = drawn.mask
        return Split((X[train], seen, truth[train]), (X[test], truth[test]))


def problems_of(
    data: str, levels: Sequence[float] = LEVELS, max_rows: int | None = None
) -> list[Problem]:
    """One problem for real sets, else one for each corruption and level."""
    if data in REAL:
        return [Problem(data, max_rows=max_rows)]
    return [Problem(data, kind, level, max_rows) for kind in KINDS for level in levels]


@cache
def _load(name: str, max_rows: int | None) -> Data:
    if name in REAL:
        real = load_partial_label_mat(_folder() / "pll" / f"{name}.mat")
        data = Data(real.X, real.labels, real.sets.n_classes, real.sets.mask)
    else:
        if name == "digits":
            X, y = load_digits(return_X_y=True)
        else:
            loaded = fetch_libsvm(name)
            X, y = loaded.X, loaded.y
        classes, truth = np.unique(y, return_inverse=True)
        data = Data(X, truth, len(classes), None)
    if max_rows is None or max_rows >= len(data.X):
        return data
    rows = np.sort(np.random.default_rng(0).permutation(len(data.X))[:max_rows])
    mask = None if data.mask is None else data.mask[rows]
    return Data(data.X[rows], data.truth[rows], data.n_classes, mask)


def _folder() -> Path:
    folder = Path(os.environ.get("DISAMBIG_DATA", "data"))
    if not (folder / "pll").is_dir():
        raise SystemExit(
            f"accuracy: there is no folder pll in {folder.name!r}. Set DISAMBIG_DATA to the folder "
            "that contains it, or choose other data with --data."
        )
    return folder


@cache
def _rows(name: str, max_rows: int | None, seed: int) -> tuple[IntArray, IntArray]:
    data = _load(name, max_rows)
    splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    train, test = next(splitter.split(data.X, data.truth))
    return train, test


@cache
def _scores(name: str, max_rows: int | None, seed: int) -> FloatArray:
    """How plausible each class is for each training row, the same at all levels."""
    data = _load(name, max_rows)
    train, _ = _rows(name, max_rows, seed)
    return out_of_fold_scores(
        data.X[train], data.truth[train], classes=np.arange(data.n_classes), random_state=seed
    )


def forget() -> None:
    """Clear the caches, so that data are read again from the folder DISAMBIG_DATA."""
    for cached in (_load, _rows, _scores):
        cached.cache_clear()
