"""Corruptions of numbers: their contract, and the distribution of each."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets import (
    BinCorruption,
    CensoringCorruption,
    MissingCorruption,
    RoundingCorruption,
    SignCorruption,
    SkewedCorruption,
    WidthCorruption,
)
from disambig.datasets.corruptions.protocol import IntervalCorruption
from disambig.datasets.corruptions.registry import INTERVAL_CORRUPTIONS
from disambig.exceptions import CandidateError

# A right distribution has a smaller p-value once in ten thousand tests; a wrong one, with
# thousands of draws, always.
MIN_P_VALUE = 1e-4
EITHER = SkewedCorruption(side="either")
ALL: dict[str, IntervalCorruption] = {
    "skewed": SkewedCorruption(),
    "skewed, radius from zero": SkewedCorruption(radius=0.0, scale=2.0),
    "skewed, either side": EITHER,
    "widths": WidthCorruption(3.0),
    "rounding": RoundingCorruption(0.1),
    "rounding down": RoundingCorruption(0.3, mode="down"),
    "bins": BinCorruption([-2.5, 0.0, 1.0]),
    "one edge": BinCorruption([0.5]),
    "left": CensoringCorruption(lower=0.0),
    "right": CensoringCorruption(upper=1.0),
    "both": CensoringCorruption(lower=-1.0, upper=1.0),
    "sign": SignCorruption(0.7),
    "sign of intervals": SignCorruption(0.7, within=EITHER),
    "missing": MissingCorruption(0.4),
    "missing intervals": MissingCorruption(0.4, within=SkewedCorruption()),
    "missing unions": MissingCorruption(0.4, within=SignCorruption(0.5, within=EITHER)),
}
UNIONS = {"sign", "sign of intervals", "missing unions"}
kinds = pytest.mark.parametrize("kind", ALL)
numbers = st.lists(
    st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 0.05, -2.5, 0.3]),
    min_size=1,
    max_size=12,
)


def test_the_names_that_benchmarks_use() -> None:
    assert list(INTERVAL_CORRUPTIONS) == [
        *("skewed", "widths", "rounding", "bins", "censoring", "sign", "missing")
    ]
    first = {"bins": [0.0]}
    made = [make(first.get(name, 1)) for name, make in INTERVAL_CORRUPTIONS.items()]
    assert all(isinstance(corruption, IntervalCorruption) for corruption in made)


# ------------------------------------------------------------------ the contract


@kinds
@given(numbers, st.integers(0, 999))
def test_sets_contain_the_truth(kind: str, y: list[float], seed: int) -> None:
    sets = ALL[kind](y, random_state=seed)
    assert isinstance(sets, IntervalUnions if kind in UNIONS else Intervals)
    assert len(sets) == len(y)
    assert sets.flat
    assert sets.contains(np.array(y)).all()


@pytest.mark.parametrize("kind", sorted(set(ALL) - UNIONS))
@given(st.integers(1, 6), st.integers(0, 999))
def test_several_columns(kind: str, n: int, seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=(n, 2))
    sets = ALL[kind](y, random_state=seed)
    assert not sets.flat
    assert sets.n_columns == 2
    assert sets.contains(y).all()


@kinds
def test_a_seed_repeats_and_another_does_not(kind: str) -> None:
    y = np.linspace(-3, 3, 50)
    corruption = ALL[kind]
    first, again = (corruption(y, random_state=3) for _ in range(2))
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    drawn = kind not in {"rounding", "rounding down", "bins", "one edge", "left", "right", "both"}
    other = corruption(y, random_state=4)
    same = np.array_equal(first.lower, other.lower) and np.array_equal(first.upper, other.upper)
    assert same != drawn


@kinds
def test_the_argument_is_not_changed(kind: str) -> None:
    y = np.array([0.5, -1.0, 2.0])
    before = y.copy()
    ALL[kind](y, random_state=0)
    np.testing.assert_array_equal(y, before)
    y.setflags(write=False)
    ALL[kind](y, random_state=0)


@kinds
def test_it_can_be_pickled(kind: str) -> None:
    copy = pickle.loads(pickle.dumps(ALL[kind]))
    y = [0.2, -4.0]
    np.testing.assert_array_equal(copy(y, random_state=1).lower, ALL[kind](y, random_state=1).lower)


@kinds
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_an_error(kind: str, bad: float) -> None:
    with pytest.raises(CandidateError, match=r"row 1 is .*1 such row\); expected finite numbers"):
        ALL[kind]([0.0, bad, 1.0])


@kinds
def test_a_wrong_shape_is_an_error(kind: str) -> None:
    with pytest.raises(CandidateError, match=r"y has shape \(1, 1, 1\); expected"):
        ALL[kind]([[[0.0]]])


# ------------------------------------------------------------------ distributions


def test_skewed_intervals_have_the_distribution_of_the_paper() -> None:
    """Radii are 1 plus exponentials of mean 1/3; shifts are uniform between 0 and the radius."""
    y = np.tile([2.0, -2.0], 5000)
    s = SkewedCorruption()(y, random_state=0)
    radii = (s.upper - s.lower).ravel() / 2
    shift = (s.centers.ravel() - y) * np.sign(y)
    assert kstest(radii - 1, "expon", args=(0, 1 / 3)).pvalue > MIN_P_VALUE
    assert kstest(shift / radii, "uniform").pvalue > MIN_P_VALUE
    assert abs(shift.mean() - 2 / 3) < 0.02


def test_the_truth_is_uniform_in_intervals_to_either_side() -> None:
    y = np.full(10_000, -2.0)
    for s in (EITHER(y, random_state=1), WidthCorruption(5.0)(y, random_state=1)):
        position = (y - s.lower.ravel()) / (s.upper - s.lower).ravel()
        assert kstest(position, "uniform").pvalue > MIN_P_VALUE
    widths = (s.upper - s.lower).ravel()
    assert kstest(widths / 5, "uniform").pvalue > MIN_P_VALUE


def test_intervals_of_zero_are_centred() -> None:
    assert SkewedCorruption()([0.0] * 5, random_state=0).centers.ravel().tolist() == [0.0] * 5


def test_intervals_grow_with_the_width() -> None:
    y = np.linspace(-1, 1, 20)
    sets = [WidthCorruption(w)(y, random_state=2) for w in (0.0, 0.5, 2.0, 9.0)]
    assert sets[0].is_point.all()
    for narrow, wide in pairwise(sets):
        assert (wide.lower <= narrow.lower).all()
        assert (wide.upper >= narrow.upper).all()


def test_rounding_intervals() -> None:
    s = RoundingCorruption(0.5)([0.74, 0.75, 1.24, -0.25])
    np.testing.assert_array_equal(s.lower.ravel(), [0.25, 0.75, 0.75, -0.25])
    np.testing.assert_array_equal(s.upper.ravel(), [0.75, 1.25, 1.25, 0.25])
    years = RoundingCorruption(1, mode="down")([17.99, 18.0])
    np.testing.assert_array_equal(years.lower.ravel(), [17, 18])
    np.testing.assert_array_equal(years.upper.ravel(), [18, 19])


def test_an_edge_belongs_to_the_bin_above() -> None:
    s = BinCorruption([0.0, 1.0])([-0.1, 0.0, 0.9, 1.0])
    np.testing.assert_array_equal(s.lower.ravel(), [-np.inf, 0, 0, 1])
    np.testing.assert_array_equal(s.upper.ravel(), [0, 1, 1, np.inf])


def test_censored_numbers_are_half_lines_from_the_limit() -> None:
    s = CensoringCorruption(lower=0.0, upper=[2.0, 2.0, 5.0, 1.0])([-3.0, 2.5, 2.5, 0.5])
    np.testing.assert_array_equal(s.lower.ravel(), [-np.inf, 2, 2.5, 0.5])
    np.testing.assert_array_equal(s.upper.ravel(), [0, np.inf, 2.5, 0.5])


def test_unknown_signs_mirror_the_interval() -> None:
    y = np.full(4000, 3.0)
    corruption = SignCorruption(0.7, within=WidthCorruption(1.0))
    s = corruption(y, random_state=0)
    two = np.diff(s.indptr) == 2
    assert abs(two.mean() - 0.7) < 0.03
    # Signs are drawn after the intervals, by the same generator.
    inner = WidthCorruption(1.0)(y, random_state=0)
    last = s.indptr[1:] - 1
    np.testing.assert_array_equal(s.lower[last], inner.lower.ravel())
    np.testing.assert_array_equal(s.upper[last], inner.upper.ravel())
    first = s.indptr[:-1][two]
    np.testing.assert_array_equal(s.lower[first], -inner.upper.ravel()[two])
    np.testing.assert_array_equal(s.upper[first], -inner.lower.ravel()[two])
    assert s.contains(np.where(two, -y, y)).all()


def test_mirror_images_that_meet_become_one_segment() -> None:
    s = SignCorruption(1.0, within=RoundingCorruption(1.0))([0.2, 0.6])
    np.testing.assert_array_equal(s.indptr, [0, 1, 3])
    np.testing.assert_array_equal(s.lower, [-0.5, -1.5, 0.5])
    np.testing.assert_array_equal(s.upper, [0.5, -0.5, 1.5])


def test_signs_known_at_a_level_are_known_below_it() -> None:
    y = np.linspace(1, 2, 40)
    counts = [np.diff(SignCorruption(p)(y, random_state=5).indptr) for p in (0, 0.2, 0.6, 1)]
    assert counts[0].tolist() == [1] * 40
    assert counts[-1].tolist() == [2] * 40
    for fewer, more in pairwise(counts):
        assert (fewer <= more).all()


@pytest.mark.parametrize("within", [None, SignCorruption(0.5)])
def test_the_number_of_missing_rows(within: Any) -> None:
    y = np.arange(1.0, 31.0)
    masks = [MissingCorruption(p, within)(y, random_state=6).informative for p in (0, 0.25, 0.7, 1)]
    assert [int((~known).sum()) for known in masks] == [0, 8, 21, 30]
    for less, more in pairwise(masks):
        assert (less >= more).all()


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SkewedCorruption(radius=-1), "SkewedCorruption: radius .* >= 0; got -1"),
        (lambda: SkewedCorruption(scale=np.inf), "SkewedCorruption: scale .* >= 0; got inf"),
        (lambda: SkewedCorruption(side="in"), "side must be one of 'outward', 'either'; got 'in'"),  # type: ignore[arg-type]
        (lambda: WidthCorruption("1"), "WidthCorruption: largest .* got '1'"),  # type: ignore[arg-type]
        (lambda: RoundingCorruption(0), "RoundingCorruption: step .* > 0; got 0"),
        (
            lambda: RoundingCorruption(1, mode="up"),
            "mode must be one of 'nearest', 'down'; got 'up'",
        ),  # type: ignore[arg-type]
        (lambda: BinCorruption([]), r"BinCorruption: edges must be .* got \[\]"),
        (lambda: BinCorruption([1, 1]), r"increasing; got \[1, 1\]"),
        (lambda: BinCorruption([0, np.nan]), "increasing; got"),
        (lambda: CensoringCorruption(np.nan), "lower must be a number, or one for each row"),
        (lambda: CensoringCorruption([[0.0]]), "lower must be a number, or one for each row"),
        (lambda: CensoringCorruption(1, 1), r"lower must be below upper.*lower=1\.0, upper=1\.0"),
        (lambda: CensoringCorruption([0, 0], [1, 1, 1]), "lower has 2 rows and upper 3"),
        (lambda: CensoringCorruption([0, 0])([1.0]), "lower has 2 rows and y 1"),
        (lambda: SignCorruption(1.5), "SignCorruption: level must be a number from 0 to 1"),
        (lambda: SignCorruption(0.5)([[1.0, 2.0]]), r"y has shape \(1, 2\); expected numbers"),
        (
            lambda: SignCorruption(0.5, within=SignCorruption(0.5))([1.0]),
            "within returned IntervalUnions; expected Intervals",
        ),
        (lambda: MissingCorruption(-0.1), "MissingCorruption: level must be"),
    ],
)
def test_invalid_arguments(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
