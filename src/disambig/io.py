"""Tables and texts in files, each written whole or not at all."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from disambig.files import written_whole

__all__ = ["write_bytes_atomically", "write_csv_atomically", "write_text_atomically"]


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file in one step, in a folder that exists; see `disambig.files.written_whole`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes_atomically(Path(folder) / "a.bin", b"abc")
    ...     (Path(folder) / "a.bin").read_bytes()
    b'abc'
    """
    with written_whole(path) as stream:
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
