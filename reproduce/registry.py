"""The figures of the paper by name: their jobs, their results and their drawings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from matplotlib.figure import Figure

from reproduce.cache import Job, Payload
from reproduce.classification import classification_jobs, classification_results
from reproduce.figure_data import FigureData, figure_data
from reproduce.figures.circles import circles_figure
from reproduce.figures.classification import classification_figure
from reproduce.figures.interval import interval_figure
from reproduce.figures.ranking import ranking_figure
from reproduce.figures.ternary import simplex_figure
from reproduce.figures.theory_rates import theory_rates_figure
from reproduce.interval.figure import interval_jobs, interval_results
from reproduce.ranking import ranking_jobs, ranking_results
from reproduce.rate_plan import collected_rates, rates_jobs, rates_results
from reproduce.results import FigureResult
from reproduce.semi_supervised import semi_supervised_jobs, semi_supervised_results
from reproduce.simplex import paper_example, simplex_picture
from reproduce.simplex_results import simplex_jobs, simplex_results

DATA = ("dna", "svmguide2")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure with its alternative text, and its form for narrow screens if there is one."""

    name: str
    alt: str
    wide: Figure
    narrow: Figure | None = None


@dataclass(frozen=True, eq=False)
class Reproduction:
    """How to compute and draw a figure of the paper.

    Attributes
    ----------
    name : str
    jobs : sequence of Job
    results : callable
        Takes the payloads in the order of the jobs, returns the results.
    drawings : callable
        Takes the payloads and the results, returns the drawings.
    """

    name: str
    jobs: Sequence[Job]
    results: Callable[[Sequence[Payload]], list[FigureResult]]
    drawings: Callable[[Sequence[Payload], Sequence[FigureResult]], list[Drawing]]


def find_data(folder: Path | None) -> list[FigureData]:
    """The data sets of the classification figure, or replacements of those that are missing."""
    return [figure_data(name, folder) for name in DATA]


def reproduction(name: str, *, quick: bool, seed: int, data: Sequence[FigureData]) -> Reproduction:
    """The figure of this name; `data` are the data sets of the classification figure."""
    if name == "classification":
        jobs = classification_jobs(data, quick=quick, seed=seed)
        return Reproduction(name, jobs, classification_results, _classification)
    makers = {
        "interval": (interval_jobs, interval_results, _interval),
        "semi-supervised": (semi_supervised_jobs, semi_supervised_results, _circles),
        "ranking": (ranking_jobs, ranking_results, _ranking),
        "simplex": (simplex_jobs, simplex_results, _simplex),
        "rates": (rates_jobs, rates_results, _rates),
    }
    plan, results, drawings = makers[name]
    return Reproduction(name, plan(quick=quick, seed=seed), results, drawings)


def _interval(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    (picture,) = (payload for payload in payloads if "curves" in payload)
    alt = "A sine wave with intervals and three fits, and mean squared errors of thirteen methods"
    figures = (interval_figure(results, picture, columns=columns) for columns in (2, 1))
    return [Drawing("interval", alt, *figures)]


def _circles(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    (picture,) = (payload for payload in payloads if "predicted" in payload)
    alt = "Points on four circles, and the classes that two methods predict in the plane"
    figures = (circles_figure(picture, columns=columns) for columns in (3, 1))
    return [Drawing("semi-supervised", alt, *figures)]


def _classification(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    found = []
    for data, title in {payload["data"]: payload["title"] for payload in payloads}.items():
        alt = f"Test errors on {title} against corruption, five methods in four panels"
        figures = (classification_figure(results, title, columns=columns) for columns in (2, 1))
        found.append(Drawing(f"classification-{data}", alt, *figures))
    return found


def _ranking(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    alt = "Share of wrong pairs against corruption, five methods in two panels"
    figures = (ranking_figure(results, columns=columns) for columns in (2, 1))
    return [Drawing("ranking", alt, *figures)]


def _simplex(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    title = "What the sets leave possible, and what is smallest there"
    picture = simplex_picture(*paper_example())
    figures = (
        simplex_figure(picture, title=title),
        simplex_figure(picture, title=fill(title, 40), narrow=True),
    )
    return [Drawing("simplex", "Four triangles of distributions over three labels", *figures)]


def _rates(payloads: Sequence[Payload], results: Sequence[FigureResult]) -> list[Drawing]:
    alt = (
        "Errors against the number of rows under four distributions of sets, with the slopes of "
        "the theory"
    )
    found = collected_rates(payloads)
    figures = (theory_rates_figure(found, narrow=narrow) for narrow in (False, True))
    return [Drawing("rates", alt, *figures)]
