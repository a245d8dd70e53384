"""The label ranking benchmark: all weightings learn, and each has a row in the tables."""

import numpy as np

from benchmarks import label_ranking
from disambig.metrics import kendall_tau


def test_every_weighting_learns_from_hidden_ranks() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    scores = np.column_stack([X[:, 0], -X[:, 0], X[:, 1] + 2])
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1).astype(float)
    y = label_ranking.hide(ranks[:40], 0.3, rng)
    found, spent = label_ranking.run_fold(X[:40], y, X[40:], 0.3)
    methods = {(m, v) for m in label_ranking.METHODS for v in label_ranking.WEIGHTS}
    assert found.keys() == spent.keys() == methods | {("RPC", "")}
    for key, predicted in found.items():
        assert kendall_tau(ranks[40:], predicted) > 0.5, key


def test_there_is_a_row_for_each_weighting() -> None:
    cells = {("DF", "forest"): "1", ("AC", "k-NN"): "2", ("RPC", ""): "3"}
    rows = label_ranking._rows(["iris"], cells)
    assert [row[1] for row in rows] == list(label_ranking.WEIGHTS)
    assert rows[0] == ["iris", "k-NN", "–", "–", "2", "3"]
    assert rows[-1] == ["iris", "forest", "1", "–", "–", ""]
