"""*Map*: the rows in two dimensions, with labels, confidence and suspects."""

from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray
from disambig.plots import MapDisplay
from disambig.plots.matrices import names_of
from disambig.report.document import Figure, Hover, Section
from disambig.report.inputs import ReportInputs
from disambig.report.texts import clean_text, counted, number_text
from disambig.weights import ScaledWeights

_MAX_POINTS = 2000
_MAX_CELLS = 5
_MAX_LETTERS = 50


def map_section(inputs: ReportInputs) -> Section:
    """The map of the rows."""
    title = "Map"
    if not inputs.has_rows:
        return Section(
            "map", title, "The map is left out, because each of its points is a row of the table."
        )
    suspects = () if inputs.suspects is None else inputs.suspects.rows
    colors, meaning = _colors(inputs)
    display = MapDisplay.of(
        _scaled(inputs),
        colors,
        confidence=np.clip(inputs.confidence, 0.0, 1.0),
        suspects=suspects,
        standardize=False,
        max_rows=_MAX_POINTS,
    )
    explained = display.explained or (0.0, 0.0)
    sentence = (
        "Rows that are close are alike in their features; the colour is "
        f"{meaning}, faint points are unsure, and suspect rows are ringed."
    )
    shown = len(display.rows)
    text = (
        f"{shown:,} points, one a row, on the first two principal components of the features, "
        f"which have {100 * sum(explained):.0f} % of the variance. "
        f"{len(display.suspects):,} points are ringed as suspect. The tables below list these rows."
    )
    texts = ["Point at a row to see it."]
    if shown < len(inputs):
        texts.append(f"{shown:,} of {len(inputs):,} rows are drawn: suspects, others at random.")
    texts.append(f"The two axes have {100 * sum(explained):.0f} % of the variance of the features.")

    def draw(ax: Any) -> Hover:
        display.plot(ax)
        return {
            str(points.collection.get_gid()): [_text(inputs, row) for row in points.rows.tolist()]
            for points in display.points_
        }

    figure = Figure("map-figure", "Map of the rows", text, draw, (6.4, 5.2))
    return Section("map", title, sentence, texts=tuple(texts), figures=(figure,))


def _scaled(inputs: ReportInputs) -> AnyArray:
    """The features, as far apart as the chosen weights see them."""
    values: FloatArray = np.asarray(inputs.inputs, dtype=np.float64)
    weights = inputs.estimator.weights_
    if isinstance(weights, ScaledWeights) and np.shape(weights.scales) == (values.shape[1],):
        return np.asarray(values * np.asarray(weights.scales))
    spread = values.std(axis=0)
    return np.asarray(values / np.where(spread > 0, spread, 1.0))


def _colors(inputs: ReportInputs) -> tuple[AnyArray, str]:
    """What colours stand for."""
    targets = inputs.targets
    if inputs.kind == "numbers":
        return np.asarray(targets, dtype=np.float64).reshape(len(inputs), -1)[:, 0], "the number"
    if inputs.kind == "orders":
        items = np.array([clean_text(item, 40) for item in names_of(inputs.candidates.items)])
        return items[np.argmin(np.asarray(targets), axis=1)], "the first item"
    if inputs.kind == "bits":
        counts = np.count_nonzero(np.asarray(targets) == 1, axis=1)
        return np.array([counted(count, "tag") for count in counts]), "the number of tags"
    texts = np.empty(len(inputs), dtype=object)
    labels = names_of(targets)
    cleaned = {label: clean_text(label, 40) for label in set(labels)}
    texts[:] = [cleaned[label] for label in labels]
    return texts, "the label"


def _text(inputs: ReportInputs, row: int) -> str:
    """What stands beside a point."""
    lines = [
        f"{inputs.key}: {inputs.name(row)}",
        f"label: {inputs.label_text(row, _MAX_LETTERS)} ({inputs.confidence[row]:.2f})",
        f"given: {clean_text(inputs.given(row), _MAX_LETTERS)}",
    ]
    for name, value in zip(inputs.shown_columns, inputs.cells(row)[:_MAX_CELLS], strict=False):
        shown = "" if value is None else clean_text(value, _MAX_LETTERS)
        if isinstance(value, float):
            shown = number_text(value)
        lines.append(f"{clean_text(name, 30)}: {shown}")
    return "\n".join(lines)
