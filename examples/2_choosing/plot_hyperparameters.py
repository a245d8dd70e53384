"""
Hyper-parameters without the truth
==================================

We can choose hyper-parameters by cross-validation although we know no true label.

The score is the share of held-out rows whose prediction is among their candidates
(``covering_scorer``). A wrong prediction is in a set by chance now and then, but a right one always
is, so the score rises with the accuracy. ``CandidateKFold`` spreads the classes over the folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.metrics import covering_scorer
from disambig.model_selection import CandidateKFold
from disambig.weights import KernelRidgeWeights

X, truth = load_wine(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:110], order[110:]
sets = UniformCorruption(0.4)(truth[train], random_state=0)

# %%
# An ordinary grid search of scikit-learn. The weighting is passed as an object, so that its
# parameters have names. It never sees ``truth``.

model = make_pipeline(
    StandardScaler(), PartialLabelClassifier(KernelRidgeWeights(), solver="annealed")
)
name = "partiallabelclassifier__weights__bandwidth"
bandwidths = np.geomspace(0.2, 25, 8)
search = GridSearchCV(
    model,
    {name: bandwidths, "partiallabelclassifier__weights__regularization": [1e-2]},
    scoring=covering_scorer,
    cv=CandidateKFold(5, random_state=0),
)
search.fit(X[train], sets)
chosen = search.best_params_[name]
print(f"Chosen bandwidth: {chosen:.1f}, covering {search.best_score_:.1%} of the held-out sets")

# %%
# Afterwards we look at the truth, on rows that took no part. A constant prediction already covers
# many sets, so the covering score is the higher of the two. What counts is that both curves rise
# and fall together, roughly: a set is weaker evidence than a label.

accuracy = []
for bandwidth in bandwidths:
    fitted = model.set_params(**{name: bandwidth}).fit(X[train], sets)
    accuracy.append(fitted.score(X[test], truth[test]))
covering = search.cv_results_["mean_test_score"]
at_chosen = accuracy[int(np.argmax(bandwidths == chosen))]
print(f"Accuracy on new rows: {at_chosen:.1%} at the chosen one, {max(accuracy):.1%} at the best")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.semilogx(bandwidths, covering, "o-", color="#0072B2", label="held-out sets covered (no truth)")
ax.semilogx(bandwidths, accuracy, "s--", color="0.4", label="accuracy on new rows (truth)")
ax.axvline(chosen, color="#D55E00", linestyle=":", label="chosen")
ax.set(
    xlabel="bandwidth of the kernel",
    ylabel="share of rows",
    title=f"Chosen without the truth: {at_chosen:.1%}; the best of the grid: {max(accuracy):.1%}",
)
ax.yaxis.set_major_formatter(PercentFormatter(1))
ax.legend()
plt.show()
