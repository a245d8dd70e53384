"""The benchmark of bags: what is given, baselines, kept outcomes; and the shares of precincts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from benchmarks import bags, precincts
from benchmarks.kept_outcomes import KeptOutcomes
from disambig.exceptions import NoInformationError


@pytest.fixture
def adult(tmp_path, monkeypatch):
    """Forty rows in two bags, in the form of the Adult data."""
    place = tmp_path / "proportions" / "adult"
    place.mkdir(parents=True)
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    pd.DataFrame({"x": y + rng.normal(size=40), "y": y}).to_parquet(place / "adult.parquet")
    bag = pd.DataFrame({"bag": (rng.random(40) < 0.3 + 0.4 * y).astype(int)})
    bag.to_parquet(place / "adult-hard-large-mixed-one.parquet")
    monkeypatch.setenv("DISAMBIG_DATA", str(tmp_path))
    return tmp_path


def test_outcomes_of_splits_are_kept_and_averaged(adult, monkeypatch):
    calls = []

    def ones(X, bag, given, new):
        calls.append(given)
        return np.ones(len(new), dtype=int)

    monkeypatch.setattr(bags, "METHODS", {"ours": ones})
    path = adult / "outcomes.jsonl"
    first = list(bags.adult(2, ["hard"], KeptOutcomes(path, bags.Outcome)))
    again = list(bags.adult(3, ["hard"], KeptOutcomes(path, bags.Outcome)))
    assert len(calls) == 3
    assert first[0].startswith("| hard | 2 | ours |")
    assert again[0].startswith("| hard | 3 | ours |")
    assert again[1] == "| hard | 30 | published | 0.565 | 0.798 | |"
    assert all(sum(shares.values()) == pytest.approx(1.0) for shares in calls[0].values())


def test_what_says_nothing_is_in_the_table(adult, monkeypatch):
    def refuses(X, bag, given, new):
        raise NoInformationError("equal shares")

    monkeypatch.setattr(bags, "METHODS", {"ours": refuses})
    (line, _) = bags.adult(2, ["hard"], KeptOutcomes(adult / "o.jsonl", bags.Outcome))
    assert line == "| hard | 0 | ours | refused: equal shares... | | |"


def test_the_baselines_learn_from_unlike_bags():
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = y[:, None] * 3.0 + rng.normal(size=(400, 2))
    names = np.where(rng.random(400) < 0.2 + 0.6 * y, "p", "q")
    given = bags.shares(y, names)
    assert given["p"][1] == pytest.approx(y[names == "p"].mean())
    for method in (bags.average, bags.bag_regression):
        assert (method(X, names, given, X) == y).mean() > 0.9


def test_shares_of_precincts_keep_both_sums():
    rng = np.random.default_rng(2)
    truth = rng.gamma(1.0, size=(20, 3, 3))
    truth /= truth.sum(axis=(1, 2), keepdims=True)
    races, parties = truth.sum(axis=2), truth.sum(axis=1)
    found = precincts.fitted(np.full((3, 3), 1 / 3), races, parties)
    assert_allclose(found.sum(axis=2), 1.0)
    assert_allclose(np.einsum("br,brp->bp", races, found), parties, atol=1e-8)
    exact = truth / races[:, :, None]
    assert precincts.error(exact, truth) == pytest.approx(0.0)
    # The same shares in all precincts are found by the regression.
    common = rng.dirichlet(np.full(3, 9.0), size=3)
    assert_allclose(precincts.regression(races, races @ common), common, atol=1e-6)
    rows = precincts.apportioned(races / races.sum(axis=1, keepdims=True), 40)
    assert (rows.sum(axis=1) == 40).all()
    assert np.abs(rows - 40 * races / races.sum(axis=1, keepdims=True)).max() < 1.0
