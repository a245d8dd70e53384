"""Run every benchmark of this folder and write its results.

    python -m benchmarks [--only NAME ...] [further arguments, such as --quick]

A benchmark is a module here with a function ``main(arguments)`` that takes ``--write``.
"""

import argparse
import importlib
import sys
import traceback
from pathlib import Path


def names() -> list[str]:
    """The modules of this folder that are benchmarks; the others are shared code."""
    # Found by their text, so that a benchmark that cannot be imported does not stop the others.
    return sorted(
        path.stem
        for path in Path(__file__).parent.glob("*.py")
        if path.stem != "__main__" and "\ndef main(" in path.read_text(encoding="utf-8")
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = names()
    parser.add_argument("--only", nargs="+", choices=known, default=known, metavar="NAME")
    options, others = parser.parse_known_args()
    failed = []
    for name in options.only:
        print(f"\n== {name}", flush=True)
        try:
            importlib.import_module(f"benchmarks.{name}").main(["--write", *others])
        except Exception:  # noqa: BLE001 - the other benchmarks are still worth running
            traceback.print_exc()
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
