"""Options of ``disambig fit`` for tags: bounds on their number, implications, frequencies."""

import argparse
from typing import Any


def add_tag_arguments(parser: argparse.ArgumentParser) -> None:
    """How many tags a row has, which imply others, and how frequent they are."""
    group = parser.add_argument_group("tags (--tags, or --kind bits)")
    group.add_argument(
        "--tag-counts",
        type=_bounds,
        metavar="N[..M]",
        help="how many tags a row has: '2', '1..3', or '1..' for one at least",
    )
    group.add_argument(
        "--implies",
        type=_implication,
        nargs="+",
        action="extend",
        metavar="TAG=TAG",
        help="implications, such as poodle=dog",
    )
    group.add_argument(
        "--tag-frequencies",
        type=_frequencies,
        nargs="+",
        metavar="TAG=SHARE",
        action=_Frequencies,
        help="where only yes, or only no, is ever recorded: 'estimate', or how often a tag is on",
    )


class _Frequencies(argparse.Action):
    """'estimate', or a mapping from tags to shares."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        names = [name for name, _ in values]
        if None not in names:
            setattr(namespace, self.dest, dict(values))
        elif len(values) == 1:
            setattr(namespace, self.dest, "estimate")
        else:
            parser.error("argument --tag-frequencies: 'estimate' stands alone")


def _bounds(text: str) -> Any:
    low, mark, high = text.partition("..")
    parts = (low, high) if mark else (low, low)
    if not any(parts) or not all(part.isdecimal() or (mark and not part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, or two such as '1..3'")
    return tuple(int(part) if part else None for part in parts)


def _implication(text: str) -> tuple[str, str]:
    first, mark, second = text.partition("=")
    if not (mark and first and second):
        raise argparse.ArgumentTypeError(f"{text!r} is not an implication such as poodle=dog")
    return first, second


def _frequencies(text: str) -> tuple[str | None, float]:
    if text == "estimate":
        return None, 0.0
    tag, mark, share = text.rpartition("=")
    try:
        value = float(share)
    except ValueError:
        value = -1.0
    if not (mark and tag and 0.0 <= value <= 1.0):
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'estimate' nor such as dog=0.3")
    return tag, value
