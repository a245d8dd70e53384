"""``disambig fit``: a table in; labels, a model and a summary out."""

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disambig.cli.commands import (
    Refusal,
    at_least,
    output_folder,
    require_packages,
    writing_into,
)
from disambig.cli.console import Output
from disambig.cli.reading import add_table_arguments, table_options
from disambig.cli.tags import add_tag_arguments

if TYPE_CHECKING:
    from disambig.table_models import TableModel
    from disambig.table_models.checkpoints import Checkpoint
    from disambig.table_models.settings import FitSettings

PACKAGES = ("rich", "pandas", "pyarrow", "skops")
EXTRAS = "cli,io,persist"
_MAX_SHOWN = 12


def add_command(commands: Any) -> None:
    """Add ``fit`` to the commands of a parser."""
    parser = commands.add_parser(
        "fit",
        help="recover the labels of a table, and learn a model",
        description="Read a table whose target column holds candidates ('cat|dog', '30-40k', "
        "'a>b>c', tags with blanks), recover the label of every row with how sure it is, and "
        "learn a model. Writes labels.csv, model.skops, report.html and summary.json. With "
        "--memory, --workers or --scheduler the table is Parquet files that are larger than "
        "memory; then labels.csv and summary.json are written.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="*",
        help="CSV, TSV, JSON lines, Parquet or Arrow; '-' is the standard input. With --memory, "
        "--workers or --scheduler: Parquet files, or a folder of them, that are one table",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder")
    parser.add_argument("--force", action="store_true", help="replace the files of an earlier run")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    add_table_arguments(parser)
    group = parser.add_argument_group("the fit")
    group.add_argument("--weights", default="auto", metavar="NAME", help="default: auto")
    group.add_argument(
        "--method", choices=("disambiguation", "infimum", "average"), default="disambiguation"
    )
    group.add_argument(
        "--tolerance",
        type=_price,
        metavar="PRICE",
        help="let labels leave sets that seem wrong: 'auto', or a price in log odds",
    )
    group.add_argument(
        "--resolve-at",
        type=_share,
        default=0.9,
        metavar="P",
        help="the confidence from which on a label counts as resolved; default 0.9",
    )
    group.add_argument(
        "--time-limit", type=_seconds, metavar="S", help="seconds for the choice of weights"
    )
    group.add_argument("--seed", type=at_least(0), metavar="N", help="of folds and text columns")
    add_tag_arguments(parser)
    add_large_arguments(parser)
    add_output_arguments(parser)
    parser.add_argument(
        "--no-rows",
        dest="rows",
        action="store_false",
        help="leave every row of the table out of report.html",
    )
    parser.set_defaults(run=run)


def add_file(parser: argparse.ArgumentParser, text: str) -> None:
    """The table, which comes first: options that take several values would swallow it."""
    # Not required by the parser, whose error would not say so.
    parser.add_argument("file", metavar="FILE", nargs="?", help=text)


def table_file(arguments: argparse.Namespace) -> str:
    """The table; raises if there is none."""
    given = arguments.file
    if isinstance(given, list):
        if len(given) > 1 or (given and Path(given[0]).is_dir()):
            raise Refusal(
                "several files, or a folder, are one table that is read in chunks. Say how much "
                "memory that may take, as --memory 4GiB, or use a cluster, as --workers 2."
            )
        given = given[0] if given else None
    if given is None:
        raise Refusal(
            f"FILE is missing. It comes first: disambig {arguments.command} FILE --target COL ..."
        )
    file: str = given
    return file


def add_large_arguments(parser: argparse.ArgumentParser) -> None:
    """Where tables that are larger than memory are fitted."""
    group = parser.add_argument_group("Parquet files larger than memory (one of these)")
    group.add_argument(
        "--memory",
        metavar="SIZE",
        help="what the process may hold while it reads and compares rows, such as 4GiB",
    )
    group.add_argument(
        "--workers",
        type=at_least(1),
        metavar="N",
        help="fit on so many worker processes of Dask on this machine",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="fit on the workers of this Dask scheduler, such as tcp://10.0.0.1:8786",
    )


def is_large(arguments: argparse.Namespace) -> bool:
    """Whether the table is read in chunks; raises if it is said in two ways."""
    names = ("memory", "workers", "scheduler")
    given = [f"--{name}" for name in names if getattr(arguments, name) is not None]
    if len(given) > 1:
        raise Refusal(
            f"{' and '.join(given)} do not go together: --memory is for this process, --workers "
            "starts processes here, and --scheduler uses others. Give one of them."
        )
    return bool(given)


def add_output_arguments(parser: argparse.ArgumentParser, *, excel: bool = True) -> None:
    """How results are shown."""
    group = parser.add_argument_group("the output")
    if excel:
        group.add_argument(
            "--excel-safe",
            action="store_true",
            help="put an apostrophe before cells that a spreadsheet would run as a formula",
        )
    group.add_argument("--json", action="store_true", help="print one JSON document")
    group.add_argument("--quiet", action="store_true", help="no notes and no progress")


def _price(text: str) -> Any:
    if text in ("auto", "none"):
        return "auto" if text == "auto" else None
    return _number(text, "'auto', 'none' or a positive number", 0.0, math.inf)


def _share(text: str) -> float:
    return _number(text, "a number from 0 to 1", -1e-300, 1.0)


def _seconds(text: str) -> float:
    return _number(text, "a positive number of seconds", 0.0, math.inf)


def _number(text: str, expected: str, above: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (above < value <= most and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Run ``fit`` with the arguments of the parser."""
    require_packages(PACKAGES, EXTRAS)
    from disambig.table_models.checkpoints import Checkpoint
    from disambig.table_models.folder import ANSWERS_FILE, FILES, refuse_existing
    from disambig.tables import load_table

    if is_large(arguments):
        from disambig.cli.fit_large import run_large

        return run_large(arguments)
    file = table_file(arguments)
    output = Output("disambig fit", as_json=arguments.json, quiet=arguments.quiet)
    if not (arguments.force or arguments.resume):
        refuse_existing(arguments.out)
    refuse_own_input(file, *(arguments.out / name for name in FILES))
    settings = fit_settings(arguments)
    start = time.perf_counter()
    table = load_table(file, **table_options(arguments))
    seconds = {"read": time.perf_counter() - start}
    for note in table.notes:
        output.note(note)
    if arguments.force and (arguments.out / ANSWERS_FILE).exists():
        output.note(f"the answers in {arguments.out} belong to the earlier fit, and are removed.")
    with output_folder(arguments.out) as folder:
        checkpoint = Checkpoint(folder, table, settings)
        if arguments.resume:
            summary = checkpoint.finished_summary()
            if summary is not None:
                # It may have been killed just before it removed the checkpoint.
                checkpoint.remove()
                output.note(f"this run is finished; its files are in {folder}.")
                output.document(summary)
                return 0
            if not arguments.force:
                checkpoint.refuse_other_run()
        try:
            model, summary = _fitted(arguments, output, table, settings, checkpoint, seconds)
        except KeyboardInterrupt:
            if checkpoint.exists():
                output.note(f"the fitted model is kept in {folder}; go on with --resume.")
            raise
    output.document(summary)
    show_fit(output, model, summary, arguments.out)
    return 0


def fit_settings(arguments: argparse.Namespace) -> "FitSettings":
    """The settings of the fit."""
    from disambig.table_models.settings import FitSettings

    return FitSettings(
        arguments.weights,
        arguments.method,
        arguments.tolerance,
        arguments.time_limit,
        arguments.resolve_at,
        arguments.seed,
        arguments.tag_frequencies,
        arguments.tag_counts,
        arguments.implies,
    )


def _fitted(
    arguments: argparse.Namespace,
    output: Output,
    table: Any,
    settings: Any,
    checkpoint: "Checkpoint",
    seconds: dict[str, float],
) -> tuple["TableModel", dict[str, Any]]:
    from disambig.cli.progress import progress_bar
    from disambig.cli.report import made_report
    from disambig.table_models.fitting import fitted_model
    from disambig.table_models.folder import save_folder

    def keep(pipeline: Any, warned: Sequence[str]) -> None:
        with writing_into(arguments.out):
            checkpoint.save(pipeline, warned)

    earlier = checkpoint.load() if arguments.resume else None
    warned = () if earlier is None else checkpoint.warnings()
    with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
        model = fitted_model(
            table, settings, callback, seconds=seconds, pipeline=earlier, warned=warned, keep=keep
        )
    for note in model.notes[len(table.notes) :]:
        output.note(note)
    command = arguments.command_line
    report = made_report(output, model, rows=arguments.rows, command=command)
    with writing_into(arguments.out):
        summary = save_folder(
            model,
            arguments.out,
            overwrite=True,
            excel_safe=arguments.excel_safe,
            run=checkpoint.key,
            report=report,
            command=command,
        )
        checkpoint.remove()
    return model, summary


def show_fit(output: Output, model: "TableModel", summary: dict[str, Any], folder: Path) -> None:
    """The result for people."""
    from disambig.estimators.selection.trial_texts import short_numbers

    known = summary["confidence"]
    n = summary["rows"]
    # Of bags alone there is no target column.
    columns = summary["target"]["columns"][:5] or [f"bags of {model.table.plan.bags}"]
    kind = "tags" if model.kind == "bits" else model.kind
    output.line(f"{n} rows, {kind} in {', '.join(columns)}")
    output.line(
        f"{known['resolved']} of {n} rows are resolved (confidence of at least "
        f"{known['resolve_at']:g}); mean confidence {known['mean']:.3f}"
    )
    show_labels(output, summary)
    wrong = summary["wrong_sets"]
    if wrong is not None and wrong["suspects"]:
        found = wrong["suspects"]
        word = "row probably has" if found == 1 else "rows probably have"
        output.line(f"{found} {word} a set without the truth.")
    weights = short_numbers(summary["chosen"]["weights"])
    output.line(f"chosen: {summary['chosen']['estimator']}, {weights}")
    files = ", ".join([*summary["files"], "summary.json"])
    output.line(f"written: {folder}/{files}")
    if "model.skops" not in summary["files"]:
        output.line(
            "There is no model.skops, because what predicts is as large as the rows. To predict "
            "new rows, fit a sample of the rows in memory, or use disambig.out_of_core in Python."
        )
        return
    output.line()
    output.line("next:")
    output.line(f"  disambig predict {folder} NEW.csv --out predictions.csv")
    if model.examination is not None:
        output.line(f"  disambig ask {folder} --n 20")


def show_labels(output: Output, summary: dict[str, Any]) -> None:
    """What the recovered labels are."""
    labels, n = summary["labels"], summary["rows"]
    if "counts" in labels:
        counts = list(labels["counts"].items())
        output.table(
            ("label", "rows", "share"),
            [(name, count, f"{100 * count / n:.1f} %") for name, count in counts[:_MAX_SHOWN]],
            right=(1, 2),
        )
        if len(counts) > _MAX_SHOWN:
            output.line(f"and {labels['classes'] - _MAX_SHOWN} more")
    elif "shares" in labels:
        rows = [(name, f"{100 * share:.1f} %") for name, share in labels["shares"].items()]
        output.table(("tag", "rows with it"), rows[:_MAX_SHOWN], right=(1,))
    elif "mean_places" in labels:
        places = sorted(labels["mean_places"].items(), key=lambda one: one[1])
        output.table(("item", "mean place"), places[:_MAX_SHOWN], right=(1,))
    else:
        rows = [(name, f"{value:.6g}") for name, value in labels.items()]
        output.table(("recovered numbers", ""), rows, right=(1,))


def refuse_own_input(file: str, *outputs: Path) -> None:
    """Raise if a file that is read would be replaced."""
    given = Path(file)
    if file != "-" and any(
        one.exists() and given.exists() and one.samefile(given) for one in outputs
    ):
        raise Refusal(f"{file} is read and would be replaced. Name another place by --out.")


def refuse_file(path: Path, force: bool) -> None:
    """Raise if a file to be written is there, or its folder is not."""
    if path.is_dir():
        raise Refusal(f"--out {path} is a folder; name a file.")
    if path.exists() and not force:
        raise Refusal(f"--out {path} exists. Name another file, or replace it by --force.")
    if not path.parent.is_dir():
        raise Refusal(f"--out {path}: there is no folder {path.parent}.")
