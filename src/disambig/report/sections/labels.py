"""*Labels*: what was recovered, beside what was given, by kind of target."""

from typing import Any

import numpy as np

from disambig.candidates.numbers.amounts import amount_text
from disambig.metrics.candidate_confusion import candidate_confusion
from disambig.plots import (
    CandidateConfusionDisplay,
    ConfidenceHistogramDisplay,
    IntervalsDisplay,
    LabelCountsDisplay,
    PairMatrixDisplay,
    TagMatrixDisplay,
    TagRowsDisplay,
)
from disambig.plots.matrices import names_of
from disambig.report.document import DataTable, Figure, Section
from disambig.report.inputs import ReportInputs
from disambig.report.sections.confusions import confusions
from disambig.report.texts import cell, clean_text, counted, percent, share

_MAX_MATRIX = 30
_MAX_NAMES = 1000
_MAX_PAIRS = 200
_N_IN_TEXT = 12


def labels_section(inputs: ReportInputs) -> Section:
    """What was recovered."""
    n = len(inputs)
    resolved = int(np.count_nonzero(inputs.resolved))
    sentence = (
        f"Every row got one of its candidates; {share(resolved, n)} are resolved, which means a "
        f"confidence of at least {percent(inputs.resolve_at)}."
    )
    if inputs.kind == "numbers":
        figures, tables = _numbers(inputs)
    elif inputs.kind == "orders":
        figures, tables = _orders(inputs)
    elif inputs.kind == "bits":
        figures, tables = _bits(inputs)
    else:
        figures, tables = _labels(inputs)
    facts: list[tuple[str, Any]] = [
        ("resolved", share(resolved, n)),
        ("mean confidence", f"{float(inputs.confidence.mean()):.3f}"),
        *_range(inputs),
    ]
    return Section(
        "labels",
        {"numbers": "Numbers", "orders": "Rankings", "bits": "Tags"}.get(inputs.kind, "Labels"),
        sentence,
        texts=() if inputs.has_rows else _left_out(inputs.kind),
        facts=tuple(facts),
        figures=(*figures, _confidence(inputs)),
        tables=(*tables, *_confused(inputs)),
    )


def _left_out(kind: str) -> tuple[str, ...]:
    """What is not drawn if no row may be shown."""
    if kind == "numbers":
        return ("The intervals are left out, because each of their segments is a row.",)
    if kind == "bits":
        return ("The tags of single rows are left out.",)
    return ()


def _range(inputs: ReportInputs) -> list[tuple[str, Any]]:
    if inputs.kind != "numbers":
        return []
    low, middle, high = np.quantile(np.asarray(inputs.targets, dtype=float), [0.05, 0.5, 0.95])
    found: list[tuple[str, Any]] = [("recovered numbers: 5 %, median, 95 %", "")]
    found[0] = (found[0][0], ", ".join(map(amount_text, (low, middle, high))))
    distance = getattr(inputs.examination, "distance", None)
    if distance is not None:
        found.append(("a number counts as right within", amount_text(distance[0])))
    return found


def _confidence(inputs: ReportInputs) -> Figure:
    values = np.clip(inputs.confidence, 0.0, 1.0)
    right = None
    truth = inputs.truth
    if truth is not None and len(truth) == len(inputs):
        right = np.empty(len(inputs), dtype=np.bool_)
        right[truth.rows] = truth.rightness >= 1.0
    counts, edges = np.histogram(values, 10, (0.0, 1.0))
    parts = [f"{edges[k]:.1f} to {edges[k + 1]:.1f}: {counts[k]:,}" for k in range(10) if counts[k]]
    text = f"Rows by confidence. {'; '.join(parts)}."

    def draw(ax: Any) -> None:
        ConfidenceHistogramDisplay.from_predictions(
            values, right, resolve_at=inputs.resolve_at, ax=ax
        )

    return Figure("confidence", "Rows by confidence", text, draw, (5.6, 2.8))


# ---------------------------------------------------------------------- labels and tags


def _labels(inputs: ReportInputs) -> tuple[list[Figure], list[DataTable]]:
    counts = LabelCountsDisplay.of(inputs.candidates, inputs.targets)
    return [_counts_figure(counts, "classes"), _set_confusion(inputs)], [
        _counts_table(inputs, counts, "class")
    ]


