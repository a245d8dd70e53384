"""Where a data file may lie on this machine, in the order in which it is looked for.

Bytes over the network into a stream, no more than expected and no fewer than promised.

From a known file to a path on this machine whose content is the one we know.
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

_CHUNK = 1 << 16
_SCHEMES = ("https://", "http://")
# Archives hold more than the file that is wanted; none of those we know comes near this.
_LARGEST_ARCHIVE = 1 << 26


def local_places(file: RemoteFile, folder: str | os.PathLike[str] | None) -> list[Path]:
    """Paths of the user's own copies: `folder`, then DISAMBIG_DATA, then ``./data``.

    Below each, a file lies as in ``libsvm/dna.scale``; in `folder` it may lie directly. A folder
    that is named and does not exist is an error: a misspelt name would otherwise start a download.
    """
    places = []
    if folder is not None:
        named = _existing(Path(folder).expanduser(), "folder=")
        places += [named / file.path, named / file.name]
    variable = os.environ.get("DISAMBIG_DATA")
    if variable:
        places.append(_existing(Path(variable).expanduser(), "DISAMBIG_DATA=") / file.path)
    places.append(Path("data").absolute() / file.path)
    return places


def _existing(folder: Path, source: str) -> Path:
    if not folder.is_dir():
        raise DatasetError(
            f"{source}{str(folder)!r} is no folder. Name a folder of data sets that exists, or "
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
    # The XDG rules have relative paths ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else _home() / ".cache") / "disambig"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise DatasetError(
            "The user has no home folder to keep downloads in. Name a folder by the environment "
            "variable DISAMBIG_CACHE."
        ) from error


Progress = Callable[[int, int | None], object]
"""Called with the bytes received so far and their total, None where the server does not say."""


def receive(
    url: str,
    into: BinaryIO,
    *,
    max_bytes: int,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> int:
    """Copy what `url` serves to the stream `into`; return how many bytes came.

    Parameters
    ----------
    url : str
        Of a web server; other schemes, ``file:`` among them, are refused, also after redirects.
    into : binary stream
        Open for writing. After an error its content is worthless.
    max_bytes : int
        More than that is refused, as soon as it is announced or sent.
    timeout : float
        Seconds of silence after which the server is given up.
    progress : callable, optional
        ``progress(done, total)`` after every piece; what it raises ends the transfer.

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
        while chunk := _piece(response, url, done):
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
        # It is an open connection, too.
        error.close()
        raise DatasetError(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} could not be reached ({error})") from error
    if not response.geturl().startswith(_SCHEMES):
        response.close()
        raise DatasetError(f"{url} redirects to {response.geturl()}, which is no web server")
    return response


def _piece(response: Any, url: str, done: int) -> bytes:
    try:
        piece: bytes = response.read(_CHUNK)
    except (OSError, HTTPException) as error:
        raise DatasetError(f"{url} broke off after {done} bytes ({error})") from error
    return piece


def fetched(
    file: RemoteFile,
    *,
    folder: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> Path:
    """Find `file`, or download it to the cache; its checksum is verified either way.

    Looked for, in this order: in `folder`, in the folder that DISAMBIG_DATA names, in ``./data``,
    in the cache (`cache_folder`). A copy of the user's with another content is an error; one in
    the cache is fetched again.

    Raises
    ------
    DatasetError
        The file is not there and may not be downloaded; the download failed; the content is
        another. Nothing that is incomplete or unverified is left in the cache.
    """
    places = local_places(file, folder)
    for place in places:
        if place.is_file():
            _require_known(place, file)
            return place
    cached = cache_folder() / file.path
    if cached.is_file() and _digest(cached) == file.sha256:
        return cached
    if not download:
        looked = "\n  ".join(str(place) for place in [*places, cached])
        raise DatasetError(
            f"{file.path} is not on this machine, and download=False. Looked at\n  {looked}\n"
            f"Allow the download, or put the file at one of these places. {_by_hand(file)}"
        )
    _download(file, cached, progress)
    return cached


def _download(file: RemoteFile, target: Path, progress: Progress | None) -> None:
    largest = file.size if file.compression is None else _LARGEST_ARCHIVE
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # The packed file has no name to leave behind where the system allows files without one.
        with tempfile.TemporaryFile(dir=target.parent) as packed:
            receive(file.url, packed, max_bytes=largest, progress=progress)
            packed.seek(0)
            with atomic_write(target) as stream:
                digest = hashlib.sha256()
                for piece in unpacked(
                    packed, file.compression, member=file.name, max_bytes=file.size
                ):
                    digest.update(piece)
                    stream.write(piece)
                if digest.hexdigest() != file.sha256:
                    raise DatasetError(
                        f"{file.url} holds another content: its SHA-256 is {digest.hexdigest()}, "
                        f"expected {file.sha256}"
                    )
    except DatasetError as error:
        raise DatasetError(
            f"{file.path} could not be downloaded: {error}. Nothing was kept. Try again later, or "
            "put the file into ./data or a folder that DISAMBIG_DATA names, as "
            f"{file.path}. {_by_hand(file)}"
        ) from error
    except OSError as error:
        raise DatasetError(
            f"{file.path} could not be kept at {target}: {error}. Name a folder that can be "
            "written by the environment variable DISAMBIG_CACHE."
        ) from error


def _by_hand(file: RemoteFile) -> str:
    packed = "" if file.compression is None else f", packed ({file.compression})"
    return f"It is published at {file.url}{packed}; unpacked, its SHA-256 is {file.sha256}."


def _require_known(path: Path, file: RemoteFile) -> None:
    digest = _digest(path)
    if digest != file.sha256:
        raise DatasetError(
            f"{path} is another file than the {file.name} we know: its SHA-256 is {digest}, "
            f"expected {file.sha256}. Move it away, or read it as it is with the function for its "
            "format (load_libsvm, load_mulan)."
        )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
