"""`make_sine_intervals`: its targets, sets and draws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from benchmarks.reference import environment
from benchmarks.reference.jobs import run_job
from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets import (
    RoundingCorruption,
    SignCorruption,
    SkewedCorruption,
    make_sine_intervals,
)
from disambig.datasets.sine_intervals import SineIntervals
from reproduce.interval.problems import sine_problem


@given(n=st.integers(1, 30), design=st.sampled_from(["uniform", "grid"]), seed=st.integers(0, 1000))
def test_targets_are_a_sine_inside_their_sets(n: int, design: Any, seed: int) -> None:
    data = make_sine_intervals(n, design=design, random_state=seed)
    assert isinstance(data, SineIntervals)
    assert isinstance(data.sets, Intervals)
    assert data.X.shape == (n, 1)
    assert ((data.X >= 0) & (data.X <= 1)).all()
    np.testing.assert_allclose(data.targets, np.sin(10 * data.X.ravel()), atol=1e-12)
    assert data.sets.contains(data.targets).all()


def test_inputs_are_uniform() -> None:
    assert kstest(make_sine_intervals(3000, random_state=0).X.ravel(), "uniform").pvalue > 0.01


def test_frequency_offset_and_grid() -> None:
    X, _, y = make_sine_intervals(5, frequency=np.pi, offset=3, design="grid")
    np.testing.assert_array_equal(X.ravel(), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(y, 3 + np.sin(np.pi * X.ravel()))


def test_a_seed_repeats_and_other_corruptions_have_its_inputs() -> None:
    first, again = (make_sine_intervals(random_state=7) for _ in range(2))
    np.testing.assert_array_equal(first.sets.lower, again.sets.lower)
    rounded = make_sine_intervals(corruption=RoundingCorruption(1), random_state=7)
    np.testing.assert_array_equal(first.X, rounded.X)
    assert set(np.unique(rounded.sets.upper - rounded.sets.lower)) == {1.0}


def test_the_problem_of_unknown_signs() -> None:
    corruption = SignCorruption(0.7, within=SkewedCorruption(side="either"))
    data = make_sine_intervals(30, offset=3.0, corruption=corruption, random_state=1)
    assert isinstance(data.sets, IntervalUnions)
    assert data.sets.contains(data.targets).all()
    assert (np.diff(data.sets.indptr) == 2).any()


def test_the_draws_of_the_authors_figure() -> None:
    """Known values of their first seed, for machines without their program."""
    X, intervals, *_ = sine_problem(0)
    np.testing.assert_allclose(X[:3, 0], [0.5488135, 0.71518937, 0.60276338], atol=1e-8)
    centers = intervals.centers[:3, 0]
    np.testing.assert_allclose(centers, [-1.76869969, 1.73233279, -0.80125583], atol=1e-8)


def test_the_data_of_the_authors_program() -> None:
    found = environment.find()
    if found is None or "dataloader" not in found.optional:
        pytest.skip("no reference environment with their generators")
    seeds = [0, 1, 17]
    theirs = run_job(found, "interval_data", {"n": 10, "seeds": np.array(seeds)})
    for t, seed in enumerate(seeds):
        ours = sine_problem(seed)
        np.testing.assert_array_equal(ours.X.ravel(), theirs["X"][t])
        np.testing.assert_allclose(ours.targets, theirs["y"][t], rtol=1e-14)
        np.testing.assert_allclose(ours.centers, theirs["centers"][t], rtol=1e-12)
        np.testing.assert_allclose(ours.radii, theirs["radii"][t], rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "n_samples must be an integer >= 1; got 0"),
        ({"n_samples": True}, "n_samples must be an integer >= 1; got True"),
        ({"frequency": np.nan}, "frequency must be a finite number; got nan"),
        ({"offset": "a"}, "offset must be a finite number; got 'a'"),
        ({"design": "line"}, "design must be one of 'uniform', 'grid'; got 'line'"),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"make_sine_intervals: {message}"):
        make_sine_intervals(**arguments)
