"""Numbers of a figure as a table of HTML."""

from collections.abc import Sequence
from html import escape

from disambig.experiments.readings import Reading, compared

__all__ = ["readings_table"]

_CHOICES = {"truth": "the truth", "sets": "the sets", "fixed": "–"}
_FAR = 2.0


def readings_table(readings: Sequence[Reading]) -> str:
    """A row for each reading; those more than two standard errors off the authors' are bold.

    Examples
    --------
    >>> reading = Reading("dna", 0.5, "DF", "truth", "test error", 0.0612, 0.004, "8 folds")
    >>> "<td class='number'>0.0612 ± 0.0040</td>" in readings_table([reading])
    True
    """
    away = {id(found.reading): found.standard_errors for found in compared(readings)}
    heads = ["data", "level", "method", "chosen by", "quantity", "ours", "authors", "difference"]
    numeric = {"level", "ours", "authors", "difference"}
    cells = "".join(_cell("th", head, head in numeric) for head in heads)
    lines = [f"<table><thead><tr>{cells}<th>over</th></tr></thead><tbody>"]
    for reading in readings:
        error = "" if reading.standard_error is None else f" ± {reading.standard_error:.4f}"
        distance = away.get(id(reading))
        row = [
            _cell("td", reading.panel),
            _cell("td", "" if reading.level is None else f"{reading.level:.3g}", True),
            _cell("td", reading.method),
            _cell("td", _CHOICES[reading.choice]),
            _cell("td", reading.quantity),
            _cell("td", f"{reading.mean:.4f}{error}", True),
            _cell("td", "" if reading.authors is None else f"{reading.authors:.4g}", True),
            _cell(
                "td",
                "" if distance is None else f"{distance:+.1f} s.e.",
                True,
                away=distance is not None and abs(distance) > _FAR,
            ),
            _cell("td", reading.over),
        ]
        lines.append(f"<tr>{''.join(row)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _cell(tag: str, text: str, number: bool = False, *, away: bool = False) -> str:
    classes = " ".join(name for name, on in (("number", number), ("away", away)) if on)
    marked = f" class='{classes}'" if classes else ""
    return f"<{tag}{marked}>{escape(text)}</{tag}>"
