"""Honest files to forge, and the check that a forged one is refused."""

import pytest

from disambig import PartialLabelClassifier
from disambig.exceptions import ModelFileError
from disambig.persistence import load_model, save_model
from disambig.persistence.archive import packed
from disambig.weights import ForestWeights
from tests.persistence import cases
from tests.persistence.forgery import members_of


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The members of an honest file, with a sparse array in it."""
    path = tmp_path_factory.mktemp("saved") / "model.skops"
    save_model(PartialLabelClassifier("laplacian").fit(cases.X, cases.SETS), path)
    return members_of(path.read_bytes())


@pytest.fixture(scope="module")
def saved_forest(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "forest.skops"
    weights = ForestWeights(n_estimators=2)
    save_model(PartialLabelClassifier(weights).fit(cases.X, cases.SETS), path)
    return members_of(path.read_bytes())


@pytest.fixture
def refused(tmp_path):
    """Checks that members, or the bytes of a file, are refused in one line that matches."""

    def check(content, match):
        path = tmp_path / "model.skops"
        path.write_bytes(content if isinstance(content, bytes) else packed(content))
        with pytest.raises(ModelFileError, match=match) as error:
            load_model(path)
        assert "\n" not in str(error.value)
        assert str(error.value).startswith(str(path))

    return check
