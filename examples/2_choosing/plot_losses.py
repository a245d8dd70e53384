"""
Which loss?
===========

A loss says what an error costs, so another loss gives another prediction from the same votes.

Three losses on the same sets: 0-1 (every error costs the same), a loss that allows to abstain, and
ordinal costs (an error costs the distance between the classes). The classes are five age groups,
and the features tell them apart only roughly.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.losses import AbstainLoss, OrdinalLoss
from disambig.weights import NeighborWeights

groups = np.arange(5)
rng = np.random.default_rng(0)
age = rng.uniform(0, 5, 800)
truth = age.astype(int)
# How old a person looks: unsure, and in one group of ten completely misleading.
looks = np.where(rng.uniform(size=800) < 0.1, rng.uniform(0, 5, 800), age + rng.normal(0, 0.5, 800))
X = np.column_stack([looks, looks + rng.normal(0, 0.3, 800)])
train, test = slice(0, 400), slice(400, None)
sets = UniformCorruption(0.4)(truth[train], random_state=0)

# %%
# The weighting is the same for all three. Only the loss changes.

losses = {
    "0-1": "zero_one",
    "abstain at a cost of 0.4": AbstainLoss(0.4),
    "ordinal": OrdinalLoss(),
}
found = {}
for name, loss in losses.items():
    model = PartialLabelClassifier(NeighborWeights(20), loss=loss, classes=groups)
    model.fit(X[train], sets)
    predictions = model.predict(X[test])
    answered = np.isin(predictions, groups)
    distance = np.abs(predictions[answered].astype(int) - truth[test][answered])
    found[name] = np.bincount(distance, minlength=5), (~answered).sum()
    wrong = (distance > 0).mean()
    print(
        f"{name}: answers {answered.mean():.1%} of the new rows; of these {wrong:.1%} are wrong, "
        f"by {distance.mean():.2f} groups on average"
    )

# %%
# Who may abstain is wrong less often where it answers. Ordinal costs are about being far off: the
# prediction moves to the middle of the doubt. Costs along a taxonomy (``HierarchicalLoss``) and any
# matrix (``loss=[[...]]``) work in the same way. The gain is as large as the doubt: where votes
# agree, all losses predict the same.

COLOURS = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00"]
parts = ["right", "one group off", "two groups off", "further off"]
figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
for row, (counts, abstained) in enumerate(found.values()):
    left = 0
    for part, count, colour in zip(parts, [*counts[:3], counts[3:].sum()], COLOURS, strict=True):
        ax.barh(row, count, left=left, color=colour, label=part if row == 0 else None)
        left += count
    ax.barh(row, abstained, left=left, color="0.85", label="no answer" if row == 0 else None)
ax.set_yticks(range(len(found)), list(found))
ax.invert_yaxis()
ax.set(xlabel="new rows", title="The same votes, three losses")
ax.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.45, -0.2), frameon=False)
plt.show()
