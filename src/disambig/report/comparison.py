"""Two fits side by side: what differs in data, settings, labels and trust."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from disambig.estimators.selection.trial_texts import short_numbers, weights_text
from disambig.notation import IntArray
from disambig.report.document import Answer, DataTable, Document, Figure, Section
from disambig.report.fit_report import FitReport
from disambig.report.inputs import ReportInputs
from disambig.report.sections.labels import labels_section
from disambig.report.sections.trust import trust_section
from disambig.report.texts import cell, clean_text, share

_MAX_ROWS = 500
# Numbers that differ by less than this share of their range are the same.
_SAME = 1e-6


def compared(
    first: ReportInputs, second: ReportInputs, names: tuple[str, str] = ("first", "second")
) -> FitReport:
    """The report that puts two fits side by side.

    Parameters
    ----------
    first, second : ReportInputs
    names : (str, str)
        Of the two, such as their folders.
    """
    shown = (clean_text(names[0], 60), clean_text(names[1], 60))
    if shown[0] == shown[1]:
        shown = (f"{shown[0]} (first)", f"{shown[1]} (second)")
    rows = changed_rows(first, second)
    has_rows = first.has_rows and second.has_rows
    sections = (
        _facts_section(first, second, shown),
        _changed_section(first, second, shown, rows, has_rows),
        _pictures(first, second, shown, labels_section, "labels", "Labels"),
        _pictures(first, second, shown, trust_section, "trust", "Trust"),
    )
    document = Document(
        title=f"{shown[0]} and {shown[1]}, side by side",
        subtitle=f"{first.kind}, {len(first):,} rows; {second.kind}, {len(second):,} rows",
        kind=first.kind if first.kind == second.kind else "several",
        has_rows=has_rows,
        answers=_answers(first, second, shown, rows),
        sections=sections,
    )
    return FitReport(document)


def changed_rows(first: ReportInputs, second: ReportInputs) -> IntArray | None:
    """Rows whose label differs; None if the two have other rows, or other kinds of target."""
    if first.kind != second.kind or len(first) != len(second):
        return None
    if first.key != second.key or not np.array_equal(
        first.names.astype(str), second.names.astype(str)
    ):
        return None
    one, other = (inputs.labels["label"].to_numpy() for inputs in (first, second))
    if first.kind == "numbers":
        gaps = np.abs(one.astype(float) - other.astype(float))
        span = max(float(np.ptp(one.astype(float))), 1e-300)
        rows = np.flatnonzero(gaps > _SAME * span)
        return rows[np.argsort(-gaps[rows], kind="stable")]
    rows = np.flatnonzero(one.astype(str) != other.astype(str))
    # The surest changes first.
    sure = np.minimum(first.confidence[rows], second.confidence[rows])
    return rows[np.argsort(-sure, kind="stable")]


def _answers(
    first: ReportInputs,
    second: ReportInputs,
    names: tuple[str, str],
    rows: IntArray | None,
) -> tuple[Answer, ...]:
    counts = [int(np.count_nonzero(inputs.trusted)) for inputs in (first, second)]
    points = tuple(
        f"{name}: {share(count, len(inputs))} {inputs.noun()}"
        for name, count, inputs in zip(names, counts, (first, second), strict=True)
    )
    if counts[0] == counts[1]:
        text = "Both the same number."
    else:
        text = f"{names[int(counts[1] > counts[0])]}: {abs(counts[1] - counts[0]):,} more."
    trusted = Answer("trusted", "Which run has more to trust at 95 %?", text, points, "trust")
    if rows is None:
        differ = "The two have other rows, which cannot be compared one by one."
    else:
        differ = f"{share(rows.size, len(first))} rows have another label."
    return trusted, Answer("changed", "How many labels differ?", differ, (), "changed")


def _facts_section(first: ReportInputs, second: ReportInputs, names: tuple[str, str]) -> Section:
    pairs = [dict(_facts(inputs)) for inputs in (first, second)]
    facts = list(dict.fromkeys([*pairs[0], *pairs[1]]))
    rows = [
        (fact, cell(one), cell(other), "" if one == other else "differs")
        for fact in facts
        for one, other in [(pairs[0].get(fact, "–"), pairs[1].get(fact, "–"))]
    ]
    is_same = first.digest == second.digest
    table = DataTable("facts-table", "Facts", ("fact", *names, "note"), rows, len(rows))
    return Section(
        "facts",
        "Side by side",
        "Both runs saw the same table." if is_same else "The two runs saw different tables.",
        tables=(table,),
    )


def _facts(inputs: ReportInputs) -> list[tuple[str, Any]]:
    estimator, n = inputs.estimator, len(inputs)
    found: list[tuple[str, Any]] = [
        ("rows", n),
        ("kind of target", inputs.kind),
        ("feature columns", len(inputs.table.features.columns)),
        ("trusted at 95 %", share(int(np.count_nonzero(inputs.trusted)), n)),
        ("resolved", share(int(np.count_nonzero(inputs.resolved)), n)),
        ("mean confidence", round(float(inputs.confidence.mean()), 4)),
        ("expected wrong", round(float(inputs.doubt.sum()), 2)),
        ("issues", len(inputs.diagnosis.issues)),
        ("tips", len(inputs.diagnosis.tips)),
        ("chosen", clean_text(short_numbers(weights_text(estimator.weights_)), 300)),
    ]
    if len(estimator.trials_):
        best = min(float(trial.score) for trial in estimator.trials_)
        found.append(("best held-out score", float(f"{best:.4g}")))
    if inputs.suspects is not None:
        found.append(("suspect rows", len(inputs.suspects)))
    if inputs.truth is not None and len(inputs.truth):
        right = float(inputs.truth.rightness.mean())
        found.append(("right where the truth is known", round(right, 4)))
    found += [(name.replace("_", " "), value) for name, value in inputs.settings.items()]
    found += [(f"seconds: {name}", round(value, 2)) for name, value in inputs.seconds.items()]
    found += list(inputs.versions.items())
    found.append(("hash of the table", inputs.digest[:16]))
    return found


def _changed_section(
    first: ReportInputs,
    second: ReportInputs,
    names: tuple[str, str],
    rows: IntArray | None,
    has_rows: bool,
) -> Section:
    title = "Labels that differ"
    if rows is None:
        return Section("changed", title, "The rows of the two runs are not the same ones.")
    sentence = f"{share(rows.size, len(first))} rows have another label in {names[1]}."
    if not rows.size or not has_rows:
        return Section("changed", title, sentence)
    header = (
        clean_text(first.key, 60), "given",
        f"label in {names[0]}", f"confidence in {names[0]}",
        f"label in {names[1]}", f"confidence in {names[1]}",
    )  # fmt: skip
    body = [
        (
            first.name(row),
            first.given(row),
            first.label_text(row),
            round(float(first.confidence[row]), 3),
            second.label_text(row),
            round(float(second.confidence[row]), 3),
        )
        for row in rows[:_MAX_ROWS].tolist()
    ]
    note = ""
    if len(body) < rows.size:
        note = f"The first {len(body):,} of {rows.size:,} rows; the two labels.csv have all."
    table = DataTable("changed-table", title, header, body, int(rows.size), note)
    return Section("changed", title, sentence, tables=(table,))


def _pictures(
    first: ReportInputs,
    second: ReportInputs,
    names: tuple[str, str],
    section: Callable[[ReportInputs], Section],
    identity: str,
    title: str,
) -> Section:
    """The figures of a section, those of the two runs beside each other."""
    found = [section(inputs) for inputs in (first, second)]
    figures: list[Figure] = []
    order = list(dict.fromkeys(one.id for part in found for one in part.figures))
    for name in order:
        for place, (run, part) in enumerate(zip(names, found, strict=True)):
            figures += [
                replace(one, id=f"{one.id}-{place + 1}", title=f"{one.title}: {run}")
                for one in part.figures
                if one.id == name
            ]
    sentence = f"{names[0]}: {found[0].sentence}"
    texts = (f"{names[1]}: {found[1].sentence}",)
    return Section(identity, title, sentence, texts=texts, figures=tuple(figures))
