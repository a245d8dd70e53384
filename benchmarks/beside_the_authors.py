"""Compare the authors' code with ours on the same inputs: agreement, then the paper's figures.

    python -m benchmarks.beside_the_authors [--write] [--quick]

All are commands of `benchmarks.reference`, which has more options.
"""

import sys

from benchmarks.reference.__main__ import main as reference


def main(arguments: list[str] | None = None) -> None:
    options = sys.argv[1:] if arguments is None else arguments
    for command in ("agreement", "classification", "ranking", "interval"):
        if reference([command, *options]):
            raise SystemExit(f"{command} could not be run; its message is above.")


if __name__ == "__main__":
    main()
