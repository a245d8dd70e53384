"""*Findings*: the diagnosis, by severity, with rows."""

from disambig.diagnosis import Finding
from disambig.report.document import DataTable, Item, Section
from disambig.report.inputs import ReportInputs
from disambig.report.texts import clean_text

_MAX_ROWS = 300


def findings_section(inputs: ReportInputs) -> Section:
    """What the diagnosis of the data found."""
    report = inputs.diagnosis
    issues, tips = report.issues, report.tips
    n_passed = len(report.passed)
    if issues:
        sentence = (
            f"{_count(len(issues), 'issue')} should be corrected, and {_count(len(tips), 'tip')} "
            f"{'is' if len(tips) == 1 else 'are'} worth a look; {n_passed} checks found nothing."
        )
    elif tips:
        sentence = (
            f"Nothing must be corrected; {_count(len(tips), 'tip')} "
            f"{'is' if len(tips) == 1 else 'are'} worth a look, and {n_passed} checks found "
            "nothing."
        )
    else:
        sentence = f"Nothing was found: all {n_passed} checks passed."
    texts: tuple[str, ...] = ()
    if report.fast:
        texts = ("The slow checks were left out, because the table is large.",)
    return Section(
        "findings",
        "Findings",
        sentence,
        texts=texts,
        items=tuple(_item(found, inputs.has_rows) for found in report),
        tables=_rows(inputs),
    )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' if n != 1 else ''}"


def _item(found: Finding, has_rows: bool) -> Item:
    texts = []
    # Messages quote what they found.
    if has_rows:
        texts.append(found.message)
    elif found.rows.size:
        texts.append(f"Rows concerned: {found.rows.size:,}.")
    texts += [f"Why it matters: {found.why}", f"What to do: {found.remedy}"]
    return Item(found.code, found.section, found.title, tuple(clean_text(t, 600) for t in texts))


def _rows(inputs: ReportInputs) -> tuple[DataTable, ...]:
    """The rows of all findings in one table."""
    if not inputs.has_rows:
        return ()
    rows, total = [], 0
    concerned = [found for found in inputs.diagnosis if found.rows.size]
    each = _MAX_ROWS // max(len(concerned), 1)
    for found in concerned:
        total += found.rows.size
        rows += [
            (found.code, clean_text(found.title, 80), inputs.name(row), inputs.given(row),
             inputs.label_text(row))
            for row in found.rows[:each].tolist()
        ]  # fmt: skip
    if not rows:
        return ()
    note = "" if len(rows) == total else f"The first {each} rows of each finding are listed."
    columns = ("code", "finding", clean_text(inputs.key, 60), "given", "label")
    return (DataTable("rows-of-findings", "Rows of the findings", columns, rows, total, note),)
