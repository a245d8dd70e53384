"""Sizes of memory as texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.storage.sizes import memory_size, resident_bytes, size_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4GiB", 4 * 2**30),
        ("4gib", 4 * 2**30),
        (" 0.5 GB ", 5 * 10**8),
        ("512MiB", 2**29),
        ("1TiB", 2**40),
        ("100B", 100),
        ("3 kB", 3000),
        (12345, 12345),
    ],
)
def test_sizes(text, expected):
    assert memory_size(text) == expected


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("4", r"such as '4GiB', '512MB' or a number of bytes; got '4'\. Write the unit"),
        ("", "expected a size"),
        ("lots", "expected a size"),
        ("-1GiB", "expected a size"),
        ("1e3MB", "expected a size"),
        ("4 GiB free", "expected a size"),
        ("4XB", "the unit 'XB' of '4XB' is not known; use B, kB"),
        ("0GiB", "of at least one byte; got '0GiB'"),
        (0, "of at least one byte; got 0"),
        (-5, "of at least one byte"),
        (True, "expected a size"),
        (4.5, "expected a size"),
        (None, "expected a size"),
    ],
)
def test_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        memory_size(wrong)


@given(st.integers(1, 2**50))
def test_texts_are_sizes(n_bytes):
    assert memory_size(size_text(n_bytes)) == pytest.approx(n_bytes, rel=0.01)


def test_resident_memory():
    assert resident_bytes() > 10 * 2**20 or resident_bytes() == 0
