"""`atomic_write` replaces a file completely or leaves it unchanged."""

import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from disambig.atomic import atomic_write

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


def test_content_is_written_and_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with atomic_write(path) as stream:
        stream.write(b"one")
        assert not path.exists()
        stream.write(b"two")
    assert path.read_bytes() == b"onetwo"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_error_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def fail() -> None:
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "no" / "a.bin"):
        pass
    assert not list(tmp_path.iterdir())


def test_target_that_cannot_be_replaced_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError), atomic_write(tmp_path / "folder") as stream:  # noqa: PT011
        stream.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_of_two_writers_the_later_wins(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with atomic_write(path) as first:
        first.write(b"1" * 10)
        with atomic_write(path) as second:
            second.write(b"2" * 20)
        assert path.read_bytes() == b"2" * 20
        first.write(b"1" * 10)
    assert path.read_bytes() == b"1" * 20
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_permissions_follow_umask_or_old_file(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    plain, path = tmp_path / "plain", tmp_path / "a.bin"
    plain.write_bytes(b"")
    with atomic_write(path) as stream:
        stream.write(b"new")
    assert mode(path) == mode(plain)  # whatever the umask is
    path.chmod(0o640)
    with atomic_write(path) as stream:
        stream.write(b"newer")
    assert mode(path) == 0o640


@posix
def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "a.bin", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with atomic_write(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


_WRITER = """
import sys
from disambig.atomic import atomic_write
with atomic_write(sys.argv[1]) as stream:
    stream.write(b"begun")
    stream.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that has begun to write ``a.bin``; it goes on when its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path / "a.bin")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate(timeout=60)


@posix
def test_the_next_write_removes_what_a_killed_process_left(
    tmp_path: Path, writer: "subprocess.Popen[str]"
) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=60)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(f".{writer.pid}.part")
    with atomic_write(tmp_path / "b.bin") as stream:
        stream.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["b.bin"]


@posix
def test_the_file_of_a_process_that_still_writes_stays(
    tmp_path: Path, writer: "subprocess.Popen[str]"
) -> None:
    with atomic_write(tmp_path / "b.bin") as stream:
        stream.write(b"new")
    assert len(list(tmp_path.iterdir())) == 2
    writer.communicate("", timeout=60)
    assert writer.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "b.bin"]
    assert (tmp_path / "a.bin").read_bytes() == b"begun"


@posix
def test_files_of_other_computers_and_other_programs_stay(
    tmp_path: Path, writer: "subprocess.Popen[str]"
) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=60)
    (left,) = tmp_path.iterdir()
    elsewhere = re.sub(r"\.[0-9a-f]{8}(?=\.[0-9]+\.part)", ".0123abcd", left.name)
    assert elsewhere != left.name
    left.rename(tmp_path / elsewhere)
    (tmp_path / ".video.mp4.part").write_bytes(b"mine")
    with atomic_write(tmp_path / "b.bin") as stream:
        stream.write(b"new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {elsewhere, ".video.mp4.part", "b.bin"}
