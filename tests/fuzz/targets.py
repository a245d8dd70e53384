"""Targets y of every kind: valid ones in all forms, then damaged in one or two places."""

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from disambig import Intervals, LabelSets, PartialBits, PartialOrders
from disambig.candidates import ClassCounts, IntervalUnions
from tests.fuzz.case import Case

KINDS = ("labels", "numbers", "orders", "bits")
# What may stand where a target should.
_ODD_ENTRIES: tuple[Any, ...] = (
    None,
    np.nan,
    np.inf,
    -1,
    0,
    7,
    2.5,
    "",
    " ",
    "?",
    "a|b",
    "zzz",
    b"a",
    True,
    (),
    [],
    set(),
    {"a", 1},
    {"a": 1},
    [["a"]],
    ("a", ("b",)),
    [None],
    [np.nan, 1.0],
    1j,
    decimal.Decimal("1"),
    decimal.Decimal("NaN"),
    pd.NA,
    pd.NaT,
    pd.Timestamp("2024-01-01"),
    np.datetime64("2024-01-01"),
    10**400,
    "\ud800",
    float,
    np.zeros((0, 2)),
    np.array(1.0),
)


def targets(case: Case, kind: str, n: int, share: float = 0.4) -> Any:
    """Targets of n rows of a kind; a share of them is odd."""
    makers = _MAKERS[kind]
    name = case.pick(list(makers))
    y = makers[name](case, n)
    case.note(f"y: {kind}, {name}")
    return damaged(case, y) if case.is_odd(share) else y


def damaged(case: Case, y: Any) -> Any:
    """The targets with one thing wrong; objects of ours are turned into lists first."""
    how = case.pick(["entry", "entry", "entries", "shorter", "longer", "form", "other"])
    case.note(f"damaged: {how}")
    if how == "other":
        return case.pick([None, [], "labels", 3, len, np.zeros((3, 0)), np.zeros((0, 3)), {}])
    if how == "form":
        return _other_form(case, y)
    rows = _rows(y)
    if how == "shorter":
        return rows[:-1]
    if how == "longer":
        return [*rows, *rows[:1]]
    for _ in range(1 if how == "entry" else 3):
        if rows:
            odd = case.pick(_ODD_ENTRIES)
            place = case.random.randrange(len(rows))
            case.note(f"row {place}: {odd!r:.40}")
            if isinstance(rows[place], list) and rows[place] and case.chance(0.5):
                rows[place] = [*rows[place]]
                rows[place][case.random.randrange(len(rows[place]))] = odd
            else:
                rows[place] = odd
    return rows


def _rows(y: Any) -> list[Any]:
    if hasattr(y, "toarray"):
        y = y.toarray()
    if isinstance(y, pd.DataFrame | pl.DataFrame):
        y = y.to_numpy()
    return y.tolist() if isinstance(y, np.ndarray) else list(y)


def _other_form(case: Case, y: Any) -> Any:
    rows = _rows(y)
    column = np.empty(len(rows), dtype=object)
    column[:] = rows if not isinstance(y, np.ndarray) or y.ndim == 1 else list(map(tuple, rows))
    made: list[Callable[[], Any]] = [
        lambda: column,
        lambda: column[:, None],
        lambda: pd.Series(column, index=np.arange(len(rows))[::-1]),
        lambda: tuple(rows),
        lambda: iter(rows),
        lambda: dict(enumerate(rows)),
        lambda: [str(row) for row in rows],
        lambda: [repr(row).encode() for row in rows],
        lambda: pd.Series([str(row) for row in rows], dtype="category"),
        lambda: pd.Series([str(row) for row in rows], dtype="string"),
        lambda: pl.Series([str(row) for row in rows]),
        lambda: np.array([str(row) for row in rows]),
        lambda: np.array(range(len(rows)), dtype="datetime64[D]"),
        lambda: np.ma.masked_equal(np.arange(len(rows)) % 3, 1),
        lambda: np.arange(len(rows)) / 7,
        lambda: np.arange(len(rows)) * 1j,
        lambda: np.arange(len(rows)).reshape(-1, 1),
        lambda: np.arange(2 * len(rows)).reshape(-1, 2),
        lambda: np.zeros((len(rows), 2, 3)),
        lambda: sp.coo_array(np.eye(len(rows), 3)),
    ]
    place = case.random.randrange(len(made))
    case.note(f"form {place}")
    return made[place]()


# ------------------------------------------------------------------ labels


