"""Inputs X as people pass them, most of them wrong in some way."""

import decimal
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from tests.fuzz.case import Case

Maker = Callable[[Case, int, int], Any]


def plain(case: Case, n: int, d: int) -> Any:
    """Clusters, so that neighbours mean something."""
    centers = 3.0 * case.numpy.integers(0, 3, size=(n, 1))
    return centers + case.numpy.normal(size=(n, d))


def _with_entry(*values: float) -> Maker:
    def make(case: Case, n: int, d: int) -> Any:
        X = plain(case, n, d)
        for _ in range(case.size(1, 3)):
            if X.size:
                X[case.random.randrange(n), case.random.randrange(d)] = case.pick(values)
        return X

    return make


def _scaled(*scales: float) -> Maker:
    def make(case: Case, n: int, d: int) -> Any:
        return plain(case, n, d) * case.numpy.choice(scales, size=d)

    return make


def _of_type(*types: str) -> Maker:
    def make(case: Case, n: int, d: int) -> Any:
        return plain(case, n, d).astype(case.pick(types))

    return make


def _constant(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d)
    X[:, : case.size(1, d)] = case.pick([0.0, 1.0, -1e9, 1e200])
    return X


def _repeated(case: Case, n: int, d: int) -> Any:
    return plain(case, n, d)[case.numpy.integers(0, case.size(1, n), size=n)]


def _shaped(case: Case, n: int, d: int) -> Any:
    shapes = [(0, d), (1, d), (n, 0), (n,), (n, d, 2), (), (0,), (0, 0), (n, d + 1), (n + 1, d)]
    return case.numpy.normal(size=case.pick(shapes))


def _objects(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d).astype(object)
    odd = ["a", "1.5", None, [1], {}, object(), b"1", 1j, decimal.Decimal("1.5"), 10**400, pd.NA]
    odd += [np.nan, True, "nan", "inf", pd.Timestamp("2024-01-01"), np.datetime64("NaT")]
    for _ in range(case.size(0, 2)):
        X[case.random.randrange(n), case.random.randrange(d)] = case.pick(odd)
    return X


def _texts(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d).round(2).astype(str)
    if case.chance(0.5):
        X[0, 0] = case.pick(["a", "", " ", "1,5", "nan", "1e999", "\x00"])
    return case.pick([X, X.tolist(), X.astype(object), X.astype("S")])


def _lists(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d).tolist()
    how = case.pick(["whole", "ragged", "deep", "tuple", "row", "generator", "dict", "set", "rows"])
    if how == "ragged":
        X[-1] = X[-1][:-1]
    elif how == "deep":
        X[0] = [X[0]]
    elif how == "row":
        X[0] = case.pick([None, "row", 1.0, [], {}])
    case.note(how)
    made: dict[str, Callable[[], Any]] = {
        "tuple": lambda: tuple(map(tuple, X)),
        "generator": lambda: iter(X),
        "dict": lambda: {"x": X},
        "set": lambda: set(map(tuple, X)),
        "rows": lambda: [np.array(row) for row in X],
    }
    return made[how]() if how in made else X


def _frames(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(d)])
    if case.chance(0.2):
        return case.pick([pl.DataFrame(X, schema=[f"x{k}" for k in range(d)]), frame["x0"]])
    if case.chance(0.3):
        names = [None, 1, ("a", "b"), "", "x0", float("nan")]
        frame.columns = pd.Index([case.pick(names) for _ in range(d)], tupleize_cols=False)
    if case.chance(0.4):
        column = case.pick(
            [
                ["a"] * n,
                pd.Categorical(["a", "b"][:1] * n),
                pd.date_range("2024-01-01", periods=n, tz="UTC"),
                pd.array([1, *[None] * (n - 1)], dtype="Int64"),
                pd.array([True] * n, dtype="boolean"),
                [[1, 2]] * n,
                [decimal.Decimal("1.5")] * n,
                [1j] * n,
                pd.array([1.5] * n, dtype="Float64"),
                pd.arrays.SparseArray([0.0] * n),
                pd.timedelta_range("1D", periods=n),
            ]
        )
        frame = pd.concat([frame, pd.DataFrame({"odd": column})], axis=1)
    if case.chance(0.2):
        frame.index = pd.Index(case.numpy.integers(0, 3, size=n))
    return frame


def _sparse(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d)
    X[case.numpy.random(size=X.shape) < 0.4] = 0.0
    form = case.pick(["csr", "csc", "coo", "dok", "lil", "bsr", "dia"])
    kind = case.pick(["array", "matrix"])
    case.note(f"{form}_{kind}")
    return getattr(sp, f"{form}_{kind}")(X)


