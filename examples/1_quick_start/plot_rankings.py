"""
A half-known ranking
====================

From a few comparisons a person, we can tell the whole ranking, also for people who said nothing.

Each row has an order of five drinks, of which we see only some places. Here it depends on two
features, and about half of the ranks are missing (NaN).
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import PartialRanker
from disambig.metrics import kendall_tau

rng = np.random.default_rng(0)
drinks = ["tea", "coffee", "juice", "milk", "water"]
X = rng.uniform(-1, 1, (260, 2))
taste = X @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=5)
ranks = (-taste).argsort(axis=1).argsort(axis=1).astype(float)

known = ranks.copy()
known[rng.uniform(size=ranks.shape) < 0.5] = np.nan
train, test = slice(0, 160), slice(160, None)

# %%
# A row with a single known rank compares nothing; the others compare the drinks that they rank.

print("The first row, drinks in the order of", drinks)
print(known[0], "of the true ranks", ranks[0])
ranker = PartialRanker(items=drinks).fit(X[train], known[train])
print("The first row, completed:", " > ".join(ranker.predict_order(X[:1])[0]))

# %%
# Kendall's tau is 1 for the right order, 0 for a random one and -1 for the reverse. For comparison:
# the same fit from complete rankings, and the most popular order for everybody.

full = PartialRanker(items=drinks).fit(X[train], ranks[train])
popular = np.tile(np.nanmean(known[train], axis=0).argsort().argsort(), (100, 1))
taus = {
    "most popular order": kendall_tau(ranks[test], popular),
    "half of the ranks": kendall_tau(ranks[test], ranker.predict(X[test])),
    "all ranks": kendall_tau(ranks[test], full.predict(X[test])),
}
for name, tau in taus.items():
    print(f"{name}: Kendall's tau {tau:.2f} on new rows")

# %%
# Half of the ranks are nearly as good as all of them here, because the order depends smoothly on
# the inputs. Where it does not, nothing can complete it.

figure, ax = plt.subplots(figsize=(6.5, 2.8), layout="constrained")
bars = ax.barh(list(taus), list(taus.values()), color=["0.7", "#0072B2", "0.45"])
ax.bar_label(bars, fmt="%.2f", padding=4)
ax.set(
    xlabel="Kendall's tau on new rows",
    xlim=(0, 1.08),
    title="Half of the ranks are nearly as good as all of them",
)
plt.show()
