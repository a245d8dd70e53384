"""The distribution of each corruption of labels, and which sets determine their truth."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.datasets import (
    ConfusionCorruption,
    MajorityPairCorruption,
    MajorityRowCorruption,
    UniformCorruption,
    UnlabeledCorruption,
    ambiguity_degree,
)
from disambig.datasets.corruptions.ambiguity import possible_truths
from disambig.datasets.corruptions.protocol import Corruption
from disambig.exceptions import CandidateError

SKEWED = np.repeat([0, 1, 2], [20, 50, 30])
seeds = st.integers(0, 1000)
open_levels = st.floats(0.01, 0.99)


class TestUniform:
    def test_every_wrong_class_has_probability_level(self) -> None:
        expected = [[1, 0.3, 0.3], [0.3, 1, 0.3], [0.3, 0.3, 1]]
        assert UniformCorruption(0.3).inclusion(SKEWED).tolist() == expected
        assert ambiguity_degree(UniformCorruption(0.3), SKEWED) == 0.3

    def test_at_level_one_every_set_has_all_classes(self) -> None:
        assert UniformCorruption(1)(SKEWED, random_state=0).is_whole.all()

    def test_classes_are_added_independently(self) -> None:
        """Both wrong classes have probability level², neither has (1 - level)²."""
        mask = UniformCorruption(0.3)(np.zeros(20000, int), classes=[0, 1, 2], random_state=0).mask
        both, neither = mask[:, 1:].all(axis=1).mean(), (~mask[:, 1:]).all(axis=1).mean()
        assert both == pytest.approx(0.09, abs=5 * np.sqrt(0.09 * 0.91 / 20000))
        assert neither == pytest.approx(0.49, abs=5 * np.sqrt(0.49 * 0.51 / 20000))

    @given(seeds, open_levels)
    def test_every_candidate_can_be_the_truth(self, seed: int, level: float) -> None:
        corruption = UniformCorruption(level)
        sets = corruption(SKEWED, random_state=seed)
        assert possible_truths(sets, corruption.inclusion(SKEWED)) == sets


class TestMajorityPair:
    def test_the_majority_is_added_to_minority_rows_only(self) -> None:
        inclusion = MajorityPairCorruption(0.3).inclusion(SKEWED)
        assert inclusion.tolist() == [[1, 0.3, 0], [0, 1, 0], [0, 0.3, 1]]
        assert ambiguity_degree(MajorityPairCorruption(0.3), SKEWED) == 0.3

    def test_at_level_one_every_minority_row_is_a_pair(self) -> None:
        sets = MajorityPairCorruption(1)(SKEWED, random_state=0)
        assert (sets.sizes == np.where(SKEWED == 1, 1, 2)).all()
        assert sets.mask[:, 1].all()

    @given(seeds, open_levels)
    def test_the_truth_of_a_pair_is_not_the_majority(self, seed: int, level: float) -> None:
        corruption = MajorityPairCorruption(level)
        sets = corruption(SKEWED, random_state=seed)
        pairs = ~sets.is_single
        assert (sets.sizes[pairs] == 2).all()
        other = sets.mask[pairs].copy()
        assert other[:, 1].all()
        other[:, 1] = False
        np.testing.assert_array_equal(other.argmax(axis=1), SKEWED[pairs])
        decided = possible_truths(sets, corruption.inclusion(SKEWED))
        assert decided == LabelSets.from_labels(SKEWED)


class TestMajorityRow:
    def test_classes_are_added_to_majority_rows_only(self) -> None:
        inclusion = MajorityRowCorruption(0.3).inclusion(SKEWED)
        assert inclusion.tolist() == [[1, 0, 0], [0.3, 1, 0.3], [0, 0, 1]]
        assert ambiguity_degree(MajorityRowCorruption(0.3), SKEWED) == 0.3

    def test_at_level_one_majority_rows_have_all_classes(self) -> None:
        sets = MajorityRowCorruption(1)(SKEWED, random_state=0)
        np.testing.assert_array_equal(sets.is_whole, SKEWED == 1)
        np.testing.assert_array_equal(sets.is_single, SKEWED != 1)

    @given(seeds, open_levels)
    def test_the_truth_of_an_ambiguous_row_is_the_majority(self, seed: int, level: float) -> None:
        corruption = MajorityRowCorruption(level)
        sets = corruption(SKEWED, random_state=seed)
        assert (SKEWED[~sets.is_single] == 1).all()
        decided = possible_truths(sets, corruption.inclusion(SKEWED))
        assert decided == LabelSets.from_labels(SKEWED)


@pytest.mark.parametrize("kind", [MajorityPairCorruption, MajorityRowCorruption])
class TestMajority:
    def test_of_ties_the_first_class_is_the_majority(self, kind: Any) -> None:
        corruption = kind(0.5)
        tied = ["c", "b", "b", "c", "a"]
        np.testing.assert_array_equal(
            corruption.inclusion(tied), kind(0.5, majority="b").inclusion(tied)
        )
        np.testing.assert_array_equal(
            corruption.inclusion(tied, classes=["c", "b", "a"]),
            kind(0.5, majority="c").inclusion(tied, classes=["c", "b", "a"]),
        )

    def test_the_majority_may_be_named(self, kind: Any) -> None:
        sets = kind(1, majority=0)(SKEWED)
        others = SKEWED == 0 if kind is MajorityRowCorruption else SKEWED != 0
        np.testing.assert_array_equal(~sets.is_single, others)

    def test_an_unknown_majority_is_an_error(self, kind: Any) -> None:
        with pytest.raises(ValueError, match=rf"{kind.__name__}: majority names 9, which is not"):
            kind(0.5, majority=9)(SKEWED)


class TestConfusion:
    def test_the_partner_is_the_next_class(self) -> None:
        inclusion = ConfusionCorruption(0.3).inclusion(SKEWED)
        assert inclusion.tolist() == [[1, 0.3, 0], [0, 1, 0.3], [0.3, 0, 1]]
        assert ambiguity_degree(ConfusionCorruption(0.3), SKEWED) == 0.3

    def test_at_level_one_every_row_is_a_pair(self) -> None:
        sets = ConfusionCorruption(1)(SKEWED, random_state=0)
        assert (sets.sizes == 2).all()
        assert sets.contains((SKEWED + 1) % 3).all()

    @given(seeds, open_levels)
    def test_a_pair_determines_its_truth_if_partners_are_not_mutual(
        self, seed: int, level: float
    ) -> None:
        corruption = ConfusionCorruption(level)
        sets = corruption(SKEWED, random_state=seed)
        assert (sets.sizes <= 2).all()
        decided = possible_truths(sets, corruption.inclusion(SKEWED))
        assert decided == LabelSets.from_labels(SKEWED)

    def test_a_pair_of_mutual_partners_does_not_determine_its_truth(self) -> None:
        y = ["one", "seven", "two"] * 20
        corruption = ConfusionCorruption(0.5, {"one": "seven", "seven": "one"})
        sets = corruption(y, random_state=0)
        assert ambiguity_degree(corruption, y) == 0.5
        assert ambiguity_degree(corruption, ["two"], classes=["one", "seven", "two"]) == 0
        assert 0 < np.count_nonzero(~sets.is_single) < 40
        assert possible_truths(sets, corruption.inclusion(y)) == sets

    def test_a_matrix_gives_each_pair_its_strength(self) -> None:
        strength = np.array([[0.7, 0.5, 0], [0, 0, 0.25], [1, 0.1, 0]])
        corruption = ConfusionCorruption(0.4, strength)
        expected = [[1, 0.2, 0], [0, 1, 0.1], [0.4, 0.04, 1]]
        np.testing.assert_allclose(corruption.inclusion(SKEWED), expected, rtol=1e-15)
        strength[:] = 0
        np.testing.assert_allclose(corruption.inclusion(SKEWED), expected, rtol=1e-15)
        assert ambiguity_degree(corruption, SKEWED) == 0.4
        assert ambiguity_degree(corruption, [0, 1], classes=[0, 1, 2]) == 0.2

    def test_the_mapping_is_copied(self) -> None:
        partners = {0: 1}
        corruption = ConfusionCorruption(1, partners)
        partners[1] = 2
        assert corruption.inclusion(SKEWED)[1].tolist() == [0, 1, 0]

    @pytest.mark.parametrize(
        ("confusion", "message"),
        [
            ([1, 2, 0], r"mapping of classes or an array of shape \(K, K\); got shape \(3,\)"),
            (np.ones((2, 3)), r"got shape \(2, 3\)"),
            ([[0, 2], [0, 0]], r"confusion\[0, 1\] is 2.0; expected numbers from 0 to 1"),
            ([[0, np.nan], [0, 0]], r"confusion\[0, 1\] is nan"),
        ],
    )
    def test_invalid_confusions(self, confusion: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            ConfusionCorruption(0.5, confusion)

    def test_a_confusion_of_other_classes_is_an_error(self) -> None:
        with pytest.raises(ValueError, match=r"shape \(2, 2\) and y has 3 classes"):
            ConfusionCorruption(0.5, np.zeros((2, 2)))(SKEWED)
        with pytest.raises(ValueError, match=r"confusion names 'one', which is not among"):
            ConfusionCorruption(0.5, {0: "one"})(SKEWED)


class TestUnlabeled:
    @given(seeds, st.floats(0, 1), st.integers(0, 40))
    def test_the_share_is_exact_and_classes_keep_their_rows(
        self, seed: int, level: float, minimum: int
    ) -> None:
        sets = UnlabeledCorruption(level, minimum)(SKEWED, random_state=seed)
        assert (sets.is_single | sets.is_whole).all()
        kept = np.minimum(np.bincount(SKEWED), minimum)
        assert np.count_nonzero(sets.is_whole) == min(round(100 * level), 100 - kept.sum())
        assert (np.bincount(SKEWED[sets.is_single], minlength=3) >= kept).all()

    def test_the_ambiguity_depends_on_the_class_if_rows_are_kept(self) -> None:
        assert (UnlabeledCorruption(0.3).probabilities(SKEWED).min(axis=1) == 0.3).all()
        corruption = UnlabeledCorruption(0.3, min_per_class=10)
        eta = np.array([10 / 20, 40 / 50, 20 / 30]) * 30 / 70
        np.testing.assert_allclose(corruption.probabilities(SKEWED).min(axis=1), eta[SKEWED])
        assert ambiguity_degree(corruption, SKEWED) == pytest.approx(eta.max())

    def test_at_level_one_only_kept_rows_are_labelled(self) -> None:
        assert UnlabeledCorruption(1)(SKEWED, random_state=0).is_whole.all()
        sets = UnlabeledCorruption(1, min_per_class=2)(SKEWED, random_state=0)
        assert np.bincount(SKEWED[sets.is_single]).tolist() == [2, 2, 2]

    def test_kept_rows_are_drawn_at_random(self) -> None:
        kept = {
            tuple(np.flatnonzero(UnlabeledCorruption(1, 1)(SKEWED, random_state=s).is_single))
            for s in range(20)
        }
        assert len(kept) > 15

    @pytest.mark.parametrize("minimum", [-1, 1.5, True, None])
    def test_invalid_numbers_of_rows(self, minimum: Any) -> None:
        with pytest.raises(ValueError, match=r"min_per_class must be an integer >= 0; got"):
            UnlabeledCorruption(0.5, minimum)


class TestPossibleTruths:
    @given(seeds)
    def test_it_equals_the_enumeration_of_all_sets(self, seed: int) -> None:
        """The probability of every set of three classes, under each truth."""
        rng = np.random.default_rng(seed)
        inclusion = rng.choice([0, 0.5, 1], size=(3, 3))
        np.fill_diagonal(inclusion, 1)
        masks = np.array(np.meshgrid(*[[False, True]] * 3)).reshape(3, -1).T[1:]
        likelihood = np.where(masks[:, None, :], inclusion, 1 - inclusion).prod(axis=2)
        expected = masks & (likelihood > 0)
        feasible = expected.any(axis=1)
        if feasible.any():
            sets = LabelSets(masks[feasible], [0, 1, 2])
            found = possible_truths(sets, inclusion)
            np.testing.assert_array_equal(found.mask, expected[feasible])
        if not feasible.all():
            with pytest.raises(CandidateError, match="cannot come from this corruption"):
                possible_truths(LabelSets(masks, [0, 1, 2]), inclusion)

    def test_invalid_arguments(self) -> None:
        sets = LabelSets.from_labels([0, 1])
        with pytest.raises(ValueError, match=r"inclusion has shape \(3, 3\); expected \(2, 2\)"):
            possible_truths(sets, np.eye(3))
        with pytest.raises(ValueError, match="must hold probabilities"):
            possible_truths(sets, 2 * np.ones((2, 2)))
        with pytest.raises(CandidateError, match="soft weights"):
            possible_truths(LabelSets.from_weights([[0.5, 0.5]]), np.eye(2))


def test_the_inclusions_of_the_two_skewed_corruptions_are_transposed() -> None:
    text, code = MajorityPairCorruption(0.4), MajorityRowCorruption(0.4)
    assert isinstance(text, Corruption)
    np.testing.assert_array_equal(text.inclusion(SKEWED), code.inclusion(SKEWED).T)
