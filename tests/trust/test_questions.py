"""Questions: the greedy choice against brute force, what is asked, what is refused."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier

from disambig import (
    DisambiguatedClassifier,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.datasets import UniformCorruption
from disambig.trust import cross_examine
from disambig.trust.influence import Influence, influence_of
from disambig.trust.questions import chosen_batch
from disambig.weights import KernelRidgeWeights, NeighborWeights

NAMES = np.array(["ant", "bee", "cow", "dog"])


@pytest.fixture(scope="module")
def blobs():
    X, codes = make_blobs(120, 2, centers=4, cluster_std=2.5, random_state=3)
    return X, UniformCorruption(0.5)(NAMES[codes], random_state=0), NAMES[codes]


@pytest.fixture(scope="module")
def exam(blobs):
    X, sets, _ = blobs
    return cross_examine(PartialLabelClassifier(NeighborWeights(8)), X, sets)


def brute_force(n, doubt, weights, shares, shared, equal):
    """The definition: all gains are computed anew before every question."""
    present, asked, gains = doubt.copy(), [], []
    for _ in range(n):
        found = present * (weights + shares @ (weights * present))
        found[asked] = -1.0
        row = int(found.argmax())
        asked.append(row)
        gains.append(found[row])
        parts = np.where(equal == equal[row], np.maximum(shared[row], 0.5), shared[row])
        present = present * (1.0 - parts)
        present[row] = 0.0
    return asked, gains


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.booleans())
def test_the_greedy_choice_against_brute_force(seed, is_sparse):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 12))
    votes = rng.random((m, m)) * (rng.random((m, m)) < 0.5)
    np.fill_diagonal(votes, 0.0)
    shares = votes / np.maximum(votes.sum(axis=0), 1e-9)
    shared = 0.25 * votes / np.maximum(votes.max(axis=0), 1e-9)
    doubt, weights = rng.random(m), rng.random(m) + 0.1
    n = int(rng.integers(1, m + 1))
    form = sp.csr_array if is_sparse else np.asarray
    equal = rng.integers(m, size=m)
    influence = Influence(form(shares), form(shared), equal, by_votes=True)
    found = chosen_batch(n, np.zeros(0, np.intp), doubt, np.ones(m, np.bool_), weights, influence)
    rows, gains = brute_force(n, doubt, weights, shares, shared, equal)
    assert_array_equal(found.rows, rows)
    assert_allclose(found.gain, gains, atol=1e-12)


@pytest.mark.parametrize("weights", [NeighborWeights(8), KernelRidgeWeights()])
def test_influence_is_the_share_of_votes(blobs, weights):
    X, sets, _ = blobs
    exam = cross_examine(PartialLabelClassifier(weights), X, sets)
    found = influence_of(exam.examined)
    assert found.by_votes
    shares = found.shares.toarray() if sp.issparse(found.shares) else found.shares
    votes = np.abs(exam.estimator.weights_.leave_one_out_votes().rows(0, len(X)))
    votes = votes.toarray() if sp.issparse(votes) else votes
    assert_allclose(shares.T, votes / votes.sum(axis=1, keepdims=True), atol=1e-12)
    reached, own, parts = found.of(5)
    assert_allclose(own, shares[5, reached])
    assert parts.max() <= 0.25


def test_open_rows_are_asked_once_the_doubtful_first(exam):
    single = exam.candidates.is_single
    questions = exam.ask(int((~single).sum()))
    assert_array_equal(np.sort(questions.rows), np.flatnonzero(~single))
    few = exam.ask(10)
    assert_array_equal(few.rows, questions.rows[:10])
    assert (np.diff(questions.gain) <= 1e-12).all()
    assert (1 - exam.confidence)[few.rows].mean() > 2 * (1 - exam.confidence)[~single].mean()
    assert (few.gain >= few.doubt).all()
    assert few.expected_gain == pytest.approx(few.gain.sum())
    assert not few.is_random.any()
    assert np.isnan(few.inclusion).all()


def test_answered_rows_are_not_asked(exam, blobs):
    first = exam.ask(15).rows
    answered = exam.with_answers(first, blobs[2][first])
    assert not np.intersect1d(answered.ask(30).rows, first).size


def test_permuted_rows_permute_the_questions(exam, blobs):
    X, sets, _ = blobs
    order = np.random.default_rng(0).permutation(len(X))
    other = cross_examine(PartialLabelClassifier(NeighborWeights(8)), X[order], sets[order])
    assert_allclose(other.confidence, exam.confidence[order], atol=1e-12)
    first, second = exam.ask(12), other.ask(12)
    assert_allclose(second.gain, first.gain, atol=1e-12)
    # Rows of equal gain may change places.
    assert np.intersect1d(order[second.rows], first.rows).size >= 11


def test_copies_of_one_question_are_not_asked_together():
    rng = np.random.default_rng(0)
    copies = np.full((20, 2), 30.0)
    others = 2.0 * rng.normal(size=(60, 2))
    X = np.concatenate([copies, others])
    sides = np.where(others[:, 0] > 0, "a", "b")
    y = [{"a", "b"}] * 20 + [{"a", "b"} if row % 2 else {sides[row]} for row in range(60)]
    exam = cross_examine(PartialLabelClassifier(NeighborWeights(10)), X, y)
    n_copies = np.count_nonzero(exam.ask(10).rows < 20)
    most_doubtful = np.argsort(exam.confidence, kind="stable")[:10]
    assert np.count_nonzero(most_doubtful < 20) >= 8
    assert 1 <= n_copies <= 4


def test_random_rows_are_recorded(exam, blobs):
    truth = blobs[2]
    n_open = int((~exam.candidates.is_single).sum())
    questions = exam.ask(30, n_random=0.5, random_state=1)
    assert questions.is_random.tolist() == [True] * 15 + [False] * 15
    assert_allclose(questions.inclusion[:15], 15 / n_open)
    assert np.unique(questions.rows).size == 30
    assert_array_equal(exam.ask(30, n_random=15, random_state=1).rows, questions.rows)
    assert not np.array_equal(exam.ask(30, n_random=15, random_state=2).rows, questions.rows)
    drawn = questions.rows[questions.is_random]
    inclusion = questions.inclusion[questions.is_random]
    answered = exam.with_answers(drawn, truth[drawn], inclusion=inclusion)
    assert answered.answers.is_uniform
    assert "calibrated on" in str(answered.ask(3))
    assert "No answers have calibrated" in str(questions)
    assert "15 of them drawn at random" in str(questions)
    assert questions.reason[0] == "drawn at random, for calibration"


def test_every_open_row_can_be_drawn(exam):
    counts = np.zeros(len(exam))
    for seed in range(150):
        counts[exam.ask(20, n_random=20, random_state=seed).rows] += 1
    n_open = int((~exam.candidates.is_single).sum())
    expected = 150 * 20 / n_open
    assert np.abs(counts[~exam.candidates.is_single] - expected).max() < 6 * np.sqrt(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 121}, "n=121 questions about 120 rows"),
        ({"n": 120}, "only .* of 120 rows are open"),
        ({"n": 0}, "n must be an integer >= 1; got 0"),
        ({"n": 2.5}, "n must be an integer"),
        ({"n": 5, "n_random": 6}, "n_random=6 of n=5 questions"),
        ({"n": 5, "n_random": 1.5}, "n_random must be a number from 0 to 1"),
        ({"n": 5, "n_random": -1}, "n_random must be an integer >= 0"),
    ],
)
def test_bad_numbers_are_refused_in_words(exam, arguments, message):
    with pytest.raises(ValueError, match=message):
        exam.ask(**arguments)


def test_sample_weights_count_rows(blobs):
    X, sets, _ = blobs
    weights = np.where(np.arange(len(X)) < 20, 0.0, 1.0)
    weights[20:40] = 3.0
    model = PartialLabelClassifier(NeighborWeights(8))
    exam = cross_examine(model, X, sets, sample_weight=weights)
    questions = exam.ask(int((~sets.is_single).sum()))
    # Rows that take no part gain nothing, and are asked last.
    n_out = int((~sets.is_single[:20]).sum())
    assert set(questions.rows[-n_out:].tolist()) <= set(range(20))
    assert_allclose(questions.gain[-n_out:], 0.0)
    heavy = (questions.rows >= 20) & (questions.rows < 40)
    assert (questions.gain[heavy] >= 3 * questions.doubt[heavy]).all()


def test_prefit_rows_influence_nothing(blobs):
    X, sets, _ = blobs
    model = PartialLabelClassifier(NeighborWeights(8)).fit(X[:60], sets[:60])
    exam = cross_examine(model, X[60:], sets[60:], cv="prefit")
    questions = exam.ask(5)
    assert_allclose(questions.gain, questions.doubt)
    assert_allclose(questions.doubt, np.sort(1 - exam.confidence)[::-1][:5], atol=1e-9)


def test_models_without_votes_influence_the_nearest_rows(blobs):
    X, sets, _ = blobs
    forest = RandomForestClassifier(10, random_state=0)
    exam = cross_examine(DisambiguatedClassifier(forest, start="average", cv=3), X, sets, cv=3)
    questions = exam.ask(5)
    assert not questions.by_votes
    assert "nearest rows" in str(questions)
    found = influence_of(exam.examined).shares.toarray()
    scaled = X / X.std(axis=0)
    distances = ((scaled[:, None] - scaled) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    for row in (0, 7):
        assert_array_equal(
            np.sort(np.flatnonzero(found[:, row])), np.sort(distances[row].argsort()[:10])
        )


def kinds():
    """For every kind an examination, and what its candidates look like."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    numbers = X[:, 0]
    ends = np.c_[numbers - rng.random(60), numbers + rng.random(60)]
    ranks = np.argsort(np.argsort(X @ rng.normal(size=(2, 3)), axis=1), axis=1)
    shown = np.where(rng.random(ranks.shape) < 0.4, np.nan, ranks)
    bits = (X @ rng.normal(size=(2, 3)) > 0).astype(float)
    near = NeighborWeights(6)
    yield IntervalRegressor(near), X, ends, r"^\[-?[\d.e-]+, -?[\d.e-]+\]$"
    yield PartialRanker(near), X, shown, r"^$|^\d>\d"
    hidden = np.where(rng.random(bits.shape) < 0.4, np.nan, bits)
    yield PartialMultilabelClassifier(weights=near), X, hidden, r"^0=[01?], 1=[01?], 2="
    y = [{"a", "b"} if row % 3 else {"ab"[int(X[row, 0] > 0)]} for row in range(60)]
    yield PartialLabelClassifier(near), X, y, r"^a \| b$"


