"""What all commands share: exit codes, errors, types of arguments, and the output folder."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

# The exit code of shells after an interrupt, 128 + SIGINT.
_INTERRUPTED = 130


def execute(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Parse `argv`, call `run` of the parsed arguments, and return the exit code.

    0 success, 1 failure, 2 usage, 130 interrupted. Errors that the user can fix are one line on
    stderr; all others are raised.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark instead of raising an error.
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
        # The reader of the output has closed it; Python must not flush the rest when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


class Refusal(Exception):  # noqa: N818
    """An error of the user or the system; the message says why and what to do.

    Parameters
    ----------
    message : str
    code : int
        The exit code: 2 if the user must change something, 1 if the command failed.
    """

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def require_packages(names: tuple[str, ...], extras: str) -> None:
    """Raise a `Refusal` with the command to install them if optional packages are missing."""
    missing = [name for name in names if not is_installed(name)]
    if missing:
        raise Refusal(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. Run\n"
            f'    pip install "disambig[{extras}]"\n'
            f'(from a checkout: pip install ".[{extras}]") and try again.'
        )


def is_installed(name: str) -> bool:
    """Whether the package can be imported; an error if one of its own imports is missing."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        # The package is installed, but a module that it imports is not: show the original error.
        if error.name is not None and error.name.partition(".")[0] != name:
            raise
        return False
    return True


@contextmanager
def output_folder(path: Path) -> Iterator[Path]:
    """Make the folder before the work, so that a bad name fails early; remove it if unused."""
    existed = path.is_dir()
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
        if not existed:
            # Only an empty folder can be removed.
            with suppress(OSError):
                path.rmdir()


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into a `Refusal`; the block must only write files."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"cannot write into {folder}: {error.strerror or error}.", code=1) from error


def at_least(least: int) -> Callable[[str], int]:
    """A type of arguments: integers from `least` on, below 2**32."""
    return between(least, 2**32 - 1)


def between(least: int, most: int) -> Callable[[str], int]:
    """A type of arguments: integers from `least` to `most`, both included.

    Examples
    --------
    >>> between(0, 9)("9")
    9
    """

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return value

    return number
