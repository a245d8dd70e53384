"""The folder of a fit: labels, model and summary, each written whole, and opened again."""

import hashlib
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from disambig.atomic import atomic_write, write_bytes_atomically, write_text_atomically
from disambig.estimators.progress.reporting import reporting
from disambig.estimators.selection.trial_texts import weights_text
from disambig.exceptions import ModelFileError
from disambig.persistence import save_model
from disambig.report import FitReport
from disambig.solvers.loop import Callback
from disambig.table_models.columns import FLAGS, PROBABILITIES
from disambig.table_models.fitting import examine_rows
from disambig.table_models.model import TableModel
from disambig.table_models.predictor import MODEL_FILE, load_predictor
from disambig.table_models.settings import FitSettings
from disambig.table_models.summary import (
    SUMMARY_SCHEMA,
    plain_summary,
    summary_of,
    table_hash,
)
from disambig.tables.reading import raw_table
from disambig.trust.answered_sets import answered_sets
from disambig.trust.recalibration import Recalibration
from disambig.trust.refitting import RefitAnswers, judged_after_refit

LABELS_FILE = "labels.csv"
SUMMARY_FILE = "summary.json"
ANSWERS_FILE = "answers.json"
REPORT_FILE = "report.html"
FILES = (LABELS_FILE, MODEL_FILE, ANSWERS_FILE, REPORT_FILE, SUMMARY_FILE)
# Where all files are written before they are moved to their places.
_STAGED = ".staged"
_ROWS_AT_A_TIME = 2**18
_FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_READING = ("sep", "encoding", "header")
_SUMMARY_TYPES = {"table": dict, "notes": list, "warnings": list, "seconds": dict}