def _damaged_sparse(case: Case, n: int, d: int) -> Any:
    X = sp.csr_array(np.where(case.numpy.random(size=(n, d)) < 0.4, 0.0, plain(case, n, d)))
    how = case.pick(["beyond", "negative", "pointer", "twice", "nan", "zeros", "wide", "dtype"])
    case.note(how)
    if not X.nnz:
        return X
    if how == "beyond":
        X.indices[-1] = d + case.pick([0, 5, 10**6])
    elif how == "negative":
        X.indices[0] = -case.pick([1, 10**6])
    elif how == "pointer":
        X.indptr[case.random.randrange(n + 1)] = case.pick([-1, X.nnz + 7, 10**6])
    elif how == "twice":
        X.indices[:] = 0
    elif how == "nan":
        X.data[0] = np.nan
    elif how == "zeros":
        X.data[:] = 0.0
    elif how == "wide":
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    else:
        X = X.astype(case.pick([bool, np.int8, np.complex128, np.float32, np.longdouble]))
    return X


def _layouts(case: Case, n: int, d: int) -> Any:
    X = plain(case, n, d)
    how = case.pick(["F", "reversed", "step", "read-only", "memmap", "masked", "matrix", "big"])
    case.note(how)
    if how == "memmap":
        with tempfile.NamedTemporaryFile(dir=case.folder, delete=False) as stream:
            stored = np.memmap(stream.name, dtype=np.float64, mode="w+", shape=(n, d))
        stored[:] = X
        return stored
    if how == "read-only":
        X.setflags(write=False)
        return X
    made = {
        "F": np.asfortranarray(X),
        "reversed": X[::-1, ::-1],
        "step": np.repeat(X, 2, axis=0)[::2],
        "masked": np.ma.masked_greater(X, case.pick([0.0, 100.0])),
        "matrix": np.asmatrix(X),
        "big": X.astype(">f8"),
    }
    return made[how]


def _others(case: Case, n: int, d: int) -> Any:
    structured = np.zeros(n, dtype=[("a", "f8"), ("b", "f8")])
    dates = np.full((n, d), "2024-01-01", dtype="datetime64[D]")
    return case.pick([None, "X", 3, structured, dates, {"a": [1] * n}, {1, 2}, object(), len])


KINDS: dict[str, Maker] = {
    "missing": _with_entry(np.nan),
    "infinite": _with_entry(np.inf, -np.inf),
    "large entry": _with_entry(1e300, -1e200, 1e154, 3e38),
    "small entry": _with_entry(1e-310, 5e-324, -0.0),
    "large": _scaled(1e300, 1e160, 1e100),
    "tiny": _scaled(1e-310, 1e-200, 1e-160),
    "mixed scales": _scaled(1e150, 1.0, 1e-150),
    "of type": _of_type("f2", "f4", "g", "i1", "i8", "u8", "?", "c16", "O", "m8[s]", "V8"),
    "constant": _constant,
    "repeated": _repeated,
    "shaped": _shaped,
    "objects": _objects,
    "texts": _texts,
    "lists": _lists,
    "frames": _frames,
    "sparse": _sparse,
    "damaged sparse": _damaged_sparse,
    "layouts": _layouts,
    "others": _others,
}


def inputs(case: Case, n: int, d: int, name: str = "X", share: float = 0.5) -> Any:
    """Inputs of about n rows and d columns; a share of them is odd."""
    kind = case.pick(list(KINDS)) if case.is_odd(share) else "plain"
    case.note(f"{name}: {kind} {n} x {d}")
    return KINDS[kind](case, n, d) if kind in KINDS else plain(case, n, d)


def sample_weights(case: Case, n: int) -> Any:
    """Weights of rows: usually none."""
    if case.chance(0.8):
        return None
    ones = np.ones(n)
    made: list[Callable[[], Any]] = [
        lambda: case.numpy.random(n),
        lambda: case.numpy.integers(0, 3, size=n),
        lambda: np.zeros(n),
        lambda: -ones,
        lambda: np.where(np.arange(n) == 0, np.nan, 1.0),
        lambda: np.where(np.arange(n) == 0, np.inf, 1.0),
        lambda: np.where(np.arange(n) == 0, 1e300, 1.0),
        lambda: np.where(np.arange(n) == 0, 1e-300, 1.0),
        lambda: np.where(np.arange(n) == 0, 1.0, 0.0),
        lambda: np.ones(n + 1),
        lambda: np.ones((n, 2)),
        lambda: ["a"] * n,
        lambda: 1.0,
        lambda: "balanced",
        ones.tolist,
        lambda: pd.Series(ones, index=np.arange(n)[::-1]),
        lambda: np.ones(n, dtype=bool),
        lambda: np.ones(n, dtype=complex),
        lambda: np.full(n, None),
        list,
    ]
    place = case.random.randrange(len(made) if case.is_odd(0.8) else 2)
    case.note(f"sample_weight {place}")
    return made[place]()


def groups(case: Case, n: int) -> Any:
    """Groups of rows: usually none."""
    if case.chance(0.8):
        return None
    numbers = case.numpy.integers(0, 4, size=n)
    return case.option(
        "groups",
        [numbers, numbers.astype(str), [int(value) for value in numbers]],
        [
            np.zeros(n),
            np.arange(n),
            np.full(n, np.nan),
            np.full(n, None),
            ["a", 1, None, (1, 2), 2.5][:n] * max(1, n),
            np.zeros((n, 2)),
            [],
            "groups",
            5,
            [[1]] * n,
            [{1}] * n,
            numbers[:-1],
        ],
        0.5,
    )
