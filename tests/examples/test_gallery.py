"""Every example of the gallery runs, prints and draws, and has the form that the gallery reads."""

import ast
import io
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
TIERS = ("1_quick_start", "2_choosing", "3_stories", "4_paper")
EXAMPLES = sorted(FOLDER.rglob("*.py"))
QUICK = {"plot_simplex", "plot_partial_preferences", "plot_when_to_trust"}


@pytest.fixture
def drawn() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.usefixtures("drawn")
# On machines with a screen; elsewhere matplotlib says nothing.
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive:UserWarning")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow)
        for path in EXAMPLES
    ],
)
def test_the_example_runs_prints_and_draws(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()
    assert not list(tmp_path.iterdir()), "an example leaves no files"
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        image = io.BytesIO()
        figure.savefig(image, format="png", dpi=40)
        titles = [ax.get_title(loc) for ax in figure.axes for loc in ("left", "center", "right")]
        assert any(titles) or figure.get_suptitle(), "a figure says what it shows"


def test_examples_are_in_the_tiers_and_are_run_by_the_gallery() -> None:
    assert {path.parent.relative_to(FOLDER).as_posix() for path in EXAMPLES} == set(TIERS)
    # The gallery runs the files of this pattern and only shows the others.
    assert all(path.name.startswith("plot_") for path in EXAMPLES)
    assert len({path.name for path in EXAMPLES}) == len(EXAMPLES)
    for folder in (FOLDER, *(FOLDER / tier for tier in TIERS)):
        title, line = (folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8").splitlines()[:2]
        assert len(line) == len(title), f"{folder}: the line under the title is as long as it"
    assert {path.stem for path in EXAMPLES} >= QUICK


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_has_the_form_of_the_gallery(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring is not None
    title, line, blank, *rest = docstring.splitlines()
    assert re.fullmatch("=+", line)
    assert len(line) == len(title)
    assert not blank
    first = "\n".join(rest).split("\n\n")[0].replace("\n", " ")
    assert re.fullmatch(r"[A-Z\"].*\.", first), "the first paragraph is the sentence to be shown"
    assert len(re.split(r"[.!?] ", first)) == 1, "one sentence"
    assert text.count("\n# %%\n") >= 2, "sections"
    assert text.rstrip().endswith("plt.show()")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_measured_shares_are_computed_and_not_written(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    comments = re.findall(r"^# (.+)$", text, flags=re.MULTILINE)
    prose = "\n".join([ast.get_docstring(ast.parse(text)) or "", *comments])
    assert not re.search(r"\d[.,]\d+ ?%", prose)
