"""Parse partial orders: lists of the best items, groups of items, signs of pairs, and texts.

A text is ``"a>b>c"``, or several such chains joined by semicolons. A sign of a pair is +1 for
before, -1 for after, and 0 for not known. `parse_any_order` chooses the notation by the form of
`y`: tables of ranks, signs of pairs, lists of pairs, or texts.
"""

import numbers
import reprlib
from enum import IntEnum
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import is_nested, listed
from disambig.candidates.labels.entries import COLLECTIONS
from disambig.candidates.orders.chains import is_pair, orders_from_chains
from disambig.candidates.orders.items import (
    elements,
    is_missing_row,
    item_codes,
    named_items,
    order_error,
    order_rows,
    refuse_rows,
    require_rows,
    rows_among,
    without_marked,
)
from disambig.candidates.orders.places import parse_places
from disambig.candidates.orders.ranks import is_number, parse_ranks, smaller_first
from disambig.candidates.orders.tables import OrderTable, closed_orders, no_pairs
from disambig.candidates.reading import Markers, is_missing, is_table, only_column
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, FloatArray

_SEQUENCES = (list, tuple, np.ndarray)
ITEM_SEPARATOR = ">"
CHAIN_SEPARATOR = ";"
# If the items are not named, one of these characters in a name shows that another notation is used.
_NOTATION_SIGNS = "<>=~,;"


def parse_top_k(y: Any, items: Any, unlabeled: Any = None) -> OrderTable:
    """Read the best items of each row, in order; they stand before all unlisted items."""
    markers = Markers.of(unlabeled, "PartialOrders")
    rows = without_marked(order_rows(y), markers)
    refuse_rows(
        rows,
        [isinstance(row, COLLECTIONS) and not isinstance(row, _SEQUENCES) for row in rows],
        "a list of items, best first,",
        "A set has no order; for groups of items use PartialOrders.from_buckets.",
    )
    best = [_without_padding(row, markers) for row in rows]
    refuse_rows(
        rows,
        [any(_is_gap(item, markers) for item in row) for row in best],
        "a list of items without a gap",
        "End the list where the first item is missing: items after the gap need not stand before "
        "the unlisted ones.",
    )
    groups = [[[item] for item in row] for row in best]
    positions, vector = _positions(groups, items, markers)
    positions[np.isnan(positions)] = np.inf
    # In a row without items all positions are equal, so that it has no pair.
    return OrderTable(smaller_first(positions), vector)


def _is_gap(item: Any, markers: Markers) -> bool:
    return not is_nested(item) and (is_missing(item) or markers.matches(item))


def _without_padding(row: Any, markers: Markers) -> list[Any]:
    """The items of a row without the missing values and markers that pad its end."""
    items = elements(row) if isinstance(row, _SEQUENCES) else [row]
    while items and _is_gap(items[-1], markers):
        items.pop()
    return items


def parse_buckets(y: Any, items: Any, unlabeled: Any = None) -> OrderTable:
    """Read groups of items: earlier groups stand before later ones, a group has no order."""
    markers = Markers.of(unlabeled, "PartialOrders")
    rows = without_marked(order_rows(y), markers)
    refuse_rows(
        rows,
        [not (isinstance(row, _SEQUENCES) or is_missing_row(row)) for row in rows],
        "a list of groups",
        "Write [['a', 'b'], ['c']] for a and b before c, and [] for a row without any item.",
    )
    groups = [
        [] if is_missing_row(row) else [_group(group) for group in elements(row)] for row in rows
    ]
    positions, vector = _positions(groups, items, markers)
    return OrderTable(smaller_first(positions), vector)


def _group(group: Any) -> list[Any]:
    """The items of a group; a single item is a group of one."""
    if isinstance(group, COLLECTIONS):
        return elements(group)
    return [group.item() if isinstance(group, np.generic) else group]


