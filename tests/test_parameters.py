"""Checks of constructor parameters."""

import numpy as np
import pytest

from disambig.parameters import (
    as_array,
    check_callback,
    check_choice,
    check_jobs,
    check_list,
    check_mapping,
    check_number,
)


@pytest.mark.parametrize("value", [3, "print", [print], True])
def test_a_callback_that_cannot_be_called_is_refused(value):
    with pytest.raises(ValueError, match="Owner: callback must be None or a function"):
        check_callback("Owner", value)


@pytest.mark.parametrize("value", [None, print, lambda progress: True])
def test_callbacks_and_none_are_accepted(value):
    check_callback("Owner", value)


@pytest.mark.parametrize(
    ("bounds", "good", "bad", "message"),
    [
        (
            {},
            [0, 2.5, np.float32(1)],
            [-1, np.nan, np.inf, True, "1", None],
            "a finite number >= 0",
        ),
        ({"positive": True}, [1e-300], [0, -1], "a finite number > 0"),
        ({"least": -np.inf}, [-5], [-np.inf, np.nan], "a finite number"),
        ({"most": 1}, [0, 1], [1.1, -0.1], "a number from 0 to 1"),
        ({"below": 1}, [0, 0.9], [1, -0.1], "a finite number >= 0 and < 1"),
        ({"positive": True, "most": 1}, [0.1, 1], [0, 1.1], "a finite number > 0 and <= 1"),
        ({"positive": True, "below": 1}, [0.5], [0, 1], "a finite number > 0 and < 1"),
    ],
)
def test_numbers_within_bounds(bounds, good, bad, message):
    assert [check_number("Owner", "share", value, **bounds) for value in good] == good
    for value in bad:
        with pytest.raises(ValueError, match="Owner: ") as caught:
            check_number("Owner", "share", value, **bounds, advice="Scale it.")
        assert str(caught.value) == f"Owner: share must be {message}; got {value!r}. Scale it."


@pytest.mark.parametrize("value", ["c", None, 3, ["a"]])
def test_values_that_are_not_a_choice(value):
    check_choice("Owner", "kind", "a", ("a", "b"))
    with pytest.raises(ValueError, match="Owner: ") as caught:
        check_choice("Owner", "kind", value, ("a", "b"), "or a function")
    assert str(caught.value) == f"Owner: kind must be one of 'a', 'b' or a function; got {value!r}."


@pytest.mark.parametrize("value", [3, None, "ab", b"ab", {"a": 1}, np.array(1.0), np.array("ab")])
def test_values_that_are_no_list(value):
    with pytest.raises(ValueError, match="Owner: names must be a list; got"):
        check_list("Owner", "names", value)


@pytest.mark.parametrize("value", [["a", "b"], ("a", "b"), iter("ab"), np.array(["a", "b"])])
def test_lists(value):
    assert check_list("Owner", "names", value) == ["a", "b"]


@pytest.mark.parametrize("value", [3, None, "ab", [("a", 1)]])
def test_values_that_are_no_mapping(value):
    with pytest.raises(ValueError, match="Owner: types must be a dict; got"):
        check_mapping("Owner", "types", value)


@pytest.mark.parametrize("value", [0, 1.5, "all", True, (), 10**30])
def test_numbers_of_jobs(value):
    for good in (None, 1, -1, np.int64(2)):
        check_jobs("Owner", good)
    with pytest.raises(ValueError, match="Owner: n_jobs must be None or an integer other than 0"):
        check_jobs("Owner", value)


def test_rows_of_different_lengths_become_objects():
    found = as_array([[1, 2], [3]])
    assert found.shape == (2,)
    assert found.tolist() == [[1, 2], [3]]
    assert as_array([[1, 2], [3, 4]]).shape == (2, 2)
