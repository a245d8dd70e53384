"""The alternation: cycles are found, the best round is kept, in sample the objective falls."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier

from disambig import IntervalRegressor, Intervals, LabelSets
from disambig.candidates import number_sets
from disambig.estimators.alternation import Iterate, LabelTask, NumberTask, alternate, cross_fitted
from disambig.estimators.alternation.held_out import by_folds, in_sample, unit_splits, units_of
from disambig.estimators.alternation.labels import best_candidates, class_probabilities
from disambig.losses.registry import bind_label_loss
from disambig.solvers import Status
from disambig.weights import KernelRidgeWeights

inf = np.inf


def label_task(template, X, mask, loss="zero_one", **options):
    sets = LabelSets.from_mask(mask)
    return LabelTask(template, np.asarray(X), sets, bind_label_loss(loss, sets.classes), **options)


def hard(codes, n_classes):
    return Iterate(np.eye(n_classes)[codes], np.ones(len(codes), dtype=bool), "hard")


def test_two_rows_that_exchange_their_labels_are_a_cycle():
    """Each row takes the label of the other: a, b becomes b, a, and then a, b again."""
    task = label_task(KNeighborsClassifier(1), [[0.0], [1.0]], np.ones((2, 2)))
    splits = [(np.array([1]), np.array([0])), (np.array([0]), np.array([1]))]
    found = cross_fitted(task, hard([0, 1], 2), splits, max_iter=50)
    assert found.status is Status.CYCLED
    assert not found.converged
    assert found.n_iter == 2
    agreed = cross_fitted(task, hard([1, 1], 2), splits, max_iter=50)
    assert agreed.status is Status.CONVERGED
    assert agreed.n_iter == 1
    assert_array_equal(agreed.targets.argmax(axis=1), [1, 1])


class Script:
    """A task whose rounds have given objectives, and targets that never repeat."""

    def __init__(self, objectives, ties=False):
        self.objectives, self.ties = iter(objectives), ties

    def held_out(self, iterate):
        return iterate.targets + 1.0

    def move(self, predictions, iterate):
        return Iterate(predictions, iterate.known, iterate.stage)

    def harden(self, iterate, predictions):
        return None

    def repeats(self, iterate, earlier):
        return np.array_equal(iterate.targets, earlier.targets)

    def objective(self, predictions):
        return next(self.objectives)

    def tie_break(self, predictions):
        return -float(predictions[0, 0]) if self.ties else 0.0

    def undecided(self, iterate):
        return 0


def test_the_round_of_lowest_objective_is_kept_and_a_callback_stops():
    start = Iterate(np.zeros((1, 1)), np.ones(1, dtype=bool), "numbers")
    task = Script([3.0, 1.0, 2.0, 1.0])
    found = alternate(task, start, task.held_out, max_iter=3)
    assert (found.best, found.objective, found.n_iter) == (1, 1.0, 3)
    assert found.status is Status.MAX_ITER
    # The kept targets are those that the best predictions were learned from.
    assert (found.targets, found.predictions) == (1.0, 2.0)
    assert [entry.objective for entry in found.trace] == [3.0, 1.0, 2.0, 1.0]
    assert [entry.iteration for entry in found.trace] == [0, 1, 2, 3]
    task = Script([3.0, 1.0, 2.0, 1.0], ties=True)
    assert alternate(task, start, task.held_out, max_iter=3).best == 3
    task, seen = Script([3.0, 4.0, 2.0]), []
    found = alternate(
        task, start, task.held_out, max_iter=9, callback=lambda p: seen.append(p) or len(seen) == 2
    )
    assert found.status is Status.STOPPED
    assert (found.best, found.targets, found.n_iter) == (0, 0.0, 1)
    assert found.trace == tuple(seen)
    task = Script([3.0, 1.0, 2.0])
    assert alternate(task, start, task.held_out, max_iter=2, keep_last=True).best == 2


def intervals(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = X @ [1.0, -0.5] + 3.0 + rng.normal(0, 0.3, n)
    y = truth[:, None] + rng.uniform(0, 1.0, size=(n, 2)) * [-1, 1]
    y[::5] = truth[::5, None]
    y[1::9, 0] = -inf
    y[2::9, 1] = inf
    y[3::13] = [-inf, inf]
    return X, y, truth


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_in_sample_never_rise_and_reach_the_optimum(seed):
    """Least squares and projections are two exact steps of one convex problem."""
    X, y, _ = intervals(seed=seed)
    sets = Intervals.from_any(y)
    task = NumberTask(LinearRegression(), X, sets, tolerance=1e-12)
    start = task.start()
    start = Iterate(start.targets, np.ones(len(X), dtype=bool), "numbers")
    found = alternate(task, start, in_sample(task), max_iter=20000, keep_last=True)
    objectives = np.array([entry.objective for entry in found.trace])
    assert (np.diff(objectives) <= 1e-12).all()
    assert found.converged
    # The optimum of the squared distance to the intervals is where its gradient is zero.
    residual = found.predictions - sets.nearest(found.predictions)
    design = np.column_stack([X, np.ones(len(X))])
    assert_allclose(design.T @ residual, 0, atol=1e-6)


def test_weights_of_soft_targets_are_those_of_em():
    """One soft round in sample is a step of EM for the likelihood of the sets."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(60, 3)) < 0.5)
    model = LogisticRegression(C=1e6, tol=1e-10, max_iter=10000)
    task = label_task(model, X, mask)
    iterate, likelihoods = task.start(), []
    iterate = Iterate(iterate.targets, np.ones(60, dtype=bool), "soft")
    for _ in range(15):
        probabilities = in_sample(task)(iterate)
        likelihoods.append(np.log((probabilities * mask).sum(axis=1)).sum())
        iterate = task.move(probabilities, iterate)
        assert (iterate.targets[~mask] == 0).all()
        assert_allclose(iterate.targets.sum(axis=1), 1)
    # Candidates of a probability below 0.001 are left out, which costs less than this.
    assert (np.diff(likelihoods) > -0.01).all()
    assert likelihoods[-1] > likelihoods[0] + 5


