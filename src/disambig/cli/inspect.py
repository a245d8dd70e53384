"""``disambig check``, ``diagnose`` and ``info``: look at a table or a model before using it."""

import argparse
from typing import Any

from disambig.cli.commands import Refusal, require_packages, with_options
from disambig.cli.console import Output
from disambig.cli.fit import EXTRAS, PACKAGES, add_file, add_output_arguments, table_file
from disambig.cli.reading import add_table_arguments, table_options

_MAX_LINES = 30
# Names and reasons are shown whole, unless they are longer than any that people write.
_MAX_TEXT = 2000


def add_commands(commands: Any) -> None:
    """Add ``check``, ``diagnose`` and ``info`` to the commands of a parser."""
    check = commands.add_parser(
        "check",
        help="does a table parse, what is odd, what would be done",
        description="Read a table as 'fit' would, and say what each column is taken for. Names "
        "the line and the column of everything that cannot be read. Nothing is fitted.",
    )
    add_file(check, "the table; '-' is the standard input")
    add_table_arguments(check)
    add_output_arguments(check, excel=False)
    check.set_defaults(run=run_check)

    diagnose = commands.add_parser(
        "diagnose",
        help="what will hurt in this table, in which rows, and what to do",
        description="Look for what will hurt: classes that nothing separates, rows that contradict "
        "each other, wrong sets, and others. Every finding has a code and rows.",
    )
    add_file(diagnose, "the table; '-' is the standard input")
    diagnose.add_argument("--fast", action="store_true", help="for 100,000 rows and more")
    diagnose.add_argument(
        "--ignore",
        nargs="+",
        action="extend",
        default=[],
        metavar="CODE",
        help="findings to leave out",
    )
    add_table_arguments(diagnose)
    add_output_arguments(diagnose, excel=False)
    diagnose.set_defaults(run=run_diagnose)

    info = commands.add_parser(
        "info",
        help="what a saved model says about itself",
        description="Print what a model file says about itself. Nothing of it is loaded.",
    )
    info.add_argument("model", metavar="MODEL", help="the folder of 'fit', or its model.skops")
    add_output_arguments(info, excel=False)
    info.set_defaults(run=run_info)


def run_check(arguments: argparse.Namespace) -> int:
    """Run ``check``; exit code 2 if something cannot be read."""
    require_packages(PACKAGES, EXTRAS)
    from disambig.table_models.checking import check_table

    output = Output("disambig check", as_json=arguments.json, quiet=arguments.quiet)
    found = check_table(table_file(arguments), **table_options(arguments))
    output.document(found.to_dict())
    for problem in found.problems:
        output.line(f"error: {with_options(problem.message)} {problem.others}".rstrip())
    if found.has_more:
        output.line("and more: correct these first.")
    if found.table is not None:
        for note in found.table.notes:
            output.line(with_options(note))
        columns = [(name, use, with_options(why)) for name, use, why in found.columns()]
        output.table(("column", "used as", "why"), columns, longest=_MAX_TEXT)
        output.line(f"{len(found.table)} rows")
    return 2 if found.problems else 0


def run_diagnose(arguments: argparse.Namespace) -> int:
    """Run ``diagnose``."""
    require_packages(PACKAGES, EXTRAS)
    import json

    from disambig.table_models.checking import diagnose_table
    from disambig.tables import load_table

    output = Output("disambig diagnose", as_json=arguments.json, quiet=arguments.quiet)
    table = load_table(table_file(arguments), **table_options(arguments))
    for note in table.notes:
        output.note(note)
    with output.shown_warnings():
        report = diagnose_table(table, ignore=arguments.ignore, fast=arguments.fast)
    output.document(json.loads(report.to_json()))
    output.line(str(report))
    return 0


def run_info(arguments: argparse.Namespace) -> int:
    """Run ``info``."""
    require_packages(("rich",), "cli")
    from dataclasses import asdict
    from pathlib import Path

    from disambig.estimators.selection.trial_texts import short_numbers
    from disambig.persistence import describe_model

    output = Output("disambig info", as_json=arguments.json, quiet=arguments.quiet)
    path = Path(arguments.model)
    path = path / "model.skops" if path.is_dir() else path
    if not path.exists():
        raise Refusal(f"{path}: there is no such file. Name a folder of 'fit', or a model.skops.")
    about = describe_model(path)
    output.document(asdict(about))
    plan: Any = about.metadata.get("plan")
    is_table = isinstance(plan, dict)
    columns = plan["features"]["columns"] if is_table else []
    target = plan["target"]["columns"] if is_table else []
    rows: list[tuple[str, Any]] = [
        ("estimator", about.metadata.get("estimator", about.estimator)),
        ("chosen", short_numbers(about.metadata.get("chosen") or "")),
        ("kind", about.metadata.get("kind")),
        ("target", _listed(target)),
        ("identifier", plan["id"] if is_table else None),
        ("saved", about.created),
        ("training rows", about.n_rows),
        ("outputs", _listed(about.outputs)),
        ("columns", _listed([f"{one['name']} ({one['type']})" for one in columns])),
        ("table hash", about.table_hash),
        ("versions", ", ".join(f"{name} {one}" for name, one in about.versions.items())),
    ]
    output.table(
        ("model", str(arguments.model)),
        [(name, value) for name, value in rows if value not in (None, "")],
        longest=_MAX_TEXT,
    )
    return 0


def _listed(values: list[Any] | None) -> str:
    if not values:
        return ""
    shown = ", ".join(map(str, values[:_MAX_LINES]))
    return shown if len(values) <= _MAX_LINES else f"{shown}, and {len(values) - _MAX_LINES} more"
