"""The ternary figure: regions, labels and level lines."""

import io
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from disambig.candidates import LabelSets
from disambig.losses import AbstainLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from reproduce.figures import plot_decision_regions, simplex_figure
from reproduce.simplex import SimplexPicture, paper_example, simplex_picture

LABELS = np.array(["a", "b", "c"])
LOSSES = {
    "zero-one": ZeroOneLoss().bind(LABELS),
    "squared": OrdinalLoss(power=2).bind(LABELS),
    "abstain": AbstainLoss(0.4).bind(LABELS),
    "nothing to pay": MatrixLoss(np.zeros((3, 3))).bind(LABELS),
    "negative": MatrixLoss(-np.eye(3)).bind(LABELS),
    # "never" is never best; "tie" is best only where others are, too.
    "idle": FiniteLoss(
        np.array([[0.0, 1, 1], [1, 0, 1], [1, 1, 0], [9, 9, 9], [0.5, 0.5, 1]]),
        np.array(["a", "b", "c", "never", "tie"]),
        LABELS,
    ),
}


@pytest.fixture(scope="module")
def picture() -> SimplexPicture:
    return simplex_picture(*paper_example(), steps=30)


def area(vertices: np.ndarray) -> float:
    x, y = np.asarray(vertices).T
    return abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2


def test_regions_fill_the_triangle_once(picture: SimplexPicture) -> None:
    ax = plot_decision_regions(picture)
    *regions, triangle = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    areas = [area(region.get_xy()[:-1]) for region in regions]
    whole = area(triangle.get_xy()[:-1])
    np.testing.assert_allclose(np.array(areas) / whole, [1 / 2, 1 / 4, 1 / 4])


def test_every_region_and_every_vertex_is_named(picture: SimplexPicture) -> None:
    figure = Figure()
    ax = plot_decision_regions(picture, figure.add_subplot())
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c"] * 2
    assert ax.figure is figure


def test_the_figure_has_titles_and_a_legend(picture: SimplexPicture) -> None:
    figure = simplex_figure(picture, title="a title")
    titles = [ax.get_title() for ax in figure.axes[:4]]
    assert titles[1] == "Compatible distributions"
    assert titles[2].startswith("Disambiguation")
    assert titles[3].startswith("Quadratic form")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "average of the sets: predict a" in texts
    assert "disambiguated: predict c" in texts
    assert "infimum loss of b: 0.375" in texts
    assert figure.axes[4].get_ylabel() == "expected loss"


def test_on_narrow_screens_panels_are_above_each_other(picture: SimplexPicture) -> None:
    figure = simplex_figure(picture, narrow=True)
    figure.savefig(io.BytesIO(), format="png")
    panels = [ax.get_position() for ax in figure.axes[:4]]
    assert all(above.y0 > below.y1 for above, below in pairwise(panels))
    assert figure.axes[4].get_xlabel() == "expected loss"
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    wide = [text.get_text() for text in simplex_figure(picture).legends[0].get_texts()]
    assert sorted(texts) == sorted(wide)


def test_the_objective_has_the_value_of_its_level_lines(picture: SimplexPicture) -> None:
    """The first objective is evaluated along its drawn line of level 0.5."""
    figure = simplex_figure(picture)
    lines = figure.axes[2].collections[-1]
    level = int(np.abs(lines.levels - 0.5).argmin())
    places = lines.get_paths()[level].vertices
    assert len(places) > 10
    vertices = np.array([[0, 0, 1], [0.5, np.sqrt(0.75), 1], [1, 0, 1]])
    mu = np.column_stack([places, np.ones(len(places))]) @ np.linalg.inv(vertices)
    values = (mu @ picture.loss.matrix.T).min(axis=1)
    # Lines are interpolated between the points of a coarse grid.
    np.testing.assert_allclose(values, lines.levels[level], atol=1 / 30)
    assert lines.levels[level] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_any_loss_on_three_labels_can_be_drawn(name: str) -> None:
    sets = LabelSets.from_any([{"a", "c"}, {"b", "c"}, "a"], classes=LABELS)
    figure = simplex_figure(simplex_picture(LOSSES[name], sets, steps=20))
    assert len(figure.axes) == (5 if len(LOSSES[name].matrix) == 3 else 4)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=40)
    assert drawn.tell() > 1000


def test_ties_are_named() -> None:
    sets = LabelSets.from_any([{"a", "c"}, {"a", "c"}], classes=LABELS)
    figure = simplex_figure(simplex_picture(LOSSES["zero-one"], sets, steps=20))
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "disambiguated: predict a or c" in texts


def test_pyplot_is_not_imported() -> None:
    code = (
        "import sys; from reproduce.simplex import paper_example, simplex_picture; "
        "from reproduce.figures import simplex_figure; "
        "simplex_figure(simplex_picture(*paper_example(), steps=9)); "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
