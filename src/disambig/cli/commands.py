"""What every command needs: exit codes, refusals, arguments, and the folder that it writes into."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

_INTERRUPTED = 130


def execute(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Parse `argv`, call `run` of what was parsed, and return the exit code.

    0 done, 1 failed, 2 refused, 130 interrupted. Errors that the user can mend are one line on
    stderr; all others raise.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows a question mark, and the work is not lost.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    if not hasattr(arguments, "run"):
        parser.print_help(sys.stderr)
        return 2
    name = " ".join(filter(None, [parser.prog, getattr(arguments, "command", None)]))
    try:
        code: int = arguments.run(arguments)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except Refusal as refusal:
        print(f"{name}: {refusal}", file=sys.stderr)
        return refusal.code
    except BrokenPipeError:
        # The reader of the output has gone; Python must not try to flush the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


class Refusal(Exception):  # noqa: N818
    """A command cannot do what it was asked; the message says why and what to do.

    Parameters
    ----------
    message : str
    code : int
        The exit code: 2 where something must be changed before trying again, 1 where it failed.
    """

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def require_packages(names: tuple[str, ...], extras: str) -> None:
    """Refuse if one of the optional packages is missing, and say how to install them."""
    missing = [name for name in names if not is_installed(name)]
    if missing:
        raise Refusal(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. Run\n"
            f'    pip install "disambig[{extras}]"\n'
            f'(from a checkout: pip install ".[{extras}]") and try again.'
        )


def is_installed(name: str) -> bool:
    """Can the package be imported? One that breaks for want of another raises."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        # A package that is there and breaks for want of another one is not ours to explain.
        if error.name is not None and error.name.partition(".")[0] != name:
            raise
        return False
    return True


@contextmanager
def output_folder(path: Path) -> Iterator[Path]:
    """The folder, made before the work so that a bad name costs nothing, gone again if unused."""
    was_there = path.is_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise Refusal(f"--out {path} is a file; name a folder.") from None
    except OSError as error:
        raise Refusal(f"--out {path}: cannot make this folder: {error.strerror}.") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise Refusal(f"--out {path}: this folder cannot be written to. Name another one.")
    try:
        yield path
    finally:
        if not was_there:
            # Only an empty folder can be removed.
            with suppress(OSError):
                path.rmdir()


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """Refuse where the block cannot write; only writing belongs into it."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"cannot write into {folder}: {error.strerror or error}.", code=1) from error


def at_least(least: int) -> Callable[[str], int]:
    """What reads a whole number from `least` on, below 2**32."""
    return _reader(least, 2**32 - 1, f"from {least} on")


def between(least: int, most: int) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`, both included.

    Examples
    --------
    >>> between(0, 9)("9")
    9
    """
    return _reader(least, most, f"from {least} to {most}")


def _reader(least: int, most: int, words: str) -> Callable[[str], int]:
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {words}")
        return value

    return number
