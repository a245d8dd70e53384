"""Examinations of orders: sets against enumeration, coverage by simulation, answers, errors."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from disambig import PartialOrders, PartialRanker
from disambig.estimators.rankers.pairs import square
from disambig.exceptions import CandidateError
from disambig.trust import cross_examine
from disambig.trust.kinds.orders import OrderExamination
from disambig.trust.kinds.sign_sets import (
    acyclic_threshold,
    inner_order_scores,
    inner_orders,
    order_scores,
    order_set_scores,
    orders_at,
)
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from tests.estimators.small_search import small_search

ITEMS = ["a", "b", "c", "d"]


def preferences(n, seed=0, hidden=0.4):
    """Inputs, true ranks of noisy linear utilities, and ranks of which a share is hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    slopes = np.random.default_rng(99).normal(size=(2, 4))
    utilities = X @ slopes + 0.5 * rng.gumbel(size=(n, 4))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1)
    shown = np.where(rng.random(ranks.shape) < hidden, np.nan, ranks)
    return X, ranks, PartialOrders.from_ranks(shown, items=ITEMS)


def ranker():
    return PartialRanker(NadarayaWatsonWeights(bandwidth=0.5), items=ITEMS)


@pytest.fixture(scope="module")
def exam():
    X, _, orders = preferences(240)
    return cross_examine(ranker(), X, orders)


