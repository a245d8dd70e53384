"""The rate experiments agree with the estimators and with the theory."""

import numpy as np
import pytest

from disambig import LabelSets, PartialLabelClassifier
from disambig.losses.registry import resolve_loss
from disambig.weights import NeighborWeights
from reproduce import rates as module
from reproduce.rate_settings import (
    ClusterDistribution,
    RateSetting,
    always_together,
    label_noise,
    ordinal_pairs,
    separated_clusters,
)
from reproduce.rates import measure_rate, measure_rates
from reproduce.slopes import fit_slope


def infimum_error(eta: float, k: int, m: int) -> float:
    """``E[1 - 1/(1 + T)]`` for T wrong classes in all of k sets, binomial with m - 1 and eta^k."""
    q = eta**k
    return 1 - (1 - (1 - q) ** m) / (m * q)


def test_settings_have_the_probabilities_of_their_description() -> None:
    for distribution in separated_clusters(0.7).distributions:
        assert distribution.probabilities @ distribution.sets == pytest.approx(
            np.where(np.arange(4) == distribution.best, 1.0, 0.7)
        )
    ambiguous, *others = always_together(0.7).distributions
    assert ambiguous.probabilities @ ambiguous.sets == pytest.approx([1.0, 1.0, 0.7, 0.7])
    assert [distribution.eta for distribution in others] == pytest.approx([0.7] * 3)
    noisy = label_noise(5).distributions[0]
    assert noisy.probabilities @ noisy.sets == pytest.approx([0.55, 0.6, 0.15, 0.15, 0.15])
    # Averages prefer the rarer label, counts the more frequent one.
    means = noisy.probabilities @ (noisy.sets / noisy.sets.sum(axis=1, keepdims=True))
    assert means.argmax() == 0


def test_bad_distributions_are_refused() -> None:
    sets = np.array([[True, False]])
    with pytest.raises(ValueError, match="does not contain its label"):
        ClusterDistribution(np.array([1]), sets, np.ones(1), 0)
    with pytest.raises(ValueError, match="sum to 1"):
        ClusterDistribution(np.array([0]), sets, np.array([0.5]), 0)


@pytest.mark.filterwarnings("ignore::disambig.exceptions.UnusedClassWarning")
@pytest.mark.parametrize("setting", [separated_clusters(0.6), label_noise(5), ordinal_pairs(0.6)])
def test_predictions_are_those_of_the_estimator(setting: RateSetting) -> None:
    """Solving many draws at once gives the predictions of one fit after another."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(120, 2)), rng.normal(size=(40, 2))
    clusters = rng.integers(len(setting.distributions), size=120)
    labels, masks = module._draw(setting, clusters, 3, rng)
    loss = resolve_loss(setting.loss).bind(np.arange(setting.n_classes))
    weights = NeighborWeights(7).fit(X)
    problems = [LabelSets(mask, loss.classes) for mask in masks]
    found = dict(
        module._predictions(loss, weights.training_votes(), weights.votes(new), problems, labels)
    )
    methods = {"DF": "disambiguation", "IL": "infimum", "AC": "average"}
    for name, method in methods.items():
        for b, sets in enumerate(problems):
            fitted = PartialLabelClassifier(
                weights=NeighborWeights(7), loss=setting.loss, method=method, solver="alternating"
            ).fit(X, sets)
            # The estimator predicts one of the classes that tie; at most inputs there is only one.
            tied = found[name][b]
            assert tied[np.arange(40), fitted.predict(new)].all()
            assert (tied.sum(axis=1) == 1).mean() > 0.5


@pytest.mark.parametrize("n", [100, 400])
def test_the_infimum_loss_has_its_theoretical_error(n: int) -> None:
    point = measure_rate(separated_clusters(0.8), n, n_inputs=20, n_draws=15)
    expected = infimum_error(0.8, point.k, 4)
    assert point.k == n // 50
    assert point.error("IL") == pytest.approx(expected, abs=4 * point.standard_error("IL"))
    assert point.standard_error("IL") < 0.03 * expected
    # With equal votes, both methods tie at the same queries.
    assert np.allclose(point.wrong["IL"], point.wrong["AC"])
    assert point.error("full supervision") == 0.0


def test_slopes_are_those_of_the_theorem_and_disambiguation_is_steeper() -> None:
    setting = separated_clusters(0.8, k0=0.06)
    late = measure_rates(setting, (220, 300, 380), n_inputs=15, n_draws=10, n_queries=100)
    infimum = fit_slope(late, "IL")
    assert infimum.low < setting.slope < infimum.high
    # The interval is narrow enough to exclude a slope that is wrong by a quarter.
    assert infimum.high - infimum.low < 0.25 * abs(setting.slope)
    early = measure_rates(setting, (50, 70, 90), n_inputs=15, n_draws=10, n_queries=50)
    joint = fit_slope(early, "DF")
    assert joint.high < 2 * setting.slope
    for point in early:
        assert point.error("DF") < 0.6 * point.error("IL")


def test_averages_are_wrong_at_every_n_under_label_noise() -> None:
    points = measure_rates(label_noise(), (50, 200, 500), n_inputs=6, n_draws=10, n_queries=100)
    average, infimum, joint = (
        [point.error(method) for point in points] for method in ("AC", "IL", "DF, infimum start")
    )
    assert min(average) > 0.6
    assert average == sorted(average)
    assert average[-1] > 0.95
    assert infimum == sorted(infimum, reverse=True)
    assert max(infimum[-1], joint[-1]) < 0.12
    assert joint[-1] < infimum[-1]


def test_averages_are_wrong_at_every_n_under_squared_loss() -> None:
    points = measure_rates(ordinal_pairs(), (50, 100, 300), n_inputs=20, n_draws=10, n_queries=100)
    assert min(point.error("AC") for point in points) > 0.97
    for point in points:
        # All of the k sets have two levels, which then tie, with probability .9^k.
        spread = 4 * point.standard_error("IL")
        assert point.error("IL") == pytest.approx(0.5 * 0.9**point.k, abs=spread)
    assert points[-1].error("DF") == 0.0


def test_no_method_separates_two_classes_that_are_always_together() -> None:
    here, elsewhere = slice(0, 1), slice(1, None)
    points = measure_rates(always_together(0.5), (200, 800), n_inputs=8, n_draws=10)
    for method in ("DF", "IL", "AC"):
        spread = 4 * points[1].standard_error(method, here) + 1e-12
        assert points[1].error(method, here) == pytest.approx(0.5, abs=spread)
        assert points[1].error(method, elsewhere) < 1e-3 < points[0].error("IL", elsewhere)
    assert points[1].error("full supervision", here) == 0.0


def test_the_same_seed_gives_the_same_errors() -> None:
    one, two, other = (
        measure_rate(separated_clusters(), 100, n_inputs=2, n_draws=3, random_state=seed)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one.wrong["DF"], two.wrong["DF"])
    assert not np.array_equal(one.wrong["DF"], other.wrong["DF"])
