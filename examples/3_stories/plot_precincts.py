"""
Precincts and proportions
=========================

The results of the precincts tell how each voter voted.

Ballots are secret, but every precinct publishes its counts. A precinct is a bag: a group of rows
whose class shares are known, and nothing about a single row. With features of the voters, and
precincts that differ, labels can be chosen in all bags together, so that every count is kept and
similar voters vote alike. The voters here are made up, so that we can check.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from disambig import PartialLabelClassifier

parties = np.array(["Blue", "Green", "Red"])
n_precincts, size = 20, 30


def electorate(difference: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three features of each voter in standard units, the votes, and the precincts."""
    rng = np.random.default_rng(1)
    precinct = np.repeat(np.arange(n_precincts), size)
    X = rng.normal(size=(len(precinct), 3))
    X += difference * rng.normal(size=(n_precincts, 3))[precinct]
    scores = 2.5 * X @ np.array([[1.0, -0.2, -0.8], [-0.3, 1.0, -0.7], [-0.6, -0.5, 1.1]])
    votes = parties[(scores + rng.gumbel(size=scores.shape)).argmax(axis=1)]
    return X, votes, precinct


# %%
# Two electorates: voters of all kinds live everywhere, or precincts differ. Counts (whole numbers)
# are kept exactly. ``y`` is None, because no row has a set of its own.

right = {}
for name, difference in (("voters mixed everywhere", 0.0), ("precincts differ", 1.0)):
    X, votes, precinct = electorate(difference)
    results = {
        place: {party: int((votes[precinct == place] == party).sum()) for party in parties.tolist()}
        for place in range(n_precincts)
    }
    model = PartialLabelClassifier(classes=parties)
    model.fit(X, None, bags=precinct, proportions=results)
    right[name] = {
        # The expected share of a random assignment that keeps the counts.
        "counts alone": np.mean(
            [sum((c / size) ** 2 for c in r.values()) for r in results.values()]
        ),
        "recovered votes": (model.labels_ == votes).mean(),
        "regression on the votes": LogisticRegression().fit(X, votes).score(X, votes),
    }
    kept = all(
        ((model.labels_ == party) & (precinct == place)).sum() == count
        for place, counts in results.items()
        for party, count in counts.items()
    )
    print(f"{name}; the first precinct: {results[0]}; all counts kept: {kept}")
    for way, share in right[name].items():
        print(f"  {way}: {share:.1%} right")

# %%
# True for most voters, not for all, and no better than what the features tell: a regression on the
# true votes, which nobody has, is what to compare with. This is also a warning: counts of small
# groups and a few features can reveal what a person voted.

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
colours = {
    "counts alone": "0.75",
    "recovered votes": "#0072B2",
    "regression on the votes": "#E69F00",
}
for place, (way, colour) in enumerate(colours.items()):
    values = [shares[way] for shares in right.values()]
    bars = ax.bar(np.arange(2) + 0.27 * (place - 1), values, 0.25, color=colour, label=way)
    ax.bar_label(bars, [f"{value:.0%}" for value in values], padding=2)
ax.set_xticks(range(2), list(right))
ax.set(ylabel="right votes", ylim=(0, 1.25), title="Counts of precincts tell most single votes")
ax.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
ax.legend(ncols=3, loc="upper center")
plt.show()
