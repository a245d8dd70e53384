"""*What you gave*: kinds, sizes of sets, what is missing, and rows before and after."""

from typing import Any

import numpy as np

from disambig.candidates import MeanBounds
from disambig.candidates.labels.class_counts import is_in_bags
from disambig.candidates.labels.classes import positions
from disambig.candidates.labels.origins import origin_counts
from disambig.candidates.numbers.amounts import amount_text
from disambig.notation import IntArray
from disambig.plots import SetSizesDisplay
from disambig.report.document import DataTable, Figure, Section
from disambig.report.inputs import ReportInputs
from disambig.report.texts import clean_text, listed_names, share
from disambig.tables.bag_means import mean_table
from disambig.tables.bags import bag_table

_N_EXAMPLES = 30
KIND_NAMES = {
    "labels": "sets of labels, one of which is right",
    "numbers": "intervals that hold a number",
    "orders": "parts of rankings",
    "bits": "tags, some of which are unknown",
}


def given_section(inputs: ReportInputs) -> Section:
    """What was read."""
    table, candidates = inputs.table, inputs.candidates
    assert table.target is not None
    n = len(inputs)
    uninformative = int(np.count_nonzero(~np.asarray(table.candidates.informative)))
    columns = table.features.columns
    facts: list[tuple[str, Any]] = [
        ("rows", f"{n:,}"),
        ("target", _target(inputs)),
        *_outputs(inputs),
        *_bags(inputs),
        ("rows that say nothing about it", share(uninformative, n)),
        ("feature columns", f"{len(columns)} ({_types(columns)})"),
        ("missing cells in features", _missing(inputs)),
    ]
    if table.features.dropped:
        facts.append(("columns left out", _dropped(inputs)))
    texts: tuple[str, ...] = ()
    # These sentences quote cells.
    if inputs.has_rows:
        texts = tuple(clean_text(note, 400) for note in dict.fromkeys(inputs.notes))
    return Section(
        "given",
        "What you gave",
        f"The table has {n:,} rows, and {_summary(inputs)}.",
        texts=texts,
        facts=tuple(facts),
        figures=_sizes(candidates, getattr(table.candidates, "sets", table.candidates)),
        tables=(*_by_origin(inputs), *((_examples(inputs),) if inputs.has_rows else ())),
    )


def _target(inputs: ReportInputs) -> str:
    assert inputs.table.target is not None
    columns = list(inputs.table.target.columns)
    if not columns:
        return f"none; {'means' if inputs.kind == 'numbers' else 'class shares'} of bags"
    return f"{listed_names(columns)}: {KIND_NAMES[inputs.kind]}"


def _by_origin(inputs: ReportInputs) -> tuple[DataTable, ...]:
    """How sure labels are, by what was said of their rows."""
    origins = getattr(inputs.table.candidates, "origins", None)
    if origins is None:
        return ()
    truth = inputs.truth
    columns = ["given", "rows", "resolved", "mean confidence"]
    rows: list[tuple[Any, ...]] = []
    for origin, count in origin_counts(inputs.table.candidates.origin_flags).items():
        here = origins == origin
        row = [origin, count, int(np.count_nonzero(inputs.resolved & here))]
        row.append(round(float(inputs.confidence[here].mean()), 3))
        if truth is not None:
            known = here[truth.rows]
            row.append(round(float(truth.rightness[known].mean()), 3) if known.any() else None)
        rows.append(tuple(row))
    if truth is not None:
        columns.append("share right")
    return (
        DataTable("by-origin", "By what was given", tuple(columns), rows, len(rows), is_long=False),
    )


def _summary(inputs: ReportInputs) -> str:
    assert inputs.table.target is not None
    n_columns = len(inputs.table.target.columns)
    if not n_columns:
        what = "means" if inputs.kind == "numbers" else "class shares"
        return f"no target column: what is recovered follows from the {what} of bags"
    have = "target columns have" if n_columns > 1 else "target column has"
    return f"its {have} {KIND_NAMES[inputs.kind]}"


def _bags(inputs: ReportInputs) -> list[tuple[str, Any]]:
    """How many bags there are, and how the recovered labels keep their class shares."""
    counts = inputs.table.candidates
    if isinstance(counts, MeanBounds):
        return _means(counts, inputs)
    if not is_in_bags(counts):
        return []
    place = positions(counts.classes)
    codes = np.array([place[label] for label in inputs.estimator.labels_.tolist()])
    table = bag_table(counts, codes, inputs.estimator.label_distributions_)
    n_bags, kept = len(table), int(table["kept"].sum())
    column = inputs.table.plan.bags
    where = "all rows" if column is None else clean_text(column, 60)
    return [
        ("bags of known class shares", f"{n_bags:,} ({where})"),
        ("bags whose shares the labels keep", f"{kept:,} of {n_bags:,}"),
    ]


