"""
Ranking: the order of crossing lines
====================================

From pairs of neighbours in the order one can tell the whole order.

The paper's ranking figure: ten random lines, and at each input the order of their heights. Training
rows know only pairs of close items; the higher the level, the fewer. Disambiguation chooses one
order in each row, consistent with what is known. ``disambig reproduce ranking`` repeats it on forty
sets of lines, and chooses bandwidth and ridge.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import PartialRanker
from disambig.datasets import ScoreGapCorruption, make_ranking_lines
from disambig.metrics import pair_error
from disambig.weights import KernelRidgeWeights

levels = [0.5, 0.6, 0.7, 0.8, 0.9]
methods = {"disambiguation": "o-", "infimum": "^--", "average": "s-"}
colours = {"disambiguation": "#0072B2", "infimum": "#009E73", "average": "#E69F00"}
n_line_sets = 6

# %%
# All methods have the same votes: kernel ridge with one bandwidth and one ridge.

errors = {name: np.zeros((n_line_sets, len(levels))) for name in methods}
for seed in range(n_line_sets):
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(10, 2))
    train = make_ranking_lines(20, lines=lines, random_state=rng)
    test = make_ranking_lines(50, design="grid", lines=lines)
    for column, level in enumerate(levels):
        known = ScoreGapCorruption(level)(train.scores)
        for name in methods:
            weights = KernelRidgeWeights(bandwidth=1.0, regularization=1e-3)
            ranker = PartialRanker(weights, method=name, solver="alternating").fit(train.X, known)
            errors[name][seed, column] = pair_error(test.ranks, ranker.predict(test.X))

print("share of wrong pairs at new inputs")
print("level         ", *(f"{level:6.2f}" for level in levels))
for name, values in errors.items():
    print(f"{name:14}", *(f"{value:6.1%}" for value in values.mean(axis=0)))

# %%
# True as long as the known pairs form a chain. The more of it is missing, the more pairs are wrong,
# and then it pays to choose one order in each row: below that, all methods are equal.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for name, values in errors.items():
    spread = values.std(axis=0, ddof=1) / np.sqrt(n_line_sets)
    ax.errorbar(
        levels, values.mean(axis=0), spread, fmt=methods[name], color=colours[name], label=name,
        capsize=3,
    )  # fmt: skip
ax.set(
    xlabel="level: more pairs are hidden",
    ylabel="wrong pairs at new inputs",
    ylim=(0, None),
    title="Close pairs tell the order of distant ones",
)
ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
ax.legend()
plt.show()
