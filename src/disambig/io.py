"""Files: whole or not at all."""

import csv
import io
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

__all__ = ["write_bytes_atomically", "write_csv_atomically", "write_text_atomically"]


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that is seen whole or not at all: whoever reads it never meets half of it.

    The bytes go to a temporary file in the same folder, which then takes the name. If anything
    fails, or the user interrupts, the file that was there stays as it was and the temporary one is
    removed. A symbolic link is followed; permissions of an existing file are kept.

    Parameters
    ----------
    path : path
        In a folder that exists.
    data : bytes

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes_atomically(Path(folder) / "a.bin", b"abc")
    ...     (Path(folder) / "a.bin").read_bytes()
    b'abc'
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name a file to write.")
    # Not `tempfile`, whose files nobody but the owner may read, whatever the umask says.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            # Without it, a crash of the machine may leave an empty file under the final name.
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """The same for text, in UTF-8 with line ends as they are."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_csv_atomically(
    path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """The same for a table: one line a row, fields quoted where they must be, None left empty.

    Parameters
    ----------
    path : path
    header : sequence of str
    rows : iterable of sequences
        As long as the header.
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
