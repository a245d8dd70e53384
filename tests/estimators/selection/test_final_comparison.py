"""The final comparison of landmarks and neighbours on many rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.estimators.progress.reporting import reporting
from disambig.estimators.selection import LabelSelection, SearchSpace, Trial, select
from disambig.estimators.selection import space as space_module
from disambig.estimators.selection.hidden_sets import HiddenSets
from disambig.estimators.selection.labels import trial_of
from disambig.estimators.selection.protocol import HeldOutTrial, Score
from disambig.estimators.selection.sampling import rows_to_hide
from disambig.estimators.selection.search import Deadline, best_of_each_family, final_comparison
from disambig.losses import ZeroOneLoss
from disambig.solvers import AnnealedMinimization
from disambig.votes import as_votes
from disambig.weights import NeighborWeights, NystromWeights, ScaledWeights
from disambig.weights.row_groups import hash_rows

TWO_LANDMARKS = NystromWeights(n_landmarks=2)
FEW_HIDDEN = SearchSpace(comparison_hidden=(20, 60))
NEAR, SCALED = NeighborWeights(3), ScaledWeights(NeighborWeights(3), np.ones(2))


def trial(weights, score):
    return HeldOutTrial(str(weights), Trial(weights, AnnealedMinimization(), score, score))


def kind_of(sets, method="disambiguation"):
    return LabelSelection.of(sets, ZeroOneLoss().bind(sets.classes), method, None)


@pytest.fixture(scope="module")
def board():
    """A chessboard of sixteen fields; the set of a row has its colour, or both colours."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, size=(400, 2))
    truth = X.astype(int).sum(axis=1) % 2
    mask = np.eye(2, dtype=np.bool_)[truth] | (rng.random((400, 1)) < 0.5)
    return X, truth, LabelSets(mask, np.arange(2))


def test_the_best_of_every_family_are_finalists():
    trials = [trial(TWO_LANDMARKS, 0.1), trial(SCALED, 0.2)]
    trials += [trial(TWO_LANDMARKS, 0.3), trial(NEAR, 0.4)]
    trials += [trial(ScaledWeights(TWO_LANDMARKS, np.ones(2)), 0.5), trial(NEAR, 0.6)]
    sets = LabelSets(np.eye(2, dtype=np.bool_), np.arange(2))
    kind = kind_of(sets)
    assert best_of_each_family(kind, trials) == [trials[0], trials[1], trials[3]]
    assert best_of_each_family(kind, [trials[0], trials[2]]) == []
    assert best_of_each_family(kind, [trials[1], trials[3]]) == []


def test_many_rows_reverse_the_order_of_few(board):
    X, _, sets = board
    # Two landmarks cannot separate sixteen fields, although they scored best on few rows.
    found, hidden = final_comparison(
        FEW_HIDDEN,
        [trial(TWO_LANDMARKS, 0.0), trial(NEAR, 0.5)],
        X,
        kind_of(sets),
        np.ones(400),
        hash_rows(X),
        Deadline(),
    )
    assert sets.informative[hidden].all()
    assert hidden.size in range(20, 61)
    found = [one.trial for one in found]
    assert [one.weights for one in found] == [NEAR, TWO_LANDMARKS]
    assert found[0].held_out_loss < 0.25
    assert found[1].held_out_loss > 0.35
    assert found[0].score < found[1].score


@pytest.mark.parametrize(("last", "n_compared"), [(1, 0), (2, 2)])
def test_a_comparison_that_a_callback_ends_is_not_used(board, last, n_compared):
    X, _, sets = board
    finalists = [trial(TWO_LANDMARKS, 0.0), trial(NEAR, 0.5)]
    deadline, seen = Deadline(), []
    with reporting("test", lambda progress: seen.append(progress) or progress.iteration == last):
        found, _ = final_comparison(
            FEW_HIDDEN, finalists, X, kind_of(sets), np.ones(400), hash_rows(X), deadline
        )
    assert deadline.has_passed
    assert len(found) == n_compared
    assert seen[-1].stage == "final comparison"
    assert (seen[-1].iteration, seen[-1].total) == (last, 2)


