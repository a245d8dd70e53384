"""The distinct values of a column: columns of numbers without a look at each of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from disambig.tables import values
from disambig.tables.source import Source

NAN = float("nan")
COLUMNS = {
    "floats": [0.5, NAN, -0.0, 2.0, 0.5, 0.0, float("inf")],
    "whole": [3, 1, 3, 2**62, -1],
    "large": pd.Series([2**70, 1, 2**70], dtype=object),
    "mixed": pd.Series([1, 1.0, True, 2.5, None, "3"], dtype=object),
    "truth": [True, False, True],
    "masked": pd.array([1, None, 2, 1], dtype="Int64"),
    "arrow": pd.array([1.5, None, 2.5], dtype="Float64"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_numbers_are_read_as_by_single_values(name, monkeypatch):
    series = pd.Series(COLUMNS[name], name="x")
    found = values.column_values(series, Source())
    monkeypatch.setattr(values, "_are_different_numbers", lambda raw: False)
    slow = values.column_values(series, Source())
    assert found.values == slow.values
    assert list(map(type, found.values)) == list(map(type, slow.values))
    for part in ("codes", "first", "counts"):
        assert_array_equal(getattr(found, part), getattr(slow, part))


def test_a_column_of_floats_needs_no_look_at_its_cells(monkeypatch):
    monkeypatch.setattr(values, "is_missing", None)
    found = values.column_values(pd.Series(np.arange(1000) / 7), Source())
    assert len(found.values) == 1000
