"""
Half-filled tag sheets
======================

If each volunteer fills in one column of the sheet, the table is as good as complete.

Handwritten digits, and four tags: has a closed loop, is even, is at least five, has a straight
stroke. Each image was shown to one volunteer, who looked at a single tag. So three quarters of the
cells are empty, and no image has two tags.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialMultilabelClassifier

images, digit = load_digits(return_X_y=True)
images, digit = images[:500], digit[:500]
tags = {
    "loop": np.isin(digit, [0, 6, 8, 9]),
    "even": digit % 2 == 0,
    "five or more": digit >= 5,
    "straight": np.isin(digit, [1, 4, 5, 7]),
}
truth = np.column_stack(list(tags.values())).astype(float)
rng = np.random.default_rng(0)
sheet = np.full(truth.shape, np.nan)
shown = rng.integers(4, size=len(truth))
sheet[np.arange(len(truth)), shown] = truth[np.arange(len(truth)), shown]
print("The first three lines of the sheet:", *sheet[:3].tolist(), sep="\n  ")

# %%
# The default completes the sheet. The alternatives: the most frequent value of each column, and a
# logistic regression for each column, trained on the rows that have it.

model = PartialMultilabelClassifier().fit(images, sheet)
empty = np.isnan(sheet)
completed = {
    "most frequent value": np.tile(np.nanmean(sheet, axis=0) > 0.5, (len(truth), 1)),
    "logistic regression": np.column_stack(
        [
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            .fit(images[~empty[:, tag]], sheet[~empty[:, tag], tag])
            .predict(images)
            for tag in range(4)
        ]
    ),
    "disambig": model.labels_,
}
right = {}
for name, filled in completed.items():
    cells = (filled == truth) & empty
    right[name] = cells.sum(axis=0) / empty.sum(axis=0)
    print(f"{name}: {cells.sum() / empty.sum():.1%} of the empty cells are right")

# %%
# Not as good as complete, but most of the way. A tag by itself is what a regression learns, too;
# votes of similar images add to it, because images of the same digit share all their tags.

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for shift, (name, values), colour in zip(
    (-0.27, 0, 0.27), right.items(), ("0.7", "#E69F00", "#0072B2"), strict=True
):
    bars = ax.bar(np.arange(4) + shift, values, 0.25, color=colour, label=name)
    ax.bar_label(bars, [f"{value:.0%}" for value in values], fontsize="small", padding=2)
ax.set_xticks(range(4), list(tags))
ax.set(
    ylabel="empty cells that are right",
    ylim=(0, 1.3),
    title="One tag an image, and most of the other tags can be filled in",
)
ax.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
ax.legend(ncols=3, loc="upper center")
plt.show()
