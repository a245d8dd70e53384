"""Parties by race in 212 precincts of North Carolina, of which the truth is known (`senc`).

    python -m benchmarks.bags --only senc [--write]

Every precinct has the numbers of registered voters by race and by party. A row is a voter with the
race as feature, beside the shares of the races in the precinct; a precinct is a bag with the shares
of its parties. The file also has the parties of each race, which score the result only: the error
is the total variation between found and true shares of parties, the mean over precincts and races,
weighted by voters. A precinct has 40 rows, in proportion to its races.

"counts alone" gives each race the shares of its precinct; "regression" is the classical ecological
regression (least squares of shares of parties on shares of races, all precincts alike). "fitted":
scaled to the unrounded races and parties of each precinct.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from disambig import PartialLabelClassifier

RACES = ("white", "black", "natam")
SHORT = ("wh", "bl", "natam")
PARTIES = ("dem", "rep", "non")
N_ROWS = 40
HEAD = "| method | rows | error of shares | CPU seconds |\n|---|---|---|---|"
_N_SCALINGS = 1000
# Shares of zero are as small in scalings, whose quotients are then finite.
_LEAST = 1e-9


def voters(folder: Path) -> tuple[Any, Any, Any]:
    """Voters by race (B, 3) and by party (B, 3) of each precinct, and the truth (B, 3, 3)."""
    import pandas as pd

    data = pd.read_csv(folder / "proportions" / "senc.tab.gz", sep=" ")
    inner = data[[f"{race}{party}" for race in SHORT for party in PARTIES]].to_numpy(dtype=float)
    races, parties = (data[list(names)].to_numpy(dtype=float) for names in (RACES, PARTIES))
    return races, parties, inner.reshape(-1, len(RACES), len(PARTIES))


def apportioned(shares: Any, n: int) -> Any:
    """Whole numbers that sum to n in each row, by the largest remainders."""
    whole = np.floor(shares * n)
    rank = np.argsort(np.argsort(whole - shares * n, axis=1, kind="stable"), axis=1)
    missing = n - whole.sum(axis=1, keepdims=True)
    return (whole + (rank < missing)).astype(int)


def regression(races: Any, parties: Any) -> Any:
    """The shares of parties of each race (3, 3), alike in all precincts."""
    found = np.linalg.lstsq(races, parties, rcond=None)[0]
    found = np.clip(found, 1e-3, None)
    return found / found.sum(axis=1, keepdims=True)


def fitted(common: Any, races: Any, parties: Any) -> Any:
    """Shares of parties by race (B, 3, 3): `common`, scaled to both sums of each precinct."""
    races, parties = np.maximum(races, _LEAST), np.maximum(parties, _LEAST)
    found = np.maximum(common, _LEAST) * races[:, :, None]
    for _ in range(_N_SCALINGS):
        found *= (parties / found.sum(axis=1))[:, None, :]
        found *= (races / found.sum(axis=2))[:, :, None]
    return found / found.sum(axis=2, keepdims=True)


def error(found: Any, truth: Any) -> float:
    """The weighted total variation of shares (B, 3, 3) or (3, 3) from the numbers of voters."""
    sizes = truth.sum(axis=2, keepdims=True)
    return float(np.abs(found * sizes - truth).sum() / (2 * sizes.sum()))


def recovered(races: Any, parties: Any) -> tuple[Any, Any]:
    """Shares of parties by race and precinct, of `labels_` and of predicted probabilities."""
    rows = apportioned(races, N_ROWS)
    kind = np.concatenate([np.repeat(np.arange(len(RACES)), numbers) for numbers in rows])
    bags = np.repeat(np.arange(len(races)), N_ROWS)
    X = np.hstack([np.eye(len(RACES))[kind], races[bags]])
    given = {b: dict(zip(PARTIES, row, strict=True)) for b, row in enumerate(parties.tolist())}
    model = PartialLabelClassifier(classes=list(PARTIES)).fit(X, None, bags=bags, proportions=given)
    tables = []
    for found in (model.labels_[:, None] == np.array(PARTIES), columns(model, X)):
        table = np.zeros((len(races), len(RACES), len(PARTIES)))
        np.add.at(table, (bags, kind), found)
        # A race without a row in its precinct has the shares of the precinct.
        table += 1e-9 * parties[:, None, :]
        tables.append(table / table.sum(axis=2, keepdims=True))
    return tables[0], tables[1]


def columns(model: Any, X: Any) -> Any:
    """Predicted probabilities in the order of PARTIES."""
    order = [list(model.classes_).index(party) for party in PARTIES]
    return model.predict_proba(X)[:, order]


def lines(folder: Path) -> Iterator[str]:
    """Lines of a table: the error of shares."""
    races, parties, truth = voters(folder)
    sizes = races.sum(axis=1, keepdims=True)
    races, parties = races / sizes, parties / sizes
    before = time.process_time()
    labels, predicted = recovered(races, parties)
    seconds = time.process_time() - before
    n = N_ROWS * len(races)
    yield f"| ours, `labels_` | {n} | {error(labels, truth):.3f} | {seconds:.0f} |"
    yield f"| ours, `predict_proba` | {n} | {error(predicted, truth):.3f} | |"
    found = fitted(predicted, races, parties)
    yield f"| ours, `predict_proba`, fitted | {n} | {error(found, truth):.3f} | |"
    alone = np.repeat(parties[:, None, :], len(RACES), axis=1)
    yield f"| counts alone | | {error(alone, truth):.3f} | |"
    common = regression(races, parties)
    yield f"| regression | | {error(common, truth):.3f} | |"
    found = fitted(common, races, parties)
    yield f"| regression, fitted | | {error(found, truth):.3f} | |"
