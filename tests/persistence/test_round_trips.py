"""What is loaded predicts the same, bit for bit."""

import pickle
from datetime import UTC, datetime

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from disambig import PartialLabelClassifier
from disambig.exceptions import UnusedClassWarning
from disambig.persistence import load_model, save_model
from tests.persistence import cases

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*inputs get no vote:UserWarning"),
    pytest.mark.filterwarnings(f"ignore::{UnusedClassWarning.__module__}.UnusedClassWarning"),
]
# Slow ones compile; these cover each weighting and each kind.
QUICK = [
    *[case for case in cases.by_weights() if case[0].startswith("labels")],
    *[
        case
        for case in cases.by_weights()
        if case[0].endswith((", neighbors", "s, tree")) and not case[0].startswith("labels")
    ],
    *[case for case in cases.by_form() if "mixture" not in case[0]],
]
ALL = [*cases.by_weights(), *cases.by_solver(), *cases.by_form(), *cases.by_default()]


def assert_same(model, again, queries=cases.QUERIES):
    expected, found = cases.outputs(model, queries), cases.outputs(again, queries)
    assert "predict" in expected
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        if isinstance(value, str):
            assert found[name] == value
        else:
            assert found[name].dtype == value.dtype, name
            assert_array_equal(found[name], value, err_msg=name)


def round_trip(model, folder):
    save_model(model, folder / "model.skops")
    return load_model(folder / "model.skops")


@pytest.mark.parametrize("fit", [fit for _, fit in QUICK], ids=[name for name, _ in QUICK])
def test_predictions_are_the_same_bit_for_bit(fit, tmp_path):
    model = fit()
    assert_same(model, round_trip(model, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("fit", [fit for _, fit in ALL], ids=[name for name, _ in ALL])
def test_all_predictions_are_the_same_bit_for_bit(fit, tmp_path):
    model = fit()
    assert_same(model, round_trip(model, tmp_path))


def test_precomputed_inputs(tmp_path):
    model = cases.precomputed()
    queries = np.random.default_rng(0).random((4, cases.N))
    assert_same(model, round_trip(model, tmp_path), queries)


def test_what_is_loaded_can_be_fitted_cloned_and_saved_again(tmp_path):
    model = PartialLabelClassifier("neighbors").fit(cases.X, cases.SETS)
    again = round_trip(model, tmp_path)
    assert_same(model, clone(again).fit(cases.X, cases.SETS))
    assert_same(model, again.fit(cases.X, cases.SETS))
    save_model(again, tmp_path / "again.skops")
    assert_same(model, load_model(tmp_path / "again.skops"))
    assert again.solution_.converged == model.solution_.converged
    assert again.solution_.status is model.solution_.status
    assert again.weights_ is again.predict_weights_


def test_equal_models_are_equal_files(tmp_path):
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    for name in ("a", "b"):
        model = PartialLabelClassifier("laplacian").fit(cases.X, cases.SETS)
        save_model(model, tmp_path / name, created=moment)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_arrays_that_compress_well_are_stored_so_that_they_can_be_loaded(tmp_path):
    X = np.zeros((3000, 20))
    X[:5] = 1.0
    mask = np.ones((3000, 2), dtype=bool)
    mask[:5, 1] = mask[5:10, 0] = False
    model = PartialLabelClassifier("tree").fit(X, mask)
    assert_same(model, round_trip(model, tmp_path), X[:7])


@pytest.mark.parametrize("store", ["pickle", "joblib"])
@pytest.mark.parametrize("weights", ["neighbors", "metric", "forest"])
def test_pickles_work_too(store, weights, tmp_path):
    model = PartialLabelClassifier(cases.WEIGHTS[weights]).fit(cases.X, cases.SETS)
    if store == "pickle":
        again = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        again = joblib.load(tmp_path / "model.joblib")
    assert_same(model, again)
