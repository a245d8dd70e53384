"""The command line: ``disambig <command>``."""

import argparse
import os
import sys
from collections.abc import Sequence

from disambig.cli import demo, reproduce
from disambig.cli.refusal import Refusal

__all__ = ["main"]

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 failed, 2 refused, 130 interrupted.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; by default those of the process.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a sign shows a question mark, and the work is not lost.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = _parser()
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = arguments.run(arguments)
    except KeyboardInterrupt:
        print(f"disambig {arguments.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Refusal as refusal:
        print(f"disambig {arguments.command}: {refusal}", file=sys.stderr)
        return refusal.code
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not try to flush the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="disambig",
        description="Learn from rows that carry a set of possible classes, one of them right.",
        epilog="'disambig COMMAND --help' explains a command. "
        "Start with 'disambig demo': it needs no data and takes less than a minute.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    demo.add_command(commands)
    reproduce.add_command(commands)
    return parser


class _Version(argparse.Action):
    """Look the version up only when somebody asks."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and leave")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import disambig

        print(f"disambig {disambig.__version__}")
        parser.exit()
