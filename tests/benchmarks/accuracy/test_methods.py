"""Methods that classification from sets is compared with: what all owe, and each one's formula."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, nnls

from benchmarks.accuracy.convex import loss_and_slope
from benchmarks.accuracy.instance_based import fit_instance_based
from benchmarks.accuracy.max_margin import fit_max_margin
from benchmarks.accuracy.method import Method, best_candidates, grid
from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.neighbors import fit_neighbors
from benchmarks.accuracy.network import Network
from benchmarks.accuracy.ours import DEFAULT, KERNEL_RIDGE, PLAIN, fit_kernel_ridge
from benchmarks.accuracy.output_codes import draw_code, fit_output_codes
from benchmarks.accuracy.reconstruction import nonnegative_combinations
from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.weights import KernelRidgeWeights

EVERY = pytest.mark.parametrize("method", [DEFAULT, *METHODS], ids=lambda method: method.name)
# Neither the smoothest nor the roughest: one that a sensible choice would take on clusters.
MIDDLE = {
    "DF, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "IL, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "AC, kernel ridge": {"bandwidth": 1.0, "ridge": 1e-3},
    "CLPL": {"penalty": 1e-2},
    "PL-SVM": {"penalty": 1e-2},
}


def clusters(n=120, n_classes=4, seed=0, spread=0.5):
    """Corners of a square of side 4 and Gaussian clouds around them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    centers = 4.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:n_classes]
    X = centers[truth] + spread * rng.normal(size=(n, 2))
    return (X - X.mean(axis=0)) / X.std(axis=0), truth


def fitted(method, X, mask, seed=0):
    return method.fit(X, mask, seed=seed, **MIDDLE.get(method.name, method.settings[0]))


@EVERY
def test_on_single_labels_it_is_a_classifier(method):
    X, truth = clusters()
    queries, answers = clusters(seed=1)
    found = fitted(method, X, truth[:, None] == np.arange(4))
    assert np.mean(found.predict(queries) == answers) >= 0.98
    np.testing.assert_array_equal(found.labels, truth)


@EVERY
def test_easy_sets_cost_little_and_hold_the_labels(method):
    X, truth = clusters()
    queries, answers = clusters(seed=1)
    mask = UniformCorruption(0.3)(truth, random_state=0).mask
    found = fitted(method, X, mask)
    assert np.mean(found.predict(queries) == answers) >= 0.95
    assert np.mean(found.labels == truth) >= 0.95
    assert mask[np.arange(len(X)), found.labels].all()


