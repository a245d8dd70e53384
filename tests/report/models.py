"""Fitted tables of every kind, each fitted once a process."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from disambig import fit_table
from disambig.report import FitReport
from disambig.table_models import TableModel
from tests.table_models.tables import MAKE

KINDS = tuple(MAKE)
# Shown as text, wherever they stand: markup, formulas, other directions, pictures, no characters.
HOSTILE = (
    "<script>document.title='caught'</script>",
    "$$x^2$$ {{7*7}}",
    "</template></script></style><!--",
    "שלום \u202eright to left",
    "😀 & \"quotes\" 'and'",
    "bell\x07 null\x00 escape\x1b end",
    "long " + "x" * 10_000,
)


@cache
def fitted(kind: str, *, truth: bool = True) -> TableModel:
    """A model with named weights, whose table has the truth beside it."""
    made = MAKE[kind]()
    frame = made.frame
    if truth:
        texts = [text if text != "" else "none" for text in made.truth]
        frame = frame.assign(truth=texts)
    drop = ["truth"] if truth else []
    return fit_table(frame, made.target, id="key", drop=drop, weights=made.weights)


@cache
def searched() -> TableModel:
    """A model whose weights were selected: it has trials and a trace."""
    made = MAKE["labels"]()
    return fit_table(made.frame, made.target, id="key", time_limit=5.0)


@cache
def reported(kind: str, *, rows: bool = True, truth: bool = True) -> FitReport:
    """The report of a fitted table."""
    return fitted(kind).report(rows=rows, truth="truth" if truth else None)


def hostile_frame(n: int = 240, n_classes: int = 200) -> pd.DataFrame:
    """Hostile texts as labels, identifiers, column names and cells, and many classes."""
    rng = np.random.default_rng(0)
    names = [*HOSTILE, *(f"class {k}" for k in range(n_classes - len(HOSTILE)))]
    size = rng.uniform(size=n)
    codes = np.minimum((size * n_classes).astype(int), n_classes - 1)
    codes[: len(HOSTILE) * 4] = np.repeat(np.arange(len(HOSTILE)), 4)
    sets = [{names[code], names[(code + 1) % n_classes]} for code in codes]
    return pd.DataFrame(
        {
            "<b>id</b>": [f"{HOSTILE[row % len(HOSTILE)]}{row}" for row in range(n)],
            "<img src=x onerror=alert(1)>": size,
            "$$": rng.normal(size=n),
            "note\x07": [HOSTILE[row % len(HOSTILE)] for row in range(n)],
            "label": sets,
        }
    )


@cache
def hostile() -> TableModel:
    """A model of such a table."""
    return fit_table(
        hostile_frame(), "label", id="<b>id</b>", weights="neighbors", drop=["note\x07"]
    )


@cache
def hostile_report() -> FitReport:
    """Its report."""
    return hostile().report()


def texts_of(value: Any) -> list[str]:
    """All texts inside plain data."""
    if isinstance(value, dict):
        return [text for entry in value.values() for text in texts_of(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in texts_of(entry)]
    return [value] if isinstance(value, str) else []
