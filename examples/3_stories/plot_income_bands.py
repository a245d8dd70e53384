"""
Incomes in bands
================

Asking for a band of income instead of the income costs hardly any accuracy.

People rather tick "30 to 45 thousand" than tell a number, and the highest band has no upper end.
We learn from the bands what income to expect, and compare with the exact incomes (which the survey
does not have) and with the usual repair: the middle of the band, and one and a half times the lower
end of the open one.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import IntervalRegressor
from disambig.datasets import BinCorruption

n, n_train = 500, 150
edges = np.array([15, 30, 45, 60])


def people(luck: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, expected incomes and incomes, in thousands a year.

    Logarithms of incomes are a function of schooling, age and part-time work, plus luck.
    """
    rng = np.random.default_rng(0)
    schooling = rng.integers(9, 21, n)
    age = rng.uniform(20, 65, n)
    part_time = rng.uniform(size=n) < 0.3
    logarithm = 1.8 + 0.09 * schooling + 0.9 * np.sin((age - 20) / 20) - 0.6 * part_time
    X = np.column_stack([schooling, age, part_time])
    return X, np.exp(logarithm), np.exp(logarithm + rng.normal(0, luck, n))


# %%
# Incomes multiply, so everything is in logarithms: the ends of the bands, too. No income is taken
# to be below two thousand.


def targets_of(income: np.ndarray) -> dict[str, np.ndarray]:
    """What each way of asking gives to learn from."""
    bands = BinCorruption(edges)(income)
    lower, upper = np.maximum(bands.lower[:, 0], 2), bands.upper[:, 0]
    middle = np.where(np.isinf(upper), 1.5 * lower, (lower + upper) / 2)
    return {
        "exact incomes": np.log(income),
        "middles of bands": np.log(middle),
        "bands": np.log(np.column_stack([lower, upper])),
    }


lucks = [0.03, 0.25]
errors = {}
for luck in lucks:
    X, expected, income = people(luck)
    counts = np.bincount(np.digitize(income[:n_train], edges))
    print(f"Luck {luck}: rows of the bands {counts.tolist()}")
    for name, y in targets_of(income[:n_train]).items():
        predicted = np.exp(IntervalRegressor().fit(X[:n_train], y).predict(X[n_train:]))
        error = np.abs(predicted / expected[n_train:] - 1).mean()
        errors.setdefault(name, []).append(error)
        print(f"  from {name}: mean relative error {error:.1%} for new people")

# %%
# The sentence is true where incomes nearly follow from what we know of people: then one number in
# each band fits, and bands cost little. Luck of the size of a band takes most of the advantage
# away. Sets say where the truth is possible, not where in the set it is likely.

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
colours = {"exact incomes": "0.65", "middles of bands": "#E69F00", "bands": "#0072B2"}
for place, (name, values) in enumerate(errors.items()):
    bars = ax.bar(
        np.arange(2) + 0.27 * (place - 1), values, 0.25, color=colours[name], label=f"from {name}"
    )
    ax.bar_label(bars, [f"{value:.1%}" for value in values], padding=2)
ax.set_xticks(range(2), [f"little luck ({lucks[0]})", f"much luck ({lucks[1]})"])
ax.set(
    xlabel="standard deviation of the logarithm of an income",
    ylabel="mean relative error for new people",
    title="Bands cost little where incomes are predictable",
)
ax.set_ylim(0, 1.2 * max(map(max, errors.values())))
ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.18), frameon=False)
plt.show()
