"""Downloads from a server on this machine: verified files are kept, others leave nothing."""

import bz2
import hashlib
import io
import lzma
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest

from disambig.datasets import fetch_libsvm, fetch_mulan
from disambig.datasets.loaders import libsvm, mulan
from disambig.datasets.loaders.fetching import fetched, receive
from disambig.datasets.loaders.registry import RemoteFile
from disambig.exceptions import DatasetError

CONTENT = b"2 1:0.5 3:1\n1 2:-1\n" * 5000


class Site:
    """The responses of the server by path, and the requests that it received."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}
        self.announced: dict[str, int | None] = {}
        self.redirects: dict[str, str] = {}
        self.requests: list[str] = []
        self.address = ""

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"

    def publish(self, name: str, body: bytes, announced: int | None = -1) -> str:
        """Serve `body`; announce its length, or another one, or none (None)."""
        self.bodies[f"/{name}"] = body
        self.announced[f"/{name}"] = len(body) if announced == -1 else announced
        return self.url(name)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    pages = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages.requests.append(self.path)
            if self.path in pages.redirects:
                self.send_response(302)
                self.send_header("Location", pages.redirects[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if self.path not in pages.bodies:
                self.send_error(404)
                return
            self.send_response(200)
            if pages.announced[self.path] is not None:
                self.send_header("Content-Length", str(pages.announced[self.path]))
            self.end_headers()
            self.wfile.write(pages.bodies[self.path])

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        pages.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield pages
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISAMBIG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DISAMBIG_DATA", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "cache"


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


def known(url: str, content: bytes = CONTENT, **changes: Any) -> RemoteFile:
    file = RemoteFile("libsvm/toy", url, hashlib.sha256(content).hexdigest(), len(content))
    return replace(file, **changes)


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# ---------------------------------------------------------------- downloads


@pytest.mark.parametrize("announced", [-1, None])
def test_downloaded_once(site: Site, cache: Path, announced: int | None) -> None:
    file = known(site.publish("toy", CONTENT, announced))
    path = fetched(file)
    assert path == cache / "libsvm" / "toy"
    assert path.read_bytes() == CONTENT
    assert fetched(file) == path
    assert fetched(file, download=False) == path
    assert site.requests == ["/toy"]
    assert files_below(cache) == [path]


@pytest.mark.parametrize(
    ("compression", "packed"),
    [
        ("bz2", bz2.compress(CONTENT)),
        ("xz", lzma.compress(CONTENT)),
        ("zip", zipped({"readme": b"hello", "inside/toy": CONTENT})),
    ],
)
def test_unpacked(site: Site, cache: Path, compression: str, packed: bytes) -> None:
    file = known(site.publish("packed", packed), compression=compression)
    assert fetched(file).read_bytes() == CONTENT
    assert len(files_below(cache)) == 1


def test_redirects_are_followed(site: Site, cache: Path) -> None:
    site.publish("there", CONTENT)
    site.redirects["/here"] = "/there"
    assert fetched(known(site.url("here"))).read_bytes() == CONTENT
    assert site.requests == ["/here", "/there"]


def test_a_broken_file_in_the_cache_is_replaced(site: Site, cache: Path) -> None:
    file = known(site.publish("toy", CONTENT))
    path = cache / "libsvm" / "toy"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:-1])
    assert fetched(file).read_bytes() == CONTENT


@pytest.mark.parametrize(("announced", "total"), [(-1, len(CONTENT)), (None, None)])
def test_progress(site: Site, cache: Path, announced: int | None, total: int | None) -> None:
    calls: list[tuple[int, int | None]] = []
    url = site.publish("toy", CONTENT, announced)
    fetched(known(url), progress=lambda done, total: calls.append((done, total)))
    done = [call[0] for call in calls]
    assert done == sorted(set(done))
    assert calls[-1] == (len(CONTENT), total)


# ---------------------------------------------------------------- errors


def assert_fails(file: RemoteFile, cache: Path, match: str) -> None:
    """The error has address, checksum and remedy, and no file is left."""
    with pytest.raises(DatasetError, match=match) as caught:
        fetched(file)
    assert file.url in str(caught.value)
    assert file.sha256 in str(caught.value)
    assert "DISAMBIG_DATA" in str(caught.value)
    assert files_below(cache) == []


def test_another_content(site: Site, cache: Path) -> None:
    url = site.publish("toy", CONTENT[::-1])
    assert_fails(known(url), cache, hashlib.sha256(CONTENT[::-1]).hexdigest())


def test_another_content_does_not_replace_a_file(site: Site, cache: Path) -> None:
    path = cache / "libsvm" / "toy"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"from an older version")
    with pytest.raises(DatasetError, match="another content"):
        fetched(known(site.publish("toy", CONTENT[::-1])))
    assert path.read_bytes() == b"from an older version"
    assert files_below(cache) == [path]


def test_no_such_page(site: Site, cache: Path) -> None:
    assert_fails(known(site.url("nowhere")), cache, "answered 404 Not Found")


def test_no_server(site: Site, cache: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        port = other.server_port
    assert_fails(known(f"http://127.0.0.1:{port}/toy"), cache, "could not be reached")


def test_a_server_that_does_not_respond(site: Site, tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent_server,
        (tmp_path / "x").open("wb") as stream,
    ):
        url = f"http://127.0.0.1:{silent_server.getsockname()[1]}/toy"
        with pytest.raises(DatasetError, match="could not be reached"):
            receive(url, stream, max_bytes=10, timeout=0.2)


def test_a_connection_that_breaks_off(site: Site, cache: Path) -> None:
    url = site.publish("toy", CONTENT[:70_000], announced=len(CONTENT))
    assert_fails(known(url), cache, f"broke off after 70000 of {len(CONTENT)} bytes")


def test_a_truncated_response_without_length(site: Site, cache: Path) -> None:
    assert_fails(known(site.publish("toy", CONTENT[:-1], None)), cache, "another content")


def test_too_large_as_announced(site: Site, cache: Path) -> None:
    assert_fails(known(site.publish("toy", CONTENT + b"\n")), cache, "announced .* more than")


def test_too_large_without_announcement(site: Site, cache: Path) -> None:
    assert_fails(known(site.publish("toy", CONTENT * 2, None)), cache, "sent more than")


@pytest.mark.parametrize("compression", ["bz2", "xz", "zip"])
def test_a_broken_archive(site: Site, cache: Path, compression: str) -> None:
    url = site.publish("packed", b"<html>moved</html>")
    assert_fails(known(url, compression=compression), cache, "broken")


def test_a_truncated_archive(site: Site, cache: Path) -> None:
    packed = bz2.compress(CONTENT)
    url = site.publish("packed", packed[:-20])
    assert_fails(known(url, compression="bz2"), cache, "too early")


def test_an_archive_that_unpacks_to_too_much(site: Site, cache: Path) -> None:
    url = site.publish("packed", bz2.compress(bytes(10_000_000)))
    assert_fails(known(url, compression="bz2"), cache, "larger than")


@pytest.mark.parametrize("name", ["../../toy", "/tmp/toy", "..\\toy"])
def test_an_archive_with_unsafe_names(site: Site, cache: Path, tmp_path: Path, name: str) -> None:
    url = site.publish("packed", zipped({"toy": CONTENT, name: CONTENT}))
    before = files_below(tmp_path)
    assert_fails(known(url, compression="zip"), cache, "unsafe")
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/toy", "toy"])
def test_addresses_that_are_not_of_a_web_server(cache: Path, url: str) -> None:
    assert_fails(known(url), cache, "not the address of a web server")


def test_interrupted(site: Site, cache: Path) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    file = known(site.publish("toy", CONTENT))
    with pytest.raises(KeyboardInterrupt):
        fetched(file, progress=interrupt)
    assert files_below(cache) == []


def test_a_cache_that_cannot_be_written(site: Site, cache: Path) -> None:
    cache.write_text("a file, not a folder")
    with pytest.raises(DatasetError, match=r"could not be written to .* DISAMBIG_CACHE"):
        fetched(known(site.publish("toy", CONTENT)))


def test_download_false_sends_no_request(site: Site, cache: Path) -> None:
    with pytest.raises(DatasetError, match="download=False"):
        fetched(known(site.publish("toy", CONTENT)), download=False)
    assert site.requests == []
    assert not cache.exists()


# ---------------------------------------------------------------- concurrent downloads


def test_threads(site: Site, cache: Path) -> None:
    file = known(site.publish("toy", CONTENT))
    gate = threading.Barrier(4)

    def fetch(_: int) -> bytes:
        gate.wait(timeout=30)
        return fetched(file).read_bytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(fetch, range(4))) == {CONTENT}
    assert len(files_below(cache)) == 1


_FETCH = """
import sys
from disambig.datasets.loaders.fetching import fetched
from disambig.datasets.loaders.registry import RemoteFile
print("ready", flush=True)
sys.stdin.readline()
url, sha256, size = sys.argv[1:]
print(fetched(RemoteFile("libsvm/toy", url, sha256, int(size))).stat().st_size)
"""


def test_processes(site: Site, cache: Path) -> None:
    file = known(site.publish("toy", CONTENT))
    command = [sys.executable, "-c", _FETCH, file.url, file.sha256, str(file.size)]
    work = cache.parent / "work"
    with ExitStack() as stack:
        workers = [
            stack.enter_context(
                subprocess.Popen(command, cwd=work, stdin=PIPE, stdout=PIPE, text=True)
            )
            for _ in range(2)
        ]
        for worker in workers:
            assert worker.stdout.readline() == "ready\n"
        for worker in workers:
            worker.stdin.write("go\n")
            worker.stdin.flush()
        assert [worker.communicate()[0] for worker in workers] == [f"{len(CONTENT)}\n"] * 2
    assert [path.read_bytes() for path in files_below(cache)] == [CONTENT]


# ---------------------------------------------------------------- by name


def test_a_libsvm_set_by_name(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = known(site.publish("toy", CONTENT))
    monkeypatch.setitem(libsvm.LIBSVM_FILES, "toy", {"train": file})
    monkeypatch.setitem(libsvm.LIBSVM_FEATURES, "toy", 4)
    data = fetch_libsvm("toy")
    assert data.name == "toy"
    assert data.X.shape == (10_000, 4)
    np.testing.assert_array_equal(data.X[:2], [[0.5, 0, 1, 0], [0, -1, 0, 0]])
    with pytest.raises(ValueError, match=r"part of 'toy' must be one of 'train'; got 'test'"):
        fetch_libsvm("toy", part="test")


def test_a_mulan_set_by_name(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "@relation r\n@attribute x numeric\n@attribute on {0,1}\n@data\n"
    parts = {"train": f"{head}0.5,1\n".encode(), "test": f"{head}2,0\n3,1\n".encode()}
    files = {
        part: known(site.publish(part, text), text, path=f"mulan/toy-{part}.arff")
        for part, text in parts.items()
    }
    monkeypatch.setitem(mulan.MULAN_FILES, "toy", files)
    monkeypatch.setitem(mulan.MULAN_LABELS, "toy", ("on",))
    np.testing.assert_array_equal(fetch_mulan("toy").X, [[0.5], [2], [3]])
    np.testing.assert_array_equal(fetch_mulan("toy").Y, [[1], [0], [1]])
    np.testing.assert_array_equal(fetch_mulan("toy", part="test").X, [[2], [3]])
    assert site.requests == ["/train", "/test"]
    with pytest.raises(ValueError, match="must be one of 'test', 'train'; got 'validation'"):
        fetch_mulan("toy", part="validation")  # type: ignore[arg-type]


def test_errors_of_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'dna', 'glass'.*; got 'nda'"):
        fetch_libsvm("nda")
    with pytest.raises(ValueError, match=r"'emotions', 'flags', 'scene'; got 'emotion'"):
        fetch_mulan("emotion")
