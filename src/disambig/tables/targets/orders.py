"""Orders of columns: chains "a>b>c", one column of ranks an item, one column a place."""

from dataclasses import replace
from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.labels.classes import listed
from disambig.candidates.orders.parsing import CHAIN_SEPARATOR, split_chains
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray
from disambig.tables.source import Source, shown
from disambig.tables.targets.label_texts import Parts, label_counts, merged_spellings
from disambig.tables.targets.labels import ReadSets, refuse_lists
from disambig.tables.targets.target import TargetFormat
from disambig.tables.values import Values

# Signs that papers write for "before".
_SAME_SIGNS = str.maketrans({"≻": ">", "›": ">", "»": ">", "→": ">"})


def order_text(text: str) -> str:
    """A chain with the signs that the parser reads.

    Examples
    --------
    >>> order_text("a ≻ b")
    'a > b'
    """
    return text.translate(_SAME_SIGNS)


def read_chains(values: Values, format_: TargetFormat, source: Source) -> ReadSets:
    """Chains of items in one column."""
    separator = format_.separator or ">"
    for code, value in enumerate(values.values):
        if not isinstance(value, str):
            raise source.error(
                f"{shown(value)} is no text such as 'a>b>c'.",
                int(values.first[code]),
                values.column,
            )
    texts = [order_text(text) for text in values.values]
    try:
        chains = split_chains(texts, separator, format_.names is None)
    except CandidateError as error:
        raise source.translated(error, values.first, values.column) from None
    flat = [Parts(tuple(name for chain in row for name in chain)) for row in chains]
    counts = label_counts(flat, values.counts)
    merged = {} if format_.case_sensitive else merged_spellings(counts, format_.names)
    items = format_.names or tuple(sorted({merged.get(name, name) for name in counts}))
    joined = [
        CHAIN_SEPARATOR.join(separator.join(merged.get(x, x) for x in chain) for chain in row)
        for row in chains
    ]
    try:
        orders = PartialOrders.from_strings([*joined, ""], items=list(items), separator=separator)
    except CandidateError as error:
        raise source.translated(error, values.first, values.column) from None
    codes = np.where(values.codes < 0, len(values.values), values.codes)
    found = replace(format_, separator=separator, names=tuple(listed(orders.items)))
    return ReadSets(orders[codes], found, merged)


def read_ranks(
    ranks: FloatArray, names: list[str], format_: TargetFormat, source: Source
) -> ReadSets:
    """One column of ranks an item, ``(n, m)``, NaN where an item is not ranked."""
    rows = np.arange(len(ranks))
    try:
        if format_.ranks == "places":
            # Places of people begin with 1, those of the parser with 0.
            first = np.nanmin(ranks) if np.isfinite(ranks).any() else 0.0
            orders = PartialOrders.from_places(ranks - min(1.0, max(0.0, first)), items=names)
        else:
            orders = PartialOrders.from_ranks(ranks, items=names)
        if format_.names is not None:
            orders = orders.with_items(list(format_.names))
    except CandidateError as error:
        raise source.translated(error, rows) from None
    return ReadSets(orders, replace(format_, names=tuple(listed(orders.items))), {})


def read_top(columns: list[Values], format_: TargetFormat, source: Source) -> ReadSets:
    """The best item, the second-best, and so on, one column each."""
    refuse_lists(columns, source)
    counts = label_counts(
        (Parts((value,)) for column in columns for value in column.values),
        (n for column in columns for n in column.counts),
    )
    merged = {} if format_.case_sensitive else merged_spellings(counts, format_.names)
    n = len(columns[0].codes)
    table: Any = np.full((n, len(columns)), None, dtype=object)
    for place, column in enumerate(columns):
        names = np.array([*(merged.get(v, v) for v in column.values), None], dtype=object)
        table[:, place] = names[column.codes]
    items = format_.names or tuple(sorted({merged.get(name, name) for name in counts}, key=str))
    try:
        orders = PartialOrders.from_top_k(table.tolist(), items=list(items))
    except CandidateError as error:
        raise source.translated(error, np.arange(n)) from None
    return ReadSets(orders, replace(format_, names=tuple(listed(orders.items))), merged)
