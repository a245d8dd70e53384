"""``disambig completion``: a script that completes commands and options in a shell."""

import argparse
from typing import Any

from disambig.cli.commands import require_packages

_SHELLS = ("bash", "zsh", "tcsh")


def add_command(commands: Any, root: argparse.ArgumentParser) -> None:
    """Add ``completion`` to the commands of the parser `root`."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a completion script. For bash: disambig completion bash > "
        "~/.local/share/bash-completion/completions/disambig",
    )
    parser.add_argument("shell", choices=_SHELLS)

    def run(arguments: argparse.Namespace) -> int:
        require_packages(("shtab",), "cli")
        import shtab

        print(shtab.complete(root, shell=arguments.shell))
        return 0

    parser.set_defaults(run=run)
