"""``disambig predict``: a model and a new table in; predictions out."""

import argparse
import sys
from pathlib import Path
from typing import Any

from disambig.cli.commands import Refusal, require_packages, writing_into
from disambig.cli.console import Output
from disambig.cli.fit import (
    EXTRAS,
    PACKAGES,
    add_output_arguments,
    refuse_file,
    refuse_own_input,
)
from disambig.cli.reading import add_bag_arguments, add_file_arguments, bag_options, file_options

_SCORES = {
    "labels": "share of predictions inside their set",
    "numbers": "R2 to the nearest number of the interval",
    "orders": "score on the observed pairs",
    "bits": "score on the known tags",
}


def add_command(commands: Any) -> None:
    """Add ``predict`` to the commands of a parser."""
    parser = commands.add_parser(
        "predict",
        help="predict the rows of a new table",
        description="Predict the rows of a new table with a model of 'disambig fit'. Columns may "
        "be in another order, there may be more, and the target is not needed.",
    )
    parser.add_argument("model", metavar="MODEL", help="the folder of 'fit', or its model.skops")
    parser.add_argument("file", metavar="FILE", help="the new table, or '-'")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the CSV file; by default the standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace the file")
    parser.add_argument(
        "--proba", action="store_true", help="add probabilities of classes, tags or pairs"
    )
    parser.add_argument(
        "--sets",
        type=float,
        metavar="C",
        help="add prediction sets of this coverage, 0.50 to 0.99",
    )
    add_bag_arguments(parser)
    add_file_arguments(parser)
    add_output_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run ``predict`` with the arguments of the parser."""
    require_packages(PACKAGES, EXTRAS)
    from disambig.atomic import write_bytes_atomically
    from disambig.cli.progress import progress_bar
    from disambig.table_models import load_predictor
    from disambig.table_models.folder import FILES, csv_bytes

    # With a document on the standard output, predictions need a file.
    output = Output("disambig predict", as_json=arguments.json, quiet=arguments.quiet)
    if arguments.out is not None:
        refuse_file(arguments.out, arguments.force)
        refuse_own_input(arguments.file, arguments.out)
        if arguments.out.name in FILES:
            raise Refusal(f"--out {arguments.out}: this is the name of a file of 'fit'.")
    elif arguments.force:
        raise Refusal("--force is for --out.")
    predictor = load_predictor(arguments.model)
    table = predictor.read(arguments.file, **file_options(arguments))
    for note in table.notes:
        output.note(note)
    with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
        found, score = predictor.predict_scored(
            table,
            proba=arguments.proba,
            coverage=arguments.sets,
            callback=callback,
            **bag_options(arguments),
        )
    content = csv_bytes(found, excel_safe=arguments.excel_safe)
    if arguments.sets is not None and predictor.set_rule is not None:
        output.note(predictor.set_rule.statement(arguments.sets))
    if score is not None:
        output.note(f"{_SCORES[predictor.kind]}: {score:.4f}")
    if arguments.out is not None:
        with writing_into(arguments.out.parent):
            write_bytes_atomically(arguments.out, content)
        output.line(f"{len(found)} predictions written to {arguments.out}")
    elif not arguments.json:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    output.document(
        {
            "rows": len(found),
            "kind": predictor.kind,
            "score": score,
            "score_meaning": None if score is None else _SCORES[predictor.kind],
            "file": None if arguments.out is None else str(arguments.out),
            "predictions": None if arguments.out is not None else _records(found),
        }
    )
    return 0


def _records(frame: Any) -> list[dict[str, Any]]:
    """The rows as plain data; a missing value is None."""
    from disambig.table_models.summary import plain_summary

    records: list[dict[str, Any]] = plain_summary(frame.to_dict("records"))
    return records
