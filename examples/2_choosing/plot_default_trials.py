"""
What did the default try?
=========================

The default shows what it tried, and the order in which it ranks is the order of the truth.

``PartialLabelClassifier()`` hides some candidate sets, predicts them, and keeps what misses the
fewest. ``trials_`` lists all that reached the last round.
"""

import matplotlib.pyplot as plt
from matplotlib.ticker import PercentFormatter
from sklearn.base import clone
from sklearn.datasets import load_digits

from disambig import PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.plots import SelectionDisplay

X, truth = load_digits(return_X_y=True)
X, truth = X[:300], truth[:300]
sets = UniformCorruption(0.5)(truth, random_state=0)
model = PartialLabelClassifier().fit(X, sets)

figure, ax = plt.subplots(figsize=(8.5, 3.8), layout="constrained")
display = SelectionDisplay.from_estimator(model, ax=ax, max_trials=8)
ax.set_title("What passed the screen, the best first", loc="left")
print(f"{len(model.trials_)} trials; the best:")
for name, trial in zip(display.names[:3], model.trials_, strict=False):
    print(f"  held-out loss {trial.held_out_loss:.3f}: {name}")

# %%
# ``weights_`` and ``solver_`` are components like those that you would pass yourself. Passed on,
# they repeat the fit without the search.

again = PartialLabelClassifier(clone(model.weights_), solver=model.solver_).fit(X, sets)
print("The same labels without the search:", (again.labels_ == model.labels_).all())

# %%
# We know the truth here, so we fit every eighth trial and count. The sentence is partly true: good
# trials are good, bad ones are bad, and among the best the order is a matter of a few rows. A
# hidden set is weak evidence, because a wrong class is in it half of the time.

some = model.trials_[::8]
held_out = [trial.held_out_loss for trial in some]
right = []
for trial in some:
    fitted = PartialLabelClassifier(clone(trial.weights), solver=trial.solver).fit(X, sets)
    right.append((fitted.labels_ == truth).mean())

print(f"Right labels: {right[0]:.1%} with what was chosen, {max(right):.1%} at best")

# sphinx_gallery_thumbnail_number = -1
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.scatter(held_out, right, color="#0072B2", label="tried")
ax.scatter(held_out[:1], right[:1], color="#D55E00", s=90, label="chosen")
ax.set(
    xlabel="held-out loss (no truth)",
    ylabel="right labels (truth)",
    ylim=(None, 1),
    title="What misses few hidden sets recovers many labels",
)
ax.yaxis.set_major_formatter(PercentFormatter(1))
ax.legend()
plt.show()
