"""Numbers of a figure as a table of HTML."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from reproduce.readings import Reading, compared

_CHOICES = {"truth": "truth", "sets": "sets", "fixed": "–"}
_AWAY = "difference"
_FAR = 2.0
_MINUS = "−"
# Below these, three decimals say too little.
_SMALL, _TINY = 0.01, 1e-4


class _Column(NamedTuple):
    head: str
    text: Callable[[Reading], str]
    number: bool = False


def readings_table(readings: Sequence[Reading]) -> str:
    """A row for each reading; those more than two standard errors off the authors' are bold.

    What is the same in all rows is said once, above the table; rows of the same data and quantity
    stand together under their name. A column that would be empty is left out.

    Examples
    --------
    >>> reading = Reading("dna", 0.5, "DF", "truth", "test error", 0.0612, 0.004, "8 folds")
    >>> "<td class='number'>0.061 ± 0.004</td>" in readings_table([reading])
    True
    """
    away = {id(found.reading): found.standard_errors for found in compared(readings)}
    columns = _columns(readings, away)
    heads = "".join(_cell("th", column.head, column.number) for column in columns)
    lines = [f"<p>{escape(_said_once(readings))}</p>"]
    lines.append(f"<table><thead><tr>{heads}</tr></thead><tbody>")
    for name, group in _groups(readings).items():
        if name:
            cell = f"<th colspan='{len(columns)}' scope='rowgroup'>{escape(name)}</th>"
            lines.append(f"<tr class='group'>{cell}</tr>")
        for reading in group:
            far = abs(away.get(id(reading), 0.0)) > _FAR
            cells = (
                _cell("td", column.text(reading), column.number, away=far and column.head == _AWAY)
                for column in columns
            )
            lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _columns(readings: Sequence[Reading], away: dict[int, float]) -> list[_Column]:
    levels = [reading.level for reading in readings if reading.level is not None]
    found = []
    if levels:
        # Levels of a corruption are shares; beyond 1 the axis is a number of rows.
        found.append(_Column("rows" if max(levels) > 1 else "level", _level, number=True))
    found.append(_Column("method", lambda reading: reading.method))
    if any(reading.choice != "fixed" for reading in readings):
        found.append(_Column("choice", lambda reading: _CHOICES[reading.choice]))
    found.append(_Column("ours", _ours, number=True))
    if away:
        found.append(_Column("authors", _authors, number=True))
        found.append(_Column(_AWAY, lambda reading: _distance(away.get(id(reading))), number=True))
    if len(_different(readings, "over")) > 1:
        found.append(_Column("over", lambda reading: reading.over))
    return found


def _different(readings: Sequence[Reading], attribute: str) -> list[str]:
    return list(dict.fromkeys(getattr(reading, attribute) for reading in readings))


def _groups(readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    """By data and quantity, in the order in which they appear; named by what differs."""
    told = [name for name in ("panel", "quantity") if len(_different(readings, name)) > 1]
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        found.setdefault(": ".join(getattr(reading, name) for name in told), []).append(reading)
    return found


def _said_once(readings: Sequence[Reading]) -> str:
    same = {name: _different(readings, name) for name in ("panel", "quantity", "over")}
    parts = [same[name][0] for name in ("panel", "quantity") if len(same[name]) == 1]
    spread = any(reading.standard_error is not None for reading in readings)
    over = same["over"][0] if len(same["over"]) == 1 else ""
    if spread:
        parts.append(f"mean ± standard error over {over}" if over else "mean ± standard error")
    elif over:
        parts.append(over)
    return "; ".join(parts)


def _level(reading: Reading) -> str:
    if reading.level is None:
        return ""
    return f"{reading.level:.3g}" if reading.level <= 1 else f"{reading.level:.0f}"


def _ours(reading: Reading) -> str:
    size = abs(reading.mean)
    form = (
        ".1e" if 0 < size < _TINY else ".5f" if 0 < size < _SMALL or _is_slope(reading) else ".3f"
    )
    error = "" if reading.standard_error is None else f" ± {reading.standard_error:{form}}"
    sign = _MINUS if reading.mean < 0 else ""
    return f"{sign}{size:{form}}{error}"


def _is_slope(reading: Reading) -> bool:
    return "slope" in reading.quantity


def _authors(reading: Reading) -> str:
    return "" if reading.authors is None else f"{reading.authors:.4g}"


def _distance(distance: float | None) -> str:
    if distance is None:
        return ""
    # Adding 0 takes the sign off what is rounded to nothing.
    return f"{round(distance, 1) + 0.0:+.1f} s.e.".replace("-", _MINUS)


def _cell(tag: str, text: str, number: bool = False, *, away: bool = False) -> str:
    classes = " ".join(name for name, on in (("number", number), ("away", away)) if on)
    marked = f" class='{classes}'" if classes else ""
    return f"<{tag}{marked}>{escape(text)}</{tag}>"
