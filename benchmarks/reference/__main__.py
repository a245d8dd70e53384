"""`python -m benchmarks.reference build|check|COMMAND` compares our code with the authors'."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.reference import agreement, classification, interval, oddities, ranking
from benchmarks.reference.environment import (
    FOLDER,
    Environment,
    EnvironmentMissingError,
    build,
    find,
    find_or_build,
)
from benchmarks.reference.folds import run_folds
from benchmarks.reference.jobs import JobError, run_job
from benchmarks.results import write_section
from disambig.exceptions import DatasetError

_CALL = "python -m benchmarks.reference"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. A missing environment is reported, and is not an error: returns 0."""
    options = _parser().parse_args(arguments)
    if options.command == "check":
        return _check()
    environment, reason = _environment(options)
    if options.command == "build":
        print(f"built: {environment.describe()}" if environment else reason)
        return 0
    if environment is None:
        print(reason, file=sys.stderr)
    command = f"{_CALL} {options.command}{' --quick' if options.quick else ''} --write"
    try:
        name, text = _RUNS[options.command](options, environment, reason, command)
    except (DatasetError, JobError) as error:
        print(error, file=sys.stderr)
        return 1
    print(text)
    if options.write:
        write_section(name, text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_CALL, description="Compare with the authors' code.")
    parser.add_argument("command", choices=["build", "check", *_RUNS])
    parser.add_argument("--quick", action="store_true", help="fewer problems, folds and levels")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--data", type=Path, help="folder of the data sets (else DISAMBIG_DATA)")
    parser.add_argument("--python", help="interpreter to build on, 3.9 to 3.11")
    parser.add_argument("--no-build", action="store_true", help="use the environment if it exists")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def _environment(options: argparse.Namespace) -> tuple[Environment | None, str]:
    """The environment, or None and the reason."""
    try:
        if options.command == "build":
            return build(base=options.python), ""
        if not options.no_build:
            return find_or_build(base=options.python), ""
        found = find()
        return found, "" if found else f"Reference environment: not built. Run {_CALL} build."
    except EnvironmentMissingError as error:
        return None, str(error)


def _check() -> int:
    found = find()
    if found is None:
        print(f"Reference environment: none in {FOLDER.name}. Run {_CALL} build.")
        return 0
    print(found.describe())
    try:
        answer = run_job(found, "check", {}, timeout=300.0)
    except JobError as error:
        print(error)
        return 0
    for module, error_text in zip(answer["modules"], answer["errors"], strict=True):
        print(f"  {module}: {error_text or 'ok'}")
    return 0


def _agreement(
    options: argparse.Namespace, environment: Environment | None, reason: str, command: str
) -> tuple[str, str]:
    sizes = {"symmetric": 50, "neighbors": 50} if options.quick else {}
    found = None
    if environment is not None:
        found = agreement.measure(environment, seed=options.seed, **sizes)
    text = agreement.report(
        found, environment=environment, reason=reason, command=command, seed=options.seed
    )
    return "reference-agreement", text


def _classification(
    options: argparse.Namespace, environment: Environment | None, reason: str, command: str
) -> tuple[str, str]:
    results = [
        run_folds(
            name,
            levels=classification.QUICK_LEVELS if options.quick else classification.LEVELS,
            n_folds=2 if options.quick else 8,
            seed=options.seed,
            environment=environment,
            folder=options.data,
            print_line=lambda line: print(line, file=sys.stderr, flush=True),
        )
        for name in classification.DATA
    ]
    text = classification.report(
        results, environment=environment, reason=reason, command=command, seed=options.seed
    )
    return "reference", text


def _ranking(
    options: argparse.Namespace, environment: Environment | None, reason: str, command: str
) -> tuple[str, str]:
    result = ranking.run_draws(
        levels=ranking.QUICK_LEVELS if options.quick else ranking.LEVELS,
        n_draws=2 if options.quick else 4,
        seed=options.seed,
        environment=environment,
        print_line=lambda line: print(line, file=sys.stderr, flush=True),
    )
    text = ranking.report(
        result, environment=environment, reason=reason, command=command, seed=options.seed
    )
    return "reference-ranking", text


def _interval(
    options: argparse.Namespace, environment: Environment | None, reason: str, command: str
) -> tuple[str, str]:
    found = interval.measure(
        environment,
        n_problems=5 if options.quick else 100,
        seed=options.seed,
        print_line=lambda line: print(line, file=sys.stderr, flush=True),
    )
    text = interval.report(
        found, environment=environment, reason=reason, command=command, seed=options.seed
    )
    return "reference-interval", text


def _oddities(
    options: argparse.Namespace, environment: Environment | None, reason: str, command: str
) -> tuple[str, str]:
    found = oddities.measure(environment, n_circles=2 if options.quick else 20, seed=options.seed)
    text = oddities.report(
        found, environment=environment, reason=reason, command=command, seed=options.seed
    )
    return "reference-oddities", text


_RUNS = {
    "agreement": _agreement,
    "classification": _classification,
    "ranking": _ranking,
    "interval": _interval,
    "oddities": _oddities,
}


if __name__ == "__main__":
    sys.exit(main())
