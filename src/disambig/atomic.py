"""Atomic writing of files: bytes, text and CSV tables.

A file is written completely or not at all. An error or an interruption leaves the old file, if
there was one, as it was.

A process that is killed leaves its temporary file behind. The name of that file says which process
wrote it, and the next write into the folder removes it if that process is gone.
"""

import csv
import io
import os
import platform
import re
import secrets
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream that becomes the file at `path` if the block ends without an error.

    The stream writes to a temporary file with a unique name in the same folder. At the end that
    file replaces `path` in one step: readers see the old file or the new one, and of two
    simultaneous writers the later one wins. After an error or an interruption `path` is unchanged
    and the temporary file is deleted; after a kill the next write into the folder deletes it
    (except on Windows). A symbolic link stays a link, and a file that is replaced keeps its
    permissions.

    Parameters
    ----------
    path : str or path-like
        The file to write, in a folder that exists.

    Yields
    ------
    binary stream

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disambig.atomic import atomic_write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answer.txt"
    ...     with atomic_write(path) as stream:
    ...         _ = stream.write(b"42")
    ...     path.read_text()
    '42'
    """
    target = Path(os.path.realpath(path))
    _remove_orphans(target.parent)
    partial = target.with_name(
        f".{target.name}.{secrets.token_hex(8)}.{_process_space()}.{os.getpid()}.part"
    )
    # Not `tempfile`: its files are readable by their owner only. This one follows the umask.
    stream = partial.open("xb")
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, partial)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


# A temporary file: token, process space and process of its writer.
_PARTIAL_NAME = re.compile(r"\..+\.[0-9a-f]{16}\.([0-9a-f]{8})\.([0-9]+)\.part")


@cache
def _process_space() -> str:
    """A name for the processes that this one can see.

    Processes of other computers, which may share a folder, and of other containers have numbers of
    their own.
    """
    space = platform.node()
    with suppress(OSError):
        space += str(Path("/proc/self/ns/pid").readlink())
    return f"{zlib.crc32(space.encode()):08x}"


def _remove_orphans(folder: Path) -> None:
    """Remove temporary files whose writer is gone; files of unknown writers stay."""
    # On Windows there is no harmless signal that tells whether a process exists.
    if os.name != "posix":
        return
    # What cannot be listed or removed must not keep anybody from writing.
    with suppress(OSError):
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".part")]
        for name in names:
            found = _PARTIAL_NAME.fullmatch(name)
            if found and found[1] == _process_space() and not _exists(int(found[2])):
                # Another writer may have removed it.
                (folder / name).unlink(missing_ok=True)


def _exists(process: int) -> bool:
    """Whether there is a process of this number, perhaps of another user."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file in an existing folder, atomically; see `disambig.atomic.atomic_write`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes_atomically(Path(folder) / "a.bin", b"abc")
    ...     (Path(folder) / "a.bin").read_bytes()
    b'abc'
    """
    with atomic_write(path) as stream:
        stream.write(data)


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file atomically, in UTF-8 and with its line ends unchanged."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_csv_atomically(
    path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    r"""Write a CSV table atomically: fields are quoted where necessary, None is an empty field.

    Parameters
    ----------
    path : path
    header : sequence of str
    rows : iterable of sequences
        Each as long as the header.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv_atomically(Path(folder) / "a.csv", ["row", "label"], [(0, "x"), (1, None)])
    ...     (Path(folder) / "a.csv").read_text()
    'row,label\n0,x\n1,\n'
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(
                f"{Path(path).name}: row {number} has {len(row)} fields, the header has "
                f"{len(header)}. Give every row as many fields as the header."
            )
        writer.writerow(row)
    write_text_atomically(path, buffer.getvalue())