@pytest.mark.parametrize("loss", ["zero_one", "absolute", [[0, 1, 4], [2, 0, 1], [5, 2, 0]]])
def test_best_candidates_against_enumeration(loss):
    rng = np.random.default_rng(0)
    bound = bind_label_loss(loss, np.arange(3))
    mask = np.array([[bool(code >> k & 1) for k in range(3)] for code in range(1, 8)] * 10)
    probabilities = rng.dirichlet(np.ones(3), size=len(mask))
    found = best_candidates(probabilities, mask, bound)
    for i, p in enumerate(probabilities):
        z = min(range(3), key=lambda z: bound.matrix[z] @ p)
        candidates = np.flatnonzero(mask[i])
        best = min(candidates, key=lambda y: (bound.matrix[z, y], -p[y]))
        assert found.codes[i] == best
        assert found.losses[i] == bound.matrix[z, best]
        assert_allclose(found.shares[i], np.where(mask[i], p, 0) / p[candidates].sum())
    nothing = best_candidates(np.full((1, 3), np.nan), mask[:1], bound)
    assert np.isnan(nothing.losses[0])
    assert not nothing.decided[0]
    outside = best_candidates(np.array([[0.0, 0.0, 1.0]]), mask[:1], bound)
    assert not outside.decided[0]
    assert not outside.shares.any()


class Rule(ClassifierMixin, BaseEstimator):
    """A classifier without probabilities and scores."""

    def fit(self, X, y):
        self.classes_, self.X_, self.y_ = np.unique(y), X, y
        return self

    def predict(self, X):
        return self.y_[np.abs(X[:, None, 0] - self.X_[None, :, 0]).argmin(axis=1)]


def test_probabilities_of_classifiers_that_have_none():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array(["a", "c", "d"])
    labels = np.array(["a", "b", "c", "d"])
    found = class_probabilities(Rule().fit(X, y), X, labels)
    assert_array_equal(found, np.eye(4)[[0, 2, 3]])


def test_rows_of_which_nothing_is_known_are_not_trained_on():
    X, y, _ = intervals(30)
    task = NumberTask(LinearRegression(), X, number_sets(y))
    start = task.start()
    assert_array_equal(start.known, np.isfinite(y).any(axis=1))
    finite = start.known
    assert_allclose(start.targets[~finite, 0], start.targets[finite, 0].mean())
    assert_allclose(start.targets[1, 0], y[1, 1])
    model = task.fit(start)
    assert_allclose(model.coef_, LinearRegression().fit(X[finite], start.targets[finite, 0]).coef_)
    held_out = by_folds(task, unit_splits("test", 5, units_of(X)))
    after = task.move(held_out(start), start)
    assert after.known.all()
    assert number_sets(y).contains(after.targets).all()
    labels = label_task(KNeighborsClassifier(1), X[:3], [[1, 1], [1, 0], [0, 1]])
    assert_array_equal(labels.start().known, [False, True, True])


def test_ridge_in_alternation_is_the_interval_regressor_of_a_linear_kernel():
    """Both minimise the empirical risk over the function and the targets together."""
    X, y, _ = intervals()
    n, lam = len(X), 0.05
    weights = KernelRidgeWeights(lambda A, B: A @ B.T, regularization=lam, intercept=True)
    risk = IntervalRegressor(weights, formulation="risk").fit(X, y)
    assert risk.certified_
    task = NumberTask(Ridge(alpha=n * lam, tol=1e-12), X, Intervals.from_any(y), tolerance=1e-11)
    start = Iterate(task.start().targets, np.ones(n, dtype=bool), "numbers")
    found = alternate(task, start, in_sample(task), max_iter=20000, keep_last=True)
    assert found.converged
    assert_allclose(found.predictions[:, 0], risk.predict(X), atol=1e-5)
