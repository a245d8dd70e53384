"""weights="auto": chosen by hidden sets, never by the truth."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits, load_iris

from disambig import PartialLabelClassifier, disambiguate
from disambig.candidates import LabelSets
from disambig.estimators import portfolio
from disambig.estimators.portfolio import choose_weights, held_out_loss
from disambig.exceptions import NoInformationError
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights, NeighborWeights, NystromWeights


def hidden_in_sets(y, share, seed=0):
    mask = np.random.default_rng(seed).random((len(y), int(y.max()) + 1)) < share
    mask[np.arange(len(y)), y] = True
    return LabelSets(mask, np.arange(mask.shape[1]))


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:260] / 16.0, y[:260]
    return X, y, hidden_in_sets(y, 0.5)


def test_the_choice_beats_most_of_what_was_tried(digits):
    X, y, sets = digits
    train, test = np.arange(200), np.arange(200, 260)
    auto = PartialLabelClassifier("auto", solver="annealed").fit(X[train], sets[train])
    losses = [trial.held_out_loss for trial in auto.trials_]
    assert losses == sorted(losses)
    assert len(losses) == 33
    assert auto.weights_.get_params() == auto.trials_[0].weights.get_params()
    worst = PartialLabelClassifier(auto.trials_[-1].weights, solver="annealed")
    worst.fit(X[train], sets[train])
    assert (auto.labels_ == y[train]).mean() > 0.95
    assert (auto.predict(X[test]) == y[test]).mean() > 0.85
    assert (auto.labels_ == y[train]).mean() > (worst.labels_ == y[train]).mean() + 0.1


def test_the_same_rows_give_the_same_choice(digits):
    X, _, sets = digits
    small = X[:80], sets[:80]
    first, second = (PartialLabelClassifier("auto").fit(*small) for _ in range(2))
    assert [t.held_out_loss for t in first.trials_] == [t.held_out_loss for t in second.trials_]
    assert_array_equal(first.labels_, second.labels_)


def test_the_loss_of_hidden_rows_by_hand():
    """Two groups; the middle row of each is hidden in turn and predicted by its two fellows."""
    mask = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 1]], dtype=np.bool_)
    sets = LabelSets(mask, np.arange(2))
    A = np.kron(np.eye(2), np.full((3, 3), 1 / 3))
    loss = MatrixLoss([[0.0, 5.0], [2.0, 0.0]]).bind(sets.classes)
    folds = np.array([0, 1, 2, 0, 1, 2])
    solver, masses = AlternatingMinimization(), np.ones(6)
    assert held_out_loss(as_votes(A), sets, loss, solver, folds, masses) == 0.0
    # With a row that contradicts its group something is missed: the same, row by row.
    wrong = mask.copy()
    wrong[2] = [False, True]
    turned = LabelSets(wrong, np.arange(2))
    paid = []
    for i in range(6):
        seen = LabelSets(wrong | (folds == folds[i])[:, None], np.arange(2))
        law = solver.solve(Problem(as_votes(A), loss, seen)).targets.distribution
        others = np.delete(np.arange(6), i)
        costs = loss.matrix @ (A[i, others] @ law[others])
        paid.append(loss.matrix[costs.argmin()][wrong[i]].min())
    informative = turned.informative
    expected = np.mean(np.array(paid)[informative])
    assert expected > 0
    found = held_out_loss(as_votes(A), turned, loss, solver, folds, masses)
    assert found == pytest.approx(expected)


def test_a_large_set_is_chosen_for_by_a_sample_and_goes_through_landmarks(monkeypatch, digits):
    X, _, sets = digits
    monkeypatch.setattr(portfolio, "_LARGEST_SAMPLE", 60)
    monkeypatch.setattr(portfolio, "is_affordable", lambda n: n <= 100)
    monkeypatch.setattr(portfolio, "_NEIGHBORS", ())
    loss, solver = ZeroOneLoss().bind(sets.classes), AnnealedMinimization()
    chosen, trials = choose_weights(X, sets, loss, solver, np.ones(260))
    assert isinstance(chosen, NystromWeights)
    assert all(trial.weights.n_landmarks == 1000 for trial in trials)
    few, _ = choose_weights(X[:90], sets[:90], loss, solver, np.ones(90))
    assert isinstance(few, KernelRidgeWeights)


def test_a_named_schedule_is_kept(digits, monkeypatch):
    X, _, sets = digits
    heard = []
    monkeypatch.setattr(portfolio, "held_out_loss", lambda *given: heard.append(given[3]) or 0.0)
    loss = ZeroOneLoss().bind(sets.classes)
    for solver in (AnnealedMinimization(temperatures=[0.5]), AnnealedMinimization()):
        chosen, trials = choose_weights(X[:60], sets[:60], loss, solver, np.ones(60))
        # Of equals the first that was tried.
        assert chosen is trials[0].weights
        assert chosen.regularization == 1e-2
    assert heard[0].temperatures == [0.5]
    assert len(heard[-1].temperatures) == 6


def test_other_losses_weights_and_doors(digits):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 150, 3)
    X, y = X[rows], y[rows]
    sets = hidden_in_sets(y, 0.3)
    weight = np.arange(50) % 3.0
    ordinal = PartialLabelClassifier("auto", loss="absolute").fit(X, sets, sample_weight=weight)
    assert ordinal.trials_
    assert ordinal.score(X, y) > 0.8
    found = disambiguate(X, sets, weights="auto", solver="annealed")
    assert (found.labels == y).mean() > 0.8
    assert PartialLabelClassifier(NeighborWeights(5)).fit(X, sets).trials_ == ()


@pytest.mark.filterwarnings("ignore:weights='auto':UserWarning")
def test_the_order_of_rows_is_no_matter_and_copies_are_hidden_together(digits):
    X, _, sets = digits
    loss, solver = ZeroOneLoss().bind(sets.classes), AnnealedMinimization()

    def losses(rows):
        _, trials = choose_weights(X[rows], sets[rows], loss, solver, np.ones(rows.size))
        names = {str(trial.weights): trial.held_out_loss for trial in trials}
        return np.array([names[name] for name in sorted(names)])

    rows = np.arange(40)
    # Sums in another order can turn a prediction that hangs in the balance.
    apart = np.abs(losses(rows[::-1]) - losses(rows))
    assert np.count_nonzero(apart) <= 3
    assert apart.max() <= 2 / 40 + 1e-12
    # A copy that stayed would tell: then hardly a set would be missed.
    assert losses(np.repeat(rows, 2)).min() > 0.2


def test_sparse_inputs_with_wide_indices(digits):
    X, _, sets = digits
    X, sets = X[:60], sets[:60]
    sparse = sp.csr_matrix(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    found = PartialLabelClassifier("auto", solver="annealed").fit(sparse, sets)
    dense = PartialLabelClassifier("auto", solver="annealed").fit(X, sets)
    assert_array_equal(found.labels_, dense.labels_)
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.predict(sparse), dense.predict(X))


@pytest.mark.filterwarnings("ignore:NeighborWeights:UserWarning")
def test_few_labels_are_too_little_to_choose_by():
    clf = PartialLabelClassifier("auto", solver="annealed")
    with pytest.warns(UserWarning, match="1 rows exclude a class, and that is too little"):
        assert clf.fit([[0.0], [1.0]], [{"a"}, {"a", "b"}]).labels_[0] == "a"
    # Sets that have nothing to do with the inputs.
    rng = np.random.default_rng(0)
    noise = LabelSets(np.eye(3, dtype=np.bool_)[rng.choice(3, 90, p=[0.8, 0.1, 0.1])], np.arange(3))
    with pytest.warns(UserWarning, match="'poisson' or 'laplacian' with method='average'"):
        clf.fit(rng.normal(size=(90, 2)), noise)
    assert clf.weights_.get_params() == NeighborWeights().get_params()
    assert len(clf.trials_) == 33


def test_refusals(digits):
    X, _, sets = digits
    with pytest.raises(ValueError, match="weights='auto' chooses for method='disambiguation'"):
        PartialLabelClassifier("auto", method="average").fit(X, sets)
    whole = LabelSets(np.ones_like(sets.mask), sets.classes)
    with pytest.raises(NoInformationError, match="none of the 260 rows excludes a class"):
        PartialLabelClassifier("auto").fit(X, whole)
