"""`read_target`: columns become candidate sets, and a sentence says how they were read."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from disambig.candidates import PartialBits
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray
from disambig.tables.number_texts import point_values
from disambig.tables.reading import RawTable, raw_table
from disambig.tables.source import Source
from disambig.tables.targets.columns import (
    binary_table,
    missing_columns,
    several_format,
    short_names,
    target_columns,
)
from disambig.tables.targets.guess import column_format
from disambig.tables.targets.labels import (
    ReadSets,
    read_annotators,
    read_class_columns,
    read_sets,
)
from disambig.tables.targets.notes import target_notes
from disambig.tables.targets.numbers import read_ends, read_number_texts
from disambig.tables.targets.options import TargetOptions
from disambig.tables.targets.orders import read_chains, read_ranks, read_top
from disambig.tables.targets.target import Target, TargetFormat
from disambig.tables.values import Values, column_values


def read_target(
    data: Any,
    target: Any = None,
    *,
    kind: Literal["labels", "numbers", "orders", "bits"] | None = None,
    separator: str | None = None,
    path: str | None = None,
    parents: Mapping[Any, Any] | None = None,
    classes: Iterable[Any] | None = None,
    decimal: Literal[".", ","] | None = None,
    blank: Literal["no", "unknown"] | None = None,
    zero: Literal["absent", "unknown"] | None = None,
    ranks: Literal["order", "places"] | None = None,
    missing: Iterable[str] | None = None,
    case_sensitive: bool = False,
) -> Target:
    """Read the target of a table: candidate sets, and how they were found in its columns.

    What is not set is guessed from the cells; ``target.sentence`` says what, and why. What may be
    several things raises a `TableError` that shows them and says what to pass.

    Parameters
    ----------
    data : RawTable, frame or file
    target : str or list of str, optional
        The column, or the columns: lower and upper ends, one a class, a tag or an item. Patterns
        such as "tag_*" are allowed. None: a column that is called label, target, y or class.
    kind : {"labels", "numbers", "orders", "bits"}, optional
        What the columns hold.
    separator : str, optional
        What stands between the labels of a set, or the items of an order.
    path : str, optional
        What stands between the levels of a taxonomy, such as "/" in "animal/dog".
    parents : mapping of child to parent, optional
        A taxonomy: a node stands for all labels below it.
    classes : list, optional
        The classes or items, in order.
    decimal : {".", ","}, optional
        The decimal mark of numbers.
    blank : {"no", "unknown"}, optional
        What a blank means in columns of classes or tags.
    zero : {"absent", "unknown"}, optional
        What 0 and -1 mean in columns of tags, see `PartialBits.from_any`.
    ranks : {"order", "places"}, optional
        What rank columns mean, see `PartialOrders.from_any`; places begin with 0 or 1.
    missing : list of str, optional
        More words that say nothing, beside blanks and ?, N/A, unknown, don't know, - and others;
        an empty list: blanks only. What `classes` names is a class.
    case_sensitive : bool, default False
        Whether "Cat" and "cat" are two labels. If not, the most frequent spelling is taken.

    Returns
    -------
    Target

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pay": ["30-40k", "> 100,000 €", "unknown", "52k"]})
    >>> target = read_target(frame, "pay")
    >>> target.sentence
    "Column 'pay' holds numbers or intervals, because its 3 different values are numbers or ..."
    >>> list(target.candidates)[:2]
    [(30000.0, 40000.0), (100000.0, inf)]
    """
    table = raw_table(data)
    options = TargetOptions(
        kind,
        separator,
        path,
        parents,
        classes,
        decimal,
        blank,
        zero,
        ranks,
        missing,
        case_sensitive,
    )
    names, sentence = target_columns(list(table.frame.columns), target, table.source)
    # In several columns, the classes may be the names of columns.
    known = options.classes or () if len(names) == 1 else ()
    columns = [
        column_values(table.frame[name], table.source, options.missing, known) for name in names
    ]
    if len(columns) == 1:
        found = column_format(columns[0], options, table.source)
    else:
        found, _ = several_format(columns, options, table.source)
    options.refuse_unused(found.notation)
    if sentence:
        found = replace(found, sentence=f"{sentence} {found.sentence}")
    return read_formatted(table, found, decimal)


def read_formatted(table: RawTable, format_: TargetFormat, decimal: str | None = None) -> Target:
    """Read the target of a table whose format is known, such as that of an earlier one.

    Examples
    --------
    >>> import pandas as pd
    >>> known = read_target(pd.DataFrame({"label": ["a|b", "b", "c"]})).format
    >>> read_formatted(raw_table(pd.DataFrame({"label": ["c|a"]})), known).candidates.classes
    array(['a', 'b', 'c'], dtype='<U1')
    """
    frame, source = table.frame, table.source
    absent = [name for name in format_.columns if name not in frame.columns]
    if absent:
        raise source.error(missing_columns(absent, list(frame.columns)))
    known = format_.names or () if len(format_.columns) == 1 else ()
    columns = [
        column_values(frame[name], source, format_.missing, known) for name in format_.columns
    ]
    try:
        read = _read(columns, format_, decimal, source)
    except CandidateError as error:
        raise source.translated(error, np.arange(len(frame)), format_.columns[0]) from None
    texts: AnyArray = frame[list(format_.columns)].to_numpy(dtype=object)
    target = Target(
        read.candidates,
        read.format,
        texts[:, 0] if texts.shape[1] == 1 else texts,
        read.merged,
    )
    named = format_.names is not None
    return replace(target, notes=target_notes(target, columns, named=named))


def _read(
    columns: list[Values], format_: TargetFormat, decimal: str | None, source: Source
) -> ReadSets:
    notation = format_.notation
    if format_.kind == "labels" and notation in ("sets", "written"):
        return read_sets(columns[0], format_, source)
    if notation == "texts":
        return read_number_texts(columns[0], format_, decimal, source)
    if notation == "ends":
        return read_ends((columns[0], columns[1]), format_, decimal, source)
    if notation == "chains":
        return read_chains(columns[0], format_, source)
    if notation == "annotators":
        return read_annotators(columns, format_, source)
    if notation == "top":
        return read_top(columns, format_, source)
    names = short_names(format_.columns)
    if notation == "ranks":
        ranks = np.column_stack([point_values(column, None, source) for column in columns])
        return read_ranks(ranks, names, format_, source)
    bits = binary_table(columns)
    if bits is None:
        odd = next(column for column in columns if binary_table([column]) is None)
        raise source.error("holds something that is neither yes nor no.", None, odd.column)
    if notation == "columns":
        return read_class_columns(bits, names, format_, source)
    return _read_tags(bits, names, format_)


def _read_tags(bits: AnyArray, names: list[str], format_: TargetFormat) -> ReadSets:
    """One column a tag."""
    if format_.zero is not None:
        written = np.where(bits == -1, np.nan, np.where(bits == -2, -1.0, bits))
        zero: Any = format_.zero
        found = PartialBits.from_any(written, tags=names, zero=zero)
    else:
        known = np.where((bits == -1) & (format_.blank == "no"), 0, bits).astype(np.int8)
        found = PartialBits(known, np.array(names))
    return ReadSets(found, replace(format_, names=tuple(names)), {})
