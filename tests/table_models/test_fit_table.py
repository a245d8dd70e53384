"""`fit_table` for every kind of target, and what it returns."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

import disambig
from disambig import fit_table
from disambig.exceptions import InputShiftWarning, TableError
from disambig.table_models import predictor as predictor_module
from disambig.tables import load_table
from tests.table_models.tables import MAKE


@pytest.fixture(scope="module")
def models():
    found = {}
    for kind, make in MAKE.items():
        made = make()
        model = fit_table(made.frame, made.target, id="key", weights=made.weights)
        found[kind] = made, model
    return found


@pytest.mark.parametrize("kind", MAKE)
def test_labels_are_recovered_and_judged(kind, models):
    made, model = models[kind]
    found = model.labels
    assert model.kind == kind
    assert found["key"].tolist() == made.frame["key"].tolist()
    assert {"label", "confidence", "suspicion", "resolved"} <= set(found.columns)
    assert found["confidence"].between(0, 1).all()
    if kind == "numbers":
        ends = made.frame["pay"].str.split(" to ", expand=True).astype(float)
        assert found["label"].between(ends[0], ends[1]).all()
        middles = ends.mean(axis=1)
        errors = [np.abs(one - made.truth).mean() for one in (found["label"], middles)]
        assert errors[0] < 0.9 * errors[1]
        assert (found["lower_90"] <= found["upper_90"]).all()
    else:
        assert (found["label"] == made.truth).mean() > 0.85
    np.testing.assert_array_equal(
        found["resolved"], (found["confidence"] >= 0.9) & model.estimator.decided_
    )


@pytest.mark.parametrize("kind", MAKE)
def test_new_tables_in_any_form(kind, models):
    made, model = models[kind]
    every = model.predict(made.frame)
    columns = list(made.frame.columns)[::-1]
    text = made.frame[columns].assign(more=7).to_csv(index=False)
    assert model.predict(io.StringIO(text))["prediction"].tolist() == every["prediction"].tolist()
    plain = made.frame[["colour", "width", "size"]]
    found = model.predict(plain)
    assert found["row"].tolist() == list(range(len(plain)))
    assert found["prediction"].tolist() == every["prediction"].tolist()


@pytest.mark.parametrize("kind", MAKE)
def test_predictions_and_their_score_in_blocks(kind, models, monkeypatch):
    made, model = models[kind]
    monkeypatch.setattr(predictor_module, "_BLOCK_ROWS", 37)
    steps = []
    found, score = model.predictor.predict_scored(
        made.frame, coverage=0.8, callback=lambda progress: steps.append(progress.iteration)
    )
    pd.testing.assert_frame_equal(found, model.predict(made.frame, coverage=0.8))
    assert steps == list(range(5))
    expected = model.pipeline.score(model.table.X, model.table.candidates)
    assert score == model.predictor.score(made.frame) == pytest.approx(expected, rel=1e-12)
    assert model.predictor.predict_scored(made.frame[["colour", "width", "size"]])[1] is None


@pytest.mark.parametrize("kind", ["labels", "orders", "bits"])
def test_probabilities(kind, models):
    made, model = models[kind]
    found = model.predict(made.frame, proba=True)
    shares = found[[name for name in found.columns if name.startswith("P(")]].to_numpy()
    assert ((shares >= 0) & (shares <= 1)).all()
    if kind == "labels":
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert list(found.columns[3:]) == [f"P({name})" for name in model.estimator.classes_]
        np.testing.assert_allclose(found["probability"], shares.max(axis=1))


@pytest.mark.parametrize("kind", MAKE)
def test_prediction_sets_grow_with_their_coverage(kind, models):
    made, model = models[kind]
    small, large = (model.predict(made.frame, coverage=c) for c in (0.5, 0.95))
    if kind == "numbers":
        narrow, wide = (one["upper"] - one["lower"] for one in (small, large))
        assert (wide >= narrow).all()
        truth = np.array(made.truth)
        assert ((large["lower"] <= truth) & (truth <= large["upper"])).mean() > 0.85
        return
    if kind == "labels":
        sizes = [one["set"].str.split("|").map(len) for one in (small, large)]
        assert (sizes[1] >= sizes[0]).all()
        inside = [a in b.split("|") for a, b in zip(made.truth, large["set"], strict=True)]
        assert np.mean(inside) > 0.85
        return
    mark = ">" if kind == "orders" else "=?"
    counts = [one["set"].str.count(mark) for one in (small, large)]
    grows = counts[0] - counts[1] if kind == "orders" else counts[1] - counts[0]
    assert (grows >= 0).all()


def test_what_predict_refuses(models):
    _, model = models["numbers"]
    with pytest.raises(ValueError, match="numbers have no probabilities"):
        model.predict(models["numbers"][0].frame, proba=True)
    with pytest.raises(ValueError, match=r"must be 0\.50, 0\.51"):
        model.predict(models["numbers"][0].frame, coverage=0.905)
    with pytest.raises(TableError, match="'size'"):
        model.predict(models["numbers"][0].frame.drop(columns="size"))


def test_its_text_says_what_was_read_and_done(models):
    _, model = models["labels"]
    text = repr(model)
    assert "labels in 'label'" in text
    assert "1 category" in text
    assert "of 120 resolved" in text
    assert "'|' separates labels" in text


def test_shifted_inputs_are_named_as_in_the_table(models):
    made, model = models["labels"]
    far = made.frame.assign(size=made.frame["size"] + 100)
    with pytest.warns(InputShiftWarning, match=r"\('size'\) is outside"):
        model.predict(far)


def test_a_table_that_was_read(models):
    made, model = models["labels"]
    table = load_table(made.frame, made.target, id="key")
    again = fit_table(table, weights="neighbors")
    pd.testing.assert_frame_equal(again.labels, model.labels)
    with pytest.raises(ValueError, match="is read already"):
        fit_table(table, "label")


def test_the_seed_deals_the_folds_and_no_seed_goes_by_the_inputs(models):
    made, model = models["labels"]
    one, other, third = (
        fit_table(made.frame, "label", id="key", weights="neighbors", seed=seed)
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one.labels, other.labels)
    assert (one.labels["suspicion"] != third.labels["suspicion"]).any()
    shuffled = fit_table(
        made.frame.sample(frac=1, random_state=0), "label", id="key", weights="neighbors"
    )
    by_key = shuffled.labels.set_index("key").loc[model.labels["key"], "label"]
    assert (by_key.to_numpy() == model.labels["label"].to_numpy()).all()
    few = fit_table(made.frame[:4], "label", id="key", weights="nadaraya_watson", seed=1)
    assert few.examination is not None
    for bad in (-1, 2**32, 1.5):
        with pytest.raises(ValueError, match="seed must be"):
            fit_table(made.frame, "label", seed=bad)


def test_too_few_rows_are_fitted_and_not_judged():
    frame = pd.DataFrame({"size": [0.0, 1.0, 2.0], "label": ["a", "a|b", "a|b"]})
    model = fit_table(frame, "label", weights="nadaraya_watson")
    assert model.examination is None
    assert model.labels.columns.tolist() == ["row", "label", "confidence", "resolved"]
    assert "Labels are not judged" in model.notes[-1]
    assert model.predict(frame)["prediction"].tolist() == ["a", "a", "a"]
    with pytest.raises(ValueError, match="ask: the rows of this table could not be examined"):
        model.ask(1)
    with pytest.raises(ValueError, match="no prediction sets"):
        model.predict(frame, coverage=0.9)


def test_warnings_are_shown_once_and_kept():
    frame = pd.DataFrame({"size": np.arange(12.0), "label": ["a"] * 5 + ["a|b"] + ["b"] * 6})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = fit_table(frame, "label")
    texts = [str(one.message) for one in seen]
    assert len(model.warnings) == 1
    assert "too few to choose weights by" in model.warnings[0]
    assert texts == list(model.warnings)


def test_diagnosis_of_the_table(models):
    made, _ = models["labels"]
    frame = made.frame.assign(label=made.frame["label"].replace("ant", "ant|bee"))
    frame["label"] = [
        "ant|bee" if {"ant", "bee"} & set(text.split("|")) else "cow" for text in frame["label"]
    ]
    report = fit_table(frame, "label", weights="neighbors", id="key").diagnose()
    assert "L110" in {finding.code for finding in report.issues}


def test_it_is_lazy():
    assert disambig.fit_table is fit_table
    assert "fit_table" in disambig.__all__
