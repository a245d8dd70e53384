"""`cross_examine` for labels: what it says, what answers change, what it promises and refuses."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from disambig import (
    DisambiguatedClassifier,
    LabelSets,
    PartialLabelClassifier,
    StructuredPredictor,
)
from disambig.candidates import ClassCounts
from disambig.datasets import UniformCorruption
from disambig.solvers import FrankWolfeMinimization
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights, NeighborWeights

NAMES = np.array(["ant", "bee", "cow", "dog"])


@pytest.fixture(scope="module")
def blobs():
    X, codes = make_blobs(240, 2, centers=4, cluster_std=2.0, random_state=3)
    truth = NAMES[codes]
    return X, UniformCorruption(0.5)(truth, random_state=0), truth


@pytest.fixture(scope="module")
def exam(blobs):
    X, sets, _ = blobs
    return cross_examine(PartialLabelClassifier(NeighborWeights(15)), X, sets)


def test_what_an_examination_says(exam, blobs):
    _, sets, truth = blobs
    inside = np.where(sets.mask, exam.distributions, 0.0)
    rows = np.arange(len(sets))
    codes = np.searchsorted(NAMES, exam.labels)
    assert_allclose(exam.confidence, inside[rows, codes] / inside.sum(axis=1))
    assert_allclose(exam.suspicion, 1 - inside.sum(axis=1), atol=1e-12)
    for row in rows:
        others = [k for k in np.flatnonzero(sets.mask[row]) if k != codes[row]]
        best = max(others, key=lambda k: exam.distributions[row, k], default=codes[row])
        assert exam.runner_up[row] == NAMES[best]
    assert not exam.selection_saw_sets
    assert not exam.is_split
    right = exam.labels == truth
    assert roc_auc_score(right, exam.confidence) > 0.75


def test_the_frame_has_one_row_for_each_sample(exam):
    frame = exam.frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [
        "label",
        "confidence",
        "runner_up",
        "runner_up_confidence",
        "n_candidates",
        "prediction_without_set",
        "wrong_set_probability",
        "suspicion",
    ]
    assert len(frame) == len(exam)
    assert (frame["confidence"] + frame["runner_up_confidence"] <= 1 + 1e-9).all()
    assert (frame.loc[frame["n_candidates"] == 1, "confidence"] == 1).all()


def test_an_examination_cannot_be_changed(exam):
    with pytest.raises(dataclasses.FrozenInstanceError):
        exam.labels = exam.labels
    for array in (exam.confidence, exam.labels, exam.distributions, exam.suspicion):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_sets_that_miss_the_truth_are_suspicious(blobs):
    X, sets, truth = blobs
    X = 3.0 * X
    mask = sets.mask.copy()
    wrong = np.random.default_rng(0).random(len(mask)) < 0.1
    wrong &= mask.sum(axis=1) > 1
    mask[np.flatnonzero(wrong), np.searchsorted(NAMES, truth[wrong])] = False
    found = cross_examine(
        PartialLabelClassifier(NeighborWeights(15)), X, LabelSets(mask, sets.classes), cv=10
    )
    assert roc_auc_score(wrong, found.suspicion) > 0.85
    assert roc_auc_score(wrong, found.suspicion) > roc_auc_score(wrong, 1 - found.confidence)


def test_the_selection_saw_the_sets(blobs):
    X, sets, _ = blobs
    found = cross_examine(PartialLabelClassifier(), X, sets, cv=3)
    assert found.selection_saw_sets


def test_repeats_and_folds_of_the_user(blobs):
    X, sets, _ = blobs
    model = PartialLabelClassifier(KernelRidgeWeights())
    once = cross_examine(model, X, sets, cv=KFold(5))
    again = cross_examine(model, X, sets, cv=KFold(5).split(X))
    assert_array_equal(once.confidence, again.confidence)
    several = cross_examine(model, X, sets, cv=4, repeats=3)
    assert (several.confidence != cross_examine(model, X, sets, cv=4).confidence).any()


def test_copies_of_a_row_stay_in_one_fold(blobs):
    X, sets, _ = blobs
    doubled = np.vstack([X, X])
    both = LabelSets(np.vstack([sets.mask, sets.mask]), sets.classes)
    model = PartialLabelClassifier(KernelRidgeWeights(regularization=1e-3))
    found = cross_examine(model, doubled, both, cv=KFold(6))
    assert_allclose(found.confidence[:240], found.confidence[240:], atol=1e-9)
    weighted = cross_examine(model, X, sets, cv=KFold(3), sample_weight=np.full(240, 2.0))
    assert_allclose(found.confidence[:240], weighted.confidence, atol=1e-6)


def test_rows_of_weight_zero_are_predicted(blobs):
    X, sets, _ = blobs
    weight = np.ones(240)
    weight[::5] = 0
    found = cross_examine(PartialLabelClassifier(NeighborWeights(9)), X, sets, sample_weight=weight)
    assert_allclose(found.distributions[::5], found.estimator.predict_proba(X[::5]))


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), PartialLabelClassifier(NeighborWeights(15))),
        make_pipeline(StandardScaler(), PartialLabelClassifier()),
        DisambiguatedClassifier(LogisticRegression(), start="average", max_iter=2, cv=3),
    ],
    ids=["pipeline", "pipeline with a search", "any classifier"],
)
def test_models_without_shared_votes_are_refitted(blobs, estimator):
    X, sets, truth = blobs
    frame = pd.DataFrame(X, columns=["length", "width"])
    found = cross_examine(estimator, frame, sets, cv=4)
    right = found.labels == truth
    assert roc_auc_score(right, found.confidence) > 0.7
    assert found.predict_set(frame.iloc[:7]).mask.any(axis=1).all()


def test_class_counts(blobs):
    X, sets = blobs[0][:60], blobs[1][:60]
    model = PartialLabelClassifier(NeighborWeights(9), solver=FrankWolfeMinimization(tol=0.5))
    found = cross_examine(model, X, ClassCounts.balanced(sets), cv=3)
    assert_array_equal(found.candidates.mask, sets.mask)


def test_answers_calibrate_and_replace_labels(exam, blobs):
    _, sets, truth = blobs
    drawn = np.random.default_rng(0).choice(240, 100, replace=False)
    answered = exam.with_answers(drawn, truth[drawn])
    assert exam.answers is None
    assert_array_equal(answered.labels[drawn], truth[drawn])
    assert (answered.confidence[drawn] == 1).all()
    rest = np.setdiff1d(np.arange(240), drawn)
    assert_array_equal(answered.labels[rest], exam.labels[rest])
    order = np.argsort(exam.confidence[rest])
    is_open = ~sets.is_single[rest][order]
    assert (np.diff(answered.confidence[rest][order][is_open]) >= 0).all()
    assert answered.recalibration.method == "platt"
    assert answered.wrong_share_of_answers == 0
    frame = answered.frame()
    assert frame["is_answered"].sum() == 100
    with pytest.raises(ValueError, match="have answers already"):
        answered.with_answers([0], ["ant"])


def test_answers_outside_of_their_sets_are_kept_and_counted(exam, blobs):
    _, sets, truth = blobs
    row = int(np.flatnonzero(~sets.mask.all(axis=1))[0])
    other = NAMES[~sets.mask[row]][0]
    rows = [row, *[r for r in range(20) if r != row]]
    answered = exam.with_answers(rows, [other, *truth[rows[1:]]])
    assert answered.labels[row] == other
    assert_allclose(answered.wrong_share_of_answers, 1 / len(rows))
    assert answered.frame()["is_outside"].sum() == 1


def test_singletons_that_were_checked_are_answers(exam, blobs):
    _, sets, truth = blobs
    single = np.flatnonzero(sets.is_single)
    drawn = np.setdiff1d(np.arange(40), single)
    answered = exam.with_answers(drawn, truth[drawn], singletons=True)
    assert_array_equal(np.sort([*drawn, *single]), answered.answers.rows)
    assert answered.recalibration.n_answers == len(drawn)
    with pytest.raises(ValueError, match="cannot be combined with inclusion"):
        exam.with_answers(drawn, truth[drawn], singletons=True, inclusion=0.5)


def test_prediction_sets_inside_the_sets(exam, blobs):
    _, sets, truth = blobs
    drawn = np.random.default_rng(1).choice(240, 120, replace=False)
    rest = np.setdiff1d(np.arange(240), drawn)
    answered = exam.with_answers(drawn, truth[drawn])
    for found in (exam.predict_set(), answered.predict_set(coverage=0.8, meaning="truth")):
        assert (found.mask <= sets.mask).all()
        assert found.mask.any(axis=1).all()
    covered = found.mask[np.arange(240), np.searchsorted(NAMES, truth)]
    assert covered[rest].mean() > 0.72
    assert found.mask.sum() < sets.mask.sum()


def test_split_calibration_covers_as_promised():
    """Mean coverage over 200 draws of 50 rows, between the level and the level + 1 / (n + 1).

    The best class is always in a prediction set, which can only raise the coverage: the upper bound
    is that of the classes up to the threshold.
    """
    X, codes = make_blobs(2250, 2, centers=4, cluster_std=4.0, random_state=0)
    sets = UniformCorruption(0.3)(NAMES[codes], random_state=0)
    model = PartialLabelClassifier(KernelRidgeWeights()).fit(X[:250], sets[:250])
    X, sets, codes = X[250:], sets[250:], codes[250:]
    rows = np.flatnonzero(sets.informative)
    meanings = {"meets": sets.mask, "truth": codes[:, None] == np.arange(4)}
    scores = 1 - cross_examine(model, X, sets, cv="prefit").scored
    n, level, rng = 50, 0.8, np.random.default_rng(0)
    covered, strictly = ({meaning: [] for meaning in meanings} for _ in range(2))
    for _ in range(200):
        drawn, new = np.split(rng.permutation(rows), [n])
        exam = cross_examine(model, X[drawn], sets[drawn], cv="prefit")
        assert exam.is_split
        for meaning, members in meanings.items():
            if meaning == "truth":
                exam = exam.with_answers(np.arange(n), NAMES[codes[drawn]])
            found = exam.predict_set(X[new[:300]], level, meaning=meaning).mask
            covered[meaning].append((found & members[new[:300]]).any(axis=1).mean())
            own = np.sort(np.where(members[drawn], scores[drawn], np.inf).min(axis=1))
            threshold = own[int(np.ceil(level * (n + 1))) - 1]
            up_to = scores <= threshold
            strictly[meaning].append((up_to & members)[new].any(axis=1).mean())
            best = scores[new[:300]].min(axis=1, keepdims=True) == scores[new[:300]]
            assert_array_equal(found, up_to[new[:300]] | best)
    for meaning, shares in strictly.items():
        error = 3 * np.std(shares) / np.sqrt(200)
        assert level - error <= np.mean(shares) <= level + 1 / (n + 1) + error
        assert np.mean(covered[meaning]) >= level - error


def test_the_risk_of_accepted_labels():
    """Over 100 draws of answers the risk is exceeded in at most a tenth, up to chance."""
    X, codes = make_blobs(1500, 2, centers=4, cluster_std=1.6, random_state=0)
    truth = NAMES[codes]
    sets = UniformCorruption(0.4)(truth, random_state=0)
    exam = cross_examine(PartialLabelClassifier(NeighborWeights(15)), X, sets)
    right, is_open = exam.labels == truth, ~sets.is_single
    rng = np.random.default_rng(0)
    exceeded, accepted = 0, []
    for _ in range(100):
        drawn = rng.choice(1500, 250, replace=False)
        found = exam.with_answers(drawn, truth[drawn]).accept(risk=0.1, delta=0.1)
        among = found.rows & is_open
        accepted.append(among.sum() / is_open.sum())
        exceeded += among.any() and (~right[among]).mean() > 0.1
    assert exceeded <= 10 + 3 * 3
    assert np.mean(accepted) > 0.3


def test_classwise_coverage():
    X, truth = load_digits(return_X_y=True)
    sets = UniformCorruption(0.3)(truth, random_state=0)
    model = PartialLabelClassifier(NeighborWeights(10)).fit(X[:300], sets[:300])
    exam = cross_examine(model, X[300:1000], sets[300:1000], cv="prefit")
    answered = exam.with_answers(np.arange(700), truth[300:1000])
    found = answered.predict_set(X[1000:], 0.9, meaning="truth", classwise=True)
    covered = found.mask[np.arange(797), truth[1000:]]
    for digit in range(10):
        assert covered[truth[1000:] == digit].mean() > 0.75
    with pytest.raises(ValueError, match="classwise=True needs the true classes"):
        answered.predict_set(X[:5], classwise=True)


def test_bad_input_is_refused_in_words(exam, blobs):
    X, sets, truth = blobs
    model = PartialLabelClassifier(NeighborWeights(9))
    with pytest.raises(ValueError, match="row 240 does not exist"):
        exam.with_answers([240], ["ant"])
    with pytest.raises(ValueError, match=r"labels \['emu'\] are not among the classes"):
        exam.with_answers([0], ["emu"])
    with pytest.raises(ValueError, match="needs true targets of some rows"):
        exam.predict_set(meaning="truth")
    with pytest.raises(ValueError, match=r"5 answers cannot promise a coverage of 0.9; 9 are"):
        exam.with_answers(np.arange(5), truth[:5]).predict_set(X, 0.9, meaning="truth")
    with pytest.raises(ValueError, match="coverage must be"):
        exam.predict_set(X, 1.0)
    with pytest.raises(ValueError, match="meaning must be one of"):
        exam.predict_set(X, meaning="touches")
    with pytest.raises(ValueError, match="accept needs true labels"):
        exam.accept()
    with pytest.raises(ValueError, match=r"30 answers|answers cannot promise a risk"):
        exam.with_answers(np.arange(30), truth[:30]).accept(risk=0.05)
    unequal = exam.with_answers(np.arange(60), truth[:60], inclusion=np.linspace(0.1, 1, 60))
    with pytest.raises(ValueError, match="equal probabilities"):
        unequal.accept()
    with pytest.raises(ValueError, match="at least 2 folds"):
        cross_examine(model, X, sets, cv=1)
    with pytest.raises(ValueError, match="'prefit'; got 'split'"):
        cross_examine(model, X, sets, cv="split")
    with pytest.raises(ValueError, match="needs a number of folds"):
        cross_examine(model, X, sets, cv=KFold(3), repeats=2)
    with pytest.raises(ValueError, match="in no test part"):
        cross_examine(model, X, sets, cv=ShuffleSplit(1, random_state=0))
    with pytest.raises(ValueError, match="in two test parts"):
        cross_examine(model, X, sets, cv=ShuffleSplit(20, random_state=0))
    with pytest.raises(ValueError, match="with cv='prefit' there are none"):
        cross_examine(model.fit(X, sets), X, sets, cv="prefit", groups=np.zeros(240))
    with pytest.raises(TypeError, match="has no predict_proba"):
        cross_examine(DisambiguatedClassifier(LinearSVC()), X, sets)
    with pytest.raises(TypeError, match="no probabilities that hidden sets could be judged by"):
        cross_examine(StructuredPredictor("zero_one", weights="neighbors"), X, sets)


def test_origins_are_in_the_frame_and_survive_answers():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    X = rng.normal(size=(90, 2)) + 4.0 * np.eye(3)[y][:, :2]
    names = np.array(["a", "b", "c"])
    sets = LabelSets.from_mixed(
        labels=[names[k] if row % 3 == 0 else None for row, k in enumerate(y)],
        negatives=[names[(k + 1) % 3] if row % 3 == 1 else None for row, k in enumerate(y)],
        classes=names,
    )
    exam = cross_examine(PartialLabelClassifier("neighbors"), X, sets, sample_weight=np.ones(90))
    frame = exam.frame()
    assert frame["origin"].tolist() == ["label", "not", "unlabeled"] * 30
    assert (frame.loc[frame["origin"] == "label", "confidence"] == 1).all()
    again = exam.refit([1, 2], names[y[[1, 2]]])
    assert again.frame()["origin"].tolist() == frame["origin"].tolist()
    assert again.frame()["is_answered"].sum() == 2
    plain = cross_examine(PartialLabelClassifier("neighbors"), X, sets.mask)
    assert "origin" not in plain.frame().columns
