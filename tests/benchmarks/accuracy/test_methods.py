"""Methods of the accuracy benchmark: what all must do, and the formula of each."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, nnls
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.accuracy.convex import best_parameters, loss_and_gradient
from benchmarks.accuracy.instance_based import fit_instance_based, propagated
from benchmarks.accuracy.max_margin import descended, fit_max_margin
from benchmarks.accuracy.method import Method, best_candidates, grid
from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.neighbors import fit_neighbors
from benchmarks.accuracy.network import Network
from benchmarks.accuracy.ours import DEFAULT, KERNEL_RIDGE, PLAIN, fit_kernel_ridge
from benchmarks.accuracy.output_codes import draw_code, fit_output_codes, losses, trust
from benchmarks.accuracy.progressive import fit_progressive
from benchmarks.accuracy.reconstruction import nonnegative_combinations
from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.weights import KernelRidgeWeights

EACH_METHOD = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
# Neither the smoothest nor the roughest setting; suitable for clusters.
MEDIUM_SETTINGS = {
    "DF, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "IL, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "AC, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "CLPL": {"penalty": 1e-2},
    "PL-SVM": {"penalty": 1e-2},
}


def clusters(n=120, n_classes=4, seed=0, spread=0.5):
    """Gaussian clusters around the vertices of a square of side 4."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    centers = 4.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:n_classes]
    X = centers[truth] + spread * rng.normal(size=(n, 2))
    return (X - X.mean(axis=0)) / X.std(axis=0), truth


def fitted(method, X, mask, seed=0):
    return method.fit(X, mask, seed=seed, **MEDIUM_SETTINGS.get(method.name, method.settings[0]))


def first_and_last(settings):
    return settings[:: max(1, len(settings) - 1)]


@EACH_METHOD
def test_each_method_classifies_single_labels(method):
    X, truth = clusters()
    queries, query_labels = clusters(seed=1)
    found = fitted(method, X, truth[:, None] == np.arange(4))
    assert np.mean(found.predict(queries) == query_labels) >= 0.98
    np.testing.assert_array_equal(found.labels, truth)


@EACH_METHOD
def test_each_method_learns_from_easy_sets(method):
    X, truth = clusters()
    queries, query_labels = clusters(seed=1)
    mask = UniformCorruption(0.3)(truth, random_state=0).mask
    found = fitted(method, X, mask)
    assert np.mean(found.predict(queries) == query_labels) >= 0.95
    assert np.mean(found.labels == truth) >= 0.95
    assert mask[np.arange(len(X)), found.labels].all()


