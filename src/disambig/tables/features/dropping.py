"""Columns that are no features: constant, numbering the rows, or giving the target away."""

from typing import Any

import numpy as np

from disambig.candidates import PartialBits
from disambig.diagnosis.features import MIN_ROWS, id_like_features, leaking_features
from disambig.diagnosis.subject import Inputs, Refused, Subject
from disambig.tables.features.column_types import ColumnPlan
from disambig.tables.source import pandas, shown
from disambig.tables.targets.target import Target
from disambig.tables.values import Values

# Rows among which a column that gives the target away is looked for.
_LEAK_ROWS = 5000
# Of a category with more values, these are compared with the target.
_MAX_VALUES = 100


def useless(values: Values) -> str:
    """Why a column says nothing about any row, or an empty text."""
    if not values.values:
        return "it holds nothing"
    if len(values.values) == 1 and (values.codes >= 0).all():
        return f"all its cells are {shown(values.values[0])}"
    return ""


def text_id(values: Values, column: ColumnPlan) -> str:
    """Why a column of texts only names its rows, or an empty text.

    Texts with blanks inside may be prose, of which every one is different.
    """
    n = len(values.codes)
    if column.type not in ("category", "text") or n < MIN_ROWS or len(values.values) < n:
        return ""
    if any(" " in str(value) for value in values.values):
        return ""
    return f"its {n} values are all different, as of an identifier (id= names rows by it)"


def row_numbers(typed: Any, columns: list[ColumnPlan]) -> dict[Any, str]:
    """Columns of numbers that count the rows, as `disambig.diagnose` finds them."""
    names = [column.name for column in columns if column.type == "number"]
    n = len(typed)
    if n < MIN_ROWS or not names:
        return {}
    subject = _subject(typed[[str(name) for name in names]].to_numpy(), None)
    found = id_like_features(subject)
    return {names[j]: f"its {n} different whole numbers count the rows" for j in found}


def leaking(typed: Any, columns: list[ColumnPlan], target: Target) -> dict[Any, str]:
    """Columns that are a function of what the target says, as `disambig.diagnose` finds them."""
    rows = np.flatnonzero(~target.uninformative)
    if rows.size < MIN_ROWS:
        return {}
    if rows.size > _LEAK_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _LEAK_ROWS, replace=False))
    owners: list[Any] = []
    blocks = []
    for column in columns:
        block = _compared(typed, column, rows)
        owners += [column.name] * block.shape[1]
        blocks.append(block)
    if not owners:
        return {}
    # What is known of bags is not known of a part of their rows.
    sets = target.candidates.sets if target.candidates.couples_rows else target.candidates
    subject = _subject(np.hstack(blocks), sets[rows], target.kind)
    found: dict[Any, str] = {}
    for j, meaning in leaking_features(subject):
        found.setdefault(owners[j], f"it gives the target away: it equals {meaning}")
    return found


def _compared(typed: Any, column: ColumnPlan, rows: Any) -> Any:
    """The numbers of a column that are compared with the target, ``(rows, k)``."""
    if column.type in ("number", "boolean"):
        return typed[str(column.name)].to_numpy()[rows][:, None]
    if column.type == "date":
        return typed[f"{column.name}: days"].to_numpy()[rows][:, None]
    codes, values = pandas().factorize(typed[str(column.name)].to_numpy()[rows])
    if len(values) > _MAX_VALUES:
        return np.empty((len(rows), 0))
    return (codes[:, None] == np.arange(len(values))).astype(np.float64)


def _subject(numbers: Any, candidates: Any, kind: str = "bits") -> Subject:
    """Numbers, and what is known of their rows, as the checks of `diagnose` take them."""
    if candidates is None:
        candidates = PartialBits(np.zeros((len(numbers), 1), dtype=np.int8))
    return Subject(kind, candidates, Refused(), Inputs.read(numbers), True)
