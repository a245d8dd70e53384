"""Orders read by their form: tables of ranks, signs of pairs, lists of pairs, texts."""

import numbers
import reprlib
from enum import IntEnum
from typing import Any

import numpy as np

from disambig.candidates.containers import is_table, only_column
from disambig.candidates.entries import COLLECTIONS
from disambig.candidates.missing import is_missing
from disambig.candidates.order_chains import is_pair, orders_from_chains
from disambig.candidates.order_containers import (
    elements,
    is_missing_row,
    order_rows,
    refuse_rows,
    require_rows,
)
from disambig.candidates.order_faults import order_fault
from disambig.candidates.order_numbers import is_number
from disambig.candidates.order_signs import parse_signs
from disambig.candidates.order_strings import ITEM_SEPARATOR, split_chains
from disambig.candidates.order_table import OrderTable
from disambig.candidates.rank_tables import parse_ranks
from disambig.exceptions import CandidateError

__all__ = ["parse_any_order"]


class _Form(IntEnum):
    MISSING = 0
    NUMBER = 1
    NUMBERS = 2
    PAIRS = 3
    TEXT = 4
    OTHER = 5


def _form(row: Any) -> _Form:
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
    return _Form.NUMBERS if all(is_number(e) or is_missing(e) for e in entries) else _Form.OTHER


def parse_any_order(y: Any, items: Any, ties: str) -> OrderTable:
    """Read `y` by its form; `PartialOrders.from_any` documents the rules."""
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        # An object that can be read as an array, and offers nothing else.
        y = np.asarray(y)
    require_rows(y)
    if getattr(y, "ndim", 1) == 3:
        return parse_signs(y, items)
    column = is_table(y) and y.shape[1] == 1
    if is_table(y) and not column:
        return parse_ranks(y, items, ties)
    rows = order_rows(only_column(y) if column else y)
    forms = [_form(row) for row in rows]
    _refuse_others(rows, forms)
    present = set(forms) - {_Form.MISSING}
    if present == {_Form.NUMBER} or (column and not present):
        return parse_ranks(y, items, ties)
    if present == {_Form.NUMBERS}:
        return parse_ranks(rows, items, ties)
    _refuse_mixture(rows, forms)
    return _from_texts_and_pairs(rows, items)


def _refuse_others(rows: list[Any], forms: list[_Form]) -> None:
    refuse_rows(
        rows,
        [form is _Form.OTHER for form in forms],
        "a text such as 'a>b>c', a list of pairs or a list of ranks",
        "For the best items in order use PartialOrders.from_top_k, for groups of items "
        "from_buckets; a row with one pair is [('a', 'b')]; signs of pairs are an array of shape "
        "(n, m, m).",
    )


def _refuse_mixture(rows: list[Any], forms: list[_Form]) -> None:
    """Raise if numbers stand beside texts or pairs."""
    numeric = [form in (_Form.NUMBER, _Form.NUMBERS) for form in forms]
    if any(numeric):
        row = rows[numeric.index(True)]
        raise order_fault(
            np.array(numeric),
            f"holds {reprlib.repr(row)}, which is not of the form of other rows",
            "Give ranks in every row, or in every row texts and pairs.",
        )


def _from_texts_and_pairs(rows: list[Any], items: Any) -> OrderTable:
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
    return orders_from_chains(chains, items)


def _looks_like_signs(row: Any) -> bool:
    """Whether nothing tells these two pairs from the signs of two items."""
    if not isinstance(row, (list, tuple, np.ndarray)) or len(row) != 2:
        return False
    (a, b), (c, d) = (elements(pair) for pair in row)
    return all(isinstance(sign, numbers.Real) for sign in (a, b, c, d)) and (
        a == d == 0 and b == -c and abs(b) <= 1
    )
