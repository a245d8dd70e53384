"""``python -m reproduce`` computes and draws the figures of the paper.

It writes PNG, PDF, CSV and JSON files, and one HTML page that shows the figures and compares the
numbers with those of the authors' code.
"""

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
from reproduce.processes import ending_in_order

FIGURES = ("interval", "classification", "semi-supervised", "ranking", "simplex", "rates")
_FOLDER = "disambig-figures"
# Figures also use the seeds that follow it, up to a hundred; numpy accepts seeds below 2**32.
_MAX_SEED = 2**31 - 1
_PACKAGES = ("disambig", "numpy", "scipy", "scikit-learn", "numba")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 refused, 130 interrupted.

    After SIGTERM and SIGHUP it raises `SystemExit` with the code 143 or 129.
    """
    parser = _parser()
    with ending_in_order(parser.prog):
        return execute(parser, argv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="disambig reproduce",
        description="Compute and draw the figures of the paper with this library, and compare the "
        "numbers with those of the authors' code. The command writes PNG, PDF, CSV and JSON files, "
        "and a page (index.html) that contains all of them. After an interruption, give the "
        "command again: it continues from the results that are stored in the folder.",
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
        help="few seeds: two minutes instead of about ten, on two cores",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with the data sets dna and svmguide2 of LIBSVM (as libsvm/dna.scale); by "
        "default they are searched in DISAMBIG_DATA, and downloaded if they are not there",
    )
    parser.add_argument(
        "--seed",
        type=between(0, _MAX_SEED),
        default=0,
        metavar="N",
        help="seed of all random numbers",
    )
    parser.add_argument(
        "--jobs", type=at_least(1), metavar="N", help="parallel processes; by default one per core"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="compute everything again, stored results too"
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Reproduce figures; `arguments` are those of the parser."""
    require_packages(("matplotlib",), "cli,plot")
    if arguments.data is not None and not arguments.data.is_dir():
        raise Refusal(f"--data {arguments.data} is not a folder. Give one that exists.")
    from reproduce.cache import ResultCache
    from reproduce.files import CACHE, write_figure, write_page
    from reproduce.progress import progress
    from reproduce.registry import find_data, reproduction

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
        cache = ResultCache(folder / CACHE, facts["versions"])
        jobs = [job for plan in plans for job in plan.jobs]
        with progress(len(jobs)) as done:
            results = cache.results(
                jobs, n_processes=arguments.jobs or _cores(), fresh=arguments.fresh, done=done
            )
        finished, start = [], 0
        with writing_into(folder):
            for plan in plans:
                own_results = results[start : start + len(plan.jobs)]
                start += len(plan.jobs)
                finished.append(write_figure(folder, plan, own_results, facts))
            page = write_page(folder, finished, facts, data)
    print(f"Open {page} in a browser. Figures and numbers are in the same folder.")
    return 0


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def _facts(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the numbers depend on, and the date of the run."""
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
