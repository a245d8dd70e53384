"""
Few labels on a manifold
========================

A few labels are enough, because the unlabeled rows show the shape of the classes.

A row without a label is a row whose set has all classes. Among 800 handwritten digits a few have a
label. Disambiguation then takes votes along a graph of neighbours, from labeled to unlabeled rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

from disambig import PartialLabelClassifier
from disambig.weights import LaplacianWeights

X, truth = load_digits(return_X_y=True)
X, truth = X[:800], truth[:800]
rng = np.random.default_rng(0)
# A random order in which every block of ten rows has each digit once.
by_digit = [rng.permutation(np.flatnonzero(truth == digit))[:9] for digit in range(10)]
order = np.array(by_digit).T.ravel()

# %%
# -1 marks rows without a label, as in scikit-learn. We compare with its label spreading and with a
# nearest neighbour that knows the labeled rows only.

spreading = LabelSpreading("knn", n_neighbors=10, alpha=0.9, max_iter=1000)
named = PartialLabelClassifier(LaplacianWeights(smoothing=100), method="average", unlabeled=-1)
right = {}
numbers = [30, 60, 90]
for number in numbers:
    y = np.full(len(X), -1)
    labeled = order[:number]
    y[labeled] = truth[labeled]
    rest = y < 0
    found = {
        "nearest labeled row": KNeighborsClassifier(1).fit(X[labeled], y[labeled]).predict(X),
        "label spreading": spreading.fit(X, y).transduction_,
        "disambig, default": PartialLabelClassifier(unlabeled=-1).fit(X, y).labels_,
        "disambig, Laplacian": named.fit(X, y).labels_,
    }
    for name, labels in found.items():
        right.setdefault(name, []).append((labels == truth)[rest].mean())

print("right labels of the unlabeled rows, by the number of labels")
print(f"{'':20}", *(f"{number:7}" for number in numbers))
for name, shares in right.items():
    print(f"{name:20}", *(f"{share:7.1%}" for share in shares))

# %%
# Partly true. The unlabeled rows help every method that uses them. But with three labels a class
# the default has little to choose by, and a named weighting, or label spreading, is better; with
# more labels the default catches up. And all of this needs classes that hardly touch, as digits do:
# where two clouds touch, votes along the graph pass from one to the other.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
styles = {
    "nearest labeled row": ("s:", "0.5"),
    "label spreading": ("^--", "#E69F00"),
    "disambig, default": ("o-", "#0072B2"),
    "disambig, Laplacian": ("D-", "#56B4E9"),
}
for name, (style, colour) in styles.items():
    ax.plot(numbers, right[name], style, color=colour, label=name)
ax.set_xticks(numbers)
ax.set(
    xlabel=f"labels, among {len(X)} images",
    ylabel="right labels of the other images",
    title="Unlabeled images help; the default needs some labels to choose",
)
ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
ax.legend()
plt.show()