def save_folder(
    model: TableModel,
    folder: Any,
    *,
    overwrite: bool = False,
    excel_safe: bool = False,
    run: str | None = None,
    report: FitReport | None = None,
    command: str | None = None,
    origin: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the files of a fit; see `TableModel.save`. Returns the summary.

    All files are written beside the old ones and then moved, the summary last, with a hash of the
    others. A move that was interrupted is finished when the folder is opened.

    Parameters
    ----------
    model : TableModel
    folder : path
    overwrite, excel_safe : bool
    run : str, optional
        The key of the run, by which a finished one is recognised; see `Checkpoint`.
    report : FitReport, optional
        Without one, that of an earlier run is removed.
    command : str, optional
        The command that made the fit.
    origin : dict, optional
        Of a table in several files, what the summary says of them. Its model is written only if
        everything that predicts is in memory.
    """
    path = Path(folder)
    if not overwrite:
        refuse_existing(path)
    path.mkdir(parents=True, exist_ok=True)
    staged = path / _STAGED
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    try:
        summary = _write_files(model, staged, excel_safe, run, report, command, origin)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    _finish_writing(path)
    return summary


def _write_files(
    model: TableModel,
    folder: Path,
    excel_safe: bool,
    run: str | None,
    report: FitReport | None,
    command: str | None,
    origin: dict[str, Any] | None,
) -> dict[str, Any]:
    """Write all files into an empty folder, the summary last."""
    digest = table_hash(model.table.raw)
    predictor = model.predictor
    metadata = {
        "plan": predictor.plan.to_dict(),
        "kind": model.kind,
        "estimator": type(model.estimator).__name__,
        "chosen": weights_text(model.estimator.weights_),
        "set_rule": None if predictor.set_rule is None else predictor.set_rule.to_dict(),
    }
    _write_labels(model.labels, folder / LABELS_FILE, excel_safe)
    try:
        save_model(
            model.pipeline,
            folder / MODEL_FILE,
            # Lists instead of tuples, as JSON returns them.
            metadata=json.loads(json.dumps(metadata)),
            table_hash=digest,
        )
    except ModelFileError:
        # Rows in files, or on other machines, are no part of a model file.
        if origin is None:
            raise
    state = _answer_state(model)
    if state is not None:
        write_text_atomically(folder / ANSWERS_FILE, json.dumps(state))
    if report is not None:
        report.to_html(folder / REPORT_FILE)
    summary = plain_summary(summary_of(model))
    summary["run"] = run
    summary["excel_safe"] = excel_safe
    summary["command"] = command
    summary["report"] = None if report is None else {"rows": report.has_rows}
    known = model.table.raw.origin or {"file": None}
    summary["table"] = {**known, **(origin or {}), "hash": digest}
    summary["files"] = {path.name: _file_hash(path) for path in sorted(folder.iterdir())}
    _write_summary(folder, summary)
    return dict(summary)


def _write_labels(frame: Any, path: Path, excel_safe: bool) -> None:
    """The labels as CSV, some rows at a time: their texts take more memory than they do."""
    with atomic_write(path) as stream:
        for start in range(0, max(1, len(frame)), _ROWS_AT_A_TIME):
            part = frame.iloc[start : start + _ROWS_AT_A_TIME]
            stream.write(csv_bytes(part, excel_safe=excel_safe, header=start == 0))


def _write_summary(folder: Path, summary: dict[str, Any]) -> None:
    text = json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    # Lone surrogates cannot be written; others are kept readable.
    write_bytes_atomically(folder / SUMMARY_FILE, text.encode("utf-8", errors="backslashreplace"))


def _finish_writing(folder: Path) -> None:
    """Move files that are all written to their places; what a kill has interrupted goes on here."""
    staged = folder / _STAGED
    if not (staged / SUMMARY_FILE).exists():
        return
    names = json.loads((staged / SUMMARY_FILE).read_text("utf-8"))["files"]
    for name in FILES[:-1]:
        if (staged / name).exists():
            (staged / name).replace(folder / name)
        elif name not in names:
            (folder / name).unlink(missing_ok=True)
    (staged / SUMMARY_FILE).replace(folder / SUMMARY_FILE)
    shutil.rmtree(staged, ignore_errors=True)


def refuse_changed_report(folder: Path) -> None:
    """Raise if the report of a folder is not the one that was written for it."""
    file = folder / REPORT_FILE
    if file.exists() and _file_hash(file) != read_summary(folder)["files"].get(REPORT_FILE):
        raise FileExistsError(
            f"{file} was changed, or is not of this fit. Write the report to another file (--out), "
            "or replace it by --force."
        )


def replace_report(folder: Path, report: FitReport) -> None:
    """Write the report of a folder again, and its hash into the summary."""
    summary = read_summary(folder)
    report.to_html(folder / REPORT_FILE)
    summary["report"] = {"rows": report.has_rows}
    summary["files"][REPORT_FILE] = _file_hash(folder / REPORT_FILE)
    _write_summary(folder, summary)


def refuse_existing(folder: Path) -> None:
    """Raise if a folder has files of an earlier fit, or is a file."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder.")
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise FileExistsError(
            f"{folder} has {', '.join(there)} of an earlier run. Name another folder, or replace "
            "them by overwrite=True."
        )


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def csv_bytes(frame: Any, *, excel_safe: bool = False, header: bool = True) -> bytes:
    r"""A frame as CSV in UTF-8; probabilities have six digits, blanks are missing values.

    Parameters
    ----------
    frame : pandas.DataFrame
    excel_safe : bool
        Whether texts and names that a spreadsheet would run as a formula get an apostrophe.
    header : bool
        Whether the first line has the names of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_bytes(pd.DataFrame({"label": ["=1+1", "a"]}), excel_safe=True)
    b"label\n'=1+1\na\n"
    """
    shown = frame.copy()
    for name in shown.columns:
        column = shown[name]
        if name in FLAGS and column.dtype == bool:
            shown[name] = np.where(column, "yes", "no")
        elif column.dtype.kind == "f" and (name in PROBABILITIES or str(name).startswith("P(")):
            shown[name] = column.round(6)
        elif excel_safe and column.dtype.kind not in "iufb":
            shown[name] = column.map(_without_formula)
    if excel_safe:
        shown.columns = [_without_formula(name) for name in shown.columns]
    buffer = io.StringIO(newline="")
    shown.to_csv(buffer, index=False, header=header, lineterminator="\n")
    return buffer.getvalue().encode("utf-8", errors="surrogatepass")


def _without_formula(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA_MARKS)
    return "'" + cell if is_formula and not _NUMBER.fullmatch(cell) else cell


