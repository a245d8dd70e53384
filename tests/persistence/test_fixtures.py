"""Models saved by every earlier schema load, and predict what they predicted."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from disambig.persistence import describe_model, load_model
from disambig.persistence.description import SCHEMA_VERSION
from tests.persistence.write_fixtures import FOLDER, predictions

FILES = sorted(FOLDER.glob("*.skops"))


def test_every_schema_has_fixtures():
    expected = {f"schema{number}" for number in range(1, SCHEMA_VERSION + 1)}
    assert {path.name.partition("_")[0] for path in FILES} == expected
    assert all(path.stat().st_size < 50_000 for path in FILES)


# scikit-learn warns that its own objects were saved by another version.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_it_predicts_what_it_predicted(path):
    schema, _, name = path.stem.partition("_")
    assert describe_model(path).metadata == {"name": name}
    expected = json.loads((FOLDER / f"{schema}.json").read_text())[name]
    found = predictions(load_model(path))
    assert found.keys() == expected.keys()
    for key, value in found.items():
        array = np.asarray(value)
        if array.dtype.kind == "f":
            assert_allclose(array, expected[key], rtol=1e-9, atol=1e-9)
        else:
            assert array.tolist() == expected[key]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_traces_that_were_saved_without_phases_have_the_usual_one():
    model = load_model(FOLDER / "schema1_labels.skops")
    assert model.trace_
    assert {(progress.phase, progress.total) for progress in model.trace_} == {("fit", None)}
