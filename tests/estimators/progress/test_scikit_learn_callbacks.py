"""The callbacks of scikit-learn, from version 1.9 on: a fit is a tree of phases and steps."""

import importlib.util
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.estimators.progress import following
from disambig.exceptions import ModelFileError
from disambig.persistence import save_model
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights, NeighborWeights

HAS_CALLBACKS = importlib.util.find_spec("sklearn.callback") is not None
needs_callbacks = pytest.mark.skipif(
    not HAS_CALLBACKS, reason="this version of scikit-learn has no callbacks; 1.9 has"
)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(45, 2))
CODES = np.sum(X > 0, axis=1)
LABELS = np.eye(3, dtype=bool)[CODES] | (RNG.uniform(size=(45, 3)) < 0.3)
ENDS = X[:, :1] + RNG.uniform(0.1, 1, size=(45, 2)) * [-1, 1]
NEAR, RIDGE = NeighborWeights(8), KernelRidgeWeights(intercept=True)
MODELS = [
    (PartialLabelClassifier(NEAR), LABELS),
    (PartialRanker(NEAR), np.argsort(X, axis=1).astype(float)),
    (IntervalRegressor(NEAR), ENDS),
    (PartialMultilabelClassifier(weights=NEAR), (X > 0).astype(float)),
    (DisambiguatedClassifier(weights=NEAR, undecided="include"), CODES),
    (DisambiguatedRegressor(weights=RIDGE), ENDS),
]


class Recorder:
    """A callback that remembers the tasks, as paths of their names."""

    def __init__(self, stops=""):
        self.begun, self.ended, self.runs = [], [], []
        self.stops = stops

    def setup(self, estimator, context):
        self.runs.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(path_of(context))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None, X=None):
        self.ended.append(path_of(context))
        if context.parent is None:
            self.fitted, self.inputs = fitted_estimator, X
        return context.parent is not None and context.parent.task_name == self.stops

    def teardown(self, estimator, context):
        self.runs.append("teardown")


def path_of(context):
    names = []
    while context is not None:
        names.insert(0, context.task_name)
        context = context.parent
    return tuple(names)


@needs_callbacks
@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda value: type(value).__name__)
def test_every_estimator_is_a_tree_of_phases_and_steps(model, y):
    recorder = Recorder()
    plain = clone(model).fit(X, y)
    found = clone(model).set_callbacks(recorder).fit(X, y)
    assert recorder.runs == ["setup", "teardown"]
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert recorder.begun[0] == recorder.ended[-1] == ("fit",)
    phases = [path[1] for path in recorder.begun if len(path) == 2]
    assert phases[0] == "fit"
    steps = [path for path in recorder.begun if len(path) == 3 and path[1] == "fit"]
    votes = [entry for entry in found.trace_ if entry.phase == "fit" and entry.iteration]
    assert [path[2] for path in steps] == [entry.stage for entry in votes] != []
    np.testing.assert_array_equal(recorder.fitted.predict(X), found.predict(X))
    np.testing.assert_array_equal(plain.labels_, found.labels_)
    assert recorder.inputs is X
    assert [name for name in vars(found) if "callback" in name] == ["callback", "_skl_callbacks"]


@needs_callbacks
def test_all_steps_of_a_phase_are_tasks_and_inner_clones_start_no_run_of_their_own():
    recorder = Recorder()
    IntervalRegressor(cv=2).set_callbacks(recorder).fit(X, ENDS)
    assert recorder.runs == ["setup", "teardown"]
    phases = [path[1] for path in recorder.begun if len(path) == 2]
    assert phases[:2] == ["selection: screen", "selection: whole sample"]
    assert phases[-1] == "calibration"
    assert recorder.ended.count(("fit", "calibration", "")) == 2
    # A cross-examination clones the estimator for every fold.
    recorder = Recorder()
    cross_examine(IntervalRegressor(NEAR).set_callbacks(recorder), X, ENDS, cv=2)
    assert recorder.runs == ["setup", "teardown"]


@needs_callbacks
def test_a_callback_can_end_a_phase():
    recorder = Recorder(stops="fit")
    model = PartialLabelClassifier(NEAR).set_callbacks(recorder).fit(X, LABELS)
    assert not model.converged_
    assert sum(path[:2] == ("fit", "fit") for path in recorder.ended) == 2


@needs_callbacks
def test_a_failing_fit_ends_the_callbacks():
    recorder = Recorder()
    with pytest.raises(ValueError, match="inconsistent"):
        PartialLabelClassifier(NEAR).set_callbacks(recorder).fit(X, LABELS[:9])
    assert recorder.runs == ["setup", "teardown"]


@needs_callbacks
def test_the_bar_of_scikit_learn_follows_estimators_pipelines_and_searches(capsys):
    from sklearn.callback import ProgressBar

    model = PartialLabelClassifier(NEAR)
    clone(model).set_callbacks(ProgressBar()).fit(X, LABELS)
    assert "PartialLabelClassifier - judgement" in capsys.readouterr().out
    pipeline = make_pipeline(StandardScaler(), clone(model)).set_callbacks(ProgressBar())
    pipeline.fit(X, LABELS).predict(X)
    assert "PartialLabelClassifier - judgement" in capsys.readouterr().out
    search = GridSearchCV(model, {"resolve_at": [0.8, 0.9]}, cv=2, refit=False)
    search.set_callbacks(ProgressBar(max_propagation_depth=0)).fit(X, CODES)
    assert search.cv_results_["mean_test_score"].min() > 0.5


@needs_callbacks
def test_models_with_callbacks_are_cloned_and_pickled_and_not_saved(tmp_path):
    from sklearn.callback import ProgressBar

    bar = ProgressBar(max_propagation_depth=0)
    model = PartialLabelClassifier(NEAR).fit(X, LABELS).set_callbacks(bar)
    assert clone(model)._skl_callbacks == [bar]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    pytest.importorskip("skops")
    with pytest.raises(ModelFileError, match=r"_skl_callbacks\[0\] .* set_callbacks\(\)"):
        save_model(model, tmp_path / "model.skops")
    save_model(model.set_callbacks(), tmp_path / "model.skops")


def test_older_versions_of_scikit_learn_are_followed_without_its_callbacks(monkeypatch):
    found = importlib.util.find_spec
    with monkeypatch.context() as patch:
        patch.setattr(
            importlib.util,
            "find_spec",
            lambda name: None if name == "sklearn.callback" else found(name),
        )
        spec = found("disambig.estimators.progress.following")
        older = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(older)
    assert not hasattr(older.FollowedMixin, "set_callbacks")
    assert hasattr(following.FollowedMixin, "set_callbacks") == HAS_CALLBACKS
    seen = []
    fit = older.followed(lambda model: model)
    model = PartialLabelClassifier(callback=seen.append)
    assert fit(model) is model