def all_orders(m):
    return np.array(list(permutations(range(m))))


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.05, 0.98))
def test_sets_against_all_orders(seed, threshold):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 5))
    every = all_orders(m)
    p = square(np.round(rng.random((1, m * (m - 1) // 2)), int(rng.integers(1, 4))), m)
    ranks = np.where(rng.random(m) < 0.4, np.nan, rng.permutation(m))[None]
    orders = PartialOrders.from_ranks(ranks)
    before = every[:, :, None] < every[:, None, :]
    scores = np.where(before, np.swapaxes(p, 1, 2), 0).max(axis=(1, 2))
    # The threshold from which on some order is left, and some order of the row's set.
    assert acyclic_threshold(p)[0] == pytest.approx(scores.min())
    own = orders[np.zeros(len(every), dtype=int)].contains(every)
    assert acyclic_threshold(p, orders.before)[0] == pytest.approx(scores[own].min())
    found = orders_at(p, threshold, np.arange(m))
    predicted = found[np.zeros(len(every), dtype=int)].contains(every)
    expected = scores <= max(threshold, scores.min()) + 1e-12
    np.testing.assert_array_equal(predicted, expected)
    assert (predicted & own).any() == (order_set_scores(p, orders)[0] <= threshold)
    for k, order in enumerate(every):
        assert predicted[k] == (order_scores(p, order[None])[0] <= threshold)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.05, 0.98), st.booleans())
def test_sets_inside_the_own_set_have_the_label(seed, threshold, with_places):
    rng = np.random.default_rng(seed)
    label = rng.permutation(4)[None]
    table = np.where(rng.random((1, 4)) < 0.5, np.nan, label)
    orders = PartialOrders.from_places(table) if with_places else PartialOrders.from_ranks(table)
    p = square(rng.random((1, 6)), 4)
    found = inner_orders(p, threshold, label, orders)
    assert found.contains(label)[0]
    assert (found.before >= orders.before).all()
    for order in all_orders(4):
        if orders.contains(order[None])[0]:
            is_in = inner_order_scores(p, label, order[None])[0] <= threshold
            assert found.contains(order[None])[0] == is_in


def test_split_calibration_covers_sets_and_truth():
    X, _, orders = preferences(150)
    model = ranker().fit(X, orders)
    X, ranks, orders = preferences(3000, seed=1)
    n, n_draws, rng = 60, 200, np.random.default_rng(2)
    levels = (0.7, 0.9)
    met, contained = ({level: [] for level in levels} for _ in range(2))
    for _ in range(n_draws):
        drawn = rng.permutation(3000)[: n + 200]
        own, new = drawn[:n], drawn[n:]
        own = own[orders.n_observed[own] > 0]
        exam = cross_examine(model, X[own], orders[own], cv="prefit")
        assert exam.is_split
        compared = np.flatnonzero(orders.n_observed[new] > 0)
        together = order_set_scores(exam._probabilities_at(X[new]), orders[new])[compared]
        answered = exam.with_answers(np.arange(len(own)), ranks[own])
        for level in levels:
            found = exam.predict_set(X[new], level)
            # One order fits both partial orders if and only if their pairs have no cycle together.
            reached = (found.before | orders[new].before)[compared]
            for _ in range(2):
                reached = reached | ((reached.astype(int) @ reached.astype(int)) > 0)
            is_met = ~np.einsum("nii->ni", reached).any(axis=1)
            assert together[is_met].max() <= together[~is_met].min()
            met[level].append(is_met.mean())
            sets = answered.predict_set(X[new], level, meaning="truth")
            contained[level].append(sets.contains(ranks[new]).mean())
    for level, shares in [*met.items(), *contained.items()]:
        error = 3 * np.std(shares) / np.sqrt(n_draws)
        assert level - 0.01 - error <= np.mean(shares)
        assert np.mean(shares) <= level + 1 / (n * 0.8) + 0.01 + error


def test_confidence_is_the_share_of_concordant_pairs(exam):
    _, ranks, orders = preferences(240)
    assert isinstance(exam, OrderExamination)
    assert orders.contains(exam.labels).all()
    i, j = np.triu_indices(4, 1)
    right = ((exam.labels[:, i] < exam.labels[:, j]) == (ranks[:, i] < ranks[:, j])).mean(axis=1)
    assert exam.confidence.mean() == pytest.approx(right.mean(), abs=0.03)
    np.testing.assert_array_equal(exam.confidence[orders.is_total], 1.0)
    assert np.corrcoef(exam.confidence, right)[0, 1] > 0.4
    # Observed pairs in the wrong direction are suspect.
    turned = orders.before.copy()
    turned[:30] = np.swapaxes(turned[:30], 1, 2)
    other = cross_examine(ranker(), preferences(240)[0], PartialOrders(turned, ITEMS))
    compared = orders.n_observed > 0
    is_turned = np.arange(240) < 30
    assert roc_auc_score(is_turned[compared], other.suspicion[compared]) > 0.85
    assert (other.suspicion[~compared] == 0).all()


def test_the_frame_names_orders_and_doubtful_pairs(exam):
    frame = exam.frame()
    assert frame.columns.tolist() == [
        "label",
        "confidence",
        "doubtful_pair",
        "doubtful_pair_confidence",
        "n_observed_pairs",
        "wrong_set_probability",
        "suspicion",
    ]
    orders = exam.candidates
    assert frame["doubtful_pair"].isna().tolist() == orders.is_total.tolist()
    for row in range(20):
        names = frame["label"][row].split(">")
        assert [ITEMS[k] for k in np.argsort(exam.labels[row])] == names
        if orders.is_total[row]:
            continue
        values = {
            (a, b): exam.held_out_probabilities[row, ITEMS.index(a), ITEMS.index(b)]
            for k, a in enumerate(names)
            for b in names[k + 1 :]
            if (a, b) not in orders[row]
        }
        worst = min(values, key=values.get)
        assert frame["doubtful_pair"][row] == ">".join(worst)
        assert frame["doubtful_pair_confidence"][row] == values[worst]


def test_answers_recalibrate_and_promise(exam):
    _, ranks, _ = preferences(240)
    rows = np.random.default_rng(0).choice(240, 120, replace=False)
    answered = exam.with_answers(rows, ranks[rows])
    np.testing.assert_array_equal(answered.labels[rows], ranks[rows])
    assert (answered.confidence[rows] == 1).all()
    assert answered.wrong_share_of_answers == 0
    texts = [">".join(ITEMS[k] for k in np.argsort(ranks[row])) for row in rows]
    again = exam.with_answers(rows, texts)
    np.testing.assert_array_equal(again.confidence, answered.confidence)
    more = exam.with_answers(rows, texts, singletons=True)
    assert len(more.answers) == len(np.union1d(rows, np.flatnonzero(exam.candidates.is_total)))
    accepted = answered.accept(risk=0.2)
    assert "pairs or bits" in accepted.promise
    assert accepted.threshold is not None
    inside = answered.predict_set(meaning="truth")
    assert (inside.before >= exam.candidates.before).all()
    assert inside.contains(ranks).mean() > 0.85
    assert inside.contains(exam.labels).all()


@pytest.mark.parametrize(
    ("rows", "labels", "match"),
    [
        ([3], ["a>b>c"], "entry 0 has 3 of 6 pairs"),
        ([3], [[0, 1, 1, 2]], "entry 0 has 5 of 6 pairs"),
        ([3, 4], [[0, 1, 2, 3]], "2 rows were given with 1 labels"),
        ([3, 3], [[0, 1, 2, 3], [1, 0, 2, 3]], "row 3 has two different labels"),
        ([240], [[0, 1, 2, 3]], "row 240 does not exist"),
        ([3], [[0, 1, 2]], "labels have 3 columns; expected the ranks of all 4 items"),
    ],
)
def test_bad_answers(exam, rows, labels, match):
    with pytest.raises((ValueError, CandidateError), match=match):
        exam.with_answers(rows, labels)


def test_texts_name_items_as_questions_do(exam):
    X, _, orders = preferences(240)
    numbered = PartialOrders(orders.before, [10, 2, 7, 3])
    weights = NadarayaWatsonWeights(bandwidth=0.5)
    other = cross_examine(PartialRanker(weights, items=numbered.items), X, numbered)
    row = int(other.ask(1).rows[0])
    assert row == exam.ask(1).rows[0]
    known = exam.with_answers([row], ["b>a>d>c"]).answers.labels
    for texts in (["2>10>3>7"], np.array(["2>10>3>7"]), np.array(["2>10>3>7"], dtype=object)):
        np.testing.assert_array_equal(other.with_answers([row], texts).answers.labels, known)
    with pytest.raises(CandidateError, match="mentions '5'"):
        other.with_answers([row], ["2>10>3>5"])


def test_what_orders_cannot_promise(exam):
    with pytest.raises(ValueError, match="'contains' is for labels"):
        exam.predict_set(meaning="contains")
    with pytest.raises(ValueError, match="needs true targets"):
        exam.predict_set(meaning="truth")
    rows = np.arange(40)
    answered = exam.with_answers(rows, preferences(240)[1][rows])
    with pytest.raises(ValueError, match="orders have no classes"):
        answered.predict_set(meaning="truth", classwise=True)


@small_search()
def test_weights_repeats_and_mixtures():
    X, _, orders = preferences(80)
    weights = np.random.default_rng(0).integers(0, 3, size=80)
    weighted = cross_examine(PartialRanker(NeighborWeights(9)), X, orders, sample_weight=weights)
    assert np.isfinite(weighted.held_out_probabilities).all()
    # Rows of weight zero are judged by the model of all others.
    free = np.flatnonzero(weights == 0)
    alone = PartialRanker(NeighborWeights(9)).fit(X, orders, sample_weight=weights)
    shares = weighted.calibration(alone._shares(X[free]))
    np.testing.assert_allclose(weighted.held_out_probabilities[free], square(shares, 4))
    # The members of a mixture are refitted without the fold, and calibrated together.
    mixed = cross_examine(PartialRanker(), X, orders, cv=3, repeats=2)
    assert mixed.selection_saw_sets
    assert mixed.estimator.members_
    off = ~np.eye(4, dtype=bool)
    table = mixed.held_out_probabilities
    np.testing.assert_allclose((table + np.swapaxes(table, 1, 2))[:, off], 1.0)
    assert 0.3 < mixed.temperature < 3.0
