"""One and five labels a class, all other rows unlabeled: accuracy on these rows.

Inputs of one story have one unit, so graphs and kernels take them as they are. The bandwidth of the
dense kernel is a fifth of the median distance to the tenth neighbour, as in
`benchmarks.semi_supervised`, where it was chosen on digits with the truth. Dense kernels and
support vector machines are left out from 5000 rows on.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from benchmarks.made_up.story import Drawn, Method, Score, Story, share_right
from benchmarks.semi_supervised import few_labels, neighbor_distance
from disambig import PartialLabelClassifier
from disambig.datasets import fetch_libsvm

__all__ = ["STORIES"]

# X (n, d) and classes (n,).
Inputs = Any

MAX_DENSE_ROWS = 2500
LABELS_PER_CLASS = (1, 5)
SIZES = (2000, 20_000)


@cache
def digits() -> Inputs:
    return load_digits(return_X_y=True)


@cache
def satimage() -> Inputs:
    data = fetch_libsvm("satimage", download=False)
    return data.X, np.unique(data.y, return_inverse=True)[1]


def moons(seed: int, n: int) -> Inputs:
    return make_moons(n, noise=0.1, random_state=seed)


def circles(seed: int, n: int) -> Inputs:
    return make_circles(n, noise=0.07, factor=0.5, random_state=seed)


def real(load: Callable[[], Inputs], seed: int, n: int) -> Inputs:
    """The first n rows."""
    del seed
    X, y = load()
    return X[:n], y[:n]


def draw(data: Callable[[int, int], Inputs], count: int, seed: int, n: int) -> Drawn:
    """`count` labels of each class, -1 for the others, whose places are the queries."""
    X, y = data(seed, n)
    known = few_labels(y, count, seed)
    rest = np.flatnonzero(known < 0)
    return Drawn(X, known, rest, y[rest])


def _ours(drawn: Drawn) -> Any:
    """Unlabeled rows as full sets."""
    classes = np.arange(drawn.y.max() + 1)
    mask = (drawn.y[:, None] == classes) | (drawn.y[:, None] < 0)
    return PartialLabelClassifier().fit(drawn.X, mask).labels_[drawn.queries]


def nearest(drawn: Drawn, *, scaled: bool) -> Any:
    """The class of the nearest labelled row."""
    X = StandardScaler().fit_transform(drawn.X) if scaled else drawn.X
    rows = np.flatnonzero(drawn.y >= 0)
    return KNeighborsClassifier(1).fit(X[rows], drawn.y[rows]).predict(X[drawn.queries])


def spreading(drawn: Drawn, *, kernel: str, alpha: float) -> Any:
    more = {"gamma": 12.5 / neighbor_distance(drawn.X) ** 2} if kernel == "rbf" else {}
    model = LabelSpreading(kernel=kernel, alpha=alpha, max_iter=1000, **more)
    return model.fit(drawn.X, drawn.y).transduction_[drawn.queries]


def self_training(drawn: Drawn, *, make: Callable[[], Any]) -> Any:
    X = StandardScaler().fit_transform(drawn.X)
    return SelfTrainingClassifier(make()).fit(X, drawn.y).predict(X[drawn.queries])


def logistic() -> Any:
    return LogisticRegression(max_iter=1000)


def support_vectors() -> Any:
    return SVC(probability=True, random_state=0)


OURS = Method("PartialLabelClassifier()", _ours, uses_disambig=True)
OTHERS = (
    Method("nearest labelled row, scaled", partial(nearest, scaled=True)),
    Method("nearest labelled row", partial(nearest, scaled=False)),
    Method("spreading knn", partial(spreading, kernel="knn", alpha=0.2)),
    Method("spreading knn .99", partial(spreading, kernel="knn", alpha=0.99)),
    Method("spreading rbf", partial(spreading, kernel="rbf", alpha=0.2), max_rows=MAX_DENSE_ROWS),
    Method(
        "spreading rbf .99", partial(spreading, kernel="rbf", alpha=0.99), max_rows=MAX_DENSE_ROWS
    ),
    Method("self-training logistic", partial(self_training, make=logistic)),
    Method(
        "self-training SVC",
        partial(self_training, make=support_vectors),
        max_rows=MAX_DENSE_ROWS,
    ),
)
ACCURACY = Score("accuracy", share_right, higher_is_better=True)
DATA: dict[str, tuple[Callable[[int, int], Inputs], int]] = {
    **{f"moons-{n}": (moons, n) for n in SIZES},
    **{f"circles-{n}": (circles, n) for n in SIZES},
    "digits": (partial(real, digits), 1797),
    "satimage": (partial(real, satimage), 4435),
}
STORIES = tuple(
    Story(f"{name}-{count}", partial(draw, data, count), n, ACCURACY, OURS, OTHERS)
    for name, (data, n) in DATA.items()
    for count in LABELS_PER_CLASS
)
