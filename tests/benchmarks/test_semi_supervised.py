import numpy as np
import pytest

from benchmarks.semi_supervised import LEARNERS, few_labels, reach


def test_so_many_labels_of_each_class_are_kept():
    y = np.repeat([0, 1, 2], [5, 9, 30])
    known = few_labels(y, 2, seed=0)
    kept = known >= 0
    assert np.bincount(known[kept]).tolist() == [2, 2, 2]
    assert (known[kept] == y[kept]).all()


def test_reach():
    assert reach(np.arange(30.0)[:, None] * 2.0) == 10.0


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_labels_what_is_easy(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 3.0 * y[:, None]
    found = LEARNERS[name](X, few_labels(y, 5, seed=0))
    assert found.shape == (80,)
    assert np.mean(found == y) > 0.9
