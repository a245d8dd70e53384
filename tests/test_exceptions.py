"""Warnings point to the user's line, however deep in the package they come from."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from disambig import IntervalRegressor, PartialLabelClassifier, PartialRanker
from disambig.exceptions import UnusedClassWarning, warn
from disambig.weights import NadarayaWatsonWeights, NeighborWeights

X = np.arange(12.0).reshape(-1, 1)
FEW = np.array([0, 1] + [-1] * 10)
COMPACT = NadarayaWatsonWeights(kernel="epanechnikov", bandwidth=2.0)


def test_a_warning_of_a_default_fit_is_at_the_call():
    model = PartialLabelClassifier(unlabeled=-1)
    with pytest.warns(UserWarning, match="weights='auto'") as record:
        model.fit(X, FEW)
    (found,) = record
    assert found.filename == __file__
    assert "model.fit(X, FEW)" in Path(__file__).read_text().splitlines()[found.lineno - 1]


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (PartialRanker(COMPACT), np.tile([0.0, 1.0], (12, 1))),
        (IntervalRegressor(COMPACT), np.column_stack([X - 1, X + 1])),
    ],
    ids=["ranker", "regressor"],
)
def test_one_of_predict_too(model, y):
    model.fit(X, y)
    with pytest.warns(UserWarning, match="inputs") as record:
        model.predict([[1e6]])
    assert [found.filename for found in record] == [__file__]


def test_called_by_another_library_it_is_at_that_library():
    model = PartialLabelClassifier(NeighborWeights(2), classes=[0, 1, 2])
    with pytest.warns(UnusedClassWarning) as record:
        cross_val_score(model, X, np.arange(12) % 2, cv=2)
    assert all("sklearn" in found.filename for found in record)


def test_outside_the_package_it_is_at_the_caller():
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        warn("a message")
    assert [found.filename for found in record] == [__file__]