@pytest.mark.parametrize("method", ["disambiguation", "average", "infimum"])
def test_the_best_of_the_comparison_is_selected_and_listed_first(board, monkeypatch, method):
    X, truth, sets = board
    monkeypatch.setattr(space_module, "is_affordable", lambda n: n <= 100)
    monkeypatch.setattr(space_module, "_MAX_LANDMARKS", 2)
    # One finalist of the screen; the comparison also gets the best of the other families.
    small = SearchSpace(
        kernels={"gaussian": (0.1,)},
        ridges=(1e-4,),
        neighbors=(3, 5),
        finalists=1,
        largest_sample=200,
        comparison_rows=300,
        comparison_hidden=(20, 60),
    )
    selection = select(kind_of(sets, method), X, np.ones(400), small)
    weights, trials = selection.weights, selection.records
    assert selection.compared == 3
    assert trials[0].weights is weights
    assert space_module.family_of(weights) != "landmarks"
    families = [space_module.family_of(one.weights) for one in trials[:3]]
    assert sorted(families) == ["landmarks", "scaled", "unscaled"]
    assert [one.score for one in trials[:3]] == sorted(one.score for one in trials[:3])
    scores = weights.fit(X).training_votes() @ np.eye(2)[truth]
    assert (scores.argmax(axis=1) == truth).mean() > 0.8


def test_whole_groups_are_hidden_and_not_those_of_the_sample():
    numbers = np.repeat(np.arange(30), 4)
    informative = np.ones(120, dtype=np.bool_)
    hidden = rows_to_hide(informative, numbers, 10, 100)
    # A sixth of 120 rows: the last five groups of four.
    assert_array_equal(np.flatnonzero(hidden), np.arange(100, 120))
    assert_array_equal(
        np.flatnonzero(rows_to_hide(informative, numbers, 5, 9)), np.arange(112, 120)
    )
    informative[::4] = False
    assert not rows_to_hide(informative, numbers, 10, 100)[~informative].any()
    # Too few rows, or one group only: none is hidden.
    assert not rows_to_hide(informative, numbers, 50, 100).any()
    assert not rows_to_hide(informative, np.zeros(120, dtype=int), 1, 100).any()


def test_no_comparison_with_few_informative_rows(board):
    X, _, sets = board
    few = LabelSets(sets.mask | (np.arange(400) > 80)[:, None], sets.classes)
    finalists = [trial(TWO_LANDMARKS, 0.0), trial(NEAR, 0.5)]
    found, hidden = final_comparison(
        SearchSpace(), finalists, X, kind_of(few), np.ones(400), hash_rows(X), Deadline()
    )
    assert found == []
    assert not hidden.size


def test_the_infimum_start_costs_a_standard_error():
    score = Score(0.2, 0.3, 0.05)
    assert trial_of(NEAR, AnnealedMinimization(), score).score == 0.3
    assert trial_of(NEAR, None, score).score == 0.3
    infimum = trial_of(NEAR, AnnealedMinimization(start="infimum"), score)
    assert infimum.score == pytest.approx(0.35)
    assert infimum.held_out_loss == 0.2


def test_rows_that_are_never_hidden_are_not_scored():
    sets = LabelSets(np.eye(2, dtype=np.bool_)[[0, 0, 1, 1]], np.arange(2))
    loss = ZeroOneLoss().bind(sets.classes)
    # Row 2 is predicted by row 3, row 3 by row 0, whose label is another: row 3 is missed.
    votes = as_votes([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]])
    for folds, missed in (([0, 1, -1, -1], 0.0), ([-1, -1, 0, 1], 0.5), ([0, -1, -1, 1], 0.5)):
        hidden = HiddenSets(sets, loss, np.array(folds), np.ones(4))
        assert hidden.solver_score(votes, AnnealedMinimization()).loss == missed
        assert hidden.average_score(votes).loss == missed
        assert hidden.infimum_score(votes).loss == missed
