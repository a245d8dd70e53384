"""
Wrong sets: suspects, questions, answers
========================================

The rows themselves tell which of the sets are wrong, and a few answers repair what they cannot.

The true label is missing from some of the sets here. ``cross_examine`` hides the set of every row
and lets the other rows judge it. ``suspects`` names sets that contradict them, ``ask`` the rows
whose answer would help most, and ``refit`` learns from the answers.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from disambig import PartialLabelClassifier
from disambig.datasets import UniformCorruption, remove_truths
from disambig.plots import SuspectsDisplay
from disambig.trust import cross_examine

X, truth = load_digits(return_X_y=True)
X, truth = X[:500], truth[:500]
sets = UniformCorruption(0.3)(truth, random_state=0)
y, is_wrong = remove_truths(sets, truth, 0.15, random_state=0)

# %%
# The suspects, the most suspect first, with what the others say instead.

exam = cross_examine(PartialLabelClassifier("neighbors"), X, y, cv=10)
found = exam.suspects(false_alarms=0.1)
print(found.statement)
print(f"The first: {found.why[0]}")
print(f"Wrong sets: {is_wrong.mean():.1%} of all; estimated: {exam.wrong_share:.1%}")
print(f"Of {len(found.rows)} suspects {is_wrong[found.rows].mean():.1%} are wrong sets indeed,")
print(f"and they are {is_wrong[found.rows].sum() / is_wrong.sum():.1%} of all wrong sets")

# %%
# A picture of the suspicion of all rows. The colours of right and wrong sets need the truth.

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
SuspectsDisplay.from_examination(exam, is_wrong=is_wrong, ax=ax)
ax.set_title("Wrong sets are the most suspicious ones")
plt.show()

# %%
# Now repair. ``tolerance="auto"`` lets a label leave a set that the others contradict, without any
# answer. Or somebody looks at the suspects, and then at the rows that ``ask`` names.

tolerant = PartialLabelClassifier("neighbors", tolerance="auto").fit(X, y)
checked = exam.refit(found.rows, truth[found.rows])
questions = checked.ask(30)
asked = checked.refit(questions.rows, truth[questions.rows])
steps = {
    "as the sets are": exam.labels,
    'tolerance="auto", no answers': tolerant.labels_,
    f"{len(found.rows)} suspects answered": checked.labels,
    "and 30 questions": asked.labels,
}
wrong = {name: (labels != truth).sum() for name, labels in steps.items()}
for name, count in wrong.items():
    print(f"{name}: {count} of {len(X)} labels are wrong")

# %%
# True for digits, where the others are right where they are sure. Where inputs say little about
# the class, suspects are few, and the statement above says so.

# sphinx_gallery_thumbnail_number = -1
figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
bars = ax.barh(list(wrong), list(wrong.values()), color=["0.7", "#56B4E9", "#0072B2", "#0072B2"])
ax.bar_label(bars, padding=4)
ax.invert_yaxis()
ax.set(xlabel=f"wrong labels, of {len(X)}", title="Fewer wrong labels, step by step")
ax.margins(x=0.1)
plt.show()
