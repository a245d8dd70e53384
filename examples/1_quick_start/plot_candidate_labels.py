"""
Candidate labels in ten lines
=============================

If each flower comes with a few possible species, one of them right, we can tell which one it is.

Here a flower has its true species and, for each of the other two, an even chance of a "maybe". One
call chooses a species in every set, for all flowers together, and learns to predict.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from disambig import PartialLabelClassifier

X, species = load_iris(return_X_y=True)
rng = np.random.default_rng(0)
maybe = (species[:, None] == np.arange(3)) | (rng.uniform(size=(150, 3)) < 0.5)

model = PartialLabelClassifier().fit(X, maybe)

# %%
# ``labels_`` are the recovered species, ``confidence_`` says how sure each one is, and ``predict``
# takes new flowers. We know the truth here, so we can count. Guessing in each set is the baseline.

guess = (1 / maybe.sum(axis=1)).mean()
is_right = model.labels_ == species
print(f"Rows with more than one candidate: {(maybe.sum(axis=1) > 1).sum()} of {len(X)}")
print(f"Right labels by a guess in each set: {guess:.1%}")
print(f"Right labels, recovered: {is_right.mean():.1%}")
print(f"Mean confidence: {model.confidence_.mean():.1%}")
print("The first flower:", np.flatnonzero(maybe[0]), "->", model.labels_[0])

# %%
# Left, what we had: how many species each flower may be. Right, what we have now. Crosses mark the
# wrong labels: they lie where two species overlap, and there the sets are all the information.

COLOURS = np.array(["#0072B2", "#E69F00", "#009E73"])
figure, (before, after) = plt.subplots(
    1, 2, figsize=(9, 4), sharex=True, sharey=True, layout="constrained"
)
for size, shade in ((1, "0.15"), (2, "0.55"), (3, "0.85")):
    rows = maybe.sum(axis=1) == size
    name = f"{size} candidate" + "s" * (size > 1)
    before.scatter(X[rows, 2], X[rows, 3], c=shade, s=22, label=f"{name} ({rows.sum()} rows)")
before.set(title="Given: sets", xlabel="petal length (cm)", ylabel="petal width (cm)")
before.legend(loc="upper left")
after.scatter(X[:, 2], X[:, 3], c=COLOURS[model.labels_], s=22)
after.scatter(X[~is_right, 2], X[~is_right, 3], c="black", marker="x", s=60, label="wrong")
after.set(title=f"Recovered: {is_right.mean():.1%} are right", xlabel="petal length (cm)")
after.legend(loc="upper left")
plt.show()
