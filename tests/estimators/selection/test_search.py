"""weights="auto", solver="auto": selected by hidden sets, without true labels."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

from disambig import DisambiguatedClassifier, PartialLabelClassifier, disambiguate
from disambig.candidates import LabelSets
from disambig.estimators.selection import (
    SEARCH_SPACE,
    LabelSelection,
    SearchSpace,
    select,
)
from disambig.estimators.selection import space as space_module
from disambig.estimators.selection.search import Deadline
from disambig.exceptions import NoInformationError, UnusedClassWarning
from disambig.losses import AbstainLoss, ZeroOneLoss
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.weights import (
    KernelRidgeWeights,
    NeighborWeights,
    NystromWeights,
    PoissonWeights,
    ScaledWeights,
)
from disambig.weights.row_groups import hash_rows


def hidden_in_sets(y, share, seed=0):
    mask = np.random.default_rng(seed).random((len(y), int(y.max()) + 1)) < share
    mask[np.arange(len(y)), y] = True
    return LabelSets(mask, np.arange(mask.shape[1]))


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:260] / 16.0, y[:260]
    return X, y, hidden_in_sets(y, 0.5)


SHORT = SearchSpace(kernels={"gaussian": (0.7,)}, ridges=(1e-2, 1e-4), neighbors=(5,))


@pytest.fixture
def short(monkeypatch):
    """Few weightings, for tests in which their number does not matter."""
    monkeypatch.setattr(PartialLabelClassifier, "_search_space", SHORT)


def select_weights_and_solver(
    X, sets, loss, solver, sample_weight, method="disambiguation", space=None
):
    kind = LabelSelection.of(sets, loss, method, solver)
    found = select(kind, X, sample_weight, SEARCH_SPACE if space is None else space)
    return found.weights, found.solver, found.records


def test_the_selection_is_better_than_most_trials(digits):
    X, y, sets = digits
    train, test = np.arange(200), np.arange(200, 260)
    auto = PartialLabelClassifier().fit(X[train], sets[train])
    scores = [trial.score for trial in auto.trials_]
    assert scores == sorted(scores)
    # Ten weightings pass the screen; 7 temperatures from the average start and 3 from the infimum.
    assert len(scores) == 10 * (7 + 3)
    assert len({str(trial.weights) for trial in auto.trials_}) == 10
    assert str(auto.weights_) == str(auto.trials_[0].weights)
    assert auto.solver_.get_params() == auto.trials_[0].solver.get_params()
    last = auto.trials_[-1]
    worst = PartialLabelClassifier(last.weights, solver=last.solver).fit(X[train], sets[train])
    assert (auto.labels_ == y[train]).mean() > 0.95
    assert (auto.predict(X[test]) == y[test]).mean() > 0.85
    assert (auto.labels_ == y[train]).mean() > (worst.labels_ == y[train]).mean() + 0.02


def test_the_same_rows_give_the_same_selection(digits, short):
    X, _, sets = digits
    first, second = (PartialLabelClassifier().fit(X[:80], sets[:80]) for _ in range(2))
    assert [t.score for t in first.trials_] == [t.score for t in second.trials_]
    assert_array_equal(first.labels_, second.labels_)


def test_many_rows_are_sampled_and_kernels_use_landmarks(monkeypatch, digits):
    X, _, sets = digits
    monkeypatch.setattr(space_module, "is_affordable", lambda n: n <= 100)
    kernels = replace(SHORT, neighbors=(), largest_sample=60)
    loss = ZeroOneLoss().bind(sets.classes)
    _, solver, trials = select_weights_and_solver(X, sets, loss, None, np.ones(260), space=kernels)
    unscaled = [
        t.weights.weights if isinstance(t.weights, ScaledWeights) else t.weights for t in trials
    ]
    assert all(isinstance(one, NystromWeights) and one.n_landmarks == 1000 for one in unscaled)
    # The infimum start needs the signs of votes, and so all votes as an array.
    assert all(trial.solver.start == "average" for trial in trials)
    assert isinstance(solver, AnnealedMinimization)
    _, _, trials = select_weights_and_solver(
        X[:90], sets[:90], loss, None, np.ones(90), space=kernels
    )
    assert any(isinstance(trial.weights, KernelRidgeWeights) for trial in trials)
    assert any(trial.solver.start == "infimum" for trial in trials)
    # With a million rows there are fewer landmarks, so that they fit in memory.
    monkeypatch.setattr(space_module, "_MAX_LANDMARK_ENTRIES", 260 * 150)
    _, _, trials = select_weights_and_solver(X, sets, loss, None, np.ones(260), space=kernels)
    assert {t.weights.get_params().get("n_landmarks", 150) for t in trials} == {150}


def test_a_given_solver_is_kept_and_only_weights_are_selected(digits, short):
    X, _, sets = digits
    given = AnnealedMinimization(temperatures=[0.5])
    found = PartialLabelClassifier(solver=given).fit(X[:60], sets[:60])
    assert len(found.trials_) == 6
    assert found.solver_.get_params() == given.get_params()
    assert found.solver_ is not given
    named = PartialLabelClassifier(solver="alternating").fit(X[:60], sets[:60])
    assert isinstance(named.solver_, AlternatingMinimization)


@pytest.mark.parametrize("method", ["average", "infimum"])
def test_weights_of_a_baseline_are_selected_by_its_own_predictions(digits, short, method):
    X, y, sets = digits
    found = PartialLabelClassifier(method=method).fit(X[:200], sets[:200])
    assert len(found.trials_) == 6
    assert all(trial.solver is None for trial in found.trials_)
    assert found.score(X[200:], y[200:]) > 0.6


def test_other_weights_use_the_solver_of_the_paper(digits):
    X, _, sets = digits
    found = PartialLabelClassifier(NeighborWeights(5)).fit(X[:60], sets[:60])
    assert found.trials_ == ()
    assert isinstance(found.solver_, AlternatingMinimization)
    A = np.eye(60)
    assert disambiguate(None, sets[:60], weights=A).solution_.start == "average"


def test_other_losses_sample_weights_and_estimators(short):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 150, 2)
    X, y = X[rows], y[rows]
    sets = hidden_in_sets(y, 0.3)
    weight = np.arange(75) % 3.0
    ordinal = PartialLabelClassifier(loss="absolute").fit(X, sets, sample_weight=weight)
    assert all(trial.solver.start == "average" for trial in ordinal.trials_)
    assert ordinal.score(X, y) > 0.8
    # A loss with abstention is not symmetric.
    careful = PartialLabelClassifier(loss=AbstainLoss(0.4)).fit(X, sets)
    assert careful.trials_
    assert "abstain" in careful.predictions_
    assert (disambiguate(X, sets).labels_ == y).mean() > 0.8
    assert DisambiguatedClassifier().fit(X, sets).score(X, y) > 0.8


def trials_of(X, sets, rows, space):
    loss = ZeroOneLoss().bind(sets.classes)
    ones = np.ones(rows.size)
    _, _, trials = select_weights_and_solver(X[rows], sets[rows], loss, None, ones, space=space)
    return {f"{trial.weights} {trial.solver}": trial.held_out_loss for trial in trials}


def test_the_order_of_rows_does_not_matter(digits):
    X, _, sets = digits
    rows = np.arange(60)
    assert trials_of(X, sets, rows[::-1], SHORT) == trials_of(X, sets, rows, SHORT)


def test_copies_are_hidden_together(digits):
    """The two neighbours of a row are itself and its copy, which would reveal what is hidden."""
    X, _, sets = digits
    with pytest.warns(UserWarning, match="no weights predict hidden sets better"):
        found = trials_of(
            X, sets, np.repeat(np.arange(60), 2), replace(SHORT, kernels={}, neighbors=(2,))
        )
    assert min(found.values()) > 0.3


def test_rows_far_from_zero_are_not_copies(digits, short):
    X, y, sets = digits
    moved = PartialLabelClassifier().fit(X[:120] + 1.7e9, sets[:120])
    assert (moved.labels_ == y[:120]).mean() > 0.8
    assert moved.trials_
    row_groups = hash_rows(np.arange(5.0)[:, None] + 1e10)
    assert np.unique(row_groups).size == 5


def test_the_screen_keeps_the_best_on_few_rows(digits):
    X, _, sets = digits
    # Two weightings predict well; two have a bandwidth that is too small, one has too many
    # neighbours.
    space = SearchSpace(
        kernels={"gaussian": (0.001, 0.7)}, ridges=(1e-2, 1e-3), neighbors=(200,), finalists=2
    )
    few = replace(space, learns_scales=False, screen_rows=120)
    found = trials_of(X, sets, np.arange(260), few)
    assert len(found) == 2 * 10
    all_entries = trials_of(X, sets, np.arange(260), replace(few, finalists=5))
    assert len(all_entries) == 5 * 10
    assert min(found.values()) == min(all_entries.values())
    # The finalists are tried on all rows: their scores are the same.
    assert all(all_entries[name] == loss for name, loss in found.items())
    assert max(found.values()) < max(all_entries.values())


def test_forests_and_formulations_can_be_added(digits):
    X, _, sets = digits
    more = replace(SHORT, forests=(5,), formulations=("one_block", "two_blocks"))
    found = trials_of(X, sets, np.arange(60), more)
    # Three weightings with and without scales, and one forest, which does not depend on scales.
    assert len(found) == (2 * 3 + 1) * 2 * (7 + 3)
    assert sum("Forest" in name for name in found) == 2 * (7 + 3)
    assert sum("two_blocks" in name for name in found) == 7 * (7 + 3)


@pytest.mark.slow
def test_labels_among_copies_are_used(short):
    """Few distinct rows with many copies; the informative ones come last."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(4000, 8)).astype(float)
    truth = X[:, 0].astype(int)
    mask = np.ones((4000, 2), dtype=np.bool_)
    mask[3950:] = np.eye(2, dtype=np.bool_)[truth[3950:]]
    found = PartialLabelClassifier().fit(X, LabelSets(mask, np.arange(2)))
    assert found.trials_
    assert (found.labels_ == truth).mean() > 0.9


