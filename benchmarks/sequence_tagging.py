"""Partially tagged sequences: the table of the gallery's example on more data sets.

Neighbours and start are chosen for each method by cross-validation on the given tags only.

    python -m benchmarks.sequence_tagging            the table, in one or two minutes
    python -m benchmarks.sequence_tagging --quick    two data sets, fewer levels
"""

import argparse
import importlib.util
from pathlib import Path
from types import ModuleType

__all__ = ["sequence_example"]

EXAMPLE = Path(__file__).resolve().parents[1] / "examples/3_stories/plot_sequence_tagging.py"
LEVELS, NEIGHBORS = (0.5, 0.7, 0.8, 0.9), (5, 10, 20, 40)


def sequence_example() -> ModuleType:
    """The example as a module. (Its folder begins with a digit, so it cannot be imported.)"""
    spec = importlib.util.spec_from_file_location("sequence_tagging", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2 data sets, 2 levels")
    parser.add_argument("--seeds", type=int, default=10, help="data sets at each level")
    parser.add_argument(
        "--neighbors", type=int, nargs="+", default=NEIGHBORS, help="sizes to choose from"
    )
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        parser.error("--seeds must be at least 2, for a standard error")
    levels = LEVELS[1::2] if arguments.quick else LEVELS
    n_seeds = 2 if arguments.quick else arguments.seeds
    example = sequence_example()
    print(f"{example.N_TRAIN} training sequences of 6 tags out of 4; {n_seeds} data sets a level")
    example.print_table(example.table(levels, n_seeds, arguments.neighbors), levels)


if __name__ == "__main__":
    main()