def _counts_figure(display: LabelCountsDisplay, noun: str) -> Figure:
    order = np.argsort(-display.recovered, kind="stable")[:_N_IN_TEXT]
    parts = [
        f"{clean_text(display.names[k], 40)}: {display.recovered[k]:,.0f} recovered, a candidate "
        f"in {display.allowed[k]:,.0f}"
        for k in order
    ]
    rest = len(display.names) - len(order)
    text = f"Rows of the {noun}. {'; '.join(parts)}{f'; and {rest} more' if rest > 0 else ''}."

    def draw(ax: Any) -> None:
        display.plot(ax)

    height = 1.4 + 0.24 * min(len(display.names), 30)
    return Figure("counts", f"Rows of the {noun}", text, draw, (5.6, max(2.4, height)))


def _counts_table(inputs: ReportInputs, display: LabelCountsDisplay, noun: str) -> DataTable:
    means = _mean_confidence(inputs, display)
    order = np.lexsort((-display.allowed, -display.recovered))
    rows = [
        (
            clean_text(display.names[k]),
            int(display.recovered[k]),
            int(display.allowed[k]),
            cell(means[k], 3),
        )
        for k in order[:_MAX_NAMES]
    ]
    note = "" if len(order) <= _MAX_NAMES else f"The {_MAX_NAMES:,} most frequent."
    columns = (noun, "rows recovered", "rows that allow it", "mean confidence")
    return DataTable(f"{noun}-table", f"Rows by {noun}", columns, rows, len(order), note)


def _mean_confidence(inputs: ReportInputs, display: LabelCountsDisplay) -> list[float]:
    """Of the rows with each label; of tags, of the rows that have it."""
    if inputs.kind == "bits":
        has = np.asarray(inputs.targets) == 1
        total = has.T @ inputs.confidence
        return [
            float(total[k] / count) if (count := has[:, k].sum()) else float("nan")
            for k in range(has.shape[1])
        ]
    texts = [str(label) for label in names_of(inputs.targets)]
    place = {str(name): k for k, name in enumerate(display.names)}
    codes = np.array([place[text] for text in texts], dtype=np.intp)
    sums = np.bincount(codes, inputs.confidence, minlength=len(place))
    counts = np.bincount(codes, minlength=len(place))
    with np.errstate(invalid="ignore", divide="ignore"):
        means: list[float] = (sums / counts).tolist()
    return means


def _set_confusion(inputs: ReportInputs) -> Figure:
    found = candidate_confusion(inputs.candidates, inputs.targets)
    shares = found.shares.copy()
    names = names_of(found.classes)
    # Of many classes those that are beside others most.
    others = np.where(np.eye(len(names), dtype=bool) | np.isnan(shares), 0.0, shares)
    weight = others.sum(axis=0) + others.sum(axis=1)
    kept = np.sort(np.argsort(-weight, kind="stable")[:_MAX_MATRIX])
    top = [
        (float(others[k, j]), k, j)
        for k in kept.tolist()
        for j in kept.tolist()
        if k != j and others[k, j] > 0
    ]
    parts = [
        f"{clean_text(names[j], 40)} in {percent(value)} of the sets of {clean_text(names[k], 40)}"
        for value, k, j in sorted(top, key=lambda one: -one[0])[:6]
    ]
    text = (
        "For each label, the share of its rows whose set also has another class. Largest: "
        + ("; ".join(parts) if parts else "no set has a second class")
        + "."
    )
    display = CandidateConfusionDisplay(shares[np.ix_(kept, kept)], [names[k] for k in kept])

    def draw(ax: Any) -> None:
        display.plot(ax)

    title = "Which classes stand beside which labels"
    if len(kept) < len(names):
        title += f" ({len(kept)} of {len(names)} classes)"
    return Figure("set-confusion", title, text, draw, (5.6, 4.6))


def _bits(inputs: ReportInputs) -> tuple[list[Figure], list[DataTable]]:
    counts = LabelCountsDisplay.of(inputs.candidates, inputs.targets)
    matrix = TagMatrixDisplay.of(inputs.targets, inputs.candidates.tags)
    shares = np.where(np.eye(len(matrix.tags), dtype=bool), np.nan, matrix.shares)
    text = "Of the rows with a tag, the share with another one. " + _largest(
        shares, matrix.tags, "{second} in {share} of the rows with {first}"
    )

    def draw(ax: Any) -> None:
        matrix.plot(ax)

    figure = Figure("tag-matrix", "Tags that come together", text, draw, (5.6, 4.6))
    figures = [_counts_figure(counts, "tags"), figure]
    if inputs.has_rows:
        figures.append(_tag_rows(inputs))
    return figures, [_counts_table(inputs, counts, "tag")]