@pytest.mark.parametrize("kind", range(4))
def test_all_kinds_have_questions(kind):
    model, X, y, pattern = list(kinds())[kind]
    exam = cross_examine(model, X, y, cv=3)
    questions = exam.ask(6, n_random=2)
    frame = questions.frame()
    assert_array_equal(frame.index, questions.rows)
    assert frame["candidates"].str.match(pattern).all()
    columns = {"label", "confidence", "reason", "gain", "doubt", "is_random", "inclusion"}
    assert columns <= set(frame.columns)
    assert questions.by_votes
    assert len(list(questions)) == len(questions) == 6
    assert repr(questions).startswith("Questions(6 rows")


def test_questions_are_immutable(exam):
    questions = exam.ask(3)
    with pytest.raises(ValueError, match="read-only"):
        questions.rows[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        questions.gain = np.zeros(3)


def test_wrong_sets_raise_doubt(exam):
    odds = np.ones(len(exam.classes) + 1)
    wrong_sets = dataclasses.replace(exam.wrong_sets, share=0.2, size_odds=odds)
    suspect = dataclasses.replace(exam, wrong_sets=wrong_sets)
    assert (suspect._doubt() >= exam._doubt() - 1e-12).all()
    assert suspect._doubt().sum() > exam._doubt().sum()