@EACH_METHOD
def test_results_depend_on_the_seed_only(method):
    X, truth = clusters(n=60, spread=2.0)
    mask = UniformCorruption(0.5)(truth, random_state=0).mask
    first, again = (fitted(method, X, mask, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.predict(X + 0.1), again.predict(X + 0.1))


@EACH_METHOD
@pytest.mark.filterwarnings("ignore:weights='auto':UserWarning")
def test_all_settings_accept_full_sets_and_absent_classes(method):
    X, truth = clusters(n=24, n_classes=3)
    mask = UniformCorruption(0.6)(truth, random_state=0, classes=range(3)).mask
    mask = np.column_stack([mask, np.zeros(24, dtype=bool)])
    mask[:6] = True
    for setting in first_and_last(method.settings):
        found = method.fit(X, mask, seed=0, **setting)
        predictions = found.predict(X[:5])
        assert predictions.shape == (5,)
        assert predictions.dtype.kind == "i"
        assert mask[np.arange(24), found.labels].all()


def test_more_settings_than_the_budget_are_refused():
    with pytest.raises(ValueError, match="greedy: expected 1 to 6 settings, got 7"):
        Method("greedy", fit_neighbors, grid(k=range(7)))


def test_the_best_candidate_may_score_less_than_others():
    scores = np.array([[-3.0, -1.0, 5.0], [0.0, 2.0, 1.0]])
    mask = np.array([[True, True, False], [True, True, True]])
    np.testing.assert_array_equal(best_candidates(scores, mask), [1, 1])


def test_neighbours_vote_less_the_farther_they_are():
    X = np.array([[0.0], [2.0], [3.0], [40.0]])
    mask = np.array([[1, 0, 1], [0, 1, 1], [0, 1, 0], [1, 0, 0]]) == 1
    found = fit_neighbors(X, mask, seed=0, k=3)
    # At 0.5: distances .5, 1.5, 2.5 and weights 8/9, 6/9, 4/9: class 2 has 14/9, class 1 10/9.
    # At 2.9: distances .1, .9, 2.9 and weights .974, .769, .256: class 1 has 1.744, class 2 1.026.
    np.testing.assert_array_equal(found.predict(np.array([[0.5], [2.9]])), [2, 1])
    # The neighbours of row 0 are rows 1, 2 and 3; only row 3 has class 0, and row 1 class 2.
    assert found.labels[0] == 2


@pytest.mark.parametrize("shape", [(30, 4, 8), (30, 9, 3)])
def test_combinations_are_those_of_an_exact_solver(shape):
    rng = np.random.default_rng(0)
    parts, targets = rng.normal(size=shape), rng.normal(size=(shape[0], shape[2]))
    weights = nonnegative_combinations(parts, targets)
    assert (weights >= 0).all()
    for part, target, found in zip(parts, targets, weights, strict=True):
        assert np.linalg.norm(target - found @ part) <= nnls(part.T, target)[1] + 1e-4


def test_confidence_spreads_from_single_labels_to_their_neighbours():
    # A row is rebuilt from its nearest parallel row: the second from the first, the third from the
    # second.
    X = np.array([[1.0, 0.0], [1.1, 0.0], [1.3, 0.0], [0.0, 1.0], [0.0, 1.1], [0.0, 1.3]])
    mask = np.ones((6, 2), dtype=bool)
    mask[0, 1] = mask[3, 0] = False
    found = fit_instance_based(X, mask, seed=0, k=2, length_one=False)
    np.testing.assert_array_equal(found.labels, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found.predict(np.array([[2.0, 0.1], [0.1, 2.0]])), [0, 1])


def test_rows_of_length_one_have_the_neighbours_of_the_smallest_angle():
    X = np.array([[9.0, 0.1], [8.0, 0.0], [0.1, 3.0], [0.0, 2.0]])
    mask = np.array([[1, 0], [1, 0], [0, 1], [0, 1]]) == 1
    # Parallel to the first two rows, but nearer to the last.
    query = np.array([[0.3, 0.0]])
    scaled, plain = (
        fit_instance_based(X, mask, seed=0, k=1, length_one=unit) for unit in (True, False)
    )
    np.testing.assert_array_equal(scaled.predict(query), [0])
    np.testing.assert_array_equal(plain.predict(query), [1])
    np.testing.assert_array_equal(scaled.predict(100 * query), [0])


def test_propagation_is_that_of_a_plain_loop():
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice([j for j in range(8) if j != i], 3, False) for i in range(8)])
    weights = rng.random((8, 3)) * (rng.random((8, 3)) < 0.8)
    mask = rng.random((8, 4)) < 0.5
    mask[np.arange(8), np.arange(8) % 4] = True
    start = [[float(c) / sum(row) for c in row] for row in mask]
    F = start
    for _ in range(100):
        G = []
        for i in range(8):
            total = sum(weights[i]) or 1.0
            neighbor_mean = [
                sum(w * F[j][c] for w, j in zip(weights[i], rows[i], strict=True)) / total
                for c in range(4)
            ]
            new = [mask[i, c] * (0.95 * neighbor_mean[c] + 0.05 * start[i][c]) for c in range(4)]
            G.append([value / sum(new) for value in new])
        F = G
    class_totals = [[sum(row[c] for row in table) for c in range(4)] for table in (start, F)]
    expected = np.array(F) * np.array(class_totals[0]) / np.array(class_totals[1])
    np.testing.assert_allclose(propagated(rows, weights, mask), expected, atol=1e-12)


def test_the_gradient_of_the_convex_loss_is_that_of_its_value():
    X, truth = clusters(n=20)
    mask = UniformCorruption(0.4)(truth, random_state=0).mask
    parameters = np.random.default_rng(0).normal(size=3 * 4)
    numeric = approx_fprime(parameters, lambda p: loss_and_gradient(p, X, mask, 0.1)[0], 1e-7)
    np.testing.assert_allclose(loss_and_gradient(parameters, X, mask, 0.1)[1], numeric, atol=1e-5)


