"""Checks of the features, for every kind of target."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.findings import KINDS, Check, NotApplicable, Outcome, Verdict, share_text
from disambig.diagnosis.subject import Subject
from disambig.notation import BoolArray, FloatArray

# Largest ratio of two standard deviations that is not worth a word.
_MAX_SPREAD_RATIO = 1e3
# A deviation below this share of the largest value is rounding.
_ROUNDING = 1e-12
# Fewer rows than this show no pattern.
MIN_ROWS = 20
# A correlation nearer to 1 than this is no coincidence.
_EXACT, _SCREEN = 1e-9, 1e-5
# Columns of X that are dense at a time, and columns of y that are compared with them.
_BLOCK, _MAX_COLUMNS = 256, 500
_MAX_LISTED = 20


def unusable_entries(subject: Subject) -> Verdict:
    """NaN, infinite and huge entries."""
    inputs = subject.inputs
    if not inputs.bad_rows.size:
        return Outcome()
    counts = np.bincount(inputs.bad_columns, minlength=inputs.n_features)
    rows = np.unique(inputs.bad_rows)
    scores = np.bincount(inputs.bad_rows, minlength=subject.n) / inputs.n_features
    columns = {inputs.names[j]: int(counts[j]) for j in np.flatnonzero(counts)[:_MAX_LISTED]}
    return Outcome(
        f"{share_text(rows.size, subject.n)} have {inputs.bad_rows.size} entries that are NaN, "
        f"infinite or huge, first in row {inputs.bad_rows[0]}, "
        f"{inputs.names[inputs.bad_columns[0]]}.",
        rows,
        scores,
        {"n_entries": inputs.bad_rows.size, "columns": columns},
    )


def _spreads(subject: Subject) -> FloatArray:
    """The standard deviation of each feature; 0 where it is rounding, ``(d,)``."""
    inputs = subject.inputs
    spreads = np.zeros(inputs.n_features)
    for start in range(0, inputs.n_features, _BLOCK):
        block = inputs.columns(start, start + _BLOCK)
        found = block.std(axis=0)
        spreads[start : start + _BLOCK] = np.where(
            found > _ROUNDING * np.abs(block).max(axis=0), found, 0.0
        )
    return spreads


def constant_features(subject: Subject) -> Verdict:
    """Features with one value."""
    constant = np.flatnonzero(_spreads(subject) == 0)
    if not constant.size:
        return Outcome()
    names = [subject.inputs.names[j] for j in constant[:_MAX_LISTED]]
    return Outcome(
        f"{share_text(constant.size, subject.inputs.n_features, 'features')} are constant, first "
        f"{names[0]}.",
        evidence={"n_features": constant.size, "features": names},
    )


def different_units(subject: Subject) -> Verdict:
    """Standard deviations that differ by a factor of a thousand."""
    spreads = _spreads(subject)
    varying = np.flatnonzero(spreads > 0)
    if varying.size < 2:
        return NotApplicable("fewer than two features vary")
    low, high = varying[spreads[varying].argmin()], varying[spreads[varying].argmax()]
    ratio = float(spreads[high] / spreads[low])
    evidence: dict[str, Any] = {"ratio": ratio}
    if ratio <= _MAX_SPREAD_RATIO:
        return Outcome(evidence=evidence)
    names = subject.inputs.names
    return Outcome(
        f"The spread of {names[high]} ({spreads[high]:.3g}) is {ratio:.2g} times that of "
        f"{names[low]} ({spreads[low]:.3g}).",
        evidence=evidence | {"largest": names[high], "smallest": names[low]},
    )


def id_like_features(subject: Subject) -> list[int]:
    """Features of whole numbers that are all distinct and count the rows."""
    inputs, n = subject.inputs, subject.n
    found: list[int] = []
    for start in range(0, inputs.n_features, _BLOCK):
        block = inputs.columns(start, start + _BLOCK)
        whole = (block == np.round(block)).all(axis=0) & (np.ptp(block, axis=0) >= n - 1)
        for j in np.flatnonzero(whole):
            steps = np.diff(np.sort(block[:, j]))
            is_monotone = (np.diff(block[:, j]) > 0).all() or (np.diff(block[:, j]) < 0).all()
            # Distinct, and either in the order of the rows or with few gaps.
            if steps.min() > 0 and (is_monotone or np.ptp(block[:, j]) < 2 * n):
                found.append(start + int(j))
    return found


def id_like(subject: Subject) -> Verdict:
    """Whole numbers that are all distinct and count the rows."""
    inputs, n = subject.inputs, subject.n
    if n < MIN_ROWS or inputs.n_features < 2:
        return NotApplicable(f"{MIN_ROWS} rows and two features are needed")
    found = id_like_features(subject)
    if not found:
        return Outcome()
    names = [inputs.names[j] for j in found[:_MAX_LISTED]]
    return Outcome(
        f"{share_text(len(found), inputs.n_features, 'features')} number the rows: {names[0]} has "
        f"{n} different whole numbers.",
        evidence={"n_features": len(found), "features": names},
    )


def leaking_features(subject: Subject) -> Iterator[tuple[int, str]]:
    """Features that are a linear function of something that y says, and what that is."""
    table, meanings = said_columns(subject)
    inputs = subject.inputs
    for start in range(0, inputs.n_features, _BLOCK):
        equal = _correlated(inputs.columns(start, start + _BLOCK), table)
        for j, t in np.argwhere(equal):
            yield start + int(j), meanings[t]


def leaks(subject: Subject) -> Verdict:
    """Features that are a linear function of something that y says."""
    if subject.n < MIN_ROWS:
        return NotApplicable(f"{MIN_ROWS} rows are needed")
    first = islice(leaking_features(subject), _MAX_LISTED)
    found = [(subject.inputs.names[j], meaning) for j, meaning in first]
    if not found:
        return Outcome(evidence={"n_compared": len(said_columns(subject)[1])})
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Outcome(
        f"{found[0][0]} equals {found[0][1]}, up to scale and offset{more}.",
        evidence={"features": found},
    )


def _correlated(block: FloatArray, table: FloatArray) -> BoolArray:
    """Which columns ``(n, b)`` and ``(n, t)`` are linear functions of each other, NaN left out."""
    known = ~np.isnan(table)
    equal = _correlations(block, np.where(known, table, 0.0), known) > 1.0 - _SCREEN
    equal[:, np.count_nonzero(known, axis=0) < MIN_ROWS] = False
    # Sums of squares cancel: what passes is computed again with the means of its own rows.
    for j, t in np.argwhere(equal):
        rows = known[:, t]
        product = _standard(block[rows, j : j + 1]).T @ _standard(table[rows, t : t + 1])
        equal[j, t] = abs(product[0, 0]) > 1.0 - _EXACT
    return equal


def _correlations(block: FloatArray, filled: FloatArray, known: BoolArray) -> FloatArray:
    """Absolute correlations over the rows that y knows, ``(b, t)``; 0 if a column is constant."""
    x, weights = _standard(block), known.astype(np.float64)
    counts = np.maximum(1.0, weights.sum(axis=0))
    y = np.where(known, filled - (filled.sum(axis=0) / counts), 0.0)
    sums = x.T @ weights
    squares = (x * x).T @ weights - sums**2 / counts
    norms = np.maximum(squares, 0.0) * (y * y).sum(axis=0)
    # y has mean 0 over its rows, so that the mean of x does not matter in the product.
    products = np.abs(x.T @ y)
    norms = np.sqrt(norms)
    return np.asarray(np.where(norms > 0, products / np.where(norms > 0, norms, 1.0), 0.0))


def _standard(values: FloatArray) -> FloatArray:
    """Columns of mean 0 and norm 1; constant ones are 0."""
    centered = values - values.mean(axis=0)
    norms = np.linalg.norm(centered, axis=0)
    # A column of rounding would correlate with anything.
    varies = norms > _ROUNDING * np.sqrt(len(values)) * np.abs(values).max(axis=0)
    return np.where(varies, centered / np.where(varies, norms, 1.0), 0.0)


def said_columns(subject: Subject) -> tuple[FloatArray, list[str]]:
    """What y says as columns of numbers ``(n, t)``, NaN where it says nothing; their meanings."""
    candidates = subject.candidates
    if subject.kind == "labels":
        names = listed(candidates.classes)
        codes = np.where(candidates.is_single, candidates.mask.argmax(axis=1), np.nan)
        table = np.column_stack([codes, candidates.sizes, candidates.mask.astype(np.float64)])
        table[~subject.informative] = np.nan
        meanings = ["the label", "the number of candidates"]
        meanings += [f"whether {name!r} is a candidate" for name in names]
    elif subject.kind == "numbers":
        hull = candidates.hull
        width = hull.upper - hull.lower
        table = np.hstack([hull.centers, hull.lower, hull.upper, width])
        table = np.where(np.isfinite(table), table, np.nan)
        meanings = [
            name
            for name in ("the middle", "the lower end", "the upper end", "the width")
            for _ in range(hull.n_columns)
        ]
    elif subject.kind == "orders":
        signs = candidates.signs()
        places = candidates.before.sum(axis=1)
        table = np.hstack([np.where(candidates.is_total[:, None], places, np.nan), signs])
        table[:, places.shape[1] :][signs == 0] = np.nan
        names = listed(candidates.items)
        meanings = [f"the place of {name!r}" for name in names]
        first, second = np.triu_indices(len(names), 1)
        meanings += [
            f"whether {names[i]!r} is before {names[j]!r}"
            for i, j in zip(first, second, strict=True)
        ]
    else:
        table = np.where(candidates.known, candidates.bits, np.nan)
        meanings = [f"the tag {name!r}" for name in listed(candidates.tags)]
    return np.asarray(table[:, :_MAX_COLUMNS], dtype=np.float64), meanings[:_MAX_COLUMNS]


FEATURE_CHECKS = (
    Check(
        "F101",
        "unusable-entries",
        "Missing, infinite or huge entries in X",
        "issue",
        KINDS,
        "Entries that are NaN, infinite, or above 1e36 in size. The score is their share in the "
        "row. Here the mean of the feature takes their place.",
        "`fit` refuses infinite and huge entries. It fills missing ones, which is a guess.",
        "Correct infinite and huge entries, or write NaN if they mean that nothing is known. If "
        "much is missing, look at how the file was read or joined.",
        unusable_entries,
    ),
    Check(
        "F102",
        "constant-features",
        "Features that never vary",
        "tip",
        KINDS,
        "The standard deviation is zero, up to rounding.",
        "They say nothing, and cost time.",
        "Leave them out; check how a column was read that should vary.",
        constant_features,
    ),
    Check(
        "F103",
        "different-units",
        "Features of very different units",
        "tip",
        KINDS,
        "The ratio of the largest and the smallest standard deviation is above 1000.",
        'Neighbours and kernels would see the largest feature alone. weights="auto" scales '
        "features; weights that you name do not.",
        "Put StandardScaler in front if you name the weights, or use SquashedWeights.",
        different_units,
    ),
    Check(
        "F104",
        "id-like-features",
        "Features that number the rows",
        "issue",
        KINDS,
        "Whole numbers, all different, that rise or fall with the row number or have few gaps.",
        "An identifier says nothing about new rows; in sorted files it gives the target away.",
        "Leave the feature out.",
        id_like,
    ),
    Check(
        "F105",
        "leaking-features",
        "Features that y is written in",
        "issue",
        KINDS,
        "A feature is a linear function (correlation 1) of what y says: a label, whether a class "
        "is a candidate, the number of candidates, an end, middle or width of the interval, a "
        "place, a pair, or a tag.",
        "New rows will not have it, and everything learned relies on it.",
        "Leave the feature out.",
        leaks,
    ),
)
