"""The contract of corruptions of labels, tested for all of them."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.datasets import ambiguity_degree
from disambig.datasets.corruptions.protocol import Corruption
from disambig.datasets.corruptions.registry import CORRUPTIONS


def positive_scores(n: int, K: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).dirichlet(np.ones(K), size=n)


def make(name: str, level: float, n: int, K: int, **options: Any) -> Corruption:
    if name == "instance":
        options = {"scores": positive_scores(n, K), **options}
    return CORRUPTIONS[name](level, **options)


names = pytest.mark.parametrize("name", CORRUPTIONS)
levels = st.floats(0, 1)
labellings = st.tuples(
    st.integers(1, 5), st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 99)
).map(lambda drawn: (drawn[0], np.array(drawn[1]) % drawn[0], drawn[2]))


def test_the_names_that_benchmarks_use() -> None:
    assert list(CORRUPTIONS) == [
        "uniform",
        "skewed_text",
        "skewed_code",
        "pairwise",
        "instance",
        "semi_supervised",
    ]
    assert all(isinstance(make(name, 0.5, 2, 2), Corruption) for name in CORRUPTIONS)


@names
@given(labellings, levels)
def test_sets_contain_the_truth(name: str, labelling: tuple[int, Any, int], level: float) -> None:
    K, y, seed = labelling
    corruption = make(name, level, len(y), K)
    sets = corruption(y, classes=np.arange(K), random_state=seed)
    assert isinstance(sets, LabelSets)
    assert sets.shape == (len(y), K)
    assert sets.weights is None
    assert sets.contains(y).all()


@names
@given(labellings, levels)
def test_sets_agree_with_probabilities_zero_and_one(
    name: str, labelling: tuple[int, Any, int], level: float
) -> None:
    K, y, seed = labelling
    corruption = make(name, level, len(y), K)
    probabilities = corruption.probabilities(y, classes=np.arange(K))
    assert probabilities.shape == (len(y), K)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    mask = corruption(y, classes=np.arange(K), random_state=seed).mask
    assert not (mask & (probabilities == 0)).any()
    assert not (~mask & (probabilities == 1)).any()


@names
@given(labellings, levels)
def test_inclusion_is_the_mean_over_the_rows_of_a_class(
    name: str, labelling: tuple[int, Any, int], level: float
) -> None:
    K, y, _ = labelling
    corruption = make(name, level, len(y), K)
    inclusion = corruption.inclusion(y, classes=np.arange(K))
    probabilities = corruption.probabilities(y, classes=np.arange(K))
    assert inclusion.shape == (K, K)
    assert (np.diag(inclusion) == 1).all()
    for label in np.unique(y):
        np.testing.assert_allclose(inclusion[label], probabilities[y == label].mean(0), atol=1e-12)


@names
@given(labellings, levels, levels)
def test_sets_of_one_seed_grow_with_the_level(
    name: str, labelling: tuple[int, Any, int], first: float, second: float
) -> None:
    K, y, seed = labelling
    low, high = sorted((first, second))
    fewer = make(name, low, len(y), K)(y, classes=np.arange(K), random_state=seed)
    more = make(name, high, len(y), K)(y, classes=np.arange(K), random_state=seed)
    assert (more.mask >= fewer.mask).all()


@names
@given(labellings)
def test_at_level_zero_sets_are_the_labels(name: str, labelling: tuple[int, Any, int]) -> None:
    K, y, seed = labelling
    corruption = make(name, 0, len(y), K)
    sets = corruption(y, classes=np.arange(K), random_state=seed)
    assert sets == LabelSets.from_labels(y, np.arange(K))
    assert ambiguity_degree(corruption, y, classes=np.arange(K)) == 0
    np.testing.assert_array_equal(corruption.inclusion(y, classes=np.arange(K)), np.eye(K))


@names
@given(labellings, levels)
def test_the_ambiguity_degree_is_the_largest_probability_of_a_wrong_class(
    name: str, labelling: tuple[int, Any, int], level: float
) -> None:
    K, y, _ = labelling
    corruption = make(name, level, len(y), K)
    eta = ambiguity_degree(corruption, y, classes=np.arange(K))
    wrong = corruption.probabilities(y, classes=np.arange(K))[y[:, None] != np.arange(K)]
    assert eta == max(wrong.tolist(), default=0)


@names
def test_frequencies_agree_with_the_probabilities(name: str) -> None:
    """Five standard deviations of a binomial, for every pair of classes; seeds are fixed."""
    K, n, draws = 4, 60, 400
    y = np.repeat(np.arange(K), [30, 15, 10, 5])
    options = {"min_per_class": 3} if name == "semi_supervised" else {}
    corruption = make(name, 0.4, n, K, **options)
    rng = np.random.default_rng(0)
    frequencies = np.mean([corruption(y, random_state=rng).mask for _ in range(draws)], axis=0)
    expected = corruption.probabilities(y)
    deviation = np.sqrt(expected * (1 - expected) / draws)
    assert (np.abs(frequencies - expected) <= 5 * deviation).all()
    by_class = np.array([frequencies[y == label].mean(axis=0) for label in range(K)])
    expected = corruption.inclusion(y)
    counts = np.bincount(y)[:, None] * draws
    deviation = np.sqrt(expected * (1 - expected) / counts)
    assert (np.abs(by_class - expected) <= 5 * deviation + 1e-12).all()


@names
def test_a_seed_repeats_and_another_does_not(name: str) -> None:
    y = np.arange(300) % 3
    corruption = make(name, 0.5, 300, 3)
    assert corruption(y, random_state=7) == corruption(y, random_state=7)
    assert corruption(y, random_state=7) == corruption(y, random_state=np.random.default_rng(7))
    assert corruption(y, random_state=7) != corruption(y, random_state=8)


@names
def test_columns_are_in_the_order_of_the_classes(name: str) -> None:
    y = ["cow", "ant", "cow", "bee", "cow"]
    sets = make(name, 0.5, 5, 3)(y, random_state=0)
    assert sets.classes.tolist() == ["ant", "bee", "cow"]
    named = ["cow", "dog", "ant", "bee"]
    wider = make(name, 0.5, 5, 4)(y, classes=named, random_state=0)
    assert wider.classes.tolist() == named
    assert wider.contains(y).all()


@names
@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan"), float("inf"), "0.5", True, None])
def test_invalid_levels(name: str, level: Any) -> None:
    with pytest.raises(ValueError, match=r"Corruption: level must be a number from 0 to 1; got"):
        make(name, level, 3, 2)


@names
def test_it_is_frozen_and_can_be_pickled(name: str) -> None:
    y = np.arange(12) % 3
    corruption = make(name, 0.5, 12, 3)
    with pytest.raises(AttributeError):
        corruption.level = 0.6  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(corruption))
    assert again(y, random_state=0) == corruption(y, random_state=0)
