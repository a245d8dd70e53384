"""Whole numbers in arguments of commands."""

import argparse
from collections.abc import Callable

__all__ = ["at_least", "between"]


def at_least(least: int) -> Callable[[str], int]:
    """What reads a whole number from `least` on, below 2**32."""
    return _reader(least, 2**32 - 1, f"from {least} on")


def between(least: int, most: int) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`, both included.

    Examples
    --------
    >>> between(0, 9)("9")
    9
    """
    return _reader(least, most, f"from {least} to {most}")


def _reader(least: int, most: int, words: str) -> Callable[[str], int]:
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {words}")
        return value

    return number
