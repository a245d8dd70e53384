"""Checks of constructor parameters."""

import numpy as np
import pytest

from disambig.parameters import check_callback, check_choice, check_number


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
