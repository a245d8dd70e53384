"""Refits with answers: the sets, the components, the start, and what a simulation reports."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    DisambiguatedClassifier,
    IntervalRegressor,
    LabelSets,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
)
from disambig.candidates import ClassCounts, IntervalUnions
from disambig.datasets import UniformCorruption
from disambig.estimators import base
from disambig.trust import cross_examine, simulate_questions
from disambig.trust.questions import Questions
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


def test_answers_become_single_candidates_even_outside_of_their_sets(exam, blobs):
    rows = exam.ask(10).rows
    answers = blobs[2][rows].copy()
    outside = np.flatnonzero(~exam.candidates.mask[rows].all(axis=1))[0]
    missing = np.flatnonzero(~exam.candidates.mask[rows[outside]])[0]
    answers[outside] = NAMES[missing]
    found = exam.refit(rows, answers)
    assert found.candidates.is_single[rows].all()
    assert_array_equal(found.labels[rows], answers)
    assert_array_equal(found.estimator.labels_[rows], answers)
    assert_allclose(found.confidence[rows], 1.0)
    rest = np.setdiff1d(np.arange(120), rows)
    assert_array_equal(found.candidates.mask[rest], exam.candidates.mask[rest])
    # The examination that was refitted is as it was.
    assert not exam.candidates.is_single[rows].any()
    assert not np.intersect1d(found.ask(10).rows, rows).size


def test_answers_of_an_examination_are_kept(exam, blobs):
    truth = blobs[2]
    first, second = np.split(exam.ask(40, n_random=20).rows, 2)
    answered = exam.with_answers(first, truth[first])
    found = answered.refit(second, truth[second])
    assert found.candidates.is_single[first].all()
    assert found.candidates.is_single[second].all()
    assert found.answers is None
    assert found.recalibration is answered.recalibration
    is_open = ~found.candidates.is_single
    by_sets = found.confidence_by_sets[is_open]
    assert_allclose(found.confidence[is_open], answered.recalibration(by_sets))


def test_a_warm_refit_has_the_objective_of_a_cold_fit_in_fewer_steps(exam, blobs):
    X, _, truth = blobs
    rows = exam.ask(6).rows
    warm = exam.refit(rows, truth[rows])
    cold = PartialLabelClassifier(NeighborWeights(8)).fit(X, warm.candidates)
    assert warm.estimator.solution_.start == "warm"
    assert warm.estimator.objective_ <= cold.objective_ * (1 + 1e-9)
    assert len(warm.estimator.trace_) < len(cold.trace_)
    assert warm.estimator._earlier is None


def test_a_warm_refit_of_numbers_is_the_same_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    truth = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
    y = np.c_[truth - rng.random(80), truth + rng.random(80)]
    model = IntervalRegressor(KernelRidgeWeights(regularization=1e-3))
    exam = cross_examine(model, X, y, cv=3)
    rows = exam.ask(4).rows
    warm = exam.refit(rows, truth[rows])
    cold = clone(model).fit(X, warm.candidates)
    assert cold.certified_
    assert_allclose(warm.estimator.objective_, cold.objective_, rtol=1e-7)
    assert_allclose(warm.estimator.labels_, cold.labels_, atol=1e-5)
    assert warm.estimator.n_iter_ < cold.n_iter_
    assert_allclose(warm.labels[rows], truth[rows])
    with pytest.raises(ValueError, match=r"^refit: labels must hold a number for each row"):
        exam.refit(rows, np.c_[truth[rows], truth[rows]])
    # What counts as right does not change with the answers.
    assert_array_equal(warm.distance, exam.distance)


@pytest.mark.slow
def test_nothing_is_searched_again(monkeypatch):
    X, codes = load_digits(n_class=4, return_X_y=True)
    X, codes = X[:150], codes[:150]
    sets = UniformCorruption(0.5)(codes, random_state=0)
    exam = cross_examine(PartialLabelClassifier(), X, sets, cv=3)

    def refuse(*args, **kwargs):
        raise AssertionError("a search")

    monkeypatch.setattr(base, "select", refuse)
    rows = exam.ask(8).rows
    found = exam.refit(rows, codes[rows])
    before, after = exam.estimator, found.estimator
    assert after.weights_.get_params().keys() == before.weights_.get_params().keys()
    assert repr(after.weights_) == repr(before.weights_)
    assert repr(after.solver_) == repr(before.solver_)
    # The same weightings judge, and they were chosen with the sets in sight.
    assert after.trials_ == before.trials_
    assert found.selection_saw_sets
    assert after.solution_.start == "warm"
    assert after.n_iter_ < before.n_iter_
    # An explicit choice: a copy can be fitted without the search, too.
    clone(after).fit(X, sets)


def test_pipelines_groups_and_sample_weights(blobs):
    X, sets, truth = blobs
    weights = np.where(np.arange(120) % 10 == 0, 0.0, 1.0 + np.arange(120) % 2)
    groups = np.arange(120) // 3
    model = make_pipeline(StandardScaler(), PartialLabelClassifier(NeighborWeights(8)))
    exam = cross_examine(model, X, sets, sample_weight=weights, groups=groups)
    rows = exam.ask(9).rows
    found = exam.refit(rows, truth[rows])
    assert found.estimator[-1].solution_.start == "warm"
    assert_array_equal(found.sample_weight, weights)
    cold = clone(model).fit(
        X,
        found.candidates,
        partiallabelclassifier__sample_weight=weights,
        partiallabelclassifier__groups=groups,
    )
    assert found.estimator[-1].objective_ <= cold[-1].objective_ * (1 + 1e-9)
    assert_array_equal(found.examined.kept.groups, exam.examined.kept.groups)
    assert_allclose(found.estimator.predict_proba(X[:5]).sum(axis=1), 1.0)


def test_counts_of_classes_are_kept():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(20, 2)), 4 + rng.normal(size=(20, 2))])
    truth = np.repeat([0, 1], 20)
    mask = np.ones((40, 2), dtype=bool)
    mask[[0, 1, 2, 20, 21, 22]] = np.eye(2, dtype=bool)[[0, 0, 0, 1, 1, 1]]
    counts = ClassCounts.balanced(LabelSets.from_mask(mask))
    exam = cross_examine(PartialLabelClassifier("neighbors"), X, counts, cv=2)
    found = exam.refit([5, 30], truth[[5, 30]])
    assert np.bincount(found.estimator.labels_).tolist() == [20, 20]


def test_unions_and_places():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 1))
    truth = X[:, 0]
    unions = IntervalUnions.from_any(
        [[(value - 3, value - 2), (value - 0.2, value + 0.3)] for value in truth]
    )
    exam = cross_examine(IntervalRegressor(NeighborWeights(5)), X, unions, cv=3)
    rows = exam.ask(4).rows
    assert "] | [" in exam.ask(1).frame()["candidates"].iloc[0]
    found = exam.refit(rows, truth[rows])
    assert isinstance(found.candidates, IntervalUnions)
    assert_allclose(found.labels[rows], truth[rows])
    assert (
        found.candidates[int(np.setdiff1d(np.arange(40), rows)[0])]
        == unions[int(np.setdiff1d(np.arange(40), rows)[0])]
    )

    ranks = np.argsort(np.argsort(X @ rng.normal(size=(1, 4)), axis=1), axis=1)
    places = np.where(rng.random(ranks.shape) < 0.5, np.nan, ranks)
    orders = PartialOrders.from_places(places)
    exam = cross_examine(PartialRanker(NeighborWeights(5)), X, orders, cv=3)
    rows = exam.ask(4).rows
    # The reverse order contradicts places and pairs, and is kept.
    found = exam.refit(rows, 3 - ranks[rows])
    assert_array_equal(found.labels[rows], 3 - ranks[rows])
    assert found.candidates.is_total[rows].all()


def test_bits_start_from_the_earlier_solution():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    bits = (X @ rng.normal(size=(2, 3)) > 0).astype(float)
    hidden = np.where(rng.random(bits.shape) < 0.5, np.nan, bits)
    model = PartialMultilabelClassifier(weights=NeighborWeights(6))
    exam = cross_examine(model, X, hidden, cv=3)
    rows = exam.ask(5).rows
    found = exam.refit(rows, bits[rows])
    assert_array_equal(found.labels[rows], bits[rows])
    assert found.estimator.solution_.start == "warm"
    with pytest.raises(ValueError, match=r"^refit: entry 0 says nothing about tag"):
        exam.refit(rows[:1], [[np.nan, 0.0, 1.0]])
    everything = exam.with_answers(np.arange(60), bits)
    with pytest.raises(ValueError, match=r"^ask: no row is open; all 60 have an answer"):
        everything.ask(1)


@pytest.mark.slow
def test_models_without_a_solution(blobs):
    X, sets, truth = blobs
    forest = DisambiguatedClassifier(RandomForestClassifier(5, random_state=0), start="average")
    exam = cross_examine(forest, X, sets, cv=3)
    rows = exam.ask(5).rows
    found = exam.refit(rows, truth[rows])
    assert_array_equal(found.labels[rows], truth[rows])


def test_refits_that_are_refused(exam, blobs):
    X, sets, _ = blobs
    with pytest.raises(ValueError, match=r"^refit: row 999 does not exist"):
        exam.refit([999], ["ant"])
    with pytest.raises(ValueError, match=r"^refit: .*not among the classes"):
        exam.refit([3], ["eel"])
    fitted = PartialLabelClassifier(NeighborWeights(8)).fit(X[:60], sets[:60])
    other = cross_examine(fitted, X[60:], sets[60:], cv="prefit")
    with pytest.raises(ValueError, match="refit: with cv='prefit'"):
        other.refit([3], ["ant"])


def test_a_simulation_reports_what_happened(exam, blobs):
    X, sets, truth = blobs
    curve = simulate_questions(exam, X, sets, truth, [5, 15])
    first = exam.ask(5)
    found = exam.refit(first.rows, truth[first.rows])
    assert curve.n_answers.tolist() == [0, 5, 15]
    assert_allclose(curve.right[:2], [(e.labels == truth).mean() for e in (exam, found)])
    assert_allclose(curve.expected[0], (1 - exam._doubt()).mean())
    assert_allclose(curve.stated_gain[0], first.expected_gain)
    assert_allclose(curve.real_gain, np.diff(curve.right) * 120)
    model = PartialLabelClassifier(NeighborWeights(8))
    same = simulate_questions(model, X, sets, truth, [5, 15])
    assert_allclose(same.right, curve.right)


def test_a_simulation_with_another_choice(exam, blobs):
    X, sets, truth = blobs
    asked = []

    def first_open(examination, n):
        rows = np.flatnonzero(~examination.candidates.is_single)[:n]
        asked.extend(rows.tolist())
        return rows

    curve = simulate_questions(exam, X, sets, truth, [3, 6], choose=first_open)
    assert np.isnan(curve.stated_gain).all()
    assert len(set(asked)) == 6
    assert isinstance(exam.ask(1), Questions)
    for bad in ([], [3, 3], [0, 2], [1.5], 4):
        with pytest.raises(ValueError, match="n_answers must be positive integers that rise"):
            simulate_questions(exam, X, sets, truth, bad)


def wrong_answers(exam, rows, truth):
    """The truth, and for every third open row a label that its set does not have."""
    said = truth[rows].copy()
    changed = np.flatnonzero(~exam.candidates.mask[rows].all(axis=1))[::3]
    said[changed] = NAMES[(~exam.candidates.mask[rows[changed]]).argmax(axis=1)]
    return said, np.sort(rows[changed])


def test_a_refit_remembers_its_answers(exam, blobs):
    first, second = np.split(exam.ask(40, n_random=20).rows, 2)
    said, outside = wrong_answers(exam, first, blobs[2])
    answered = exam.with_answers(first, said)
    found = answered.refit(second, blobs[2][second])
    assert "no answers, 40 rows answered by refit" in repr(found)
    assert_array_equal(found.refit_answers.answers.rows, np.sort([*first, *second]))
    assert_array_equal(found.refit_answers.answers.rows[found.refit_answers.is_outside], outside)
    # Those outside of the sets that were given are listed, and others of refits are not.
    suspects = found.suspects()
    n = len(outside)
    assert n > 2
    assert_array_equal(suspects.rows[:n], outside)
    assert_array_equal(suspects.posterior[:n], 1.0)
    assert not np.isin(suspects.rows[n:], found.refit_answers.answers.rows).any()
    assert f"40 rows answered by refit, {n} of them outside of their sets" in suspects.statement
    frame = found.frame()
    assert_array_equal(np.flatnonzero(frame["is_answered"]), np.sort([*first, *second]))
    assert_array_equal(np.flatnonzero(frame["is_outside"]), outside)
    again = found.refit(second[:2], blobs[2][second[:2]])
    assert len(again.refit_answers) == 40
    assert_array_equal(again.refit_answers.is_outside, found.refit_answers.is_outside)


def test_answers_of_refits_calibrate_nothing(exam, blobs):
    rows = np.arange(0, 120, 2)
    said, outside = wrong_answers(exam, rows, blobs[2])
    found = exam.refit(rows, said)
    with pytest.raises(ValueError, match=r"with_answers: row 0 was answered by a refit \(60 such"):
        found.with_answers(rows, said)
    others = np.arange(1, 80, 2)
    answered = found.with_answers(others, blobs[2][others], singletons=True)
    assert not np.isin(answered.answers.rows, rows).any()
    assert answered.wrong_share_of_answers == 0
    assert "40 answers, 60 rows answered by refit" in repr(found.with_answers(others, said[:40]))
    drawn = found.with_answers(others, blobs[2][others]).suspects(0.5)
    assert_array_equal(drawn.rows[: len(outside)], outside)
    assert not np.isin(drawn.rows[len(outside) :], rows).any()


def test_a_refit_does_not_overrule_answers(exam, blobs):
    truth = blobs[2]
    rows = exam.ask(10).rows
    other = NAMES[truth[rows[0]] != NAMES][0]
    for known in (exam.with_answers(rows, truth[rows]), exam.refit(rows, truth[rows])):
        with pytest.raises(ValueError, match=f"refit: row {rows[0]} was answered before, by "):
            known.refit([rows[0]], [other])
