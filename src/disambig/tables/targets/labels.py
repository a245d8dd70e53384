"""Labels of columns: sets in one column, one column a class, one column an annotator."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import class_vector, listed, sorted_labels
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.origins import FLAGS
from disambig.exceptions import CandidateError
from disambig.notation import BoolArray, IntArray
from disambig.tables.source import Source, shown
from disambig.tables.targets.label_texts import (
    Parts,
    label_counts,
    label_parts,
    merged_spellings,
)
from disambig.tables.targets.target import TargetFormat
from disambig.tables.values import Values, silent_words


@dataclass(frozen=True, eq=False)
class ReadSets:
    """Candidates, the format with the names that were found, and merged spellings."""

    candidates: Any
    format: TargetFormat
    merged: dict[str, str]


def read_sets(values: Values, format_: TargetFormat, source: Source) -> ReadSets:
    """Sets of labels in one column."""
    written = format_.notation == "written"
    parts = [
        label_parts(value, format_.separator, written=written, negatives=format_.negatives)
        for value in values.values
    ]
    _refuse_parts(parts, values, format_, source)
    parts = _as_texts(parts)
    path = format_.path
    merged: dict[str, str] = {}
    if not format_.case_sensitive:
        # The levels of a path are spelled one by one.
        levels = [Parts(tuple(x for y in part.labels for x in _levels(y, path))) for part in parts]
        merged = merged_spellings(label_counts(levels, values.counts), _known_names(format_))
    parts = [
        part._replace(labels=tuple(_spelled(label, path, merged) for label in part.labels))
        for part in parts
    ]
    if format_.path is not None or format_.parents is not None:
        sets, format_ = _below_nodes(parts, values, format_, source)
    else:
        sets, format_ = _sets(parts, values, format_, source)
    # The last set is that of rows that say nothing.
    codes = np.where(values.codes < 0, len(values.values), values.codes)
    inner = set((format_.parents or {}).values())
    flags = np.array([*(_origin(part, inner) for part in parts), 0], dtype=np.uint8)
    sets = LabelSets(sets.mask, sets.classes, origin_flags=flags)
    return ReadSets(sets[codes], format_, merged)


def _origin(part: Parts, inner: set[Any]) -> int:
    """What a cell says: a label, several, what a row is not, or inner nodes of a taxonomy."""
    if part.is_negative:
        return FLAGS["not"]
    if not inner.isdisjoint(part.labels):
        return FLAGS["node"]
    return FLAGS["label" if len(part.labels) == 1 else "set"]


def _known_names(format_: TargetFormat) -> tuple[Any, ...] | None:
    """The names that labels may have: the classes, or the nodes of a taxonomy."""
    if format_.path is not None:
        return None
    if format_.parents is not None:
        return tuple({*format_.parents, *format_.parents.values()} - {None})
    return format_.names


def _as_texts(parts: list[Parts]) -> list[Parts]:
    """All labels as texts if some are: 1 and "1" are one label."""
    kinds = {isinstance(label, str) for part in parts for label in part.labels}
    if kinds != {True, False}:
        return parts
    return [part._replace(labels=tuple(map(str, part.labels))) for part in parts]


def _refuse_parts(
    parts: list[Parts], values: Values, format_: TargetFormat, source: Source
) -> None:
    """Raise at a set without a label, with an empty one, or with a word that says nothing."""
    texts = sorted({x for part in parts for x in part.labels if isinstance(x, str)})
    silent = silent_words(texts, format_.missing, format_.names or ())
    for code, part in enumerate(parts):
        text, row = shown(values.values[code]), int(values.first[code])
        if not part.labels:
            raise source.error(
                f"{text} has no candidate. Leave the cell blank if nothing is known, or pass "
                f"missing=[{text}].",
                row,
                values.column,
            )
        if "" in part.labels:
            raise source.error(
                f"{text} has an empty part. Write a label on each side of every "
                f"{format_.separator!r}, or pass separator=.",
                row,
                values.column,
            )
        odd = [x for x in part.labels if isinstance(x, str) and x in silent]
        if odd:
            raise source.error(
                f"{text} has {odd[0]!r}, which says nothing, beside labels. Leave it out, or leave "
                f"the cell blank; if it is a label, pass "
                f"classes= with all labels.",
                row,
                values.column,
            )


def _sets(
    parts: list[Parts], values: Values, format_: TargetFormat, source: Source
) -> tuple[LabelSets, TargetFormat]:
    """The sets of all distinct values, and one more of all classes."""
    classes = format_.names
    if classes is None:
        classes = tuple(sorted_labels({x for part in parts for x in part.labels}))
    if not classes:
        raise source.error(
            "no row has a label. Name the column of the target.", None, values.column
        )
    sets: list[Any] = []
    known = set(classes)
    for code, part in enumerate(parts):
        unknown = [label for label in part.labels if label not in known]
        row = int(values.first[code])
        if unknown:
            raise source.error(
                f"{shown(unknown[0])} is not among the {len(classes)} classes.", row, values.column
            )
        chosen = known.difference(part.labels) if part.is_negative else set(part.labels)
        if not chosen:
            raise source.error(
                f"{shown(values.values[code])} excludes every class.", row, values.column
            )
        sets.append(chosen)
    try:
        found = LabelSets.from_sets([*sets, known], classes=list(classes))
    except CandidateError as error:
        raise source.translated(error, values.first, values.column) from None
    return found, replace(format_, names=tuple(classes))


def _below_nodes(
    parts: list[Parts], values: Values, format_: TargetFormat, source: Source
) -> tuple[LabelSets, TargetFormat]:
    """Sets of leaves: a node of a taxonomy stands for all leaves below it."""
    for code, part in enumerate(parts):
        if part.is_negative:
            raise source.error(
                f"{shown(values.values[code])} excludes a node of a taxonomy, which is not read. "
                f"Write the nodes that are left.",
                int(values.first[code]),
                values.column,
            )
    rows = [part.labels for part in parts]
    parents = format_.parents
    if parents is None:
        parents = _parents({label for labels in rows for label in labels}, str(format_.path))
    try:
        tree = Hierarchy(parents)
        nodes = [tuple(dict.fromkeys(labels)) for labels in rows]
        sets = LabelSets.from_hierarchy([*nodes, tree.leaves], tree)
    except CandidateError as error:
        raise source.translated(error, values.first, values.column) from None
    names = listed(sets.classes)
    if format_.path is not None:
        last = [str(name).split(format_.path)[-1] for name in names]
        # The last level is the name of a class, unless it occurs in two branches.
        names = last if len(set(last)) == len(last) else names
        sets = LabelSets(sets.mask, np.array(names))
    if format_.names is not None:
        sets = sets.with_classes(list(format_.names))
    found = replace(format_, parents=dict(parents), names=tuple(listed(sets.classes)))
    return sets, found


def _levels(label: Any, path: str | None) -> list[Any]:
    """The levels of the path of a label; the label itself without paths."""
    return [label] if path is None else [level.strip() for level in str(label).split(path)]


def _spelled(label: Any, path: str | None, merged: dict[str, str]) -> Any:
    """A label, or a path level by level, in the spelling that is kept."""
    levels = [merged.get(level, level) for level in _levels(label, path)]
    return levels[0] if path is None else path.join(levels)


def _parents(labels: set[str], path: str) -> dict[str, str | None]:
    """The parent of every node; a node is named by the way from its root."""
    parents: dict[str, str | None] = {}
    for label in sorted(labels):
        levels = label.split(path)
        for depth in range(len(levels), 0, -1):
            above = path.join(levels[: depth - 1]) if depth > 1 else None
            parents[path.join(levels[:depth])] = above
    return parents


def refuse_lists(columns: list[Values], source: Source) -> None:
    """Raise if a cell is a list where a label is expected."""
    for column in columns:
        for code, value in enumerate(column.values):
            if isinstance(value, tuple):
                raise source.error(
                    f"{shown(list(value))} is a list; expected one label.",
                    int(column.first[code]),
                    column.column,
                )


def read_class_columns(
    bits: Any, names: list[str], format_: TargetFormat, source: Source
) -> ReadSets:
    """One column a class: 1 where it is a candidate, -1 where nothing is said, ``(n, K)``."""
    mask: BoolArray = (bits == 1) | ((bits == -1) & (format_.blank == "unknown"))
    # A row of blanks says nothing.
    mask[(bits == -1).all(axis=1)] = True
    empty = ~mask.any(axis=1)
    if empty.any():
        raise source.error(
            "no class is a candidate. Mark at least one, or leave all columns blank if nothing is "
            "known; if the columns are tags, pass kind='bits'.",
            int(np.argmax(empty)),
        )
    sets = LabelSets(mask, np.array(names))
    if format_.names is not None:
        sets = sets.with_classes(list(format_.names))
    return ReadSets(sets, replace(format_, names=tuple(listed(sets.classes))), {})


def read_annotators(columns: list[Values], format_: TargetFormat, source: Source) -> ReadSets:
    """One column an annotator: the candidates of a row are all labels that they gave."""
    refuse_lists(columns, source)
    counts = label_counts(
        (Parts((value,)) for column in columns for value in column.values),
        (n for column in columns for n in column.counts),
    )
    merged = {} if format_.case_sensitive else merged_spellings(counts, format_.names)
    labels = {merged.get(label, label) for label in counts}
    classes = list(format_.names) if format_.names else sorted_labels(labels)
    place = {label: k for k, label in enumerate(classes)}
    n = len(columns[0].codes)
    mask = np.zeros((n, len(classes)), dtype=np.bool_)
    for column in columns:
        codes: IntArray = np.array(
            [place.get(merged.get(value, value), -1) for value in column.values], dtype=np.intp
        )
        if (codes < 0).any():
            code = int(np.argmax(codes < 0))
            raise source.error(
                f"{shown(column.values[code])} is not among the {len(classes)} classes.",
                int(column.first[code]),
                column.column,
            )
        rows = np.flatnonzero(column.codes >= 0)
        mask[rows, codes[column.codes[rows]]] = True
    mask[~mask.any(axis=1)] = True
    sets = LabelSets(mask, class_vector(classes))
    return ReadSets(sets, replace(format_, names=tuple(classes)), merged)