def test_the_convex_loss_is_that_of_a_linear_svm_on_stacked_inputs():
    X, truth = clusters(n=40, spread=1.5)
    mask = UniformCorruption(0.4)(truth, random_state=0).mask
    n, d = X.shape
    # The paper's rows: the mean over the set is positive, every class outside it negative.
    inputs, signs = [], []
    for row, allowed in zip(X, mask, strict=True):
        inputs.append(np.outer(row, allowed / allowed.sum()).ravel())
        signs.append(1)
        for column in np.flatnonzero(~allowed):
            inputs.append(np.outer(row, np.arange(4) == column).ravel())
            signs.append(-1)
    machine = LinearSVC(C=1 / (n * 0.05), fit_intercept=False, tol=1e-9, max_iter=100_000)
    expected = machine.fit(np.array(inputs), signs).coef_.reshape(d, 4)
    value, gradient = loss_and_gradient(np.append(expected, np.zeros((1, 4))), X, mask, 0.05)
    np.testing.assert_allclose(gradient[: 4 * d], 0.0, atol=1e-5)

    found = best_parameters(X, mask, 0.05)
    least, gradient = loss_and_gradient(found, X, mask, 0.05)
    assert least <= value
    np.testing.assert_allclose(gradient, 0.0, atol=1e-4)


def test_max_margin_is_near_the_minimum_of_its_objective():
    X, truth = clusters(n=40, spread=1.5)
    mask, each = truth[:, None] == np.arange(4), np.arange(40)
    # With single labels the objective is convex: that of the multi-class SVM.
    machine = LinearSVC(
        C=1 / (40 * 0.1), multi_class="crammer_singer", fit_intercept=False, max_iter=100_000
    ).fit(X, truth)

    def objective(W):
        scores = X @ W
        runners_up = np.where(mask, -np.inf, scores).max(axis=1)
        return np.maximum(1 - scores[each, truth] + runners_up, 0).mean() + 0.05 * (W**2).sum()

    found = descended(X, mask, 0.1, np.random.default_rng(0))
    assert objective(found) == pytest.approx(objective(machine.coef_.T), rel=0.01)


def test_max_margin_uses_the_best_candidate_only():
    # The second row is of class 0 or 1, and lies where class 1 is, so class 0 is not changed by it.
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [-1.0, -1.0]])
    mask = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]) == 1
    found = fit_max_margin(X, mask, seed=0, penalty=0.1)
    np.testing.assert_array_equal(found.labels, [0, 1, 1, 2])
    np.testing.assert_array_equal(found.predict(X), [0, 1, 1, 2])


def test_a_code_has_distinct_columns_with_rows_on_both_sides():
    _, truth = clusters(n=40)
    mask = UniformCorruption(0.3)(truth, random_state=0).mask
    code = draw_code(mask, np.random.default_rng(0))
    assert 1 <= code.shape[1] <= 7
    assert len(np.unique(code, axis=1).T) == code.shape[1]
    assert code[0].all()
    for column in code.T:
        assert (~mask[:, ~column].any(axis=1)).any()
        assert (~mask[:, column].any(axis=1)).any()


def test_columns_with_five_rows_on_both_sides_come_first():
    # Class 3 has three rows, which are too few for a column of its own.
    truth = np.repeat([0, 1, 2, 3], [20, 20, 20, 3])
    code = draw_code(truth[:, None] == np.arange(4), np.random.default_rng(0))
    assert code.shape == (4, 7)
    alone = (code[:3] != code[3]).all(axis=0)
    np.testing.assert_array_equal(np.flatnonzero(alone), [6])


def test_decoding_is_that_of_plain_sums():
    rng = np.random.default_rng(0)
    margins, code, mask = (
        rng.normal(size=(9, 3)),
        rng.random((4, 3)) < 0.5,
        rng.random((9, 4)) < 0.7,
    )
    signs = np.where(code, 1, -1)
    for c in range(4):
        rows = np.flatnonzero(mask[:, c])
        shares = np.array([np.mean((margins[rows, t] > 0) == code[c, t]) for t in range(3)])
        np.testing.assert_allclose(trust(margins, code, mask)[c], shares / shares.sum())
        expected = [
            sum(shares[t] / shares.sum() * np.exp(-h[t] * signs[c, t]) for t in range(3))
            for h in margins
        ]
        found = losses(margins, code, trust(margins, code, mask))
        np.testing.assert_allclose(found[:, c], expected)


def test_without_columns_the_most_frequent_candidate_is_predicted():
    X, _ = clusters(n=6)
    mask = ~(np.arange(6)[:, None] % 3 == np.arange(4))
    assert draw_code(mask, np.random.default_rng(0)).shape == (4, 0)
    found = fit_output_codes(X, mask, seed=0, kernel="rbf", C=1.0)
    np.testing.assert_array_equal(found.predict(X), 3)
    np.testing.assert_array_equal(found.labels, 3)


