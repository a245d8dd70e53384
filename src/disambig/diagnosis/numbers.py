"""Checks of intervals."""

from typing import Any

import numpy as np

from disambig.candidates import Intervals
from disambig.diagnosis.conflicts import MIN_NEIGHBORS, conflict_checks
from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.information import information_checks, marked, parts_check
from disambig.diagnosis.neighborhoods import Neighborhoods
from disambig.diagnosis.subject import Subject
from disambig.notation import BoolArray, FloatArray, IntArray

# The same interval in more than this share of the informative rows.
_SAME_SHARE = 0.5
# A positive width below this share of the range of all ends is rounding.
_POINT_WIDTH = 1e-6
# Ends on a grid with at most so many steps between the smallest and the largest were rounded.
_MAX_GRID_STEPS = 30
_MIN_ROWS = 20
# An interval is unsupported if it is so many typical distances away from its neighbours.
_FAR = 5.0


def _hull(subject: Subject) -> Intervals:
    hull: Intervals = subject.candidates.hull
    return hull


def inverted(subject: Subject) -> Verdict:
    """Intervals whose lower end is above the upper one."""
    rows = subject.refused.inverted
    if not rows.size:
        return Outcome()
    return Outcome(
        f"{share_text(rows.size, subject.n)} have their lower end above their upper end.",
        rows,
        marked(subject.n, rows),
        {"n_rows": rows.size},
    )


def without_number(subject: Subject) -> Verdict:
    """Intervals that lack an end, or that hold no number."""
    rows = subject.refused.without_number
    if not rows.size:
        return Outcome()
    return Outcome(
        f"{share_text(rows.size, subject.n)} lack an end (NaN), or hold no number (a lower end of "
        "inf, an upper end of -inf).",
        rows,
        marked(subject.n, rows),
        {"n_rows": rows.size},
    )


def same_interval(subject: Subject) -> Verdict:
    """One interval that most rows have."""
    hull, informative = _hull(subject), subject.informative
    count = int(np.count_nonzero(informative))
    if count < _MIN_ROWS:
        return NotApplicable(f"fewer than {_MIN_ROWS} rows are informative")
    ends = np.hstack([hull.lower, hull.upper])[informative]
    distinct, inverse, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    most = int(counts.argmax())
    share = float(counts[most]) / count
    evidence: dict[str, Any] = {"n_distinct": len(distinct), "largest_share": share}
    if share <= _SAME_SHARE:
        return Outcome(evidence=evidence)
    rows = flagged(informative)[inverse.ravel() == most]
    shown = [float(end) for end in distinct[most]]
    return Outcome(
        f"{share_text(rows.size, count, 'informative rows')} have the same ends, {shown}.",
        rows,
        marked(subject.n, rows),
        evidence | {"ends": shown},
    )


def point_like(subject: Subject) -> Verdict:
    """Intervals that are a point but for rounding."""
    hull = _hull(subject)
    scale = hull.span[:, 1] - hull.span[:, 0]
    width = hull.upper - hull.lower
    rows = flagged(((width > 0) & (width < _POINT_WIDTH * scale)).any(axis=1))
    if not rows.size:
        return Outcome()
    return Outcome(
        f"{share_text(rows.size, subject.n)} are narrower than {_POINT_WIDTH:g} of the range of "
        "all ends.",
        rows,
        marked(subject.n, rows),
        {"n_rows": rows.size},
    )


def rounded_ends(subject: Subject) -> Verdict:
    """Ends that are all multiples of a coarse step."""
    hull = _hull(subject)
    bounded = np.isfinite(hull.lower) & np.isfinite(hull.upper) & (hull.lower < hull.upper)
    if hull.n_columns > 1 or np.count_nonzero(bounded) < _MIN_ROWS:
        return NotApplicable(f"fewer than {_MIN_ROWS} plain intervals are bounded and no points")
    ends = np.concatenate([hull.lower[bounded], hull.upper[bounded]])
    step = _grid_step(ends)
    if step is None:
        return Outcome()
    rows = flagged(bounded.any(axis=1))
    return Outcome(
        f"All ends are multiples of {step:g} ({np.unique(ends).size} different ends).",
        rows,
        None,
        {"step": step, "n_distinct": np.unique(ends).size},
    )


def _grid_step(ends: FloatArray) -> float | None:
    """The largest step 1, 2 or 5 times a power of ten that divides all ends; None if it is fine."""
    size = float(np.ptp(ends))
    if size == 0.0:
        return None
    exponents = np.arange(np.floor(np.log10(size)), np.floor(np.log10(size)) - 3, -1)
    steps = np.array([factor * 10.0**e for e in exponents for factor in (5.0, 2.0, 1.0)])
    steps = steps[steps * _MAX_GRID_STEPS >= size]
    for step in steps.tolist():
        multiples = ends / step
        if (np.abs(multiples - np.round(multiples)) < 1e-9 * np.maximum(1.0, abs(multiples))).all():
            return float(step)
    return None


def one_sided(subject: Subject) -> Verdict:
    """Half-lines that all point the same way, and nothing else."""
    hull, informative = _hull(subject), subject.informative
    if not informative.any():
        return NotApplicable("no row is informative")
    below = np.asarray(np.isfinite(hull.lower[informative]).any(axis=0))
    above = np.asarray(np.isfinite(hull.upper[informative]).any(axis=0))
    # A column that says nothing at all is no half-line.
    open_side = (below != above).any()
    if not open_side:
        return Outcome()
    column = int(np.argmax(below != above))
    side = "upper" if below[column] else "lower"
    end = hull.lower if below[column] else hull.upper
    rows = flagged(np.isfinite(end[:, column]))
    where = f" in column {column}" if hull.n_columns > 1 else ""
    return Outcome(
        f"None of the {rows.size} informative rows has an {side} bound{where}.".replace(
            "an lower", "a lower"
        ),
        rows,
        marked(subject.n, rows),
        {"side": side, "column": column, "n_rows": rows.size},
    )


