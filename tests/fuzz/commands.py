"""Commands on generated files: exit code 0 or 2, one line that says why, nothing half-written."""

import contextlib
import io
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pandas as pd

from disambig.cli import main
from disambig.cli.commands import Refusal
from disambig.cli.report import REPORT_PACKAGES
from tests.fuzz.case import Case
from tests.fuzz.tables import file_bytes, odd_columns
from tests.fuzz.texts import mutated
from tests.fuzz.verdict import DefectError, OwnError, attempt, expect
from tests.table_models.tables import MAKE

_NAMES = ["label", "size", "color", "id", "note", "tag_*", "nowhere", "", "*", "--", "Größe"]
# Each with values of which most are odd.
_OPTIONS: dict[str, list[list[str]]] = {
    "--target": [["label"], ["label"], ["label"], ["tag_*"], ["size", "label"], ["nowhere"], [""]],
    "--id": [["id"], ["label"], ["size"], ["nowhere"], [""]],
    "--kind": [["labels"], ["numbers"], ["orders"], ["bits"], ["magic"]],
    "--separator": [["|"], [","], [""], ["||"]],
    "--path": [["/"], [""]],
    "--classes": [["a", "b", "c"], ["a", "a"], [""]],
    "--decimal": [["."], [","], [";"]],
    "--blank": [["no"], ["unknown"], ["maybe"]],
    "--missing": [[], ["x", "a"], [""]],
    "--drop": [["note"], ["*"], ["nowhere"]],
    "--keep": [["id"], ["*"], ["nowhere"]],
    "--features": [["size", "color"], ["*"], ["label"]],
    "--type": [["size=number"], ["size=date"], ["color"], ["=number"], ["size=magic"]],
    "--sep": [[","], ["tab"], [",,"], [""]],
    "--encoding": [["utf-8"], ["utf-99"], [""]],
    "--no-header": [[]],
    "--case-sensitive": [[]],
    "--json": [[], []],
    "--quiet": [[]],
    "--magic": [[]],
}
_FIT_OPTIONS: dict[str, list[list[str]]] = {
    "--method": [["infimum"], ["average"], ["magic"]],
    "--tolerance": [["auto"], ["2"], ["none"], ["-1"], ["nan"]],
    "--resolve-at": [["0.5"], ["2"], ["x"]],
    "--seed": [["3"], ["-1"], ["x"], [str(10**12)]],
    "--time-limit": [["5"], ["0"], ["inf"]],
    "--excel-safe": [[]],
    "--no-rows": [[]],
    "--resume": [[]],
}
_FILES = {"labels.csv", "model.skops", "summary.json"}


