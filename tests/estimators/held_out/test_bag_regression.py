"""Logistic regression from bags, and when its linear votes are chosen."""

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, softmax

from disambig.candidates import bag_counts
from disambig.estimators.held_out.bag_regression import bag_regression
from disambig.estimators.selection.bags import BagSelection
from disambig.estimators.selection.protocol import Trial
from disambig.losses.registry import bind_label_loss
from disambig.solvers import AnnealedMinimization
from disambig.weights import NystromWeights

SHARES = np.array([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])


def in_bags(y, rng):
    """Bags that depend on the labels only: ``P(b | y)`` is proportional to the shares."""
    chances = SHARES / SHARES.sum(axis=0)
    return np.array([rng.choice(4, p=chances[:, label]) for label in y])


def ratios_of(y, bags):
    given = np.array([np.bincount(y[bags == b], minlength=2) / np.sum(bags == b) for b in range(4)])
    overall = np.bincount(y, minlength=2) / len(y)
    return (given / overall)[bags], overall, given


def test_the_optimum_is_that_of_a_search_without_gradients():
    rng = np.random.default_rng(0)
    X = rng.normal([0.0, 3.0], size=(60, 2))
    y = (rng.random(60) < expit(2 * X[:, 0])).astype(int)
    ratios, overall, _ = ratios_of(y, in_bags(y, rng))

    def loss(flat):
        table = flat.reshape(3, 2)
        p = softmax(X @ table[:2] + table[2], axis=1)
        return -np.log((p * ratios).sum(axis=1)).mean() + 0.025 * (table[:2] ** 2).sum()

    found = bag_regression(X, ratios, overall, 0.05)
    best = minimize(loss, np.zeros(6), method="Powell", options={"ftol": 1e-12, "maxiter": 10_000})
    shift = found.intercepts - found.center @ found.coefficients
    reached = loss(np.vstack([found.coefficients, shift]).ravel())
    assert_allclose(reached, best.fun, atol=1e-5)
    again = bag_regression(sp.csr_array(X), ratios, overall, 0.05, found)
    assert_allclose(again(sp.csr_array(X)), found(X), atol=1e-3)


def test_the_coefficients_are_those_of_the_labels():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3))
    y = (rng.random(20_000) < expit(X @ [2.0, -1.0, 0.0] - 1.0)).astype(int)
    ratios, overall, _ = ratios_of(y, in_bags(y, rng))
    found = bag_regression(X, ratios, overall, 1e-5)
    slopes = found.coefficients[:, 1] - found.coefficients[:, 0]
    assert_allclose(slopes, [2.0, -1.0, 0.0], atol=0.25)
    assert_allclose(found(X)[:, 1].mean(), y.mean(), atol=0.02)
    # The penalty shrinks about as the ridge does, which would divide by 1 + ridge.
    strong = bag_regression(X, ratios, overall, 0.1)
    shrunk = (strong.coefficients[:, 1] - strong.coefficients[:, 0])[0] / slopes[0]
    assert 0.5 < shrunk * (1 + strong.ridge) < 1.5


def overlapping(linear):
    """Inputs in bags of given shares; logits are linear, or two classes lie apart."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1200, 8))
    logits = 1.2 * X[:, 0] - 0.8 * X[:, 1] if linear else 20 * (np.abs(X[:, 0]) - 0.7)
    y = (rng.random(1200) < expit(logits)).astype(int)
    bags = in_bags(y, rng)
    given = {b: dict(enumerate(shares)) for b, shares in enumerate(ratios_of(y, bags)[2].tolist())}
    return X, y, bags, given


def outside(X, counts):
    """What is compared with sharp votes of a Gaussian kernel."""
    kind = BagSelection.of_counts(counts, bind_label_loss("zero_one", counts.classes))
    solver = AnnealedMinimization(temperatures=(1.0, 0.36, 0.1))
    best = Trial(NystromWeights(n_landmarks=200, regularization=1e-4), solver, 0.0, 0.0)
    return kind.outside(X, np.ones(len(X)), np.arange(len(X)), best)


def test_linear_votes_where_classes_overlap_and_logits_are_linear():
    X, _, bags, given = overlapping(True)
    found = outside(X, bag_counts(None, bags, given))
    assert found.weights.weights.kernel == "linear"
    assert found.solver.temperatures == (0.5,)
    assert found.score < 0


def test_no_linear_votes_where_they_are_worse_or_other_evidence_decides():
    X, y, bags, given = overlapping(False)
    assert outside(X, bag_counts(None, bags, given)) is None
    X, y, bags, given = overlapping(True)
    sets = [{label} if row % 3 == 0 else {0, 1} for row, label in enumerate(y.tolist())]
    assert outside(X, bag_counts(sets, bags, given)) is None
    assert outside(np.zeros_like(X), bag_counts(None, bags, given)) is None
    many = np.arange(len(X)) // 40
    shares = {b: {1: float(y[many == b].mean())} for b in range(30)}
    assert outside(X, bag_counts(None, many, shares, classes=[0, 1])) is None