def _positions(
    rows: list[list[list[Any]]], items: Any, markers: Markers
) -> tuple[FloatArray, AnyArray]:
    """The index of the group of each item, ``(n, m)``, NaN if it is in none; and the items."""
    mentions = [item for row in rows for group in row for item in group]
    group_indices = [g for row in rows for g, group in enumerate(row) for _ in group]
    owners = np.repeat(np.arange(len(rows)), [sum(map(len, row)) for row in rows])
    codes, vector = item_codes(mentions, owners, len(rows), items, markers)
    repeated = np.ones(len(codes), dtype=np.bool_)
    repeated[np.unique(owners * len(vector) + codes, return_index=True)[1]] = False
    if repeated.any():
        raise order_error(
            rows_among(len(rows), owners[repeated]),
            f"mentions {listed(vector)[codes[np.argmax(repeated)]]!r} twice",
            "Name every item at most once in a row.",
        )
    positions = np.full((len(rows), len(vector)), np.nan)
    positions[owners, codes] = group_indices
    return positions, vector


def parse_signs(y: Any, items: Any, unlabeled: Any = None) -> OrderTable:
    """Read ``(n, m, m)`` signs; one of the two entries of a pair suffices."""
    markers = Markers.of(unlabeled, "PartialOrders")
    markers.refuse_among((1, -1), "PartialOrders", "signs")
    require_rows(y)
    signs = _sign_array(y, markers)
    vector = named_items(items, signs.shape[1])
    before = no_pairs(signs.shape[0], signs.shape[1])
    np.equal(signs, 1, out=before)
    # Entries that contradict each other, and signs on the diagonal, are found as cycles below.
    before |= signs.transpose(0, 2, 1) == -1
    return closed_orders(before, vector)


def _with_zero_rows(y: Any, markers: Markers) -> Any:
    """Rows of signs with zeros for each row that is a marker, if `y` is a list of rows."""
    if not isinstance(y, (list, tuple)) or not markers:
        return y
    rows = without_marked(list(y), markers)
    known = [row for row in rows if row is not None]
    if len(known) in (0, len(rows)):
        return y
    return [np.zeros(np.shape(known[0]), dtype=np.int8) if row is None else row for row in rows]


def _sign_array(y: Any, markers: Markers) -> AnyArray:
    """`y` as an ``(n, m, m)`` array of +1, -1 and 0, which a marker is; raises at anything else."""
    try:
        signs = np.asarray(_with_zero_rows(y, markers))
    except ValueError as error:
        raise CandidateError(
            "PartialOrders: signs must form an array of shape (n, m, m); these rows differ in "
            "shape. For lists of pairs use PartialOrders.from_pairs."
        ) from error
    if signs.ndim != 3 or signs.shape[1] != signs.shape[2]:
        raise CandidateError(
            f"PartialOrders: signs must have shape (n, m, m), one row and one column per item; "
            f"got shape {signs.shape}. For lists of pairs use PartialOrders.from_pairs."
        )
    if signs.dtype.kind == "b":
        return signs.astype(np.int8)
    marked = markers.where(signs)
    if marked.any():
        filled = signs.astype(object)
        filled[marked] = 0
        signs = np.array(filled.tolist())
    if signs.dtype.kind not in "iuf":
        raise CandidateError(
            f"PartialOrders: signs must be numbers, +1, -1 and 0; got an array of {signs.dtype}. "
            f"For lists of pairs use PartialOrders.from_pairs."
        )
    good = (signs == 1) | (signs == 0) | (signs == -1)
    if not np.all(good):
        first = tuple(np.argwhere(~good)[0])
        raise order_error(
            ~np.asarray(good.all(axis=(1, 2))),
            f"holds {signs[first]!s} at {tuple(map(int, first[1:]))}",
            "Signs are +1 for before, -1 for after and 0 for not known; for lists of pairs use "
            "PartialOrders.from_pairs.",
        )
    return signs


def parse_order_strings(y: Any, items: Any, separator: str, unlabeled: Any = None) -> OrderTable:
    """Read one text per row; an empty or missing text has no pair."""
    markers = Markers.of(unlabeled, "PartialOrders")
    rows = without_marked(order_rows(y), markers)
    refuse_rows(
        rows,
        [not (isinstance(row, str) or is_missing_row(row)) for row in rows],
        "text",
        "Write 'a>b' for a before b, or use PartialOrders.from_pairs.",
    )
    return orders_from_chains(split_chains(rows, separator, items is None), items, markers)


