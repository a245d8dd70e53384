"""The semi-supervised benchmark: labels, learners, and the table."""

import numpy as np
import pytest

from benchmarks import semi_supervised
from benchmarks.semi_supervised import (
    LEARNERS,
    available,
    collapse,
    few_labels,
    neighbor_distance,
    table,
)
from disambig.exceptions import DatasetError


def easy():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    return rng.normal(size=(80, 2)) + 3.0 * y[:, None], y


def test_the_given_number_of_labels_of_each_class_is_kept():
    y = np.repeat([0, 1, 2], [5, 9, 30])
    known = few_labels(y, 2, seed=0)
    is_known = known >= 0
    assert np.bincount(known[is_known]).tolist() == [2, 2, 2]
    assert (known[is_known] == y[is_known]).all()


def test_the_median_distance_to_the_tenth_neighbour():
    assert neighbor_distance(np.arange(30.0)[:, None] * 2.0) == 10.0


@pytest.mark.filterwarnings("ignore:weights='auto'. only 10 of 80 rows exclude a class:UserWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_labels_easy_data(name):
    X, y = easy()
    found = LEARNERS[name](X, few_labels(y, 5, seed=0))
    assert found.shape == (80,)
    assert np.mean(found == y) > 0.9


@pytest.mark.filterwarnings("ignore:max_iter=1000 was reached")
def test_the_table_has_a_row_for_each_learner(monkeypatch):
    few = {name: LEARNERS[name] for name in (semi_supervised.PROPAGATION, semi_supervised.POISSON)}
    monkeypatch.setattr(semi_supervised, "LEARNERS", few)
    data = {"easy": easy()}
    body, found = table(data, 2)
    lines = body.splitlines()
    assert len(lines) == 4
    assert all(line.count("|") == lines[0].count("|") for line in lines)
    assert all(0.4 < result.mean <= 1.0 for result in found.values())
    assert "on easy it is right on" in collapse(data, found)


def test_missing_data_are_left_out(monkeypatch, capsys):
    def absent():
        raise DatasetError("no satimage here")

    monkeypatch.setitem(semi_supervised.DATA, "satimage", absent)
    assert list(available()) == ["digits"]
    assert "satimage is left out. no satimage here" in capsys.readouterr().err