def _mask(case: Case, n: int, k: int = 3) -> Any:
    mask = case.numpy.random(size=(n, k)) < 0.35
    mask[np.arange(n), case.numpy.integers(0, k, size=n)] = True
    return mask


def _sets(case: Case, n: int) -> list[set[str]]:
    return [{"abc"[k] for k in np.flatnonzero(row)} for row in _mask(case, n)]


def _weights(case: Case, n: int) -> Any:
    weights = _mask(case, n) * case.numpy.random(size=(n, 3))
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def _counts(case: Case, n: int) -> Any:
    sets = LabelSets(_mask(case, n), np.array(["a", "b", "c"]))
    bounds = [(0, n), (case.size(0, 2), n), (0, max(1, n - 1))]
    try:
        return ClassCounts(sets, bounds)
    except ValueError:
        return sets


_LABELS: dict[str, Callable[[Case, int], Any]] = {
    "mask": _mask,
    "zeros and ones": lambda case, n: _mask(case, n).astype(int),
    "weights": _weights,
    "sets": _sets,
    "lists": lambda case, n: [sorted(found) for found in _sets(case, n)],
    "object": lambda case, n: LabelSets(_mask(case, n), np.array(["a", "b", "c"])),
    "labels": lambda case, n: case.numpy.choice(["a", "b", "c"], size=n),
    "integers": lambda case, n: case.numpy.integers(0, 3, size=n),
    "one class": lambda case, n: ["a"] * n,
    "every class": lambda case, n: [{"a", "b"}] * n,
    "many classes": lambda case, n: [{k, k + 1} for k in range(n)],
    "mixed types": lambda case, n: [case.pick([{1, "1"}, {True}, {"1"}, {2.0}]) for _ in range(n)],
    "tuples": lambda case, n: [{("a", 1)}, {("b", 2), ("a", 1)}, {("b", 2)}] * n,
    "frame": lambda case, n: pd.DataFrame(_mask(case, n), columns=["a", "b", "c"]),
    "polars": lambda case, n: pl.DataFrame(_mask(case, n).astype(int), schema=["a", "b", "c"]),
    "series": lambda case, n: pd.Series(_sets(case, n)),
    "sparse": lambda case, n: sp.csr_array(_mask(case, n).astype(float)),
    "markers": lambda case, n: [case.pick(["a", "b", "?", -1, None]) for _ in range(n)],
    "counts": _counts,
    "few labels": lambda case, n: ["a", "b", *[{"a", "b"}] * n][:n],
    "dates": lambda case, n: case.numpy.choice(["2024-01-01", "2024-01-02"], size=n).astype("M8"),
}


# ------------------------------------------------------------------ numbers


def _ends(case: Case, n: int) -> Any:
    centers = case.numpy.normal(size=n)
    radii = case.numpy.exponential(size=n)
    return np.column_stack([centers - radii, centers + radii])


def _open_ends(case: Case, n: int) -> Any:
    ends = _ends(case, n)
    ends[case.numpy.random(size=n) < 0.3, 0] = -np.inf
    ends[case.numpy.random(size=n) < 0.3, 1] = np.inf
    return ends


def _number_texts(case: Case, n: int) -> Any:
    texts = ["1-2", "[0, 1]", "> 3", "<= 5", "1.5", "(1, 2] | [4, 5]", "3 ± 1", "30-40k", "-1 - 2"]
    return [case.pick(texts) for _ in range(n)]


def _unions(case: Case, n: int) -> Any:
    return IntervalUnions.from_any([case.pick(["[0, 1] | >= 3", "[1, 2]", "2"]) for _ in range(n)])


def _half_missing(case: Case, n: int) -> Any:
    return np.where(case.numpy.random(size=(n, 2)) < 0.2, np.nan, _ends(case, n))


def _extreme_ends(case: Case, n: int) -> Any:
    return _ends(case, n) * case.pick([1e300, 1e-300, 1e155, 1e-5, 1e9])