def split_chains(rows: list[Any], separator: Any, strict: bool) -> list[list[list[str]]]:
    """The chains of each text, blanks stripped; a row that is not a text has none.

    Raises if the name of an item is empty and, if `strict`, if it has a sign of another notation.

    Examples
    --------
    >>> split_chains(["a > b > c; a > d", "", None], ">", True)
    [[['a', 'b', 'c'], ['a', 'd']], [], []]
    """
    if not isinstance(separator, str) or not separator.strip() or CHAIN_SEPARATOR in separator:
        raise CandidateError(
            f"PartialOrders: separator must be a text that is not blank and has no "
            f"{CHAIN_SEPARATOR!r}, which stands between chains; got {separator!r}."
        )
    chains = [_chains(row, separator) if isinstance(row, str) else [] for row in rows]
    empty = np.array([any("" in chain for chain in row) for row in chains])
    if empty.any():
        raise order_error(
            empty,
            f"holds {rows[int(np.argmax(empty))]!r}, which has an empty part",
            f"Write an item on each side of every {separator!r}, and a chain on each side of "
            f"every {CHAIN_SEPARATOR!r}.",
        )
    if strict:
        _refuse_signs(rows, chains)
    return chains


def _chains(text: str, separator: str) -> list[list[str]]:
    if not text.strip():
        return []
    return [
        [name.strip() for name in chain.split(separator)] for chain in text.split(CHAIN_SEPARATOR)
    ]


def _refuse_signs(rows: list[Any], chains: list[list[list[str]]]) -> None:
    """Raise if a name has a sign of another notation."""
    names = {name for row in chains for chain in row for name in chain}
    bad = {name for name in names if any(sign in name for sign in _NOTATION_SIGNS)}
    if bad:
        invalid = np.array([any(not bad.isdisjoint(chain) for chain in row) for row in chains])
        row = int(np.argmax(invalid))
        bad_name = next(name for chain in chains[row] for name in chain if name in bad)
        raise order_error(
            invalid,
            f"holds {rows[row]!r}, in which {bad_name!r} would be an item",
            "Write 'a>b>c', join chains by ';', and leave out pairs that tie; if this is the name "
            "of an item, name all items by items=.",
        )


class _Form(IntEnum):
    """The notation of a row: a rank, several ranks, pairs, a text."""

    MISSING = 0
    NUMBER = 1
    NUMBERS = 2
    PAIRS = 3
    TEXT = 4
    OTHER = 5


def _form(row: Any, markers: Markers) -> _Form:
    if isinstance(row, str):
        return _Form.TEXT
    if is_missing_row(row):
        return _Form.MISSING
    if is_number(row):
        return _Form.NUMBER
    if not isinstance(row, COLLECTIONS):
        return _Form.OTHER
    entries = elements(row)
    if all(map(is_pair, entries)):
        return _Form.PAIRS
    if isinstance(row, (set, frozenset)) or any(isinstance(e, COLLECTIONS) for e in entries):
        return _Form.OTHER
    numeric = all(is_number(e) or is_missing(e) or markers.matches(e) for e in entries)
    return _Form.NUMBERS if numeric else _Form.OTHER


def parse_any_order(
    y: Any, items: Any, ties: str, unlabeled: Any = None, ranks: str = "order"
) -> OrderTable:
    """Read `y` by its form; `PartialOrders.from_any` documents the rules."""
    markers = Markers.of(unlabeled, "PartialOrders")
    parse_numbers = _NUMBER_PARSERS[check_ranks(ranks)]
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        # An object that offers `__array__` but no shape.
        y = np.asarray(y)
    require_rows(y)
    if getattr(y, "ndim", 1) == 3:
        if ranks == "places":
            return parse_places(y, items, ties, markers)
        return parse_signs(y, items, markers)
    column = is_table(y) and y.shape[1] == 1
    if is_table(y) and not column:
        return parse_numbers(y, items, ties, markers)
    given = order_rows(only_column(y) if column else y)
    rows = without_marked(given, markers)
    forms = [_form(row, markers) for row in rows]
    _refuse_unknown_forms(rows, forms)
    present = set(forms) - {_Form.MISSING}
    if present == {_Form.NUMBER} or (column and not present):
        return parse_numbers(y, items, ties, markers)
    if present == {_Form.NUMBERS}:
        return parse_numbers(given, items, ties, markers)
    if ranks == "places":
        return _windows_in_lists(y, given, items, ties, markers)
    _refuse_mixed_forms(rows, forms)
    return _from_texts_and_pairs(rows, items, markers)


