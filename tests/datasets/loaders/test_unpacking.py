"""Unpacking: the content is returned, and broken or unsafe files are errors."""

import bz2
import io
import lzma
import stat
import zipfile
from collections.abc import Callable

import pytest

from disambig.datasets.loaders.registry import Compression
from disambig.datasets.loaders.unpacking import unpacked
from disambig.exceptions import DatasetError

CONTENT = bytes(range(256)) * 1000


def zipped(members: dict[str, bytes], mode: int = 0) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def unpack(
    packed: bytes,
    compression: Compression | None,
    member: str = "a.txt",
    max_bytes: int = len(CONTENT),
) -> bytes:
    stream = io.BytesIO(packed)
    return b"".join(unpacked(stream, compression, member=member, max_bytes=max_bytes))


PACKERS: dict[Compression | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda content: zipped({"folder/": b"", "folder/a.txt": content, "b.txt": b"other"}),
}


@pytest.mark.parametrize("compression", PACKERS)
@pytest.mark.parametrize("content", [CONTENT, b"x", b""])
def test_round_trip(compression: Compression | None, content: bytes) -> None:
    assert unpack(PACKERS[compression](content), compression) == content


@pytest.mark.parametrize("compression", ["bz2", "xz"])
def test_several_streams_are_one_file(compression: Compression) -> None:
    pack = PACKERS[compression]
    assert unpack(pack(CONTENT[:1000]) + pack(CONTENT[1000:]), compression) == CONTENT


@pytest.mark.parametrize("compression", PACKERS)
def test_no_more_than_allowed(compression: Compression | None) -> None:
    packed = PACKERS[compression](CONTENT)
    with pytest.raises(DatasetError, match=f"larger than the {len(CONTENT) - 1} bytes"):
        unpack(packed, compression, max_bytes=len(CONTENT) - 1)


@pytest.mark.parametrize("compression", ["bz2", "xz", "zip"])
def test_unpacking_stops_at_the_limit(compression: Compression) -> None:
    packed = io.BytesIO(PACKERS[compression](bytes(5_000_000)))
    chunks = []
    with pytest.raises(DatasetError, match="larger"):
        chunks.extend(unpacked(packed, compression, member="a.txt", max_bytes=1_000_000))
    assert sum(map(len, chunks)) <= 1_000_000
    # Only one chunk of bounded size is in memory at any time.
    assert max(map(len, chunks)) <= 1 << 16


def test_the_memory_of_xz_is_limited() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 28}]
    packed = lzma.compress(b"x", filters=filters)
    with pytest.raises(DatasetError, match=r"broken .*[Mm]emory"):
        unpack(packed, "xz")


@pytest.mark.parametrize("compression", ["bz2", "xz", "zip"])
def test_a_file_that_is_not_packed(compression: Compression) -> None:
    with pytest.raises(DatasetError, match="broken"):
        unpack(b"<html>Not found</html>" * 10, compression)


@pytest.mark.parametrize("compression", ["bz2", "xz", "zip"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file(compression: Compression, share: float) -> None:
    packed = PACKERS[compression](CONTENT)
    with pytest.raises(DatasetError, match=r"broken|too early"):
        unpack(packed[: int(share * len(packed))], compression)


@pytest.mark.parametrize("compression", ["bz2", "xz", "zip"])
def test_a_flipped_bit(compression: Compression) -> None:
    packed = bytearray(PACKERS[compression](CONTENT))
    packed[150] ^= 0x10
    with pytest.raises(DatasetError, match="broken"):
        unpack(bytes(packed), compression)


@pytest.mark.parametrize(
    "name", ["/etc/a.txt", "../a.txt", "x/../../a.txt", "..\\a.txt", "\\a.txt", "C:\\a.txt", "C:/b"]
)
def test_unsafe_names_are_an_error(name: str) -> None:
    for members in ({name: b"x"}, {"a.txt": b"x", name: b"x"}):
        with pytest.raises(DatasetError, match="unsafe"):
            unpack(zipped(members), "zip")


def test_links_are_an_error() -> None:
    with pytest.raises(DatasetError, match="unsafe"):
        unpack(zipped({"a.txt": b"/etc/passwd"}, stat.S_IFLNK | 0o777), "zip")


def test_the_member_must_occur_once() -> None:
    with pytest.raises(DatasetError, match=r"0 files called 'a\.txt'"):
        unpack(zipped({"b.txt": b"x"}), "zip")
    with pytest.raises(DatasetError, match=r"2 files called 'a\.txt'"):
        unpack(zipped({"a.txt": b"x", "b/a.txt": b"x"}), "zip")


def test_an_encrypted_member() -> None:
    packed = bytearray(zipped({"a.txt": b"x"}))
    central = packed.index(b"PK\x01\x02")
    packed[6] |= 1
    packed[central + 8] |= 1
    with pytest.raises(DatasetError, match="encrypted"):
        unpack(bytes(packed), "zip")
