"""``disambig ask`` and ``disambig answer``: which rows to ask next, and what answers change."""

import argparse
from pathlib import Path
from typing import Any

from disambig.cli.commands import at_least, require_packages, writing_into
from disambig.cli.console import Output, counted
from disambig.cli.fit import EXTRAS, PACKAGES, add_output_arguments, refuse_file, show_labels

QUESTIONS_FILE = "questions.csv"
_MAX_SHOWN = 10


def add_commands(commands: Any) -> None:
    """Add ``ask`` and ``answer`` to the commands of a parser."""
    ask = commands.add_parser(
        "ask",
        help="the rows whose answers are worth most",
        description="Write the rows whose true label is worth most into a CSV file with an empty "
        "column 'answer'. Fill it in, then run 'disambig answer'.",
    )
    _add_folder(ask)
    ask.add_argument("--n", type=at_least(1), default=20, metavar="N", help="rows; default 20")
    ask.add_argument(
        "--random",
        type=at_least(0),
        default=0,
        metavar="N",
        help="how many of them are drawn at random, to calibrate the confidence",
    )
    ask.add_argument("--seed", type=at_least(0), default=0, metavar="N", help="of these")
    ask.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the file; by default DIR/{QUESTIONS_FILE}"
    )
    ask.add_argument("--force", action="store_true", help="replace the file")
    add_output_arguments(ask)
    ask.set_defaults(run=run_ask)

    answer = commands.add_parser(
        "answer",
        help="fit again with answers, or calibrate by them",
        description="Read answers: the column of the identifier (or 'row') and 'answer'. An answer "
        "becomes the only candidate of its row, and the model is fitted again from where it is. "
        "Rewrites the files of the folder.",
    )
    _add_folder(answer)
    answer.add_argument("answers", metavar="FILE", help="the answers; blank ones are skipped")
    answer.add_argument(
        "--calibrate",
        action="store_true",
        help="keep the model; calibrate its confidence by answers that were drawn at random",
    )
    add_output_arguments(answer)
    answer.set_defaults(run=run_answer)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of 'disambig fit'")
    parser.add_argument(
        "--table", metavar="FILE", help="the training table, if it is not where it was"
    )


def run_ask(arguments: argparse.Namespace) -> int:
    """Run ``ask``."""
    require_packages(PACKAGES, EXTRAS)
    from disambig.atomic import write_bytes_atomically
    from disambig.cli.progress import progress_bar
    from disambig.table_models import open_folder
    from disambig.table_models.folder import csv_bytes, read_summary
    from disambig.table_models.questions import question_table
    from disambig.table_models.summary import plain_summary

    output = Output("disambig ask", as_json=arguments.json, quiet=arguments.quiet)
    read_summary(arguments.folder)
    file = arguments.out or arguments.folder / QUESTIONS_FILE
    refuse_file(file, arguments.force)
    with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
        model = open_folder(arguments.folder, arguments.table, callback=callback)
        asked = model.ask(arguments.n, n_random=arguments.random, random_state=arguments.seed)
    frame = question_table(model, asked)
    with writing_into(file.parent):
        write_bytes_atomically(file, csv_bytes(frame, excel_safe=arguments.excel_safe))
    key = str(frame.columns[0])
    output.document(
        plain_summary(
            {
                "questions": len(asked),
                "expected_gain": asked.expected_gain,
                "file": str(file),
                "rows": frame[key].tolist(),
            }
        )
    )
    shown = frame[[key, "candidates", "label", "reason"]].head(_MAX_SHOWN)
    output.table(tuple(shown.columns), shown.to_numpy().tolist())
    if len(asked) > _MAX_SHOWN:
        output.line(f"and {len(asked) - _MAX_SHOWN} more in the file")
    output.line(
        f"{counted(len(asked), 'question')}; answers are expected to make "
        f"{asked.expected_gain:.1f} labels right. Fill in the column 'answer' of {file}, then:"
    )
    output.line(f"  disambig answer {arguments.folder} {file}")
    return 0


def run_answer(arguments: argparse.Namespace) -> int:
    """Run ``answer``."""
    require_packages(PACKAGES, EXTRAS)
    from disambig.cli.progress import progress_bar
    from disambig.cli.report import report_again
    from disambig.table_models import open_folder
    from disambig.table_models.folder import read_summary, save_folder

    output = Output("disambig answer", as_json=arguments.json, quiet=arguments.quiet)
    before = read_summary(arguments.folder)
    with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
        model = open_folder(arguments.folder, arguments.table, callback=callback)
        after = model.answer(arguments.answers, calibrate=arguments.calibrate, callback=callback)
    report = report_again(output, after, before)
    with writing_into(arguments.folder):
        summary = save_folder(
            after,
            arguments.folder,
            overwrite=True,
            excel_safe=arguments.excel_safe or bool(before.get("excel_safe")),
            run=before.get("run"),
            report=report,
            command=before.get("command"),
        )
    output.document(summary)
    changed = int((model.labels["label"].astype(str) != after.labels["label"].astype(str)).sum())
    known, former = summary["confidence"], before["confidence"]
    output.line(
        f"{counted(int(after.labels['is_answered'].sum()), 'row')} answered so far: "
        f"{counted(changed, 'label')} changed; {known['resolved']} are resolved (before: "
        f"{former['resolved']}), mean confidence {known['mean']:.3f} (before: {former['mean']:.3f})"
    )
    show_labels(output, summary)
    return 0