def _means(means: MeanBounds, inputs: ReportInputs) -> list[tuple[str, Any]]:
    table = mean_table(means, inputs.estimator.labels_)
    n_bags, kept = len(table), int(table["kept"].sum())
    return [
        ("bags of known mean", f"{n_bags:,} ({clean_text(inputs.table.plan.bags, 60)})"),
        ("bags whose means the numbers keep", f"{kept:,} of {n_bags:,}"),
    ]


def _outputs(inputs: ReportInputs) -> list[tuple[str, Any]]:
    sets = inputs.table.candidates
    if inputs.kind == "labels":
        sizes = np.asarray(sets.sizes)[np.asarray(sets.informative)]
        mean = f"{float(sizes.mean()):.2f}" if sizes.size else "–"
        return [("classes", f"{sets.n_classes:,}"), ("candidates of a row, on average", mean)]
    if inputs.kind == "bits":
        known = float(np.mean(sets.known))
        return [("tags", f"{sets.n_tags:,}"), ("tags that are known", f"{100 * known:.0f} %")]
    if inputs.kind == "orders":
        n_pairs = sets.n_items * (sets.n_items - 1) // 2
        known = float(np.mean(sets.n_observed)) / max(n_pairs, 1)
        return [("items", f"{sets.n_items:,}"), ("pairs that are known", f"{100 * known:.0f} %")]
    hull = sets.hull
    lengths = (hull.upper - hull.lower)[:, 0]
    bounded = lengths[np.isfinite(lengths)]
    middle = amount_text(float(np.median(bounded))) if bounded.size else "–"
    return [
        ("rows with a single number", share(int(np.count_nonzero(sets.is_point)), len(sets))),
        ("rows with two ends", share(int(bounded.size), len(sets))),
        ("median length of these", middle),
    ]


def _types(columns: Any) -> str:
    names, counts = np.unique([column.type for column in columns], return_counts=True)
    return ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))


def _missing(inputs: ReportInputs) -> str:
    missing = inputs.table.X.isna().sum()
    total = int(missing.sum())
    if not total:
        return "none"
    worst = missing.sort_values(ascending=False)
    names = [f"{name} ({count:,})" for name, count in worst.items() if count]
    return f"{total:,}, most of them in {listed_names(names, 3)}"


def _dropped(inputs: ReportInputs) -> str:
    dropped = inputs.table.features.dropped
    # Reasons may quote cells.
    if not inputs.has_rows:
        return listed_names(list(dropped), 10)
    return listed_names([f"{name} ({why})" for name, why in dropped.items()], 10)


def _sizes(candidates: Any, original: Any) -> tuple[Figure, ...]:
    display = SetSizesDisplay.of(original)
    parts = [
        f"{name}: {count:,.0f}" for name, count in zip(display.names, display.counts, strict=True)
    ]
    text = f"Rows by the {display.size_name}. {'; '.join(parts)}."

    def draw(ax: Any) -> None:
        display.plot(ax)

    return (Figure("set-sizes", f"Rows by the {display.size_name}", text, draw, (5.6, 2.8)),)


def example_rows(inputs: ReportInputs, most: int = _N_EXAMPLES) -> IntArray:
    """Rows from the whole table, at equal distances."""
    n = len(inputs)
    return np.unique(np.linspace(0, n - 1, min(most, n)).round().astype(np.intp))


def _examples(inputs: ReportInputs) -> DataTable:
    rows = example_rows(inputs)
    return DataTable(
        "rows-before-after",
        "Rows before and after",
        (
            clean_text(inputs.key, 60),
            "given",
            "label",
            "confidence",
            *(clean_text(name, 60) for name in inputs.shown_columns),
        ),
        [
            (
                inputs.name(row),
                inputs.given(row),
                inputs.label_cell(row),
                round(float(inputs.confidence[row]), 3),
                *inputs.cells(row),
            )
            for row in rows.tolist()
        ],
        len(inputs),
        f"{len(rows):,} of {len(inputs):,} rows, at equal distances; labels.csv has all labels."
        if len(rows) < len(inputs)
        else "",
    )
