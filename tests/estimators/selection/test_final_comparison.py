"""Landmarks against neighbours on many rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.estimators.selection import SearchSpace, Trial, select_weights_and_solver
from disambig.estimators.selection import space as pieces
from disambig.estimators.selection.hidden_sets import HiddenSets, Score
from disambig.estimators.selection.search import _asked, best_of_each_family, final_comparison
from disambig.estimators.selection.trials import trial_of
from disambig.losses import ZeroOneLoss
from disambig.solvers import AnnealedMinimization
from disambig.votes import as_votes
from disambig.weights import NeighborWeights, NystromWeights, ScaledWeights, hash_rows

FEW = NystromWeights(n_landmarks=2)
SOON = SearchSpace(comparison_hidden=(20, 60))
NEAR, SCALED = NeighborWeights(3), ScaledWeights(NeighborWeights(3), np.ones(2))


def trial(weights, score):
    return Trial(weights, AnnealedMinimization(), score, score)


@pytest.fixture(scope="module")
def board():
    """A board of sixteen fields in two colours, of which each row has one for sure or both."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, size=(400, 2))
    truth = X.astype(int).sum(axis=1) % 2
    mask = np.eye(2, dtype=np.bool_)[truth] | (rng.random((400, 1)) < 0.5)
    return X, truth, LabelSets(mask, np.arange(2))


def test_the_best_of_every_sort_are_rivals():
    trials = [trial(FEW, 0.1), trial(SCALED, 0.2), trial(FEW, 0.3), trial(NEAR, 0.4)]
    trials += [trial(ScaledWeights(FEW, np.ones(2)), 0.5), trial(NEAR, 0.6)]
    assert best_of_each_family(trials) == [trials[0], trials[1], trials[3]]
    assert best_of_each_family([trials[0], trials[2]]) == []
    assert best_of_each_family([trials[1], trials[3]]) == []


def test_many_rows_tell_who_is_better(board):
    X, _, sets = board
    loss = ZeroOneLoss().bind(sets.classes)
    # Two landmarks cannot know sixteen fields, whatever few rows said of them.
    found = final_comparison(
        SOON,
        [trial(FEW, 0.0), trial(NEAR, 0.5)],
        X,
        sets,
        loss,
        np.ones(400),
        hash_rows(X),
        "disambiguation",
    )
    assert [one.weights for one in found] == [NEAR, FEW]
    assert found[0].held_out_loss < 0.25
    assert found[1].held_out_loss > 0.35
    assert found[0].score < found[1].score


@pytest.mark.parametrize("method", ["disambiguation", "average", "infimum"])
def test_the_winner_is_chosen_and_first(board, monkeypatch, method):
    X, truth, sets = board
    monkeypatch.setattr(pieces, "is_affordable", lambda n: n <= 100)
    monkeypatch.setattr(pieces, "_LANDMARKS", 2)
    # One finalist: the play-off needs, and has, the best of the other sorts, too.
    small = SearchSpace(
        kernels={"gaussian": (0.1,)},
        ridges=(1e-4,),
        neighbors=(3, 5),
        finalists=1,
        largest_sample=200,
        comparison_rows=300,
        comparison_hidden=(20, 60),
    )
    loss = ZeroOneLoss().bind(sets.classes)
    weights, _, trials = select_weights_and_solver(X, sets, loss, None, np.ones(400), method, small)
    assert trials[0].weights is weights
    assert pieces.sort_of(weights) != "landmarks"
    sorts = [pieces.sort_of(one.weights) for one in trials[:3]]
    assert sorted(sorts) == ["as they are", "landmarks", "scaled"]
    assert [one.score for one in trials[:3]] == sorted(one.score for one in trials[:3])
    chosen = weights.fit(X).training_votes() @ np.eye(2)[truth]
    assert (chosen.argmax(axis=1) == truth).mean() > 0.8


def test_whole_kinds_are_asked_and_not_those_of_the_sample():
    numbers = np.repeat(np.arange(30), 4)
    told = np.ones(120, dtype=np.bool_)
    asked = _asked(told, numbers, 10, 100)
    # A sixth of 120 rows: five kinds of four, the last.
    assert_array_equal(np.flatnonzero(asked), np.arange(100, 120))
    assert_array_equal(np.flatnonzero(_asked(told, numbers, 5, 9)), np.arange(112, 120))
    told[::4] = False
    assert not _asked(told, numbers, 10, 100)[~told].any()
    # Too few, or one kind only: nothing is asked.
    assert not _asked(told, numbers, 50, 100).any()
    assert not _asked(told, np.zeros(120, dtype=int), 1, 100).any()


def test_few_rows_that_say_something_leave_it_to_the_final(board):
    X, _, sets = board
    few = LabelSets(sets.mask | (np.arange(400) > 80)[:, None], sets.classes)
    loss = ZeroOneLoss().bind(sets.classes)
    rivals = [trial(FEW, 0.0), trial(NEAR, 0.5)]
    more = (loss, np.ones(400), hash_rows(X), "disambiguation")
    assert final_comparison(SearchSpace(), rivals, X, few, *more) == []


def test_an_infimum_start_has_a_handicap():
    score = Score(0.2, 0.3, 0.05)
    assert trial_of(NEAR, AnnealedMinimization(), score).score == 0.3
    assert trial_of(NEAR, None, score).score == 0.3
    seeks = trial_of(NEAR, AnnealedMinimization(start="infimum"), score)
    assert seeks.score == pytest.approx(0.35)
    assert seeks.held_out_loss == 0.2


def test_rows_that_are_never_hidden_are_not_scored():
    sets = LabelSets(np.eye(2, dtype=np.bool_)[[0, 0, 1, 1]], np.arange(2))
    loss = ZeroOneLoss().bind(sets.classes)
    # Each of the last two hears the other's colour only: the last is missed, the first not asked.
    votes = as_votes([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]])
    for folds, missed in (([0, 1, -1, -1], 0.0), ([-1, -1, 0, 1], 0.5), ([0, -1, -1, 1], 0.5)):
        hidden = HiddenSets(sets, loss, np.array(folds), np.ones(4))
        assert hidden.of(votes, AnnealedMinimization()).loss == missed
        assert hidden.of_average(votes).loss == missed
        assert hidden.of_infimum(votes).loss == missed