class _Ran(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


def command_case(case: Case) -> None:
    """`check`, `diagnose` or `fit` of a generated file; of a fit also `predict` and `info`."""
    columns, target = odd_columns(case, most=40), "label"
    if case.chance(0.6):
        columns, target = _good_columns(case)
    data = file_bytes(case, columns)
    if data is None:
        return
    folder = case.folder / f"command {case.seed} {case.number}"
    folder.mkdir()
    try:
        file = folder / case.pick(["table.csv", "table.parquet", "table", "a b'ü.csv"])
        file.write_bytes(data)
        command = case.pick(["check", "diagnose", "fit", "fit"])
        named = [] if case.is_odd(0.2) else ["--target", target]
        arguments = [command, str(file), *named, *_drawn(case, _OPTIONS)]
        out = folder / "out"
        if command == "fit":
            # A search would take most of the time, and is not the subject.
            weights = "magic" if case.is_odd(0.1) else case.pick(["neighbors", "nadaraya_watson"])
            arguments += ["--weights", weights, "--out", str(out), *_drawn(case, _FIT_OPTIONS)]
        case.note(" ".join(arguments[2:]))
        # Pages take longer than fits of so few rows.
        packages = REPORT_PACKAGES if case.chance(0.1) else ("no_such_package",)
        with mock.patch("disambig.cli.report.REPORT_PACKAGES", packages):
            _judged(arguments)
        if command == "fit":
            _check_folder(out, file)
    finally:
        shutil.rmtree(folder)


def _good_columns(case: Case) -> tuple[dict[str, list[str]], str]:
    """Columns of a table that can be fitted, with a few odd cells, and its target."""
    made = MAKE[case.pick(sorted(MAKE))](case.size(8, 60), seed=case.size(0, 20))
    columns = {
        str(name): ["" if pd.isna(cell) else str(cell) for cell in made.frame[name]]
        for name in made.frame.columns
    }
    for cells in columns.values():
        if case.is_odd(0.3):
            place = case.random.randrange(len(cells))
            cells[place] = mutated(case, cells[place])
    return columns, made.target


def _drawn(case: Case, options: dict[str, list[list[str]]]) -> list[str]:
    found: list[str] = []
    share = case.pick([0.0, 0.05, 0.2])
    for name, values in options.items():
        if case.is_odd(share):
            found += [name, *case.pick(values)]
    return found


def _judged(arguments: list[str]) -> _Ran:
    """Run a command; raises `OwnError` if it refuses in the way it should."""
    ran = _run(arguments)
    said = (ran.out + ran.err).splitlines()
    _expect(ran.code in (0, 2), f"exit code {ran.code}", ran)
    _expect(not any(line.startswith("Traceback") for line in said), "a traceback", ran)
    is_usage = "usage: disambig" in ran.err
    own = "disambig "
    if not is_usage:
        _expect(all(line.startswith(own) for line in ran.err.splitlines()), "odd lines", ran)
    if "--json" in arguments:
        document = json.loads(ran.out)
        has_error = "error" in document or bool(document.get("problems"))
        _expect(has_error == (ran.code == 2), "the document says something else", ran)
    if ran.code == 0:
        return ran
    is_check = arguments[0] == "check" and "error: " not in ran.err
    last = (ran.out if is_check and "--json" not in arguments else ran.err).strip().splitlines()
    _expect(is_check or bool(last), "no word on why", ran)
    if not (is_usage or is_check):
        _judge_error(arguments)
    raise OwnError(last[-1] if last else "problems")


def _judge_error(arguments: list[str]) -> None:
    """Raise a defect unless the error behind exit code 2 is of our own kind."""
    with mock.patch.dict(os.environ, {"DISAMBIG_TRACEBACK": "1"}), contextlib.suppress(OwnError):
        try:
            attempt(_run, arguments)
        except DefectError as defect:
            if not isinstance(defect.__cause__, Refusal | OSError):
                raise


def _check_folder(out: Path, file: Path) -> None:
    """The files of a fit are all there, every row has a label, and the model predicts them."""
    expect({path.name for path in out.iterdir()} - {"report.html"} == _FILES, "other files")
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    labels = pd.read_csv(out / "labels.csv", keep_default_na=False, dtype=str)
    expect(len(labels) == summary["rows"], "labels.csv has another number of rows")
    expect((labels["label"] != "").all(), "a row has no label")
    confidence = labels["confidence"].astype(float)
    expect(confidence.between(0, 1).all(), "a confidence is no probability")
    _judged(["info", str(out)])
    read = summary["table"]
    reading = [["--sep", read["sep"]], ["--encoding", read["encoding"]]]
    options = [word for pair in reading if pair[1] is not None for word in pair]
    options += [] if read["header"] else ["--no-header"]
    _judged(["predict", str(out), str(file), *options, "--out", str(out / "new.csv")])
    found = pd.read_csv(out / "new.csv", keep_default_na=False, dtype=str)
    expect(len(found) == len(labels), "another number of predictions")


def _run(arguments: list[str]) -> _Ran:
    with _captured() as (out, err):
        code = main(arguments)
    return _Ran(code, _text(out), _text(err))


@contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


def _expect(condition: bool, message: str, ran: _Ran) -> None:
    if not condition:
        last = (ran.err or ran.out).strip().splitlines()[-1:]
        raise DefectError("the command line", f"{message}: {' '.join(last)[:160]}")
