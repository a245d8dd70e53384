"""
A table in, labels out
======================

A table with a column of possible labels is enough: no cleaning, no encoding, no parameters.

``fit_table`` reads a data frame or a file as people write them, recovers the label of every row,
says how sure it is, and learns to predict. (On the command line: ``disambig fit``. It needs the
extra ``io``.)
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from disambig import fit_table

# %%
# We make a table of 240 fruits: a weight with missing cells, a colour, and what the person at the
# scales wrote down. Some wrote one fruit, some two with a bar between them, some "unknown".

rng = np.random.default_rng(0)
fruits = np.array(["lemon", "apple", "melon"])
truth = rng.choice(fruits, 240)
mean_weight = pd.Series({"lemon": 110, "apple": 170, "melon": 900})
colours = {"lemon": ["yellow"], "apple": ["red", "green"], "melon": ["green", "yellow"]}


def note(name: str) -> str:
    """What the person wrote: the fruit, the fruit and another one, or nothing of use."""
    other = rng.choice(fruits[fruits != name])
    written = [name, "|".join(rng.permutation([name, other])), "unknown"]
    return rng.choice(written, p=[0.2, 0.6, 0.2])


table = pd.DataFrame(
    {
        "weight_g": (mean_weight[truth].to_numpy() * rng.lognormal(0, 0.25, 240)).round(),
        "colour": [rng.choice(colours[name]) for name in truth],
        "fruit": [note(name) for name in truth],
    }
)
table.loc[rng.choice(240, 15, replace=False), "weight_g"] = np.nan
print(table.head(4).to_string(index=False))

# %%
# One call. Printed, the result says how the table was read and what was found.

model = fit_table(table, "fruit")
print(model)

# %%
# ``labels`` is a frame with a line for each row, and ``predict`` reads new tables in the same way.

print(model.labels.head(4).to_string(index=False))
print(model.predict(pd.DataFrame({"weight_g": [1000, 100], "colour": ["green", "yellow"]})))

# %%
# The sentence is true for the reading; the labels are as good as the columns allow. A light yellow
# fruit is a lemon, but a green one whose weight is missing may be an apple or a melon. Such rows
# stay unsure: most of the wrong labels are among those that are not resolved.

is_right = model.labels["label"].to_numpy() == truth
resolved = model.resolved
print(f"Right labels: {is_right.mean():.1%}; of the resolved: {is_right[resolved].mean():.1%}")

words = table["fruit"].str.count(r"\|").where(table["fruit"] != "unknown", -1).to_numpy()
bars = {
    "written": {
        "one fruit": (words == 0).sum(),
        "two fruits": (words == 1).sum(),
        "unknown": (words == -1).sum(),
    },
    "recovered": {
        "right and resolved": (is_right & resolved).sum(),
        "right, not resolved": (is_right & ~resolved).sum(),
        "wrong": (~is_right).sum(),
    },
}
colours = {
    "written": ["0.35", "0.6", "0.85"],
    "recovered": ["#0072B2", "#56B4E9", "#D55E00"],
}
figure, panels = plt.subplots(2, 1, figsize=(7, 3.6), sharex=True, layout="constrained")
for ax, (name, parts) in zip(panels, bars.items(), strict=True):
    left = 0
    for (part, count), colour in zip(parts.items(), colours[name], strict=True):
        ax.barh([name], [count], left=left, color=colour, label=f"{part} ({count})")
        left += count
    ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
panels[1].set_xlabel("rows of the table")
figure.suptitle(f"{is_right.mean():.1%} of the labels are right")
plt.show()