def _answer_state(model: TableModel) -> dict[str, Any] | None:
    """What answers changed, as plain data; None without answers."""
    exam = model.examination
    if exam is None or (exam.answers is None and exam.refit_answers is None):
        return None
    state: dict[str, Any] = {"refit": None, "calibration": None, "recalibration": None}
    if exam.refit_answers is not None:
        state["refit"] = exam.refit_answers.to_dict()
    if exam.answers is not None:
        state["calibration"] = {
            "rows": exam.answers.rows.tolist(),
            "labels": exam._named(exam.answers).tolist(),
            "inclusion": (exam.answers.weights.min() / exam.answers.weights).tolist(),
        }
    elif exam.recalibration is not None:
        state["recalibration"] = exam.recalibration.to_dict()
    state["distance"] = np.asarray(getattr(exam, "distance", [])).tolist()
    return state


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a folder; raises unless it fits the files beside it."""
    path = folder / SUMMARY_FILE
    if not folder.is_dir():
        raise ModelFileError(f"{folder}: there is no such folder. Name the one of `disambig fit`.")
    if not (path.exists() or (folder / _STAGED / SUMMARY_FILE).exists()):
        raise ModelFileError(
            f"{folder}: there is no {SUMMARY_FILE}, so that no fit was finished here."
        )
    _finish_writing(folder)
    try:
        summary = json.loads(path.read_text("utf-8"))
        files = {str(name): str(digest) for name, digest in summary["files"].items()}
        if summary["schema"] != SUMMARY_SCHEMA:
            raise ValueError(f"schema {summary['schema']!r} is not {SUMMARY_SCHEMA}")
        FitSettings(**summary["settings"])
        for name, kind in _SUMMARY_TYPES.items():
            if not isinstance(summary[name], kind):
                raise TypeError(f"{name} is no {kind.__name__}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path}: it cannot be read ({error}).") from error
    # Nothing reads the report: it may be edited, or deleted.
    needed = set(files) - {REPORT_FILE}
    for name in needed | {name for name in FILES[:2] if (folder / name).exists()}:
        file = folder / name
        if name not in FILES or not file.exists() or _file_hash(file) != files.get(name):
            raise ModelFileError(
                f"{folder}: {name} is not the one of {SUMMARY_FILE}: it was changed or replaced. "
                "Fit again, with overwrite=True."
            )
    return dict(summary)


def open_folder(folder: Any, table: Any = None, *, callback: Callback | None = None) -> TableModel:
    """Open a folder that `TableModel.save` or ``disambig fit`` wrote, with its training table.

    The model is loaded, the table is read again, and its rows are examined again.

    Parameters
    ----------
    folder : path
    table : path, open file or frame, optional
        The training table; by default the file that the folder names. It must not have changed.
    callback : callable, optional
        Called with a `Progress` while the rows are examined.

    Raises
    ------
    ModelFileError
        The folder was not written completely, or the table is another one.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame({"size": [1, 2, 8, 9] * 9, "label": ["a", "a|b", "b", "b|a"] * 9})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit_table(frame, "label", weights="neighbors").save(f"{folder}/run")
    ...     again = open_folder(f"{folder}/run", frame)
    >>> again.labels["label"].tolist()[:4]
    ['a', 'a', 'b', 'b']
    """
    path = Path(folder)
    summary = read_summary(path)
    known = summary["table"]
    if MODEL_FILE not in summary["files"]:
        raise ModelFileError(
            f"{path}: the folder has no {MODEL_FILE}, because the rows of the fit were larger than "
            "memory: it has labels only. Fit a sample of the rows in memory for a model."
        )
    if table is None and (known.get("file") is None or not Path(known["file"]).exists()):
        name = known.get("file")
        raise ModelFileError(
            f"{path}: the training table "
            + ("was no file" if name is None else f"{name} is not there any more")
            + ". Pass it by table=."
        )
    options = {name: known[name] for name in _READING if known.get(name) is not None}
    raw = raw_table(known["file"] if table is None else table, **options)
    if table_hash(raw) != known["hash"]:
        raise ModelFileError(
            f"{path}: {raw.source.where()} is not the table that the model was fitted on; its "
            "cells have changed. Fit again, or pass the former table by table=."
        )
    predictor = load_predictor(path / MODEL_FILE)
    plan = predictor.plan
    # Of bags alone there are no target columns.
    has_target = plan.target is not None and len(plan.target.columns) > 0
    read = plan.in_bags(plan.read(raw, with_target=has_target))
    settings = FitSettings(**summary["settings"])
    model = TableModel(
        read,
        predictor.pipeline,
        None,
        settings,
        tuple(summary["notes"]),
        summary["seconds"],
        tuple(summary["warnings"]),
    )
    with reporting("open_folder", callback):
        return _with_answers(model, path / ANSWERS_FILE)


def _with_answers(model: TableModel, file: Path) -> TableModel:
    """The model with its examination, and the answers that were given before."""
    state = json.loads(file.read_text("utf-8")) if file.exists() else {}
    refit = None if state.get("refit") is None else RefitAnswers.from_dict(state["refit"])
    distance = np.array(state["distance"]) if state.get("distance") else None
    sets = model.table.candidates
    if refit is not None:
        sets = answered_sets(sets, refit.answers)
    exam, notes = examine_rows(model, sets, distance)
    if exam is not None and refit is not None:
        kept = state["recalibration"]
        recalibration = None if kept is None else Recalibration.from_dict(kept)
        exam = judged_after_refit(exam, refit, recalibration)
    calibration = state.get("calibration")
    if exam is not None and calibration is not None:
        exam = exam.with_answers(
            calibration["rows"], calibration["labels"], inclusion=calibration["inclusion"]
        )
    return replace(model, examination=exam, notes=(*model.notes, *notes))
