"""Whole numbers in arguments of commands."""

import argparse
from collections.abc import Callable

__all__ = ["at_least"]


def at_least(least: int) -> Callable[[str], int]:
    """What reads a whole number from `least` on, below 2**32."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value < 2**32:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return value

    return number
