"""Dates as texts: the format of a column, and numbers that models use."""

from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray
from disambig.tables.source import pandas

ISO = "ISO8601"
_FORMATS = (
    *("%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y"),
    *("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S"),
    *("%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %I:%M %p", "%Y/%m/%d %H:%M:%S"),
)
# Texts that are looked at before all of them are.
_SAMPLE = 20
_MICROSECONDS = 86_400e6
_CYCLES = {"season": 365.2425, "weekday": 7.0, "hour": 1.0}


def date_formats(texts: list[str]) -> tuple[str, ...]:
    """All formats by which all texts are dates, as `strptime` writes them; ISO first.

    Examples
    --------
    >>> date_formats(["2024-01-31", "2024-02-01 12:30"])
    ('ISO8601',)
    >>> date_formats(["01/02/2024", "03/04/2024"])
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> date_formats(["cat"])
    ()
    """
    sample = texts[:_SAMPLE]
    if not all(any(sign.isdigit() for sign in text) and len(text) >= 6 for text in sample):
        return ()
    is_iso = all(text[:4].isdigit() and text[4:5] == "-" for text in sample)
    found = []
    for one in (ISO,) if is_iso else _FORMATS:
        if _is_format(sample, one) and _is_format(texts, one):
            found.append(one)
    return tuple(found)


def _is_format(texts: list[str], one: str) -> bool:
    return bool(np.isfinite(days_of_texts(texts, one)).all())


def days_of_texts(texts: list[str], one: str) -> FloatArray:
    """Days since 1970, UTC; NaN for texts that are no such date.

    Examples
    --------
    >>> days_of_texts(["1970-01-02", "1970-01-01T12:00", "x"], ISO).tolist()
    [1.0, 0.5, nan]
    """
    pd = pandas()
    series = pd.Series(texts, dtype=object)
    stamps = pd.to_datetime(series, format=one, errors="coerce", utc=True)
    return days_of_stamps(stamps)


def is_date_format(one: str) -> bool:
    """Whether pandas knows all directives of a date format.

    Examples
    --------
    >>> is_date_format("%d/%m/%Y"), is_date_format("%Q")
    (True, False)
    """
    try:
        days_of_texts(["1970-01-01"], one)
    except ValueError:
        return False
    return True


def days_of_stamps(series: Any) -> FloatArray:
    """Days since 1970, UTC, of a series of time stamps; NaN where they are missing."""
    pd = pandas()
    # Nanoseconds, which pandas would count in, begin in 1677 and end in 2262. Older versions lose
    # stamps of other units beyond that.
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "M":
        return _days_of(series.to_numpy())
    stamps = pd.to_datetime(series, utc=True, errors="coerce")
    start = pd.Timestamp(0, tz="UTC").as_unit("us")
    days = np.array((stamps.dt.as_unit("us") - start) / pd.Timedelta(days=1), dtype=np.float64)
    for row in np.flatnonzero(np.isnan(days) & series.notna().to_numpy()).tolist():
        cell = series.iloc[row]
        if isinstance(cell, pd.Timestamp):
            days[row] = _days_of(np.array([cell.to_datetime64()]))[0]
    return days


def _days_of(stamps: AnyArray) -> FloatArray:
    """Days since 1970 of datetime64 in UTC, NaN for NaT."""
    days = stamps.astype("M8[us]").astype(np.int64) / _MICROSECONDS
    return np.where(np.isnat(stamps), np.nan, days)


def has_times(days: FloatArray) -> bool:
    """Whether some of the dates have a time of day."""
    known = days[np.isfinite(days)]
    return bool((known != np.floor(known)).any())


def date_parts(days: FloatArray, with_hours: bool) -> dict[str, FloatArray]:
    """Numbers of dates: days, and where they are in the year, in the week and in the day.

    The last three are cosine and sine, because December is near January.

    Examples
    --------
    >>> sorted(date_parts(np.array([0.5]), False))
    ['days', 'season cos', 'season sin', 'weekday cos', 'weekday sin']
    """
    parts = {"days": days}
    for name, length in _CYCLES.items():
        if name == "hour" and not with_hours:
            continue
        position = days if name == "hour" else np.floor(days)
        angle = 2.0 * np.pi * position / length
        parts[f"{name} cos"], parts[f"{name} sin"] = np.cos(angle), np.sin(angle)
    return parts
