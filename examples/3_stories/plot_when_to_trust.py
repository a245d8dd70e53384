"""
When to trust a recovered label
===============================

A label that is said to be right with a probability of 90 % is right nine times in ten.

``confidence_`` is judged by rows that never saw the set of a row. That needs one assumption: which
wrong classes are in a set does not depend on the truth in a way that hides it. We look at one case
where it holds and at one where it does not, and repair the second with some answers.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from disambig import PartialLabelClassifier
from disambig.datasets import ConfusionCorruption, UniformCorruption
from disambig.plots import ReliabilityDisplay
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights

X, truth = make_blobs(700, centers=5, cluster_std=2.6, random_state=3)
# Class 0 is often beside class 1, class 2 beside class 3, and so on.
partners = np.full((5, 5), 0.3)
partners[np.arange(5), (np.arange(5) + 1) % 5] = 1.0
cases = {
    "any wrong class": UniformCorruption(0.4)(truth, random_state=0),
    "a partner class": ConfusionCorruption(0.9, partners)(truth, random_state=0),
}
rng = np.random.default_rng(0)
answered = rng.choice(len(X), 150, replace=False)
rest = np.setdiff1d(np.arange(len(X)), answered)

# %%
# The gap is the mean distance between the stated confidence and the share of right labels. Answers
# are true labels of rows that were drawn at random; they recalibrate the confidence of the others.

judged = {}
for name, sets in cases.items():
    model = PartialLabelClassifier(KernelRidgeWeights(bandwidth=2.0), solver="annealed")
    exam = cross_examine(model, X, sets, cv=5)
    better = exam.with_answers(answered, truth[answered])
    is_right = exam.labels == truth
    judged[name] = exam.confidence[rest], better.confidence[rest], is_right[rest]
    print(f"{name}: mean confidence {exam.confidence[rest].mean():.1%}, after the answers ", end="")
    print(f"{better.confidence[rest].mean():.1%}; right labels {is_right[rest].mean():.1%}")
    accepted = better.accept(risk=0.1)
    print(f"  {accepted.promise}")
    inside = better.predict_set(coverage=0.9, meaning="truth").mask[rest, truth[rest]].mean()
    print(f"  prediction sets of coverage 90% contain the truth in {inside:.1%} of the other rows")

# %%
# On the diagonal, the sentence is true; a point stands for a fifth of the rows. Left, labels are
# right a little more often than is said. Right, they are not: where the partner is in most sets,
# rows agree on the wrong class and are sure of it. No set shows this; the answers do, and correct
# it.

figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), sharey=True, layout="constrained")
options = {"n_bins": 5, "strategy": "quantile", "show_counts": False}
for ax, (name, (before, after, is_right)) in zip(panels, judged.items(), strict=True):
    for confidence, judge in ((before, "by hidden sets"), (after, "with 150 answers")):
        ReliabilityDisplay.from_predictions(confidence, is_right, name=judge, ax=ax, **options)
    ax.set(xlim=(0.45, 1), ylim=(0.45, 1.01), title=f"Sets with {name}")
plt.show()
