"""Orders written as text: ``"a>b>c"``, several chains joined by semicolons."""

from typing import Any

import numpy as np

from disambig.candidates.order_chains import orders_from_chains
from disambig.candidates.order_containers import is_missing_row, order_rows, refuse_rows
from disambig.candidates.order_faults import order_fault
from disambig.candidates.order_table import OrderTable
from disambig.exceptions import CandidateError

__all__ = ["CHAIN_SEPARATOR", "ITEM_SEPARATOR", "parse_order_strings", "split_chains"]

ITEM_SEPARATOR = ">"
CHAIN_SEPARATOR = ";"

# Where the items are not named, these in a name mean that another notation was used.
_SIGNS = "<>=~,;"


def parse_order_strings(y: Any, items: Any, separator: str) -> OrderTable:
    """Read one text per row; an empty or missing one says nothing."""
    rows = order_rows(y)
    refuse_rows(
        rows,
        [not (isinstance(row, str) or is_missing_row(row)) for row in rows],
        "text",
        "Write 'a>b' for a before b, or use PartialOrders.from_pairs.",
    )
    return orders_from_chains(split_chains(rows, separator, items is None), items)


def split_chains(rows: list[Any], separator: Any, strict: bool) -> list[list[list[str]]]:
    """The chains of each text, blanks stripped; a row that is no text has none.

    Raises where a piece is empty and, if `strict`, where a name holds a sign of another notation.

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
        raise order_fault(
            empty,
            f"holds {rows[int(np.argmax(empty))]!r}, which has an empty piece",
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
        [piece.strip() for piece in chain.split(separator)] for chain in text.split(CHAIN_SEPARATOR)
    ]


def _refuse_signs(rows: list[Any], chains: list[list[list[str]]]) -> None:
    names = {piece for row in chains for chain in row for piece in chain}
    odd = {name for name in names if any(sign in name for sign in _SIGNS)}
    if odd:
        faulty = np.array([any(not odd.isdisjoint(chain) for chain in row) for row in chains])
        row = int(np.argmax(faulty))
        name = next(piece for chain in chains[row] for piece in chain if piece in odd)
        raise order_fault(
            faulty,
            f"holds {rows[row]!r}, in which {name!r} would be an item",
            "Write 'a>b>c', join chains by ';', and leave out pairs that tie; if this is the name "
            "of an item, name all items by items=.",
        )
