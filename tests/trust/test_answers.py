import numpy as np
import pytest

from disambig.exceptions import CandidateError
from disambig.trust.answers import read_answers, with_singletons


def test_answers_are_sorted_by_row_with_codes_of_their_classes():
    answers = read_answers([7, 2, 5], ["c", "a", "c"], 8, classes=["c", "b", "a"])
    assert answers.rows.tolist() == [2, 5, 7]
    assert answers.labels.tolist() == [2, 0, 0]
    assert answers.weights.tolist() == [1, 1, 1]
    assert answers.is_uniform
    assert len(answers) == 3
    with pytest.raises(ValueError, match="read-only"):
        answers.rows[0] = 1


def test_numbers_and_tables_of_numbers_stay_values():
    assert read_answers([1, 0], [2.5, 1.5], 2).labels.tolist() == [1.5, 2.5]
    assert read_answers([1, 0], [[0, 1], [1, 0]], 2).labels.tolist() == [[1, 0], [0, 1]]


def test_weights_are_inverse_inclusion_probabilities_with_mean_one():
    answers = read_answers([3, 0], [1, 0], 4, classes=[0, 1], inclusion=[0.25, 0.5])
    np.testing.assert_allclose(answers.weights, [2 / 3, 4 / 3])
    assert not answers.is_uniform
    assert read_answers([3, 0], [1, 0], 4, inclusion=0.1).weights.tolist() == [1, 1]


def test_weighted_answers_estimate_the_mean_of_all_rows():
    """Horvitz-Thompson, with rows of large values drawn more often."""
    rng = np.random.default_rng(0)
    values = rng.uniform(size=2000)
    inclusion = 0.1 + 0.4 * values
    rows = np.flatnonzero(rng.uniform(size=2000) < inclusion)
    answers = read_answers(rows, values[rows], 2000, inclusion=inclusion[rows])
    assert values[rows].mean() > values.mean() + 0.05
    assert np.average(answers.labels, weights=answers.weights) == pytest.approx(
        values.mean(), abs=0.03
    )


def test_a_mask_names_rows_and_a_repeated_answer_counts_once():
    mask = np.array([False, True, False, True])
    assert read_answers(mask, ["a", "b"], 4, classes=["a", "b"]).rows.tolist() == [1, 3]
    twice = read_answers([1, 3, 1], ["a", "b", "a"], 4, classes=["a", "b"])
    assert twice.rows.tolist() == [1, 3]
    assert twice.labels.tolist() == [0, 1]


LABELS = {"classes": ["cat", "dog"]}


@pytest.mark.parametrize(
    ("rows", "labels", "options", "message"),
    [
        ([0, 5], ["cat", "dog"], LABELS, "row 5 does not exist .*there are 5 rows, 0 to 4"),
        ([-1], ["cat"], LABELS, "row -1 does not exist"),
        ([0.0], ["cat"], LABELS, "rows must be integers"),
        (["x"], ["cat"], LABELS, "names of rows into positions"),
        ([], [], LABELS, "at least one row"),
        ([0, 1], ["cat"], LABELS, "2 rows were given with 1 labels"),
        ([0, 1], [1.0], {}, "2 rows were given with 1 labels"),
        ([2, 1, 2], ["cat", "dog", "dog"], LABELS, "row 2 has two different labels, 'cat' and 'do"),
        ([2, 1, 2], ["cat", "dog", "dog"], LABELS, "combine_annotations"),
        ([2, 2], [1.0, 1.5], {}, "row 2 has two different labels, 1.0 and 1.5"),
        ([2, 2], [[1, 2], [1, 3]], {}, "row 2 has two different labels"),
        ([0, 1, 2], ["cow", "cat", "owl"], LABELS, r"labels \['cow', 'owl'\] are not among"),
        ([0, 3], ["cat", None], LABELS, r"labels \[None\] are not among .*first in row 3"),
        ([3], [{"cat", "dog"}], LABELS, "row 3 is .* a set. An answer is the one true label"),
        ([0, 3], [1.0, np.nan], {}, "label of row 3 is NaN"),
        ([0], ["cat"], {}, "labels must be numbers"),
        ([0, 1], ["cat", "dog"], {**LABELS, "inclusion": [0.5, 0.0]}, "got 0.0 in entry 1"),
        ([0, 1], ["cat", "dog"], {**LABELS, "inclusion": 1.5}, "at most 1; got 1.5"),
        ([0, 1], ["cat", "dog"], {**LABELS, "inclusion": [0.5]}, "1 inclusion probabilities"),
        ([0, 1], ["cat", "dog"], {**LABELS, "inclusion": np.nan}, "got nan"),
        ([0, 0], ["cat", "cat"], {**LABELS, "inclusion": [0.5, 0.25]}, "different inclusion"),
    ],
)
def test_refusals_in_words(rows, labels, options, message):
    with pytest.raises(ValueError, match=message):
        read_answers(rows, labels, 5, **options)


def test_an_unknown_label_is_a_candidate_error():
    with pytest.raises(CandidateError):
        read_answers([0], ["cow"], 5, **LABELS)
    # "1" and 1 are different labels.
    with pytest.raises(CandidateError):
        read_answers([0], ["1"], 5, classes=[0, 1])


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (3, ["a"], "rows must hold at least one row number"),
        (["a"], ["a"], "rows must be integers"),
        ([9], ["a"], "row 9 does not exist"),
        ([0], 3, "labels must be a list; got 3"),
        ([0], np.array("a"), "labels must be a list"),
        ([0, 1], ["a"], "2 rows were given with 1 labels"),
    ],
)
def test_answers_beside_singletons_are_checked_first(rows, labels, message):
    single, own = np.array([False, False, True]), np.array(["a", "b", "b"])
    with pytest.raises(ValueError, match=message):
        with_singletons(rows, labels, single, own, np.zeros(0, dtype=np.intp))
