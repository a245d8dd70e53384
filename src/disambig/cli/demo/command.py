"""The command ``disambig demo``: its arguments, and what it runs."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disambig.cli.commands import at_least, output_folder, require_packages

if TYPE_CHECKING:
    from disambig.cli.demo.comparison import Outcome
    from disambig.cli.demo.experiment import Demo


DATASETS = ("digits", "wine", "iris")
FOLDER = "disambig-demo"
# Longer lines are hard to read.
_MAX_WIDTH = 88


def add_command(commands: Any) -> None:
    """Add ``demo`` to the commands of a parser."""
    parser = commands.add_parser(
        "demo",
        help="hide known labels in sets of candidates, recover them, compare methods",
        description="Hide the known labels of a data set in sets of candidates, recover them, and "
        "compare three methods with one that is trained on the true labels. Needs no data: the "
        "data sets are part of scikit-learn. Prints tables and writes a figure and two CSV files.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--dataset", choices=DATASETS, default="digits", help="the data set")
    parser.add_argument(
        "--splits", type=at_least(2), default=5, metavar="N", help="random splits to average over"
    )
    parser.add_argument(
        "--seed", type=at_least(0), default=0, metavar="N", help="seed of all random numbers"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(FOLDER),
        metavar="DIR",
        help="folder for the three files; other files in it are not changed",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration with the arguments of the parser."""
    require_packages(("rich", "matplotlib"), "cli,plot")
    from rich.console import Console

    from disambig.cli.demo import output
    from disambig.cli.demo.experiment import Demo, load_labelled_data

    start = time.perf_counter()
    with output_folder(arguments.out) as folder:
        data = load_labelled_data(arguments.dataset)
        demo = Demo(data, n_splits=arguments.splits, seed=arguments.seed)
        console = Console(highlight=False)
        console.width = min(console.width, _MAX_WIDTH)
        unicode = console.encoding.startswith("utf")
        console.print(output.introduction(demo, shades=" ░▒▓█" if unicode else " .:*#"))
        outcomes = _run_with_progress(demo)
        recovered = demo.recover(*output.EXAMPLE_SETTING)
        output.write_all(folder, demo, outcomes, recovered)
        console.print(output.results(demo, outcomes, width=console.width))
        console.print(output.recovered_examples(demo, recovered))
        console.print(output.closing(folder, recovered, time.perf_counter() - start))
    return 0


def _run_with_progress(demo: "Demo") -> list["Outcome"]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeRemainingColumn(),
    )
    outcomes: list[Outcome] = []
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("comparing", total=demo.n_outcomes)
        for outcome in demo.run():
            outcomes.append(outcome)
            progress.update(
                task, advance=1, description=f"split {outcome.split + 1} of {demo.n_splits}"
            )
    return outcomes
