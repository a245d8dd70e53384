"""Find a known data file on this machine, or download it to the cache; verify its checksum.

`local_paths` are the paths where the user may have the file, and `cache_folder` is where downloads
are kept. `receive` copies bytes from a web server, within limits. `fetched` does all of it.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from disambig.atomic import atomic_write
from disambig.datasets.loaders.registry import RemoteFile
from disambig.datasets.loaders.unpacking import unpacked
from disambig.exceptions import DatasetError

# Bytes that are read at once.
_CHUNK_BYTES = 1 << 16
_SCHEMES = ("https://", "http://")
# An archive also contains other files than the requested one. All known archives are much smaller.
_MAX_ARCHIVE_BYTES = 1 << 26


def local_paths(file: RemoteFile, folder: str | os.PathLike[str] | None) -> list[Path]:
    """Paths of the user's own copies: in `folder`, then DISAMBIG_DATA, then ``./data``.

    The path inside each is like ``libsvm/dna.scale``; `folder` may also contain the file directly.
    A folder that is named and does not exist is an error, because a misspelt name would otherwise
    start a download.
    """
    paths = []
    if folder is not None:
        named = _existing(Path(folder).expanduser(), "folder=")
        paths += [named / file.path, named / file.name]
    variable = os.environ.get("DISAMBIG_DATA")
    if variable:
        paths.append(_existing(Path(variable).expanduser(), "DISAMBIG_DATA=") / file.path)
    paths.append(Path("data").absolute() / file.path)
    return paths


def _existing(folder: Path, source: str) -> Path:
    if not folder.is_dir():
        raise DatasetError(
            f"{source}{str(folder)!r} is not a folder. Name a folder of data sets that exists, or "
            "leave it out."
        )
    return folder


def cache_folder() -> Path:
    r"""Where downloads are kept: DISAMBIG_CACHE, else the cache of the user on this platform.

    ``~/.cache/disambig`` (or below XDG_CACHE_HOME) on Linux, ``~/Library/Caches/disambig`` on
    macOS, ``%LOCALAPPDATA%\disambig\cache`` on Windows.
    """
    named = os.environ.get("DISAMBIG_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "disambig" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "disambig"
    # By the XDG specification relative paths are ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else _home() / ".cache") / "disambig"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise DatasetError(
            "The user has no home folder for downloads. Set the environment variable "
            "DISAMBIG_CACHE to a folder."
        ) from error


Progress = Callable[[int, int | None], object]
"""Called with the bytes received so far and their total, or None if the server does not tell it."""


def receive(
    url: str,
    into: BinaryIO,
    *,
    max_bytes: int,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> int:
    """Copy the response of `url` to the stream `into`; return the number of bytes.

    Parameters
    ----------
    url : str
        Of a web server; other schemes, such as ``file:``, are an error, also after redirects.
    into : binary stream
        Open for writing. After an error its content must not be used.
    max_bytes : int
        A larger response is an error, as soon as it is announced or received.
    timeout : float
        Seconds without data after which the transfer fails.
    progress : callable, optional
        ``progress(done, total)`` after every chunk; an exception that it raises ends the transfer.

    Raises
    ------
    DatasetError
        With the reason, as a clause without a full stop.
    """
    with _answer(url, timeout) as response:
        total: int | None = getattr(response, "length", None)
        if total is not None and total > max_bytes:
            raise DatasetError(f"{url} announced {total} bytes, more than the {max_bytes} allowed")
        done = 0
        while chunk := _chunk(response, url, done):
            done += len(chunk)
            if done > max_bytes:
                raise DatasetError(f"{url} sent more than the {max_bytes} bytes allowed")
            into.write(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done < total:
        raise DatasetError(f"{url} broke off after {done} of {total} bytes")
    return done


def _answer(url: str, timeout: float) -> Any:
    if not url.startswith(_SCHEMES):
        raise DatasetError(f"{url} is not the address of a web server")
    request = Request(url, headers={"User-Agent": "disambig"})
    try:
        response = urlopen(request, timeout=timeout)
    except HTTPError as error:
        # The error is an open connection, too.
        error.close()
        raise DatasetError(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} could not be reached ({error})") from error
    if not response.geturl().startswith(_SCHEMES):
        response.close()
        raise DatasetError(f"{url} redirects to {response.geturl()}, which is not a web server")
    return response


def _chunk(response: Any, url: str, done: int) -> bytes:
    try:
        chunk: bytes = response.read(_CHUNK_BYTES)
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} broke off after {done} bytes ({error})") from error
    return chunk


def fetched(
    file: RemoteFile,
    *,
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> Path:
    """The path of `file` on this machine or, after a download, in the cache; checksum verified.

    Searched in this order: `folder`, the folder that DISAMBIG_DATA names, ``./data``, and the cache
    (`cache_folder`). If a copy of the user has another content, it is an error; if the cached copy
    has, it is downloaded again.

    Raises
    ------
    DatasetError
        The file was not found and may not be downloaded, the download failed, or the content is
        not the known one. The cache never contains incomplete or unverified files.
    """
    paths = local_paths(file, folder)
    for path in paths:
        if path.is_file():
            _require_known(path, file)
            return path
    cached = cache_folder() / file.path
    if cached.is_file() and _digest(cached) == file.sha256:
        return cached
    if not download:
        searched = "\n  ".join(str(path) for path in [*paths, cached])
        raise DatasetError(
            f"{file.path} is not on this machine, and download=False. Looked at\n  {searched}\n"
            f"Allow the download, or put the file at one of these paths. {_source(file)}"
        )
    _download(file, cached, progress)
    return cached


def _download(file: RemoteFile, target: Path, progress: Progress | None) -> None:
    largest = file.size if file.compression is None else _MAX_ARCHIVE_BYTES
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # A temporary file without a name, if the system allows it, cannot be left behind.
        with tempfile.TemporaryFile(dir=target.parent) as packed:
            receive(file.url, packed, max_bytes=largest, progress=progress)
            packed.seek(0)
            with atomic_write(target) as stream:
                digest = hashlib.sha256()
                for chunk in unpacked(
                    packed, file.compression, member=file.name, max_bytes=file.size
                ):
                    digest.update(chunk)
                    stream.write(chunk)
                if digest.hexdigest() != file.sha256:
                    raise DatasetError(
                        f"{file.url} has another content: its SHA-256 is {digest.hexdigest()}, "
                        f"expected {file.sha256}"
                    )
    except DatasetError as error:
        raise DatasetError(
            f"{file.path} could not be downloaded: {error}. Nothing was kept. Try again later, or "
            "put the file into ./data or a folder that DISAMBIG_DATA names, as "
            f"{file.path}. {_source(file)}"
        ) from error
    except OSError as error:
        raise DatasetError(
            f"{file.path} could not be written to {target}: {error}. Set the environment variable "
            "DISAMBIG_CACHE to a folder that can be written."
        ) from error


def _source(file: RemoteFile) -> str:
    """Where the user can get the file, for errors."""
    packed = "" if file.compression is None else f", packed ({file.compression})"
    return f"It is published at {file.url}{packed}; unpacked, its SHA-256 is {file.sha256}."


def _require_known(path: Path, file: RemoteFile) -> None:
    digest = _digest(path)
    if digest != file.sha256:
        raise DatasetError(
            f"{path} is not the known file {file.name}: its SHA-256 is {digest}, expected "
            f"{file.sha256}. Move it away, or read it with the function for its format "
            "(load_libsvm, load_mulan)."
        )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
