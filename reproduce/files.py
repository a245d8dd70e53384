"""Write the output of ``disambig reproduce``: figures, numbers, and one HTML page with both."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from disambig.atomic import write_bytes_atomically, write_csv_atomically, write_text_atomically
from reproduce.cache import JobResult
from reproduce.captions import caption
from reproduce.figure_data import FigureData
from reproduce.page import Picture, Section, html_page
from reproduce.registry import Drawing, Reproduction
from reproduce.results import FigureResult, compared, departures
from reproduce.tables import results_table

PAGE = "index.html"
CACHE = "cache"
"""The folder of `ResultCache` inside the output folder."""

_LEAD = (
    "Figures of “Disambiguation of weak supervision leading to exponential convergence rates” "
    "(Cabannes, Bach and Rudi, ICML 2021), computed and drawn by disambig. DF is disambiguation, "
    "IL the infimum loss, AC the average of candidates. “As coded” means as the authors' programs "
    "compute it, “exact” means as the formula of the paper says."
)
_QUICK = (
    " This is a quick run: it has few seeds, the library's default is run on few folds, and error "
    "bars are wide."
)


@dataclass(frozen=True, eq=False)
class Finished:
    """A figure whose jobs are all computed."""

    plan: Reproduction
    job_results: Sequence[JobResult]
    results: Sequence[FigureResult]
    pictures: Sequence[Picture]


def write_figure(
    folder: Path, plan: Reproduction, job_results: Sequence[JobResult], facts: Mapping[str, Any]
) -> Finished:
    """Draw a figure; write it as PNG and PDF, and its numbers as CSV and JSON."""
    payloads = [result.payload for result in job_results]
    results = plan.results(payloads)
    drawings = plan.drawings(payloads, results)
    for name in ("figures", "numbers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    pictures = [_write_drawing(folder / "figures", drawing) for drawing in drawings]
    _write_numbers(folder / "numbers", plan, job_results, results, facts)
    return Finished(plan, job_results, results, pictures)


def _write_drawing(folder: Path, drawing: Drawing) -> Picture:
    png = _saved(drawing.wide, "png", dpi=150)
    write_bytes_atomically(folder / f"{drawing.name}.png", png)
    pdf = _saved(drawing.wide, "pdf", metadata={"CreationDate": None})
    write_bytes_atomically(folder / f"{drawing.name}.pdf", pdf)
    narrow = None if drawing.narrow is None else _saved_svg(drawing.narrow)
    return Picture(drawing.alt, _saved_svg(drawing.wide), narrow)


def _saved_svg(figure: Figure) -> bytes:
    # With a fixed salt, identifiers inside the file are the same in every run.
    with mpl.rc_context({"svg.hashsalt": "disambig"}):
        return _saved(figure, "svg", metadata={"Date": None}, dpi=150)


def _saved(figure: Figure, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, **options)
    return stream.getvalue()


def _write_numbers(
    folder: Path,
    plan: Reproduction,
    job_results: Sequence[JobResult],
    results: Sequence[FigureResult],
    facts: Mapping[str, Any],
) -> None:
    distances = {id(found.result): found.standard_errors for found in compared(results)}
    names = [field.name for field in fields(FigureResult)]
    rows = [
        [
            plan.name,
            *(getattr(result, name) for name in names),
            round(distances[id(result)], 2) if id(result) in distances else None,
            facts["seed"],
            facts["quick"],
            facts["versions"]["disambig"],
        ]
        for result in results
    ]
    header = ["figure", *names, "standard_errors_from_authors", "seed", "quick", "disambig"]
    write_csv_atomically(folder / f"{plan.name}.csv", header, rows)
    record = {
        "figure": plan.name,
        **facts,
        "cpu_seconds": round(sum(result.seconds for result in job_results), 2),
        "results": [asdict(result) for result in results],
        "jobs": [
            {
                "name": job.name,
                "settings": dict(job.settings),
                "cpu_seconds": round(result.seconds, 3),
                "warnings": result.warnings,
            }
            for job, result in zip(plan.jobs, job_results, strict=True)
        ],
    }
    write_text_atomically(folder / f"{plan.name}.json", json.dumps(record, indent=1) + "\n")


def write_page(
    folder: Path,
    finished: Sequence[Finished],
    facts: Mapping[str, Any],
    data: Sequence[FigureData] = (),
) -> Path:
    """Write the HTML page; `data` are the data sets of the classification figure."""
    sections = [
        _section(one, data if one.plan.name == "classification" else ()) for one in finished
    ]
    comparisons = [found for one in finished for found in compared(one.results)]
    n_near = sum(abs(found.standard_errors) <= 2 for found in comparisons)
    lead = _LEAD
    if comparisons:
        lead += (
            " The numbers are compared with those that the authors' code gave in an earlier run: "
            f"{n_near} of {len(comparisons)} agree within two standard errors of the difference."
        )
    if facts["quick"]:
        lead += _QUICK
    listed = {
        "Command": facts["command"],
        "Seed": str(facts["seed"]),
        "Date": facts["date"],
        "Versions": ", ".join(f"{name} {number}" for name, number in facts["versions"].items()),
        "CPU time": f"{_cpu_seconds(finished):.0f} s of one core, all jobs together",
        "In the folder of this page": "figures/ (PNG and PDF), numbers/ (CSV and JSON) and "
        f"{CACHE}/ (stored results; without that folder the next run computes them again)",
    }
    write_text_atomically(
        folder / PAGE, html_page("The figures of the paper, reproduced", lead, sections, listed)
    )
    return folder / PAGE


def _cpu_seconds(finished: Sequence[Finished]) -> float:
    return sum(result.seconds for one in finished for result in one.job_results)


def _section(one: Finished, data: Sequence[FigureData]) -> Section:
    words = caption(one.plan.name)
    far = [
        f"{found.result.panel}, {found.result.method}"
        + ("" if found.result.level is None else f" at {100 * found.result.level:.0f}%")
        + f": {found.result.mean:.3f} against {found.result.authors:.3f}, "
        f"{found.standard_errors:+.1f} standard errors"
        for found in departures(one.results)
    ]
    warned: dict[str, int] = {}
    for job_result in one.job_results:
        for text, times in job_result.warnings.items():
            warned[text] = warned.get(text, 0) + times
    points = {
        "Differences from the authors' figure, and their reasons": words.differences,
        "Numbers that differ from the authors' by more than two standard errors": far,
    }
    warning_lines = [f"{text} ({times} times)" for text, times in warned.items()]
    missing = [found for found in data if found.stands_for]
    return Section(
        one.plan.name,
        words.title,
        words.lead,
        one.pictures,
        words.paragraphs,
        points,
        results_table(one.results),
        " ".join(found.notice for found in missing),
        {
            "Why data sets are missing": [found.reason for found in missing],
            "Warnings during the computation": warning_lines,
        },
    )
