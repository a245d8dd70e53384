"""``python -m reproduce`` draws the figures of the paper, beside the authors' numbers."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disambig.cli.commands import (
    Refusal,
    at_least,
    between,
    execute,
    output_folder,
    require_packages,
    writing_into,
)

FIGURES = ("interval", "classification", "semi-supervised", "ranking", "simplex", "rates")
_FOLDER = "disambig-figures"
# Later seeds are counted from it, and numpy takes none from 2**32 on.
_LARGEST_SEED = 2**31 - 1
_PACKAGES = ("disambig", "numpy", "scipy", "scikit-learn", "numba")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 refused, 130 interrupted."""
    return execute(_parser(), argv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="disambig reproduce",
        description="Compute and draw the figures of the paper with this library, beside numbers "
        "of the authors' code: PNG and PDF, CSV and JSON, and a page (index.html) that holds all "
        "of them. Interrupted, it goes on where it was when the command is given again: what is "
        "computed is kept in the folder.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "figure", nargs="?", choices=(*FIGURES, "all"), default="all", help="which figure"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(_FOLDER), metavar="DIR", help="folder for all files"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few seeds: two minutes instead of some ten, on two cores",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with the sets dna and svmguide2 of LIBSVM (as libsvm/dna.scale); else they "
        "are looked for where DISAMBIG_DATA says, and downloaded",
    )
    parser.add_argument(
        "--seed",
        type=between(0, _LARGEST_SEED),
        default=0,
        metavar="N",
        help="seed of all that is random",
    )
    parser.add_argument(
        "--jobs", type=at_least(1), metavar="N", help="processes side by side; one a core if unset"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="compute also what the folder already holds"
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Reproduce figures; `arguments` are those of the parser."""
    require_packages(("matplotlib",), "cli,plot")
    if arguments.data is not None and not arguments.data.is_dir():
        raise Refusal(f"--data {arguments.data} is no folder. Name one that exists.")
    from reproduce.cache import ResultCache
    from reproduce.figures_by_name import find_data, reproduction
    from reproduce.files import write_figure, write_page
    from reproduce.progress import progress

    names = FIGURES if arguments.figure == "all" else (arguments.figure,)
    facts = _facts(arguments)
    with output_folder(arguments.out) as folder:
        data = find_data(arguments.data) if "classification" in names else []
        for one in data:
            if one.stands_for:
                print(f"disambig reproduce: {one.notice} ({one.reason})")
        plans = [
            reproduction(name, quick=arguments.quick, seed=arguments.seed, data=data)
            for name in names
        ]
        kept = ResultCache(folder / "pieces", facts["versions"])
        pieces = [piece for plan in plans for piece in plan.pieces]
        with progress(len(pieces)) as done:
            results = kept.results(
                pieces, jobs=arguments.jobs or _cores(), fresh=arguments.fresh, done=done
            )
        finished, start = [], 0
        with writing_into(folder):
            for plan in plans:
                mine = results[start : start + len(plan.pieces)]
                start += len(plan.pieces)
                finished.append(write_figure(folder, plan, mine, facts))
            page = write_page(folder, finished, facts, data)
    print(f"Open {page} in a browser. Figures and numbers are beside it.")
    return 0


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def _facts(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the numbers depend on, and when they were made."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import version

    words = ["disambig", "reproduce", arguments.figure, "--seed", str(arguments.seed)]
    return {
        "command": shlex.join([*words, *(["--quick"] if arguments.quick else [])]),
        "quick": arguments.quick,
        "seed": arguments.seed,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": {
            "Python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
    }


if __name__ == "__main__":
    sys.exit(main())