def check_ranks(ranks: str) -> str:
    """`ranks`; raises unless it says what the numbers of a table mean."""
    if ranks not in _NUMBER_PARSERS:
        raise CandidateError(
            f"PartialOrders: ranks must be 'order' (numbers are compared) or 'places' (a number is "
            f"a place among all items, 0 = first); got {ranks!r}."
        )
    return ranks


def _is_window(pair: Any) -> bool:
    """Whether an entry of a row holds places: a list of numbers, or of missing values."""
    return isinstance(pair, COLLECTIONS) and all(
        is_number(place) or is_missing(place) for place in elements(pair)
    )


def _windows_in_lists(
    y: Any, rows: list[Any], items: Any, ties: str, markers: Markers
) -> OrderTable:
    """Read lists of first and last places; raises at texts and at pairs of items."""
    numeric = [isinstance(row, COLLECTIONS) and all(map(_is_window, row)) for row in rows]
    refuse_rows(
        rows,
        [not each for each in numeric],
        "one place per item, or its first and last place,",
        "ranks='places' reads a table of numbers, (n, m) or (n, m, 2). Leave it out for texts and "
        "pairs of items.",
    )
    return parse_places(y, items, ties, markers)


_NUMBER_PARSERS = {"order": parse_ranks, "places": parse_places}


def _refuse_unknown_forms(rows: list[Any], forms: list[_Form]) -> None:
    refuse_rows(
        rows,
        [form is _Form.OTHER for form in forms],
        "a text such as 'a>b>c', a list of pairs or a list of ranks",
        "For the best items in order use PartialOrders.from_top_k, for groups of items "
        "from_buckets; a row with one pair is [('a', 'b')]; signs of pairs are an array of shape "
        "(n, m, m).",
    )


def _refuse_mixed_forms(rows: list[Any], forms: list[_Form]) -> None:
    """Raise if some rows hold numbers and others texts or pairs."""
    numeric = [form in (_Form.NUMBER, _Form.NUMBERS) for form in forms]
    if any(numeric):
        row = rows[numeric.index(True)]
        raise order_error(
            np.array(numeric),
            f"holds {reprlib.repr(row)}, which is not of the form of other rows",
            "Give ranks in every row, or texts and pairs in every row.",
        )


def _from_texts_and_pairs(rows: list[Any], items: Any, markers: Markers) -> OrderTable:
    if rows and all(map(_looks_like_signs, rows)):
        raise CandidateError(
            "PartialOrders: a list of rows [[0, 1], [-1, 0]] may be signs of two items or pairs "
            "of items. Pass np.asarray(y) for signs, and use PartialOrders.from_pairs for pairs."
        )
    texts = split_chains(rows, ITEM_SEPARATOR, items is None)
    chains: list[list[Any]] = [
        elements(row) if isinstance(row, COLLECTIONS) else [*text]
        for row, text in zip(rows, texts, strict=True)
    ]
    return orders_from_chains(chains, items, markers)


def _looks_like_signs(row: Any) -> bool:
    """Whether these two pairs could also be the signs of two items."""
    if not isinstance(row, (list, tuple, np.ndarray)) or len(row) != 2:
        return False
    (a, b), (c, d) = (elements(pair) for pair in row)
    return all(isinstance(sign, numbers.Real) for sign in (a, b, c, d)) and (
        a == d == 0 and b == -c and abs(b) <= 1
    )