@pytest.mark.parametrize("widths", [(), (5,), (5, 4)], ids=str)
def test_gradients_of_the_network_are_those_of_its_loss(widths):
    rng = np.random.default_rng(0)
    network = Network(3, 4, widths, rng, np.float64)
    for values in network.parameters:
        values[:] = rng.normal(size=values.shape)
    X, targets = rng.normal(size=(10, 3)), rng.dirichlet(np.ones(4), size=10)

    def loss(part, values):
        kept = network.parameters[part].copy()
        network.parameters[part][:] = values.reshape(kept.shape)
        p = network.gradients(X, targets, 0.1)[1]
        decay = sum((values**2).sum() for values in network.parameters)
        network.parameters[part][:] = kept
        return -(targets * np.log(p)).sum(axis=1).mean() + 0.1 * decay / 2

    for part, gradient in enumerate(network.gradients(X, targets, 0.1)[0]):
        at = network.parameters[part].ravel().copy()
        numeric = approx_fprime(at, lambda values, part=part: loss(part, values), 1e-7)
        np.testing.assert_allclose(gradient.ravel(), numeric, atol=1e-5)


def test_a_network_predicts_with_the_running_means_of_its_batches():
    rng = np.random.default_rng(0)
    network = Network(3, 4, (5, 4), rng, np.float64)
    network.weights[-1][:] = rng.normal(size=(4, 4))
    X, targets = 2 + rng.normal(size=(50, 3)), rng.dirichlet(np.ones(4), size=50)
    first = network.gradients(X, targets, 0.0)[1]
    assert np.abs(network.probabilities(X) - first).max() > 0.01
    for _ in range(200):
        network.gradients(X, targets, 0.0)
    np.testing.assert_allclose(network.probabilities(X), first, atol=1e-6)


def test_linear_steps_on_single_labels_end_at_logistic_regression():
    X, truth = clusters(n=80, spread=2.0)
    network = Network(2, 4, (), np.random.default_rng(0), np.float64)
    for _ in range(2000):
        network.step(X, np.eye(4)[truth], rate=0.1, decay=0.05)
    # Constants as a third input, because intercepts are not penalised in scikit-learn.
    inputs = np.column_stack([X, np.ones(80)])
    model = LogisticRegression(C=1 / (80 * 0.05), fit_intercept=False, tol=1e-10, max_iter=1000)
    expected = model.fit(inputs, truth).predict_proba(inputs)
    np.testing.assert_allclose(network.probabilities(X), expected, atol=1e-5)


def test_progressive_weights_are_the_probabilities_restricted_to_the_set():
    X, truth = clusters(n=40, spread=2.0)
    mask = UniformCorruption(0.6)(truth, random_state=0).mask
    found = fit_progressive(X, mask, seed=0, widths=(), n_epochs=60, rate=0.05, decay=1e-2)
    # All rows are one batch, so the same steps can be written for the whole array.
    inputs, candidate_weights = (
        np.column_stack([X, np.ones(40)]),
        mask / mask.sum(axis=1, keepdims=True),
    )
    W, velocity = np.zeros((3, 4)), np.zeros((3, 4))
    for _ in range(60):
        p = np.exp(inputs @ W)
        p /= p.sum(axis=1, keepdims=True)
        velocity = 0.9 * velocity - 0.05 * (inputs.T @ (p - candidate_weights) / 40 + 1e-2 * W)
        W, candidate_weights = W + velocity, p * mask / (p * mask).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(found.predict(X), (inputs @ W).argmax(axis=1))
    np.testing.assert_array_equal(found.labels, best_candidates(inputs @ W, mask))


@pytest.mark.parametrize("method", KERNEL_RIDGE, ids=lambda method: method.name)
def test_shared_decompositions_give_the_votes_of_the_library(method):
    X, truth = clusters(n=60, spread=2.0)
    sets = UniformCorruption(0.5)(truth, random_state=0)
    rule = method.fit.keywords["rule"]
    ours = fit_kernel_ridge(X, sets.mask, seed=0, rule=rule, bandwidth=0.5, ridge=1e-3)
    weights = KernelRidgeWeights(bandwidth=1.0, regularization=1e-3)
    model = PartialLabelClassifier(weights, method=rule).fit(X, LabelSets(sets.mask, range(4)))
    np.testing.assert_array_equal(ours.labels, model.labels_)
    np.testing.assert_array_equal(ours.predict(X + 0.1), model.predict(X + 0.1))


def test_the_version_of_the_default_contains_all_parameters():
    for name, value in PartialLabelClassifier().get_params().items():
        assert repr((name, value)) in DEFAULT.version
    assert DEFAULT.version != PLAIN.version
