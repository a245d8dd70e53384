"""Options and names that are of a wrong type are refused by name, before anything is read."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from disambig.exceptions import TableError
from disambig.tables import load_table, plan_features, read_table, read_target

FRAME = pd.DataFrame({"size": [1.0, 2.0, 4.0], "when": ["2024-01-31"] * 3, "label": list("aba")})


@pytest.mark.parametrize("name", ["features", "drop", "keep"])
@pytest.mark.parametrize("value", [3, {"size": 1}])
def test_lists_of_columns(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a list; got"):
        plan_features(FRAME, **{name: value})
    with pytest.raises(ValueError, match=f"{name} must be a list; got"):
        load_table(FRAME, "label", **{name: value})


@pytest.mark.parametrize("value", ["number", ["size"], 3])
def test_types_are_a_dict(value):
    with pytest.raises(ValueError, match="types must be a dict; got"):
        plan_features(FRAME, types=value)


@pytest.mark.parametrize("given", ["date:%Q", "number:;", "text:x", 3])
def test_types_and_their_formats(given):
    with pytest.raises(TableError, match=r"column 'when': types must be one of number, .*; got"):
        plan_features(FRAME, types={"when": given}, keep=["when"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": [None]}, "missing must be a list of texts; None is none"),
        ({"missing": [1]}, "missing must be a list of texts; 1 is none"),
        ({"missing": 3}, "missing must be a list; got 3"),
        ({"classes": [["a"]]}, "classes must be a list of single values"),
        ({"classes": 3}, "classes must be a list; got 3"),
        ({"parents": "x"}, "parents must be a dict; got 'x'"),
        ({"parents": [("a", "x")]}, "parents must be a dict; got"),
    ],
)
def test_options_of_a_target(options, message):
    with pytest.raises(ValueError, match=message):
        read_target(FRAME, "label", **options)
    with pytest.raises(ValueError, match=message):
        load_table(FRAME, "label", **options)


@pytest.mark.parametrize("name", [["size"], np.array(["size", "when"]), {}])
def test_an_identifier_is_one_name(name):
    with pytest.raises(TableError, match="there is no column"):
        load_table(FRAME, "label", id=name)
    with pytest.raises(TableError, match="there is no column"):
        read_target(FRAME, [name])


@pytest.mark.parametrize("data", [np.zeros((3, 2)), FRAME["size"], np.array(["a", "b"])])
def test_arrays_and_series_are_no_tables(data):
    with pytest.raises(TypeError, match="Expected a path"):
        load_table(data, "label")


@pytest.mark.parametrize("sep", [3, b",", ""])
def test_separators(sep):
    with pytest.raises(TableError, match="sep must be one character"):
        read_table(io.StringIO("a,b\n1,2\n"), sep=sep)


def test_encodings():
    with pytest.raises(TableError, match="encoding must be a text such as 'utf-8'; got 3"):
        read_table(io.BytesIO(b"a,b\n1,2\n"), encoding=3)


def test_a_name_with_a_null_character():
    # numpy ends a text at a null character, so that such a column is lost in arrays of names.
    text = "\n".join(json.dumps({"a\x00": 1.5, "b": "x"}) for _ in range(3))
    with pytest.raises(TableError, match="name of column 1 holds a null character"):
        read_table(io.StringIO(text))
    assert list(read_table(io.StringIO(text.replace("\\u0000", ""))).frame) == ["a", "b"]


def test_names_that_are_missing_twice():
    frame = pd.DataFrame([[1.0, 2.0], [2.0, 3.0]], columns=[np.nan, np.nan])
    with pytest.raises(TableError, match="columns 1 and 2 have the same name"):
        plan_features(frame)


def test_numbers_that_are_too_large_for_a_feature():
    with pytest.raises(TableError, match=r"column 'size': 1e\+300 is too large for a feature"):
        plan_features(FRAME.assign(size=[1.0, 1e300, 2.0]))


def test_dates_beyond_nanoseconds():
    when = pd.Series(np.array(["0001-01-05", "1970-01-02", "9999-12-31"], dtype="M8[s]"))
    plan = plan_features(FRAME.assign(when=when))
    days = plan.read(FRAME.assign(when=when))["when: days"]
    assert days.tolist() == [-719158.0, 1.0, 2932896.0]
