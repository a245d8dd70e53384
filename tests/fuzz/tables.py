"""Files and frames: valid ones in every format, then damaged; read with all options."""

import datetime
import decimal
import gzip
import io
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

from disambig.tables import TablePlan, load_table, plan_features, read_table, read_target
from tests.fuzz.case import ODD_VALUES, Case, Made
from tests.fuzz.texts import WRITTEN, mutated
from tests.fuzz.verdict import OwnError, attempt, expect

_CELLS = {
    "size": ["1", "2.5", "3", "-4", "1e3", "0"],
    "price": ["1,5", "2,25", "3", "€ 4", "5k", "n/a"],
    "color": ["red", "green", "blue", "red", "?", ""],
    "when": ["2024-01-31", "2023-12-01", "2022-02-28", "31/01/2024", "2024-01-31T10:00:00Z", ""],
    "flag": ["yes", "no", "yes", "no", "true", "0"],
    "note": ["some words here", 'a "quote"', "semi;colon", "new\nline", "ünï", "tab\there"],
    "id": ["001", "002", "003", "004", "005", "006"],
}
_NAMES = ["label", "target", "y", "tag_a", "tag_b", "lower", "upper", "", "label", "size ", "Größe"]


def odd_columns(case: Case, most: int = 20) -> dict[str, list[str]]:
    """Columns of texts: some features, and a target."""
    n = case.size(1, most)
    names = case.random.sample(sorted(_CELLS), case.size(1, 4))
    columns = {name: [case.pick(_CELLS[name]) for _ in range(n)] for name in names}
    kind = case.pick(sorted(WRITTEN))
    target = [case.pick(WRITTEN[kind]) for _ in range(n)]
    case.note(f"target of {kind}")
    columns["label"] = [mutated(case, text) if case.is_odd(0.1) else text for text in target]
    if case.chance(0.2):
        bit = ["0", "1", "", "-1", "yes", "x", "2"]
        columns |= {f"tag_{name}": [case.pick(bit[:4]) for _ in range(n)] for name in "abc"}
        if case.chance(0.3):
            columns["tag_a"][0] = case.pick(bit)
    return columns


def _delimited(case: Case, columns: dict[str, list[str]]) -> bytes:
    separator = case.pick([" ", "::"] if case.is_odd(0.1) else [",", "\t", ";", "|"])
    quote = case.pick(["'", ""]) if case.is_odd(0.2) else '"'
    end = case.pick(["\n", "\r\n", "\r", "\n\n"])
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]

    def field(text: str) -> str:
        if quote and (separator in text or quote in text or "\n" in text):
            return quote + text.replace(quote, quote * 2) + quote
        return text

    lines = [separator.join(map(field, row)) for row in rows]
    if case.is_odd(0.5):
        place = case.random.randrange(len(lines))
        odd = [lines[place] + separator, lines[place] + separator * 2 + "x", "", separator, '"']
        odd += ["x" * 200_000, "\x00", "\x1a", "sep=;", "# comment", lines[0], lines[place][:-1]]
        lines[place] = case.pick([*odd, lines[place].replace(separator, case.pick([";", "\t"]))])
    text = end.join(lines) + case.pick([end, "", "\x1a", end * 3])
    encoding = case.pick(["utf-8"] * 4 + ["utf-16", "utf-8-sig", "latin-1", "utf-32", "utf-16-le"])
    case.note(f"separator {separator!r}, {encoding}")
    return text.encode(encoding, errors="replace")


def _json(case: Case, columns: dict[str, list[Any]]) -> bytes:
    records: list[Any] = [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]
    for record in records:
        if case.is_odd(0.3):
            odd = [None, 1, 2.5, True, ["a", "b"], {"x": 1}, [], [[1]], 1e400, -0.0, 10**30]
            record[case.pick(sorted(columns))] = case.pick(odd)
        if case.is_odd(0.1):
            record[case.pick(["", "label", "more", "\u0000"])] = "x"
    if case.is_odd(0.2):
        records[0] = case.pick([1, [], "x", None, {}])
    lines = [json.dumps(record) for record in records]
    if case.chance(0.3):
        end = case.pick(["", "] ]", ",]"]) if case.is_odd(0.3) else "]"
        return ("[" + ", ".join(lines) + end).encode()
    if case.is_odd(0.2):
        lines[0] = case.pick(['{"a": 1, "a": 2}', "[" * 3000, "{", '{"a": NaN}', "{'a': 1}"])
    return case.pick(["\n", "\r\n", "\n\n"]).join(lines).encode(case.pick(["utf-8", "utf-16"]))


