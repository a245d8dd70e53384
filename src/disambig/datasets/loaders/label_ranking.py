"""Label-ranking data: features, and an order of the items as ``a>b>c``."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from disambig.datasets.loaders.tables import encoded, numbers, read_csv, read_only, text_column
from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, FloatArray

_RANKING = "ranking"


@dataclass(frozen=True, eq=False)
class LabelRankingData:
    """Inputs with an order of m items each; the arrays are read-only.

    Attributes
    ----------
    X : float array (n, d)
    ranks : float array (n, m)
        ``ranks[i, j]``: the number of items before item j in row i. Tied items have equal ranks;
        NaN if an item is not ranked.
    feature_names : tuple of d str
        A column of texts becomes one feature ``column=text`` for each distinct text.
    item_names : tuple of m str
    name : str
    """

    X: FloatArray
    ranks: FloatArray
    feature_names: tuple[str, ...]
    item_names: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "ranks", read_only(self.ranks))


def load_label_ranking(
    path: str | os.PathLike[str], *, items: Sequence[str] | None = None
) -> LabelRankingData:
    r"""Read a comma-separated file with features, a column ``ranking``, and the rank of each item.

    Columns before ``ranking`` are features: numbers (NaN for empty cells, ``?`` and ``NA``), or
    texts, which are one-hot encoded. The ranking is written best first, ``b>a>c``. Adjacent items
    of one letter, as in ``b>ac``, are tied; an item may be left out. Columns after ``ranking`` are
    optional: they are named by the items, contain their ranks from 0 on, and must agree with the
    ranking.

    Parameters
    ----------
    path : path
    items : sequence of str, optional
        The items, in the order of the columns of `ranks`. By default the names of the last columns;
        without such columns, the letters that occur.

    Returns
    -------
    LabelRankingData

    Raises
    ------
    DatasetError
        A row cannot be read, or its ranks contradict its ranking.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.datasets import load_label_ranking
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.txt"
    ...     _ = path.write_text("A1,A2,ranking,a,b,c\n0.5,1,b>c>a,2,0,1\n2,1,a>bc,0,1,1\n")
    ...     data = load_label_ranking(path)
    >>> data.ranks
    array([[2., 0., 1.],
           [0., 1., 1.]])
    """
    path = Path(path)
    header, cells = read_csv(path)
    if _RANKING not in header:
        raise DatasetError(f"{path}: no column {_RANKING!r} in the header {list(header)}.")
    split = header.index(_RANKING)
    texts, last = cells[:, split], header[split + 1 :]
    names = _item_names(path, texts, last, items)
    ranks = _ranks(path, texts, names)
    if last:
        order = [last.index(name) for name in names]
        given = numbers(path, last, cells[:, split + 1 :])[:, order]
        _require_agreement(path, texts, ranks, given)
    X, feature_names = encoded(
        [text_column(name, cells[:, j]) for j, name in enumerate(header[:split])], len(cells)
    )
    return LabelRankingData(X, ranks, feature_names, names, path.stem)


def _item_names(
    path: Path, texts: AnyArray, last: tuple[str, ...], items: Sequence[str] | None
) -> tuple[str, ...]:
    names = tuple(items) if items is not None else last
    if not names:
        names = tuple(sorted(set("".join(texts.tolist())) - set("> ")))
    if len(set(names)) < len(names) or (last and set(names) != set(last)):
        raise DatasetError(
            f"{path}: items={list(names)}; expected distinct names"
            + (f", those of the last columns, {list(last)}." if last else ".")
        )
    return names


def _ranks(path: Path, texts: AnyArray, names: tuple[str, ...]) -> FloatArray:
    column_of = {name: j for j, name in enumerate(names)}
    distinct, first, inverse = np.unique(texts, return_index=True, return_inverse=True)
    table = np.full((len(distinct), len(names)), np.nan)
    for k, text in enumerate(distinct.tolist()):
        before = 0
        for group in text.split(">") if text else []:
            tied = _tied(group.strip(), column_of)
            if not tied or not np.isnan(table[k, tied]).all() or len(set(tied)) < len(tied):
                raise DatasetError(
                    f"{path}: row {first[k]} has the ranking {text!r}; expected each of the items "
                    f"{list(names)} at most once, separated by '>'."
                )
            table[k, tied] = before
            before += len(tied)
    return np.asarray(table[inverse.reshape(-1)])


def _tied(group: str, column_of: dict[str, int]) -> list[int]:
    """Positions of the items in `group`; empty if it is not a group of items."""
    if group in column_of:
        return [column_of[group]]
    return [column_of[letter] for letter in group] if set(group) <= set(column_of) else []


def _require_agreement(path: Path, texts: AnyArray, ranks: FloatArray, given: FloatArray) -> None:
    differs = ~((ranks == given) | (np.isnan(ranks) & np.isnan(given))).all(axis=1)
    if differs.any():
        row = int(np.argmax(differs))
        raise DatasetError(
            f"{path}: row {row} has the ranking {texts[row]!r}, whose ranks are "
            f"{ranks[row].tolist()}, and the ranks {given[row].tolist()} "
            f"({np.count_nonzero(differs)} such rows). Expected the same, counted from 0."
        )
