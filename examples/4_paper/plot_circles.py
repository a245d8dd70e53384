"""
Four labels for two thousand points
===================================

Four labels are enough for two thousand points, if all points are disambiguated together.

Semi-supervised learning is the extreme case of candidate sets: an unlabeled row may have any label.
Here each of four circles has one labeled point. Disambiguation spreads the labels from neighbour to
neighbour around each circle. The infimum loss predicts every input by itself, so only the four
labeled points count. ``disambig reproduce semi-supervised`` repeats it on forty seeds.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from disambig import PartialLabelClassifier
from disambig.datasets import make_concentric_circles
from disambig.exceptions import InputShiftWarning
from disambig.weights import NadarayaWatsonWeights, NeighborWeights

X, y, truth = make_concentric_circles(random_state=0)
labeled = y.sum(axis=1) == 1

# %%
# Disambiguation uses a graph of neighbours; predictions at new inputs use kernel smoothing.

components = {
    "weights": NeighborWeights(n_neighbors=20),
    "predict_weights": NadarayaWatsonWeights(bandwidth=0.2),
    "classes": [1, 2, 3, 4],
}
together = PartialLabelClassifier(**components).fit(X, y)
alone = PartialLabelClassifier(method="infimum", **components).fit(X, y)
print(f"Recovered labels that are right: {(together.labels_ == truth).mean():.1%} of {len(X)}")
print("All of them decided:", bool(together.decided_.all()))

# %%
# Predictions on a grid are compared with the nearest circle. Half of the grid lies off the circles,
# as a warning of ``predict`` says; here that is intended. At the outside the predictions are those
# of the few nearest points, so the sentence holds for the points, and roughly for the plane.

axis = np.linspace(-4.5, 4.5, 150)
grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
nearest = np.clip(np.rint(np.linalg.norm(grid, axis=1)), 1, 4)

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
colours = {
    "cmap": ListedColormap(["#0072B2", "#E69F00", "#009E73", "#CC79A7"]),
    "vmin": 0.5,
    "vmax": 4.5,
}
figure, panels = plt.subplots(1, 3, figsize=(12, 4.3), sharex=True, sharey=True)
figure.set_layout_engine("constrained")
panels[0].scatter(*X[~labeled].T, s=2, color="0.6")
panels[0].set_title(f"Given: {labeled.sum()} labels, {(~labeled).sum()} points without")
for panel, model, name in (
    (panels[1], together, "Disambiguation"),
    (panels[2], alone, "Infimum loss"),
):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputShiftWarning)
        predicted = model.predict(grid)
    share = (predicted == nearest).mean()
    print(f"{name}: {share:.1%} of the grid as the nearest circle")
    image = predicted.reshape(len(axis), -1)
    panel.pcolormesh(axis, axis, image, alpha=0.75, rasterized=True, **colours)
    panel.set_title(f"{name}: {share:.1%} as the nearest circle")
for panel in panels:
    panel.scatter(*X[labeled].T, c=truth[labeled], s=90, edgecolor="black", **colours)
    panel.set(aspect="equal", xticks=[], yticks=[])
plt.show()
