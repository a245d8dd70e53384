"""Checks of constructor parameters."""

import pytest

from disambig.parameters import check_callback


@pytest.mark.parametrize("value", [3, "print", [print], True])
def test_a_callback_that_cannot_be_called_is_refused(value):
    with pytest.raises(ValueError, match="Owner: callback must be None or a function"):
        check_callback("Owner", value)


@pytest.mark.parametrize("value", [None, print, lambda progress: True])
def test_callbacks_and_none_are_accepted(value):
    check_callback("Owner", value)
