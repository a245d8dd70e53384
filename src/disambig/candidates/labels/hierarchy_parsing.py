"""Parse sets that are given by nodes of a hierarchy: "mammal" stands for every leaf below it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import checked_classes, named_classes
from disambig.candidates.labels.entries import Entries, admit, entries_of
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.parsing import split_rows
from disambig.candidates.labels.tables import SetTable, reexpress
from disambig.candidates.reading import Markers, refuse_empty_rows, row_error, rows_of


def parse_hierarchy(
    y: Any,
    parents: Hierarchy | Mapping[Any, Any],
    classes: Any = None,
    unlabeled: Any = None,
    separator: str | None = None,
) -> SetTable:
    """Read one node or set of nodes per row; a node stands for the leaves below it."""
    tree = parents if isinstance(parents, Hierarchy) else Hierarchy(parents)
    markers = Markers.of(unlabeled, "LabelSets")
    vector = named_classes(classes, markers)
    markers.refuse_among(tree.nodes, "LabelSets")
    rows = rows_of(y)
    if separator is not None:
        rows = split_rows(rows, separator, markers)
    entries = entries_of(rows)
    nodes, is_unlabeled = admit(entries, markers)
    refuse_empty_rows(entries.sizes() == 0)
    table = below_nodes(nodes, tree)
    if vector is not None:
        table = reexpress(table, vector)
    # Last, so that an unlabeled row also has the classes that are not in the hierarchy.
    table.mask[is_unlabeled] = True
    return table


def below_nodes(nodes: Entries, tree: Hierarchy) -> SetTable:
    """The leaves below the nodes of each row; none for a row without a node."""
    unknown = np.array([node not in tree for node in nodes.distinct], dtype=np.bool_)[nodes.codes]
    if unknown.any():
        raise row_error(
            nodes.rows_where(unknown),
            f"holds {nodes.first_label(unknown)!r}, which is not a node of the hierarchy",
            "Correct the label, or add it to parents.",
        )
    repeated = nodes.repeated()
    if repeated.any():
        raise row_error(nodes.rows_where(repeated), "repeats a label", "Name every node once.")
    leaves = checked_classes(tree.leaves)
    column = {leaf: k for k, leaf in enumerate(tree.leaves)}
    below = np.zeros((len(nodes.distinct), len(leaves)), dtype=np.bool_)
    for code, node in enumerate(nodes.distinct):
        below[code, [column[leaf] for leaf in tree.leaves_of(node)]] = True
    mask = np.zeros((nodes.n_rows, len(leaves)), dtype=np.bool_)
    # Entries are sorted by row, so that the entries of a row are contiguous.
    starts = np.flatnonzero(np.diff(nodes.rows, prepend=-1))
    if len(starts):
        mask[nodes.rows[starts]] = np.logical_or.reduceat(below[nodes.codes], starts, axis=0)
    return SetTable(mask, leaves)
