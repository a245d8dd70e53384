"""
A survey with "don't know"
==========================

"Don't know" is not noise to be dropped: with the other answers it can be read.

A survey asks for one of three plans. Many say "don't know", or name two. Dropping these rows is the
usual way, and it is wrong if they differ from the rest. We estimate the support of each plan in
two surveys: in one, young people say "don't know" more often; in the other, people who support
plan C do, whatever their age.
"""

import matplotlib.pyplot as plt
import numpy as np

from disambig import LabelSets, PartialLabelClassifier

plans = np.array(["A", "B", "C"])
rng = np.random.default_rng(0)
n = 600
age = rng.uniform(18, 80, n)
town = rng.uniform(0, 1, n)
# The young prefer C, the old A; towns prefer B.
score = np.column_stack([(age - 45) / 8, 6 * (town - 0.6), (40 - age) / 8])
truth = plans[(score + rng.gumbel(size=(n, 3))).argmax(axis=1)]
X = np.column_stack([age, town])
support = np.array([(truth == plan).mean() for plan in plans])


def survey(silence: np.ndarray) -> list[str]:
    """What each person says: the plan, two plans, or that he does not know."""
    said = []
    for plan, chance in zip(truth, silence, strict=True):
        if rng.uniform() < chance:
            said.append("don't know")
        elif rng.uniform() < 0.2:
            said.append("|".join([plan, rng.choice(plans[plans != plan])]))
        else:
            said.append(plan)
    return said


surveys = {
    '"don\'t know" depends on age': survey(np.where(age < 40, 0.75, 0.15)),
    '"don\'t know" depends on the plan': survey(np.where(truth == "C", 0.75, 0.15)),
}

# %%
# Texts with a bar are sets. ``unlabeled=`` names the marker that says nothing. The support of a
# plan is its share among the recovered labels.

estimates = {}
for name, said in surveys.items():
    sets = LabelSets.from_strings(said, classes=plans, unlabeled="don't know")
    clear = np.isin(said, plans)
    model = PartialLabelClassifier().fit(X, sets)
    estimates[name] = {
        "truth": support,
        "dropped": np.array([(np.array(said)[clear] == plan).mean() for plan in plans]),
        "recovered": np.array([(model.labels_ == plan).mean() for plan in plans]),
    }
    print(f"{name}: {(~clear).sum()} of {n} rows are not clear")
    for way in ("dropped", "recovered"):
        worst = np.abs(estimates[name][way] - support).max()
        print(f"  {way}: the support of a plan is wrong by up to {100 * worst:.1f} points")

# %%
# Where silence depends on something that we know (age), the sentence is true: people of the same
# age and town speak for those who do not know. Where it depends on the answer itself, nothing in
# the data shows it, and the recovered shares stay wrong, if less than before. Which of the two it
# is remains an assumption that only follow-up answers can check: see ``with_answers`` of
# ``disambig.trust.cross_examine``.

figure, panels = plt.subplots(1, 2, figsize=(9.5, 3.8), sharey=True, layout="constrained")
colours = ("0.75", "#E69F00", "#0072B2")
for ax, (name, ways) in zip(panels, estimates.items(), strict=True):
    for shift, (way, shares), colour in zip((-0.27, 0, 0.27), ways.items(), colours, strict=True):
        ax.bar(np.arange(3) + shift, shares, 0.25, color=colour, label=way)
    ax.set_xticks(range(3), [f"plan {plan}" for plan in plans])
    ax.set_title(name)
panels[0].set_ylabel("share of the people")
panels[0].yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
panels[0].legend()
figure.suptitle("Left, the recovered shares are close to the truth; right, they cannot be")
plt.show()
