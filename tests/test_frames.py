"""Tables of results for users."""

import pandas as pd

from disambig.frames import data_frame


def test_texts_that_are_no_unicode_stay_as_they_are():
    # Half of a pair of code units, which a file in UTF-16 can leave behind.
    frame = data_frame({"label": ["\ud800", "a"], "score": [0.5, 1.0]})
    assert frame["label"].tolist() == ["\ud800", "a"]
    assert frame["score"].tolist() == [0.5, 1.0]


def test_other_columns_have_their_types():
    frame = data_frame({"label": ["a"], "score": [0.5]})
    assert pd.api.types.is_float_dtype(frame["score"])
