"""
A boosted model, a forest or a network as member
================================================

Any classifier of scikit-learn can be trained on sets as if the labels were known.

``DisambiguatedClassifier`` starts from recovered labels, or from averages, and alternates: models
that were trained on the other folds choose the label of a row, as long as this improves how other
sets are predicted. Here two of eight features determine the class and the others are noise,
which is hard for votes by distance and easy for trees.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier

from disambig import DisambiguatedClassifier
from disambig.datasets import UniformCorruption

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (800, 8))
truth = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
train, test = slice(0, 300), slice(300, None)
sets = UniformCorruption(0.5)(truth[train], random_state=0)

classifiers = {
    "boosting": HistGradientBoostingClassifier(max_iter=12, max_depth=3, random_state=0),
    "forest": RandomForestClassifier(40, min_samples_leaf=2, random_state=0),
    "network": MLPClassifier((30,), learning_rate_init=0.02, tol=5e-3, random_state=0),
}

# %%
# Three ways to train each of them: on a random candidate of each row, in alternation, and on the
# truth. All candidates in equal parts start the alternation, so no votes are needed.

accuracy = {}
chosen = [rng.choice(np.flatnonzero(row)) for row in sets.mask[train]]
for name, classifier in classifiers.items():
    alternating = DisambiguatedClassifier(classifier, start="average", max_iter=2, cv=3)
    accuracy[name] = (
        classifier.fit(X[train], chosen).score(X[test], truth[test]),
        alternating.fit(X[train], sets).score(X[test], truth[test]),
        classifier.fit(X[train], truth[train]).score(X[test], truth[test]),
    )
    print(
        f"{name}: new rows right {accuracy[name][0]:.1%} from a random candidate, "
        f"{accuracy[name][1]:.1%} from sets, {accuracy[name][2]:.1%} from the truth"
    )

# %%
# Sets are worth much more than a random candidate. They are not worth the truth for every model:
# trees lose little here, and the network, which needs more rows for the noise, loses most.

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ways = {"random candidate": "#E69F00", "sets, in alternation": "#0072B2", "truth": "0.6"}
for column, (way, colour) in enumerate(ways.items()):
    values = [triple[column] for triple in accuracy.values()]
    bars = ax.bar(np.arange(3) + 0.27 * (column - 1), values, 0.25, color=colour, label=way)
    ax.bar_label(bars, [f"{value:.0%}" for value in values], fontsize="small", padding=2)
ax.set_xticks(range(3), list(accuracy))
ax.set(ylabel="new rows right", ylim=(0, 1.3), title="Any classifier can be trained on sets")
ax.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
ax.legend(ncols=3, loc="upper center")
plt.show()
