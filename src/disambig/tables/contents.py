"""The bytes of a file, a buffer or the standard input, and the format that they show."""

import gzip
import io
import os
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from disambig.memory import require_bytes
from disambig.tables.source import Source

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_CHUNK = 64 * 1024**2
# Cells of a text become Python objects, which take about ten times the space.
_OBJECTS_PER_BYTE = 10

_BINARY_FORMATS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "feather"}
_BINARY_FORMATS |= {b"\xff\xff\xff\xff": "arrow stream"}
_FOREIGN_FORMATS = {
    b"PK\x03\x04": "an Excel or zip file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "an SQLite file",
    b"\x89HDF": "an HDF5 file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x80\x04\x95": "a pickle, which is not safe to read",
    b"\x80\x05\x95": "a pickle, which is not safe to read",
}


class Contents(NamedTuple):
    """What was read: bytes with their format, "text" if it is none of the binary ones.

    Attributes
    ----------
    source : Source
    data : bytes or str
        A text buffer has text already.
    format : {"text", "parquet", "arrow", "arrow stream", "feather"}
    suffix : str
        The end of the name, without ".gz".
    """

    source: Source
    data: bytes | str
    format: str
    suffix: str


def read_contents(path: Any) -> Contents:
    """Read all of a path, of "-" (the standard input), or of an object with ``read``."""
    if isinstance(path, str) and path == STANDARD_INPUT:
        path = getattr(sys.stdin, "buffer", sys.stdin)
        source = Source("standard input")
        data, suffix = path.read(), ""
    elif hasattr(path, "read"):
        source = Source(_name_of(path))
        data, suffix = path.read(), ""
    elif isinstance(path, str | os.PathLike):
        source = Source(os.fspath(path) if isinstance(path, str) else str(Path(path)))
        data, suffix = _file(Path(path), source), Path(str(path).removesuffix(".gz")).suffix
    else:
        raise TypeError(
            f"Expected a path, '-' for the standard input, or an open file; got "
            f"{type(path).__name__}."
        )
    if isinstance(data, bytes) and data.startswith(_GZIP):
        data = _unpacked(data, source)
    if not data or not data.strip():
        raise source.error("the file is empty.")
    return Contents(source, data, _format_of(data, source), suffix.lower())


def _name_of(buffer: Any) -> str | None:
    name = getattr(buffer, "name", None)
    return name if isinstance(name, str) else "the given buffer"


def _file(path: Path, source: Source) -> bytes:
    try:
        if path.is_dir():
            raise source.error("this is a directory; expected a file.")
        require_bytes(path.stat().st_size * 2, f"The file {path.name}", "Give fewer rows.")
        return path.read_bytes()
    except FileNotFoundError:
        raise source.error("there is no such file.") from None
    except PermissionError:
        raise source.error("no permission to read this file.") from None
    except (OSError, ValueError) as error:
        # A ValueError comes for a name with a null character.
        reason = getattr(error, "strerror", None) or error
        if type(error) is ValueError or isinstance(error, OSError):
            raise source.error(f"cannot be read: {reason}.") from None
        raise


def _unpacked(data: bytes, source: Source) -> bytes:
    """The contents of a gzip file; stops before it fills the memory."""
    parts: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while part := stream.read(_CHUNK):
                require_bytes(2 * _CHUNK, "The unpacked gzip file", "Give fewer rows.")
                parts.append(part)
    except EOFError:
        raise source.error("the gzip file ends too early; it is incomplete.") from None
    except (OSError, zlib.error) as error:
        raise source.error(f"the gzip file is damaged: {error}.") from None
    return b"".join(parts)


def _format_of(data: bytes | str, source: Source) -> str:
    if isinstance(data, str):
        return "text"
    for magic, name in _FOREIGN_FORMATS.items():
        if data.startswith(magic):
            raise source.error(
                f"this is {name}. Save the table as CSV, Parquet, Arrow or JSON lines."
            )
    for magic, name in _BINARY_FORMATS.items():
        if data.startswith(magic):
            return name
    require_bytes(_OBJECTS_PER_BYTE * len(data), "The table", "Save it as Parquet.")
    return "text"
