"""Statements of several forms about the same rows: labels, sets, negatives, nodes, weights.

Every form becomes a mask over all classes, and a row has the classes that all of its statements
allow. Statements that contradict each other are named together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import (
    class_vector,
    listed,
    named_classes,
    sorted_labels,
)
from disambig.candidates.labels.entries import (
    COLLECTIONS,
    Entries,
    admit,
    entries_of,
    refuse_continuous,
)
from disambig.candidates.labels.hierarchy import Hierarchy
from disambig.candidates.labels.hierarchy_parsing import below_nodes
from disambig.candidates.labels.origins import FLAGS, WORDS
from disambig.candidates.labels.parsing import membership, split_rows
from disambig.candidates.labels.tables import SetTable, parse_table, reexpress
from disambig.candidates.look_alikes import warn_of_look_alikes
from disambig.candidates.reading import (
    Markers,
    is_table,
    only_column,
    row_error,
    rows_of,
    table_of,
)
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray

_OWNER = "LabelSets.from_mixed"
# The parameter of each word.
_PARAMETERS = dict(zip(WORDS, ("labels", "sets", "negatives", "nodes", "weights"), strict=True))


class MixedTable(NamedTuple):
    """What the parser returns: the arrays of `LabelSets`."""

    mask: BoolArray
    classes: AnyArray
    weights: FloatArray | None
    origin_flags: AnyArray


@dataclass(frozen=True, eq=False)
class _Statements:
    """One form: what it says of which rows.

    Attributes
    ----------
    word : str
    stated : bool array (n,)
    entries : Entries or None
        The labels of the rows; None for weights.
    table : SetTable or None
        Of nodes and weights, over classes of their own.
    """

    word: str
    stated: BoolArray
    entries: Entries | None = None
    table: SetTable | None = None

    @property
    def labels(self) -> list[Any]:
        """The classes that it names."""
        if self.table is not None:
            return listed(self.table.classes)
        assert self.entries is not None
        return self.entries.distinct

    def allowed(self, classes: AnyArray) -> BoolArray:
        """The classes that it allows, ``(n, K)``; all where it says nothing."""
        with _Named(self.word):
            if self.table is not None:
                mask = reexpress(self.table._replace(weights=None), classes).mask
            else:
                assert self.entries is not None
                mask = membership(self.entries, classes)
        if self.word == "not":
            mask = ~mask
        allowed: BoolArray = mask | ~self.stated[:, None]
        return allowed

    def text(self, row: int) -> str:
        """What it says of a row, for messages."""
        if self.entries is None:
            assert self.table is not None
            said = listed(self.table.classes[self.table.mask[row]])
            return f"weights on {', '.join(map(repr, said))}"
        codes = self.entries.codes[self.entries.rows == row]
        said = sorted_labels([self.entries.distinct[code] for code in codes])
        shown = ", ".join(map(repr, said))
        return f"{self.word} {shown}" if len(said) == 1 else f"{self.word} {{{shown}}}"


class _Named:
    """Errors inside name the parameter of a word."""

    def __init__(self, word: str) -> None:
        self.name = _PARAMETERS[word]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if not isinstance(error, CandidateError):
            return
        text = str(error).removeprefix("LabelSets: ")
        named = CandidateError(f"{_OWNER}: {self.name}: {text}")
        named.row, named.detail = error.row, error.detail
        raise named from None


def parse_mixed(
    y: Any,
    columns: Mapping[str, Any],
    parents: Hierarchy | Mapping[Any, Any] | None = None,
    classes: Any = None,
    unlabeled: Any = None,
    separator: str | None = None,
) -> MixedTable:
    """Read columns by word, or rows of such words; `LabelSets.from_mixed` documents the rules."""
    given = {word: column for word, column in columns.items() if column is not None}
    if y is not None and given:
        raise CandidateError(
            f"{_OWNER}: give rows of statements, or columns such as "
            f"{_PARAMETERS[next(iter(given))]}=, not both."
        )
    markers = Markers.of(unlabeled, _OWNER)
    silent = Markers(markers.values, True, unlabeled)
    if y is not None:
        given = _columns_of(y, silent)
    if not given:
        raise CandidateError(
            f"{_OWNER}: nothing is said of any row. Give {', '.join(_PARAMETERS.values())}, or "
            "rows such as {'label': 'a'}."
        )
    tree = parents if parents is None or isinstance(parents, Hierarchy) else Hierarchy(parents)
    if "node" in given and tree is None:
        raise CandidateError(f"{_OWNER}: nodes need parents=, the hierarchy that they are of.")
    vector = named_classes(classes, markers)
    found = [_read(word, given[word], silent, tree, vector, separator) for word in given]
    _refuse_lengths(found)
    if tree is not None:
        _refuse_inner_nodes(found, tree)
    if vector is None:
        vector = _classes(found, tree)
    return _intersected(found, vector)


def _columns_of(y: Any, silent: Markers) -> dict[str, Any]:
    """Rows of words as one column a word."""
    rows = list(rows_of(y, _OWNER))
    columns: dict[str, list[Any]] = {word: [None] * len(rows) for word in WORDS}
    for number, row in enumerate(rows):
        if not _says(row, silent):
            continue
        if not isinstance(row, Mapping):
            raise CandidateError(
                f"{_OWNER}: row {number} holds {row!r}, where a mapping such as "
                "{'label': 'a'} is expected, or None."
            )
        for word, said in row.items():
            if word not in columns:
                raise CandidateError(
                    f"{_OWNER}: row {number} has {word!r}; the words are "
                    f"{', '.join(map(repr, WORDS))}."
                )
            columns[word][number] = said
    return {word: one for word, one in columns.items() if any(said is not None for said in one)}


def _says(row: Any, silent: Markers) -> bool:
    """Whether a value says something: it is no marker, not missing and no blank text."""
    if isinstance(row, (*COLLECTIONS, Mapping)):
        return True
    return not (silent.matches_text(row) or (isinstance(row, str) and not row.strip()))


def _read(
    word: str,
    column: Any,
    silent: Markers,
    tree: Hierarchy | None,
    classes: AnyArray | None,
    separator: str | None,
) -> _Statements:
    with _Named(word):
        if word == "weights":
            return _read_weights(column, silent, classes)
        if is_table(column):
            if table_of(column)[0].shape[1] != 1:
                raise CandidateError("LabelSets: expected one column.")
            column = only_column(column)
        rows = _plain_rows(rows_of(column), silent)
        stated = np.array([row is not None for row in rows])
        rows = [() if row is None else row for row in rows]
        if word == "label":
            several = np.array([isinstance(row, COLLECTIONS) for row in rows]) & stated
            if several.any():
                raise row_error(
                    several,
                    f"holds {rows[int(np.argmax(several))]!r}, where one label is expected",
                    "Candidates of a row go to sets=.",
                )
        elif separator is not None:
            rows = split_rows(rows, separator, Markers())
        entries, _ = admit(entries_of(rows), Markers())
        empty = stated & (entries.sizes() == 0)
        if word == "not":
            # What excludes nothing says nothing.
            stated = stated & ~empty
        elif empty.any():
            raise row_error(empty, "holds an empty set", "Leave the cell blank instead.")
        if word == "node":
            assert tree is not None
            return _Statements(word, stated, entries, below_nodes(entries, tree))
        return _Statements(word, stated, entries)


def _plain_rows(rows: Any, silent: Markers) -> list[Any]:
    """Rows as a list, None where nothing is said; whole floats beside them are integers."""
    values = listed(rows) if isinstance(rows, np.ndarray) else rows
    found = [row if _says(row, silent) else None for row in values]
    said = [row for row in found if row is not None]
    # In a column of integers, a missing value makes all of them floats.
    are_floats = len(said) < len(found) and all(isinstance(row, float) for row in said)
    if are_floats and all(row.is_integer() for row in said):
        return [None if row is None else int(row) for row in found]
    return found


def _read_weights(column: Any, silent: Markers, classes: AnyArray | None) -> _Statements:
    """A table with one column a class, or a column of mappings of class to weight."""
    names: list[Any] | None
    if is_table(column):
        column, names = table_of(column)
    else:
        column, names = _weights_of_mappings(rows_of(column), silent)
    is_silent = np.asarray(silent.where(column).all(axis=1))
    named = classes if names is None else None
    table = parse_table(column, names, named, silent, "weights")
    table.mask[is_silent] = False
    return _Statements("weights", ~is_silent, table=table)


def _weights_of_mappings(rows: Any, silent: Markers) -> tuple[AnyArray, list[Any]]:
    """Rows of mappings as a table ``(n, K)``, all missing where nothing is said."""
    said = [row if isinstance(row, Mapping) or _says(row, silent) else None for row in rows]
    for number, row in enumerate(said):
        if row is None:
            continue
        if not isinstance(row, Mapping) or not row:
            raise CandidateError(
                f"LabelSets: row {number} holds {row!r}, where a mapping of class to weight is "
                "expected."
            )
        if any(value is None or value != value for value in row.values()):  # noqa: PLR0124
            raise CandidateError(
                f"LabelSets: row {number} has a missing weight, in {dict(row)!r}. Leave out the "
                "class, whose weight is then 0."
            )
    names = sorted_labels({name for row in said if row is not None for name in row})
    if not names:
        raise CandidateError("LabelSets: no row has a weight.")
    place = {name: k for k, name in enumerate(names)}
    table = np.full((len(said), len(names)), np.nan)
    for number, row in enumerate(said):
        if row is not None:
            table[number] = 0.0
            for name, value in row.items():
                table[number, place[name]] = value
    return table, names


def _refuse_lengths(found: list[_Statements]) -> None:
    lengths = {_PARAMETERS[one.word]: len(one.stated) for one in found}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise CandidateError(
            f"{_OWNER}: the columns differ in their numbers of rows: {shown}. Give every column a "
            "value for each row, None where it says nothing."
        )


def _refuse_inner_nodes(found: list[_Statements], tree: Hierarchy) -> None:
    """Raise at a label that stands for several leaves: nothing else would be below it."""
    inner = set(tree.nodes) - set(tree.leaves)
    for one in found:
        if one.word == "node" or one.entries is None:
            continue
        odd = np.array([label in inner for label in one.entries.distinct], dtype=np.bool_)
        odd = odd[one.entries.codes]
        if odd.any():
            with _Named(one.word):
                raise row_error(
                    one.entries.rows_where(odd),
                    f"holds {one.entries.first_label(odd)!r}, which has labels below it in parents",
                    "Write it in nodes=, or name its leaves.",
                )


def _classes(found: Iterable[_Statements], tree: Hierarchy | None) -> AnyArray:
    """All labels that occur, sorted, with the leaves of the hierarchy."""
    labels: dict[Any, None] = {}
    plain = True
    for one in found:
        labels.update(dict.fromkeys(one.labels))
        if one.entries is not None and one.table is None:
            with _Named(one.word):
                refuse_continuous(one.entries)
            plain = plain and bool(one.entries.sizes().max(initial=0) <= 1)
    labels.update(dict.fromkeys(() if tree is None else tree.leaves))
    if not labels:
        raise CandidateError(
            f"{_OWNER}: no row names a label, so that the classes are unknown. Name them by "
            "classes=."
        )
    ordered = sorted_labels(labels)
    warn_of_look_alikes(ordered, plain=plain)
    return class_vector(ordered)


def _intersected(found: list[_Statements], classes: AnyArray) -> MixedTable:
    """The classes that all statements allow, and what was said of each row."""
    allowed = [one.allowed(classes) for one in found]
    mask: BoolArray = np.logical_and.reduce(allowed)
    none_left = ~np.asarray(mask.any(axis=1))
    if none_left.any():
        raise _contradiction(none_left, found, allowed)
    flags = np.zeros(len(mask), dtype=np.uint8)
    for one in found:
        flags[one.stated] |= FLAGS[one.word]
    return MixedTable(mask, classes, _weights(found, mask, classes), flags)


def _contradiction(
    none_left: BoolArray, found: list[_Statements], allowed: list[BoolArray]
) -> CandidateError:
    """The error for the first row whose statements leave no class, with two of these if they do."""
    row = int(np.argmax(none_left))
    said = [(one, own[row]) for one, own in zip(found, allowed, strict=True) if one.stated[row]]
    alone = [one for one, own in said if not own.any()]
    pairs = [
        [one, other]
        for (one, own), (other, others) in combinations(said, 2)
        if not (own & others).any()
    ]
    if alone:
        what = f"says {alone[0].text(row)}, which leaves no class"
    else:
        texts = [one.text(row) for one in (pairs[0] if pairs else [one for one, _ in said])]
        what = f"says {' and '.join(texts)}, which contradict each other"
    error = row_error(none_left, what, "Correct one of them, or leave it blank.")
    named = CandidateError(str(error).replace("LabelSets:", f"{_OWNER}:", 1))
    named.row, named.detail = error.row, error.detail
    return named


def _weights(found: Iterable[_Statements], mask: BoolArray, classes: AnyArray) -> FloatArray | None:
    """The weights that were given, over the candidates that are left; equal ones elsewhere."""
    for one in found:
        if one.word != "weights":
            continue
        assert one.table is not None
        given = reexpress(one.table, classes).weights
        assert given is not None
        weights: FloatArray = np.where(one.stated[:, None], given, 1.0) * mask
        weights /= weights.sum(axis=1, keepdims=True)
        return weights
    return None
