"""Tags of which most are unknown."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.made_up.story import Drawn, Method, Score, Story, share_right
from disambig import PartialMultilabelClassifier

__all__ = ["STORIES"]

N_TAGS = 8
UNKNOWN = 0.6
UNITS = np.array([1, 200, 0.01, 1e4, 5, 0.3, 1000, 1, 30, 2e5])
N_TEST = 1000


def tags(seed: int, n: int) -> Drawn:
    """Tags from three hidden topics and the inputs; 60 % of the entries are NaN."""
    rng = np.random.default_rng([seed, 5])
    z = rng.normal(size=(n + N_TEST, len(UNITS)))
    # Topics, some of them products of inputs, make the tags depend on each other.
    topics = z @ rng.normal(size=(len(UNITS), 3)) / np.sqrt(len(UNITS))
    curves = np.column_stack([z[:, 0] * z[:, 1], np.abs(z[:, 2]) - 0.8])
    logits = 3.0 * topics @ rng.normal(size=(3, N_TAGS)) + curves @ rng.normal(size=(2, N_TAGS))
    logits += rng.normal(size=N_TAGS) * 0.5
    is_on = rng.random(logits.shape) < 1 / (1 + np.exp(-2.0 * logits))
    y = np.where(rng.random((n, N_TAGS)) < UNKNOWN, np.nan, is_on[:n])
    X = UNITS * z
    return Drawn(X[:n], y, X[n:], is_on[n:].astype(int))


def _ours(drawn: Drawn) -> Any:
    return PartialMultilabelClassifier().fit(drawn.X, drawn.y).predict(drawn.queries)


def by_tag(name: str, make: Callable[[], Any]) -> Method:
    """A classifier of scikit-learn for each tag, on the rows where it is known."""

    def learn(drawn: Drawn) -> Any:
        found = []
        for column in drawn.y.T:
            rows = np.flatnonzero(np.isfinite(column))
            known = column[rows].astype(int)
            if np.ptp(known) == 0:
                found.append(np.full(len(drawn.queries), known[0]))
            else:
                found.append(make().fit(drawn.X[rows], known).predict(drawn.queries))
        return np.column_stack(found)

    return Method(name, learn)


OURS = Method("PartialMultilabelClassifier()", _ours, uses_disambig=True)
OTHERS = (
    by_tag("logistic a tag", lambda: make_pipeline(StandardScaler(), LogisticRegression())),
    by_tag("forest a tag", lambda: RandomForestClassifier(random_state=0)),
)
TAGS_RIGHT = Score("share of tags right", share_right, higher_is_better=True)
STORIES = (Story("tags", tags, 600, TAGS_RIGHT, OURS, OTHERS),)