def test_a_warning_if_too_few_distinct_rows_are_informative():
    X = np.repeat(np.arange(3000.0), [1000] + [1] * 2999)[:, None]
    mask = np.ones((3999, 12), dtype=np.bool_)
    mask[:1000, 1] = False
    sets, loss = LabelSets(mask, np.arange(12)), ZeroOneLoss().bind(np.arange(12))
    with pytest.warns(UserWarning, match="only 1 of 3000 distinct rows exclude a class"):
        weights, _, trials = select_weights_and_solver(X, sets, loss, None, np.ones(3999))
    assert trials == ()
    assert str(weights.weights) == str(PoissonWeights(informed_only=True))
    # Equal inputs with many sets are distinct rows, but the sample has one of them.
    mask[:1000] = (np.arange(1, 1001)[:, None] >> np.arange(12)) % 2 == 1
    message = "a sample of 1000 rows .*, only 1 exclude .* the 10 nearest neighbours are used"
    with pytest.warns(UserWarning, match=message):
        select_weights_and_solver(X, LabelSets(mask, sets.classes), loss, None, np.ones(3999))


def test_copies_and_weights_have_the_same_trials(digits):
    X, _, sets = digits
    counts = np.random.default_rng(1).integers(1, 6, size=150)
    copies = np.random.default_rng(2).permutation(np.repeat(np.arange(150), counts))
    loss = ZeroOneLoss().bind(sets.classes)
    for method in ("disambiguation", "infimum", "average"):
        weighted = select_weights_and_solver(
            X[:150], sets[:150], loss, None, counts.astype(float), method, SHORT
        )
        ones = np.ones(copies.size)
        repeated = select_weights_and_solver(
            X[copies], sets[copies], loss, None, ones, method, SHORT
        )
        assert str(repeated) == str(weighted)
        assert weighted[2]


