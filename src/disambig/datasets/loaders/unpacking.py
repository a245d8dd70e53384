"""The content of a packed file in chunks, safe also for malicious files.

Nothing is written under a name that an archive contains: the one requested member is returned as a
stream of bytes. Unpacking stops with an error as soon as the content is larger than allowed.
"""

import bz2
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from disambig.datasets.loaders.registry import Compression
from disambig.exceptions import DatasetError

# Bytes that are read at once.
_CHUNK_BYTES = 1 << 16
# A header may request a dictionary of 4 GiB; the strongest preset of xz needs 65 MiB.
_MAX_XZ_MEMORY = 1 << 27


def unpacked(
    packed: BinaryIO, compression: Compression | None, *, member: str, max_bytes: int
) -> Iterator[bytes]:
    """Yield the content of `packed` in chunks.

    Parameters
    ----------
    packed : binary stream
        At its beginning, and seekable.
    compression : {"bz2", "xz", "zip"} or None
        None: the content is `packed` itself.
    member : str
        The file of a zip archive to return, by the last part of its name.
    max_bytes : int
        A larger content is an error.

    Raises
    ------
    DatasetError
        The file is broken, malicious or too large; the message is a clause without a full stop.
    """
    if compression is None:
        chunks = iter(lambda: packed.read(_CHUNK_BYTES), b"")
    elif compression == "zip":
        chunks = _zip_member(packed, member)
    elif compression == "bz2":
        chunks = _streams(packed, bz2.BZ2Decompressor)
    else:
        chunks = _streams(packed, lambda: lzma.LZMADecompressor(memlimit=_MAX_XZ_MEMORY))
    done = 0
    for chunk in chunks:
        done += len(chunk)
        if done > max_bytes:
            raise DatasetError(f"the content is larger than the {max_bytes} bytes expected")
        yield chunk


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def _streams(packed: BinaryIO, new_decompressor: Callable[[], _Decompressor]) -> Iterator[bytes]:
    # Parallel compressors write several consecutive streams.
    data = packed.read(_CHUNK_BYTES)
    while data:
        decompressor = new_decompressor()
        while not decompressor.eof:
            if decompressor.needs_input and not data:
                data = packed.read(_CHUNK_BYTES)
                if not data:
                    raise DatasetError("the packed file ends too early")
            try:
                chunk = decompressor.decompress(data, _CHUNK_BYTES)
            except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
                raise DatasetError(f"the packed file is broken ({error})") from error
            data = b""
            if chunk:
                yield chunk
        data = decompressor.unused_data or packed.read(_CHUNK_BYTES)


def _zip_member(packed: BinaryIO, member: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(packed) as archive, archive.open(_chosen(archive, member)) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                yield chunk
    except (
        zipfile.BadZipFile,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,  # a compression that zipfile does not support
        lzma.LZMAError,
        zlib.error,
    ) as error:
        raise DatasetError(f"the archive is broken ({error})") from error


def _chosen(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    for entry in archive.infolist():
        if _is_unsafe(entry):
            raise DatasetError(f"the archive contains the unsafe name {entry.filename!r}")
    found = [entry for entry in archive.infolist() if entry.filename.rpartition("/")[2] == member]
    if len(found) != 1:
        raise DatasetError(f"the archive contains {len(found)} files called {member!r}, not one")
    if found[0].flag_bits & 0x1:
        raise DatasetError(f"{member!r} is encrypted")
    return found[0]


def _is_unsafe(entry: zipfile.ZipInfo) -> bool:
    """Whether the name would leave the target folder, or the entry is a symbolic link."""
    parts = re.split(r"[/\\]", entry.filename)
    return (
        parts[0] == ""
        or ".." in parts
        or ":" in parts[0]
        or stat.S_ISLNK(entry.external_attr >> 16)
    )
