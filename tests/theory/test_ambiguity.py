"""Estimates of eta by region are unbiased, and their intervals hold."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from disambig import LabelSets
from disambig.datasets import make_separated_clusters
from disambig.theory import Ambiguity, ambiguity, local_ambiguity
from disambig.theory.verdicts import Status
from disambig.weights import NeighborWeights

K, ETA = 10, 0.5


def drawn(n: int, rng: np.random.Generator, eta: float = ETA, n_classes: int = K) -> np.ndarray:
    """Sets of rows of class 0."""
    mask = rng.random((n, n_classes)) < eta
    mask[:, 0] = True
    return mask


def test_the_second_largest_frequency_is_biased_and_eta_is_not() -> None:
    """Of 20 sets, the most frequent of nine wrong classes is in .66 on average, not in .5."""
    rng = np.random.default_rng(0)
    plain, ours = [], []
    for seed in range(1500):
        mask = drawn(20, rng)
        plain.append(np.sort(mask.mean(axis=0))[-2])
        found = ambiguity(None, LabelSets(mask, np.arange(K)), regions=[0] * 20, random_state=seed)
        # If a wrong class is in all ten sets that select, it may be taken for the label.
        if found.labels[0] == 0:
            ours.append(found.eta.estimate[0])
    assert np.mean(plain) == pytest.approx(0.66, abs=0.01)
    assert len(ours) > 1480
    assert np.mean(ours) == pytest.approx(ETA, abs=4 * np.std(ours) / np.sqrt(len(ours)))


def test_local_estimates_are_unbiased_too() -> None:
    rng = np.random.default_rng(1)
    X = np.repeat(np.arange(800.0), 20)[:, None] + 0.01 * rng.random((16_000, 1))
    found = local_ambiguity(X, LabelSets(drawn(len(X), rng), np.arange(K)), n_neighbors=20)
    right = found.labels == 0
    assert right.mean() > 0.99
    # One row of each of the 800 groups: the groups are independent.
    estimates = found.eta.estimate[::20][right[::20]]
    assert estimates.mean() == pytest.approx(ETA, abs=4 * estimates.std() / np.sqrt(len(estimates)))
    assert (found.eta.totals == 10).all()
    assert (found.covered.estimate[right] == 1.0).all()


@pytest.mark.parametrize("eta", [0.3, 0.9])
def test_intervals_and_bounds_hold_with_their_confidence(eta: float) -> None:
    rng = np.random.default_rng(2)
    held, bounded = [], []
    for seed in range(400):
        sets = LabelSets(drawn(80, rng, eta, 4), np.arange(4))
        found = ambiguity(None, sets, regions=[0, 1] * 40, random_state=seed, confidence=0.9)
        held.append((found.eta.low <= eta) & (eta <= found.eta.high))
        bounded.append((found.eta_bound >= eta).all())
    # Three standard errors of .9 below it: .87 for 800 intervals, .855 for 400 bounds.
    assert np.mean(held) > 0.868
    assert np.mean(bounded) > 0.855


def test_intervals_of_recovered_regions_hold() -> None:
    """Regions come from the sets of the other half, so that counts stay binomial."""
    held = []
    for seed in range(60):
        data = make_separated_clusters(160, eta=0.6, random_state=seed)
        found = ambiguity(data.X, data.candidates, confidence=0.9)
        assert found.regions == (0, 1, 2, 3)
        held.append((found.eta.low <= 0.6) & (found.eta.high >= 0.6))
    assert np.mean(held) > 0.84


def test_counts_equal_those_of_a_loop() -> None:
    rng = np.random.default_rng(3)
    mask = rng.random((60, 5)) < 0.5
    mask[np.arange(60), rng.integers(5, size=60)] = True
    names = np.array(list("abc"))[rng.integers(3, size=60)]
    found = ambiguity(None, LabelSets(mask, np.arange(5)), regions=names)
    assert found.regions == ("a", "b", "c")
    for r, name in enumerate(found.regions):
        rows = np.flatnonzero(names == name)
        assert found.n_chosen[r] == len(rows) // 2
        assert found.n_counted[r] == len(rows) - len(rows) // 2
        for c in range(5):
            both = sum(bool(mask[row, c]) for row in rows)
            assert found.chosen[r, c] + found.counts[r, c] == both
        chosen = found.chosen[r].tolist()
        assert found.labels[r] == chosen.index(max(chosen))
        chosen[found.labels[r]] = -1
        assert found.runner_ups[r] == chosen.index(max(chosen))


def test_counts_of_neighbours_equal_those_of_a_loop() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3))
    mask = drawn(50, rng, n_classes=4)
    found = local_ambiguity(X, LabelSets(mask, np.arange(4)), n_neighbors=7)
    for i in range(50):
        near = np.argsort(((X - X[i]) ** 2).sum(axis=1), kind="stable")[:7]
        chosen = mask[near[::2]].sum(axis=0).tolist()
        label = chosen.index(max(chosen))
        chosen[label] = -1
        runner_up = chosen.index(max(chosen))
        assert (found.labels[i], found.runner_ups[i]) == (label, runner_up)
        assert found.eta.counts[i] == mask[near[1::2], runner_up].sum()
        assert found.covered.counts[i] == mask[near[1::2], label].sum()
        assert found.eta.totals[i] == 3


def test_a_class_in_every_set_is_never_certified() -> None:
    data = make_separated_clusters(2000, eta=0.3, random_state=0)
    mask = data.candidates.mask.copy()
    mask[data.clusters == 1, 3] = True
    found = ambiguity(data.X, LabelSets(mask, np.array(["bee", "cat", "cow", "dog"])))
    assert found.is_certified.tolist() == [True, False, True, True]
    assert found.eta_bound[1] == 1.0
    assert found.statuses() == [Status.CLEAR, Status.INSEPARABLE, Status.CLEAR, Status.CLEAR]
    assert found.requirement().n_neighbors is None
    worst = found.pairs(least=0.9)
    assert [(pair.label, pair.other, pair.share, pair.high) for pair in worst] == [
        ("cat", "dog", 1.0, 1.0)
    ]


def test_one_set_without_the_class_makes_it_separable() -> None:
    mask = np.ones((400, 2), dtype=bool)
    mask[17, 1] = False
    found = ambiguity(None, LabelSets(mask, np.array(["a", "b"])), regions=[0] * 400)
    assert found.statuses() == [Status.SLOW]


def test_the_order_of_rows_does_not_matter() -> None:
    data = make_separated_clusters(300, eta=0.7, random_state=5)
    order = np.random.default_rng(6).permutation(300)
    sets, X = data.candidates, data.X
    first = ambiguity(X, sets)
    assert same(first, ambiguity(X[order], sets[order]))
    given = ambiguity(X, sets, regions=data.clusters)
    assert same(given, ambiguity(X[order], sets[order], regions=data.clusters[order]))
    assert not same(first, ambiguity(X, sets, random_state=1))
    near = local_ambiguity(X, sets)
    moved = local_ambiguity(X[order], sets[order])
    assert np.array_equal(near.eta.counts[order], moved.eta.counts)


def same(one: Ambiguity, other: Ambiguity) -> bool:
    fields = ("labels", "runner_ups", "n_chosen", "n_counted", "chosen", "counts")
    return one.regions == other.regions and all(
        np.array_equal(getattr(one, field), getattr(other, field)) for field in fields
    )


def test_sparse_inputs_give_the_same() -> None:
    data = make_separated_clusters(120, eta=0.4, random_state=8)
    assert same(
        ambiguity(data.X, data.candidates), ambiguity(sp.csr_array(data.X), data.candidates)
    )


def test_precomputed_distances() -> None:
    data = make_separated_clusters(120, eta=0.4, random_state=7)
    distances = np.linalg.norm(data.X[:, None] - data.X[None], axis=2)
    found = ambiguity(distances, data.candidates, weights=NeighborWeights(8, metric="precomputed"))
    assert found.regions == (0, 1, 2, 3)
    assert (found.covered.estimate == 1.0).all()


@pytest.mark.parametrize("confidence", [0.0, 1.0, 5, float("nan"), "0.95", None])
def test_invalid_confidences(confidence: object) -> None:
    message = r"confidence must be a finite number > 0 and < 1"
    sets = LabelSets(drawn(20, np.random.default_rng(0)), np.arange(K))
    with pytest.raises(ValueError, match=message):
        ambiguity(None, sets, regions=[0] * 20, confidence=confidence)
    found = ambiguity(None, sets, regions=[0] * 20)
    with pytest.raises(ValueError, match=message):
        replace(found, confidence=confidence)