def _binary(case: Case, columns: dict[str, list[str]]) -> bytes:
    frame = odd_frame(case, columns) if case.chance(0.3) else pd.DataFrame(columns)
    table = pa.Table.from_pandas(frame)
    buffer = io.BytesIO()
    form = case.pick(["parquet", "feather", "stream", "file"])
    case.note(form)
    if form == "parquet":
        parquet.write_table(table, buffer, compression=case.pick(["snappy", "none", "gzip"]))
    elif form == "feather":
        feather.write_feather(table, buffer, compression="uncompressed")
    else:
        writer = pa.ipc.new_stream if form == "stream" else pa.ipc.new_file
        with writer(buffer, table.schema) as stream:
            stream.write_table(table)
    return buffer.getvalue()


def damaged_bytes(case: Case, data: bytes) -> bytes:
    """The bytes with something wrong."""
    hows = ["cut", "flip", "flips", "insert", "delete", "twice", "zeros"]
    how = case.pick(hows) if case.is_odd(0.8) else "none"
    case.note(f"bytes: {how}")
    place = case.random.randrange(len(data) + 1)
    if how == "cut":
        return data[:place]
    if how in ("flip", "flips"):
        changed = bytearray(data)
        for _ in range(1 if how == "flip" else 20):
            if changed:
                changed[case.random.randrange(len(changed))] = case.random.randrange(256)
        return bytes(changed)
    if how == "insert":
        odd = [b"\x00", b"\xff", b'"', b"\n", b"\xef\xbb\xbf", b",", b"\x80", "é".encode()]
        return data[:place] + case.pick(odd) * case.size(1, 5) + data[place:]
    if how == "delete":
        return data[:place] + data[place + case.size(1, 30) :]
    if how == "twice":
        return data + data
    return b"\x00" * len(data) if how == "zeros" else data


def file_bytes(case: Case, columns: dict[str, list[str]]) -> bytes | None:
    """A file with these columns, maybe damaged; None if they cannot be written."""
    make = case.pick([_delimited, _delimited, _delimited, _json, _binary])
    try:
        data = make(case, columns)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # Not every odd frame can be written.
        return None
    data = damaged_bytes(case, data)
    if case.chance(0.2):
        data = gzip.compress(data)
        data = damaged_bytes(case, data) if case.chance(0.5) else data
    return data


def file_case(case: Case) -> None:
    """A damaged file, read as a table, then with a target, then by the plan of another one."""
    data = file_bytes(case, odd_columns(case))
    if data is None:
        return
    suffix = case.pick([".csv", ".tsv", ".jsonl", ".json", ".parquet", ".gz", "", ".arrow"])
    path = case.folder / f"case{suffix}"
    path.write_bytes(data)
    source: Any = path if case.chance(0.7) else io.BytesIO(data)
    reading = _reading_options(case)
    table = attempt(read_table, source, **reading)
    expect(len(table.frame) and len(table.frame.columns), "a table without rows or columns")
    _load(case, table)


def _reading_options(case: Case) -> dict[str, Any]:
    choices: dict[str, tuple[list[Any], list[Any]]] = {
        "sep": ([",", ";", "tab", None], ["", ",,", '"', 1, "\n", "é", b","]),
        "encoding": (
            ["utf-8", None, "latin-1", "cp1252"],
            ["utf-99", "hex", 3, "", "idna", "rot13"],
        ),
        "header": ([True, False], [None, 0, "yes"]),
    }
    found = {}
    for name, (good, odd) in choices.items():
        if case.chance(0.15):
            found[name] = case.option(name, good, odd, 0.3)
    return found


