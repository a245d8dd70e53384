"""The command ``disambig demo``: ``fit`` on a table whose truth is known."""

import argparse
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disambig.cli.commands import Refusal, output_folder, require_packages, writing_into
from disambig.cli.console import Output
from disambig.cli.fit import EXTRAS, PACKAGES, add_output_arguments

if TYPE_CHECKING:
    from disambig.table_models import TableModel

FOLDER = "disambig-demo"
TABLE, PICTURE = "sightings.csv", "picture.png"
TARGET, ID, TRUTH = "species", "sighting", "truth"
_COMMAND = f"disambig fit {TABLE} --target {TARGET} --id {ID} --drop {TRUTH} --out birds"
_N_EXAMPLES = 5
# By which a folder of the demonstration is recognised.
_RUN = "demo"


def add_command(commands: Any) -> None:
    """Add ``demo`` to the commands of a parser."""
    parser = commands.add_parser(
        "demo",
        help="recover the labels of a small table whose truth is known",
        description="Run 'fit' on 480 made-up sightings of birds, whose species is a set of "
        "candidates, and compare the labels with the truth. Writes the table, the files of 'fit' "
        "and a picture. Needs no data.",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(FOLDER),
        metavar="DIR",
        help=f"the folder; by default {FOLDER}. Files of an earlier demo are replaced, others stay",
    )
    add_output_arguments(parser, excel=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration."""
    require_packages((*PACKAGES, "matplotlib"), EXTRAS + ",plot")
    from disambig.atomic import write_bytes_atomically
    from disambig.cli.demo.picture import write_picture
    from disambig.cli.progress import progress_bar
    from disambig.cli.report import made_report
    from disambig.table_models import fit_table
    from disambig.table_models.folder import save_folder

    output = Output("disambig demo", as_json=arguments.json, quiet=arguments.quiet)
    _refuse_other_fits(arguments.out)
    with output_folder(arguments.out) as folder:
        content = resources.files("disambig.cli.demo").joinpath(TABLE).read_bytes()
        with writing_into(folder):
            write_bytes_atomically(folder / TABLE, content)
        with output.shown_warnings(), progress_bar(arguments.quiet) as callback:
            model = fit_table(folder / TABLE, TARGET, id=ID, drop=[TRUTH], callback=callback)
        report = made_report(output, model, rows=True, command=_COMMAND, truth=TRUTH)
        with writing_into(folder):
            summary = save_folder(
                model, folder, overwrite=True, run=_RUN, report=report, command=_COMMAND
            )
            write_picture(model, model.table.frame[TRUTH].to_numpy(), folder / PICTURE)
    found = _compared(model)
    output.document({**summary, "truth": found})
    files = [TABLE, *summary["files"], "summary.json", PICTURE]
    _show(output, model, found, arguments.out, files)
    return 0


def _refuse_other_fits(folder: Path) -> None:
    """Raise if a folder has a fit that is not a demonstration."""
    from disambig.exceptions import ModelFileError
    from disambig.table_models.folder import FILES, read_summary

    if not any((folder / name).exists() for name in FILES):
        return
    try:
        is_demo = read_summary(folder).get("run") == _RUN
    except ModelFileError:
        is_demo = False
    if not is_demo:
        raise Refusal(f"--out {folder} has the files of a fit. Name another folder.")


def _compared(model: "TableModel") -> dict[str, float]:
    """The labels beside the truth, which the fit has not seen."""
    truth = model.table.frame[TRUTH].to_numpy()
    is_right = model.labels["label"].to_numpy() == truth
    return {
        "mean_candidates": float(model.table.candidates.sizes.mean()),
        "right_by_chance": float((1.0 / model.table.candidates.sizes).mean()),
        "right": float(is_right.mean()),
        "resolved": float(model.resolved.mean()),
        "right_if_resolved": float(is_right[model.resolved].mean()),
        "mean_confidence": float(model.confidence.mean()),
    }


def _show(
    output: Output,
    model: "TableModel",
    found: dict[str, float],
    folder: Path,
    files: list[str],
) -> None:
    n = len(model.table)
    output.line(f"{n} sightings. What the observers noted, and what was recovered:")
    output.line()
    texts = model.table.frame
    shown = [row for row in range(n) if model.table.candidates.sizes[row] > 1][:_N_EXAMPLES]
    output.table(
        (ID, "wing_cm", "weight_g", "candidates", "label", "confidence", TRUTH),
        [
            (
                *(texts[name].iloc[row] for name in (ID, "wing_cm", "weight_g", TARGET)),
                model.labels["label"].iloc[row],
                f"{model.confidence[row]:.2f}",
                texts[TRUTH].iloc[row],
            )
            for row in shown
        ],
        right=(1, 2, 5),
    )
    output.line()
    output.line(
        f"A sighting has {found['mean_candidates']:.1f} candidates on average; a random one of "
        f"them is right in {100 * found['right_by_chance']:.0f} %."
    )
    output.line(
        f"Recovered labels are right in {100 * found['right']:.1f} % (stated confidence: "
        f"{100 * found['mean_confidence']:.1f} %). {100 * found['resolved']:.0f} % are resolved; "
        f"of these {100 * found['right_if_resolved']:.1f} % are right."
    )
    output.line()
    output.line(f"Written to {folder}: {', '.join(files)}")
    output.line("The same on your own table, and what comes next:")
    output.line(
        f"  disambig fit {folder / TABLE} --target {TARGET} --id {ID} --drop {TRUTH} --out birds"
    )
    output.line(f"  disambig ask {folder} --n 20")
