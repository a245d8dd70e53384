"""Why averages of candidates mislead, and disambiguation does not: two problems, two pictures.

Numbers: every interval reaches farther up than down, so that its middle is above the truth.
Labels: rows of one class mostly say "a or b", rows of the other always say "b". Both methods use
the same votes; only what is voted for differs.

    python docs/figures/averaging.py [--out docs/figures]
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.weights import KernelRidgeWeights, NeighborWeights

# Colours of Okabe and Ito, which colour-blind readers can distinguish.
COLOURS = {"average": "#D55E00", "disambiguation": "#0072B2"}
SIZES = (10, 20, 40, 80, 160, 320, 640)
SEEDS = range(10)


def skewed_intervals(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A wave whose intervals reach ten times as far up as down."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(size=n_rows))[:, None]
    truth = np.sin(6 * x[:, 0])
    down, up = rng.exponential(0.1, n_rows), rng.exponential(1.0, n_rows)
    return x, np.column_stack([truth - down, truth + up])


def fitted(x: np.ndarray, y: np.ndarray, method: str) -> IntervalRegressor:
    weights = KernelRidgeWeights(regularization=1e-4, intercept=True)
    return IntervalRegressor(weights, method=method, margin=0.0).fit(x, y)


def draw_numbers(fit: Axes, curve: Axes) -> dict[str, list[float]]:
    """Mean absolute errors on a grid, by method, for each number of rows."""
    grid = np.linspace(0, 1, 300)[:, None]
    wave = np.sin(6 * grid[:, 0])
    x, y = skewed_intervals(80, 0)
    fit.vlines(x[:, 0], *y.T, color="0.8", linewidth=1.5, label="intervals (the data)")
    fit.plot(grid, wave, color="0.2", linestyle="--", label="truth (hidden)")
    errors = {}
    for method, colour in COLOURS.items():
        fit.plot(grid, fitted(x, y, method).predict(grid), color=colour, label=method)
        table = [
            [
                np.abs(fitted(*skewed_intervals(n, seed), method).predict(grid) - wave).mean()
                for seed in SEEDS
            ]
            for n in SIZES
        ]
        errors[method] = [round(float(np.mean(row)), 3) for row in table]
        curve.loglog(SIZES, errors[method], color=colour, marker="o", label=method)
    fit.set(title="80 intervals that reach up", xlabel="input", ylabel="number")
    fit.legend(fontsize=8)
    curve.set(title="More rows help one of them", xlabel="rows", ylabel="mean absolute error")
    curve.set(xticks=SIZES, xticklabels=map(str, SIZES))
    curve.set(yticks=(0.03, 0.1, 0.3), yticklabels=("0.03", "0.1", "0.3"))
    curve.minorticks_off()
    curve.legend(fontsize=8)
    return errors


def draw_labels(panels: list[Axes]) -> dict[str, float]:
    """The share of right predictions at 2000 new inputs, by method."""
    X, truth = make_moons(600, noise=0.08, random_state=0)
    also_b = np.random.default_rng(0).uniform(size=600) < 0.9
    # Columns: may be a, may be b.
    mask = np.column_stack([truth == 0, (truth == 1) | also_b])
    new, new_truth = make_moons(2000, noise=0.08, random_state=1)
    kinds = [
        (mask.all(axis=1), "0.8", "a or b"),
        (~mask[:, 1], "#009E73", "a"),
        (~mask[:, 0], "#CC79A7", "b"),
    ]
    for rows, colour, name in kinds:
        panels[0].scatter(*X[rows].T, s=9, color=colour, label=f"{name}: {rows.sum()} rows")
    panels[0].set_title("The data: 600 sets")
    panels[0].legend(fontsize=8, loc="upper right")
    shares = {}
    for panel, method in zip(panels[1:], COLOURS, strict=True):
        weights = NeighborWeights(n_neighbors=10)
        model = PartialLabelClassifier(weights, method=method, classes=["a", "b"]).fit(X, mask)
        predicted = model.predict(new)
        shares[method] = float((predicted == np.array(["a", "b"])[new_truth]).mean())
        for name, colour in [("a", "#009E73"), ("b", "#CC79A7")]:
            panel.scatter(*new[predicted == name].T, s=4, color=colour)
        panel.set_title(f"{method}: {100 * shares[method]:.1f} % right")
    for panel in panels:
        panel.set(xticks=[], yticks=[], xlim=(-1.4, 2.4), ylim=(-0.85, 1.4))
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="docs/figures")
    folder = Path(parser.parse_args().out)
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    print("rows", SIZES, draw_numbers(*figure.subplots(1, 2)))
    figure.savefig(folder / "averaging_numbers.png", dpi=100)
    figure = Figure(figsize=(10, 3.3), layout="constrained")
    print(draw_labels(list(figure.subplots(1, 3))))
    figure.savefig(folder / "averaging_labels.png", dpi=100)


if __name__ == "__main__":
    main()