def test_classes_that_are_nowhere_a_candidate_do_not_matter(digits):
    X, _, sets = digits
    wider = sets.with_classes(np.arange(-3, 15))
    rows = np.arange(60)
    assert trials_of(X, wider, rows, SHORT) == trials_of(X, sets, rows, SHORT)
    found = PartialLabelClassifier().fit(X[rows], sets[rows])
    with pytest.warns(UnusedClassWarning, match="8 of 18 classes are never a candidate"):
        more = PartialLabelClassifier().fit(X[rows], wider[rows])
    assert_array_equal(more.labels_, found.labels_)
    assert_allclose(more.predict_proba(X)[:, 3:13], found.predict_proba(X), atol=1e-9)
    assert not np.delete(more.predict_proba(X), np.arange(3, 13), axis=1).any()


def test_neighbors_are_counted_by_weight(digits):
    X, _, sets = digits
    loss = ZeroOneLoss().bind(sets.classes)
    space = replace(SHORT, kernels={"gaussian": (0.7,)}, ridges=(1e-2,), neighbors=(5, 100))

    def names(weight):
        _, _, trials = select_weights_and_solver(
            X[:60], sets[:60], loss, None, np.full(60, weight), space=space
        )
        return {str(trial.weights) for trial in trials if "Neighbor" in str(trial.weights)}

    assert len(names(1.0)) == 2
    # Weights that sum to one have fewer neighbours than five.
    assert not names(1 / 60)
    assert len(names(2.0)) == 4


def test_scales_and_the_infimum_start_can_be_left_out(digits):
    X, _, sets = digits
    less = replace(SHORT, learns_scales=False, cool_temperatures=())
    found = trials_of(X, sets, np.arange(60), less)
    assert len(found) == 3 * 7
    assert not [name for name in found if "Scaled" in name or "infimum" in name]


def test_sparse_inputs_with_wide_indices(digits, short):
    X, _, sets = digits
    X, sets = X[:60], sets[:60]
    sparse = sp.csr_matrix(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    found = PartialLabelClassifier().fit(sparse, sets)
    dense = PartialLabelClassifier().fit(X, sets)
    assert_array_equal(found.labels_, dense.labels_)
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.predict(sparse), dense.predict(X))


