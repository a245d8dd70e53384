"""The experiment of the demonstration: data, sets, splits and selection."""

from itertools import islice

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.cli.demo.command import DATASETS as OFFERED
from disambig.cli.demo.experiment import (
    CEILING,
    DATASETS,
    KINDS,
    LEVELS,
    METHODS,
    Demo,
    inner_folds,
    load_labelled_data,
    select_n_neighbors,
)


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo(load_labelled_data("iris"), n_splits=2, seed=3)


def test_the_command_offers_all_data_sets() -> None:
    assert OFFERED == DATASETS


@pytest.mark.parametrize("name", DATASETS)
def test_data_are_numbers_with_labels(name: str) -> None:
    data = load_labelled_data(name)
    assert np.isfinite(data.X).all()
    assert data.labels.shape == (len(data.X),)
    assert set(data.labels) == set(range(len(data.classes)))
    assert data.labels.tolist().count(data.most_frequent) == np.bincount(data.labels).max()


def test_unknown_data_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"dataset must be one of 'digits'.*; got 'mnist'"):
        load_labelled_data("mnist")


@pytest.mark.parametrize("kind", KINDS)
def test_the_true_class_is_always_a_candidate_and_levels_are_nested(demo: Demo, kind: str) -> None:
    before = demo.sets(kind, 0.0, split=0)
    assert before.is_single.all()
    for level in (*LEVELS, 1.0):
        sets = demo.sets(kind, level, split=0)
        assert sets.contains(demo.truth).all()
        assert (sets.mask >= before.mask).all()
        before = sets
    assert before.is_whole.all() == (kind == "uniform")


def test_only_the_most_frequent_class_is_added_to_skewed_sets(demo: Demo) -> None:
    mask = demo.sets("skewed", 1.0, split=0).mask.copy()
    mask[:, demo.data.most_frequent] = False
    others = demo.data.labels != demo.data.most_frequent
    np.testing.assert_array_equal(mask.sum(axis=1), others)


def test_candidates_are_added_with_probability_level() -> None:
    demo = Demo(load_labelled_data("digits"), seed=1)
    sets = demo.sets("uniform", 0.3, split=0)
    # 16,173 independent draws: five standard deviations are 0.018.
    assert (sets.sizes.mean() - 1) / 9 == pytest.approx(0.3, abs=0.018)


def test_splits_differ_and_share_no_row(demo: Demo) -> None:
    (rows, test), (other_rows, _) = demo.splits
    assert not set(rows) & set(test)
    assert rows.size + test.size == len(demo.data.labels)
    assert set(rows) != set(other_rows)
    assert demo.sets("uniform", 0.5, 0) != demo.sets("uniform", 0.5, 1)


def test_one_split_is_an_error() -> None:
    with pytest.raises(ValueError, match="n_splits must be an integer >= 2; got 1"):
        Demo(load_labelled_data("iris"), n_splits=1)


def test_unknown_kinds_are_an_error(demo: Demo) -> None:
    with pytest.raises(ValueError, match=r"kind must be one of .*; got 'odd'"):
        demo.sets("odd", 0.5, 0)


def test_a_run_is_repeatable(demo: Demo) -> None:
    n = 2 * (len(METHODS) + 1)
    first = list(islice(demo.run(), n))
    again = list(islice(Demo(demo.data, n_splits=2, seed=3).run(), n))
    assert first == again
    assert [o.method for o in first] == 2 * [*METHODS, CEILING]
    ceilings = {(o.error, o.recovered) for o in first if o.method == CEILING}
    assert len(ceilings) == 1
    assert ceilings.pop()[1] == 1.0


def test_the_selected_number_of_neighbours_depends_on_the_sets() -> None:
    """Few for labels that change every fourth row, many for random labels."""
    X = np.repeat(np.arange(30.0), 4)[:, None]
    rows = np.arange(120)
    folds = inner_folds(X, rows, [3, 60], n_folds=3, seed=0)
    local = LabelSets.from_labels(np.repeat(np.arange(30) % 3, 4))
    assert select_n_neighbors(folds, local, "average") == 3
    # Two of three rows, at random, are of class 0: with many neighbours it has the majority.
    noise = np.random.default_rng(0).permutation(np.arange(120) % 3 == 0).astype(int)
    assert select_n_neighbors(folds, LabelSets.from_labels(noise), "average") == 60