def _target_options(case: Case) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "kind": ["labels", "numbers", "orders", "bits", "magic"],
        "separator": ["|", ",", ";", ">", "", " ", 3, "||"],
        "path": ["/", ".", "", 3],
        "parents": [{"a": "x", "b": "x"}, {"a": "a"}, {"a": "b", "b": "a"}, [], {None: 1}, "x"],
        "classes": [["a", "b", "c"], ["a"], [], "abc", ["a", "a"], [None], [1, "1"], 3, [["a"]]],
        "decimal": [".", ",", ";"],
        "blank": ["no", "unknown", "yes"],
        "zero": ["absent", "unknown", 0],
        "ranks": ["order", "places", 1],
        "missing": [["x"], [], "x", ["a", None], [1], 3, ["?"]],
        "case_sensitive": [True, False, None, "no"],
    }
    share = case.pick([0.0, 0.0, 0.05, 0.1, 0.3])
    found = {}
    for name, options in choices.items():
        if case.is_odd(share):
            found[name] = case.option(name, options, [])
    return found


def _feature_options(case: Case) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "features": [["size"], ["s*", "c*"], [], "size", ["none"], 3, [None], [["size"]]],
        "drop": [["id"], "id", ["none"], [], 3, [None], ["*"]],
        "keep": [["id"], "note", ["none"], [], 3, ["*"]],
        "types": [
            {"size": "number"},
            {"size": "date"},
            {"color": "number"},
            {"size": "magic"},
            {"when": "date:%d/%m/%Y"},
            {"when": "date:%Q"},
            {"size": "number:;"},
            {"size": None},
            {"note": "text"},
            {"color": "boolean"},
            [],
            "number",
        ],
    }
    found = {}
    for name, options in choices.items():
        if case.is_odd(0.2):
            found[name] = case.option(name, options, [])
    return found


def _target_name(case: Case, names: list[Any]) -> Any:
    odd = [None, "tag_*", ["tag_a", "tag_b"], "none", 3, [], [None], "*", ["label", "label"], ""]
    odd += [names[:2], names, {"label": 1}, [["label"]], b"label", ("label",)]
    return case.option("target", ["label"], odd, 0.4)


def _load(case: Case, table: Any) -> None:
    """Target, features and plan of a raw table or a frame."""
    frame = getattr(table, "frame", table)
    names = list(getattr(frame, "column_names", getattr(frame, "columns", ["label"])))
    target = _target_name(case, names)
    options = _target_options(case)
    with suppress(OwnError):
        found = attempt(read_target, table, target, **options)
        expect(len(found.candidates) == len(frame), "a target has other rows than its table")
    with suppress(OwnError):
        plan = attempt(plan_features, table, **_feature_options(case))
        expect(len(attempt(plan.read, table)) == len(frame), "features have other rows")
    identifier = case.option("id", [None], [*names[:1], "none", 3, [], ("a",)], 0.1)
    loaded = attempt(load_table, table, target, id=identifier, **_feature_options(case), **options)
    expect(len(loaded.X) == len(frame), "X has other rows than the table")
    expect(isinstance(repr(loaded), str), "no text")
    again = (
        TablePlan.from_dict(json.loads(json.dumps(loaded.plan.to_dict())))
        if _is_plain(loaded.plan)
        else loaded.plan
    )
    same = attempt(again.read, table)
    expect(same.X.equals(loaded.X), "the plan reads its own table differently")
    with suppress(OwnError):
        X = attempt(loaded.make_preprocessor().fit_transform, loaded.X)
        expect(X.shape[0] == len(frame), "the preprocessor loses rows")
    other = odd_columns(case)
    with suppress(OwnError):
        attempt(again.read, pd.DataFrame(other))
    with suppress(OwnError):
        attempt(again.read, odd_frame(case, other), with_target=case.pick([True, False, None, 3]))


def _is_plain(plan: Any) -> bool:
    try:
        json.dumps(plan.to_dict())
    except (TypeError, ValueError):
        return False
    return all(isinstance(name, str) for name in plan.features.names)


# ------------------------------------------------------------------ frames