def test_a_warning_if_few_rows_are_informative():
    clf = PartialLabelClassifier()
    with pytest.warns(UserWarning, match="only 1 of 2 rows exclude a class, too few"):
        clf.fit([[0.0], [1.0]], [{"a"}, {"a", "b"}])
    assert clf.labels_[0] == "a"
    assert clf.trials_ == ()
    assert isinstance(clf.weights_.weights, KernelRidgeWeights)
    assert isinstance(clf.solver_, AnnealedMinimization)


def test_warnings_of_few_labels_and_of_sets_without_signal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    few = LabelSets(
        np.ones((90, 3), dtype=np.bool_) & (np.arange(90) > 4)[:, None]
        | np.eye(3, dtype=np.bool_)[np.arange(90) % 3],
        np.arange(3),
    )
    clf = PartialLabelClassifier()
    with pytest.warns(UserWarning, match="only 5 of 90 rows exclude a class"):
        clf.fit(X, few)
    noise = LabelSets(np.eye(3, dtype=np.bool_)[rng.choice(3, 90, p=[0.8, 0.1, 0.1])], np.arange(3))
    with pytest.warns(UserWarning, match="If y has a marker of unlabeled rows, pass it"):
        clf.fit(X, noise)
    assert str(clf.weights_.weights) == str(NeighborWeights())
    assert len(clf.trials_) == 100


@pytest.mark.filterwarnings("ignore:weights='auto'. only:UserWarning")
@pytest.mark.parametrize("n", [25, 120])
def test_units_of_features_do_not_matter(n):
    """Neither with 120 rows, where scales are learned, nor with 25, where nothing is selected."""
    rng = np.random.default_rng(1)
    truth = np.arange(n) % 3
    X = truth[:, None] * [1.0, 0.5] + 0.2 * rng.normal(size=(n, 2))
    sets = hidden_in_sets(truth, 0.3)
    plain = PartialLabelClassifier().fit(X, sets)
    other = PartialLabelClassifier().fit(X * [1e-3, 1e4], sets)
    assert (plain.labels_ == truth).mean() > 0.95
    assert (other.labels_ == truth).mean() > 0.95


def test_sets_that_exclude_nothing_are_an_error(digits):
    X, _, sets = digits
    whole = LabelSets(np.ones_like(sets.mask), sets.classes)
    with pytest.raises(NoInformationError, match="none of the 260 rows excludes a class"):
        PartialLabelClassifier().fit(X, whole)


def test_rows_of_a_group_are_hidden_together(digits):
    """Every row has a twin with nearly equal inputs, which would reveal what is hidden."""
    X, _, sets = digits
    twins = np.repeat(X[:60], 2, axis=0)
    twins[1::2] += 1e-3
    double = sets[np.repeat(np.arange(60), 2)]
    space = replace(SHORT, kernels={}, neighbors=(2,))
    kind = LabelSelection.of(double, ZeroOneLoss().bind(double.classes), "disambiguation", None)
    alone = select(kind, twins, np.ones(120), space)
    assert alone.records[0].held_out_loss < 0.2
    groups = np.repeat(np.arange(60), 2)
    with pytest.warns(UserWarning, match="no weights predict hidden sets better"):
        together = select(kind, twins, np.ones(120), space, groups=groups)
    assert together.is_fallback
    assert together.records[0].held_out_loss > 0.3


def test_a_time_limit_bounds_what_is_tried(digits):
    X, _, sets = digits
    found = PartialLabelClassifier(time_limit=1e-9).fit(X[:60], sets[:60])
    # The first entry of the screen and of the final: ten temperatures.
    assert len({str(trial.weights) for trial in found.trials_}) == 1
    assert len(found.trials_) == 10
    assert str(found.weights_) == str(found.trials_[0].weights)
    assert list(Deadline(None).limit("abc")) == ["a", "b", "c"]
    assert list(Deadline(1e-9).limit("abc")) == ["a"]
    for bad in (0, -1.0, "1", np.inf):
        with pytest.raises(ValueError, match="time_limit must be a finite number > 0"):
            PartialLabelClassifier(time_limit=bad).fit(X[:60], sets[:60])


@pytest.mark.parametrize(
    ("groups", "message"),
    [([1, 2], "one entry for each of the 60 rows"), ([None] * 60, "row 0 has no group")],
)
def test_groups_that_are_none_are_refused(digits, groups, message):
    X, _, sets = digits
    with pytest.raises(ValueError, match=message):
        PartialLabelClassifier().fit(X[:60], sets[:60], groups=groups)