@EVERY
def test_everything_depends_on_the_seed_alone(method):
    X, truth = clusters(n=60, spread=2.0)
    mask = UniformCorruption(0.5)(truth, random_state=0).mask
    first, again = (fitted(method, X, mask, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.predict(X + 0.1), again.predict(X + 0.1))


@EVERY
@pytest.mark.filterwarnings("ignore:weights='auto':UserWarning")
def test_all_settings_take_whole_sets_and_absent_classes(method):
    X, truth = clusters(n=24, n_classes=3)
    mask = UniformCorruption(0.6)(truth, random_state=0, classes=range(3)).mask
    mask = np.column_stack([mask, np.zeros(24, dtype=bool)])
    mask[:6] = True
    for setting in (method.settings[0], method.settings[-1]):
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
    # Row 0 hears rows 1, 2 and 3, of which only row 3 has class 0, and row 1 class 2.
    assert found.labels[0] == 2


@pytest.mark.parametrize("shape", [(30, 4, 8), (30, 9, 3)])
def test_combinations_are_those_of_an_exact_solver(shape):
    rng = np.random.default_rng(0)
    parts, targets = rng.normal(size=shape), rng.normal(size=(shape[0], shape[2]))
    weights = nonnegative_combinations(parts, targets)
    assert (weights >= 0).all()
    for part, target, found in zip(parts, targets, weights, strict=True):
        assert np.linalg.norm(target - found @ part) <= nnls(part.T, target)[1] + 1e-4


def test_confidence_travels_from_single_labels_to_their_neighbours():
    # Of parallel rows the nearest alone rebuilds: the second hears the first, the third the second.
    X = np.array([[1.0, 0.0], [1.1, 0.0], [1.3, 0.0], [0.0, 1.0], [0.0, 1.1], [0.0, 1.3]])
    mask = np.ones((6, 2), dtype=bool)
    mask[0, 1] = mask[3, 0] = False
    found = fit_instance_based(X, mask, seed=0, k=2, share=0.95)
    np.testing.assert_array_equal(found.labels, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found.predict(np.array([[2.0, 0.1], [0.1, 2.0]])), [0, 1])


def test_slope_of_the_convex_loss_is_that_of_its_value():
    X, truth = clusters(n=20)
    mask = UniformCorruption(0.4)(truth, random_state=0).mask
    parameters = np.random.default_rng(0).normal(size=3 * 4)
    numeric = approx_fprime(parameters, lambda p: loss_and_slope(p, X, mask, 0.1)[0], 1e-7)
    np.testing.assert_allclose(loss_and_slope(parameters, X, mask, 0.1)[1], numeric, atol=1e-5)


def test_max_margin_comes_near_the_least_objective():
    X, truth = clusters(n=40, n_classes=2, spread=1.5)
    mask = truth[:, None] == np.arange(2)
    found = fit_max_margin(X, mask, seed=0, penalty=0.1)
    # With one label a row it is convex, and the machine of two classes: w_0 = -w_1.
    signs = np.where(truth == 0, 1.0, -1.0)
    inputs = np.column_stack([X, np.ones(40)])
    axis = np.linspace(-1.5, 1.5, 31)
    w = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    values = np.maximum(1 - 2 * signs[:, None] * (inputs @ w.T), 0).mean(axis=0)
    best = w[np.argmin(values + 0.1 * (w**2).sum(axis=1))]
    assert np.mean(found.predict(X) == (inputs @ best < 0)) >= 0.95


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


def test_codes_without_columns_fall_back_on_the_commonest_candidate():
    X, _ = clusters(n=6)
    mask = ~(np.arange(6)[:, None] % 3 == np.arange(4))
    assert draw_code(mask, np.random.default_rng(0)).shape == (4, 0)
    found = fit_output_codes(X, mask, seed=0, kernel="rbf", C=1.0)
    np.testing.assert_array_equal(found.predict(X), 3)
    np.testing.assert_array_equal(found.labels, 3)


@pytest.mark.parametrize("width", [None, 5])
def test_slopes_of_the_network_are_those_of_its_loss(width):
    rng = np.random.default_rng(0)
    network = Network(3, 4, width, rng)
    network.layers = [rng.normal(size=layer.shape) for layer in network.layers]
    X, targets = rng.normal(size=(10, 3)), rng.dirichlet(np.ones(4), size=10)
    slopes, _ = network.slopes(X, targets, 0.1)

    def loss(layer, values):
        kept = network.layers[layer]
        network.layers[layer] = values.reshape(kept.shape)
        fit = -(targets * np.log(network.probabilities(X))).sum(axis=1).mean()
        decay = sum((part[:-1] ** 2).sum() for part in network.layers)
        network.layers[layer] = kept
        return fit + 0.1 * decay / 2

    for layer, slope in enumerate(slopes):
        at = network.layers[layer].ravel()
        numeric = approx_fprime(at, lambda values, layer=layer: loss(layer, values), 1e-7)
        np.testing.assert_allclose(slope.ravel(), numeric, atol=1e-5)


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


def test_the_version_of_the_default_has_all_its_parameters():
    for name, value in PartialLabelClassifier().get_params().items():
        assert repr((name, value)) in DEFAULT.version
    assert DEFAULT.version != PLAIN.version
