"""A file is there whole, or it is not there: writing that cannot leave half a file behind.

Tables and texts in files, each written whole or not at all.
"""

import csv
import io
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream to fill; it becomes the file at `path` when the block ends without an error.

    What is written goes to a new file with a name of its own in the same folder. At the end it
    takes the place of `path` in one step, so that readers see the old file or the new one, and of
    two writers at once the later one wins. After an error, an interruption included, `path` is as
    it was and the new file is gone. A link stays a link, and a file that is replaced hands its
    permissions on.

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
    partial = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    # Not `tempfile`, whose files only their owner may read: a new file follows the umask.
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


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file in one step, in a folder that exists; see `disambig.atomic.atomic_write`.

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
    """The same for text, in UTF-8 with line ends as they are."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_csv_atomically(
    path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    r"""The same for a table: one line a row, fields quoted where they must be, None left empty.

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
                f"{len(header)}. Give every row as many."
            )
        writer.writerow(row)
    write_text_atomically(path, buffer.getvalue())
