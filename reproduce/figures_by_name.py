"""The figures of the paper by name: what computes them, and what draws them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from matplotlib.figure import Figure

from reproduce.cache import Payload, Piece
from reproduce.classification import classification_pieces, classification_readings
from reproduce.figure_data import FigureData, figure_data
from reproduce.figures.circles import circles_figure
from reproduce.figures.classification import classification_figure
from reproduce.figures.interval import interval_figure
from reproduce.figures.ranking import ranking_figure
from reproduce.figures.ternary import simplex_figure
from reproduce.figures.theory_rates import theory_rates_figure
from reproduce.interval.figure import interval_pieces, interval_readings
from reproduce.ranking import ranking_pieces, ranking_readings
from reproduce.rate_plan import collected_rates, rates_pieces, rates_readings
from reproduce.readings import Reading
from reproduce.semi_supervised import semi_supervised_pieces, semi_supervised_readings
from reproduce.simplex import paper_example, simplex_picture
from reproduce.simplex_readings import simplex_pieces, simplex_readings

DATA = ("dna", "svmguide2")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, and the same for narrow screens if there is such a form."""

    name: str
    alt: str
    wide: Figure
    narrow: Figure | None = None


@dataclass(frozen=True, eq=False)
class Reproduction:
    """How a figure of the paper is made.

    Attributes
    ----------
    name : str
    pieces : sequence of Piece
    readings : callable
        From payloads, in the order of the pieces, to readings.
    drawings : callable
        From payloads and readings to drawings.
    """

    name: str
    pieces: Sequence[Piece]
    readings: Callable[[Sequence[Payload]], list[Reading]]
    drawings: Callable[[Sequence[Payload], Sequence[Reading]], list[Drawing]]


def find_data(folder: Path | None) -> list[FigureData]:
    """The data of the classification figure, or what stands in for them."""
    return [figure_data(name, folder) for name in DATA]


def reproduction(name: str, *, quick: bool, seed: int, data: Sequence[FigureData]) -> Reproduction:
    """The figure of this name; `data` are those of the classification figure."""
    if name == "classification":
        pieces = classification_pieces(data, quick=quick, seed=seed)
        return Reproduction(name, pieces, classification_readings, _classification)
    makers = {
        "interval": (interval_pieces, interval_readings, _interval),
        "semi-supervised": (semi_supervised_pieces, semi_supervised_readings, _circles),
        "ranking": (ranking_pieces, ranking_readings, _ranking),
        "simplex": (simplex_pieces, simplex_readings, _simplex),
        "rates": (rates_pieces, rates_readings, _rates),
    }
    plan, readings, drawings = makers[name]
    return Reproduction(name, plan(quick=quick, seed=seed), readings, drawings)


def _interval(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    (picture,) = (payload for payload in payloads if "curves" in payload)
    alt = "A sine wave with intervals and three fits, and mean squared errors of thirteen methods"
    figures = (interval_figure(readings, picture, columns=columns) for columns in (2, 1))
    return [Drawing("interval", alt, *figures)]


def _circles(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    (picture,) = (payload for payload in payloads if "predicted" in payload)
    alt = "Points on four circles, and the classes that two methods predict in the plane"
    figures = (circles_figure(picture, columns=columns) for columns in (3, 1))
    return [Drawing("semi-supervised", alt, *figures)]


def _classification(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    found = []
    for data, title in {payload["data"]: payload["title"] for payload in payloads}.items():
        alt = f"Test errors on {title} against corruption, five methods in four panels"
        figures = (classification_figure(readings, title, columns=columns) for columns in (2, 1))
        found.append(Drawing(f"classification-{data}", alt, *figures))
    return found


def _ranking(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    alt = "Share of wrong pairs against corruption, five methods in two panels"
    figures = (ranking_figure(readings, columns=columns) for columns in (2, 1))
    return [Drawing("ranking", alt, *figures)]


def _simplex(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    title = "What the sets leave possible, and what is smallest there"
    picture = simplex_picture(*paper_example())
    figures = (
        simplex_figure(picture, title=title),
        simplex_figure(picture, title=fill(title, 40), narrow=True),
    )
    return [Drawing("simplex", "Four triangles of distributions over three labels", *figures)]


def _rates(payloads: Sequence[Payload], readings: Sequence[Reading]) -> list[Drawing]:
    alt = "Errors against the number of rows on four laws of sets, with the slopes of the theory"
    found = collected_rates(payloads)
    figures = (theory_rates_figure(found, narrow=narrow) for narrow in (False, True))
    return [Drawing("rates", alt, *figures)]
