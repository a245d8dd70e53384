"""Made-up stories: their data, the alternatives, stored outcomes, and the table."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import stories
from benchmarks.made_up import few_labels, many_classes, numbers, orders, tags
from benchmarks.made_up.running import Outcome, run, run_story
from benchmarks.made_up.story import Drawn, Method, Score, Story, share_right
from benchmarks.stories import STORIES, line, roughness, run_all, targets, verdict
from disambig.exceptions import DatasetError
from tests.estimators.small_search import small_search

MADE_UP = [story for story in STORIES if not story.name.startswith("satimage")]


def story_of(name: str) -> Story:
    (story,) = (story for story in STORIES if story.name == name)
    return story


@pytest.mark.parametrize("story", MADE_UP, ids=lambda story: story.name)
def test_data_depend_on_the_seed_alone(story: Story) -> None:
    n = 300
    first, same, other = (story.draw(seed, n) for seed in (0, 0, 1))
    assert first.digest == same.digest != other.digest
    assert len(first.X) == len(first.y) == n
    assert len(first.queries) == len(first.truth)


def test_salaries_are_in_bands_with_an_open_one() -> None:
    lower, upper = numbers.salaries(0, 800).y.T
    place = np.searchsorted(numbers.BAND_ENDS, lower)
    np.testing.assert_array_equal(numbers.BAND_ENDS[place], lower)
    np.testing.assert_array_equal(numbers.BAND_ENDS[place + 1], upper)
    assert 0.02 < np.isinf(upper).mean() < 0.2


def test_sine_intervals_contain_the_wave() -> None:
    drawn = numbers.sine(0, 400)
    value = np.sin(10 * drawn.X[:, 0])
    assert (drawn.y[:, 0] <= value).all()
    assert (value <= drawn.y[:, 1]).all()
    is_half_line, is_point = np.isinf(drawn.y).any(axis=1), drawn.y[:, 0] == drawn.y[:, 1]
    assert 0.25 < is_half_line.mean() < 0.42
    assert 0.25 < is_point.mean() < 0.42


def test_the_middle_of_an_interval_and_the_end_of_a_half_line() -> None:
    y = np.array([[1.0, 3.0], [-np.inf, 5.0], [4.0, np.inf], [2.0, 2.0]])
    assert numbers.mid_points(y).tolist() == [2.0, 5.0, 4.0, 2.0]


def test_shares_of_what_is_observed() -> None:
    n_pairs = len(orders.ITEMS) * (len(orders.ITEMS) - 1) / 2
    compared = [len(row) / n_pairs for row in orders.linear(0, 400).y]
    assert 0.37 < np.mean(compared) < 0.43
    assert 0.57 < np.isnan(tags.tags(0, 600).y).mean() < 0.63
    known = story_of("moons-2000-5").draw(0, 2000).y
    assert np.bincount(known[known >= 0]).tolist() == [5, 5]
    sizes = many_classes.draw("uniform", 0, 500).y.sum(axis=1)
    assert 0.66 < (sizes.mean() - 1) / (many_classes.N_CLASSES - 1) < 0.74


@pytest.mark.parametrize("method", few_labels.OTHERS, ids=lambda method: method.name)
def test_alternatives_find_two_clusters(method: Method) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 4.0 * y[:, None]
    known = np.where(np.arange(80) % 8 == 0, y, -1)
    rest = np.flatnonzero(known < 0)
    outcome = run(story_of("moons-2000-5"), method, Drawn(X, known, rest, y[rest]))
    assert outcome.score > 0.9


# What a constant, a random order, the more frequent value or a guess has, and a margin.
@pytest.mark.parametrize(
    ("name", "n", "needed"),
    [
        ("friedman", 150, -4.5),
        ("preferences-linear", 80, 0.3),
        ("tags", 150, 0.65),
        ("26-classes-uniform", 300, 0.08),
    ],
)
def test_alternatives_learn(name: str, n: int, needed: float) -> None:
    story = story_of(name)
    drawn = story.draw(0, n)
    for method in story.others:
        if not method.uses_disambig:
            assert story.score.sign * run(story, method, drawn).score > needed, method.name


@pytest.mark.parametrize("name", ["salaries", "tags", "circles-2000-5"])
@small_search()
def test_our_defaults_take_the_data(name: str) -> None:
    story = story_of(name)
    drawn = story.draw(0, 60)
    assert np.isfinite(run(story, story.ours, drawn).score)


ACCURACY = Score("accuracy", share_right, higher_is_better=True)


def small_story(ours: Method, *others: Method) -> Story:
    def draw(seed: int, n: int) -> Drawn:
        return Drawn(np.zeros((n, 1)), np.zeros(n), np.arange(4), np.arange(4) % 2 + seed)

    return Story("small", draw, 5, ACCURACY, ours, others)


def test_outcomes_are_kept_by_version_and_data(tmp_path: Path) -> None:
    calls: list[int] = []

    def learn(drawn: Drawn) -> object:
        calls.append(len(drawn.X))
        return [0, 1, 0, 0]

    ours = Method("ours", learn)
    story = small_story(ours, Method("dense", learn, max_rows=4))
    path = tmp_path / "outcomes.jsonl"
    found = run_story(story, 2, path=path)
    assert [outcome.score for outcome in found["ours"]] == [0.75, 0.0]
    assert set(found) == {"ours"}  # the other takes at most four rows
    assert len(calls) == 2
    assert run_story(story, 2, path=path) == found
    assert len(calls) == 2
    run_story(replace(story, ours=replace(ours, version=2)), 2, path=path)
    assert len(calls) == 4
    run_story(story, 2, n=4, path=path)
    assert len(calls) == 8


def outcomes(*values: float, seconds: float = 1.0) -> list[Outcome]:
    return [Outcome(value, seconds) for value in values]


def test_the_verdict_is_on_differences_seed_by_seed() -> None:
    def nothing(drawn: Drawn) -> object:
        return drawn

    methods = [Method(name, nothing) for name in ("ours", "good", "bad")]
    story = small_story(*methods)
    found = {
        "ours": outcomes(0.5, 0.7, 0.9, seconds=2.0),
        "good": outcomes(0.6, 0.7, 0.95),
        "bad": outcomes(0.1, 0.1, 0.1),
    }
    result = verdict(story, found)
    gains = np.array([-0.1, 0.0, -0.05])
    assert result.best == "good"
    assert result.difference == pytest.approx(-0.05)
    assert result.error == pytest.approx(gains.std(ddof=1) / np.sqrt(3))
    assert not result.is_good
    assert line(story, found) == (
        "| small | accuracy ↑ | 0.700 ± 0.115 | good 0.750 ± 0.104; bad 0.100 ± 0.000 | "
        "-0.050 ± 0.029 | **no** | 2.00 | 1.00 |"
    )
    # As an error, of which less is better, the same numbers speak for ours.
    error = replace(story, score=replace(ACCURACY, higher_is_better=False), target=0.6)
    assert verdict(error, {name: found[name] for name in ("ours", "good")}).is_good
    assert targets([error], {"small": found}) == [
        "Target of small: accuracy ≤ 0.6; ours has 0.700, **not met**."
    ]


def test_how_rough_the_errors_are() -> None:
    assert roughness(3) == "Standard errors from 3 seeds are themselves uncertain by about 50%."
    assert roughness(1) == "With one seed there are no standard errors."


def test_absent_data_are_left_out_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(seed: int, n: int) -> Drawn:
        raise DatasetError("no such data here")

    story = replace(story_of("satimage-1"), draw=absent)
    found, skipped = run_all([story], 1, tmp_path / "outcomes.jsonl")
    assert not found
    assert skipped == {"satimage-1": "no such data here"}
    assert "satimage-1 is left out. no such data here" in capsys.readouterr().err
    text = stories.report(found, skipped, 3, "python -m benchmarks.stories")
    assert "Left out: satimage-1. no such data here" in text
