"""
Texts, with TF-IDF in front
===========================

A text classifier can be trained on folders that only narrow the topic down.

Each message of a help desk lies in a shared folder that serves two of five teams. So the folder is
a set of two topics. Words become TF-IDF weights, in a pipeline of scikit-learn; nothing else
changes. We make the messages from small vocabularies.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from disambig import PartialLabelClassifier

vocabulary = {
    "billing": "invoice charge refund card amount bill payment twice tax price",
    "delivery": "parcel courier address late package track door street box arrived",  # words: ok
    "login": "password account reset email code locked sign user phone access",
    "returns": "return label exchange size broken damaged replace warranty send item",
    "website": "page button error browser load cart search slow link screen",
}
common = "please help hello thanks my the order today still question problem not can you it is"
topics = np.array(list(vocabulary))
rng = np.random.default_rng(0)


def message(topic: str) -> str:
    """Common words, three of the topic, and two of any topic."""
    words = rng.choice(common.split(), 7).tolist()
    words += rng.choice(vocabulary[topic].split(), 3).tolist()
    words += rng.choice(" ".join(vocabulary.values()).split(), 2).tolist()
    return " ".join(rng.permutation(words))


truth = rng.choice(topics, 500)
texts = [message(topic) for topic in truth]
folders = [{topic, rng.choice(topics[topics != topic])} for topic in truth]
train, test = slice(0, 250), slice(250, None)
print(f"{texts[0]!r}\n  in the folder of {' and '.join(sorted(folders[0]))}")

# %%
# The pipeline ends with ``PartialLabelClassifier``. Texts go in, at ``fit`` and at ``predict``. The
# alternatives: a logistic regression on the true topics, which nobody has, and one that takes a
# random topic of the folder as the truth.


def in_front() -> list:
    """The steps from texts to numbers."""
    return [TfidfVectorizer(), TruncatedSVD(20, random_state=0)]


model = make_pipeline(*in_front(), PartialLabelClassifier()).fit(texts[train], folders[train])
guessed = [rng.choice(sorted(folder)) for folder in folders[train]]
plain = make_pipeline(*in_front(), LogisticRegression(C=10))
accuracy = {
    "random topic of the folder": plain.fit(texts[train], guessed).score(texts[test], truth[test]),
    "folders as sets": model.score(texts[test], truth[test]),
    "true topics": plain.fit(texts[train], truth[train]).score(texts[test], truth[test]),
}
for name, share in accuracy.items():
    print(f"{name}: {share:.1%} of the new messages right")
print("A new message:", model.predict(["hello the parcel is late"])[0])

# %%
# True here: folders are nearly as good as topics. It depends on which teams share a folder: if two
# topics always come together, no text can tell which of them is which.

figure, ax = plt.subplots(figsize=(6.5, 2.6), layout="constrained")
bars = ax.barh(list(accuracy), list(accuracy.values()), color=["#E69F00", "#0072B2", "0.6"])
ax.bar_label(bars, [f"{share:.1%}" for share in accuracy.values()], padding=4)
ax.set(xlabel="new messages with the right topic", xlim=(0, 1.12), title="What to train on")
ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
plt.show()
