"""Saved models: damaged files, forged members, odd arguments."""

import io
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import disambig
from disambig.exceptions import ModelFileError
from disambig.persistence import describe_model, load_model, save_model
from disambig.persistence.archive import Archive, packed
from tests.fuzz.case import ODD_VALUES, Case, Made
from tests.fuzz.tables import damaged_bytes
from tests.fuzz.verdict import DefectError, OwnError, attempt, expect

_ROWS = np.random.default_rng(0).normal(size=(12, 2))


@cache
def _fitted() -> dict[str, Any]:
    """One fitted model of each kind."""
    labels = [{"a"}, {"a", "b"}, {"b"}] * 4
    ends = np.column_stack([_ROWS[:, 0] - 1, _ROWS[:, 0] + 1])
    bits = (np.arange(36).reshape(12, 3) % 2).astype(float)
    models = {
        "labels": disambig.PartialLabelClassifier("neighbors").fit(_ROWS, labels),
        "graph": disambig.PartialLabelClassifier("laplacian").fit(_ROWS, labels),
        "forest": disambig.PartialLabelClassifier("tree").fit(_ROWS, labels),
        "numbers": disambig.IntervalRegressor("kernel_ridge").fit(_ROWS, ends),
        "orders": disambig.PartialRanker("neighbors").fit(_ROWS, ["a>b", "b>c", "c>a"] * 4),
        "bits": disambig.PartialMultilabelClassifier(weights="neighbors").fit(_ROWS, bits),
    }
    regressor = disambig.DisambiguatedRegressor(Ridge(), weights="neighbors", cv=2)
    models["alternation"] = regressor.fit(_ROWS, ends)
    pipeline = make_pipeline(StandardScaler(), disambig.PartialLabelClassifier("neighbors"))
    models["pipeline"] = pipeline.fit(_ROWS, labels)
    return models


@cache
def _saved(name: str, folder: Path) -> bytes:
    path = folder / f"saved-{name}.skops"
    save_model(_fitted()[name], path, overwrite=True)
    return path.read_bytes()


def _forged(case: Case, data: bytes) -> bytes:
    """Valid archives whose members are renamed, exchanged, removed or changed."""
    archive = Archive(data, max_bytes=1 << 30)
    members = {name: archive.read(name) for name in archive.sizes}
    name = case.pick(sorted(members))
    how = case.pick(["rename", "remove", "change", "json", "swap", "add", "empty", "plain"])
    case.note(f"{how} {name}")
    if how == "rename":
        odd = ["x", "../x", "/etc/x", "schema.json", name + ".", "", "a/b", "disambig.json"]
        members[case.pick(odd)] = members.pop(name)
    elif how == "remove":
        del members[name]
    elif how == "change":
        members[name] = damaged_bytes(case, members[name])
    elif how == "json":
        member = case.pick(["schema.json", "disambig.json"])
        members[member] = json.dumps(_changed(case, json.loads(members[member]))).encode()
    elif how == "swap":
        other = case.pick(sorted(members))
        members[name], members[other] = members[other], members[name]
    elif how == "add":
        members["more.npy"] = b"more"
    elif how == "empty":
        members[name] = b""
    else:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as stream:
            for member, content in members.items():
                stream.writestr(member, content)
        return buffer.getvalue()
    try:
        return packed(members)
    except (ModelFileError, ValueError):
        return data[:-1]


def _changed(case: Case, value: Any) -> Any:
    """JSON with one value exchanged, somewhere inside."""
    odd: list[Any] = [None, 1, -1, "x", [], {}, True, 2.5, 10**30, "builtins", "os", "system"]
    if isinstance(value, dict) and value and case.chance(0.9):
        key = case.pick(sorted(value))
        if case.chance(0.1):
            return {name: entry for name, entry in value.items() if name != key}
        return {**value, key: _changed(case, value[key])}
    if isinstance(value, list) and value and case.chance(0.9):
        place = case.random.randrange(len(value))
        return [*value[:place], _changed(case, value[place]), *value[place + 1 :]]
    return case.pick(odd)


def load_case(case: Case) -> None:
    """A damaged file is refused by our own error, or holds a model."""
    name = case.pick(sorted(_fitted()))
    case.note(name)
    data = _saved(name, case.folder)
    data = damaged_bytes(case, data) if case.chance(0.4) else _forged(case, data)
    path = case.folder / "case.skops"
    path.write_bytes(data)
    try:
        attempt(describe_model, path)
    except OwnError as refused:
        expect(isinstance(refused.__cause__, ModelFileError), f"refused by {refused}")
    try:
        model = attempt(load_model, path)
    except OwnError as refused:
        expect(isinstance(refused.__cause__, ModelFileError), f"refused by {refused}")
        raise
    expect(hasattr(model, "predict"), "a loaded object that cannot predict")


def save_case(case: Case) -> None:
    """`save_model` with odd arguments; what it writes can be loaded."""
    value = case.pick(ODD_VALUES)
    odd = value() if isinstance(value, Made) else value
    model: Any = _fitted()[case.pick(sorted(_fitted()))]
    if case.chance(0.3):
        model = case.pick([odd, disambig.PartialLabelClassifier(), disambig.PartialRanker])
    path = case.folder / "written.skops"
    options: dict[str, Any] = {}
    if case.chance(0.5):
        given = [{"a": 1}, {"a": odd}, {1: "a"}, odd, {"a": {"b": [odd]}}, {"": None}]
        options["metadata"] = case.pick(given)
    if case.chance(0.3):
        options["table_hash"] = case.pick(["0" * 64, odd])
    if case.chance(0.3):
        options["created"] = case.pick([None, odd, "2024-01-01"])
    overwrite = case.option("overwrite", [True], [None, "x", 1], 0.1)
    case.note(f"{options!r:.200}")
    attempt(save_model, model, path, overwrite=overwrite, **options)
    try:
        loaded = load_model(path)
        np.testing.assert_array_equal(loaded.predict(_ROWS), model.predict(_ROWS))
    except ModelFileError as error:
        raise DefectError("wrong result", f"a saved model cannot be loaded: {error}") from error