def _tag_rows(inputs: ReportInputs) -> Figure:
    display = TagRowsDisplay.of(inputs.candidates, inputs.targets)
    filled = ~display.known
    on = int(np.count_nonzero(display.bits[filled] == 1))
    text = (
        f"{counted(len(display.rows), 'row')} below each other, their tags beside each other, with "
        f"{share(int(np.count_nonzero(filled)), filled.size)} cells that were unknown; of these "
        f"{on:,} were recovered as on."
    )

    def draw(ax: Any) -> None:
        display.plot(ax)

    title = "Tags of the rows, given and recovered"
    if len(display.rows) < len(inputs):
        title += f" ({len(display.rows)} of {len(inputs):,} rows)"
    return Figure("tag-rows", title, text, draw, (5.6, 4.6))


def _orders(inputs: ReportInputs) -> tuple[list[Figure], list[DataTable]]:
    matrix = PairMatrixDisplay.of(inputs.targets, inputs.candidates.items)
    text = "The share of rows in which an item comes before another one. " + _largest(
        matrix.shares, matrix.items, "{first} before {second} in {share}"
    )

    def draw(ax: Any) -> None:
        matrix.plot(ax)

    order = np.argsort(matrix.places, kind="stable")
    rows = [
        (
            clean_text(matrix.items[k]),
            cell(matrix.places[k], 3),
            cell(float(np.mean(np.asarray(inputs.targets)[:, k] == 0)), 3),
        )
        for k in order
    ]
    table = DataTable(
        "item-table", "Items", ("item", "mean place", "share of first places"), rows, len(rows)
    )
    figure = Figure("pair-matrix", "Which item comes before which", text, draw, (5.6, 4.6))
    return [figure], [table]


def _largest(shares: Any, names: list[Any], form: str, most: int = 6) -> str:
    order = np.argsort(np.where(np.isnan(shares), -1.0, shares), axis=None)[::-1][:most]
    parts = [
        form.format(
            first=clean_text(names[k], 40),
            second=clean_text(names[j], 40),
            share=percent(float(shares[k, j])),
        )
        for k, j in zip(*np.unravel_index(order, shares.shape), strict=True)
        if not np.isnan(shares[k, j])
    ]
    return f"Largest: {'; '.join(parts)}." if parts else ""


def _confused(inputs: ReportInputs) -> tuple[DataTable, ...]:
    found = confusions(inputs)
    if not found:
        return ()
    noun = {"labels": "Confused classes", "orders": "Doubtful pairs", "bits": "Doubtful tags"}
    columns: tuple[str, ...] = ("first", "second", "expected errors", "rows that leave it open")
    rows: list[tuple[Any, ...]] = [
        (one.first, one.second, round(one.errors, 2), one.together) for one in found[:_MAX_PAIRS]
    ]
    if inputs.kind == "bits":
        columns = ("tag", *columns[2:])
        rows = [(row[0], *row[2:]) for row in rows]
    note = "Expected errors are wrong labels by the probabilities of rows that never saw the sets."
    if len(found) > _MAX_PAIRS:
        note += f" The {_MAX_PAIRS} largest of {len(found):,}."
    return (DataTable("confused", noun[inputs.kind], columns, rows, len(found), note),)


# ---------------------------------------------------------------------- numbers


def _numbers(inputs: ReportInputs) -> tuple[list[Figure], list[DataTable]]:
    given = inputs.table.candidates
    if not inputs.has_rows or given.n_columns != 1:
        # Every segment is a row.
        return [], []
    fitted = np.asarray(inputs.estimator.predict(inputs.inputs), dtype=np.float64)
    options: dict[str, Any] = {}
    columns = inputs.table.features.columns
    if len(columns) == 1 and columns[0].type == "number":
        along = inputs.table.X[columns[0].name].to_numpy(dtype=np.float64)
        if np.isfinite(along).all():
            options = {"x": along, "x_name": clean_text(columns[0].name, 40)}
    sets = given.sets if given.couples_rows else given
    display = IntervalsDisplay.of(sets, inputs.targets, fitted, **options)
    inside = np.asarray(sets.contains(fitted)).ravel()
    text = (
        f"Segments between the ends of the intervals of {len(display.x)} rows, the recovered "
        f"numbers from {amount_text(display.recovered.min())} to "
        f"{amount_text(display.recovered.max())}, and the "
        f"fitted curve, which passes through {percent(float(inside.mean()))} of all intervals."
    )

    def draw(ax: Any) -> None:
        display.plot(ax)

    title = "Intervals, recovered numbers and the fitted curve"
    if len(display.x) < len(inputs):
        title += f" ({len(display.x)} of {len(inputs):,} rows)"
    return [Figure("intervals", title, text, draw, (6.4, 3.6))], []
