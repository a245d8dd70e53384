"""The command line: ``disambig <command>``."""

import argparse
import sys
from collections.abc import Sequence

from disambig.cli import completion, fit, inspect, predict, questions, report, reproduce
from disambig.cli.commands import Parser, execute
from disambig.cli.demo import command as demo

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 success, 1 failure, 2 usage, 130 interrupted.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; by default those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [reproduce.NAME]:
        return reproduce.main(arguments[1:])
    return execute(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="disambig",
        description="Learn from tables whose target is a set of candidates, one of them right.",
        epilog="'disambig COMMAND --help' explains a command. "
        "Start with 'disambig demo': it needs no data and takes less than a minute.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    fit.add_command(commands)
    predict.add_command(commands)
    inspect.add_commands(commands)
    questions.add_commands(commands)
    report.add_command(commands)
    demo.add_command(commands)
    commands.add_parser(reproduce.NAME, help=reproduce.HELP)
    completion.add_command(commands, parser)
    return parser


class _Version(argparse.Action):
    """Print the version; it is looked up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import disambig

        print(f"disambig {disambig.__version__}")
        parser.exit()