def _odd_columns(n: int) -> list[Callable[[], Any]]:
    return [
        lambda: pd.Categorical(["a", "b", None][:n] + ["a"] * max(0, n - 3)),
        lambda: pd.Categorical([1, 2, 1][:n] + [1] * max(0, n - 3), ordered=True),
        lambda: pd.array([1, None, *[2] * n][:n], dtype="Int64"),
        lambda: pd.array([True, None, *[False] * n][:n], dtype="boolean"),
        lambda: pd.array([1.5, None, *[2.5] * n][:n], dtype="Float64"),
        lambda: pd.array(["a", None, *["b"] * n][:n], dtype="string"),
        lambda: pd.date_range("2024-01-01", periods=n, tz="Europe/Paris"),
        lambda: pd.date_range("2024-01-01", periods=n),
        lambda: pd.timedelta_range("1h", periods=n),
        lambda: pd.period_range("2024-01", periods=n, freq="M"),
        lambda: pd.interval_range(0, periods=n),
        lambda: [[1, 2]] * n,
        lambda: [{"a": 1}] * n,
        lambda: [{"a", "b"}] * n,
        lambda: [("a", "b")] * n,
        lambda: [np.array([1, 2])] * n,
        lambda: [decimal.Decimal("1.5"), decimal.Decimal("NaN"), *[decimal.Decimal(2)] * n][:n],
        lambda: [datetime.date(2024, 1, 1)] * n,
        lambda: [datetime.time(12)] * n,
        lambda: [b"bytes", b"\xff", *[b""] * n][:n],
        lambda: [1, "a", None, 2.5, True, *["b"] * n][:n],
        lambda: [object() for _ in range(n)],
        lambda: [1j] * n,
        lambda: [np.inf, -np.inf, np.nan, *[1.0] * n][:n],
        lambda: [None] * n,
        lambda: [np.nan] * n,
        lambda: [pd.NaT] * n,
        lambda: [10**400, *range(n)][:n],
        lambda: [2**63, *range(n)][:n],
        lambda: np.arange(n, dtype=np.uint64) + np.uint64(2**63),
        lambda: np.linspace(0, 1, n).astype(np.float16),
        lambda: ["\ud800"] * n,
        lambda: ["\x00", *["a"] * n][:n],
        lambda: [float("1e308"), -1e308, *[0.0] * n][:n],
        lambda: [len] * n,
        lambda: pd.arrays.SparseArray([0, 1, *[0] * n][:n]),
        lambda: [True, False, *[True] * n][:n],
        lambda: [pd.Timestamp("1677-09-22"), "2024", None, *[3] * n][:n],
        lambda: [["a", "b"], ["a"], None, *[[]] * n][:n],
        lambda: [(0, 1), (1, np.inf), *[(2, 2)] * n][:n],
    ]


_ODD_NAMES = (
    None,
    1,
    1.5,
    ("a", "b"),
    "",
    " ",
    "label",
    "x" * 300,
    "a\nb",
    np.nan,
    True,
    b"b",
    "*",
)


def odd_frame(case: Case, columns: dict[str, list[str]]) -> Any:
    """A frame with odd types, names and rows."""
    frame = pd.DataFrame(columns)
    n = len(frame)
    makers = _odd_columns(n)
    for _ in range(case.size(0, 3)):
        place = case.random.randrange(len(makers))
        name = case.pick([*frame.columns, "odd", "label"])
        case.note(f"column {name!r:.20} by maker {place}")
        with suppress(ValueError, TypeError, OverflowError):
            frame[name] = pd.Series(makers[place](), index=frame.index)
    if case.is_odd(0.3):
        frame.columns = pd.Index(
            [case.pick([*_ODD_NAMES, name, name]) for name in frame.columns], tupleize_cols=False
        )
        case.note(f"names {list(frame.columns)!r:.100}")
    if case.chance(0.1):
        frame.index = pd.Index(case.numpy.integers(0, 2, size=n))
    if case.chance(0.05):
        frame = frame.iloc[: case.pick([0, 1])]
    if case.chance(0.03):
        frame.columns = pd.MultiIndex.from_tuples([("a", name) for name in frame.columns])
    return frame


def frame_case(case: Case) -> None:
    """An odd frame of pandas, polars or Arrow."""
    frame = odd_frame(case, odd_columns(case))
    form = case.pick(["pandas"] * 8 + ["polars", "polars", "arrow", "arrow", "other"])
    case.note(form)
    data: Any = frame
    try:
        if form == "polars":
            data = pl.from_pandas(frame)
        elif form == "arrow":
            data = pa.Table.from_pandas(frame)
    except (pl.exceptions.PolarsError, pa.ArrowException, TypeError, ValueError, OverflowError):
        # Not every odd frame can be held by another library.
        data = frame
    if form == "other":
        data = case.pick([*ODD_VALUES, Made(lambda: frame.get("label", frame))])
        data = data() if isinstance(data, Made) else data
        if isinstance(data, str | bytes):
            data = str(data) + "no-such-file"
        attempt(load_table, data, "label")
        return
    _load(case, data)
