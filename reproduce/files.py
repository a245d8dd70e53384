"""What ``disambig reproduce`` leaves behind: figures, numbers, and one page with all of them."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from disambig.atomic import write_bytes_atomically, write_csv_atomically, write_text_atomically
from reproduce.cache import Result
from reproduce.captions import caption
from reproduce.figure_data import FigureData
from reproduce.figures_by_name import Drawing, Reproduction
from reproduce.page import Picture, Section, html_page
from reproduce.readings import Reading, compared, departures
from reproduce.tables import readings_table

PAGE = "index.html"
_LEAD = (
    "Figures of “Disambiguation of weak supervision leading to exponential convergence rates” "
    "(Cabannes, Bach and Rudi, ICML 2021), drawn by disambig with its own estimators and solvers. "
    "DF is disambiguation, IL the infimum loss, AC the average of candidates; “as coded” means as "
    "the authors' programs compute it, “exact” as the formula says."
)
_QUICK = " This is a quick run: few seeds, few folds of the library's default, wide bars."


@dataclass(frozen=True, eq=False)
class Finished:
    """A figure of which everything is computed."""

    plan: Reproduction
    results: Sequence[Result]
    readings: Sequence[Reading]
    pictures: Sequence[Picture]


def write_figure(
    folder: Path, plan: Reproduction, results: Sequence[Result], facts: Mapping[str, Any]
) -> Finished:
    """Draw a figure, and write it as PNG and PDF and its numbers as CSV and JSON."""
    payloads = [result.payload for result in results]
    readings = plan.readings(payloads)
    drawings = plan.drawings(payloads, readings)
    for place in ("figures", "numbers"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    pictures = [_write_drawing(folder / "figures", drawing) for drawing in drawings]
    _write_numbers(folder / "numbers", plan, results, readings, facts)
    return Finished(plan, results, readings, pictures)


def _write_drawing(folder: Path, drawing: Drawing) -> Picture:
    png = _saved(drawing.wide, "png", dpi=150)
    write_bytes_atomically(folder / f"{drawing.name}.png", png)
    pdf = _saved(drawing.wide, "pdf", metadata={"CreationDate": None})
    write_bytes_atomically(folder / f"{drawing.name}.pdf", pdf)
    narrow = None if drawing.narrow is None else _saved_svg(drawing.narrow)
    return Picture(drawing.alt, _saved_svg(drawing.wide), narrow)


def _saved_svg(figure: Figure) -> bytes:
    # Names inside the file come from this salt instead of chance.
    with mpl.rc_context({"svg.hashsalt": "disambig"}):
        return _saved(figure, "svg", metadata={"Date": None}, dpi=150)


def _saved(figure: Figure, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, **options)
    return stream.getvalue()


def _write_numbers(
    folder: Path,
    plan: Reproduction,
    results: Sequence[Result],
    readings: Sequence[Reading],
    facts: Mapping[str, Any],
) -> None:
    away = {id(found.reading): found.standard_errors for found in compared(readings)}
    names = [field.name for field in fields(Reading)]
    rows = [
        [
            plan.name,
            *(getattr(reading, name) for name in names),
            round(away[id(reading)], 2) if id(reading) in away else None,
            facts["seed"],
            facts["quick"],
            facts["versions"]["disambig"],
        ]
        for reading in readings
    ]
    header = ["figure", *names, "standard_errors_from_authors", "seed", "quick", "disambig"]
    write_csv_atomically(folder / f"{plan.name}.csv", header, rows)
    record = {
        "figure": plan.name,
        **facts,
        "cpu_seconds": round(sum(result.seconds for result in results), 2),
        "readings": [asdict(reading) for reading in readings],
        "pieces": [
            {
                "name": piece.name,
                "settings": dict(piece.settings),
                "cpu_seconds": round(result.seconds, 3),
                "warnings": result.warnings,
            }
            for piece, result in zip(plan.pieces, results, strict=True)
        ],
    }
    write_text_atomically(folder / f"{plan.name}.json", json.dumps(record, indent=1) + "\n")


def write_page(
    folder: Path,
    finished: Sequence[Finished],
    facts: Mapping[str, Any],
    data: Sequence[FigureData] = (),
) -> Path:
    """Write the page; `data` are those of the classification figure."""
    sections = [
        _section(one, data if one.plan.name == "classification" else ()) for one in finished
    ]
    both = [found for one in finished for found in compared(one.readings)]
    far = [found for found in both if abs(found.standard_errors) > 2]
    lead = _LEAD
    if both:
        lead += (
            " Beside its numbers stand those that the authors' code gave in an earlier run. Of "
            f"{len(both)} that both have, {len(both) - len(far)} agree within two standard errors "
            "of the difference."
        )
    if facts["quick"]:
        lead += _QUICK
    listed = {
        "Command": facts["command"],
        "Seed": str(facts["seed"]),
        "Date": facts["date"],
        "Versions": ", ".join(f"{name} {number}" for name, number in facts["versions"].items()),
        "CPU time": f"{sum(r.seconds for one in finished for r in one.results):.0f} s of one core, "
        "all pieces together",
        "Beside this page": "figures/ as PNG and PDF, numbers/ as CSV and JSON, pieces/ with all "
        "that was computed; without that folder the next run starts anew",
    }
    write_text_atomically(
        folder / PAGE, html_page("The figures of the paper, reproduced", lead, sections, listed)
    )
    return folder / PAGE


def _section(one: Finished, data: Sequence[FigureData]) -> Section:
    words = caption(one.plan.name)
    far = [
        f"{found.reading.panel}, {found.reading.method}"
        + ("" if found.reading.level is None else f" at {100 * found.reading.level:.0f}%")
        + f": {found.reading.mean:.3f} against {found.reading.authors:.3f}, "
        f"{found.standard_errors:+.1f} standard errors"
        for found in departures(one.readings)
    ]
    warned: dict[str, int] = {}
    for result in one.results:
        for text, times in result.warnings.items():
            warned[text] = warned.get(text, 0) + times
    points = {
        "Where it differs from the authors' figure, and why": words.differences,
        "Numbers more than two standard errors from the authors'": far,
    }
    heard = [f"{text} ({times} times)" for text, times in warned.items()]
    missing = [found for found in data if found.stands_for]
    return Section(
        one.plan.name,
        words.title,
        words.lead,
        one.pictures,
        words.paragraphs,
        points,
        readings_table(one.readings),
        " ".join(found.notice for found in missing),
        {
            "Why data cannot be had": [found.reason for found in missing],
            "Warnings on the way": heard,
        },
    )
