"""The folder that a command writes into."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disambig.cli.refusal import Refusal

__all__ = ["output_folder", "writing_into"]


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
