"""``disambig report``: the page of a fit again, or of two fits side by side."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disambig.cli.commands import Refusal, is_installed, require_packages, writing_into
from disambig.cli.console import Output
from disambig.cli.fit import EXTRAS, PACKAGES, add_output_arguments, refuse_file

if TYPE_CHECKING:
    from disambig.report import FitReport
    from disambig.table_models import TableModel

REPORT_PACKAGES = ("jinja2", "itables")
COMPARISON_FILE = "comparison.html"


def add_command(commands: Any) -> None:
    """Add ``report`` to the commands of a parser."""
    parser = commands.add_parser(
        "report",
        help="one page about a fit, or two fits side by side",
        description="Write one HTML file that says what was in the data, what came out, how far to "
        "trust it and what to do next. It needs no network. Two folders: side by side.",
    )
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="DIR", help="the folder of 'disambig fit', or two"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"by default DIR/report.html; of two, {COMPARISON_FILE} in the second one",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the file, or a report that was edited"
    )
    parser.add_argument(
        "--rows",
        action=argparse.BooleanOptionalAction,
        help="show rows of the table, or none of them; by default as in the report of the fit",
    )
    parser.add_argument(
        "--truth", metavar="COL", help="a column with true targets, blank where they are unknown"
    )
    parser.add_argument(
        "--table", metavar="FILE", help="the training table, if it is not where it was"
    )
    add_output_arguments(parser, excel=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run ``report``."""
    require_packages((*PACKAGES, *REPORT_PACKAGES), f"{EXTRAS},report")
    folders: list[Path] = arguments.folders
    if len(folders) > 2:
        raise Refusal(f"{len(folders)} folders; name one, or two to be put side by side.")
    output = Output("disambig report", as_json=arguments.json, quiet=arguments.quiet)
    if arguments.out is not None:
        refuse_file(arguments.out, arguments.force)
    found = _compared(arguments, output) if len(folders) == 2 else _single(arguments, output)
    file, report = found
    output.document(report.to_dict())
    for answer in report.document.answers:
        is_list = answer.answer.endswith(":")
        points = " ".join(answer.points) if is_list else ""
        output.line(f"{answer.question} {answer.answer} {points}".rstrip())
    output.line(f"written: {file}")
    return 0


def _single(arguments: argparse.Namespace, output: Output) -> "tuple[Path, FitReport]":
    from disambig.table_models.folder import (
        REPORT_FILE,
        read_summary,
        refuse_changed_report,
        replace_report,
    )

    folder: Path = arguments.folders[0]
    summary = read_summary(folder)
    file: Path = arguments.out or folder / REPORT_FILE
    is_own = file.resolve() == (folder / REPORT_FILE).resolve()
    if is_own and not arguments.force:
        refuse_changed_report(folder)
    model = _opened(arguments, output, folder)
    with output.shown_warnings():
        report = model.report(
            rows=_rows(arguments, summary), truth=arguments.truth, command=_command(summary)
        )
    with writing_into(file.parent):
        if is_own:
            replace_report(folder, report)
        else:
            report.to_html(file)
    return file, report


def _compared(arguments: argparse.Namespace, output: Output) -> "tuple[Path, FitReport]":
    from disambig.report.comparison import compared
    from disambig.table_models.folder import read_summary
    from disambig.table_models.reporting import report_inputs

    if arguments.table is not None:
        raise Refusal("--table is for one folder; of two, both tables must be where they were.")
    file = arguments.out or arguments.folders[1] / COMPARISON_FILE
    if arguments.out is None:
        refuse_file(file, arguments.force)
    inputs = []
    for folder in arguments.folders:
        summary = read_summary(folder)
        model = _opened(arguments, output, folder)
        with output.shown_warnings():
            inputs.append(
                report_inputs(model, rows=_rows(arguments, summary), truth=arguments.truth)
            )
    report = compared(inputs[0], inputs[1], _names(arguments.folders))
    with writing_into(file.parent):
        report.to_html(file)
    return file, report


def _names(folders: list[Path]) -> tuple[str, str]:
    """Names of two folders that differ if possible."""
    if folders[0].resolve().name != folders[1].resolve().name:
        return folders[0].resolve().name, folders[1].resolve().name
    return str(folders[0]), str(folders[1])


def _opened(arguments: argparse.Namespace, output: Output, folder: Path) -> "TableModel":
    from disambig.cli.progress import progress_bar
    from disambig.table_models import open_folder

    with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
        return open_folder(folder, arguments.table, callback=callback)


def _rows(arguments: argparse.Namespace, summary: dict[str, Any]) -> bool:
    """Whether rows are shown: as asked for, else as before."""
    if arguments.rows is not None:
        return bool(arguments.rows)
    before = summary.get("report")
    return True if before is None else bool(before["rows"])


def _command(summary: dict[str, Any]) -> str | None:
    """The command of the fit, if one made it."""
    command = summary.get("command")
    return None if command is None else str(command)


def made_report(
    output: Output, model: "TableModel", *, rows: bool, command: str | None, truth: Any = None
) -> "FitReport | None":
    """The report of a fit; None and a note if a package for it is missing."""
    missing = [name for name in REPORT_PACKAGES if not is_installed(name)]
    if missing:
        output.note(
            f"no report.html, because {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not installed: "
            'pip install "disambig[report]", then run disambig report.'
        )
        return None
    with output.shown_warnings():
        return model.report(rows=rows, truth=truth, command=command)


def report_again(output: Output, model: "TableModel", before: dict[str, Any]) -> "FitReport | None":
    """The report of a folder after its model has changed; None if it had none."""
    if before.get("report") is None:
        return None
    rows = bool(before["report"]["rows"])
    return made_report(output, model, rows=rows, command=_command(before))
