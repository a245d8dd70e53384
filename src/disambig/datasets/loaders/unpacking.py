"""What is inside a packed file, in pieces, without trusting the file.

Nothing is written under a name that an archive chooses: the one member that is wanted comes out as
a stream of bytes. What unpacks to more than is allowed is given up while it unpacks.
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

_CHUNK = 1 << 16
# A header may ask for a dictionary of 4 GiB; the strongest preset of xz needs 65 MiB.
_XZ_MEMORY = 1 << 27


def unpacked(
    packed: BinaryIO, compression: Compression | None, *, member: str, max_bytes: int
) -> Iterator[bytes]:
    """Yield the content of `packed` in pieces.

    Parameters
    ----------
    packed : binary stream
        At its beginning; can be rewound.
    compression : {"bz2", "xz", "zip"} or None
        None: the content is `packed` itself.
    member : str
        Which file of a zip archive to take, by the last part of its name.
    max_bytes : int
        More content than that is an error.

    Raises
    ------
    DatasetError
        With the reason, as a clause without a full stop: broken, hostile or too large.
    """
    if compression is None:
        pieces = iter(lambda: packed.read(_CHUNK), b"")
    elif compression == "zip":
        pieces = _zip_member(packed, member)
    elif compression == "bz2":
        pieces = _streams(packed, bz2.BZ2Decompressor)
    else:
        pieces = _streams(packed, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))
    done = 0
    for piece in pieces:
        done += len(piece)
        if done > max_bytes:
            raise DatasetError(f"the content is larger than the {max_bytes} bytes expected")
        yield piece


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def _streams(packed: BinaryIO, fresh: Callable[[], _Decompressor]) -> Iterator[bytes]:
    # Parallel compressors write several streams one after the other.
    data = packed.read(_CHUNK)
    while data:
        decompressor = fresh()
        while not decompressor.eof:
            if decompressor.needs_input and not data:
                data = packed.read(_CHUNK)
                if not data:
                    raise DatasetError("the packed file ends too early")
            try:
                piece = decompressor.decompress(data, _CHUNK)
            except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
                raise DatasetError(f"the packed file is broken ({error})") from error
            data = b""
            if piece:
                yield piece
        data = decompressor.unused_data or packed.read(_CHUNK)


def _zip_member(packed: BinaryIO, member: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(packed) as archive, archive.open(_chosen(archive, member)) as stream:
            while piece := stream.read(_CHUNK):
                yield piece
    except (
        zipfile.BadZipFile,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,  # a way of packing that zipfile does not know
        lzma.LZMAError,
        zlib.error,
    ) as error:
        raise DatasetError(f"the archive is broken ({error})") from error


def _chosen(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    for entry in archive.infolist():
        if _is_hostile(entry):
            raise DatasetError(f"the archive holds the hostile name {entry.filename!r}")
    found = [entry for entry in archive.infolist() if entry.filename.rpartition("/")[2] == member]
    if len(found) != 1:
        raise DatasetError(f"the archive holds {len(found)} files called {member!r}, not one")
    if found[0].flag_bits & 0x1:
        raise DatasetError(f"{member!r} is encrypted")
    return found[0]


def _is_hostile(entry: zipfile.ZipInfo) -> bool:
    parts = re.split(r"[/\\]", entry.filename)
    return (
        parts[0] == ""
        or ".." in parts
        or ":" in parts[0]
        or stat.S_ISLNK(entry.external_attr >> 16)
    )
