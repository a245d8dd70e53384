"""What all commands share: exit codes, errors, types of arguments, and the output folder."""

import argparse
import errno
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

# Parameters of the package that commands have as options of the same name, and of other names.
_NAMES = (
    "kind|separator|path|classes|decimal|blank|zero|ranks|missing|features|drop|keep|id|sep|"
    "encoding|target|weights|method|tolerance|seed"
)
_QUOTED_PARAMETER = re.compile(rf"\b({_NAMES})=(['\"])(.*?)\2")
_PARAMETER = re.compile(rf"\b({_NAMES})=")
_OTHER_OPTIONS = {
    "header=False": "--no-header",
    "overwrite=True": "--force",
    "case_sensitive=True": "--case-sensitive",
    "tag_frequencies='estimate'": "--tag-frequencies estimate",
    "tag_frequencies=": "--tag-frequencies ",
    "tag_counts=": "--tag-counts ",
    "types=": "--type ",
    "coverage=": "--sets ",
    "table=": "--table ",
}
_TYPES = re.compile(r"\btypes=\{'([^']*)': '([^']*)'\}")
# A blank after an option without a value.
_LOOSE = re.compile(r"(--[a-z-]+) (?=[;.)]|, )")
_LIST = re.compile(rf"\b({_NAMES})=\[([^\]]*)\]")
_BAD_NAMES = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EACCES)
# The exit code of shells after an interrupt, 128 + SIGINT.
_INTERRUPTED = 130


def execute(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Parse `argv`, call `run` of the parsed arguments, and return the exit code.

    0 success, 1 failure, 2 usage or input, 130 interrupted. Errors that the user can fix are one
    line on stderr, and with ``--json`` also a document on stdout; all others are raised, and so are
    these if DISAMBIG_TRACEBACK is set.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark instead of raising an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parser.parse_args(given)
    except UsageError as error:
        _print_document(error.message, 2, "--json" in given)
        return 2
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    if not hasattr(arguments, "run"):
        parser.print_help(sys.stderr)
        return 2
    # For those who want to run it again.
    arguments.command_line = shlex.join([parser.prog, *given])
    name = " ".join(filter(None, [parser.prog, getattr(arguments, "command", None)]))
    as_json = bool(getattr(arguments, "json", False))
    if os.environ.get("DISAMBIG_TRACEBACK"):
        return int(arguments.run(arguments))
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _failed(name, "interrupted", _INTERRUPTED, as_json)
    except Refusal as refusal:
        return _failed(name, str(refusal), refusal.code, as_json)
    except MemoryError as error:
        return _failed(name, f"not enough memory. {error}", 1, as_json)
    except (ValueError, TypeError, FileExistsError, ImportError) as error:
        # Errors of the package say what to change.
        return _failed(name, with_options(" ".join(str(error).split())), 2, as_json, error)
    except BrokenPipeError:
        _discard_output()
        return 1
    except OSError as error:
        # A bad name is the user's, everything else (a full disk) is not.
        # A full disk behind stdout has a number but no file; an error without both names no place.
        place = error.filename or ("the output" if error.errno else None)
        message = ": ".join(filter(None, [place, f"{error.strerror or error}."]))
        code = _failed(name, message, 2 if error.errno in _BAD_NAMES else 1, as_json)
        _discard_output()
    return code


def _failed(
    name: str, message: str, code: int, as_json: bool, error: Exception | None = None
) -> int:
    """Print why a command failed, and return its exit code."""
    print(f"{name}: {message}", file=sys.stderr)
    _print_document(message, code, as_json, error)
    return code


def _print_document(message: str, code: int, as_json: bool, error: Any = None) -> None:
    """Print an error as the JSON document of the command, if it is asked for one."""
    if not as_json:
        return
    place = {part: getattr(error, part, None) for part in ("file", "line", "column")}
    document = {"error": {"message": message, "exit_code": code, **place}}
    with suppress(OSError, ValueError):
        print(json.dumps(document, indent=1, ensure_ascii=False, default=str), flush=True)


class UsageError(SystemExit):
    """Arguments that cannot be used; argparse has said so."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


class Parser(argparse.ArgumentParser):
    """A parser whose errors programs can read, too."""

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and leave with the message."""
        try:
            super().error(message)
        except SystemExit:
            raise UsageError(message) from None


def _discard_output() -> None:
    """Let nothing be flushed when Python exits: the reader is gone, or the disk is full."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def with_options(message: str) -> str:
    """A message of the package, with options of the commands instead of parameters.

    Examples
    --------
    >>> with_options("Pass kind='labels', keep= or header=False.")
    'Pass --kind labels, --keep or --no-header.'
    >>> print(with_options("Pass missing=['no answer']."))
    Pass --missing 'no answer'.
    >>> with_options("Give its frequency by tag_frequencies=.")
    'Give its frequency by --tag-frequencies.'
    """
    message = _TYPES.sub(
        lambda found: f"--type {shlex.quote(f'{found.group(1)}={found.group(2)}')}", message
    )
    for parameter, option in _OTHER_OPTIONS.items():
        message = re.sub(rf"\b{parameter}", option, message)
    message = _LIST.sub(_listed_option, message)
    message = _QUOTED_PARAMETER.sub(
        lambda found: f"--{found.group(1)} {shlex.quote(found.group(3))}", message
    )
    message = _PARAMETER.sub(r"--\1 ", message).replace("  ", " ")
    return _LOOSE.sub(r"\1", message)


def _listed_option(found: re.Match[str]) -> str:
    values = " ".join(shlex.quote(part.strip(" '\"")) for part in found.group(2).split(","))
    return f"--{found.group(1)} {values}"


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
