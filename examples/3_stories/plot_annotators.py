"""
Several annotators
==================

Keep everything that the annotators said, and the inputs decide better than a vote among people.

Three annotators look at each image. Each is wrong in a third of the cases, and then names one of
the two digits that look most like the true one. A majority vote keeps one label; the union of what
was said keeps the truth far more often, and disambiguation decides inside it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from disambig import PartialLabelClassifier
from disambig.trust import combine_annotations

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
rng = np.random.default_rng(0)
mean_image = np.array([X[truth == digit].mean(axis=0) for digit in range(10)])
distance = ((mean_image[:, None] - mean_image) ** 2).sum(axis=2)
look_alikes = distance.argsort(axis=1)[:, 1:3]


def annotator() -> np.ndarray:
    """What one annotator says of all images."""
    slip = look_alikes[truth, rng.integers(2, size=len(truth))]
    return np.where(rng.uniform(size=len(truth)) < 1 / 3, slip, truth)


said = np.column_stack([annotator() for _ in range(3)])
print("The first three images:", said[:3].tolist(), "of the digits", truth[:3].tolist())

# %%
# ``combine_annotations`` makes one set for each row. Rules differ in how often the set contains the
# truth, and in how large it is.

right = {}
for rule in ("majority", "union", "shares"):
    sets = combine_annotations(said, rule, classes=range(10))
    contains = sets.mask[np.arange(len(truth)), truth].mean()
    labels = PartialLabelClassifier().fit(X, sets).labels_
    right[rule] = (labels == truth).mean()
    print(
        f"{rule}: {contains:.1%} of the sets contain the truth, {sets.mask.sum(axis=1).mean():.2f} "
        f"labels on average; {right[rule]:.1%} of the recovered labels are right"
    )
alone = np.mean(said == truth[:, None])
print(f"One annotator alone: {alone:.1%} right")

# %%
# "shares" has the same candidates as "union", with the number of votes as weights. No rule saves a
# row about which all annotators agree on a wrong label: such sets miss the truth, and the example
# about wrong sets deals with them.

bars = {
    "one annotator": alone,
    "majority, its ties disambiguated": right["majority"],
    "union, disambiguated": right["union"],
    "shares, disambiguated": right["shares"],
}
figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
drawn = ax.barh(list(bars), list(bars.values()), color=["0.8", "0.6", "#0072B2", "#56B4E9"])
ax.bar_label(drawn, [f"{share:.1%}" for share in bars.values()], padding=4)
ax.invert_yaxis()
ax.set(xlabel="right labels", xlim=(0, 1.12), title="Three annotators, each wrong in a third")
ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
plt.show()
