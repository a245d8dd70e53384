"""`InstanceCorruption` and its scores."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.neighbors import KNeighborsClassifier

from disambig.datasets import InstanceCorruption, ambiguity_degree
from disambig.datasets.corruptions.instance import capped_shares, out_of_fold_scores

score_vectors = st.lists(st.floats(0, 1e6, allow_subnormal=True), min_size=1, max_size=40).map(
    np.array
)


class TestCappedShares:
    @given(score_vectors, st.floats(0, 1), st.floats(0, 1))
    def test_mean_cap_and_proportion(self, scores: Any, first: float, second: float) -> None:
        mean, cap = sorted((first, second))
        largest = np.count_nonzero(scores) * cap / len(scores)
        if mean > largest * (1 + 1e-9):
            with pytest.raises(ValueError, match="is too high"):
                capped_shares(scores, mean, cap)
            return
        shares = capped_shares(scores, min(mean, largest), cap)
        assert shares.mean() == pytest.approx(min(mean, largest), rel=1e-9, abs=1e-300)
        assert ((shares >= 0) & (shares <= cap)).all()
        assert (shares[scores == 0] == 0).all()
        order = np.argsort(scores, kind="stable")
        assert (np.diff(shares[order]) >= 0).all()

    @given(st.integers(0, 200))
    def test_the_factor_equals_that_of_a_root_finder(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        scores, mean = rng.gamma(0.3, size=25) + 1e-3, rng.uniform(0.05, 0.85)

        def excess(log_factor: float) -> float:
            return float(np.minimum(0.9, np.exp(log_factor) * scores).mean() - mean)

        factor = np.exp(optimize.brentq(excess, -20, 20, xtol=1e-13))
        expected = np.minimum(0.9, factor * scores)
        np.testing.assert_allclose(capped_shares(scores, mean, 0.9), expected, rtol=1e-9)

    def test_very_small_and_very_large_scores(self) -> None:
        scores = np.array([5e-324, 1e-300, 1e300, 1e308])
        shares = capped_shares(scores, 0.8, 0.9)
        assert shares.mean() == pytest.approx(0.8)
        assert shares[2:].tolist() == [0.9, 0.9]


class TestInstanceCorruption:
    y = np.arange(200) % 4
    scores = np.random.default_rng(0).dirichlet([0.5] * 4, size=200)

    @pytest.mark.parametrize("level", [0.05, 0.3, 0.6, 0.9, 1.0])
    def test_the_level_is_the_mean_and_eta_stays_below_one(self, level: float) -> None:
        corruption = InstanceCorruption(level, self.scores)
        wrong = corruption.probabilities(self.y)[self.y[:, None] != np.arange(4)]
        assert wrong.mean() == pytest.approx(level)
        eta = ambiguity_degree(corruption, self.y)
        assert level <= eta <= (1 + level) / 2

    def test_plausible_classes_are_added_more_often(self) -> None:
        probabilities = InstanceCorruption(0.4, self.scores).probabilities(self.y)
        wrong = self.y[:, None] != np.arange(4)
        order = np.argsort(self.scores[wrong])
        assert (np.diff(probabilities[wrong][order]) >= 0).all()
        uncapped = wrong & (probabilities < 0.7)
        ratio = probabilities[uncapped] / self.scores[uncapped]
        np.testing.assert_allclose(ratio, ratio[0])

    def test_a_given_cap(self) -> None:
        corruption = InstanceCorruption(0.4, self.scores, cap=0.5)
        assert ambiguity_degree(corruption, self.y) == 0.5
        assert InstanceCorruption(0.4, self.scores, cap=0.4)(self.y).shape == (200, 4)
        with pytest.raises(ValueError, match=r"cap=0.3 is below level=0.4"):
            InstanceCorruption(0.4, self.scores, cap=0.3)
        with pytest.raises(ValueError, match=r"cap must be a number from 0 to 1"):
            InstanceCorruption(0.4, self.scores, cap=1.3)

    def test_at_level_one_every_set_has_all_classes(self) -> None:
        assert InstanceCorruption(1, self.scores)(self.y, random_state=0).is_whole.all()

    def test_scores_are_copied(self) -> None:
        scores = self.scores.copy()
        corruption = InstanceCorruption(0.4, scores)
        before = corruption.probabilities(self.y)
        scores[:] = 0
        np.testing.assert_array_equal(corruption.probabilities(self.y), before)

    @pytest.mark.parametrize(
        ("scores", "message"),
        [
            (
                [1.0, 2.0],
                r"scores must have shape \(n, K\), one column for each class; got shape \(2,\)",
            ),
            ([[0.5, -1.0]], r"scores\[0, 1\] is -1.0. Give finite scores >= 0"),
            ([[0.5, np.nan]], r"scores\[0, 1\] is nan"),
            ([[np.inf, 0.5]], r"scores\[0, 0\] is inf"),
        ],
    )
    def test_invalid_scores(self, scores: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            InstanceCorruption(0.5, scores)

    def test_scores_of_another_shape_are_an_error(self) -> None:
        with pytest.raises(ValueError, match=r"scores have shape \(200, 4\); y has 3 rows and 2"):
            InstanceCorruption(0.5, self.scores)([0, 1, 0])

    def test_a_level_that_zero_scores_make_impossible_is_an_error(self) -> None:
        with pytest.raises(ValueError, match=r"level=0.6 is too high.* mean is 0.4\."):
            InstanceCorruption(0.6, np.eye(2)[[0, 1, 1, 0]])([0, 1, 0, 1])


class TestOutOfFoldScores:
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = np.where(X[:, 0] > 0.4, "right", np.where(X[:, 0] < -0.4, "left", "middle"))

    def test_rows_are_positive_and_sum_to_one(self) -> None:
        classes = ["right", "left", "middle", "none"]
        scores = out_of_fold_scores(self.X, self.y, classes=classes, random_state=0)
        assert scores.shape == (120, 4)
        np.testing.assert_allclose(scores.sum(axis=1), 1)
        assert (scores >= 0.01 / 4).all()
        assert (scores[:, 3] == 0.01 / 4).all()

    def test_rows_near_a_border_are_more_ambiguous(self) -> None:
        scores = out_of_fold_scores(self.X, self.y, random_state=0)
        sets = InstanceCorruption(0.3, scores)(self.y, random_state=0)
        margin = np.minimum(np.abs(self.X[:, 0] - 0.4), np.abs(self.X[:, 0] + 0.4))
        near = margin < np.median(margin)
        assert sets.sizes[near].mean() > sets.sizes[~near].mean() + 0.3

    def test_no_row_is_scored_by_a_classifier_that_was_trained_on_it(self) -> None:
        """Labels are noise; one nearest neighbour would predict those of its training rows."""
        y = np.random.default_rng(1).integers(2, size=120)
        nearest = KNeighborsClassifier(1)
        scores = out_of_fold_scores(self.X, y, classifier=nearest, random_state=0)
        assert 0.35 < np.mean(scores.argmax(axis=1) == y) < 0.65
        assert not hasattr(nearest, "classes_")

    def test_sparse_inputs(self) -> None:
        scores = out_of_fold_scores(sparse.coo_array(self.X), self.y, random_state=0)
        dense = out_of_fold_scores(self.X, self.y, random_state=0)
        assert np.mean(scores.argmax(axis=1) == dense.argmax(axis=1)) > 0.9

    def test_classes_with_few_rows(self) -> None:
        y = np.array([0] * 6 + [1] * 2 + [2])
        scores = out_of_fold_scores(self.X[:9], y, n_splits=20, random_state=0)
        assert np.isfinite(scores).all()
        assert scores[8, 2] == pytest.approx(0.01 / 3)
        assert out_of_fold_scores(self.X[:2], [0, 1], random_state=0).round(3).tolist() == [
            [0.005, 0.995],
            [0.995, 0.005],
        ]

    def test_invalid_arguments(self) -> None:
        with pytest.raises(ValueError, match=r"X has shape \(120, 2\) and y has 3 rows"):
            out_of_fold_scores(self.X, [0, 1, 0])
        with pytest.raises(ValueError, match=r"at least 2 rows and 2 folds"):
            out_of_fold_scores(self.X, self.y, n_splits=1)
        with pytest.raises(ValueError, match=r"got 1 rows"):
            out_of_fold_scores(self.X[:1], [0])
