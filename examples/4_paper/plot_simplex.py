"""
One input, three labels
=======================

If every set contains "c" and "c" costs least, the prediction should be "c".

The distributions over three labels form a triangle. A loss divides it into regions, one for each
best prediction; the frequencies of candidate sets allow a part of it. Disambiguation takes the
allowed distribution of the smallest expected loss. In the example of the paper's appendix every set
contains "c", and yet "a" is best under the average of the sets. ``disambig reproduce simplex``
draws the objectives, too; change the loss and the sets below to try others.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import LabelSets
from disambig.losses import MatrixLoss
from disambig.theory import compatible_distributions, decision_regions

sets = LabelSets.from_any([{"a", "b", "c"}, {"c"}, {"a", "c"}, {"b", "c"}])
shares = np.array([5, 1, 1, 1]) / 8
loss = MatrixLoss([[0, 1, 1], [1, 0, 2], [1, 2, 0]]).bind(sets.classes)

# %%
# Which distributions do the sets allow, and what does each prediction cost at best?

compatible = compatible_distributions(sets, shares)
expected = loss.matrix @ compatible.vertices.T
infimum = expected.min(axis=1)
best = infimum.argmin()
chosen = compatible.vertices[expected[best].argmin()]
averaged = (loss.matrix @ compatible.average).argmin()
print("Allowed distributions, the vertices:", compatible.vertices.tolist())
print("Average of the sets:", compatible.average.round(3).tolist())
for name, value in zip(loss.predictions, infimum, strict=True):
    print(f"Infimum loss of {str(name)!r}: {value:.3f}")
print(f"Disambiguated: {str(loss.predictions[best])!r}", end=", ")
print(f"from the average of the sets: {str(loss.predictions[averaged])!r}")

# %%
# The average lies inside of what is allowed, in the region where "a" is best. Disambiguation goes
# to the vertex where the loss is smallest, in the region of "c".

label_places = np.array([[0, 0], [0.5, np.sqrt(0.75)], [1, 0]])
colours = ["#0072B2", "#E69F00", "#009E73"]


def outline(distributions: np.ndarray) -> np.ndarray:
    """The vertices of a convex polygon in the plane, in the order of their angles."""
    places = distributions @ label_places
    x, y = (places - places.mean(axis=0)).T
    return places[np.arctan2(y, x).argsort()]


figure, ax = plt.subplots(figsize=(6.6, 5), layout="constrained")
for region in decision_regions(loss):
    polygon = outline(region.vertices)
    name = loss.predictions[region.prediction]
    ax.fill(*polygon.T, color=colours[region.prediction], alpha=0.25, label=f'"{name}" is best')
    ax.plot(*polygon[[*range(len(polygon)), 0]].T, color="0.3", linewidth=0.8)
ax.fill(*outline(compatible.vertices).T, facecolor="none", hatch="///", label="allowed by the sets")
ax.plot(*(compatible.average @ label_places), "s", color="black", label="average of the sets")
ax.plot(*(chosen @ label_places), "*", color="black", markersize=16, label="disambiguated")
for name, place in zip(loss.classes, label_places, strict=True):
    outside = 1.08 * (place - label_places.mean(axis=0)) + label_places.mean(axis=0)
    ax.text(*outside, name, ha="center", va="center", fontsize="large")
ax.set_aspect("equal")
ax.set_title(
    f'Disambiguation predicts "{loss.predictions[best]}", '
    f'the average of the sets "{loss.predictions[averaged]}"',
    pad=16,
)
ax.set_axis_off()
ax.legend(loc="upper left", bbox_to_anchor=(0.68, 1), frameon=False)
plt.show()
