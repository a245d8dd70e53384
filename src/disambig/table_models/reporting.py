"""The report of a `TableModel`: what it is made of, and the truth where it is known."""

from dataclasses import replace
from typing import Any

import numpy as np

from disambig.exceptions import TableError
from disambig.frames import data_frame
from disambig.persistence.description import library_versions
from disambig.report import FitReport
from disambig.report.inputs import ReportInputs, Truth
from disambig.report.texts import clean_text, number_text
from disambig.table_models.answers import ANSWER, read_answer_table
from disambig.table_models.model import TableModel
from disambig.table_models.summary import table_hash

# From here on slow checks of the diagnosis are left out.
_LARGE = 20_000


def fit_report(
    model: TableModel, *, rows: bool = True, truth: Any = None, command: str | None = None
) -> FitReport:
    """The report of a model; see `TableModel.report`."""
    return FitReport.of(report_inputs(model, rows=rows, truth=truth, command=command))


def report_inputs(
    model: TableModel, *, rows: bool = True, truth: Any = None, command: str | None = None
) -> ReportInputs:
    """What the report of a model is made of.

    Parameters
    ----------
    model : TableModel
    rows : bool
        Whether rows of the table are shown.
    truth : str, optional
        A column of the table with true targets; blank where they are not known.
    command : str, optional
        Makes the fit again; by default the call of `fit_table`.
    """
    return ReportInputs(
        table=model.table,
        estimator=model.estimator,
        inputs=model.inputs,
        examination=model.examination,
        labels=model.labels,
        resolved=model.resolved,
        resolve_at=model.settings.resolve_at,
        diagnosis=model.diagnose(fast=len(model.table) >= _LARGE),
        settings=model.settings.to_dict(),
        notes=model.notes,
        warnings=model.warnings,
        seconds=model.seconds,
        digest=table_hash(model.table.raw),
        versions=library_versions(),
        command=_call(model) if command is None else command,
        truth=None if truth is None else _truth(model, truth),
        has_rows=rows,
    )


def _call(model: TableModel) -> str:
    """The call that makes the fit again, as far as it is known."""
    assert model.table.target is not None
    source = model.table.source.name
    columns = [str(name) for name in model.table.target.columns]
    parts = ["table" if source is None else repr(source)]
    if columns:
        parts.append(repr(columns[0] if len(columns) == 1 else columns))
    if model.table.plan.bags is not None:
        parts.append(f"bags={str(model.table.plan.bags)!r}")
    if model.table.plan.bounds is not None:
        parts.append("means=..." if model.kind == "numbers" else "proportions=...")
    if model.table.plan.id is not None:
        parts.append(f"id={str(model.table.plan.id)!r}")
    defaults = type(model.settings)().to_dict()
    parts += [
        f"{name}={value!r}"
        for name, value in model.settings.to_dict().items()
        if value != defaults[name]
    ]
    return f"disambig.fit_table({', '.join(parts)})"


def _truth_text(value: Any) -> str:
    return number_text(float(value)) if isinstance(value, float) else clean_text(value)


def _truth(model: TableModel, column: Any) -> Truth:
    table, exam = model.table, model.examination
    if column not in table.frame.columns:
        known = ", ".join(repr(str(name)) for name in list(table.frame.columns)[:20])
        raise table.source.error(f"there is no column {str(column)!r}; there are {known}.")
    assert table.target is not None
    if column in table.target.columns:
        raise table.source.error("is the target; the truth is another column.", None, column)
    if exam is None:
        raise ValueError(
            "report: the truth cannot be compared, because the rows of this table could not be "
            "examined."
        )
    cells = table.frame[column]
    # Identifiers may repeat; positions do not.
    numbered = replace(table, ids=None, plan=replace(table.plan, id=None))
    given = data_frame({"row": np.arange(len(table)), ANSWER: cells.to_numpy()})
    try:
        found = read_answer_table(numbered, exam, given)
    except TableError as error:
        reason = str(error).replace(f"column {ANSWER!r}", f"column {str(column)!r}")
        raise TableError(f"report: the truth cannot be read. {reason}") from error
    answers = exam._read_answers(found.rows, found.labels, None, "report")
    texts = cells.to_numpy()
    return Truth(
        column=str(column),
        rows=answers.rows,
        texts=[_truth_text(texts[row]) for row in answers.rows.tolist()],
        rightness=np.asarray(exam._rightness(answers), dtype=np.float64),
        is_outside=np.asarray(exam._is_outside(answers)),
        is_feature=column in {one.name for one in table.features.columns},
    )
