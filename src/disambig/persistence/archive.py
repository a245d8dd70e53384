"""The container of a saved model: a zip archive whose members are distrusted.

`Archive` opens one only if its members have plain names, are not packed tighter than `MAX_RATIO`,
and unpack to no more than a limit, by what they declare and by what is read. `packed` writes
archives that pass.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from disambig.exceptions import ModelFileError

# Bytes that are unpacked at once.
_CHUNK_BYTES = 1 << 20
# What a member may unpack to, in multiples of its packed size; smaller members may be packed
# tighter. `packed` stores what would be tighter, so that no honest file is refused.
MAX_RATIO = 100
_ALWAYS_ALLOWED_BYTES = 1 << 16
# Large members are compressed quickly, if so many samples of so many bytes get smaller than this
# share.
_LARGE_BYTES, _LEVELS = 1 << 20, (6, 1)
_SAMPLES, _SAMPLE_BYTES, _WORTH = 8, 1 << 14, 0.9
# A forest of a thousand trees has some ten thousand arrays.
_MAX_MEMBERS = 200_000
# What the directory of a zip archive starts an entry with.
_ENTRY_MARK = b"PK\x01\x02"
_ENCRYPTED = 0x1
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Every archive has the same date, so that equal models are equal files.
_DATE = (1980, 1, 1, 0, 0, 0)
# What zipfile raises for a broken archive.
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)


class Archive:
    """The members of a zip archive in memory, checked when they are listed and when they are read.

    Parameters
    ----------
    data : bytes
        The whole file.
    max_bytes : int
        What all members together may unpack to.

    Examples
    --------
    >>> archive = Archive(packed({"a.txt": b"abc"}), max_bytes=100)
    >>> sorted(archive.sizes), archive.read("a.txt")
    (['a.txt'], b'abc')
    """

    def __init__(self, data: bytes, *, max_bytes: int) -> None:
        # An entry of the directory takes ten times its size in memory: count before reading it.
        if data.count(_ENTRY_MARK) > _MAX_MEMBERS:
            raise ModelFileError(f"it has more than {_MAX_MEMBERS} members")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            entries = self._archive.infolist()
        except BROKEN as error:
            raise ModelFileError(f"it is not a zip archive, or cut short ({error})") from error
        _check_entries(entries, max_bytes)
        self._entries = {entry.filename: entry for entry in entries}

    @property
    def sizes(self) -> dict[str, int]:
        """The declared sizes of the members, by name."""
        return {name: entry.file_size for name, entry in self._entries.items()}

    def read(self, name: str, max_bytes: int | None = None) -> bytes:
        """The content of a member, at most as large as it declares."""
        entry = self._entries[name]
        if max_bytes is not None and entry.file_size > max_bytes:
            raise ModelFileError(f"{name} has {entry.file_size} bytes, more than {max_bytes}")
        chunks, left = [], entry.file_size
        try:
            with self._archive.open(entry) as stream:
                while left >= 0 and (chunk := stream.read(_CHUNK_BYTES)):
                    left -= len(chunk)
                    chunks.append(chunk)
        except BROKEN as error:
            raise ModelFileError(f"{name} is broken ({error})") from error
        if left:
            raise ModelFileError(f"{name} has another size than it declares")
        return b"".join(chunks)


def _check_entries(entries: list[zipfile.ZipInfo], max_bytes: int) -> None:
    names: set[str] = set()
    total = 0
    for entry in entries:
        name = entry.filename
        # Plain names alone: no folder, no drive, no parent, and nothing that a shell reads.
        if not name.replace(".", "").isalnum() or not name.isascii() or ".." in name:
            raise ModelFileError(f"it has a member with the unsafe name {name[:80]!r}")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ModelFileError(f"its member {name[:80]!r} is a symbolic link")
        if name in names:
            raise ModelFileError(f"it has two members with the name {name[:80]!r}")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _COMPRESSIONS:
            raise ModelFileError(f"its member {name[:80]!r} is encrypted or packed in another way")
        if entry.file_size > max(MAX_RATIO * entry.compress_size, _ALWAYS_ALLOWED_BYTES):
            raise ModelFileError(
                f"its member {name[:80]!r} has {entry.compress_size} bytes and would unpack to "
                f"{entry.file_size}, which is more than {MAX_RATIO} times as much"
            )
        names.add(name)
        total += entry.file_size
    if total > max_bytes:
        raise ModelFileError(
            f"it would unpack to {total} bytes; max_bytes allows {max_bytes}. Pass a larger "
            "max_bytes if you expect such a model"
        )


def packed(members: Mapping[str, bytes | memoryview]) -> bytes:
    """A zip archive of these members, each compressed if that is worth it and allowed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o600 << 16
            level = _LEVELS[len(content) > _LARGE_BYTES]
            entry.compress_type = _suited_compression(content, level)
            archive.writestr(entry, content, compresslevel=level)
    return buffer.getvalue()


def _suited_compression(content: Any, level: int) -> int:
    size = len(content)
    if size > _LARGE_BYTES:
        # Random digits hardly get smaller, and to find that out takes longer than all else.
        part = b"".join(_samples(content))
        if len(zlib.compress(part)) > _WORTH * len(part):
            return zipfile.ZIP_STORED
    smaller = len(zlib.compress(content, level))
    too_tight = size > max(MAX_RATIO * smaller, _ALWAYS_ALLOWED_BYTES)
    return zipfile.ZIP_STORED if too_tight or smaller >= size else zipfile.ZIP_DEFLATED


def _samples(content: Any) -> Iterator[bytes]:
    """Parts of a content, evenly spread over it."""
    step = (len(content) - _SAMPLE_BYTES) // (_SAMPLES - 1)
    for place in range(_SAMPLES):
        yield bytes(content[place * step : place * step + _SAMPLE_BYTES])
