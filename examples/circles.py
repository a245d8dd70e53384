"""Four labels are enough for two thousand points, if all points are disambiguated together.

Semi-supervised learning is the extreme case of candidate sets: an unlabeled row may have any label.
Here each of four circles has one labelled point. Disambiguation spreads the labels from neighbour
to neighbour around each circle. The infimum loss predicts every query by itself, so only the four
labelled points count.

    python examples/circles.py [--out docs/figures/circles.png]
"""

import argparse
import warnings

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from disambig import PartialLabelClassifier
from disambig.datasets import make_concentric_circles
from disambig.exceptions import InputShiftWarning
from disambig.weights import NadarayaWatsonWeights, NeighborWeights

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="circles.png")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    X, y, truth = make_concentric_circles(random_state=arguments.seed)
    # Disambiguation uses a graph of neighbours; predictions at new inputs use kernel smoothing.
    components = {
        "weights": NeighborWeights(n_neighbors=20),
        "predict_weights": NadarayaWatsonWeights(bandwidth=0.2),
        "classes": [1, 2, 3, 4],
    }
    together = PartialLabelClassifier(**components).fit(X, y)
    alone = PartialLabelClassifier(method="infimum", **components).fit(X, y)

    axis = np.linspace(-4.5, 4.5, 200)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    nearest = np.clip(np.rint(np.linalg.norm(grid, axis=1)), 1, 4)
    shares = {}
    figure = Figure(figsize=(12, 4.3), layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    labelled = y.sum(axis=1) == 1
    panels[0].scatter(*X[~labelled].T, s=2, color="0.6")
    panels[0].set_title(f"Given: {labelled.sum()} labels, {(~labelled).sum()} points without")
    for panel, model, name in [
        (panels[1], together, "Disambiguation"),
        (panels[2], alone, "Infimum loss"),
    ]:
        with warnings.catch_warnings():
            # Half of the grid lies off the circles, as predictions of it say.
            warnings.simplefilter("ignore", InputShiftWarning)
            predicted = model.predict(grid)
        shares[name] = (predicted == nearest).mean()
        panel.pcolormesh(
            axis,
            axis,
            predicted.reshape(200, 200),
            cmap=ListedColormap(COLOURS),
            vmin=0.5,
            vmax=4.5,
            alpha=0.75,
            rasterized=True,
        )
        panel.set_title(f"{name}: {shares[name]:.1%} as the nearest circle")
    for panel in panels:
        panel.scatter(
            *X[labelled].T,
            c=truth[labelled],
            cmap=ListedColormap(COLOURS),
            vmin=0.5,
            vmax=4.5,
            s=90,
            edgecolor="black",
            linewidth=1.2,
            zorder=3,
        )
        panel.set_aspect("equal")
        panel.set_xticks([])
        panel.set_yticks([])
    figure.savefig(arguments.out, dpi=110)

    right = (together.labels_ == truth).mean()
    print(f"Recovered labels that are right: {right:.1%} of {len(X)}, all decided:", end=" ")
    print(bool(together.decided_.all()))
    for name, share in shares.items():
        print(f"{name}: {share:.1%} of the grid as the nearest circle")
    print(f"Figure: {arguments.out}")


if __name__ == "__main__":
    main()
