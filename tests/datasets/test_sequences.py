"""`make_tag_sequences`: allowed transitions, hidden tags and inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.datasets import make_tag_sequences


@given(
    n=st.integers(1, 30),
    length=st.integers(1, 6),
    n_tags=st.integers(1, 5),
    hidden=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_shapes_transitions_and_hidden_tags(
    n: int, length: int, n_tags: int, hidden: float, seed: int
) -> None:
    data = make_tag_sequences(
        n, length=length, n_tags=n_tags, n_features=3, hidden=hidden, random_state=seed
    )
    assert data.X.shape == (n, 3)
    assert data.tags.shape == data.partial.shape == (n, length)
    assert data.allowed.shape == (n_tags, n_tags)
    assert ((data.tags >= 0) & (data.tags < n_tags)).all()
    assert data.allowed[data.tags[:, :-1], data.tags[:, 1:]].all()
    observed = data.partial >= 0
    np.testing.assert_array_equal(data.partial[observed], data.tags[observed])
    assert (data.partial[~observed] == -1).all()


def test_the_default_transitions_need_a_pause() -> None:
    allowed = make_tag_sequences(1, n_tags=3, random_state=0).allowed
    np.testing.assert_array_equal(allowed, [[1, 1, 1], [1, 1, 0], [1, 0, 1]])


def test_other_transitions() -> None:
    cycle = np.roll(np.eye(3, dtype=bool), 1, axis=1)
    data = make_tag_sequences(50, n_tags=3, allowed=cycle, random_state=0)
    np.testing.assert_array_equal(data.tags[:, 1:], (data.tags[:, :-1] + 1) % 3)
    cycle[0, 0] = True
    assert not data.allowed[0, 0], "the caller's array is copied"


def test_the_same_seed_gives_the_same_data_and_a_generator_advances() -> None:
    first, second = (make_tag_sequences(20, random_state=7) for _ in range(2))
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)
    rng = np.random.default_rng(7)
    np.testing.assert_array_equal(make_tag_sequences(20, random_state=rng).X, first.X)
    assert not np.array_equal(make_tag_sequences(20, random_state=rng).X, first.X)


def test_levels_of_one_seed_are_nested() -> None:
    less, more = (make_tag_sequences(200, hidden=h, random_state=1) for h in (0.3, 0.6))
    np.testing.assert_array_equal(less.tags, more.tags)
    np.testing.assert_array_equal(less.X, more.X)
    assert (more.partial[less.partial < 0] == -1).all()
    assert (more.partial < 0).sum() > (less.partial < 0).sum()


def test_rates_of_hidden_tags() -> None:
    rates = np.array([0.1, 0.9, 0.5])
    data = make_tag_sequences(4000, n_tags=3, hidden=rates, random_state=0)
    for tag, rate in enumerate(rates):
        is_hidden = data.partial[data.tags == tag] < 0
        # Four standard deviations of a binomial share.
        assert abs(is_hidden.mean() - rate) < 4 * np.sqrt(rate * (1 - rate) / is_hidden.size)


def test_inputs_determine_tags_up_to_noise() -> None:
    clean, noisy = (make_tag_sequences(1000, noise=s, random_state=2) for s in (0.0, 0.5))
    np.testing.assert_array_equal(clean.tags, noisy.tags)
    spread = (noisy.X - clean.X).std()
    assert spread == pytest.approx(0.5, rel=0.1)

    def agreement(X: np.ndarray) -> float:
        distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        return float((clean.tags[distances.argmin(axis=1)] == clean.tags).mean())

    assert agreement(clean.X) > 0.9 > agreement(noisy.X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": 0}, "length must be an integer >= 1; got 0"),
        ({"n_tags": 0}, "n_tags must be an integer >= 1; got 0"),
        ({"n_features": 0}, "n_features must be an integer >= 1; got 0"),
        ({"hidden": 1.5}, "hidden must be a number from 0 to 1.*; got 1.5"),
        ({"hidden": np.nan}, "hidden must be a number from 0 to 1"),
        ({"hidden": [0.5, 0.5]}, "4 of them, one for each tag"),
        ({"allowed": np.eye(3, dtype=bool)}, r"shape \(3, 3\); expected bool of shape \(4, 4\)"),
        ({"allowed": np.eye(4)}, "allowed is float64"),
        ({"allowed": np.diag([True, True, False, True])}, "no tag may follow tag 2"),
    ],
)
def test_invalid_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_tag_sequences(5, **options)


def test_zero_samples_are_an_error() -> None:
    with pytest.raises(ValueError, match="n_samples must be an integer >= 1; got 0"):
        make_tag_sequences(0)
