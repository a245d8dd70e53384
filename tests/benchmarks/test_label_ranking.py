"""The label ranking benchmark: every method learns, and it is said where the default is late."""

import numpy as np
import pytest

from benchmarks import label_ranking
from disambig.metrics import kendall_tau
from tests.estimators.small_search import small_search


@pytest.mark.parametrize("reading", ["order", "places"])
@small_search()
def test_every_method_learns_from_hidden_ranks(reading: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    scores = np.column_stack([X[:, 0], -X[:, 0], X[:, 1] + 2])
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1).astype(float)
    y = label_ranking.hide(ranks[:40], 0.3, rng)
    found, spent = label_ranking.run_fold(X[:40], y, X[40:], reading)
    assert tuple(found) == tuple(spent) == label_ranking.METHODS
    for method, predicted in found.items():
        assert kendall_tau(ranks[40:], predicted) > 0.5, method


def test_a_line_has_the_mean_ranks_and_who_is_late() -> None:
    comparison = label_ranking.Comparison()
    taus = {"default": [0.5, 0.6], "voters": [0.1, 0.2], "RPC": [0.7, 0.9]}
    taus["item forests"] = [0.3, 0.3]
    seconds = dict.fromkeys(label_ranking.METHODS, 1.0)
    comparison.add(["iris", "5, 3", "60 %, order"], "order", taus, seconds)
    assert comparison.rows[0][5] == "**0.800 ± 0.100**"
    assert "| order | 1 | 2.00 | 4.00 | 1.00 | 3.00 |" in comparison.mean_ranks()
    # Differences .2 and .3: mean .25, standard error .05.
    assert comparison.late == ["iris 60 %, order (5.0)"]
