"""``disambig reproduce``: run the package `reproduce` of a checkout; wheels do not contain it."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

NAME = "reproduce"
HELP = "draw the figures of the paper, next to numbers of the authors' code"


def main(argv: Sequence[str]) -> int:
    """Pass the arguments on to ``python -m reproduce``; exit code 2 outside a checkout."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "reproduce" / "__main__.py").is_file():
        print(
            "disambig reproduce: the code of the paper's figures is not in the installed package; "
            "run 'make reproduce' (or 'make reproduce ARGS=--quick') in a checkout of the source.",
            file=sys.stderr,
        )
        return 2
    if str(root) not in sys.path:
        sys.path.append(str(root))
    code: int = import_module("reproduce.__main__").main(argv)
    return code