_NUMBERS: dict[str, Callable[[Case, int], Any]] = {
    "ends": _ends,
    "open ends": _open_ends,
    "extreme ends": _extreme_ends,
    "points": lambda case, n: case.numpy.normal(size=n),
    "integers": lambda case, n: case.numpy.integers(0, 9, size=n),
    "boxes": lambda case, n: np.stack([_ends(case, n), _ends(case, n)], axis=1),
    "object": lambda case, n: Intervals.from_any(_open_ends(case, n)),
    "unions": _unions,
    "texts": _number_texts,
    "pairs": lambda case, n: [tuple(ends) for ends in _open_ends(case, n)],
    "lists of pairs": lambda case, n: [case.pick([[(0, 1), (2, 3)], (1, 2), 3]) for _ in range(n)],
    "the same": lambda case, n: np.tile([0.0, 1.0], (n, 1)),
    "whole": lambda case, n: np.tile([-np.inf, np.inf], (n, 1)),
    "swapped": lambda case, n: _ends(case, n)[:, ::-1],
    "frame": lambda case, n: pd.DataFrame(_ends(case, n), columns=["lower", "upper"]),
    "interval array": lambda case, n: pd.arrays.IntervalArray.from_arrays(*_ends(case, n).T),
    "half missing": _half_missing,
    "decimals": lambda case, n: [decimal.Decimal(f"{v:.2f}") for v in case.numpy.normal(size=n)],
}


# ------------------------------------------------------------------ orders


def _ranks(case: Case, n: int, m: int = 4) -> Any:
    ranks = np.argsort(case.numpy.random(size=(n, m)), axis=1).astype(float)
    ranks[case.numpy.random(size=(n, m)) < 0.3] = np.nan
    return ranks


def _chains(case: Case, n: int) -> Any:
    chains = ["a>b>c", "b>a", "c>a; b>d", "a", "", "d > c > b", "a>b; b>c; c>d"]
    return [case.pick(chains) for _ in range(n)]


def _pairs(case: Case, n: int) -> Any:
    return [case.pick([[("a", "b")], [("b", "c"), ("a", "c")], [], [("c", "a")]]) for _ in range(n)]


_ORDERS: dict[str, Callable[[Case, int], Any]] = {
    "ranks": _ranks,
    "whole ranks": lambda case, n: np.argsort(case.numpy.random(size=(n, 4)), axis=1),
    "tied ranks": lambda case, n: case.numpy.integers(0, 3, size=(n, 4)),
    "places": lambda case, n: np.argsort(case.numpy.random(size=(n, 3)), axis=1),
    "signs": lambda case, n: PartialOrders.from_ranks(_ranks(case, n)).before.astype(int),
    "random signs": lambda case, n: case.numpy.integers(-1, 2, size=(n, 3, 3)),
    "chains": _chains,
    "pairs": _pairs,
    "object": lambda case, n: PartialOrders.from_ranks(_ranks(case, n)),
    "frame": lambda case, n: pd.DataFrame(_ranks(case, n), columns=list("abcd")),
    "no pairs": lambda case, n: np.full((n, 3), np.nan),
    "one item": lambda case, n: np.zeros((n, 1)),
    "two items": lambda case, n: _ranks(case, n, 2),
    "many items": lambda case, n: _ranks(case, n, 11),
    "cycles": lambda case, n: [case.pick(["a>b>a", "a>b", "b>c"]) for _ in range(n)],
}


# ------------------------------------------------------------------ bits


def _bits(case: Case, n: int) -> Any:
    bits = case.numpy.integers(0, 2, size=(n, 3)).astype(float)
    bits[case.numpy.random(size=(n, 3)) < 0.3] = np.nan
    return bits


_BITS: dict[str, Callable[[Case, int], Any]] = {
    "bits": _bits,
    "whole bits": lambda case, n: case.numpy.integers(0, 2, size=(n, 3)),
    "bools": lambda case, n: case.numpy.integers(0, 2, size=(n, 3)).astype(bool),
    "signs": lambda case, n: case.numpy.integers(-1, 2, size=(n, 3)),
    "object": lambda case, n: PartialBits.from_any(_bits(case, n)),
    "frame": lambda case, n: pd.DataFrame(_bits(case, n), columns=["a", "b", "c"]),
    "lists": lambda case, n: _bits(case, n).tolist(),
    "sparse": lambda case, n: sp.csr_array(case.numpy.integers(0, 2, size=(n, 3))),
    "unknown": lambda case, n: np.full((n, 2), np.nan),
    "one tag": lambda case, n: case.numpy.integers(0, 2, size=n),
    "constant": lambda case, n: np.ones((n, 3)),
    "shares": lambda case, n: case.numpy.random(size=(n, 3)),
}

_MAKERS: dict[str, dict[str, Callable[[Case, int], Any]]] = {
    "labels": _LABELS,
    "numbers": _NUMBERS,
    "orders": _ORDERS,
    "bits": _BITS,
}
