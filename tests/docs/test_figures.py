"""The scripts in docs/figures draw what the pages show, and compute what they say."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "figures" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", script("problems").PICTURES)
def test_pictures_of_problems_are_drawn_and_shown(name: str) -> None:
    panel = Figure().add_subplot()
    script("problems").PICTURES[name](panel)
    assert panel.has_data() or panel.patches or panel.texts
    assert (DOCS / "figures" / f"problem_{name}.png").is_file()
    page = (DOCS / "which_problem.md").read_text(encoding="utf-8")
    assert f"(figures/problem_{name}.png)" in page


def test_labels_of_the_page_about_averages_are_as_it_says() -> None:
    shares = script("averaging").draw_labels(list(Figure().subplots(1, 3)))
    page = (DOCS / "why.md").read_text(encoding="utf-8")
    assert f"{100 * shares['average']:.0f} % of new inputs are right" in page
    assert shares["disambiguation"] == 1.0


@pytest.mark.slow
def test_numbers_of_the_page_about_averages_are_as_it_says() -> None:
    errors = script("averaging").draw_numbers(*Figure().subplots(1, 2))
    page = re.sub(r"\s+", " ", (DOCS / "why.md").read_text(encoding="utf-8"))
    said = re.search(
        r"mean absolute error is (\.\d+), and with 640 rows it is (\.\d+)\. "
        r"Disambiguation goes from (\.\d+) to (\.\d+),",
        page,
    )
    assert said is not None
    computed = [errors[m][k] for m in ("average", "disambiguation") for k in (0, -1)]
    assert computed == pytest.approx([float(number) for number in said.groups()], abs=0.006)
