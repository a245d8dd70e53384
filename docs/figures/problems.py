"""One small picture for each kind of problem: what is known in grey, what is right in colour.

python docs/figures/problems.py [--out docs/figures]
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from sklearn.datasets import make_moons

# Colours of Okabe and Ito, which colour-blind readers can distinguish.
RIGHT, OTHER, MAYBE = "#0072B2", "#D55E00", "0.85"


def chip(panel: Axes, x: float, y: float, text: str, is_right: bool) -> None:
    """A rounded box with a text."""
    box = FancyBboxPatch((x, y - 0.3), 1.3, 0.6, boxstyle="round,pad=0.05", linewidth=0, fc=MAYBE)
    if is_right:
        box.set(edgecolor=RIGHT, linewidth=2)
    panel.add_patch(box)
    panel.text(x + 0.65, y, text, ha="center", va="center", fontsize=9)


def one_of_several(panel: Axes) -> None:
    rows = [("cat", ["dog"]), ("cow", []), ("dog", ["cat", "cow"])]
    for y, (right, others) in enumerate(rows):
        panel.text(0, 2 - y, f"row {y}", fontsize=9, va="center")
        for k, name in enumerate(sorted([right, *others])):
            chip(panel, 1.2 + 1.6 * k, 2 - y, name, name == right)
    panel.set(xlim=(-0.1, 6), ylim=(-0.5, 2.5))


def tags(panel: Axes) -> None:
    table = ["✓✗??", "?✓✗?", "✗??✓"]
    truth = ["✓✗✓✗", "✓✓✗✗", "✗✗✓✓"]
    for k, name in enumerate(["rain", "city", "night", "people"]):
        panel.text(k + 0.5, 3.25, name, ha="center", fontsize=8)
    for y, (row, right) in enumerate(zip(table, truth, strict=True)):
        for k, (known, real) in enumerate(zip(row, right, strict=True)):
            panel.add_patch(Rectangle((k, 2 - y), 1, 1, fc="white", ec="0.7"))
            text = known if known != "?" else f"?  ({real})"
            colour = "0.2" if known != "?" else RIGHT
            panel.text(k + 0.5, 2.5 - y, text, ha="center", va="center", fontsize=9, color=colour)
    panel.set(xlim=(-0.8, 4.8), ylim=(-0.1, 3.6))


def bands(panel: Axes) -> None:
    rng = np.random.default_rng(3)
    x = np.linspace(0.05, 0.95, 14)
    truth = 1 + np.sin(5 * x)
    panel.vlines(
        x, truth - rng.exponential(0.25, 14), truth + rng.exponential(0.6, 14), "0.8", lw=5
    )
    panel.scatter(x, truth, s=16, color=RIGHT, zorder=3)
    panel.set(xlim=(0, 1))


def orders(panel: Axes) -> None:
    items = {"rock": (0.4, 1.6), "jazz": (2.2, 1.6), "folk": (4.0, 1.6), "soul": (2.2, 0.4)}
    for name, (x, y) in items.items():
        chip(panel, x, y, name, False)
    arrow = {"arrowstyle": "->", "lw": 1.5}
    for one, two in [("rock", "jazz"), ("jazz", "folk")]:
        start, end = items[one], items[two]
        panel.annotate("", (end[0] - 0.05, end[1]), (start[0] + 1.4, start[1]), arrowprops=arrow)
    places = {"arrowstyle": "->", "lw": 1.5, "linestyle": ":", "color": RIGHT}
    panel.annotate("", (2.85, 1.2), (2.85, 0.75), arrowprops=places)
    panel.text(3.05, 0.92, "before or after?", fontsize=8, color=RIGHT)
    panel.set(xlim=(0, 5.8), ylim=(-0.1, 2.1))


def few_labels(panel: Axes) -> None:
    X, truth = make_moons(200, noise=0.06, random_state=0)
    panel.scatter(*X.T, s=5, color="0.75")
    for kind, colour in enumerate((RIGHT, OTHER)):
        panel.scatter(*X[np.flatnonzero(truth == kind)[4]], s=60, color=colour, marker="D")
    panel.set(xlim=(-1.4, 2.4))


def bags(panel: Axes) -> None:
    rng = np.random.default_rng(1)
    for k, share in enumerate((0.2, 0.5, 0.8)):
        panel.add_patch(
            FancyBboxPatch((2 * k, 0), 1.5, 1.5, boxstyle="round,pad=0.05", fc="white", ec="0.6")
        )
        points = np.stack(np.meshgrid(np.arange(5), np.arange(4)), -1).reshape(-1, 2) * [0.33, 0.42]
        points = points + rng.uniform(0, 0.12, points.shape) + [2 * k + 0.05, 0.05]
        panel.scatter(*points.T, s=12, color="0.75")
        panel.text(2 * k + 0.75, 1.72, f"{100 * share:.0f} % yes", ha="center", fontsize=9)
    panel.set(xlim=(-0.2, 5.8), ylim=(-0.2, 2.0))


def structures(panel: Axes) -> None:
    words = ["the", "old", "man", "the", "boats"]
    known, right = ["det", "?", "?", "det", "noun"], ["det", "noun", "verb", "det", "noun"]
    for k, (word, tag, real) in enumerate(zip(words, known, right, strict=True)):
        panel.text(1.5 * k + 0.65, 1.3, word, ha="center", fontsize=9, style="italic")
        chip(panel, 1.5 * k, 0.6, tag if tag != "?" else f"?  ({real})", tag == "?")
    panel.set(xlim=(-0.2, 7.5), ylim=(0.1, 1.7))


def mixed(panel: Axes) -> None:
    rows = [
        ("“cat”", ["cat"], "cat"),
        ("“a mammal”", ["cat", "dog"], "dog"),
        ("“not a cat”", ["ant", "dog"], "ant"),
        ("nothing", ["ant", "cat", "dog"], "cat"),
    ]
    for y, (said, candidates, right) in enumerate(rows):
        panel.text(0, 3 - y, said, fontsize=9, va="center")
        for k, name in enumerate(candidates):
            chip(panel, 2.2 + 1.6 * k, 3 - y, name, name == right)
    panel.set(xlim=(-0.1, 7), ylim=(-0.5, 3.5))


PICTURES: dict[str, Callable[[Axes], None]] = {
    "labels": one_of_several,
    "tags": tags,
    "numbers": bands,
    "orders": orders,
    "few_labels": few_labels,
    "mixed": mixed,
    "bags": bags,
    "structures": structures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="docs/figures")
    folder = Path(parser.parse_args().out)
    for name, draw in PICTURES.items():
        figure = Figure(figsize=(3.6, 1.5), layout="constrained")
        panel = figure.add_subplot()
        draw(panel)
        panel.set_axis_off()
        figure.savefig(folder / f"problem_{name}.png", dpi=100)


if __name__ == "__main__":
    main()
