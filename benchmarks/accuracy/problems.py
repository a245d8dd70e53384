"""Inputs with candidate sets and a truth for the scores alone: real sets, and corrupted labels."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit

from disambig.datasets import CORRUPTIONS, fetch_libsvm, load_partial_label_mat, out_of_fold_scores
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["CORRUPTED", "KINDS", "LEVELS", "REAL", "Problem", "Split", "forget", "problems_of"]

REAL = ("lost", "MSRCv2")
CORRUPTED = ("dna", "svmguide2", "vehicle", "segment", "glass", "vowel", "satimage", "digits")
KINDS = ("uniform", "skewed_text", "skewed_code", "pairwise", "instance")
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


class Data(NamedTuple):
    """`mask` is None where the sets are still to be drawn."""

    X: FloatArray
    truth: IntArray
    n_classes: int
    mask: BoolArray | None


class Split(NamedTuple):
    """What `selection.run` takes: (X, mask, truth) to train on and (X, truth) to test on."""

    train: tuple[FloatArray, BoolArray, IntArray]
    test: tuple[FloatArray, IntArray]


@dataclass(frozen=True)
class Problem:
    """A data set, as it is or corrupted; of at most `most_rows` rows, drawn with the seed 0."""

    data: str
    kind: str | None = None
    level: float = 0.0
    most_rows: int | None = None

    @property
    def name(self) -> str:
        parts = [self.data]
        if self.kind is not None:
            parts += [self.kind, f"{self.level:g}"]
        if self.most_rows is not None:
            parts.append(f"{self.most_rows} rows")
        return ", ".join(parts)

    def split(self, seed: int) -> Split:
        """A stratified fifth is for testing; labels of the others are corrupted with the seed.

        The rows depend on the seed alone, and at a higher level the sets only grow.
        """
        X, truth, n_classes, mask = _load(self.data, self.most_rows)
        train, test = _rows(self.data, self.most_rows, seed)
        if self.kind is None:
            assert mask is not None
            seen = mask[train]
        else:
            arguments: list[Any] = [self.level]
            if self.kind == "instance":
                arguments.append(_scores(self.data, self.most_rows, seed))
            corruption = CORRUPTIONS[self.kind](*arguments)
            drawn = corruption(truth[train], classes=np.arange(n_classes), random_state=seed)
            seen = drawn.mask
        return Split((X[train], seen, truth[train]), (X[test], truth[test]))


def problems_of(
    data: str, levels: Sequence[float] = LEVELS, most_rows: int | None = None
) -> list[Problem]:
    """One for real sets; one for every corruption and level otherwise."""
    if data in REAL:
        return [Problem(data, most_rows=most_rows)]
    return [Problem(data, kind, level, most_rows) for kind in KINDS for level in levels]


@cache
def _load(name: str, most_rows: int | None) -> Data:
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
    if most_rows is None or most_rows >= len(data.X):
        return data
    rows = np.sort(np.random.default_rng(0).permutation(len(data.X))[:most_rows])
    mask = None if data.mask is None else data.mask[rows]
    return Data(data.X[rows], data.truth[rows], data.n_classes, mask)


def _folder() -> Path:
    folder = Path(os.environ.get("DISAMBIG_DATA", "data"))
    if not (folder / "pll").is_dir():
        raise SystemExit(
            f"accuracy: no folder pll in {folder.name!r}. Set DISAMBIG_DATA to the folder that "
            "holds it, or name other data with --data."
        )
    return folder


@cache
def _rows(name: str, most_rows: int | None, seed: int) -> tuple[IntArray, IntArray]:
    data = _load(name, most_rows)
    splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    train, test = next(splitter.split(data.X, data.truth))
    return train, test


@cache
def _scores(name: str, most_rows: int | None, seed: int) -> FloatArray:
    """How plausible each class is for each training row, the same at all levels."""
    data = _load(name, most_rows)
    train, _ = _rows(name, most_rows, seed)
    return out_of_fold_scores(
        data.X[train], data.truth[train], classes=np.arange(data.n_classes), random_state=seed
    )


def forget() -> None:
    """Data are read again when asked for, from wherever DISAMBIG_DATA then points."""
    for kept in (_load, _rows, _scores):
        kept.cache_clear()