def copy_scores(subject: Subject, rows: IntArray, groups: IntArray) -> FloatArray:
    """1 for rows whose interval does not meet that of a copy; points may differ by noise."""
    hull = _hull(subject)
    lower, upper = hull.lower[rows], hull.upper[rows]
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
    highest = np.maximum.reduceat(lower[order], starts, axis=0)
    lowest = np.minimum.reduceat(upper[order], starts, axis=0)
    apart = ((lower > lowest[groups]) | (upper < highest[groups])).any(axis=1)
    noisy = np.bincount(groups, weights=hull.is_point[rows]) > 1
    return np.asarray(apart & ~noisy[groups], dtype=np.float64)


def _gaps(hull: Intervals, rows: IntArray, others: IntArray) -> FloatArray:
    """Distances between intervals in units of the range, the largest of all columns, ``(q,)``."""
    scale = hull.span[:, 1] - hull.span[:, 0]
    above = hull.lower[rows] - hull.upper[others]
    below = hull.lower[others] - hull.upper[rows]
    gaps = np.maximum(np.maximum(above, below), 0.0) / np.where(scale > 0, scale, 1.0)
    return np.asarray(gaps.max(axis=1))


def neighbor_scores(subject: Subject, near: Neighborhoods) -> FloatArray:
    """How far the interval is from those of its neighbours, ``(q,)``; 0.8 and more is far.

    With g the median distance to the intervals of the informative neighbours, in units of what is
    usual (the upper quartile of g and the median width), the score is ``g / (g + c)``, with c such
    that a distance of five units scores 0.8.
    """
    hull, informative = _hull(subject), subject.informative
    distances = np.full(near.lists.shape, np.nan)
    for step in range(near.lists.shape[1]):
        others = near.lists[:, step]
        says = informative[others]
        distances[says, step] = _gaps(hull, near.rows[says], others[says])
    judged = informative[near.rows] & (np.isfinite(distances).sum(axis=1) >= MIN_NEIGHBORS)
    scores = np.full(near.rows.size, np.nan)
    if not judged.any():
        return scores
    gaps = np.nanmedian(distances[judged], axis=1)
    unit = float(np.quantile(gaps, 0.75)) + _usual_width(hull, informative)
    # Without noise and with points only every distance may be 0; less than 1% is never far.
    unit = max(unit, 0.01)
    scores[judged] = gaps / (gaps + _FAR * unit / 4.0)
    return scores


def _usual_width(hull: Intervals, informative: BoolArray) -> float:
    """The median width of bounded intervals in units of the range; 0 if there are none."""
    scale = hull.span[:, 1] - hull.span[:, 0]
    width = (hull.upper - hull.lower)[informative] / np.where(scale > 0, scale, 1.0)
    width = width[np.isfinite(width).all(axis=1)]
    return float(np.median(width.max(axis=1))) if width.size else 0.0


_KIND = ("numbers",)
NUMBER_CHECKS = (
    *information_checks("numbers"),
    *conflict_checks(
        "numbers",
        "N",
        copy_scores,
        neighbor_scores,
        "Rows with equal features whose intervals do not meet; points, which may differ by noise, "
        "do not count.",
        "The median distance from the interval to those of the 10 nearest informative rows is "
        "five times what is usual (upper quartile of all rows plus the median width).",
    ),
    Check(
        "N110",
        "inverted-intervals",
        "Intervals whose ends are in the wrong order",
        "issue",
        _KIND,
        "The lower end is above the upper end. Here they count as rows that say nothing.",
        "`fit` stops at the first of them.",
        "Swap the ends if the columns were swapped; leave the rows out otherwise.",
        inverted,
    ),
    Check(
        "N111",
        "intervals-without-number",
        "Intervals without an end or without a number",
        "issue",
        _KIND,
        "An end is NaN, the lower end is inf, or the upper end is -inf. Here they count as rows "
        "that say nothing.",
        "`fit` stops at the first of them.",
        "Write -inf or inf for no bound, or pass missing='whole' to the estimator.",
        without_number,
    ),
    Check(
        "N112",
        "same-interval",
        "One interval in most rows",
        "issue",
        _KIND,
        "More than half of the informative rows have the same ends.",
        "It is often a default value or a limit of the instrument; the fit adapts to it.",
        "If it says nothing, mark these rows by unlabeled=; if it is a limit, write a half-line.",
        same_interval,
    ),
    Check(
        "N113",
        "point-like-intervals",
        "Intervals that are points but for rounding",
        "tip",
        _KIND,
        "The width is positive, and below a millionth of the range of all ends.",
        "The target is fixed there, and solvers converge slowly between such ends.",
        "Give the number itself, or the true uncertainty.",
        point_like,
    ),
    Check(
        "N114",
        "rounded-ends",
        "Ends on a coarse grid",
        "tip",
        _KIND,
        "All ends of bounded intervals are multiples of 1, 2 or 5 times a power of ten, with at "
        "most 30 steps between the smallest and the largest.",
        "Rounded ends may exclude the true number by half a step.",
        "Widen the intervals by half a step if the ends were rounded, not if they are classes.",
        rounded_ends,
    ),
    Check(
        "N115",
        "half-lines-one-side",
        "Half-lines that all point the same way",
        "issue",
        _KIND,
        "No informative row has a bound on one of the two sides.",
        "Any number that is large (or small) enough fits all rows, so that nothing is learned.",
        "Add rows with a bound on the other side, or known values.",
        one_sided,
    ),
    parts_check("numbers"),
)
