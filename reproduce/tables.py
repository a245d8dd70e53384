"""Results of a figure as an HTML table."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from reproduce.results import FigureResult, compared

_CHOICES = {"truth": "truth", "sets": "sets", "fixed": "–"}
_DIFFERENCE = "difference"
# Differences from the authors' numbers beyond so many standard errors are printed in bold.
_BOLD_BEYOND = 2.0
_MINUS = "−"
# Three decimals are too few for smaller numbers: five below the first bound, an exponent below the
# second.
_FIVE_DECIMALS_BELOW, _EXPONENT_BELOW = 0.01, 1e-4


class _Column(NamedTuple):
    head: str
    text: Callable[[FigureResult], str]
    number: bool = False


def results_table(results: Sequence[FigureResult]) -> str:
    """A row for each result; differences of more than two standard errors are bold.

    A line above the table says what all rows have in common. Rows of the same data and quantity
    form a group with a heading. Empty columns are omitted.

    Examples
    --------
    >>> result = FigureResult("dna", 0.5, "DF", "truth", "test error", 0.0612, 0.004, "8 folds")
    >>> "<td class='number'>0.061 ± 0.004</td>" in results_table([result])
    True
    """
    distances = {id(found.result): found.standard_errors for found in compared(results)}
    columns = _columns(results, distances)
    heads = "".join(_cell("th", column.head, column.number) for column in columns)
    lines = [f"<p>{escape(_common_facts(results))}</p>"]
    lines.append(f"<table><thead><tr>{heads}</tr></thead><tbody>")
    for name, group in _groups(results).items():
        if name:
            cell = f"<th colspan='{len(columns)}' scope='rowgroup'>{escape(name)}</th>"
            lines.append(f"<tr class='group'>{cell}</tr>")
        for result in group:
            is_far = abs(distances.get(id(result), 0.0)) > _BOLD_BEYOND
            cells = (
                _cell(
                    "td",
                    column.text(result),
                    column.number,
                    bold=is_far and column.head == _DIFFERENCE,
                )
                for column in columns
            )
            lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _columns(results: Sequence[FigureResult], distances: dict[int, float]) -> list[_Column]:
    levels = [result.level for result in results if result.level is not None]
    found = []
    if levels:
        # Levels of corruption are at most 1; larger values are numbers of rows.
        found.append(_Column("rows" if max(levels) > 1 else "level", _level, number=True))
    found.append(_Column("method", lambda result: result.method))
    if any(result.choice != "fixed" for result in results):
        found.append(_Column("choice", lambda result: _CHOICES[result.choice]))
    found.append(_Column("ours", _ours, number=True))
    if distances:
        found.append(_Column("authors", _authors, number=True))
        found.append(
            _Column(_DIFFERENCE, lambda result: _distance(distances.get(id(result))), number=True)
        )
    if len(_different(results, "over")) > 1:
        found.append(_Column("over", lambda result: result.over))
    return found


def _different(results: Sequence[FigureResult], attribute: str) -> list[str]:
    return list(dict.fromkeys(getattr(result, attribute) for result in results))


def _groups(results: Sequence[FigureResult]) -> dict[str, list[FigureResult]]:
    """Results by data and quantity, in the order of appearance; names contain what differs."""
    names = [name for name in ("panel", "quantity") if len(_different(results, name)) > 1]
    found: dict[str, list[FigureResult]] = {}
    for result in results:
        found.setdefault(": ".join(getattr(result, name) for name in names), []).append(result)
    return found


def _common_facts(results: Sequence[FigureResult]) -> str:
    same = {name: _different(results, name) for name in ("panel", "quantity", "over")}
    parts = [same[name][0] for name in ("panel", "quantity") if len(same[name]) == 1]
    spread = any(result.standard_error is not None for result in results)
    over = same["over"][0] if len(same["over"]) == 1 else ""
    if spread:
        parts.append(f"mean ± standard error over {over}" if over else "mean ± standard error")
    elif over:
        parts.append(over)
    return "; ".join(parts)


def _level(result: FigureResult) -> str:
    if result.level is None:
        return ""
    return f"{result.level:.3g}" if result.level <= 1 else f"{result.level:.0f}"


def _ours(result: FigureResult) -> str:
    size = abs(result.mean)
    form = ".3f"
    if 0 < size < _EXPONENT_BELOW:
        form = ".1e"
    elif 0 < size < _FIVE_DECIMALS_BELOW or _is_slope(result):
        form = ".5f"
    error = "" if result.standard_error is None else f" ± {result.standard_error:{form}}"
    sign = _MINUS if result.mean < 0 else ""
    return f"{sign}{size:{form}}{error}"


def _is_slope(result: FigureResult) -> bool:
    return "slope" in result.quantity


def _authors(result: FigureResult) -> str:
    return "" if result.authors is None else f"{result.authors:.4g}"


def _distance(distance: float | None) -> str:
    if distance is None:
        return ""
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(distance, 1) + 0.0:+.1f} s.e.".replace("-", _MINUS)


def _cell(tag: str, text: str, number: bool = False, *, bold: bool = False) -> str:
    classes = " ".join(name for name, on in (("number", number), ("away", bold)) if on)
    marked = f" class='{classes}'" if classes else ""
    return f"<{tag}{marked}>{escape(text)}</{tag}>"
