"""
Half-filled tags
================

An empty cell is not a "no", and if we leave it open, the other rows fill it in.

A table has a column for each tag: 1, 0, or empty (NaN). Many people fill the empty cells with 0
before training. We compare that with keeping them open.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification

from disambig import PartialMultilabelClassifier

X, tags = make_multilabel_classification(
    500, 15, n_classes=5, n_labels=2, length=100, random_state=0
)
rng = np.random.default_rng(0)
train, test = slice(0, 200), slice(200, None)


def model() -> PartialMultilabelClassifier:
    """The estimator of tags."""
    return PartialMultilabelClassifier()


# %%
# More and more cells are empty. Both methods see the same table; one of them reads empty as "no".

levels = [0.0, 0.3, 0.6]
errors = {"left open": [], "filled with 0": []}
for level in levels:
    sheet = tags[train].astype(float)
    sheet[rng.uniform(size=sheet.shape) < level] = np.nan
    kept = model().fit(X[train], sheet)
    filled = model().fit(X[train], np.nan_to_num(sheet)) if level else kept
    for name, fitted in (("left open", kept), ("filled with 0", filled)):
        errors[name].append((fitted.predict(X[test]) != tags[test]).mean())

print("Share of wrong tags on new rows")
print("empty cells  ", *(f"{level:6.0%}" for level in levels))
for name, values in errors.items():
    print(f"{name:13}", *(f"{value:6.1%}" for value in values))

# %%
# ``labels_`` are the completed tags, and ``predict_proba`` has the probability of each tag. The
# observed cells stay as they are.

hidden = np.isnan(sheet)
recovered = (kept.labels_ == tags[train])[hidden].mean()
print(f"Empty cells that are filled in rightly at the last level: {recovered:.1%}")

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
ax.plot(levels, errors["left open"], "o-", color="#0072B2", label="empty cells left open")
ax.plot(levels, errors["filled with 0"], "s-", color="#E69F00", label='empty cells read as "no"')
ax.set(
    xlabel="share of empty cells",
    ylabel="share of wrong tags on new rows",
    ylim=(0, None),
    title='An empty cell is not a "no"',
)
ax.xaxis.set_major_formatter("{x:.0%}")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.legend()
plt.show()
