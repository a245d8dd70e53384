"""26 synthetic classes with wrong candidates of mean probability .7: accuracy at new inputs."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from benchmarks.made_up.story import Drawn, Method, Score, Story, share_right
from disambig import PartialLabelClassifier
from disambig.datasets import InstanceCorruption, UniformCorruption
from disambig.datasets.corruptions.instance import out_of_fold_scores

__all__ = ["STORIES"]

N_CLASSES, LEVEL, N_NEIGHBORS, N_TEST = 26, 0.7, 10, 1000


def draw(kind: str, seed: int, n: int) -> Drawn:
    """y is a mask ``(n, 26)``."""
    X, labels = make_classification(
        n + N_TEST, 16, n_informative=12, n_redundant=2, n_classes=N_CLASSES,
        n_clusters_per_class=1, class_sep=2.0, flip_y=0.0, random_state=seed,
    )  # fmt: skip
    truth, classes = labels[:n], np.arange(N_CLASSES)
    corruption: Any = UniformCorruption(LEVEL)
    if kind == "instance":
        scores = out_of_fold_scores(X[:n], truth, classes=classes, random_state=seed)
        corruption = InstanceCorruption(LEVEL, scores)
    sets = corruption(truth, classes=classes, random_state=seed)
    return Drawn(X[:n], np.array(sets.mask), X[n:], labels[n:])


def _ours(drawn: Drawn) -> Any:
    return PartialLabelClassifier().fit(drawn.X, drawn.y).predict(drawn.queries)


def averaged(drawn: Drawn) -> Any:
    """The average of the candidates, with weights that our search chooses for it."""
    model = PartialLabelClassifier(method="average").fit(drawn.X, drawn.y)
    return model.predict(drawn.queries)


def neighbors(drawn: Drawn) -> Any:
    """The class in the most sets of the ten nearest rows, on standardised inputs."""
    scaler = StandardScaler().fit(drawn.X)
    search = NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(scaler.transform(drawn.X))
    near = search.kneighbors(scaler.transform(drawn.queries), return_distance=False)
    return drawn.y[near].sum(axis=1).argmax(axis=1)


OURS = Method("PartialLabelClassifier()", _ours, uses_disambig=True)
OTHERS = (
    Method("averaged candidates", averaged, uses_disambig=True),
    Method("ten neighbours", neighbors),
)
ACCURACY = Score("accuracy", share_right, higher_is_better=True)
STORIES = tuple(
    Story(f"26-classes-{kind}", partial(draw, kind), 1100, ACCURACY, OURS, OTHERS, apart=True)
    for kind in ("uniform", "instance")
)
