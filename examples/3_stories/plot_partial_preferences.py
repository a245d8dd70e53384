"""
Partial preferences
===================

People who name their favourites tell us the whole ranking.

Seven films; each person names the best one, two or three. A list of the best says that its films
come before all others, and nothing about the others. We learn orders from such lists, and predict
complete orders for new people.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import PartialOrders, PartialRanker
from disambig.metrics import kendall_tau
from disambig.weights import KernelRidgeWeights

rng = np.random.default_rng(0)
films = ["Alba", "Boreal", "Cinder", "Delta", "Ember", "Fjord", "Glade"]
n_train, n_test = 250, 200
X = rng.uniform(-1, 1, (n_train + n_test, 2))
# A taste that depends on the person, and noise that does not.
taste = np.sin(2 * X @ rng.normal(size=(2, 7)) + rng.uniform(0, 6, 7))
taste += rng.normal(0, 0.2, taste.shape)
order = (-taste).argsort(axis=1)
ranks = order.argsort(axis=1)
train, test = slice(0, n_train), slice(n_train, None)

# %%
# ``PartialOrders`` reads lists of the best; ``from_buckets`` and ``from_scores`` read other forms.

taus = {}
for k in (1, 2, 3, 6):
    lists = [[films[film] for film in best[:k]] for best in order[train]]
    known = PartialOrders.from_top_k(lists, items=films)
    ranker = PartialRanker(KernelRidgeWeights(bandwidth=0.7, regularization=1e-3)).fit(
        X[train], known
    )
    taus[k] = kendall_tau(ranks[test], ranker.predict(X[test]))
    if k == 3:
        print("The first person named", lists[0])
        print("and is given", " > ".join(ranker.predict_order(X[:1])[0]))
        print("The truth is", " > ".join(films[film] for film in order[0]))

# %%
# For comparison, one order for everybody: the most popular one, from complete lists.

popular = ranks[train].mean(axis=0).argsort().argsort()
for k, tau in taus.items():
    print(f"{k} named: Kendall's tau {tau:.2f} on new people")
base = kendall_tau(ranks[test], np.tile(popular, (n_test, 1)))
print(f"the most popular order: {base:.2f}")

# %%
# Partly true: a few favourites a person order the films well, because people with other favourites
# tell about the rest. But a film that hardly anybody names stays in doubt, and that costs: the
# curve rises with every name.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
ax.plot(list(taus), list(taus.values()), "o-", color="#0072B2", label="PartialRanker")
ax.axhline(base, color="0.5", linestyle=":", label="the most popular order for everybody")
ax.set_xticks(list(taus), [*map(str, list(taus)[:-1]), "all"])
ax.set(
    xlabel="favourites that each person names, of seven films",
    ylabel="Kendall's tau on new people",
    ylim=(0, 1),
    title="A few favourites order the films; more order them better",
)
ax.legend()
plt.show()
