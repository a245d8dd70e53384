"""*Rows to ask*, *Suspect rows* and *Rows left open*: tables to work through."""

from typing import Any

import numpy as np

from disambig.notation import IntArray
from disambig.report.document import DataTable, Section
from disambig.report.inputs import LEAST_GAIN, ReportInputs
from disambig.report.texts import cell, clean_text, counted, percent, share

_MAX_ROWS = 500
_NO_ROWS = "The rows are left out; make the report with rows, or open labels.csv, to see them."
_NOT_EXAMINED = "There are too few rows to hide sets, so that no row could be judged by others."


def ask_section(inputs: ReportInputs) -> Section:
    """The rows whose answers are worth most."""
    title, asked = "Rows to ask", inputs.questions
    if inputs.examination is None:
        return Section("ask", title, _NOT_EXAMINED)
    if asked is None:
        return Section("ask", title, "No row is open: each has an answer or a single candidate.")
    worth = np.flatnonzero(asked.gain >= LEAST_GAIN)
    if not worth.size:
        return Section("ask", title, "No answer is expected to change anything.")
    sentence = (
        f"If somebody tells the truth of {counted(worth.size, 'row')}, about "
        f"{float(asked.gain[worth].sum()):.1f} {inputs.noun()} are expected to become right."
    )
    texts = [asked.basis]
    if len(asked) > worth.size:
        texts.append("Answers about all other rows are expected to change hardly anything.")
    if not inputs.has_rows:
        return Section("ask", title, sentence, texts=(*texts, _NO_ROWS))
    reasons = asked.reason
    columns: list[tuple[str, list[Any]]] = [
        ("why", [reasons[k] for k in worth.tolist()]),
        ("gain", [round(float(gain), 3) for gain in asked.gain[worth]]),
    ]
    table = _table(
        inputs, "ask-table", "Questions, in the order of their gain", asked.rows[worth], columns
    )
    return Section("ask", title, sentence, texts=tuple(texts), tables=(table,))


def suspects_section(inputs: ReportInputs) -> Section:
    """The rows whose set probably misses the truth."""
    title, found = "Suspect rows", inputs.suspects
    if found is None:
        return Section("suspects", title, _NOT_EXAMINED)
    if not len(found):
        return Section(
            "suspects",
            title,
            "No set is called wrong.",
            texts=(clean_text(found.statement, 600),),
        )
    sentence = (
        f"In {counted(len(found), 'row')} the set probably misses the truth: the other rows say "
        "something else. Correct it, or check it first."
    )
    texts = (clean_text(found.statement, 600),)
    if not inputs.has_rows:
        return Section("suspects", title, sentence, texts=(*texts, _NO_ROWS))
    columns = [
        ("others say", [cell(value) for value in found.instead]),
        ("probability that the set is wrong", [cell(value, 3) for value in found.posterior]),
        ("why", [clean_text(why, 400) for why in found.why]),
    ]
    table = _table(
        inputs, "suspects-table", "Suspects, the most suspect first", found.rows, columns
    )
    return Section("suspects", title, sentence, texts=texts, tables=(table,))


def open_section(inputs: ReportInputs) -> Section:
    """The rows that are not resolved."""
    title = "Rows left open"
    rows = np.flatnonzero(~inputs.resolved)
    rows = rows[np.argsort(inputs.confidence[rows], kind="stable")]
    if not rows.size:
        return Section("open", title, "No row is left open: all are resolved.")
    sentence = (
        f"{share(int(rows.size), len(inputs))} rows are not resolved: the data do not decide "
        f"their target with a confidence of at least {percent(inputs.resolve_at)}."
    )
    if not inputs.has_rows:
        return Section("open", title, sentence, texts=(_NO_ROWS,))
    columns: list[tuple[str, list[Any]]] = []
    known = inputs.labels.columns
    for name in ("runner_up", "doubtful_pair", "doubtful_tag", "lower_90", "upper_90"):
        if name in known:
            values = inputs.labels[name].to_numpy()[rows[:_MAX_ROWS]]
            columns.append((name.replace("_", " "), [_or_blank(value) for value in values]))
    table = _table(inputs, "open-table", "Open rows, the least sure first", rows, columns)
    return Section("open", title, sentence, tables=(table,))


def _or_blank(value: Any) -> Any:
    is_missing = value is None or (isinstance(value, float) and np.isnan(value))
    return None if is_missing else cell(value)


def _table(
    inputs: ReportInputs,
    name: str,
    title: str,
    rows: IntArray,
    columns: list[tuple[str, list[Any]]],
) -> DataTable:
    """Rows with what is known of them, what is said of them, and their cells."""
    shown = rows[:_MAX_ROWS].tolist()
    truth = (
        dict(zip(inputs.truth.rows.tolist(), inputs.truth.texts, strict=True))
        if (inputs.truth is not None)
        else {}
    )
    header = [clean_text(inputs.key, 60), "given", "label", "confidence"]
    header += [column for column, _ in columns]
    header += ["truth"] if truth else []
    header += [clean_text(column, 60) for column in inputs.shown_columns]
    body = []
    for place, row in enumerate(shown):
        line: list[Any] = [
            inputs.name(row),
            inputs.given(row),
            inputs.label_cell(row),
            round(float(inputs.confidence[row]), 3),
        ]
        line += [values[place] for _, values in columns]
        line += [truth.get(row)] if truth else []
        body.append((*line, *inputs.cells(row)))
    note = ""
    if len(shown) < len(rows):
        note = f"The first {len(shown):,} of {len(rows):,} rows; labels.csv has all."
    return DataTable(name, title, _distinct(header), body, len(rows), note)


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Names that differ: a feature may be called "label"."""
    found: list[str] = []
    for name in names:
        shown = name
        while shown in found:
            shown += " (column)"
        found.append(shown)
    return tuple(found)
